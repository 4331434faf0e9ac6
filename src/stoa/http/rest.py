"""The REST door: from an HTTP request to the runner and back."""

from typing import Any
from urllib.parse import parse_qsl

from stoa.domain.errors import Refusal, invalid_field
from stoa.http import answering, reading
from stoa.http.request import Request
from stoa.http.router import Router
from stoa.http.wire import HeaderList, Send, Whole
from stoa.operations import idempotency
from stoa.operations.limiter import headers as rate_headers
from stoa.operations.runner import Inquiry, Outcome, Runner
from stoa.operations.table import Operation
from stoa.schemas.base import encode
from stoa.schemas.validation import Values, shapes

_JSON_HEADERS = ((b"content-type", answering.JSON), answering.NOSNIFF, *answering.CORS)
_CONSISTENCY = b"x-stoa-consistency"
_IDEMPOTENCY_KEY = idempotency.HEADER.lower().encode()
_CACHE_PERSONAL = (b"cache-control", b"no-store")
_CACHE_TOKEN = (b"cache-control", b"private, no-cache")
_CACHE_PUBLIC = (b"cache-control", b"public, no-cache")


class Rest:
    """Serves every operation of the table at its path."""

    def __init__(self, runner: Runner, operations: list[Operation], documentation: str) -> None:
        self._runner = runner
        self._router = Router(operations)
        self._documentation = documentation

    def serves(self, path: str) -> bool:
        """Whether an operation has this path."""
        return self._router.find(path) is not None

    async def __call__(self, request: Request, send: Send) -> None:
        """Answer one request."""
        if request.method == "OPTIONS":
            return await answering.send_preflight(send, request.id_header)
        found = self._router.find(request.path)
        if found is None:
            refusal = await self._runner.shed(request.address)
            return await self.refuse(request, send, refusal or Refusal("not_found"))
        operation = found.methods.get("GET" if request.method == "HEAD" else request.method)
        if operation is None:
            return await self.refuse(request, send, _wrong_method(found.methods))
        outcome = await self._runner.call(
            operation, self._inquiry(request, operation, found.values)
        )
        return await self._finish(request, send, outcome, *_caching(request, operation, outcome))

    def ready(self, request: Request) -> Whole | None:
        """The answer to an anonymous GET, if it is kept; None when answering takes a call."""
        outcome = self._runner.ready(_cache_key(request), request.address)
        if outcome is None:
            return None
        headers = _headers(request, outcome, _CACHE_PUBLIC)
        if answering.not_modified(outcome, request.headers.get(b"if-none-match")):
            return 304, headers, b""
        answering.add_length(outcome.status, headers, outcome.body)
        return outcome.status, headers, outcome.body

    def _inquiry(
        self, request: Request, operation: Operation, path_values: tuple[str, ...]
    ) -> Inquiry:
        in_path = dict(zip(operation.path_fields, path_values, strict=True))
        is_get = operation.method == "GET"

        async def values() -> Values:
            body = {} if is_get else await self._body(request)
            query = reading.query_values(request.query, shapes(operation.request) if is_get else {})
            # What the path names, and all parameters of a POST, become unknown ones.
            taken = in_path if is_get else query
            query = {f"query.{n}" if n in taken else n: value for n, value in query.items()}
            return {**query, **body, **in_path}

        def place(name: str) -> str:
            if name in in_path:
                return f"path.{name}"
            return f"query.{name.removeprefix('query.')}" if is_get else name

        return Inquiry(
            authorization=request.authorization,
            address=request.address,
            base_url=request.base_url,
            values=values,
            place=place,
            cache_key=_cache_key(request) if is_get else None,
            consistency=_text(request, _CONSISTENCY),
            idempotency_key=_text(request, _IDEMPOTENCY_KEY),
        )

    async def _body(self, request: Request) -> dict[str, Any]:
        body = await reading.body_bytes(request.receive, request.headers)
        if not body.strip():
            return {}
        value = reading.parse_json(body)
        if not isinstance(value, dict):
            raise invalid_field("body", "Expected a JSON object.")
        return value  # pyright: ignore[reportUnknownVariableType]

    async def _finish(
        self, request: Request, send: Send, outcome: Outcome, *caching: tuple[bytes, bytes]
    ) -> None:
        if outcome.refusal:
            return await self.refuse(request, send, outcome.refusal, outcome)
        headers = _headers(request, outcome, *caching)
        if answering.not_modified(outcome, request.headers.get(b"if-none-match")):
            return await answering.send_answer(send, 304, headers)
        if outcome.next_cursor:
            query = dict(parse_qsl(request.query.decode("ascii")))
            headers.append(answering.next_link(request.path, query, outcome.next_cursor))
        head = request.method == "HEAD"
        return await answering.send_answer(send, outcome.status, headers, outcome.body, head=head)

    async def refuse(
        self, request: Request, send: Send, refusal: Refusal, outcome: Outcome | None = None
    ) -> None:
        """Answer with an error body."""
        body = answering.error_json(refusal, self._documentation, request.id)
        content_type = answering.JSON
        if answering.PROBLEM in request.headers.get(b"accept", b""):
            body = answering.problem_json(body, refusal.status, request.path)
            content_type = answering.PROBLEM
        headers = [
            (b"content-type", content_type),
            answering.NOSNIFF,
            *answering.CORS,
            request.id_header,
            _CACHE_PERSONAL,
        ]
        headers += answering.refusal_headers(refusal, outcome.charge if outcome else None)
        head = request.method == "HEAD"
        await answering.send_answer(send, refusal.status, headers, encode(body), head=head)


def _text(request: Request, header: bytes) -> str | None:
    text = request.headers.get(header)
    return None if text is None else text.decode("latin-1")


def _cache_key(request: Request) -> str:
    return f"{request.path}?{request.query!r}"


def _headers(request: Request, outcome: Outcome, *caching: tuple[bytes, bytes]) -> HeaderList:
    headers = [*_JSON_HEADERS, request.id_header, *caching]
    if outcome.charge:
        headers += rate_headers(outcome.charge)
    if outcome.etag:
        headers.append((b"etag", outcome.etag.encode()))
    if outcome.consistency:
        headers.append((_CONSISTENCY, outcome.consistency.encode()))
    return headers


def _caching(request: Request, operation: Operation, outcome: Outcome) -> HeaderList:
    vary = [(b"vary", b"Authorization")] if operation.for_parties else []
    if operation.personal or operation.writes or outcome.private:
        return [_CACHE_PERSONAL, *vary]
    return [_CACHE_PUBLIC if request.authorization is None else _CACHE_TOKEN, *vary]


def _wrong_method(methods: dict[str, Operation]) -> Refusal:
    allowed = [*methods, "HEAD", "OPTIONS"] if "GET" in methods else [*methods, "OPTIONS"]
    return Refusal("method_not_allowed", headers=(("Allow", ", ".join(allowed)),))
