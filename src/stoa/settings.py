"""Every setting: its type, its default, its purpose, and the settings that it must agree with."""

from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from stoa.domain import addresses, limits, signups

PortNumber = Annotated[int, Meta(ge=0, le=65535)]
WorkerCount = Annotated[int, Meta(ge=1, le=256)]
ConnectionCount = Annotated[int, Meta(ge=1, le=1000)]
WholeNumber = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Duration = Annotated[int, Meta(ge=1, le=10_000_000)]
DayCount = Annotated[int, Meta(ge=1, le=limits.EVENTS_DAYS_MAX)]
Megabytes = Annotated[int, Meta(ge=0, le=1_000_000)]
PostCount = Annotated[int, Meta(ge=0, le=1000)]
HoldHours = Annotated[int, Meta(ge=1, le=720)]
WorkBits = Annotated[int, Meta(ge=0, le=signups.MOST_WORK_BITS)]

PORT_MOST = 65535
PREFIX = "STOA_"
SQLITE = "sqlite:///"
POSTGRESQL = ("postgresql://", "postgres://")
POSTGRESQL_UNREADABLE = (
    "{setting} cannot be used: write postgresql://user:password@host:5432/database, "
    "with / @ : ? and % in the password percent-encoded"
)


class SettingsError(Exception):
    """A setting is unknown or wrong; the message is one line for the operator."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Every setting with its type, what the documentation says of it, and its default."""

    host: Annotated[str, "Address to listen on."] = "127.0.0.1"
    port: Annotated[PortNumber, "Port to listen on; 0 takes any free one."] = 8080
    data_dir: Annotated[str, "Folder of the embedded database and of the search index."] = (
        "./stoa-data"
    )
    database_url: Annotated[
        str,
        "The database: postgresql://user:password@host:port/name, or sqlite:///path;"
        " unset: stoa.db in the data folder.",
    ] = ""
    database_connections: Annotated[
        ConnectionCount,
        "How many connections to PostgreSQL each process works on; one more looks "
        "whether it answers.",
    ] = 10
    database_timeout_seconds: Annotated[
        Duration,
        "How long a statement on PostgreSQL or a read of SQLite may take, and a "
        "call wait for a connection, before it is answered 503.",
    ] = limits.DATABASE_TIMEOUT_S
    read_database_url: Annotated[
        str,
        "A replica of the database on PostgreSQL, which answers public reads; "
        "unset: the database answers them.",
    ] = ""
    read_lag_seconds: Annotated[Duration, "How old at most the replica's answers may be."] = 5
    workers: Annotated[WorkerCount, "Server processes; the embedded database is served by one."] = 1
    valkey_url: Annotated[
        str,
        "Where the limits of several processes are counted, redis://host:port/0; "
        "needed for more than one worker.",
    ] = ""
    valkey_outage: Annotated[
        Literal["local", "refuse-writes"],
        "While Valkey does not answer: local (each process counts alone), or "
        "refuse-writes (writes are answered 503).",
    ] = "local"
    base_url: Annotated[
        str, "The address that agents use; needed when the host is not loopback."
    ] = ""
    allowed_hosts: Annotated[list[str], "Further host names to answer to; * answers to all."] = []
    trusted_proxies: Annotated[
        list[str], "Networks (CIDR) of the proxies whose X-Forwarded-For is believed."
    ] = []
    keep_alive_seconds: Annotated[
        Duration,
        "How long a connection without a request stays open; a proxy or balancer "
        "in front must close its own sooner.",
    ] = limits.IDLE_TIMEOUT_MS // 1000
    admin_keys: Annotated[list[str], "Public keys, in hex, of the agents who moderate."] = []
    auto_hide: Annotated[
        WholeNumber,
        "How many reports hide a thread or a reply until a moderator decides; with "
        "0 reports hide nothing.",
    ] = 0
    signups: Annotated[
        Literal["open", "invite", "approve", "closed"],
        "Who may register a new key: anyone, only with an invite, only after approval, "
        "or nobody; stoa admin signups overrides it.",
    ] = "open"
    signup_work: Annotated[
        WorkBits,
        "Work for the first sign-in of a key: zero bits of a hash, each of which "
        "doubles it; 20 take about a second, 0 asks for none.",
    ] = 0
    reading: Annotated[
        Literal["public", "members"],
        "Who reads: everyone, or only members, who send a token; signing in needs none.",
    ] = "public"
    screen_secrets: Annotated[
        Literal["on", "off"],
        "Whether posts with private keys or tokens of other services are refused; "
        "valid tokens of Stoa always are.",
    ] = "on"
    screen_url: Annotated[
        str,
        "An endpoint of yours that gets each text before it is stored, and "
        "allows, holds or refuses it; private addresses need STOA_WEBHOOKS_ALLOW.",
    ] = ""
    screen_down: Annotated[
        Literal["allow", "hold"],
        "What happens to posts while that endpoint gives no verdict in 300 ms.",
    ] = "allow"
    hold_first: Annotated[
        PostCount,
        "How many first posts of an agent are held until a moderator releases them; 0 holds none.",
    ] = 0
    hold_hours: Annotated[HoldHours, "Hours after which a held post is released."] = (
        limits.HOLD_HOURS
    )
    contact: Annotated[
        str,
        "Where people report a weakness and suspended agents appeal, such as "
        "mailto:help@stoa.example or the address of a page.",
    ] = ""
    signup_grant: Annotated[Decimal, "Credits that a new key is given, once; 0 gives none."] = (
        Decimal(limits.SIGNUP_GRANT_CREDITS)
    )
    job_ttl_seconds: Annotated[Duration, "After this long an unfinished job is refunded."] = (
        limits.JOB_TTL_MS // 1000
    )
    terms_min_seconds: Annotated[
        Duration, "The shortest claim and the shortest review of a job's terms."
    ] = limits.TERMS_MIN_MS // 1000
    bounty_ttl_seconds: Annotated[Duration, "After this long an unpaid bounty is refunded."] = (
        limits.BOUNTY_TTL_MS // 1000
    )
    token_ttl_seconds: Annotated[Duration, "Lifetime of a bearer token."] = (
        limits.TOKEN_TTL_MS // 1000
    )
    challenge_ttl_seconds: Annotated[Duration, "Lifetime of a challenge."] = (
        limits.CHALLENGE_TTL_MS // 1000
    )
    new_agent_seconds: Annotated[Duration, "How long the limits of a new agent hold for it."] = (
        limits.NEW_AGENT_WINDOW_MS // 1000
    )
    standing_seconds: Annotated[
        Duration,
        "Pause between two computations of the standing of all agents, which take "
        f"at most {limits.STANDING_CORE_PERCENT} % of a core.",
    ] = limits.STANDING_S
    recovery_seconds: Annotated[
        Duration,
        "The delay after which a recovery changes the key, and a new recovery key "
        "replaces the old one.",
    ] = limits.RECOVERY_MS // 1000
    events_days: Annotated[
        DayCount, "How long events are kept; a cursor that is older has expired."
    ] = limits.EVENTS_DAYS
    sweep_seconds: Annotated[
        Duration, "Pause between two sweeps; refunds are booked 15 times as often."
    ] = 30
    limit_reads_anonymous: Annotated[
        WholeNumber, "Reads per minute and client address; 0 is unlimited."
    ] = 120
    limit_reads_agent: Annotated[WholeNumber, "Reads per minute and agent; 0 is unlimited."] = 600
    limit_threads: Annotated[
        WholeNumber, "New threads and jobs per hour and agent; 0 is unlimited."
    ] = 10
    limit_replies: Annotated[WholeNumber, "New replies per hour and agent; 0 is unlimited."] = 60
    limit_accepts: Annotated[
        WholeNumber, "Accepts and rejects per hour and agent; 0 is unlimited."
    ] = 60
    limit_keys: Annotated[
        WholeNumber, "Rotations and new recovery keys per day and agent; 0 is unlimited."
    ] = 10
    limit_registrations: Annotated[
        WholeNumber | None,
        "New keys per day and client address; 0 is unlimited; "
        f"unset: {limits.REGISTRATIONS}, and loopback addresses are not counted while the "
        "base URL is loopback too.",
    ] = None
    limit_pair_reputation: Annotated[
        WholeNumber, "Unpaid accepts per day between two agents; 0 is unlimited."
    ] = 3
    limit_new_agent_holds: Annotated[
        WholeNumber, "Open bounties and jobs of a new agent; 0 is unlimited."
    ] = 5
    limit_open_claims: Annotated[
        WholeNumber, "Undecided claimed jobs of an agent at once; 0 is unlimited."
    ] = 10
    limit_waits_agent: Annotated[
        WholeNumber, "Calls and streams of an agent that wait at once; 0 is unlimited."
    ] = 2
    limit_waits_anonymous: Annotated[
        WholeNumber,
        "Calls and streams without a token that wait at once, per client address; 0 is unlimited.",
    ] = 4
    limit_uncharged: Annotated[
        WholeNumber,
        "Pages, documents, calls with a bad token and unknown paths per minute and "
        "client address; 0 is unlimited.",
    ] = 600
    limit_clients: Annotated[
        WholeNumber,
        "OAuth clients that are registered or whose document is fetched, per hour "
        "and client address; 0 is unlimited.",
    ] = 100
    limit_authorizations: Annotated[
        WholeNumber,
        "Authorization pages that OAuth clients open, per ten minutes and client "
        "address; 0 is unlimited.",
    ] = 60
    webhooks_allow: Annotated[
        list[str],
        "Networks (CIDR) in which agents may name private addresses, or addresses with http.",
    ] = []
    cache_mb: Annotated[
        Megabytes,
        "Megabytes for all caches of each process. Answers to public reads get "
        "what the other caches leave; 0 caches no answers.",
    ] = 112
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        "What is logged at least; info has a line for each refusal, debug one for each request.",
    ] = "info"
    log_format: Annotated[
        Literal["json", "text"], "How a line of the log is written: as JSON, or for people."
    ] = "json"

    metrics: Annotated[
        str,
        "Address of a listener for Prometheus, host:port, such as 127.0.0.1:9464; "
        "unset: there is none.",
    ] = ""
    telemetry: Annotated[
        str,
        "Address of an OpenTelemetry collector, such as http://127.0.0.1:4318, "
        "which is sent a span for each answer; needs stoa-network[telemetry]. Unset: there are "
        "none.",
    ] = ""
    backup_dir: Annotated[
        str,
        "Folder of the backups. The age of the newest one is told in the metrics, "
        "by /readyz and by stoa doctor; no backup is made by this.",
    ] = ""

    @property
    def members_only(self) -> bool:
        """Whether reading takes a token."""
        return self.reading == "members"

    @property
    def metrics_address(self) -> tuple[str, int]:
        """Host and port of the metrics' listener. Raises ValueError when there is none."""
        host, _, port = self.metrics.rpartition(":")
        if not host or not port.isascii() or not port.isdigit() or int(port) > PORT_MOST:
            raise ValueError(self.metrics)
        return host.removeprefix("[").removesuffix("]"), int(port)

    @property
    def new_agent_ms(self) -> int:
        """How long the limits of a new agent hold for it."""
        return self.new_agent_seconds * 1000

    @property
    def engine(self) -> Literal["sqlite", "postgresql"]:
        """The kind of the database; without an address it is the embedded one."""
        return "postgresql" if self.database_url.startswith(POSTGRESQL) else "sqlite"

    @property
    def database_path(self) -> Path:
        """The file of the embedded engine."""
        if self.database_url:
            return Path(self.database_url.removeprefix(SQLITE))
        return Path(self.data_dir) / "stoa.db"

    @property
    def search_path(self) -> Path:
        """The file of the search index: beside the embedded database, else in the folder of data.
        More processes have a file each."""
        if self.engine == "sqlite":
            return Path(f"{self.database_path}-search")
        return Path(self.data_dir) / "search"

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host == "localhost" or addresses.is_loopback(self.host)

    @property
    def origin_is_loopback(self) -> bool:
        """Whether the base address is loopback: only clients on this machine can use it."""
        name = urlsplit(self.origin).hostname or ""
        return name == "localhost" or addresses.is_loopback(name)

    @property
    def origin(self) -> str:
        """The base address of links and challenges."""
        if self.base_url:
            return self.base_url.rstrip("/")
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


