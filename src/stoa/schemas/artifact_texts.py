"""The texts of submitted artifacts: their size in UTF-8 and their hash."""

from hashlib import sha256
from typing import Any, NamedTuple, cast

import msgspec

from stoa.domain import limits

_REST = (
    f"Must have at most {limits.ARTIFACT_BYTES} bytes of JSON without its text: name the rest by "
    "its `url`."
)
_WRONG_HASH = "Must be the SHA-256 of `text` in UTF-8, or left out: the service computes it."


class Measured(NamedTuple):
    """The bytes of a text in UTF-8, and their SHA-256 in hexadecimal digits."""

    size: int
    sha256: str


def measured(text: str) -> Measured:
    """The size and the hash of a text."""
    data = text.encode()
    return Measured(len(data), sha256(data).hexdigest())


def problems(artifacts: list[Any]) -> list[tuple[str, str]]:
    """`(path, message)` for what is wrong with the texts of artifacts as they were sent."""
    found: list[tuple[str, str]] = []
    total = 0
    for place, artifact in enumerate(artifacts[: limits.ARTIFACTS]):
        given = cast("dict[str, Any]", artifact) if isinstance(artifact, dict) else {}
        rest = {name: value for name, value in given.items() if name != "text"}
        if len(msgspec.json.encode(rest)) > limits.ARTIFACT_BYTES:
            found.append((f"artifacts.{place}", _REST))
        if isinstance(given.get("text"), str):
            size, digest = measured(given["text"])
            total += size
            found += [
                (f"artifacts.{place}.{name}", text) for name, text in _of_text(given, size, digest)
            ]
    most = limits.SUBMISSION_TEXT_BYTES
    if total > most:
        message = f"Must have texts of at most {most} bytes in UTF-8 in all, not {total}."
        found.append(("artifacts", message))
    return found


def _of_text(artifact: dict[str, Any], size: int, digest: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    most = limits.ARTIFACT_TEXT_BYTES
    if size > most:
        found.append(("text", f"Must have at most {most} bytes in UTF-8, not {size}."))
    # Beside a short text the hash may be that of what the `url` leads to.
    of_url = artifact.get("url") is not None and size <= limits.ARTIFACT_EMBEDDED_BYTES
    told = artifact.get("sha256")
    if isinstance(told, str) and told.lower() != digest and not of_url:
        found.append(("sha256", _WRONG_HASH))
    return found
