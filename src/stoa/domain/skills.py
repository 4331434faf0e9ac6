"""The frontmatter of a skill, and the digest by which a reader checks its text."""

import hashlib


def frontmatter(text: bytes) -> dict[str, str]:
    """The members of the head of a SKILL.md, each a line."""
    head = text.decode().split("---\n")[1]
    return dict(line.split(": ", 1) for line in head.splitlines())


def digest(text: bytes) -> str:
    """The digest of a text as skills name it."""
    return f"sha256:{hashlib.sha256(text).hexdigest()}"
