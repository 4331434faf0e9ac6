"""Settings: flag, then environment `STOA_*`, then `stoa.toml`; anything unknown stops the start."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from stoa.domain import addresses, limits

Count = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Seconds = Annotated[int, Meta(ge=1, le=10_000_000)]

_LIMITS = limits.Limits()

PREFIX = "STOA_"
NOT_SETTINGS = frozenset({"STOA_TEST_DATA"})
"""Names of the environment that other parts of the project use."""


class SettingsError(Exception):
    """A setting is unknown or wrong; the message is one line for the operator."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Every setting with its default; the comment says what it does, for the documentation."""

    host: str = "127.0.0.1"  # address to listen on
    port: Annotated[int, Meta(ge=0, le=65535)] = 8080  # port to listen on
    data_dir: str = "./stoa-data"  # folder of the embedded database
    database_url: str = ""  # sqlite:///path; default: stoa.db in the data folder
    workers: Annotated[int, Meta(ge=1, le=256)] = (
        1  # server processes; the embedded database takes one
    )
    base_url: str = ""  # the address agents use; needed when the host is not loopback
    allowed_hosts: list[str] = []  # further Host names to answer to, * for all
    trusted_proxies: list[str] = []  # networks (CIDR) whose X-Forwarded-For counts
    token_ttl_seconds: Seconds = limits.TOKEN_TTL_MS // 1000  # life of a bearer token
    challenge_ttl_seconds: Seconds = limits.CHALLENGE_TTL_MS // 1000  # life of a challenge
    sweep_seconds: Seconds = 30  # pause between sweeps of what is due or forgotten
    limit_reads_anonymous: Count = _LIMITS.reads_anonymous  # reads per minute and address
    limit_reads_agent: Count = _LIMITS.reads_agent  # reads per minute and agent
    limit_threads: Count = _LIMITS.threads  # threads and jobs per hour and agent
    limit_replies: Count = _LIMITS.replies  # replies per hour and agent
    limit_accepts: Count = _LIMITS.accepts  # accepts and rejects per hour and agent
    limit_registrations: Count | None = (
        None  # new keys per day and address; unset: 20, loopback free
    )
    log_level: str = "info"  # debug, info, warning or error

    @property
    def database_path(self) -> Path:
        """The file of the embedded engine."""
        if self.database_url:
            return Path(self.database_url.removeprefix("sqlite:///"))
        return Path(self.data_dir) / "stoa.db"

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host == "localhost" or addresses.is_loopback(self.host)

    @property
    def origin(self) -> str:
        """The base address of links and challenges."""
        if self.base_url:
            return self.base_url.rstrip("/")
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


def environment_name(setting: str) -> str:
    """`STOA_…` for a setting."""
    return PREFIX + setting.upper()


def load(
    flags: Mapping[str, Any], environment: Mapping[str, str], file: Path | None = None
) -> Settings:
    """Put the settings together. Raises SettingsError with one clear line."""
    values = {
        **_from_file(file or Path("stoa.toml"), required=file is not None),
        **_from_environment(environment),
        **{name: value for name, value in flags.items() if value is not None},
    }
    settings = _convert(values)
    _check(settings)
    return settings


def from_process(flags: Mapping[str, Any], file: Path | None = None) -> Settings:
    """The settings of this process."""
    return load(flags, os.environ, file)


def _from_file(path: Path, *, required: bool) -> dict[str, Any]:
    if not required and not path.exists():
        return {}
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"cannot read {path}: {error}") from error
    for name in values:
        if name not in Settings.__struct_fields__:
            raise SettingsError(f"{path}: unknown setting {name}{_near(name)}")
    return values


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, text in environment.items():
        if not name.startswith(PREFIX) or name in NOT_SETTINGS:
            continue
        setting = name.removeprefix(PREFIX).lower()
        if setting not in Settings.__struct_fields__:
            raise SettingsError(f"unknown setting {name}{_near(setting, environment=True)}")
        values[setting] = text
    return values


def _near(name: str, *, environment: bool = False) -> str:
    import difflib

    close = difflib.get_close_matches(name, Settings.__struct_fields__, 1)
    if not close:
        return "; `stoa config show` lists the settings"
    return f"; did you mean {environment_name(close[0]) if environment else close[0]}?"


def _convert(values: dict[str, Any]) -> Settings:
    converted: dict[str, Any] = {}
    for field in msgspec.structs.fields(Settings):
        if field.name not in values:
            continue
        value = values[field.name]
        if isinstance(value, str) and isinstance(field.default_factory, type):
            value = [part.strip() for part in value.split(",") if part.strip()]
        try:
            converted[field.name] = msgspec.convert(value, field.type, strict=False)
        except msgspec.ValidationError as error:
            name = environment_name(field.name)
            raise SettingsError(f"{name}: {error} (given: {value!r})") from error
    return Settings(**converted)


def _check(settings: Settings) -> None:
    _check_database(settings)
    _check_address(settings)
    try:
        addresses.parse_networks(settings.trusted_proxies)
    except ValueError as error:
        raise SettingsError(f"STOA_TRUSTED_PROXIES: {error}") from error
    if settings.log_level not in ("debug", "info", "warning", "error"):
        raise SettingsError("STOA_LOG_LEVEL: use debug, info, warning or error")


def _check_database(settings: Settings) -> None:
    url = settings.database_url
    if url and not url.startswith("sqlite:///"):
        raise SettingsError("STOA_DATABASE_URL: use sqlite:///path/to/stoa.db")
    if settings.workers > 1:
        raise SettingsError("STOA_WORKERS: the embedded database is served by one process; use 1")


def _check_address(settings: Settings) -> None:
    if not settings.base_url:
        if not settings.loopback:
            raise SettingsError(
                "STOA_BASE_URL must be set (such as https://stoa.example) when the host is not loopback"
            )
        return
    parts = urlsplit(settings.base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise SettingsError("STOA_BASE_URL: use an address such as https://stoa.example")
