"""The environment of the templates: escaping by default, no value that is left out."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from jinja2 import Environment, PackageLoader, StrictUndefined


def environment(filters: Mapping[str, Callable[..., object]], **options: Any) -> Environment:
    """The templates of `templates/` with these filters; `options` are those of Jinja."""
    made = Environment(
        loader=PackageLoader("stoa.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **options,
    )
    cast("dict[str, Any]", made.filters).update(filters)
    return made
