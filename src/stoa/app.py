"""The composition root: settings, store, limiter, clock and faces become one application."""

import asyncio
import os
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING

from stoa import __version__
from stoa.a2a.endpoint import TaskEndpoint
from stoa.calls.authenticate import Authenticator
from stoa.calls.authorizing import Authorizing
from stoa.calls.following.follower import Follower
from stoa.calls.following.shared_reads import SharedReads
from stoa.calls.following.shared_waits import SharedWaits
from stoa.calls.following.waiting import Waiting
from stoa.calls.outages import Outages
from stoa.calls.public_reads import PublicReads
from stoa.calls.read_input import InputReader
from stoa.calls.runner import Runner
from stoa.calls.screening import Screen
from stoa.calls.snapshots import Snapshots
from stoa.calls.subscribing import Subscribing
from stoa.calls.task_store import TaskStore
from stoa.calls.token_requests import PlainGrants, TokenRequests
from stoa.calls.transaction import PlainRuns, Transactions
from stoa.clock import Clock, SystemClock, elapsed_ms
from stoa.dispatch import App
from stoa.domain import limits
from stoa.domain.addresses import is_loopback, is_trusted, parse_networks
from stoa.domain.errors import Refusal
from stoa.domain.oauth import RESOURCE
from stoa.domain.webhooks import SECRET_BYTES, WebhookSigner
from stoa.entropy import IdGenerator, random_bytes
from stoa.http.hosts import Hosts
from stoa.http.late import LateApplication
from stoa.http.wire import Application
from stoa.limits.charge import Charges
from stoa.limits.limiter import MemoryLimiter
from stoa.limits.shared import SharedLimiter
from stoa.logs import log
from stoa.mcp.endpoint import PATH, Mcp
from stoa.mcp.gate import Gate
from stoa.memory.answers import AnswerCache
from stoa.memory.memory import Memory
from stoa.metrics import CONNECTIONS, AllCounters, Counters
from stoa.monitoring.exposition import Exposition
from stoa.oauth.endpoints import OAuthEndpoints
from stoa.operations import secret
from stoa.operations.call import Services, authors_kept
from stoa.operations.catalog import all_operations
from stoa.operations.parts import operator, purging
from stoa.operations.parts.buckets import BUCKETS
from stoa.operations.secret import Secret
from stoa.operations.sessions import CHALLENGE_PATH
from stoa.outgoing.certificate import Certificate
from stoa.outgoing.client import Outgoing
from stoa.rest.rest import Rest
from stoa.search.index import SearchIndex
from stoa.server.access import RequestLines, observed
from stoa.server.connections import Connections, Timeouts
from stoa.server.server import Server
from stoa.server.tracing import traced
from stoa.settings import Settings
from stoa.shortcuts.cached_answers import (
    FindPosted,
    ReadyAnswers,
    ReadyPages,
    ReadyReads,
    nothing_ready,
)
from stoa.shortcuts.challenges import ReadyChallenges
from stoa.shortcuts.known_calls import KnownCalls
from stoa.shortcuts.shortcut import ShortcutParts
from stoa.shortcuts.signed_reads import SignedReads
from stoa.shortcuts.tool_calls import ReadyCalls
from stoa.store import sessions
from stoa.store.engines import engine_of
from stoa.store.transfer import backups
from stoa.store.tx import StartRefused, Store, StoreUnavailable, Tx
from stoa.upkeep.auditor import Auditor
from stoa.upkeep.loops import Upkeep
from stoa.upkeep.webhooks import Webhooks
from stoa.web.negotiation import asked_key

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

_TOO_MANY = 429
_WEBHOOKS = "webhooks"
"""The name of the secret that the key of deliveries follows from."""


