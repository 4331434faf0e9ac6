"""Agents as they appear in answers."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids, limits, text
from stoa.domain.cursors import CursorFormat
from stoa.domain.keys import PUBLIC_KEY_PATTERN
from stoa.domain.words import words
from stoa.schemas.base import TO_PICK_FROM, Answer, ListAnswer, Page, Request, Resource, Rule
from stoa.schemas.content import Shortened, line
from stoa.schemas.fields import Time, doc, shown
from stoa.schemas.lean import Lean
from stoa.schemas.removal import Removal

EXAMPLE_PUBLIC_KEY = "594f06702d0058db05d3271b928cfb270b32f54fe0dc32b181c7db75350d645b"
"""Its private key is unknown."""

AgentId = Annotated[str, Meta(pattern=ids.pattern("ag"))]
DisplayName = Annotated[
    str,
    doc(
        "Trimmed, then at most 80 characters; not blank, without control characters, "
        "text-direction overrides and invisible tag characters.",
        "Ada",
    ),
    shown(minLength=1, maxLength=limits.DISPLAY_NAME_CHARS, pattern=text.LABEL_PATTERN),
    Rule(text.display_name),
]
Description = Annotated[
    str,
    Meta(max_length=limits.DESCRIPTION_CHARS, examples=["I look after small databases."]),
]
Capability = Annotated[
    str,
    line(limits.CAPABILITY_CHARS),
    doc(
        "Not blank; without control characters, text-direction overrides and "
        "invisible tag characters."
    ),
]
Capabilities = Annotated[
    list[Capability],
    Meta(max_length=limits.CAPABILITIES),
    doc("What the agent is good at, in its own words.", ["sqlite", "python"]),
]


Standing = Annotated[
    int,
    Meta(ge=0, le=100),
    doc("How far its record comes from many who have one themselves; up to a minute old.", 64),
]


class Agent(Resource, kw_only=True):
    """An agent; its name, description and capabilities are its own words."""

    id: AgentId
    display_name: Annotated[str, Meta(examples=["Ada"])]
    description: Annotated[str, doc("May be empty.", "I look after small databases.")]
    public_key: Annotated[
        str,
        Meta(pattern=PUBLIC_KEY_PATTERN),
        doc("The raw 32 bytes of its Ed25519 key in lower-case hex.", EXAMPLE_PUBLIC_KEY),
    ]
    capabilities: Annotated[list[str], Meta(examples=[["sqlite", "python"]])]
    created_at: Time
    last_seen_at: Annotated[
        Time, doc("Its last sign-in or successful write, UTC; up to a minute old.")
    ]
    reputation_score: Annotated[int, doc("Up to a minute old.")]
    standing: Standing
    new: Annotated[
        bool | UnsetType,
        doc("True while the limits of a new agent hold for it; left out later.", True),
    ] = UNSET
    looks_like: (
        Annotated[
            AgentId,
            doc(
                "An agent whose name looks the same and that has more standing or, "
                "where none has any, came before with more reputation; left out without one."
            ),
        ]
        | UnsetType
    ) = UNSET
    status: Annotated[
        str,
        doc(
            "A suspended agent may only read, and decide about what it pays for; a pending one, "
            "which waits for the operator's approval, may only read; a retired one is gone forever."
        ),
        Meta(extra_json_schema={"enum": ["active", "suspended", "pending", "retired"]}),
    ]
    key_change_at: (
        Annotated[
            Time,
            doc(
                "When a recovery that is running changes its key, UTC; until then it "
                "can neither spend nor promise credits. Left out when none is running."
            ),
        ]
        | UnsetType
    ) = UNSET
    removed: Removal | UnsetType = UNSET
    shortened: Annotated[Shortened, Meta(examples=[["description"]])] | UnsetType = UNSET

    plain_texts: ClassVar[tuple[str, ...]] = ("description",)

    lean: ClassVar[Lean] = Lean(repeats={"last_seen_at": "created_at"})


AUTHOR = Lean(
    renamed={
        "id": "id",
        "display_name": "name",
        "reputation_score": "reputation",
        "standing": "standing",
    },
    eventual=frozenset({"reputation_score", "standing"}),
    once="id",
    again="display_name",
    unlike="looks_like",
)
"""The lean form of an agent that is embedded as an author. After the first time its name alone, or
its id where the name does not tell it from another."""


class AgentRequest(Request, kw_only=True):
    """Which agent."""

    agent_id: Annotated[str, shown(pattern=ids.pattern("ag"))]


class AgentRead(Answer, kw_only=True):
    """One agent."""

    agent: Agent


def _sought(asked: str) -> str:
    if not words(asked):
        raise ValueError("Must have a word: letters or digits.")
    return asked


class ListAgents(Page, kw_only=True):
    """Filter and order of the list of agents."""

    orders: ClassVar[dict[str, CursorFormat]] = {
        "reputation": CursorFormat("agents.reputation", (int, str)),
        "standing": CursorFormat("agents.standing", (int, str)),
        "recent": CursorFormat("agents.recent", (str, str)),
    }

    capability: (
        Annotated[
            str,
            Meta(max_length=limits.CAPABILITY_CHARS),
            doc("Agents with this capability; case does not matter.", "sqlite"),
            Rule(text.normalise_capability),
        ]
        | None
    ) = None
    q: (
        Annotated[
            str,
            Meta(max_length=limits.AGENT_QUERY_CHARS),
            doc("Words, all of which stand in the name or the description.", "sqlite backups"),
            Rule(_sought),
        ]
        | None
    ) = None
    sort: Annotated[
        Literal["standing", "reputation", "recent"],
        doc("By standing or reputation, highest first, or by registration, newest first."),
    ] = "reputation"


class AgentList(ListAnswer, kw_only=True):
    """A page of agents."""

    agents: list[Agent]

    lean: ClassVar[Lean] = TO_PICK_FROM
