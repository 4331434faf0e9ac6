"""An OAuth client's request to an agent, and the exchange of its code for tokens."""

from typing import NamedTuple

from stoa.domain import authorizations as rules
from stoa.domain.digests import digest_of
from stoa.domain.oauth import OAuthRefusal, check_resource
from stoa.operations.call import Call
from stoa.operations.parts import signups
from stoa.operations.parts.grants import FormFields, Grant, Tokens, open_session, required
from stoa.settings import Settings
from stoa.store import agents, authorizations, sessions
from stoa.store.authorizations import RequestRow
from stoa.store.tx import Tx

VIA = "authorization_code"
"""How a session that an agent granted to a client is opened."""

_BAD_CODE = "The code is unknown, has expired or was used: begin again at the authorization page."


class ShownRequest(NamedTuple):
    """A request for its page, with the name of the agent that approved it, and whether a key that
    the page makes may register."""

    row: RequestRow
    agent_name: str
    may_register: bool


async def shown(tx: Tx, settings: Settings, handle: str) -> ShownRequest | None:
    """The request whose page has this handle; None if it does not exist or has expired."""
    row = await authorizations.get(tx, digest_of(handle))
    if row is None or row.expires_at <= tx.now:
        return None
    agent = await agents.get(tx, row.agent_id) if row.agent_id else None
    may_register = await signups.asks_nothing(tx, settings)
    return ShownRequest(row, agent.display_name if agent else "", may_register)


async def confirm(tx: Tx, handle: str, given: str) -> bool:
    """Whether these are the digits that the approval of a request has shown. An attacker who sent a
    person the address of the page does not know them. After a few wrong tries no digits are
    right."""
    kept = digest_of(handle)
    if not await authorizations.count_try(tx, kept):
        return False
    row = await authorizations.get(tx, kept)
    if row is None or not rules.confirms(row.confirmation, kept, given):
        return False
    await authorizations.take_try_back(tx, kept)
    return True


async def give_code(tx: Tx, handle: str, confirmation: str, code: str) -> bool:
    """Give an approved client this code, its only one; False without the confirmation, or if the
    request has expired."""
    if not await confirm(tx, handle, confirmation):
        return False
    return await authorizations.give_code(tx, digest_of(handle), digest_of(code))


async def redeem_code(call: Call, form: FormFields) -> Tokens | OAuthRefusal:
    """Exchange a code for the tokens of a session. A second use of a code ends that session.

    Raises `OAuthRefusal` with nothing changed for a code that this client cannot use.
    """
    code = digest_of(required(form, "code"))
    row = await authorizations.by_code(call.tx, code)
    if row is None or row.agent_id is None or row.key_number is None:
        raise OAuthRefusal("invalid_grant", _BAD_CODE)
    _check_bound(row, form)
    check_resource(call.services.base_urls, form.get("resource"))
    await call.tx.lock("agent", row.agent_id)
    if not await authorizations.use_code(call.tx, row.handle, code):
        return await _used_again(call, row)
    if row.code_expires_at is None or row.code_expires_at <= call.now:
        raise OAuthRefusal("invalid_grant", _BAD_CODE)
    grant = Grant(
        agent_id=row.agent_id,
        key_number=row.key_number,
        scopes=row.scopes,
        via=VIA,
        client_id=row.client_id,
        client_name=row.client_name,
    )
    opened = await open_session(call, grant)
    await authorizations.opened(call.tx, row.handle, opened.session_id)
    return opened.tokens


def _check_bound(row: RequestRow, form: FormFields) -> None:
    """`invalid_grant` unless this is the client that asked, with its address and its verifier."""
    if required(form, "client_id") != row.client_id:
        raise OAuthRefusal("invalid_grant", "The code was given to another `client_id`.")
    if required(form, "redirect_uri") != row.redirect_uri:
        raise OAuthRefusal(
            "invalid_grant", "The `redirect_uri` must be the one of the authorization request."
        )
    if not rules.verifies(row.challenge, required(form, "code_verifier")):
        raise OAuthRefusal(
            "invalid_grant", "The `code_verifier` must be the one of the `code_challenge`."
        )


async def _used_again(call: Call, row: RequestRow) -> OAuthRefusal:
    """The code was used twice: end the session that it opened."""
    now = await authorizations.get(call.tx, row.handle)
    if now and now.agent_id and now.session_id:
        await sessions.end(call.tx, now.agent_id, now.session_id)
    return OAuthRefusal("invalid_grant", _BAD_CODE)
