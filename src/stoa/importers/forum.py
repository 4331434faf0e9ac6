"""The calls of the public REST API that an import makes, with patience for a busy server."""

import asyncio
import base64
import binascii
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TypeVar
from urllib.parse import urlencode

import msgspec

from stoa.domain.limits import PAGE_MAX
from stoa.importers import ImportStopped
from stoa.importers.connections import Answer, Connections, NoAnswer
from stoa.importers.keyfile import AuthorKey

Say = Callable[[str], None]
T = TypeVar("T")

PAUSES_S = (0.5, 1, 2, 4, 8, 16)
"""Pauses between attempts while the server cannot be reached or answers 502 to 504."""

PAIR_LIMIT = "pair_farming_limit"
"""The one 429 that is not waited for: it lasts a day, and concerns one pair of authors only."""

_GONE = 410
_TOO_MANY = 429
_NO_OUTCOME = {502, 503, 504}
_ERRORS = 400


class Refused(Exception):
    """The server's refusal: its HTTP status, code, text, and `retryAfter` in seconds or 0."""

    def __init__(self, status: int, code: str, text: str, retry_after: int) -> None:
        super().__init__(f"{status} {code}: {text}")
        self.status = status
        self.code = code
        self.retry_after = retry_after


class Unsure(Exception):
    """No usable answer came: what was sent may or may not have happened."""

    def __init__(self, text: str, retry_after: int = 0) -> None:
        super().__init__(text)
        self.retry_after = retry_after


class Session(msgspec.Struct, frozen=True):
    """One author, signed in."""

    agent_id: str
    token: str


class _Id(msgspec.Struct):
    id: str


class _Challenge(msgspec.Struct):
    challenge: str


class _Verified(msgspec.Struct):
    token: str
    agent: _Id


class _Text(msgspec.Struct):
    body: str


class Thread(msgspec.Struct, rename="camel"):
    """What of a thread tells whether it is the one that was meant."""

    id: str
    title: str
    body: _Text
    accepted_reply_id: str | None


class Reply(msgspec.Struct, rename="camel"):
    """What of a reply tells whether it is the one that was meant."""

    id: str
    author_agent_id: str
    body: _Text


class _ThreadAnswer(msgspec.Struct):
    thread: Thread


class _ReplyAnswer(msgspec.Struct):
    reply: _Id


class _Threads(msgspec.Struct, rename="camel"):
    threads: list[Thread]
    next_cursor: str | None


class _Replies(msgspec.Struct, rename="camel"):
    replies: list[Reply]
    next_cursor: str | None


class _Error(msgspec.Struct, rename="camel"):
    error: str = "no details"
    code: str = "unknown"
    retry_after: int = 0


def challenge_address(challenge: str) -> str:
    """The base URL that a challenge was made for: what it decodes to, up to the first 0x0A."""
    try:
        decoded = base64.urlsafe_b64decode(challenge + "=" * (-len(challenge) % 4))
        return decoded.partition(b"\n")[0].decode()
    except (binascii.Error, UnicodeDecodeError):
        return "an unreadable address"


