"""Whether settings agree with each other, and whether each text among them is valid."""

import re
from collections.abc import Iterator
from urllib.parse import SplitResult, urlsplit

from stoa.domain import addresses, keys, limits
from stoa.settings import (
    POSTGRESQL,
    POSTGRESQL_UNREADABLE,
    SQLITE,
    Settings,
    SettingsError,
    environment_name,
)

_WEB = ("https", "http")
_VALKEY = ("redis", "rediss", "valkey", "valkeys")


def check(settings: Settings) -> None:
    """Raise SettingsError with the first of the mistakes."""
    for mistake in mistakes(settings):
        raise mistake


def mistakes(settings: Settings) -> Iterator[SettingsError]:
    """Where settings do not go together, or a text is not what it should be."""
    for look in (
        _check_present,
        _check_host,
        _check_database,
        _check_workers,
        _check_replica,
        _check_valkey,
        _check_address,
        _check_allowed_hosts,
        _check_grant,
        _check_metrics,
        _check_networks,
        _check_screen,
        _check_contact,
        _check_telemetry,
        _check_admin_keys,
    ):
        try:
            look(settings)
        except SettingsError as error:
            yield error


def _check_networks(settings: Settings) -> None:
    for name in ("trusted_proxies", "webhooks_allow"):
        try:
            addresses.parse_networks(getattr(settings, name))
        except ValueError as error:
            raise SettingsError(f"{environment_name(name)}: {error}") from error


def _check_screen(settings: Settings) -> None:
    if not settings.screen_url:
        return
    parts = _address(settings.screen_url, _WEB)
    if parts is None or "@" in parts.netloc or not settings.screen_url.isascii():
        raise SettingsError(
            "STOA_SCREEN_URL: use an address such as https://screen.example/texts, in ASCII and "
            "without a password"
        )
    try:
        allowed = addresses.parse_networks(settings.webhooks_allow)
    except ValueError:
        return  # which _check_networks tells
    plain, host = parts.scheme == "http", addresses.canonical(parts.hostname or "")
    named = host != addresses.UNKNOWN and not addresses.is_trusted(host, allowed)
    if named and (plain or not addresses.is_public(host)):
        kind = "with http" if plain else "a private address"
        raise SettingsError(
            f"STOA_SCREEN_URL names {host}, {kind}, which nothing is sent to so far: add {host} to "
            "STOA_WEBHOOKS_ALLOW"
        )
    if plain and not allowed:
        raise SettingsError(
            "STOA_SCREEN_URL begins with http: use https, or set STOA_WEBHOOKS_ALLOW to its network"
        )


def _check_present(settings: Settings) -> None:
    """An empty host would mean every address of the machine, an empty folder the one that the
    program is started in."""
    needed = {"host": settings.host, "data_dir": settings.data_dir or settings.database_url}
    for name, value in needed.items():
        if not value.strip():
            variable = environment_name(name)
            raise SettingsError(f"{variable} is empty: give it a value or leave it out")


def _check_host(settings: Settings) -> None:
    host = settings.host
    if re.search(r"[\[\]/\s]", host) or host.count(":") == 1:
        raise SettingsError(
            "STOA_HOST: use a name or an address alone, such as 127.0.0.1 or ::1, and no brackets; "
            f"the port is STOA_PORT (given: {host})"
        )


def _check_database(settings: Settings) -> None:
    url = settings.database_url
    if settings.engine == "postgresql":
        _check_postgresql("STOA_DATABASE_URL", url)
        return
    if url and not url.startswith(SQLITE):
        raise SettingsError(
            "STOA_DATABASE_URL: use postgresql://user:password@host:5432/name "
            "or sqlite:///path/to/stoa.db"
        )
    if url and not url.removeprefix(SQLITE):
        raise SettingsError("STOA_DATABASE_URL names no file: use sqlite:///path/to/stoa.db")


def _check_workers(settings: Settings) -> None:
    if settings.workers > 1 and settings.engine == "sqlite":
        raise SettingsError(
            "STOA_WORKERS: the embedded database is served by one process; use 1, or name a "
            "database on PostgreSQL with STOA_DATABASE_URL"
        )
    if settings.workers > 1 and not settings.valkey_url:
        raise SettingsError(
            "STOA_VALKEY_URL must be set for more than one worker: it counts the limits of all"
        )


