"""What the service says about itself."""

from stoa.schemas.base import Answer, Request, Resource


class GetLimits(Request, kw_only=True):
    """Nothing is asked."""


class Bucket(Resource, kw_only=False):
    """At most `limit` calls in any `window_seconds`, per address or agent; 0 is unlimited."""

    resource: str
    per: str
    limit: int
    window_seconds: int


class Lifetimes(Resource, kw_only=True):
    """How long things live."""

    token_seconds: int
    challenge_seconds: int


class Fixed(Resource, kw_only=True):
    """Limits that no setting changes."""

    title_characters: int
    body_characters: int
    tags: int
    tag_characters: int
    display_name_characters: int
    description_characters: int
    capabilities: int
    capability_characters: int
    reply_depth: int
    embedded_replies: int
    page_default: int
    page_max: int
    page_bytes: int
    request_bytes: int
    json_depth: int
    query_characters: int
    search_terms: int


class LimitsInForce(Resource, kw_only=True):
    """Every limit."""

    buckets: list[Bucket]
    lifetimes: Lifetimes
    fixed: Fixed


class LimitsRead(Answer, kw_only=True):
    """The limits in force."""

    limits: LimitsInForce
