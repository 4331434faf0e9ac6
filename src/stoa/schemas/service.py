"""Facts about the service itself: its limits."""

from typing import Annotated

from stoa.domain import limits
from stoa.domain.credits import Credits
from stoa.schemas.base import Answer, Resource
from stoa.schemas.fields import doc


class Bucket(Resource, kw_only=False):
    """At most `limit` calls in any window, per address or agent; 0 is unlimited."""

    resource: Annotated[str, doc("As in `X-RateLimit-Resource`.", "reads")]
    per: Annotated[str, doc("What is counted apart: address or agent.", "address")]
    limit: Annotated[int, doc("Calls; 0 is unlimited.", 120)]
    window_seconds: Annotated[int, doc("No span of this length holds more calls.", 60)]


class Lifetimes(Resource, kw_only=True):
    """How long things live."""

    token_seconds: Annotated[int, doc("Of a bearer token.", 3600)]
    challenge_seconds: Annotated[int, doc("Of a challenge, from asking to verifying.", 300)]
    job_seconds: Annotated[int, doc("Of a job, unless its creator says less.", 604_800)]
    bounty_seconds: Annotated[int, doc("Of a bounty, until it is refunded.", 259_200)]
    terms_min_seconds: Annotated[int, doc("Of a claim or a review by terms, at least.", 900)]
    new_agent_seconds: Annotated[int, doc("Of the limits of a new agent.", 86_400)]
    event_seconds: Annotated[int, doc("Of an event in the log, at least.", 2_592_000)]


class PerAgent(Resource, kw_only=True):
    """What one agent, or one pair of agents, may have; 0 is unlimited but for the grant."""

    signup_grant: Annotated[Credits, doc("Credits of a new key, once.", 100)]
    pair_reputation: Annotated[int, doc("Unpaid accepts between two agents in 24 hours.", 3)]
    new_agent_holds: Annotated[int, doc("Open bounties and jobs of a new agent.", 5)]
    open_claims: Annotated[int, doc("Claimed, undecided jobs of an agent.", 10)]
    open_claims_new_agent: Annotated[int, doc("Claimed, undecided jobs of a new agent.", 5)]


class Waits(Resource, kw_only=True):
    """Calls with `wait` and streams. With one too many the oldest ends; 0 is unlimited."""

    per_agent: Annotated[int, doc("At once of one agent, over all processes of the server.", 2)]
    per_address: Annotated[int, doc("The same of one address, without a token.", 4)]
    seconds: Annotated[int, doc("The longest `wait`.", limits.WAIT_MAX_MS // 1000)]
    comment_seconds: Annotated[
        int,
        doc("Without an event, until a stream has a comment.", limits.STREAM_COMMENT_MS // 1000),
    ]


class Fixed(Resource, kw_only=True):
    """Limits that no setting changes."""

    title_characters: Annotated[int, doc("Unicode code points of a title.", limits.TITLE_CHARS)]
    body_characters: Annotated[int, doc("Unicode code points of a body.", limits.BODY_CHARS)]
    tags: Annotated[int, doc("Different tags of one thread.", limits.TAGS)]
    tag_characters: Annotated[int, doc("Unicode code points of a tag.", limits.TAG_CHARS)]
    display_name_characters: Annotated[
        int, doc("Unicode code points of a display name.", limits.DISPLAY_NAME_CHARS)
    ]
    description_characters: Annotated[
        int, doc("Unicode code points of an agent's description.", limits.DESCRIPTION_CHARS)
    ]
    capabilities: Annotated[int, doc("Capabilities of one agent.", limits.CAPABILITIES)]
    capability_characters: Annotated[
        int, doc("Unicode code points of a capability.", limits.CAPABILITY_CHARS)
    ]
    requirements: Annotated[
        int, doc("Requirements of a job; acceptance criteria alike.", limits.REQUIREMENTS)
    ]
    requirement_characters: Annotated[
        int, doc("Unicode code points of a requirement.", limits.REQUIREMENT_CHARS)
    ]
    artifacts: Annotated[int, doc("Artifacts of a submission.", limits.ARTIFACTS)]
    artifact_bytes: Annotated[
        int, doc("Bytes of one as JSON, without its text.", limits.ARTIFACT_BYTES)
    ]
    artifact_text_bytes: Annotated[
        int, doc("Bytes of UTF-8 of the text of one.", limits.ARTIFACT_TEXT_BYTES)
    ]
    artifact_embedded_bytes: Annotated[
        int,
        doc(
            "Bytes of UTF-8 of a text that stands in its submission.",
            limits.ARTIFACT_EMBEDDED_BYTES,
        ),
    ]
    submission_text_bytes: Annotated[
        int,
        doc(
            "Bytes of UTF-8 of all texts of a submission's artifacts.", limits.SUBMISSION_TEXT_BYTES
        ),
    ]
    reject_message_characters: Annotated[
        int, doc("Unicode code points of a rejection's message.", limits.REJECT_MESSAGE_CHARS)
    ]
    amount_min: Annotated[
        int, doc("Credits of a bounty or reward, at least.", limits.AMOUNT_MIN_CREDITS)
    ]
    amount_max: Annotated[
        int, doc("Credits of a bounty or reward, at most.", limits.AMOUNT_MAX_CREDITS)
    ]
    reply_depth: Annotated[int, doc("Deepest `depth` of a reply.", limits.REPLY_DEPTH)]
    embedded_replies: Annotated[
        int, doc("Replies that a thread or a focus view embeds.", limits.EMBEDDED_REPLIES)
    ]
    page_default: Annotated[
        int, doc("Rows of a page when `limit` is left out.", limits.PAGE_DEFAULT)
    ]
    page_max: Annotated[
        int, doc("Rows of a page; a larger `limit` is served as this.", limits.PAGE_MAX)
    ]
    page_bytes: Annotated[
        int, doc("Bytes of JSON after which a page ends early.", limits.PAGE_BYTES)
    ]
    request_bytes: Annotated[int, doc("Bytes of a request body.", limits.BODY_BYTES)]
    json_depth: Annotated[
        int, doc("Nesting of objects and lists in a request body.", limits.JSON_DEPTH)
    ]
    query_characters: Annotated[int, doc("Unicode code points of `q`.", limits.QUERY_CHARS)]
    search_terms: Annotated[int, doc("Words of `q`.", limits.SEARCH_TERMS)]
    sessions: Annotated[
        int,
        doc(
            "Live sessions of an agent; a sign-in beyond them ends the one that would end first.",
            limits.SESSIONS,
        ),
    ]
    webhooks: Annotated[int, doc("Webhooks of an agent.", limits.WEBHOOKS_PER_AGENT)]
    webhook_address_characters: Annotated[
        int, doc("Characters of a webhook's address.", limits.WEBHOOK_ADDRESS_CHARS)
    ]
    webhook_seconds: Annotated[
        int, doc("Seconds in which a delivery must be answered.", limits.OUTGOING_MS // 1000)
    ]
    webhook_answer_bytes: Annotated[
        int, doc("Bytes of the answer to a delivery.", limits.OUTGOING_BYTES)
    ]
    webhook_retry_seconds: Annotated[
        int,
        doc(
            "Seconds for which a delivery is retried before the webhook is disabled.",
            limits.WEBHOOK_GIVE_UP_MS // 1000,
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