class Service:
    """A service. Use as `async with await Stoa.open(settings) as stoa`: once entered, its
    background tasks run."""

    def __init__(
        self,
        store: Store,
        services: Services,
        clock: Clock,
        limiter: MemoryLimiter | SharedLimiter,
        counters: Counters,
        signer: WebhookSigner,
    ) -> None:
        settings, shares = services.settings, engine_of(services.settings).SHARED
        waits = SharedWaits(counters.waits, counters.waits_elsewhere)
        self.waiting = Waiting(store, settings, waits)
        hosts, operations = Hosts(settings), all_operations()
        others = partial(_kept_bytes, services)
        answers = AnswerCache(store.changes, settings.cache_mb * 1024 * 1024, others)
        charges = Charges(limiter, settings, clock, counters)
        outages, snapshots = Outages(lambda: store.trouble), Snapshots()
        reads = PublicReads(store, services, clock, answers, snapshots, outages)
        memory, members_only = services.memory, settings.members_only
        authenticator = Authenticator(store, charges, clock, memory.rows, members_only=members_only)
        reader = InputReader(store, services, clock)
        transactions = Transactions(store, services, clock)
        steps = (authenticator, charges, answers, reader, reads, transactions, outages)
        outgoing = Outgoing(parse_networks(settings.webhooks_allow))
        follower = Follower(authenticator, self.waiting, SharedReads(transactions))
        self.screen = _screen(settings, outgoing)
        runner = Runner(clock, *steps, follower, self.screen)
        self.store, self.counters, self.limiter = store, counters, limiter
        self._lines = RequestLines(of_all=settings.log_level == "debug")
        self.settings, self._services, self._clock = settings, services, clock
        noted = authenticator.note_used, reads.forget_snapshots, counters
        self.upkeep = Upkeep(store, services, Auditor(store, clock), *noted, shares=shares)
        sent = store, services.ids, signer, outgoing, clock, counters
        self.webhooks = Webhooks(*sent, shares=shares)
        subscribing = Subscribing(store, services, authenticator, charges, outages, outgoing, clock)
        task_store = TaskStore(store, services, authenticator, charges, outages)
        known, authorizing = KnownCalls(memory.lasting), Authorizing(store, services, outages)
        begins = not shares and isinstance(limiter, MemoryLimiter)
        shared = (charges, hosts, clock, counters, answers)
        self.ready = _ready(store, authenticator, services, known, shared, begins=begins)
        self.asgi = App(
            Rest(runner, operations, signer, clock),
            _tools(runner, subscribing, hosts, known, partial(_skill, settings)),
            TaskEndpoint(runner, task_store, operations, hosts.origin),
            OAuthEndpoints(TokenRequests(store, services, charges, outages, clock)),
            LateApplication(partial(_site, reads, authorizing, charges, clock, signer)),
            hosts,
            lambda: self.upkeep.trouble,
            self._details,
            charges.rate_limit_address,
            authenticator if settings.members_only else None,
        )

    @classmethod
    async def open(
        cls,
        settings: Settings,
        clock: Clock | None = None,
        *,
        apart: bool = False,
        counters: Counters | None = None,
        services: Services | None = None,
    ) -> "Service":
        """Open the store and build everything. Raises `StartRefused` with one line.

        With `apart` the embedded engine writes in a process of its own, a fork of this one, which
        must not have a second thread yet. What happens is counted in `counters`.
        """
        clock = clock or SystemClock()
        counters = counters or new_counters().each[0]
        services, engine = services or new_services(settings), engine_of(settings)
        shared = (services, services.ids, PlainRuns(services), PlainGrants(services))
        try:
            store = await engine.open_store(
                settings, clock, shared if apart else (), counters.commits
            )
            return await cls.over(store, services, clock, counters)
        except StoreUnavailable as error:
            raise StartRefused(f"{engine.place(settings)} cannot be used now: {error}") from error

    @classmethod
    async def over(
        cls, store: Store, services: Services, clock: Clock, counters: Counters | None = None
    ) -> "Service":
        """Build everything over a store that is open. Raises `StoreUnavailable`."""
        limiter = _limiter(services.settings, own_clock=not isinstance(clock, SystemClock))
        signer = await _signer(store)
        try:
            await purging.finish(store, services)  # before anyone reads what a backup brought back
        except purging.PurgeFailed:  # what it names is hidden, and is tried again by the upkeep
            log.exception("what was purged cannot be erased")
        if isinstance(limiter, SharedLimiter):
            await limiter.open()
        return cls(store, services, clock, limiter, counters or new_counters().each[0], signer)

    async def __aenter__(self) -> "Service":
        self.upkeep.begin()
        self.webhooks.begin()
        if self.screen:
            self.screen.begin()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def server(self, tracer: "Tracer | None" = None, most: int = limits.CONNECTIONS) -> Server:
        """The server of the application, with so many connections at most; loopback and trusted
        proxies may hold many of them.

        With a `tracer` each answer is a span.
        """
        proxies = parse_networks(self.settings.trusted_proxies)
        connections = Connections(
            lambda peer: is_loopback(peer) or is_trusted(peer, proxies),
            Timeouts(connections=most, idle=self.settings.keep_alive_seconds),
        )
        app = observed(self.asgi, self.counters, self._lines)
        if tracer:
            app = traced(app, tracer)
        ready = None if self._lines.of_all or tracer else self.ready
        lost, ending = lambda: self.store.lost, self.waiting.end
        return Server(app, connections, self.settings.origin, ready, lost, self._refused, ending)

    def metrics_server(self, all_counters: AllCounters) -> Server:
        """The server of the metrics' own listener."""
        parts = (all_counters, self.store, self.upkeep, self._clock, self.settings)
        app = Exposition(*parts, Certificate(self.settings.origin, self._clock))
        return Server(app, Connections(lambda _: True), self.settings.origin)

    async def operate(self, command: bytes) -> bytes:
        """Carry out a command of the operator; the answer says what was done, or why it was not."""
        try:
            if look := operator.look(command):
                command = await self.store.read(look, background=True)
            work = partial(operator.run, services=self._services, command=command)
            if operator.reads(command):  # also while nothing can be written
                return await self.store.read(work, background=True)
            return await self.store.write(work)
        except Refusal as refusal:
            return operator.refused(refusal)
        except StoreUnavailable as error:
            why = f" ({error})" if str(error) else ""
            told = f"The database did not answer{why}: the public log shows whether it was done."
            return operator.refused(Refusal("temporarily_unavailable", told))

    def beat(self) -> None:
        """Tell the metrics that this process lives, and the log what it left out. Once a second."""
        away = isinstance(self.limiter, SharedLimiter) and self.limiter.is_away
        connections = self.store.connections
        self.counters.beat(self.store.waiting, valkey_away=away, connections=connections)
        self._lines.tell_left_out()

    def _refused(self, kind: str, refusal: Refusal, address: str) -> None:
        """Count and log what is refused without the application."""
        self._lines.write_refusal(kind, address, refusal.status)
        self.counters.answered_at_once(kind, refusal.status)
        if refusal.status == _TOO_MANY:
            self.counters.limited(CONNECTIONS)

    async def close(self) -> None:
        """Finish what runs and close the store."""
        await self.waiting.stop()
        await self.webhooks.stop()
        await self.upkeep.stop()
        # Before another process can serve, which would find the file in use.
        await asyncio.to_thread(self._services.index.flush, elapsed_ms() + limits.INDEX_END_MS)
        if isinstance(self.limiter, SharedLimiter):
            await self.limiter.close()
        await self.store.close()
        self._services.index.close()

    def _details(self) -> dict[str, str | int | None]:
        """What `/readyz` tells the operator beside whether the service is ready."""
        details: dict[str, str | int | None] = {
            "version": __version__,
            "process": os.getpid(),
            **self.store.figures(),
        }
        if folder := self.settings.backup_dir:
            age = backups.newest_age_ms(folder)
            details["backupAgeSeconds"] = None if age is None else age // 1000
            if failed := backups.failure(folder):
                details["backupFailed"] = failed
        if isinstance(self._clock, SystemClock) and (step_ms := self._clock.step_ms()):
            details["clockStepMs"] = step_ms
        if isinstance(self.limiter, SharedLimiter):
            details |= self.limiter.figures()
        return details


