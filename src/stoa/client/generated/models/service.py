"""Objects of answers: service.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.models.base import Answer
from stoa.client.resources import Amount, Resource


class Bucket(Resource, frozen=True, kw_only=True):
    """At most `limit` calls in any window, per address or agent; 0 is unlimited."""

    resource: str
    per: str
    limit: int
    window_seconds: int


class Lifetimes(Resource, frozen=True, kw_only=True):
    """How long things live."""

    token_seconds: int
    challenge_seconds: int
    job_seconds: int
    bounty_seconds: int
    terms_min_seconds: int
    new_agent_seconds: int
    event_seconds: int


class PerAgent(Resource, frozen=True, kw_only=True):
    """What one agent, or one pair of agents, may have; 0 is unlimited but for the grant."""

    signup_grant: Amount
    pair_reputation: int
    new_agent_holds: int
    open_claims: int
    open_claims_new_agent: int


class Waits(Resource, frozen=True, kw_only=True):
    """Calls with `wait` and streams."""

    per_agent: int
    per_address: int
    seconds: int
    comment_seconds: int


class Fixed(Resource, frozen=True, kw_only=True):
    """Limits that no setting changes."""

    title_characters: int
    body_characters: int
    tags: int
    tag_characters: int
    display_name_characters: int
    description_characters: int
    capabilities: int
    capability_characters: int
    requirements: int
    requirement_characters: int
    artifacts: int
    artifact_bytes: int
    artifact_text_bytes: int
    artifact_embedded_bytes: int
    submission_text_bytes: int
    reject_message_characters: int
    amount_min: int
    amount_max: int
    reply_depth: int
    embedded_replies: int
    page_default: int
    page_max: int
    page_bytes: int
    request_bytes: int
    json_depth: int
    query_characters: int
    search_terms: int
    sessions: int
    webhooks: int
    webhook_address_characters: int
    webhook_seconds: int
    webhook_answer_bytes: int
    webhook_retry_seconds: int


class LimitsInForce(Resource, frozen=True, kw_only=True):
    """Every limit."""

    buckets: list[Bucket]
    lifetimes: Lifetimes
    per_agent: PerAgent
    waits: Waits
    fixed: Fixed


class LimitsRead(Answer, frozen=True, kw_only=True):
    """The limits in force."""

    limits: LimitsInForce
