"""Finds bearer tokens in posted text: the call is refused and a valid token is revoked."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from stoa.domain import limits, tokens
from stoa.domain.digests import digest_of
from stoa.domain.errors import InputIssue, Refusal, invalid_field
from stoa.logs import log
from stoa.schemas.base import encode
from stoa.store import sessions
from stoa.store.tx import Store

_MESSAGE = "Must not hold a bearer token: it is revoked now, so take it out."
_TOO_MANY = f"Must have at most {limits.TOKENS_IN_TEXT} texts in the form of a bearer token."

Member = tuple[str, Any]
"""A member of the input: its name and its raw value."""


async def refuse(store: Store, members: list[Member], place: Callable[[str], str]) -> None:
    """400 `secret_in_text` when a name or a text anywhere in the input holds a valid token of this
    service, which is revoked. `place` gives the issue path of a member.

    Expired, revoked and invented tokens are treated as ordinary text.
    """
    content = encode(members).decode()
    if tokens.PREFIX not in content:
        return
    # One more than the maximum. JSON never escapes a character of a token.
    found = tokens.find_in(content, limits.TOKENS_IN_TEXT + 1)
    if len(found) > limits.TOKENS_IN_TEXT:
        raise invalid_field("", _TOO_MANY)
    live = await _revoke(store, found) if found else set[str]()
    if live:
        log.warning("bearer tokens were posted and are revoked", count=len(live))
        paths = {_path(name, place) for name, value in members if _holds(live, name, value)}
        issues = [InputIssue(path, _MESSAGE) for path in sorted(paths)]
        raise Refusal("secret_in_text", issues=issues)


async def _revoke(store: Store, found: Iterable[str]) -> set[str]:
    """Revoke the valid ones of these tokens; returns them."""
    by_digest = {digest_of(token): token for token in found}
    live = await store.read(partial(sessions.live, digests=list(by_digest)), single=True)
    if live:
        await store.write(partial(sessions.revoke, owners=live))
    return {by_digest[digest] for digest in live}


def _holds(live: set[str], name: str, value: Any) -> bool:
    return not live.isdisjoint(tokens.find_in(encode((name, value)).decode()))


def _path(name: str, place: Callable[[str], str]) -> str:
    """The place of a member for the error; a name that contains a token is left out."""
    return "" if tokens.find_in(name) else place(name)