def new_counters(count: int = 1) -> AllCounters:
    """Where so many processes count what happens."""
    names = (operation.name for operation in all_operations())
    return AllCounters(names, BUCKETS, count)


def _screen(settings: Settings, outgoing: Outgoing) -> Screen | None:
    """What asks the operator's endpoint about texts, if there is one."""
    if not settings.screen_url:
        return None
    return Screen(outgoing, settings.screen_url, holds=settings.screen_down == "hold")


def new_services(settings: Settings) -> Services:
    """What all calls of one process share."""
    memory = Memory(cache_mb=settings.cache_mb)
    index = SearchIndex(settings.search_path, cache_mb=settings.cache_mb)
    origins = Hosts(settings).base_urls
    shared = settings, IdGenerator(), Secret(), origins, authors_kept(settings)
    return Services(*shared, memory=memory, index=index)


def _kept_bytes(services: Services) -> int:
    """What is cached in this process beside answers. All but authors counts three times: beside it
    lies more than as much again, of free memory between small pieces, of pages of the file and of
    what it is made with."""
    kept = services.memory.kept_bytes + services.index.kept_bytes
    return 3 * kept + services.authors.kept_bytes


async def _signer(store: Store) -> WebhookSigner:
    """What signs deliveries to webhooks. Closes the store when it does not take the secrets."""
    try:
        return WebhookSigner.of(await store.write(_keep_secrets))
    except StoreUnavailable:
        await store.close()
        raise


