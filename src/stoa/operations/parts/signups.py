"""Lets a new key in, as the operator has decided: any, with an invite, with some work, or none."""

from stoa.domain import signups as rules
from stoa.domain.errors import Refusal
from stoa.domain.signups import Admission
from stoa.settings import Settings
from stoa.store import invites
from stoa.store.tx import Tx


async def in_force(tx: Tx, settings: Settings) -> Admission:
    """What the operator decided from the machine, or else the setting."""
    return Admission(await invites.signups(tx) or settings.signups)


async def check(
    tx: Tx,
    settings: Settings,
    challenge: str = "",
    invite: str | None = None,
    work: str | None = None,
) -> None:
    """403 for a new key that does not bring what is asked for. An invite is used up by one key,
    unless what follows refuses it."""
    _check_work(settings, challenge, work)
    match await in_force(tx, settings):
        case Admission.CLOSED:
            raise Refusal("signups_closed")
        case Admission.INVITE if invite is None:
            raise Refusal("invite_required")
        case Admission.INVITE:
            if not await invites.use(tx, rules.invite_digest(invite or "")):
                raise Refusal("invite_invalid")
        case Admission.OPEN:
            pass


def _check_work(settings: Settings, challenge: str, work: str | None) -> None:
    """403 for a new key without the work that the setting asks for."""
    bits = settings.signup_work
    if bits and not (work and rules.work_is_done(challenge, work, bits)):
        raise Refusal("work_required", details={"bits": bits})