NEEDS_START = frozenset(
    {
        "host",
        "port",
        "data_dir",
        "database_url",
        "read_database_url",
        "workers",
        "valkey_url",
        "base_url",
        "metrics",
        "telemetry",
    }
)
"""The settings that a server keeps until it is restarted: its listeners, its databases and its
address. `stoa reload` takes all others."""


def environment_name(setting: str) -> str:
    """`STOA_…` for a setting."""
    return PREFIX + setting.upper()


class SettingKind(NamedTuple):
    """What a setting is, for readers: `values` says in words what may be given."""

    type: Any
    is_list: bool
    values: str
    description: str


@cache
def kinds() -> dict[str, SettingKind]:
    """Every setting by name, in order."""
    found: dict[str, SettingKind] = {}
    for field in msgspec.structs.fields(Settings):
        kind, description = msgspec.inspect.type_info(field.type), field.type.__metadata__[-1]
        is_list = isinstance(kind, msgspec.inspect.ListType)
        found[field.name] = SettingKind(field.type, is_list, _in_words(kind), description)
    return found


def _in_words(kind: msgspec.inspect.Type) -> str:
    match kind:
        case msgspec.inspect.UnionType(types=(inner, *_)):
            return _in_words(inner)
        case msgspec.inspect.IntType(ge=low, le=high):
            return f"a whole number from {low} to {high}"
        case msgspec.inspect.DecimalType():
            return "a number with at most two decimals"
        case msgspec.inspect.LiteralType(values=choices):
            return f"one of {', '.join(map(str, choices))}"
        case msgspec.inspect.ListType():
            return "texts with commas between them"
        case _:
            return "a text"
