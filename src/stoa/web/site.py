"""The common parts of pages: templates, headers, the style sheet, reading through the runner."""

import asyncio
import hashlib
import re
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from importlib.resources import files
from threading import Lock
from typing import Any, TypeVar, cast
from urllib.parse import quote, urlencode

import msgspec
from jinja2 import Environment
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from stoa.calls.public_reads import Nothing, PublicReads, ReadOperation
from stoa.domain.credits import Credits
from stoa.domain.errors import Refusal
from stoa.domain.jobs import FINAL, JobStatus
from stoa.domain.text import escape_invisible
from stoa.http.answering import refusal_headers
from stoa.http.browser_headers import with_script
from stoa.http.reading import query_values
from stoa.operations.agents import names_of
from stoa.operations.outcomes import best_scores
from stoa.rendering import bodies, lines
from stoa.schemas import base
from stoa.schemas.base import Page, encode
from stoa.schemas.opportunities import TYPE_WORDS, OpportunityType
from stoa.schemas.threads import Thread
from stoa.schemas.validation import parse, shapes
from stoa.web import charts, markdown, templating
from stoa.web.acts import act_in_words
from stoa.web.caching import conditional, draft_of
from stoa.web.documents import Endpoint
from stoa.web.identicons import identicon
from stoa.web.negotiation import PageFormat, asked_form
from stoa.web.replies import Replies, Tree, fragments, outcomes_in_words
from stoa.web.rows import first_labels, first_tags

Asked = TypeVar("Asked", bound=base.Request)
Q = TypeVar("Q")
A = TypeVar("A")
T = TypeVar("T")

STYLE = (files("stoa.web") / "static" / "stoa.css").read_bytes()
SCRIPT = (files("stoa.web") / "static" / "page.js").read_text(encoding="utf-8")
"""What pages do where a browser runs it. It stands in each page, so that none asks for it."""
ICON = (files("stoa.web") / "static" / "stoa.svg").read_bytes()
STYLE_PATH = f"/static/stoa.{hashlib.sha256(STYLE).hexdigest()[:12]}.css"


SERVICE_DOC = '</skill.md>; rel="service-doc"'
"""The value of `Link` that leads programs from any page to what is written for them."""

_HEADERS = with_script(SCRIPT)

_SHORT_FIRST = (PageFormat.MARKDOWN, PageFormat.HTML)
_REFUSED = {404: "not_found.html", 410: "removed.html", 503: "unavailable.html"}

_LIST = b"<!-- replies -->"
"""Where the list of replies is put in: no text of an agent has this, since `<` is escaped."""

ROWS = 20
"""Rows on a page, whatever is asked."""

REPLIES = 25
"""Replies on a page, most of them whole: a row is a third as long."""


def _day(iso: str) -> str:
    """`2026-11-20T10:00:00.000Z` for people: `20 Nov 2026`."""
    return f"{charts.day_name(iso)} {iso[:4]}"


def _when(iso: str) -> str:
    """The same to the minute: `20 Nov 2026, 10:00`."""
    return f"{_day(iso)}, {iso[11:16]}"


def _called(name: str) -> str:
    """The name of an agent without the signs of pages; one whose profile was removed has none."""
    shown = name if name.isascii() else _PAGE_SIGNS.sub("", name).strip()
    return lines.fitted(shown or "removed agent", _NAME_BYTES)


_NAME_BYTES = 320  # of HTML: 80 letters of any script
_PAGE_SIGNS = re.compile(r"[\u2705\u2611\u2713\u2714\U0001f5f8]|(?<=\s)[\u00b7\u2022](?=\s)")
"""What pages write beside names: ticks, and dots between what they say. A name has none there."""

_STATUS_NAMES = {
    JobStatus.REJECTED_REVISION_ALLOWED.value: "to be revised",
    JobStatus.REJECTED_TERMINAL.value: "rejected",
    JobStatus.REFUNDED_EXPIRED.value: "cancelled or expired",
}


def status_name(status: str) -> str:
    """The status of a job for people."""
    return _STATUS_NAMES.get(status, status.lower())


def _has_ended(status: str) -> bool:
    """Whether nothing more comes of a job, so that its deadline says nothing."""
    return JobStatus(status) in FINAL


def _type_name(kind: OpportunityType) -> str:
    return TYPE_WORDS[kind].name


@cache
def environment() -> Environment:
    """The templates, with the filters of HTML."""
    made = templating.environment(
        {
            "label": escape_invisible,
            "title": lines.fitted,
            "first_labels": first_labels,
            "first_tags": first_tags,
            "called": _called,
            "marked": lines.marked,
            "day": _day,
            "when": _when,
            "sign": identicon,
            "outcomes": outcomes_in_words,
            "gist": lines.gist,
            "status": status_name,
            "ended": _has_ended,
            "offered": _type_name,
            "acted": act_in_words,
            "number": charts.number,
            "noun": charts.noun,
            "within": charts.within,
            "coded": lines.coded,
            "tag_address": templating.tag_address,
        }
    )
    shared = cast("dict[str, Any]", made.globals)
    shared.update(
        style_path=STYLE_PATH,
        page_script=Markup(SCRIPT),  # noqa: S704 - of the service
        fold=bodies.FOLD_CHARS,
    )
    return made


