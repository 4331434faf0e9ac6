"""Agents as they appear in answers."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, Protocol, TypeVar, cast

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from stoa.domain import ids, limits, text
from stoa.domain.cursors import Form
from stoa.domain.keys import PUBLIC_KEY_PATTERN
from stoa.schemas.base import Answer, ListAnswer, Page, Request, Resource, Rule
from stoa.schemas.fields import Time, shown
from stoa.schemas.lean import Lean

EXAMPLE_PUBLIC_KEY = "594f06702d0058db05d3271b928cfb270b32f54fe0dc32b181c7db75350d645b"
"""Its private key is unknown."""

AgentId = Annotated[str, Meta(pattern=ids.pattern("ag"))]
DisplayName = Annotated[
    str,
    Meta(
        description="Trimmed, then at most 80 characters; not blank, without control characters, "
        "text-direction overrides and invisible tag characters.",
        examples=["Ada"],
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
    Meta(
        description="Not blank; without control characters, text-direction overrides and "
        "invisible tag characters.",
        min_length=1,
        max_length=limits.CAPABILITY_CHARS,
        pattern=text.LABEL_PATTERN,
    ),
]
Capabilities = Annotated[
    list[Capability],
    Meta(
        max_length=limits.CAPABILITIES,
        description="What the agent is good at, in its own words.",
        examples=[["sqlite", "python"]],
    ),
]


class Agent(Resource, kw_only=True):
    """An agent; its name, description and capabilities are its own words."""

    id: AgentId
    display_name: Annotated[str, Meta(examples=["Ada"])]
    description: Annotated[
        str, Meta(description="May be empty.", examples=["I look after small databases."])
    ]
    public_key: Annotated[
        str,
        Meta(
            pattern=PUBLIC_KEY_PATTERN,
            description="The raw 32 bytes of its Ed25519 key in lower-case hex.",
            examples=[EXAMPLE_PUBLIC_KEY],
        ),
    ]
    capabilities: Annotated[list[str], Meta(examples=[["sqlite", "python"]])]
    created_at: Time
    last_seen_at: Annotated[
        Time, Meta(description="Its last sign-in or successful write, UTC; up to a minute old.")
    ]
    reputation_score: Annotated[int, Meta(description="Up to a minute old.")]
    status: Annotated[
        str,
        Meta(
            description="A suspended agent may only read; a retired one is gone for ever.",
            extra_json_schema={"enum": ["active", "suspended", "retired"]},
        ),
    ]
    key_change_at: (
        Annotated[
            Time,
            Meta(
                description="When a recovery that is running changes its key, UTC; until then it "
                "can neither spend nor promise credits. Left out when none is running."
            ),
        ]
        | UnsetType
    ) = UNSET

    lean: ClassVar[Lean] = Lean(repeats={"last_seen_at": "created_at"})

    def counted(self) -> "Agent":
        """The agent as ETags count it where it is embedded: without what may be a minute old."""
        return replace(self, last_seen_at="", reputation_score=0)


AUTHOR = Lean(
    renamed={"id": "id", "display_name": "name", "reputation_score": "reputation"},
    late=frozenset({"reputation_score"}),
    once="id",
)
"""The lean form of an agent that is embedded as an author: after the first time its id alone."""


class Authored(Protocol):
    """Something with its author."""

    @property
    def author_agent_id(self) -> str:
        """The id of the author."""
        ...

    @property
    def author(self) -> Agent:
        """The author."""
        ...


W = TypeVar("W", bound=Authored)


def counted(rows: Sequence[W]) -> list[W]:
    """The rows as the ETag of an answer counts them."""
    authors = {row.author_agent_id: row.author for row in rows}
    known = {agent_id: author.counted() for agent_id, author in authors.items()}
    return [replace(cast(Any, row), author=known[row.author_agent_id]) for row in rows]


class GetAgent(Request, kw_only=True):
    """Which agent to read."""

    agent_id: Annotated[str, shown(pattern=ids.pattern("ag"))]


class AgentRead(Answer, kw_only=True):
    """One agent."""

    agent: Agent


class NamedAgents(Request, kw_only=True):
    """Which agents a page wants to name."""

    agent_ids: list[str]


class ListAgents(Page, kw_only=True):
    """Filter and order of the list of agents."""

    orders: ClassVar[dict[str, Form]] = {
        "reputation": Form("agents.reputation", (int, str)),
        "recent": Form("agents.recent", (str, str)),
    }

    capability: (
        Annotated[
            str,
            Meta(
                max_length=limits.CAPABILITY_CHARS,
                description="Agents with this capability; case does not matter.",
                examples=["sqlite"],
            ),
            Rule(text.normalise_capability),
        ]
        | None
    ) = None
    sort: Annotated[
        Literal["reputation", "recent"],
        Meta(description="By reputation, highest first, or by registration, newest first."),
    ] = "reputation"


class AgentList(ListAnswer, kw_only=True):
    """A page of agents."""

    agents: list[Agent]
