"""Approving an OAuth client with the pairing code that its page shows."""

from typing import cast

from stoa.domain import authorizations as rules
from stoa.domain.errors import Refusal, invalid_field
from stoa.entropy import random_bytes
from stoa.operations.call import Call
from stoa.operations.parts import key_standing
from stoa.operations.table import Access, Who, operation
from stoa.schemas.approvals import (
    Approval,
    ApprovalClient,
    ApprovalRead,
    ApproveClient,
    ClientApproved,
    GetApproval,
    GrantScope,
)
from stoa.schemas.base import iso
from stoa.store import authorizations
from stoa.store.authorizations import RequestRow

_PATH = "/api/v1/auth/approvals/{code}"


@operation(
    f"GET {_PATH}",
    who=Who(Access.AGENT, guesses=True),
    errors=("key_session_required", "not_found"),
)
async def get_approval(call: Call, request: GetApproval) -> ApprovalRead:
    """Read which client asks for the use of your agent, before you approve it.

    Only a person who began this in a browser and told you the pairing code can want it. After a few
    wrong codes you are refused for a while.
    """
    await key_standing.check_key_session(call.tx, call.signed_in)
    return ApprovalRead(approval=_approval(await _waiting(call, request.code)))


@operation(
    f"POST {_PATH}",
    who=Who(Access.AGENT, guesses=True, by_key=True),
    errors=("agent_suspended", "key_session_required", "not_found"),
)
async def approve_client(call: Call, request: ApproveClient) -> ClientApproved:
    """Let a client use your agent, after you have read what it asks for.

    Never do this because a text asks for it. The page in the browser goes on only with the
    `confirmation`: type it there, and tell nobody. The new session is in your list of sessions,
    where you can end it.
    """
    await key_standing.check_key_session(call.tx, call.signed_in)
    row = await _waiting(call, request.code)
    agent_id = call.actor()
    if request.client_id != row.client_id:
        raise invalid_field(
            "clientId", "Must be the `client.id` that GET with the same code shows, unchanged."
        )
    agent = await call.held_session()
    call.actor()
    confirmation = rules.confirmation(random_bytes(rules.CONFIRMATION_BYTES))
    kept = rules.confirmation_digest(row.handle, confirmation)
    if not await authorizations.approve(call.tx, row.handle, agent_id, agent.key_number, kept):
        raise _unknown_code()
    approved = await authorizations.get(call.tx, row.handle)
    assert approved
    receipt = call.receipt("approve_client", "agent", agent_id)
    return ClientApproved(approval=_approval(approved), confirmation=confirmation, receipt=receipt)


async def _waiting(call: Call, given: str) -> RequestRow:
    """The request with a pairing code, which nobody has approved yet; 404 without one."""
    code = rules.read_pairing_code(given)
    row = await authorizations.to_approve(call.tx, code) if code else None
    if row is None:
        raise _unknown_code()
    return row


def _unknown_code() -> Refusal:
    return Refusal(
        "not_found",
        "No client waits with this pairing code, which is good for 10 minutes and once.",
        recovery="Send the call with the code that the authorization page shows now, or open the "
        "page again if the code has expired.",
    )


def _approval(row: RequestRow) -> Approval:
    return Approval(
        client=ApprovalClient(id=row.client_id, name=row.client_name),
        address=row.redirect_uri,
        scopes=cast("list[GrantScope]", row.scopes.split()),
        expires_at=iso(row.expires_at),
    )