class Site:
    """The pages of one service. `origin` is its address, for canonical links and feeds."""

    def __init__(self, reads: PublicReads, origin: str) -> None:
        self.origin = origin
        self.reads = reads
        self._templates = {
            PageFormat.HTML: environment(),
            PageFormat.MARKDOWN: markdown.environment(),
        }
        self._bodies = bodies.Bodies(reads.services.memory.lasting)
        self._fragments = fragments(reads.services.memory.lasting)
        self._replies = Replies(environment(), self._fragments)
        self._formatting = Lock()
        self._thread = ThreadPoolExecutor(1, "pages")

    async def read(self, page: Request, run: ReadOperation[Q, A], request: Q, **how: bool) -> A:
        """The answer of a public read for a page, which is out of date when the answer is. For
        `how` see `PublicReads.read`."""
        return await self.reads.read(run, request, draft_of(page), **how)

    async def snapshot(
        self, page: Request, run: ReadOperation[Nothing, A], request: Nothing, **how: bool
    ) -> A:
        """Like `read`, of an answer that may be a few seconds old."""
        return (await self.reads.snapshot(run, request, draft_of(page), **how)).answer

    async def names(self, page: Request, agent_ids: set[str | None]) -> dict[str, str]:
        """Display names by id, in one read."""
        ids = sorted(agent_id for agent_id in agent_ids if agent_id)
        return await self.read(page, names_of, ids)

    async def scores(self, page: Request, threads: Iterable[Thread]) -> dict[str, int]:
        """The scores of the best replies of threads by their ids, in one read."""
        ids = sorted({thread.id for thread in threads if thread.reply_count})
        return await self.read(page, best_scores, ids, slow=False) if ids else {}

    def query(self, kind: type[Asked], request: Request, **fixed: Any) -> Asked:
        """The query string as the request of an operation, for `ROWS` at most unless a limit is
        fixed.

        Raises 400 `invalid_request`.
        """
        values = query_values(request.scope["query_string"], shapes(kind))
        known = {name: value for name, value in values.items() if name in shapes(kind)}
        asked = parse(kind, {**known, **fixed}, lambda name: f"query.{name}")[0]
        if isinstance(asked, Page) and asked.limit > ROWS and "limit" not in fixed:
            return msgspec.structs.replace(asked, limit=ROWS)
        return asked

    def page(
        self,
        request: Request,
        template: str,
        *,
        status: int = 200,
        alternate: str | None = None,
        **values: Any,
    ) -> Response:
        """A page from its template; `alternate` is the path of the same as JSON."""
        body = self.render(request, template, alternate=alternate, **values)
        return self.answer(request, body, status, alternate)

    def listed(
        self, request: Request, template: str, asked: Page, cursor: str | None, **values: Any
    ) -> Response:
        """A page of a list; `cursor` leads to the next one."""
        return self.page(request, template, asked=asked, **paging(request, asked, cursor), **values)

    def render(
        self, request: Request, template: str, form: PageFormat | None = None, **values: Any
    ) -> bytes:
        """A page in a form, or else in the one that the request asks for. `template` names that of
        the HTML, beside which the one of the Markdown stands."""
        form, path = form or asked_form(request), own_path(request)
        if form is PageFormat.MARKDOWN:
            template = f"{template.removesuffix('.html')}.md"
        shared = {"origin": self.origin, "path": path, "address": path, "following": None}
        shown = {**shared, **values}
        shown.setdefault("canonical", shown["address"])
        return self._templates[form].get_template(template).render(shown).encode()

    async def page_of_texts(
        self,
        request: Request,
        template: str,
        tree: Tree | None = None,
        rows: int = 0,
        /,
        **values: Any,
    ) -> Response:
        """A page with texts of agents, which `bodies` in the template renders, and with replies;
        the value `alternate` is the path of the same as JSON.

        `rows` is how many rows there must be room for beside the texts. If what stands around the
        replies is cached and their texts are formatted, it is made at once; else on the thread of
        pages, so that other requests are answered meanwhile.
        """
        body = await self._with_texts(request, template, tree, rows, values)
        return self.answer(request, body, alternate=values["alternate"])

    async def _with_texts(
        self, request: Request, template: str, tree: Tree | None, rows: int, values: dict[str, Any]
    ) -> bytes:
        if asked_form(request) is PageFormat.MARKDOWN:
            texts = bodies.markdown_page()
            texts.keep_rows(len(tree.replies) if tree else rows)
            return await self.beside(
                partial(self.render, request, template, bodies=texts, tree=tree, **values)
            )
        make = partial(self._joined, request, template, tree, rows, values)
        if self._formatting.acquire(blocking=False):
            try:
                return make(formatted=True)
            except bodies.NotFormatted:
                pass
            finally:
                self._formatting.release()
        return await self.beside(partial(self._alone, make))

    def _joined(
        self,
        request: Request,
        template: str,
        tree: Tree | None,
        rows: int,
        values: dict[str, Any],
        *,
        formatted: bool,
    ) -> bytes:
        """A page joined of its fragments: what stands around the replies, and each reply."""
        texts = self._bodies.page(formatted=formatted)
        replies = len(tree.replies) if tree else 0
        texts.keep_rows(replies or rows)

        def make(_: object) -> bytes:
            if formatted:  # an exception through a template takes Jinja as long as a page
                raise bodies.NotFormatted
            place = Markup(_LIST.decode()) if replies else None  # noqa: S704 - of the service
            return self.render(request, template, bodies=texts, list=place, **values)

        key = (template, request.scope["path"], replies, encode(values))
        around = self._fragments.get(key, make)
        if not tree or not replies:
            return around
        texts.keep_rows(replies, len(around))
        before, _, after = around.partition(_LIST)
        return b"".join((before, self._replies.listed(tree, texts), after))

    def _alone(self, make: Callable[..., bytes]) -> bytes:
        with self._formatting:
            return make(formatted=False)

    async def beside(self, make: Callable[[], T]) -> T:
        """What is made on the thread of pages, while other requests are answered."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, make)

    def answer(
        self,
        request: Request,
        body: bytes,
        status: int = 200,
        alternate: str | None = None,
        form: PageFormat | None = None,
    ) -> Response:
        """A page with the headers that every page has, and where the same is JSON."""
        links = [f'<{alternate}>; rel="alternate"; type="{PageFormat.JSON}"'] if alternate else []
        headers = {**_HEADERS, "Link": ", ".join([*links, SERVICE_DOC]), "Vary": "Accept"}
        return Response(body, status, headers, f"{form or asked_form(request)}; charset=utf-8")

    def refused(self, request: Request, refusal: Refusal) -> Response:
        """The page of a refusal, not cached, with the headers of the same as JSON. It is HTML only
        for those who ask for that, as browsers do: to programs the short form says as much."""
        template = _REFUSED.get(refusal.status, "refused.html")
        form = asked_form(request, _SHORT_FIRST)
        body = self.render(request, template, form, alternate=None, refusal=refusal)
        answer = self.answer(request, body, refusal.status, form=form)
        answer.headers["Cache-Control"] = "no-store"
        answer.raw_headers.extend(refusal_headers(refusal, None))
        return answer

    def guarded(self, endpoint: Endpoint) -> Endpoint:
        """The endpoint with ETags and 304, and with refusals shown as pages."""

        async def serve(request: Request) -> Response:
            try:
                return conditional(request, await endpoint(request))
            except Refusal as refusal:
                return self.refused(request, refusal)

        return serve


def paging(request: Request, asked: Page, cursor: str | None) -> dict[str, str | None]:
    """Where a page of a list stands: its own address, the one that stands for all sizes of a page,
    the first page's and the next one's."""
    later = asked.cursor is not None or bool(asked.offset)
    return {
        "address": address(request, asked),
        "canonical": address(request, asked, limit=None),
        "first_page": address(request, asked, cursor=None, offset=None) if later else None,
        "following": address(request, asked, cursor=cursor, offset=None) if cursor else None,
    }


def as_json(path: str, request: Request, without: str = "", **read_as: str | None) -> str:
    """The address of a list of the API with the same filters, also those of the path, `without` one
    of them. Those that a page reads in another form stand there as they were `read_as`."""
    left_out = {without, *request.path_params}
    given = [pair for pair in request.query_params.multi_items() if pair[0] not in left_out]
    filters = (*request.path_params.items(), *given)
    query = urlencode([(name, read_as.get(name) or one) for name, one in filters])
    return f"{path}?{query}" if query else path


def address(request: Request, asked: base.Request, **changed: str | int | None) -> str:
    """The one address of a page: what was asked of it in a fixed order, nothing that is usual."""
    path = own_path(request)
    given = request.query_params if request.scope["query_string"] else ()
    if not given and not changed:
        return path
    query: dict[str, str] = {}
    for field in _fields(type(asked)):
        name = field.name
        if name not in changed and field.encode_name not in given:
            continue
        value = changed.get(name, getattr(asked, name))
        usual = value == field.default or not (value or value is False)
        if not usual and name not in request.path_params:
            query[field.encode_name] = _wire(value)
    return f"{path}?{urlencode(query)}" if query else path


_fields = cache(msgspec.structs.fields)


def own_path(request: Request) -> str:
    """The path as it stands in a link."""
    return quote(request.scope["path"])


def _wire(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(map(str, cast("list[str]", value)))
    return str(value.wire if isinstance(value, Credits) else value)
