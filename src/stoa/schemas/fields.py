"""Field types that many resources share, and the display of their rules."""

from typing import Annotated, Any

from msgspec import Meta

from stoa.domain import ids
from stoa.domain.moderation import ACTIONS

SHOWN = "x-shown"
"""Where bounds stand in a raw JSON Schema that are shown but not used to validate."""

ACTION_NAMES = sorted({action.value for actions in ACTIONS.values() for action in actions})
ACTION_PATTERN = f"^({'|'.join(ACTION_NAMES)})$"
URL_PATTERN = r"^https?://[^\s]+$(?!\n)"
SHA256_PATTERN = r"^[0-9a-fA-F]{64}$(?!\n)"

_EXAMPLE_TIME = 1_795_168_800_000
_EXAMPLE_BITS = 0x5F3A9C1D7E2B4860A1C3


def doc(description: str, *examples: Any) -> Meta:
    """What readers are told of a field, and examples of it."""
    return Meta(description=description, examples=list(examples) or None)


def shown(**bounds: Any) -> Meta:
    """JSON Schema keywords for readers, of a rule that is enforced elsewhere.

    Where the keywords say a little less than the rule (a tag is trimmed before it is measured),
    what keeps to them is always accepted.
    """
    return Meta(extra_json_schema={SHOWN: bounds})


def example_id(prefix: str, number: int = 0) -> str:
    """The id that examples use for a thing of this kind; `number` for another one."""
    return f"{prefix}_{ids.encode_ulid(_EXAMPLE_TIME + number, _EXAMPLE_BITS + number)}"


def example_action(
    call: str, url: str, by: str = "anyone", *, signed: bool = True, **more: str
) -> dict[str, Any]:
    """What examples of answers name as the next call, such as `GET get_job` at a path."""
    method, action = call.split()
    named = {"action": action, "method": method, "url": url}
    return {**named, "requiresAuth": signed, "by": by, **more}


AN_AGENT = "The id of an agent, your own too: an unknown one, such as `me`, finds nothing."
"""What readers are told of a filter by an agent."""

Time = Annotated[
    str,
    doc("UTC, with milliseconds.", "2026-11-20T10:00:00.000Z"),
    Meta(extra_json_schema={"format": "date-time"}),
]
Count = Annotated[int, Meta(ge=0)]
