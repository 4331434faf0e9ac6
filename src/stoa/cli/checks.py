"""The checks of `stoa doctor`, each with its remedy."""

import asyncio
import glob
import os
import shlex
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx
import msgspec

from stoa import configuration
from stoa.cli.check_result import CheckResult, fail, ok, warn
from stoa.cli.checks_postgresql import check_server
from stoa.cli.database import NamedDatabase
from stoa.client.transport import opened
from stoa.clock import SystemClock
from stoa.configuration import Given
from stoa.domain import addresses, ids, limits
from stoa.limits.limiter import LimiterUnavailable
from stoa.outgoing.client import Outgoing
from stoa.outgoing.response import AddressUnreachable
from stoa.schemas.base import iso
from stoa.settings import Settings, SettingsError
from stoa.store import events, ledger, purges
from stoa.store.purges import Purge
from stoa.store.transfer import audit, backups
from stoa.store.transfer.audit import Finding
from stoa.store.tx import StartRefused, StoreUnavailable, Tx

_GB = 1_000_000_000
_MB = 1_000_000
_FULL_MB = 100
_TIMEOUT_S = 10
_AHEAD_MS = 60_000
_BACKUP_HOURS = 26
_PURGE_MS = 600_000
"""After this time the alert for an unfinished purge fires too."""
_OTHERS = stat.S_IRWXO
_NAMED = 20
"""How many files a remedy names at most."""
_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - where nothing should listen unprotected


Checks = Iterator[CheckResult]


def check_all(named: NamedDatabase, config: Path | None) -> Checks:
    """Every check of a database and of the server that the settings describe."""
    given: Mapping[str, Given] = {}
    try:
        given = configuration.given_to_process({}, config)
        settings = configuration.settle(given)
    except SettingsError as error:
        yield wrong_settings(error)
        settings = named.settings
    else:
        yield _settings(settings)
        yield from _readable("secrets", _secrets(given))
    yield from _readable("file", _files(named.settings))
    yield from _readable("disk", _disk(named.settings))
    yield from _readable("schema", _database(named))
    yield from _address(settings)
    yield from _valkey(settings)
    yield from _screen(settings)
    yield from _readable("backup", _backups(settings))


def _readable(name: str, checks: Checks) -> Checks:
    """The results of these checks; files that they may not read are reported too."""
    try:
        yield from checks
    except OSError as error:
        detail = f"{error.filename} cannot be looked at: {error.strerror}"
        remedy = "Run this as the user of the service; if it is, give it that place with chown."
        yield fail(name, detail, remedy)


def wrong_settings(error: SettingsError) -> CheckResult:
    """The result for settings that cannot be used."""
    return fail("settings", str(error), "Correct this setting.")


# --- Settings and files.


def _settings(settings: Settings) -> CheckResult:
    everybody = [network for network in settings.trusted_proxies if network.endswith("/0")]
    if everybody:
        return fail(
            "settings",
            f"{everybody[0]} is trusted as a proxy: any client can choose its address",
            "Name only your proxies in STOA_TRUSTED_PROXIES.",
        )
    if settings.metrics and settings.metrics_address[0] in _EVERYWHERE:
        return warn(
            "settings",
            f"all that reach this machine can read the metrics at {settings.metrics}",
            "Set STOA_METRICS to an address that only the machines which collect them reach.",
        )
    return ok("settings", "they are complete and agree with each other")


def _secrets(given: Mapping[str, Given]) -> Checks:
    """The modes of the files that hold a password."""
    files = {
        one.file
        for one in given.values()
        if one.file and configuration.masked(one.value) != str(one.value)
    }
    for file in sorted(files):
        yield _private("secrets", [file], "which holds a password")


def _files(settings: Settings) -> Checks:
    """Owner and mode of the embedded database, and of the files beside it."""
    if settings.engine == "postgresql":
        return
    path = settings.database_path.resolve()
    if _is_there(path):
        yield _owned("folder", [path.parent]) or _private("folder", [path.parent], "")
        files = [path, *sorted(path.parent.glob(f"{glob.escape(path.name)}[-.]*"))]
        yield _owned("file", files) or _private("file", files, "which holds secrets")


