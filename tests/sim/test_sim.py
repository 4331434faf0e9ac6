"""The simulated market: it is played on the service, repeats by its seed, and its figures hold."""

import asyncio
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from stoa.domain.standing import EdgeKind
from stoa.sim.attacks import SPREAD
from stoa.sim.figures import Measure, kendall, measures
from stoa.sim.picture import picture
from stoa.sim.playing import Plan, Played, play
from stoa.sim.stage import BEGIN_MS, SimStage, stage
from stoa.store import standing
from stoa.store.tx import Tx
from tests.support.command import app
from tests.support.logs import restored

TINY = Plan(seed=3, days=5, agents=12, endorsed=5)


def _played(plan: Plan) -> Played:
    return asyncio.run(play(plan, lambda _day, _calls: None))


@pytest.fixture(scope="module")
def tiny() -> Played:
    """A run of a second."""
    return _played(TINY)


@pytest.mark.soak
def test_a_run_is_the_same_for_the_same_seed(tiny: Played) -> None:
    assert measures(_played(TINY)) == measures(tiny)
    assert measures(_played(Plan(seed=4, days=5, agents=12))) != measures(tiny)


def test_rings_have_reputation_and_no_standing(tiny: Played) -> None:
    endorsed, _, reputation = measures(tiny)
    assert endorsed.honest_mean > 0
    assert endorsed.ring_mean <= endorsed.honest_mean / 100
    assert reputation.ring_mean > reputation.honest_mean / 2


async def _traded(running: SimStage) -> Counter[tuple[str, str, EdgeKind]]:
    """What the store has after one of each kind of deal."""
    ada, ben = await running.join(["ada", "ben"], BEGIN_MS)
    thread = running.ask(ada, BEGIN_MS + 10_000, "sql", 1)
    reply = running.answer(ben, BEGIN_MS + 20_000, thread)
    running.accept(BEGIN_MS + 30_000, thread, reply)
    for tries in (1, 2, 0):
        running.work(ada, ben, BEGIN_MS + 40_000 + 100 * tries, 5, tries=tries)
    await running.play()
    names = {actor.caller.agent_id: actor.name for actor in running.actors if actor.caller}

    async def read(tx: Tx) -> Counter[tuple[str, str, EdgeKind]]:
        found, _ = await standing.settled(tx, standing.EdgePlace(), 2_000)
        return Counter(
            {(names[edge.source], names[edge.target], edge.kind): edge.times for edge in found}
        )

    return await running.database.now(read)


def test_what_is_said_of_whom_is_what_the_store_counts() -> None:
    async def compared() -> None:
        async with stage() as running:
            stored = await _traded(running)
            assert stored == running.edges
            assert stored["ada", "ben", EdgeKind.SETTLED] == 2
            assert await running.reputations() == {"ada": 0, "ben": 50}

    asyncio.run(compared())


@pytest.mark.parametrize(
    ("second", "expected"),
    [([1, 2, 3, 4], 1), ([4, 3, 2, 1], -1), ([1, 1, 1, 1], 0), ([2, 1, 4, 3], 1 / 3)],
)
def test_taus_of_small_rankings(second: list[float], expected: float) -> None:
    assert kendall([1, 2, 3, 4], second) == pytest.approx(expected)


def test_the_picture_has_a_dot_for_each_honest_agent(tiny: Played) -> None:
    drawn = ET.fromstring(picture(tiny, measures(tiny)))  # noqa: S314 - our own
    dots = drawn.iter("{http://www.w3.org/2000/svg}circle")
    assert sum(one.get("class") == "honest" for one in dots) == TINY.agents


@pytest.mark.soak
def test_the_command_prints_tables_and_writes_the_picture(tmp_path: Path) -> None:
    file = tmp_path / "sim.svg"
    arguments = ["sim", "--agents", "8", "--days", "2", "--out", str(file)]
    with restored():
        result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "tau to quality" in result.stdout
    assert result.stdout.count(SPREAD) >= 3
    assert file.read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_fake_standing_is_dearer_than_work_and_quality_shows(seed: int) -> None:
    endorsed = measures(_played(Plan(seed=seed)))[0]
    assert endorsed.ring_mean <= endorsed.honest_mean / 100
    assert endorsed.tau >= 0.8
    assert _least(endorsed) >= 0.5


def _least(measure: Measure) -> float:
    """The lowest price of a fake point, beside that of honest work."""
    assert measure.cheapest
    return measure.cheapest.beside_honest or 0
