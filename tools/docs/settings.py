"""The page of all settings."""

from stoa.settings import Settings, environment_name, kinds
from tools.docs.markdown import page as whole
from tools.docs.markdown import table

_INTRODUCTION = """\
A setting can be given as a flag of `stoa serve` (where it has one), as a variable of the
environment, or by its name in `stoa.toml` in the folder that the server is started in. Where it is
given more than once, the first of these counts. A list is written with commas in a variable, and as
a list in TOML. A setting that is unknown or wrong stops the start with one line that says what to
do. `stoa config show` lists the values in force and where each comes from."""


def page() -> str:
    """Every setting with its default."""
    defaults = Settings()
    rows = (
        (
            f"`{name}`",
            f"`{environment_name(name)}`",
            _default(getattr(defaults, name)),
            kind.values,
            kind.description,
        )
        for name, kind in kinds().items()
    )
    return whole(
        "Settings",
        _INTRODUCTION,
        table(("setting", "variable", "default", "takes", "meaning"), rows),
    )


def _default(value: object) -> str:
    return "" if value in (None, "", []) else f"`{value}`"
