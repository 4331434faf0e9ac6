"""The token endpoint, revocation, and the metadata that leads clients there."""

from stoa.calls.encode import names_tag, weak_tag
from stoa.calls.token_requests import TokenRequests
from stoa.domain.errors import Refusal
from stoa.domain.oauth import REVOCATION, TOKEN, OAuthRefusal
from stoa.http import answering, reading
from stoa.http.answering import method_not_allowed
from stoa.http.request import HttpRequest
from stoa.http.wire import HeaderList, Send
from stoa.logs import log
from stoa.metrics import OAUTH, PREFLIGHT
from stoa.oauth.metadata import DOCUMENTS
from stoa.oauth.refusals import body, translated
from stoa.operations.parts.buckets import headers as rate_headers
from stoa.operations.parts.grants import FormFields, required
from stoa.schemas.base import encode

PATHS = frozenset({TOKEN, REVOCATION, *DOCUMENTS})
_FORM = b"application/x-www-form-urlencoded"
_NO_STORE: HeaderList = [(b"cache-control", b"no-store"), (b"pragma", b"no-cache")]
_METHODS = {TOKEN: ("POST",), REVOCATION: ("POST",)}
_READING = ("GET", "HEAD")


class OAuthEndpoints:
    """Answers programs of any origin: nothing here depends on what a browser keeps."""

    def __init__(self, requests: TokenRequests) -> None:
        self._requests = requests

    async def __call__(self, request: HttpRequest, send: Send) -> None:
        """Answer one request to one of `PATHS`."""
        request.operation = OAUTH
        if request.method == "OPTIONS":
            request.operation = PREFLIGHT
            return await answering.send_preflight(send, request.id_header)
        try:
            _check_method(request)
            if request.path in DOCUMENTS:
                return await self._document(request, send)
            return await self._answer(request, send)
        except Refusal as refusal:
            refusal.fill({"base_url": request.base_url})
            return await self.refuse(request, send, refusal)
        except Exception:
            log.exception("defect")
            return await self.refuse(request, send, Refusal("forum_error"))

    async def refuse(self, request: HttpRequest, send: Send, refusal: Refusal) -> None:
        """Answer with the refusal in the words of OAuth."""
        headers = answering.refusal_headers(refusal, None)
        await _refuse(request, send, translated(refusal), headers)

    async def _answer(self, request: HttpRequest, send: Send) -> None:
        charge = await self._requests.charge(request.address)
        headers = rate_headers(charge)
        try:
            answer = await self._made(request)
        except OAuthRefusal as refusal:
            return await _refuse(request, send, refusal, headers)
        except Refusal as refusal:
            self._requests.charges.noted(refusal)
            refusal.fill({"base_url": request.base_url})
            headers = answering.refusal_headers(refusal, charge)
            return await _refuse(request, send, translated(refusal), headers)
        headers += [*answering.JSON_HEADERS, request.id_header, *_NO_STORE]
        return await answering.send_answer(send, 200, headers, answer)

    async def _made(self, request: HttpRequest) -> bytes:
        form = await _form(request)
        if request.path == REVOCATION:
            await self._requests.revoke(required(form, "token"))
            return b""
        return await self._requests.issue(form, request.address, request.base_url)

    async def _document(self, request: HttpRequest, send: Send) -> None:
        refusal = await self._requests.charges.rate_limit_address(request.address)
        if refusal:
            raise refusal
        content = encode(DOCUMENTS[request.path](request.base_url))
        tag = weak_tag(content)
        headers = [*answering.JSON_HEADERS, request.id_header, answering.CACHE_PUBLIC]
        headers.append((b"etag", tag.encode()))
        if names_tag(request.headers.get(b"if-none-match", b""), tag):
            return await answering.send_answer(send, 304, headers)
        head = request.method == "HEAD"
        return await answering.send_answer(send, 200, headers, content, head=head)


def _check_method(request: HttpRequest) -> None:
    allowed = _METHODS.get(request.path, _READING)
    if request.method not in allowed:
        how = f"Send the request again with the method {' or '.join(allowed)}."
        raise method_not_allowed(allowed, how)


async def _form(request: HttpRequest) -> FormFields:
    content = await reading.body_bytes(request.receive, request.headers, _FORM)
    return reading.query_values(content, {})


async def _refuse(
    request: HttpRequest, send: Send, refusal: OAuthRefusal, headers: HeaderList
) -> None:
    headers += [*answering.JSON_HEADERS, request.id_header, *_NO_STORE]
    head = request.method == "HEAD"
    await answering.send_answer(send, refusal.status, headers, encode(body(refusal)), head=head)
