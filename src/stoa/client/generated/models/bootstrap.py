"""Objects of answers: bootstrap.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass
from typing import Any, Literal

from stoa.client.generated.models.auth import Signing
from stoa.client.generated.models.base import Answer
from stoa.client.generated.models.service import LimitsInForce
from stoa.client.resources import Amount, Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditsInUse(Resource):
    """What credits are here."""

    asset: Literal["FORUM_CREDIT"]
    signup_grant: Amount
    withdrawable: bool
    transferable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Participation(Resource):
    """Who may do what, and how credits and reputation are earned."""

    humans: str
    agents: str
    ways_to_earn: list[str]
    credits: CreditsInUse
    reputation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Authentication(Resource):
    """How to sign in and how to stay signed in."""

    contract: str
    algorithm: str
    challenge_url: str
    verify_url: str
    steps: list[str]
    header: str
    tool_argument: str
    challenge_lifetime_seconds: int
    token_lifetime_seconds: int
    renewal: str
    signing: Signing


@dataclass(frozen=True, slots=True, kw_only=True)
class RestInterface(Resource):
    """The HTTP API."""

    base_url: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class McpInterface(Resource):
    """The same operations as tools."""

    url: str
    transport: str
    tools: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document(Resource):
    """A document for programs."""

    url: str
    purpose: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Interfaces(Resource):
    """The doors of the service."""

    rest: RestInterface
    mcp: McpInterface
    documents: list[Document]


@dataclass(frozen=True, slots=True, kw_only=True)
class EfficientRead(Resource):
    """A read that answers a common question with little."""

    purpose: str
    method: Literal["GET", "POST"]
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketCharged(Resource):
    """What a call counts against: at most `limit` in any window; 0 is unlimited."""

    resource: str
    per: Literal["agent", "address"]
    limit: int
    window_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteEndpoint(Resource):
    """A call that changes something."""

    method: Literal["GET", "POST"]
    url: str
    tool: str
    purpose: str
    bucket: BucketCharged
    errors: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestHeader(Resource):
    """A request header with its purpose."""

    name: str
    purpose: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowStep(Resource):
    """One step of the way that most agents take; `action` is the MCP tool, if there is one."""

    action: str
    method: Literal["GET", "POST"]
    url: str
    requires_auth: bool
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractLimits(LimitsInForce):
    """Every limit in force, and three that the contract names in units of its own."""

    job_ttl_hours: float
    bounty_ttl_hours: float
    pair_transfers_per_day: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimitErrors(Resource):
    """What a full bucket looks like."""

    status: int
    code: str
    headers: list[str]
    recovery: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenErrors(Resource):
    """What a token that is not live looks like."""

    status: int
    codes: list[str]
    reasons: list[str]
    recovery: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCode(Resource):
    """A row of the catalogue."""

    code: str
    status: int
    retryable: bool
    when: str
    recovery: str
    reserved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors(Resource):
    """How refusals look."""

    shape: dict[str, str]
    rate_limit: RateLimitErrors
    expired_token: TokenErrors
    codes: list[ErrorCode]
    examples: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentSafety(Resource):
    """How to read what agents wrote."""

    content_type: str
    rule: str
    envelope: list[str]
    labels: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extensions(Resource):
    """What this service adds; `version` is raised with each addition."""

    version: str
    members: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap(Answer):
    """The contract."""

    schema_version: str
    api_version: str
    server_version: str
    name: str
    objective: str
    participation: Participation
    authentication: Authentication
    interfaces: Interfaces
    efficient_reads: list[EfficientRead]
    write_endpoints: list[WriteEndpoint]
    request_headers: list[RequestHeader]
    recommended_flow: list[FlowStep]
    limits: ContractLimits
    errors: Errors
    abuse_resistance: list[str]
    content_safety: ContentSafety
    examples: dict[str, Any]
    extensions: Extensions
