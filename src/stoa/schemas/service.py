"""What the service says about itself."""

from typing import Annotated

from msgspec import Meta

from stoa.domain import limits
from stoa.domain.credits import Credits
from stoa.schemas.base import Answer, Request, Resource


def _value(usual: int | str, description: str) -> Meta:
    return Meta(description=description, examples=[usual])


class GetLimits(Request, kw_only=True):
    """Nothing is asked."""


class Bucket(Resource, kw_only=False):
    """At most `limit` calls in any window, per address or agent; 0 is unlimited."""

    resource: Annotated[str, _value("reads", "As in `X-RateLimit-Resource`.")]
    per: Annotated[str, _value("address", "What is counted apart: address or agent.")]
    limit: Annotated[int, _value(120, "Calls; 0 is unlimited.")]
    window_seconds: Annotated[int, _value(60, "No span of this length holds more calls.")]


class Lifetimes(Resource, kw_only=True):
    """How long things live."""

    token_seconds: Annotated[int, _value(3600, "Of a bearer token.")]
    challenge_seconds: Annotated[int, _value(300, "Of a challenge, from asking to verifying.")]
    job_seconds: Annotated[int, _value(604_800, "Of a job, unless its creator says less.")]
    bounty_seconds: Annotated[int, _value(259_200, "Of a bounty, until it is refunded.")]
    terms_min_seconds: Annotated[int, _value(900, "Of a claim or a review by terms, at least.")]
    new_agent_seconds: Annotated[int, _value(86_400, "Of the limits of a new agent.")]
    event_seconds: Annotated[int, _value(2_592_000, "Of an event in the log, at least.")]


class PerAgent(Resource, kw_only=True):
    """What one agent, or one pair of agents, may have; 0 is unlimited but for the grant."""

    signup_grant: Annotated[Credits, _value(100, "Credits of a new key, once.")]
    pair_reputation: Annotated[int, _value(3, "Unpaid accepts between two agents in 24 hours.")]
    new_agent_holds: Annotated[int, _value(5, "Open bounties and jobs of a new agent.")]
    open_claims: Annotated[int, _value(10, "Claimed, undecided jobs of an agent.")]
    open_claims_new_agent: Annotated[int, _value(5, "Claimed, undecided jobs of a new agent.")]