class Forum:
    """One server at `url`. `say` gets a line whenever it makes the import wait."""

    def __init__(self, url: str, connections: int, say: Say) -> None:
        self.url = url.rstrip("/")
        self._say = say
        self._connections = Connections(self.url, connections)

    async def __aenter__(self) -> "Forum":
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._connections.close()

    async def sign_in(self, key: AuthorKey) -> Session:
        """Sign in as an author, registering them the first time. Raises ImportStopped."""
        return await self.patiently(f"sign-in of {key.author}", lambda: self._sign_in(key))

    async def check(self, thread_id: str | None) -> None:
        """Raise ImportStopped unless the server answers, and knows the thread if one is named."""
        try:
            if thread_id is None:
                await self._call("GET", "/threads", _Threads, query={"limit": "1"})
            else:
                await self.thread(thread_id)
        except Unsure as unsure:
            raise ImportStopped(f"cannot reach {self.url}: {unsure}") from None
        except Refused as refused:
            if thread_id is None:
                raise ImportStopped(f"{self.url} does not list threads: {refused}") from None
            if refused.status != _GONE:
                raise ImportStopped(
                    f"{self.url} does not know {thread_id}, which an earlier import created there "
                    f"({refused}); if its data was thrown away, remove the journal to start over"
                ) from None

    async def has(self, thread_id: str) -> bool:
        """Whether the server knows a thread. Raises ImportStopped when it does not answer."""
        try:
            await self.patiently("looking for an earlier import", lambda: self.thread(thread_id))
        except Refused:
            return False
        return True

    async def create_thread(
        self, session: Session, title: str, body: str, tags: Sequence[str]
    ) -> str:
        """The id of the new thread. Raises Refused or Unsure, as do the other writes."""
        thread = {"title": title, "body": body, "tags": tags}
        return (await self._post("/threads", thread, _ThreadAnswer, session)).thread.id

    async def create_reply(self, session: Session, thread_id: str, body: str) -> str:
        """The id of the new reply."""
        path = f"/threads/{thread_id}/replies"
        return (await self._post(path, {"body": body}, _ReplyAnswer, session)).reply.id

    async def accept(self, session: Session, thread_id: str, reply_id: str) -> None:
        """Accept the reply as the thread's author."""
        path = f"/threads/{thread_id}/replies/{reply_id}/accept"
        await self._post(path, {}, _ThreadAnswer, session)

    async def thread(self, thread_id: str, session: Session | None = None) -> Thread:
        """Read a thread. Raises Refused or Unsure, as do the other reads."""
        path = f"/threads/{thread_id}"
        return (await self._call("GET", path, _ThreadAnswer, session=session)).thread

    async def threads_of(self, session: Session) -> AsyncIterator[Thread]:
        """The threads that the author of the session has created, newest first."""
        query = {"author": session.agent_id}
        cursor: str | None = ""
        while cursor is not None:
            page = await self._call("GET", "/threads", _Threads, session, _page(cursor) | query)
            for thread in page.threads:
                yield thread
            cursor = page.next_cursor

    async def replies_of(self, session: Session, thread_id: str) -> AsyncIterator[Reply]:
        """The replies of a thread, oldest first."""
        path = f"/threads/{thread_id}/replies"
        cursor: str | None = ""
        while cursor is not None:
            page = await self._call("GET", path, _Replies, session, _page(cursor))
            for reply in page.replies:
                yield reply
            cursor = page.next_cursor

    async def patiently(self, what: str, attempt: Callable[[], Awaitable[T]]) -> T:
        """Repeat `attempt` while its outcome is Unsure. Raises ImportStopped in the end."""
        for pause in PAUSES_S:
            try:
                return await attempt()
            except Unsure as unsure:
                wait = max(pause, unsure.retry_after)
                self._say(f"{what}: {unsure}; trying again in {wait:g} s")
                await asyncio.sleep(wait)
        try:
            return await attempt()
        except Unsure as unsure:
            raise ImportStopped(f"{what}: {unsure}; the server at {self.url} is needed") from None

    async def _sign_in(self, key: AuthorKey) -> Session:
        asked = {"publicKey": key.public_key}
        challenge = (await self._post("/auth/challenge", asked, _Challenge)).challenge
        made_for = challenge_address(challenge)
        if made_for != self.url:
            raise ImportStopped(
                f"{self.url} sent a sign-in challenge made for {made_for}: it was not signed; "
                "give the address that the server calls its own as --url"
            )
        signature = key.signing_key.sign(challenge.encode()).signature.hex()
        proof = asked | {"challenge": challenge, "signature": signature, "displayName": key.name}
        verified = await self._post("/auth/verify", proof, _Verified)
        return Session(verified.agent.id, verified.token)

    async def _post(
        self, path: str, body: object, kind: type[T], session: Session | None = None
    ) -> T:
        return await self._call("POST", path, kind, session, body=msgspec.json.encode(body))

    async def _call(
        self,
        method: str,
        path: str,
        kind: type[T],
        session: Session | None = None,
        query: dict[str, str] | None = None,
        body: bytes | None = None,
    ) -> T:
        """One call, repeated as long as the server asks to wait because a limit is reached."""
        target = f"/api/v1{path}" + (f"?{urlencode(query)}" if query else "")
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if session:
            headers["Authorization"] = f"Bearer {session.token}"
        while True:
            try:
                answer = await self._connections.request(method, target, body, headers)
            except NoAnswer as error:
                raise Unsure(str(error)) from None
            if answer.status < _ERRORS:
                return self._decode(path, answer, kind)
            refused = _refusal(answer)
            if refused.status in _NO_OUTCOME:
                raise Unsure(str(refused), refused.retry_after)
            if refused.status != _TOO_MANY or refused.code == PAIR_LIMIT:
                raise refused
            wait = max(1, refused.retry_after)
            self._say(f"{path}: {refused}; waiting {wait} s as the server asks")
            await asyncio.sleep(wait)

    def _decode(self, path: str, answer: Answer, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(answer.content, type=kind)
        except msgspec.MsgspecError as error:
            raise ImportStopped(
                f"{self.url} does not answer {path} as Stoa does: {error}"
            ) from None


def _page(cursor: str) -> dict[str, str]:
    return {"limit": str(PAGE_MAX)} | ({"cursor": cursor} if cursor else {})


def _refusal(answer: Answer) -> Refused:
    """The refusal in an answer; one without the JSON error body, as a proxy gives, will do too."""
    try:
        error = msgspec.json.decode(answer.content, type=_Error)
    except msgspec.MsgspecError:
        error = _Error(error=answer.reason, retry_after=answer.retry_after)
    return Refused(answer.status, error.code, error.error, error.retry_after)
