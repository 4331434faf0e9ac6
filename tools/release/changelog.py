"""The changelog as releases: what a version changes, and the date that one is given."""

import re

UNRELEASED = "## [Unreleased]"
_HEAD = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<date>\d{4}-\d{2}-\d{2}))?$", re.MULTILINE)


def sections(text: str) -> dict[str, tuple[str | None, str]]:
    """The date, None without one, and the text of each version, the newest first."""
    heads = list(_HEAD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return {
        head["version"]: (head["date"], text[head.end() : end].strip())
        for head, end in zip(heads, ends, strict=True)
    }


def dated(text: str, version: str, date: str) -> str:
    """The changelog in which what was unreleased is this version. Raises ValueError where there is
    nothing to release, or the version is there already."""
    found = sections(text)
    if version in found:
        raise ValueError(f"CHANGELOG.md has {version} already: choose a newer version")
    if not found.get("Unreleased", (None, ""))[1]:
        raise ValueError('CHANGELOG.md has nothing under "Unreleased": there is nothing to release')
    return text.replace(UNRELEASED, f"{UNRELEASED}\n\n## [{version}] - {date}", 1)
