"""The world of `make bench-world`: its rows are right, and every act in it is answered."""

import socket
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.command import app
from tools.bench.load import answer_length
from tools.bench.world.hour import HOUR, TOOLS, Act, Hour, Step
from tools.bench.world.making import World, token_of
from tools.bench.world.serving import made, place, serving

AGENTS = 40


def _answer(port: int, step: Step) -> bytes:
    with socket.create_connection(("127.0.0.1", port), 60) as connection:
        connection.sendall(step.sent)
        got = connection.recv(1 << 16)
        while len(got) < (answer_length(got) or len(got) + 1):
            got += connection.recv(1 << 16)
    return got


def _play(port: int, act: Act) -> None:
    step = next(act)
    with suppress(StopIteration):
        while True:
            got = _answer(port, step)
            assert got[9:12] in step.statuses, (step.sent, got)
            assert b'"isError":true' not in got, (step.sent, got)
            step = act.send(got.partition(b"\r\n\r\n")[2])


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_every_act_in_a_small_world_is_answered(tmp_path: Path, kind: str) -> None:
    with place(tmp_path, kind, AGENTS) as found:
        world = made(found, AGENTS)
        audited = CliRunner().invoke(app, ["audit", *found.command])
        assert audited.exit_code == 0, audited.output
        with serving(found) as stand:
            hour = Hour(world, 3, AGENTS)
            acts = [hour.act(kind)[1] for kind in HOUR] + [hour.tool(kind) for kind in TOOLS]
            for act in acts:
                _play(stand.server.port, act)


def _who_polls(agents: int) -> set[str]:
    hour = Hour(World(AGENTS, ["th_x"]), 3, agents)
    asked = [next(hour.act("inbox")[1]).sent.decode() for _ in range(20 * agents)]
    tokens = {token_of(place) for place in range(AGENTS)}
    return {token for token in tokens if any(token in sent for sent in asked)}


def test_a_larger_load_is_of_the_same_agents_and_others() -> None:
    few, many = _who_polls(5), _who_polls(12)
    assert (len(few), len(many)) == (5, 12)
    assert few < many
