"""Sessions that agents grant, and their tokens: how they are opened and renewed."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from stoa.domain import limits, tokens
from stoa.domain.digests import digest_of
from stoa.domain.oauth import OAuthRefusal, check_resource, check_scopes
from stoa.entropy import random_bytes
from stoa.operations.call import Call
from stoa.store import agents, sessions
from stoa.store.sessions import Origin, RefreshRow

FormFields = Mapping[str, str]
"""The parameters of a request to the token endpoint, each given once."""


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """A grant of an agent. `key_number` is that of its key at the time; `via` says how the session
    was opened; `scopes` is text such as `read write`. A client that is not the agent itself is
    named."""

    agent_id: str
    key_number: int
    scopes: str
    via: str
    client_id: str | None = None
    client_name: str | None = None


class Tokens(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer of the token endpoint (RFC 6749, 5.1)."""

    access_token: str
    token_type: str
    expires_in: int
    scope: str
    refresh_token: str | None = None


class Opened(NamedTuple):
    """A session that was opened."""

    session_id: str
    tokens: Tokens


async def open_session(call: Call, grant: Grant) -> Opened:
    """Open a session: one token, and a refresh token if another client than the agent uses it.

    Raises `invalid_grant` if the agent has another key by now, or has retired.
    """
    if grant.client_id is not None:
        await call.tx.lock("agent", grant.agent_id)
        row = await agents.get(call.tx, grant.agent_id)
        if row is None or row.key_number != grant.key_number or row.retired_at is not None:
            raise OAuthRefusal("invalid_grant", "The key of the agent has changed since it agreed.")
    token, session_id = _new_token(), call.new_id("ses")
    expires_at, ends_at = _ends(call)
    origin = Origin(
        grant.via,
        grant.scopes,
        grant.client_id,
        grant.client_name,
        expires_at if grant.client_id is None else ends_at,
    )
    await sessions.insert_token(
        call.tx,
        digest_of(token),
        grant.agent_id,
        session_id,
        grant.key_number,
        expires_at,
        origin,
    )
    refresh = None
    if grant.client_id is not None:
        refresh = _new_token()
        await _keep_refresh_token(call, refresh, grant.agent_id, session_id, ends_at)
    return Opened(session_id, _answer(call, token, grant.scopes, refresh))


async def refresh_session(call: Call, form: FormFields) -> Tokens | OAuthRefusal:
    """The grant `refresh_token`: another token and refresh token for the session.

    A refresh token works once. For a while it gives the same again: its answer may have been lost,
    or two calls of the client were under way at once. A later use means that it was stolen, so the
    session ends.
    """
    given = required(form, "refresh_token")
    digest = digest_of(given)
    row = await sessions.refresh_token(call.tx, digest)
    if row is not None:
        # What ends the sessions of the agent or changes its key comes before this or after it.
        await call.tx.lock("agent", row.agent_id)
        row = await sessions.refresh_token(call.tx, digest)
    if row is None or not row.live:
        raise OAuthRefusal("invalid_grant", "The refresh token is not known here, or has ended.")
    if row.client_id != required(form, "client_id"):
        raise OAuthRefusal("invalid_grant", "The refresh token is that of another client.")
    check_resource(call.services.base_urls, form.get("resource"))
    check_scopes(form.get("scope"), row.scopes)
    if row.used_at is None:
        return await _renew(call, row, given)
    again = await _given_again(call, row, given)
    if again is None:
        await sessions.end(call.tx, row.agent_id, row.session_id)
        return OAuthRefusal(
            "invalid_grant",
            "The refresh token was used before, so its session has ended: begin again.",
        )
    return again


async def _renew(call: Call, row: RefreshRow, given: str) -> Tokens:
    nonce = random_bytes(tokens.RANDOM_BYTES)
    token, refresh = tokens.renewed(given, nonce)
    expires_at, ends_at = _ends(call)
    await sessions.use_refresh_token(call.tx, digest_of(given), nonce)
    await sessions.renew(
        call.tx, row.agent_id, row.session_id, digest_of(token), expires_at, ends_at
    )
    await _keep_refresh_token(call, refresh, row.agent_id, row.session_id, ends_at)
    return _answer(call, token, row.scopes, refresh)


async def _given_again(call: Call, row: RefreshRow, given: str) -> Tokens | None:
    """The tokens that the use of a refresh token gave, or the newest ones that followed from these;
    None if that use is too long ago. Each use is as old as those after it, or older."""
    for _ in range(limits.REFRESH_STEPS):
        age = call.now - (row.used_at or 0)
        if row.nonce is None or age >= limits.REFRESH_AGAIN_MS:
            return None
        token, refresh = tokens.renewed(given, row.nonce)
        following = await sessions.refresh_token(call.tx, digest_of(refresh))
        if following is None:
            return None
        if following.used_at is None:
            answer = _answer(call, token, row.scopes, refresh)
            return replace(answer, expires_in=max(0, answer.expires_in - age // limits.SECOND_MS))
        row, given = following, refresh
    return None


async def _keep_refresh_token(
    call: Call, token: str, agent_id: str, session_id: str, ends_at: int
) -> None:
    digest = digest_of(token)
    await sessions.insert_refresh_token(call.tx, digest, agent_id, session_id, ends_at)


def required(form: FormFields, name: str) -> str:
    """A required parameter of a grant."""
    if name not in form:
        raise OAuthRefusal("invalid_request", f"The parameter {name} is missing.")
    return form[name]


def _new_token() -> str:
    return tokens.mint(random_bytes(tokens.RANDOM_BYTES))


def _ends(call: Call) -> tuple[int, int]:
    """When a token that is made now expires, and until when its session can be renewed."""
    expires_at = call.now + call.services.settings.token_ttl_seconds * 1000
    return expires_at, call.now + limits.REFRESH_TTL_MS


def _answer(call: Call, token: str, scopes: str, refresh: str | None) -> Tokens:
    return Tokens(
        access_token=token,
        token_type="Bearer",  # noqa: S106
        expires_in=call.services.settings.token_ttl_seconds,
        scope=scopes,
        refresh_token=refresh,
    )
