"""The marks of removed and withdrawn texts."""

from typing import Annotated

from msgspec import Meta

from stoa.schemas.base import Resource, iso
from stoa.schemas.fields import Time


class Removal(Resource, kw_only=True):
    """There when a moderator removed something, so that its text is gone: why, and when."""

    reason: Annotated[str, Meta(examples=["Advertising."])]
    at: Time


def removal(at: int | None, reason: str | None) -> Removal:
    """What tells of a removal at this time (ms)."""
    return Removal(reason=reason or "", at=iso(at or 0))
