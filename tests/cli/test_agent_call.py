"""`stoa agent call` against a real server."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import get_args, get_type_hints

import httpx
import pytest

from stoa.cli.agent_options import ONE_CALL
from stoa.cli.agent_print import Printer
from stoa.client import Stoa
from stoa.client.generated import operations
from stoa.client.operation import ClientOperation
from stoa.operations.catalog import all_operations
from tests.cli.test_agent import Actor, acting, told
from tests.support.command import run_stoa_here
from tests.support.server import Server


@pytest.fixture
def ada(server: Server, tmp_path: Path) -> Actor:
    make: Callable[[str], Actor] = acting(server, tmp_path)
    return make("ada")


def test_every_operation_can_be_called_by_its_name() -> None:
    for one in all_operations():
        assert isinstance(getattr(operations, one.name.upper()), ClientOperation)
        assert callable(getattr(Stoa, one.name))


@pytest.mark.parametrize(("operation", "shown", "given"), ONE_CALL)
def test_a_command_that_makes_one_call_fits_its_operation(
    operation: str, shown: str, given: list[str]
) -> None:
    takes = inspect.signature(getattr(Stoa, operation)).parameters
    must = {name for name, one in takes.items() if one.default is one.empty} - {"self"}
    assert must <= {*given} <= takes.keys()
    answered = getattr(operations, operation.upper()).answer
    can_show = get_type_hints(getattr(Printer, shown))["answer"]
    assert answered in (can_show, *get_args(can_show))


def test_an_operation_without_a_command_is_called(ada: Actor, server: Server) -> None:
    made = told(ada("call", "create_watch", "tag=sqlite"))
    assert made["watch"]["tag"] == "sqlite"
    tried = told(ada("call", "create_watch", "tag=2024", "dry_run:=true"))
    assert (tried["watch"]["tag"], tried["dryRun"]) == ("2024", True)
    listed = told(ada("call", "list_watches", "limit:=1"))
    assert [one["id"] for one in listed["watches"]] == [made["watch"]["id"]]
    market = run_stoa_here("agent", "call", "get_market_stats", "--url", server.url)
    assert "market" in told(market)


def test_a_refusal_ends_the_command_as_any_other(ada: Actor) -> None:
    refused = ada("call", "create_watch", "tag=sqlite", "query=backup")
    assert (refused.code, "invalid_request" in refused.err) == (1, True)


@pytest.mark.parametrize(
    ("words", "told_of"),
    [
        (["close_shop"], "no operation"),
        (["List_Jobs"], "no operation"),
        (["get_job"], "needs job_id"),
        (["get_job", "job=x"], "has no 'job'"),
        (["get_job", "job_id"], "NAME=TEXT"),
        (["list_jobs", "limit:=x"], "no JSON"),
    ],
)
def test_a_mistake_is_told_before_anything_is_sent(
    ada: Actor, words: list[str], told_of: str
) -> None:
    done = ada("call", *words)
    assert (done.code, told_of in done.err.replace("\n│ ", " ")) == (2, True), done.err


def test_an_unknown_operation_is_told_where_all_names_are(ada: Actor, server: Server) -> None:
    done = ada("call", "close_shop")
    assert f"{server.url}/llms.txt lists them" in done.err
    assert "`list_watches`" in httpx.get(f"{server.url}/llms.txt", timeout=60).text
