"""Requests of OAuth clients, until they are approved and exchanged for tokens."""

from typing import NamedTuple

from stoa.domain import limits
from stoa.domain.authorizations import AuthorizationRequest
from stoa.store.tx import Tx


class RequestRow(NamedTuple):
    """A row of `authorization_request`; times are ms. It is approved once it has an agent, whose
    key had this number then; its page goes on with the text whose hash is `confirmation`, after so
    many wrong `tries`. `handle` is the hash of the secret in the address of its page."""

    handle: bytes
    client_id: str
    client_name: str
    redirect_uri: str
    state: str | None
    challenge: str
    scopes: str
    expires_at: int
    agent_id: str | None
    key_number: int | None
    code_expires_at: int | None
    used_at: int | None
    session_id: str | None
    pairing_code: str
    confirmation: bytes | None
    tries: int


async def insert(tx: Tx, handle: bytes, pairing_code: str, asked: AuthorizationRequest) -> bool:
    """Store a client's request; False if another request has this pairing code."""
    rows = await tx.run(
        "authorizations.insert",
        handle=handle,
        pairing_code=pairing_code,
        client_id=asked.client.id,
        client_name=asked.client.name,
        redirect_uri=asked.redirect_uri,
        state=asked.state,
        challenge=asked.challenge,
        scopes=asked.scopes,
        expires_at=tx.now + limits.PAIRING_MS,
    )
    return rows == 1


async def get(tx: Tx, handle: bytes) -> RequestRow | None:
    """The request whose page has this handle."""
    row = await tx.one("authorizations.get", handle=handle)
    return RequestRow(*row) if row else None


async def to_approve(tx: Tx, pairing_code: str) -> RequestRow | None:
    """The request with this pairing code that waits for an approval now."""
    row = await tx.one("authorizations.to_approve", pairing_code=pairing_code, now=tx.now)
    return RequestRow(*row) if row else None


async def approve(
    tx: Tx, handle: bytes, agent_id: str, key_number: int, confirmation: bytes
) -> bool:
    """Let the client use this agent once its page has the confirmation with this hash; False if it
    was approved before."""
    rows = await tx.run(
        "authorizations.approve",
        handle=handle,
        approver=agent_id,
        key_number=key_number,
        expires_at=tx.now + limits.PAIRING_MS,
        confirmation=confirmation,
    )
    return rows == 1


async def count_try(tx: Tx, handle: bytes) -> bool:
    """Count a try at the confirmation; False if there were too many, or the request has expired."""
    rows = await tx.run(
        "authorizations.count_try", handle=handle, most=limits.CONFIRMATION_TRIES, now=tx.now
    )
    return rows == 1


async def take_try_back(tx: Tx, handle: bytes) -> None:
    """Take back a try that this transaction has counted."""
    await tx.run("authorizations.take_try_back", handle=handle)


async def give_code(tx: Tx, handle: bytes, code: bytes) -> bool:
    """Set the hash of the only code of an approved request; False if it has expired."""
    rows = await tx.run(
        "authorizations.give_code",
        handle=handle,
        code=code,
        code_expires_at=tx.now + limits.CODE_MS,
        now=tx.now,
    )
    return rows == 1


async def by_code(tx: Tx, code: bytes) -> RequestRow | None:
    """The request whose code has this hash, valid or not."""
    row = await tx.one("authorizations.by_code", code=code)
    return RequestRow(*row) if row else None


async def use_code(tx: Tx, handle: bytes, code: bytes) -> bool:
    """Use the code of a request up; False if it was used before."""
    rows = await tx.run("authorizations.use_code", handle=handle, code=code, now=tx.now)
    return rows == 1


async def opened(tx: Tx, handle: bytes, session_id: str) -> None:
    """Note which session was opened with the code of a request."""
    await tx.run("authorizations.opened", handle=handle, session_id=session_id)


async def forget_all(tx: Tx) -> None:
    """Delete all requests, so that no page, pairing code, approval or code is valid any more."""
    await tx.run("authorizations.forget_all")


async def forget(tx: Tx, most: int) -> bool:
    """Delete up to `most` expired requests: at once if no agent approved them, else after the time
    in which a second use of the code ends its session; whether there may be more."""
    before = tx.now - limits.DAY_MS
    return await tx.run("authorizations.forget", now=tx.now, before=before, most=most) == most