def _is_there(path: Path) -> bool:
    """Whether this file exists; unlike `Path.exists` it raises if that cannot be known."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _owned(name: str, places: list[Path]) -> CheckResult | None:
    user = os.geteuid()
    for place in places:
        with suppress(FileNotFoundError):  # such as a log of SQLite that was just removed
            if (owner := place.stat().st_uid) != user:
                return warn(
                    name,
                    f"{place} belongs to the user {owner}, not to {user}, who runs this",
                    "Run this as the user of the service; if it is, give it the data folder with "
                    "chown -R.",
                )
    return None


def _mode(place: Path) -> int:
    try:
        return stat.S_IMODE(place.stat().st_mode)
    except FileNotFoundError:
        return 0


def _private(name: str, places: list[Path], why: str) -> CheckResult:
    """Whether other users can read any of these files, or list a folder."""
    open_to_all = [place for place in places if _mode(place) & _OTHERS]
    if not open_to_all:
        return ok(name, f"{places[0]} has mode {_mode(places[0]):o}")
    remedy = f"Run: chmod o= {shlex.join(map(str, open_to_all[:_NAMED]))}"
    place, more = open_to_all[0], len(open_to_all) - 1
    if place.is_dir():
        return warn(name, f"all users can look into {place}", remedy)
    others = f" and {more} more" if more else ""
    return fail(name, f"all users can read {place}{others}, {why}", remedy)


def _disk(settings: Settings) -> Checks:
    path = settings.database_path
    if settings.engine == "postgresql" or not _is_there(path):
        return
    free, size = shutil.disk_usage(path.parent).free, path.stat().st_size
    detail = f"{free // _MB:,} MB are free, the database has {size // _MB:,} MB"
    if free < _FULL_MB * _MB:
        yield fail("disk", detail, "Make room: on a full disk every write is refused.")
    elif free < max(_GB, 2 * size):
        yield warn("disk", detail, "Make room for twice the database, at least 1 GB.")
    else:
        yield ok("disk", detail)


# --- The database.


class _Found(NamedTuple):
    newest: int
    restored_at: int
    stopped: str | None
    findings: list[Finding]
    to_erase: list[Purge]
    unwiped: int | None


async def _look(tx: Tx) -> _Found:
    row = await tx.one("audit.newest_transaction")
    newest = ids.made_at(str(row[0])) if row and row[0] else 0
    findings, waiting = await audit.run_all(tx), await purges.to_erase(tx)
    unwiped = await purges.unfinished(tx)
    restored_at = (await events.log(tx)).epoch * 1000
    return _Found(newest, restored_at, await ledger.stopped(tx), findings, waiting, unwiped)


def _database(named: NamedDatabase) -> Checks:
    """Schema, clock and audit, for which the database has to be readable."""
    clock = SystemClock()
    try:
        with named.refusing():
            found = asyncio.run(named.engine.read_once(named.settings, clock, _look))
    except (StartRefused, StoreUnavailable) as error:
        remedy = (
            "Start the database, name another one, migrate it with `stoa migrate`, or restore a "
            "backup if it is damaged."
        )
        yield fail("schema", str(error), remedy)
        return
    yield ok("schema", "the database has this program's schema")
    yield from _server(named)
    yield _clock(found, clock())
    yield _audit(found)
    yield _purges(found, clock())


def _server(named: NamedDatabase) -> Checks:
    """The server of the database, if it has one."""
    try:
        found = asyncio.run(named.engine.health(named.settings))
    except (StartRefused, StoreUnavailable) as error:
        yield fail("version", str(error), "Start the database, and run this again.")
        return
    if found:
        yield from check_server(named.settings, found)


def _clock(found: _Found, now: int) -> CheckResult:
    if found.restored_at - now > _AHEAD_MS:
        return fail(
            "clock",
            f"the last restore is dated {iso(found.restored_at)}: nobody can sign in until then",
            "Set the clock right, such as with NTP, and restore the backup again.",
        )
    ahead_ms = found.newest - now
    if ahead_ms > _AHEAD_MS:
        return fail(
            "clock",
            f"the newest transaction is dated {ahead_ms // 1000} s after the time of this machine",
            "Set the clock right, such as with NTP, and start the server again. If it was wrong "
            "before and is right now, this ends once that time has passed.",
        )
    return ok("clock", "nothing in the database is dated in the future")


def _audit(found: _Found) -> CheckResult:
    differing = [finding.check.name for finding in found.findings if finding.differences]
    if differing:
        detail = f"the ledger differs: {', '.join(differing)}"
        return fail("audit", detail, "Run `stoa audit`, which names the rows.")
    if found.stopped:
        detail = f"all is well now, and settlements are stopped: {found.stopped}"
        return fail("audit", detail, "Run `stoa audit --resume`.")
    return ok("audit", f"{len(found.findings)} checks found no difference")


def _purges(found: _Found, now: int) -> CheckResult:
    late = [one.id for one in found.to_erase if now - one.created_at > _PURGE_MS]
    if late:
        named = ", ".join(late[:_NAMED])
        detail = f"{len(late)} purges are not done, and what they name is hidden alone: {named}"
        remedy = (
            "Run `stoa audit`: a difference in the ledger stops refunds. The log says why a purge "
            "fails; the server tries it again by itself."
        )
        return fail("purges", detail, remedy)
    if found.unwiped is not None and now - found.unwiped > _PURGE_MS:
        detail = f"what was purged at {iso(found.unwiped)} may still be in the files"
        remedy = (
            "Start the server, which wipes them, and end what reads the database for so long; the "
            "log says why it fails."
        )
        return fail("purges", detail, remedy)
    return ok("purges", "what was purged is erased")


# --- What clients reach.


def _address(settings: Settings) -> Checks:
    """The base URL as a client calls it, and which address a proxy passes on."""
    try:
        opening = opened(httpx.Client, settings.origin, _TIMEOUT_S)
    except ValueError as error:
        yield fail("base_url", str(error), "Correct that variable, or unset it.")
        return
    try:
        with opening as client:
            proxy = _proxy(client, settings)
            ready = _ready(client, settings)
    except httpx.HTTPStatusError as error:
        status = error.response.status_code
        detail = f"what answers at {settings.origin} says {status} to /healthz: is it Stoa?"
    except httpx.HTTPError as error:
        detail = f"{settings.origin} is not reached: {str(error) or type(error).__name__}"
    except msgspec.MsgspecError:
        detail = f"what answers at {settings.origin} is not this version of Stoa"
    else:
        yield from (_base_url(settings), ready, proxy)
        return
    remedy = (
        "Start the server; if it runs, give STOA_BASE_URL and STOA_PORT here as it has them, and "
        "look at the certificate and the firewall."
    )
    yield fail("base_url", detail, remedy)


class _Health(msgspec.Struct):
    client: str


def _client_address(client: httpx.Client, settings: Settings, **headers: str) -> str:
    """The address that this program counts as at the base URL."""
    answer = client.get(f"{settings.origin}/healthz?client", headers=headers)
    return msgspec.json.decode(answer.raise_for_status().content, type=_Health).client


def _base_url(settings: Settings) -> CheckResult:
    if settings.origin_is_loopback:
        return warn(
            "base_url",
            f"{settings.origin} can be used on this machine alone",
            "For other machines set STOA_BASE_URL to the address that agents use.",
        )
    if not settings.origin.startswith("https:"):
        detail = f"{settings.origin} is reached without TLS: tokens can be read on the way"
        return warn("base_url", detail, "Put a proxy with TLS in front and use https://.")
    return ok("base_url", f"{settings.origin} is reached")


def _ready(client: httpx.Client, settings: Settings) -> CheckResult:
    answer = client.get(f"{settings.origin}/readyz")
    if answer.is_success:
        return ok("ready", "the server can serve calls")
    return fail("ready", f"/readyz answers {answer.status_code}", "See its reason in the log.")


def _proxy(client: httpx.Client, settings: Settings) -> CheckResult:
    for header, value in (
        ("X-Forwarded-For", addresses.MADE_UP),
        ("Forwarded", f"for={addresses.MADE_UP}"),
    ):
        if _client_address(client, settings, **{header: value}) == addresses.MADE_UP:
            return fail(
                "proxy",
                f"a client chooses its address with the header {header}",
                f"Let the proxy replace {header}, and trust only the proxy.",
            )
    address = _client_address(client, settings)
    name = urlsplit(settings.origin).hostname or ""
    if addresses.is_loopback(address) and not settings.origin_is_loopback:
        return warn(
            "proxy",
            f"a call of {name} counts as {address}: the proxy hands over no other address, or "
            "is not trusted",
            "Add the proxy to STOA_TRUSTED_PROXIES and let it send X-Forwarded-For, unless "
            f"{name} is this machine's own loopback.",
        )
    return ok("proxy", f"a call from this machine counts as {address}")


# --- Valkey.


def _valkey(settings: Settings) -> Checks:
    """Whether Valkey, which counts the limits of all processes, answers."""
    if not settings.valkey_url:
        return
    from stoa.limits.valkey import ValkeyLimiter

    async def ask() -> None:
        limiter = ValkeyLimiter(settings.valkey_url)
        try:
            await limiter.probe()
        finally:
            await limiter.close()

    address = configuration.masked(settings.valkey_url)
    try:
        asyncio.run(ask())
    except LimiterUnavailable as error:
        meanwhile = (
            "writes are refused"
            if settings.valkey_outage == "refuse-writes"
            else "each process counts limits alone"
        )
        detail = f"{address} does not answer ({error}): {meanwhile}"
        yield fail("valkey", detail, "Start Valkey, or correct STOA_VALKEY_URL.")
    except SettingsError as error:
        yield fail("valkey", str(error), "Correct this setting.")
    else:
        yield ok("valkey", f"{address} answers")


# --- The endpoint that is shown texts.


def _screen(settings: Settings) -> Checks:
    """Whether the screening endpoint is reached; it is sent no text."""
    if not settings.screen_url:
        return
    address = configuration.masked(settings.screen_url)
    outgoing = Outgoing(addresses.parse_networks(settings.webhooks_allow))
    try:
        asyncio.run(outgoing.get(settings.screen_url))
    except AddressUnreachable as error:
        meanwhile = "held" if settings.screen_down == "hold" else "let through"
        yield fail(
            "screen",
            f"{address}: {error} Meanwhile posts are {meanwhile}.",
            "Start it, or correct STOA_SCREEN_URL; let STOA_WEBHOOKS_ALLOW name its network if "
            "its address is private or begins with http.",
        )
    else:
        yield ok("screen", f"{address} answers")


# --- Backups.


def _backups(settings: Settings) -> Checks:
    """The folder of the backups, their modes, the newest one, and why the last one failed."""
    if not settings.backup_dir:
        remedy = "Make backups regularly, and set STOA_BACKUP_DIR to their folder."
        yield warn("backup", "it is not known where backups are", remedy)
        return
    folder = Path(settings.backup_dir)
    if not _is_there(folder):
        detail = f"there is no folder {folder}, where STOA_BACKUP_DIR looks for backups"
        remedy = f"Make a backup with `stoa backup {folder}`, or correct the setting."
        yield fail("backup", detail, remedy)
        return
    files = sorted(file for file in folder.iterdir() if backups.made_at(file.name) is not None)
    yield _age(settings.backup_dir)
    yield _private("backups", [folder], "")
    if files:
        yield _private("backups", files, "which holds secrets")


def _age(folder: str) -> CheckResult:
    age, failed = backups.newest_age_ms(folder), backups.failure(folder)
    last = f"; the last one failed: {failed}" if failed else ""
    if age is None:
        detail = f"there is no backup in {folder} that is not dated in the future{last}"
        return fail("backup", detail, "Make a backup now, and let a timer make more.")
    hours = age // limits.HOUR_MS
    detail = f"the newest backup in {folder} is {hours} hours old{last}"
    if failed or hours > _BACKUP_HOURS:
        return fail("backup", detail, "Look at what makes the backups, and make one now.")
    return ok("backup", detail)