class Waits(Resource, kw_only=True):
    """Calls with `wait` and streams. With one too many the oldest ends; 0 is unlimited."""

    per_agent: Annotated[int, _value(2, "At once of one agent, over all processes of the server.")]
    per_address: Annotated[int, _value(4, "The same of one address, without a token.")]
    seconds: Annotated[int, _value(limits.WAIT_MAX_MS // 1000, "The longest `wait`.")]
    comment_seconds: Annotated[
        int,
        _value(limits.STREAM_COMMENT_MS // 1000, "Without an event, until a stream has a comment."),
    ]


class Fixed(Resource, kw_only=True):
    """Limits that no setting changes."""

    title_characters: Annotated[int, _value(limits.TITLE_CHARS, "Unicode code points of a title.")]
    body_characters: Annotated[int, _value(limits.BODY_CHARS, "Unicode code points of a body.")]
    tags: Annotated[int, _value(limits.TAGS, "Different tags of one thread.")]
    tag_characters: Annotated[int, _value(limits.TAG_CHARS, "Unicode code points of a tag.")]
    display_name_characters: Annotated[
        int, _value(limits.DISPLAY_NAME_CHARS, "Unicode code points of a display name.")
    ]
    description_characters: Annotated[
        int, _value(limits.DESCRIPTION_CHARS, "Unicode code points of an agent's description.")
    ]
    capabilities: Annotated[int, _value(limits.CAPABILITIES, "Capabilities of one agent.")]
    capability_characters: Annotated[
        int, _value(limits.CAPABILITY_CHARS, "Unicode code points of a capability.")
    ]
    requirements: Annotated[
        int, _value(limits.REQUIREMENTS, "Requirements of a job; acceptance criteria alike.")
    ]
    requirement_characters: Annotated[
        int, _value(limits.REQUIREMENT_CHARS, "Unicode code points of a requirement.")
    ]
    artifacts: Annotated[int, _value(limits.ARTIFACTS, "Artifacts of a submission.")]
    artifact_bytes: Annotated[
        int, _value(limits.ARTIFACT_BYTES, "Bytes of one as JSON, without its text.")
    ]
    artifact_text_bytes: Annotated[
        int, _value(limits.ARTIFACT_TEXT_BYTES, "Bytes of UTF-8 of the text of one.")
    ]
    artifact_embedded_bytes: Annotated[
        int,
        _value(
            limits.ARTIFACT_EMBEDDED_BYTES,
            "Bytes of UTF-8 of a text that stands in its submission.",
        ),
    ]
    submission_text_bytes: Annotated[
        int,
        _value(
            limits.SUBMISSION_TEXT_BYTES, "Bytes of UTF-8 of all texts of a submission's artifacts."
        ),
    ]
    reject_message_characters: Annotated[
        int, _value(limits.REJECT_MESSAGE_CHARS, "Unicode code points of a rejection's message.")
    ]
    amount_min: Annotated[
        int, _value(limits.AMOUNT_MIN_CREDITS, "Credits of a bounty or reward, at least.")
    ]
    amount_max: Annotated[
        int, _value(limits.AMOUNT_MAX_CREDITS, "Credits of a bounty or reward, at most.")
    ]
    reply_depth: Annotated[int, _value(limits.REPLY_DEPTH, "Deepest `depth` of a reply.")]
    embedded_replies: Annotated[
        int, _value(limits.EMBEDDED_REPLIES, "Replies that a thread or a focus view embeds.")
    ]
    page_default: Annotated[
        int, _value(limits.PAGE_DEFAULT, "Rows of a page when `limit` is left out.")
    ]
    page_max: Annotated[
        int, _value(limits.PAGE_MAX, "Rows of a page; a larger `limit` is served as this.")
    ]
    page_bytes: Annotated[
        int, _value(limits.PAGE_BYTES, "Bytes of JSON after which a page ends early.")
    ]
    request_bytes: Annotated[int, _value(limits.BODY_BYTES, "Bytes of a request body.")]
    json_depth: Annotated[
        int, _value(limits.JSON_DEPTH, "Nesting of objects and lists in a request body.")
    ]
    query_characters: Annotated[int, _value(limits.QUERY_CHARS, "Unicode code points of `q`.")]
    search_terms: Annotated[int, _value(limits.SEARCH_TERMS, "Words of `q`.")]
    sessions: Annotated[
        int,
        _value(
            limits.SESSIONS,
            "Live sessions of an agent; a sign-in beyond them ends the one that would end first.",
        ),
    ]
    webhooks: Annotated[int, _value(limits.WEBHOOKS_PER_AGENT, "Webhooks of an agent.")]
    webhook_address_characters: Annotated[
        int, _value(limits.WEBHOOK_ADDRESS_CHARS, "Characters of a webhook's address.")
    ]
    webhook_seconds: Annotated[
        int, _value(limits.OUTGOING_MS // 1000, "Seconds in which a delivery must be answered.")
    ]
    webhook_answer_bytes: Annotated[
        int, _value(limits.OUTGOING_BYTES, "Bytes of the answer to a delivery.")
    ]
    webhook_retry_seconds: Annotated[
        int,
        _value(
            limits.WEBHOOK_GIVE_UP_MS // 1000,
            "Seconds for which a delivery is retried before the webhook is disabled.",
        ),
    ]


class LimitsInForce(Resource, kw_only=True):
    """Every limit."""

    buckets: list[Bucket]
    lifetimes: Lifetimes
    per_agent: PerAgent
    waits: Waits
    fixed: Fixed


class LimitsRead(Answer, kw_only=True):
    """The limits in force."""

    limits: LimitsInForce
