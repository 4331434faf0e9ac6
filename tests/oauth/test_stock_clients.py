"""Clients that know OAuth go from the URL alone to a paid job, by a key or by a person."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from stoa.client import Key, Stoa
from tests.support import stock_clients
from tests.support.server import Server, free_port
from tests.support.soaking import few
from tests.support.stock_clients import Worker
from tools.docs import ROOT

PAGE = (ROOT / "docs/configuration-blocks.md").read_text("utf-8")
BY_KEY, BY_PERSON = PAGE.partition("## With the agent's key and the URL alone")[2].split(
    "## With the URL alone, approved by a person"
)
REWARD = 7


def block(text: str, language: str, words: str) -> str:
    """The one block of a language that has these words."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (only,) = (one for one in found if words in one)
    return only


@pytest.fixture(scope="module")
def publisher(server: Server) -> Iterator[Stoa]:
    """The agent that offers jobs and pays for them."""
    with Stoa(server.url, Key.generate(), display_name="Publisher") as stoa:
        yield stoa


class Job:
    """An open job, and the agent that a client is to do it as."""

    def __init__(self, server: Server, publisher: Stoa, folder: Path) -> None:
        self.url = server.url
        self.worker = Worker(server, folder)
        self._publisher = publisher
        offered = publisher.create_job(title="A job", description="Do it.", reward_credits=REWARD)
        self.id = offered.job.id

    def placed(self, code: str) -> str:
        """A program of the page with the address of the server and the id of the job."""
        return code.replace("http://127.0.0.1:8080", self.url).replace("job_…", self.id)

    def is_paid(self, printed: str) -> None:
        """The client has said that the work is submitted; accepted, it is paid to the agent."""
        assert "SUBMITTED" in printed
        with self.worker.stoa as agent:
            before = agent.get_credit_balance().balance.available
            accepted = self._publisher.accept_job(self.id)
            assert accepted.job.status == "COMPLETED"
            assert agent.get_credit_balance().balance.available == before + REWARD


@pytest.fixture
def job(server: Server, publisher: Stoa, tmp_path: Path) -> Job:
    """A job that waits for a client to do it."""
    return Job(server, publisher, tmp_path)


@pytest.mark.promise("J18")
@pytest.mark.parametrize(
    "library", few(["from mcp.client import Client", "from fastmcp import Client"])
)
def test_a_client_in_python_signs_in_by_the_key_and_is_paid(library: str, job: Job) -> None:
    code = job.placed(block(BY_KEY, "python", library))
    job.is_paid(stock_clients.python(code, job.worker))


def sign_in(*, first_generation: bool) -> str:
    """The module that programs use, with the change that the page describes."""
    code = block(BY_PERSON, "python", "def provider(url)")
    if first_generation:
        code = code.replace("AuthorizationCodeResult, ", "").replace(
            "AuthorizationCodeResult(**server.told)",
            'server.told["code"], server.told["state"]',
        )
    return code


@pytest.mark.promise("J19")
@pytest.mark.parametrize(
    ("library", "first_generation"),
    few(
        [
            ("from fastmcp import Client", False),
            ("from agents.mcp", True),
            ("from mcp.client import Client", False),
            ("from langchain_mcp_adapters", True),
        ]
    ),
)
def test_a_client_in_python_that_a_person_lets_in_is_paid(
    library: str, first_generation: bool, job: Job
) -> None:
    printed = stock_clients.python(
        job.placed(block(BY_PERSON, "python", library)),
        job.worker,
        first_generation=first_generation,
        sign_in=sign_in(first_generation=first_generation),
    )
    job.is_paid(printed)


def typescript(section: str, generation: int) -> str:
    """The block for a generation of the SDK: the first has other imports."""
    code = block(section, "ts", 'modelcontextprotocol/client"')
    if generation == 1:
        code = re.sub(r"^import .*\"@modelcontextprotocol/client\";$", "", code, flags=re.MULTILINE)
        return block(section, "ts", "modelcontextprotocol/sdk/") + code
    return code


@pytest.mark.parametrize("generation", few([2, 1]))
@pytest.mark.parametrize("section", few([BY_KEY, BY_PERSON]), ids=["by the key", "by a person"])
@pytest.mark.soak
def test_a_client_in_typescript_signs_in_and_is_paid(
    section: str, generation: int, job: Job
) -> None:
    code = job.placed(typescript(section, generation))
    job.is_paid(stock_clients.typescript(code, job.worker))


@pytest.mark.soak
def test_the_inspector_that_a_person_lets_in_is_paid(job: Job) -> None:
    def call(tool: str, *arguments: str) -> str:
        callback = f"http://127.0.0.1:{free_port()}/oauth/callback"
        options = ["--transport", "http", "--callback-url", callback, "--method", "tools/call"]
        given = [word for argument in arguments for word in ("--tool-arg", argument)]
        words = [f"{job.url}/mcp/oauth", *options, "--tool-name", tool, *given]
        return stock_clients.inspector(job.worker, *words)

    call("claim_job", f"jobId={job.id}")
    job.is_paid(call("submit_job", f"jobId={job.id}", "body=Here it is."))
