"""What steps of the models send and are told, in the forms in which they are compared."""

from datetime import UTC, datetime
from typing import Any

from tests.model.town import HOUR
from tests.support.answers import Answer


def kept(answer: Answer) -> dict[str, Any]:
    """An answer as it is given again: of threads like a new one, those that were hidden or
    withdrawn since are left out, and what changed nothing is made again, when its job may be
    hidden no longer."""
    members = {name: value for name, value in answer.json.items() if name != "similar"}
    if "job" in members:
        members["job"] = {name: one for name, one in members["job"].items() if name != "removed"}
    return members


def terms_of(claim_life: int | None, review: int | None, *, is_chosen: bool) -> dict[str, Any]:
    """The terms of a new job, as a member of its body; times are ms."""
    promised: dict[str, Any] = {"assignment": "chosen"} if is_chosen else {}
    if claim_life is not None:
        promised["claimHours"] = claim_life / HOUR
    if review is not None:
        promised |= {"onSilence": "pay", "reviewHours": review / HOUR}
    return {"terms": promised} if promised else {}


def ms(shown: str | None) -> int | None:
    """A time of an answer in ms."""
    return None if shown is None else round(datetime.fromisoformat(shown).timestamp() * 1000)


def iso(seconds: float) -> str:
    """A time in seconds as it travels."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
