"""A stranger with HTTP and a key, who follows a document to the letter and gets somewhere.

Every block of code in every document that the server serves is run as it is printed.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from lxml import etree

from stoa.operations.bootstrap import CLIENT, DOCUMENTS, PLAIN_CLIENT
from stoa.settings import Settings
from stoa.web.manual import endpoints as manual
from tests.conftest import ENGINES
from tests.support.app import signed
from tests.support.blocks import Block
from tests.support.keys import Key
from tests.support.limits_off import LIMITS_OFF
from tests.support.reader import Reader
from tests.support.server import Server, free_port
from tests.support.soaking import few

DEFAULTS = {name: getattr(Settings(), name) for name in LIMITS_OFF}
DEFAULT_LIMITS = {name: limit for name, limit in DEFAULTS.items() if limit is not None}


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

    def terms_of(self, job: str) -> Any:
        """The terms of a job."""
        return self._client.get(f"/api/v1/jobs/{job}").raise_for_status().json()["job"]["terms"]

    def _post(self, path: str, body: Any) -> Any:
        answer = self._client.post(f"/api/v1/{path}", json=body)
        return answer.raise_for_status().json()


@pytest.fixture
def guarded(start_server: Callable[..., Server]) -> Server:
    """A server with the limits that it has by default."""
    return start_server(**DEFAULT_LIMITS)


@pytest.fixture
def host(guarded: Server) -> Iterator[Host]:
    with httpx.Client(base_url=guarded.url, timeout=60) as client:
        yield Host(client)


@pytest.fixture
def reader(guarded: Server, tmp_path: Path) -> Iterator[Reader]:
    with closing(Reader(guarded.url, tmp_path)) as reader:
        yield reader


def documents(server: Server) -> list[str]:
    """All that the server says about itself: the documents, the contract and its own pages. The
    examples in the client are run in tests/client/test_typescript.py, those in the documentation in
    tests/docs/test_examples.py."""
    listed = httpx.get(f"{server.url}/sitemap/pages.xml", timeout=60).raise_for_status()
    places = etree.fromstring(listed.content).iter("{*}loc")
    guides = {f"{manual.PATH}/{name}" for name in manual.shown()}
    pages = [str(httpx.URL(str(place.text)).path) for place in places]
    return [
        *(path for path in DOCUMENTS if path not in (CLIENT, PLAIN_CLIENT)),
        "/api/v1/bootstrap",
        *(path for path in pages if path not in guides),
    ]


# --- Every block.


@pytest.mark.long
@pytest.mark.promise("W19")
@pytest.mark.parametrize("engine", few(ENGINES))
@pytest.mark.usefixtures("host")
def test_every_block_of_every_document_works_as_it_is_printed(
    engine: str, guarded: Server, tmp_path: Path
) -> None:
    assert guarded.database.engine == engine
    kinds: set[str] = set()
    for number, path in enumerate(documents(guarded)):
        folder = tmp_path / f"document{number}"
        folder.mkdir()
        with closing(Reader(guarded.url, folder)) as reader:
            for block in reader.read(path):
                kinds.add(block.kind)
                reader.run(block)
    assert kinds == {"http", "json", "python", "sh"}


@pytest.mark.soak
@pytest.mark.parametrize("grant", few(["0", "2.5"]))
def test_the_overview_works_at_another_address_and_whatever_a_new_agent_is_given(
    grant: str, start_server: Callable[..., Server], tmp_path: Path
) -> None:
    port = free_port()
    address = f"http://localhost:{port}"
    start_server(base_url=f"{address}/", port=port, signup_grant=grant)
    reader = Reader(address, tmp_path)
    found = reader.read("/llms.txt")
    assert all(f" {address}/api/v1/" in block.text for block in found)
    answers = [reader.run(block) for block in found]
    assert ("job" in answers[-1]) == (grant == "2.5")


@pytest.mark.parametrize(
    "block",
    [
        Block("", "GET /"),
        Block("ruby", "puts 1"),
        Block("http", "GET /api/v1/threads and more\n"),
        Block("http", "GET {url}/api/v1/threads?limit=none\n"),
        Block("http", "GET {url}/api/v1/threads?colour=red\n"),
        Block("http", "GET {url}/api/v1/threads\nIf-None-Match: another\n"),
        Block("http", 'POST {url}/api/v1/auth/challenge\n\n{"publicKey": "<PUBLIC_KEY>"}\n'),
        Block("http", "GET {url}/api/v1/threads/<THREAD_ID>\n"),
        Block("json", '{"a": 1,}'),
        Block("json", '{"mcpServers": {"stoa": {"command": "stoa", "args": ["agent", "no"]}}}'),
        Block("sh", "false"),
        Block("sh", "curl {url}/api/v1/threads?limit=none"),
        Block("sh", "echo {{}} | jq ."),
        Block("sh", "echo $NOWHERE_SET"),
    ],
    ids=str,
)
def test_a_block_that_does_not_work_is_found(block: Block, server: Server, tmp_path: Path) -> None:
    text = block.text.replace("{url}", server.url)
    with (
        closing(Reader(server.url, tmp_path)) as reader,
        pytest.raises((AssertionError, json.JSONDecodeError)),
    ):
        reader.run(Block(block.kind, text))


def test_a_block_finds_what_the_ones_before_it_have_set(server: Server, tmp_path: Path) -> None:
    with closing(Reader(server.url, tmp_path)) as reader:
        reader.run(Block("sh", "NAME=stoa\nmkdir $NAME\ncd $NAME"))
        reader.run(Block("sh", "ls ../$NAME"))
        reader.run(Block("python", "first = 1"))
        reader.run(Block("python", "second = first"))


# --- Where the documents lead.


@pytest.mark.soak
def test_the_skill_leads_from_nothing_to_a_paid_answer_and_a_paid_job(
    host: Host, reader: Reader
) -> None:
    *found, balance, hire = reader.read("/skill.md")
    for block in found:
        reader.run(block)
    assert reader.run(balance)["balance"]["available"] == 100
    host.settle()
    assert reader.run(balance)["balance"]["available"] == 130
    assert host.terms_of(reader.run(hire)["id"])["onSilence"] == "pay"
    assert reader.run(balance)["balance"]["available"] == 125


@pytest.mark.soak
def test_the_overview_leads_a_stranger_through_every_call_it_shows(
    host: Host, reader: Reader
) -> None:
    answers = [reader.run(block) for block in reader.read("/llms.txt")]
    opened = [answer["thread"]["title"] for answer in answers if "thread" in answer]
    assert opened == ["How do I copy a SQLite file that is in use?"]
    assert answers[-1]["job"]["status"] == "OPEN"
    assert host.job != answers[-1]["job"]["id"]


def request(server: Server, step: Any, body: str = "") -> Block:
    """A step of the contract as a block; its `{threadId}` is the blank `<THREAD_ID>`."""
    url = re.sub(r"\{(\w+)Id\}", lambda found: f"<{found[1].upper()}_ID>", step["url"])
    head = f"{step['method']} {server.url}{url}\n"
    if step.get("requiresAuth"):
        head += "Authorization: Bearer <ACCESS_TOKEN>\n"
    return Block("http", f"{head}Content-Type: application/json\n\n{body}\n" if body else head)


BODIES = {
    "/api/v1/auth/challenge": '{"publicKey": "<PUBLIC_KEY>"}',
    "/api/v1/auth/verify": '{"publicKey": "<PUBLIC_KEY>", "challenge": "<CHALLENGE>", '
    '"signature": "<SIGNATURE>", "capabilities": ["sqlite"]}',
    "/api/v1/threads/{threadId}/replies": '{"body": "An answer."}',
    "/api/v1/jobs/{jobId}/submit": '{"body": "The work."}',
}


@pytest.mark.soak
def test_the_flow_and_the_reads_of_the_contract_can_be_followed(
    guarded: Server, host: Host, reader: Reader
) -> None:
    contract = httpx.get(f"{guarded.url}/api/v1/bootstrap", timeout=60).json()
    flow = contract["recommendedFlow"]
    answers = [reader.run(request(guarded, step, BODIES.get(step["url"], ""))) for step in flow]
    assert answers[-1]["balance"]["available"] == 100
    for step in contract["efficientReads"]:
        url = step["url"].replace("{words}", "a+question").replace("wait=30", "wait=0")
        reader.run(request(guarded, {**step, "url": url, "requiresAuth": True}))
    host.settle()
    assert reader.run(request(guarded, flow[-1]))["balance"]["total"] == 130


@pytest.mark.soak
def test_the_instructions_and_the_tools_lead_an_mcp_client_to_an_answer_and_a_job(
    guarded: Server, host: Host, reader: Reader
) -> None:
    instructions = ask(guarded, "initialize", HANDSHAKE)["instructions"]
    tools = {tool["name"]: tool for tool in ask(guarded, "tools/list", {})["tools"]}
    found = re.findall(rf"POST {guarded.url}(\S+)\b", instructions)
    steps = [({"method": "POST", "url": url}, BODIES[url.partition("?")[0]]) for url in found]
    reader.run(request(guarded, *steps[0]))
    signed_in = reader.run(request(guarded, *steps[1]))
    assert len(steps) == 2
    known = {"authorization": f"Bearer {signed_in['token']}", "body": "What was asked for."}
    known |= {"threadId": host.thread, "jobId": host.job}
    called = [name for name in re.findall(r"\b[a-z]+_[a-z_]+\b", instructions) if name in tools]
    assert len(called) == 5
    for name in called:
        needed = tools[name]["inputSchema"].get("required", [])
        arguments = {field: known[field] for field in needed}
        result = ask(guarded, "tools/call", {"name": name, "arguments": arguments})
        assert not result.get("isError"), result
    host.settle()


HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "stranger", "version": "1"},
}


def ask(server: Server, method: str, params: Any) -> Any:
    """The result of one message of MCP."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = httpx.post(f"{server.url}/mcp", json=message, timeout=60)
    return answer.raise_for_status().json()["result"]


@pytest.mark.parametrize("document", ["/forum/unanswered.md", "/llms.txt", "/skill.md"])
def test_a_call_named_in_a_sentence_can_be_made(document: str, server: Server) -> None:
    text = httpx.get(f"{server.url}{document}", timeout=60).text
    described = httpx.get(f"{server.url}/openapi.json", timeout=60).json()["paths"]
    paths = {re.sub(r"\{\w+\}", "{}", path): path for path in described}
    sentences = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    for method, path in re.findall(r"(GET|POST) (/api/v1/[\w/{}]+)", sentences):
        assert method.lower() in described[paths[re.sub(r"\{\w+\}", "{}", path)]]
