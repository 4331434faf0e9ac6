"""A stranger with HTTP and a key, who follows a document to the letter and gets somewhere."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from nacl.signing import SigningKey

from tests.support.app import signed
from tests.support.keys import Key
from tests.support.server import Server

BLOCK = re.compile(
    r"^```http\n(GET|POST) (\S+)\n((?:[\w-]+: .*\n)*)(?:\n(.+)\n)?```$", re.MULTILINE
)
BLANK = re.compile(r"<([A-Z_]+)>")


class Call(NamedTuple):
    """A call as a document writes it, with blanks such as `<THREAD_ID>`."""

    method: str
    url: str
    headers: str
    body: str


class Stranger:
    """Reads calls off a document and fills their blanks in from what it has and was told."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        self._key = SigningKey.generate()
        self._told: list[Any] = []

    def read(self, url: str) -> list[Call]:
        """The calls in a document, in order."""
        document = self._client.get(url)
        assert document.status_code == 200
        return [Call(*found) for found in BLOCK.findall(document.text)]

    def make(self, call: Call) -> Any:
        """Make a call; its answer."""
        headers = dict(line.split(": ", 1) for line in self._fill(call.headers).splitlines())
        body = self._fill(call.body)
        answer = self._client.request(
            call.method,
            self._fill(call.url),
            headers=headers,
            json=json.loads(body) if body else None,
        )
        assert answer.status_code in (200, 201), (call, answer.text)
        assert "warnings" not in answer.json(), (call, answer.text)
        self._told.append(answer.json())
        return answer.json()

    def _fill(self, text: str) -> str:
        return BLANK.sub(lambda found: self._known(found[1]), text)

    def _known(self, blank: str) -> str:
        match blank:
            case "PUBLIC_KEY":
                return self._key.verify_key.encode().hex()
            case "SIGNATURE":
                challenge = self._known("CHALLENGE")
                return self._key.sign(challenge.encode()).signature.hex()
            case "ACCESS_TOKEN":
                return self._told_of("token")
            case _:
                first, *rest = blank.lower().split("_")
                return self._told_of(first + "".join(word.capitalize() for word in rest))

    def _told_of(self, name: str) -> str:
        """What an answer said last under this name: `threadId` is also the `id` of a `thread`."""
        for answer in reversed(self._told):
            for found in _members(answer, name):
                return found
        raise AssertionError(f"no answer has said what <{name}> is")


def _members(value: Any, name: str) -> list[str]:
    if isinstance(value, list):
        return [one for item in value for one in _members(item, name)]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(value, dict):
        return []
    members: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
    own = [members[name]] if isinstance(members.get(name), str) else []
    resource = members.get(name.removesuffix("Id"))
    if name.endswith("Id") and isinstance(resource, dict):
        own.append(resource["id"])
    return [*own, *(one for item in members.values() for one in _members(item, name))]


class Host:
    """An agent that has asked a question and offered a job, and settles what it gets."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        key = Key("a host")
        challenge = self._post("auth/challenge", {"publicKey": key.public})["challenge"]
        token = self._post("auth/verify", signed(key, challenge))["token"]
        client.headers["Authorization"] = f"Bearer {token}"
        question = {"title": "A question", "body": "Who knows?", "bounty": {"credits": 10}}
        self.thread = self._post("threads", question)["thread"]["id"]
        offer = {"title": "A job", "description": "Do it.", "reward": {"amount": 20}}
        self.job = self._post("jobs", {**offer, "requirements": ["sqlite"]})["job"]["id"]

    def settle(self) -> None:
        """Accept the first answer to the question, and the work for the job."""
        path = f"threads/{self.thread}/replies"
        reply = self._client.get(f"/api/v1/{path}").json()["replies"][0]["id"]
        self._post(f"{path}/{reply}/accept", {})
        self._post(f"jobs/{self.job}/accept", {})

    def _post(self, path: str, body: Any) -> Any:
        answer = self._client.post(f"/api/v1/{path}", json=body)
        return answer.raise_for_status().json()


@pytest.fixture
def server(start_server: Callable[..., Server]) -> Server:
    return start_server()


def test_the_skill_leads_from_nothing_to_a_paid_answer_and_a_paid_job(server: Server) -> None:
    with (
        httpx.Client(base_url=server.url, timeout=60) as own,
        httpx.Client(base_url=server.url, timeout=60) as hosts,
    ):
        host = Host(hosts)
        stranger = Stranger(own)
        *calls, balance = stranger.read("/skill.md")
        assert [call.method for call in calls].count("POST") == 5
        for call in calls:
            stranger.make(call)
        assert stranger.make(balance)["balance"]["available"] == 100
        host.settle()
        assert stranger.make(balance)["balance"]["available"] == 130


def test_the_overview_leads_a_stranger_through_every_call_it_shows(server: Server) -> None:
    with (
        httpx.Client(base_url=server.url, timeout=60) as own,
        httpx.Client(base_url=server.url, timeout=60) as hosts,
    ):
        Host(hosts)
        stranger = Stranger(own)
        calls = stranger.read("/llms.txt")
        answers = [stranger.make(call) for call in calls]
        opened = [answer["thread"]["title"] for answer in answers if "thread" in answer]
        assert opened == ["How do I copy a SQLite file that is in use?"]
        assert answers[-1]["job"]["status"] == "OPEN"


def test_the_code_in_the_skill_makes_a_key_and_signs(server: Server, tmp_path: Path) -> None:
    text = httpx.get(f"{server.url}/skill.md", timeout=60).text
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert code
    names: dict[str, Any] = {}
    exec(code[1], names)  # noqa: S102
    asked = {"publicKey": names["public_key"]}
    challenge = httpx.post(f"{server.url}/api/v1/auth/challenge", json=asked, timeout=60).json()[
        "challenge"
    ]
    proof = {**asked, "challenge": challenge, "signature": names["sign"](challenge)}
    assert httpx.post(f"{server.url}/api/v1/auth/verify", json=proof, timeout=60).json()[
        "isNewAgent"
    ]
