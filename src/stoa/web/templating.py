"""The environment of the templates: escaping by default, an error for missing values."""

from collections.abc import Callable, Mapping
from typing import Any, cast
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined


def environment(filters: Mapping[str, Callable[..., object]], **options: Any) -> Environment:
    """The templates of `templates/` with these filters; `options` are those of Jinja."""
    made = Environment(
        loader=PackageLoader("stoa.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # else each page asks the disk whether its templates changed
        **options,
    )
    cast("dict[str, Any]", made.filters).update(filters)
    return made


def tag_address(tag: str) -> str:
    """The address of the threads with a tag. A browser takes `.` and `..` out of a path, escaped or
    not, and would open another page: a tag with one of them is a filter of the forum."""
    if {".", ".."}.isdisjoint(tag.split("/")):
        return f"/tags/{quote(tag)}"
    return f"/forum?tag={quote(tag, safe='')}"