async def _keep_secrets(tx: Tx) -> bytes:
    """Have something to seal challenges with, and to sign deliveries to webhooks; the latter."""
    for name, size in {secret.NAME: secret.BYTES, _WEBHOOKS: SECRET_BYTES}.items():
        await sessions.keep_secret(tx, name, random_bytes(size))
    return await sessions.secret(tx, _WEBHOOKS)


def _ready(
    store: Store,
    authenticator: Authenticator,
    services: Services,
    known: KnownCalls,
    shared: ShortcutParts,
    *,
    begins: bool,
) -> ReadyAnswers:
    """What is answered without calling the application."""
    _, hosts, *_ = shared
    calls = ReadyCalls(known, *shared)
    reading = (one.path for one in all_operations() if one.method == "POST" and not one.writes)
    beginning = (path.encode() for path in (RESOURCE, *reading) if begins)
    challenges = ReadyChallenges(services, *shared)
    posted: dict[bytes, FindPosted] = {
        **dict.fromkeys(beginning, nothing_ready),
        CHALLENGE_PATH.encode(): challenges.answer,
        PATH.encode(): calls.answer,
    }
    if services.settings.members_only:  # who calls is not looked at here
        posted[PATH.encode()] = nothing_ready
        nothing = nothing_ready, nothing_ready, nothing_ready
        return ReadyAnswers(hosts, *nothing, posted, begins=begins)
    reads, pages = ReadyReads(*shared), ReadyPages(asked_key, *shared)
    signed = SignedReads(services.memory.inboxes, store, authenticator, *shared)
    return ReadyAnswers(hosts, reads.answer, signed.answer, pages.answer, posted, begins=begins)


def _site(
    reads: PublicReads,
    authorizing: Authorizing,
    charges: Charges,
    clock: Clock,
    signer: WebhookSigner,
) -> Application:
    """What is not under `/api`, with all that makes pages."""
    from stoa.oauth import pages as oauth
    from stoa.openapi.document import openapi_document
    from stoa.openapi.slices import Slices
    from stoa.web import discovery
    from stoa.web.pages import pages

    settings = reads.services.settings
    openapi = partial(openapi_document, all_operations(), settings)
    slices = cache(lambda: Slices(openapi()))
    documents = discovery.endpoints(
        settings, openapi, lambda names: slices().encoded(names), clock, signer
    )
    signing_in = partial(oauth.routes, authorizing, charges, clock)
    return pages(reads, settings.origin, openapi, documents, signing_in)


def _tools(
    runner: Runner,
    subscribing: Subscribing,
    hosts: Hosts,
    known: KnownCalls,
    skill: Callable[[], bytes],
) -> dict[str, Mcp]:
    """The endpoints of MCP by path. Clients add a slash to an address that they are given."""
    given = (runner, subscribing, all_operations(), hosts, skill, known)
    endpoints = {PATH: Mcp(*given), RESOURCE: Mcp(*given, Gate(runner.authenticator))}
    return endpoints | {f"{path}/": one for path, one in endpoints.items()}


def _skill(settings: Settings) -> bytes:
    """The text of the skill, which the templates of pages make."""
    from stoa.web import discovery

    return discovery.skill(settings)


def _limiter(settings: Settings, *, own_clock: bool) -> MemoryLimiter | SharedLimiter:
    if not settings.valkey_url:
        return MemoryLimiter()
    from stoa.limits.valkey import ValkeyLimiter

    shared = ValkeyLimiter(settings.valkey_url, own_clock=own_clock)
    return SharedLimiter(shared, refuse_writes=settings.valkey_outage == "refuse-writes")