def _check_telemetry(settings: Settings) -> None:
    if settings.telemetry and not _address(settings.telemetry, _WEB):
        raise SettingsError(
            "STOA_TELEMETRY: use the address of a collector, such as http://127.0.0.1:4318"
        )


def _check_replica(settings: Settings) -> None:
    url = settings.read_database_url
    if url and not (settings.engine == "postgresql" and url.startswith(POSTGRESQL)):
        raise SettingsError(
            "STOA_READ_DATABASE_URL: use postgresql://user:password@host:5432/name, "
            "the address of a replica of the database"
        )
    if url:
        _check_postgresql("STOA_READ_DATABASE_URL", url)


def _check_postgresql(setting: str, url: str) -> None:
    """Look for what is certainly wrong; what it says never repeats a part of a password."""
    try:
        path = urlsplit(url).path
    except ValueError:
        path = "@"
    if "@" in path:  # what is before it was to be a password
        raise SettingsError(POSTGRESQL_UNREADABLE.format(setting=setting))
    if not path.strip("/"):
        raise SettingsError(
            f"{setting} names no database: use postgresql://user:password@host:5432/name"
        )


def _check_valkey(settings: Settings) -> None:
    if not settings.valkey_url:
        return
    parts = _address(settings.valkey_url, _VALKEY)
    if not parts or not re.fullmatch(r"(/\d*)?", parts.path):
        raise SettingsError("STOA_VALKEY_URL: use redis://host:6379/0, or rediss:// for TLS")


def _address(text: str, schemes: tuple[str, ...]) -> SplitResult | None:
    """The parts of an address with one of these schemes and a host; None for any other text."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in schemes and parts.hostname and parts.port != 0
    except ValueError:
        return None
    return parts if usable else None


def _check_address(settings: Settings) -> None:
    if settings.base_url:
        parts = _base_url(settings.base_url)
        if parts is None:
            raise SettingsError("STOA_BASE_URL: use an address such as https://stoa.example")
        if parts.path not in ("", "/"):
            raise SettingsError(
                f"STOA_BASE_URL has the path {parts.path}, and Stoa is served at the top of a host "
                "alone: give it a host name of its own, such as https://stoa.example"
            )
    elif not settings.loopback:
        raise SettingsError(
            "STOA_BASE_URL must be set (such as https://stoa.example) when the host is not loopback"
        )


def _base_url(text: str) -> SplitResult | None:
    usable = text.isascii() and text.isprintable() and not set(text) & set(" ?#@\\")
    return _address(text, _WEB) if usable else None


def _check_allowed_hosts(settings: Settings) -> None:
    for host in settings.allowed_hosts:
        if not re.fullmatch(r"\*|[\w.-]+(:\d+)?|\[[0-9a-fA-F:.]+\](:\d+)?", host):
            raise SettingsError(
                "STOA_ALLOWED_HOSTS: use host names alone, such as forum.example or "
                f"forum.example:8443, or * for all (given: {host})"
            )


def _check_metrics(settings: Settings) -> None:
    if not settings.metrics:
        return
    try:
        _ = settings.metrics_address
    except ValueError:
        raise SettingsError("STOA_METRICS: use host:port, such as 127.0.0.1:9464") from None


def _check_contact(settings: Settings) -> None:
    contact = settings.contact
    if contact and not re.fullmatch(r"mailto:[!-~]+@[!-~]+|https://[!-~]+", contact):
        raise SettingsError(
            "STOA_CONTACT: use mailto:ops@stoa.example or https://stoa.example/contact"
        )


def _check_admin_keys(settings: Settings) -> None:
    for key in settings.admin_keys:
        try:
            keys.parse_public_key(key)
        except ValueError as error:
            raise SettingsError(f"STOA_ADMIN_KEYS: {error}") from None


def _check_grant(settings: Settings) -> None:
    grant = settings.signup_grant
    in_range = grant.is_finite() and 0 <= grant <= limits.AMOUNT_MAX_CREDITS
    if not in_range or round(grant, limits.AMOUNT_DECIMALS) != grant:
        raise SettingsError(
            f"STOA_SIGNUP_GRANT: use a number from 0 to {limits.AMOUNT_MAX_CREDITS} with at most "
            f"two decimals (given: {grant})"
        )
