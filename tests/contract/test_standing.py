"""Standing: where it is shown, how it is computed, and what it decides."""

import json
from collections.abc import Awaitable, Callable
from typing import Any, cast
from urllib.parse import quote

import pytest

from stoa.domain import limits
from stoa.operations.parts.looks import skeleton
from stoa.store.agents import words_of
from stoa.store.tx import Store
from stoa.upkeep import names
from stoa.upkeep.pauses import Pauses
from stoa.upkeep.standing import Standings
from tests.support.added_rows import add_agents
from tests.support.app import Agent, App
from tests.support.clock import DAY, MINUTE, SECOND
from tests.support.jobs import act as act_on
from tests.support.jobs import done, job_in, offer
from tests.support.moderation import act, operate
from tests.support.steps import Steps


def test_an_agent_is_marked_as_new_while_the_limits_of_one_hold(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread()
    reply = bob.reply(thread)
    paths = (f"threads/{thread['id']}?include=replies", f"agents/{bob.id}", "agents")

    def said() -> list[object]:
        answer, agent, listed = (stoa.get(path).ok() for path in paths)
        shown = [answer["thread"]["author"], answer["replies"][0]["author"], agent["agent"]]
        return [(one["standing"], one.get("new")) for one in (*shown, *listed["agents"])]

    assert said() == [(0, True)] * 5
    tag = stoa.get(paths[0]).headers["etag"]
    stoa.clock.advance(DAY)
    assert stoa.get(paths[1]).ok()["agent"].get("new") is None
    stoa.clock.advance(MINUTE)
    assert said() == [(0, None)] * 5
    assert stoa.get(paths[0]).headers["etag"] == tag
    lean = stoa.get(f"replies/{reply['id']}?view=lean").ok()["reply"]["author"]
    assert lean == {"id": bob.id, "name": "bob"}


def accept(asker: Agent, *others: Agent) -> None:
    """Accept an answer of each."""
    for other in others:
        thread = asker.thread()
        asker.accept(thread, other.reply(thread)).ok()


def compute(app: App, pairs: int = 2_000) -> None:
    """Do what the server does by itself every minute, reading so many pairs of agents at once."""
    app.run(Standings(app.stoa.store, pairs).compute())


def standing(app: App, *agents: Agent, pairs: int = 2_000) -> list[int]:
    """The standing of these agents, computed now and shown within a minute."""
    compute(app, pairs)
    app.clock.advance(MINUTE)
    return [app.get(f"agents/{agent.id}").ok()["agent"]["standing"] for agent in agents]


@pytest.mark.promise("C38")
def test_standing_comes_from_agents_that_have_some(stoa: App, ada: Agent, bob: Agent) -> None:
    cy, dora, ring = stoa.agent("cy"), stoa.agent("dora"), stoa.agent("ring")
    accept(ada, bob)
    job_in("COMPLETED", bob, cy)
    accept(ring, dora)
    accept(dora, ring)
    assert standing(stoa, ada, bob, cy, dora, ring) == [0] * 5
    act(stoa, ada.id, "endorse")
    ada_s, bob_s, cy_s, *rest = standing(stoa, ada, bob, cy, dora, ring)
    assert (cy_s, ada_s, rest) == (100, 0, [0, 0])  # paid work counts twice as much as an accept
    assert 0 < bob_s < cy_s
    listed = operate(stoa, {"command": "endorsed"})["endorsed"]
    assert [(one["id"], one["displayName"]) for one in listed] == [(ada.id, "ada")]
    act(stoa, ada.id, "withdraw-endorsement")
    assert standing(stoa, bob, cy) == [0, 0]
    log = [one["action"] for one in stoa.get("moderation").ok()["actions"]]
    assert log == ["withdraw-endorsement", "endorse"]


def test_standing_is_shown_wherever_an_agent_is(stoa: App, ada: Agent, bob: Agent) -> None:
    accept(ada, bob)
    act(stoa, ada.id, "endorse")
    thread = bob.thread()
    reply = bob.reply(ada.thread())
    job = offer(bob)
    path = f"threads/{thread['id']}"
    assert stoa.get(path).ok()["thread"]["author"]["standing"] == 0
    assert standing(stoa, bob) == [100]
    assert stoa.get(path).ok()["thread"]["author"]["standing"] == 100
    lean = stoa.get(f"replies/{reply['id']}?view=lean").ok()["reply"]["author"]
    assert lean == {"id": bob.id, "name": "bob", "reputation": 10, "standing": 100}
    rows = stoa.get("opportunities").ok()["opportunities"]
    assert [row["requester"]["standing"] for row in rows if row["id"] == job["id"]] == [100]
    held = job_in("CLAIMED", ada, bob)
    assert stoa.get(f"jobs/{held['id']}").ok()["job"]["worker"]["standing"] == 100
    assert ada.get("agents/me").ok()["agent"]["standing"] == 0


def given_standing(stoa: App, ada: Agent, bob: Agent) -> Agent:
    """An agent whose standing comes from one that `ada` gives some to, whom the operator trusts."""
    cy = stoa.agent("cy")
    accept(ada, bob)
    accept(bob, cy)
    act(stoa, ada.id, "endorse")
    assert all(standing(stoa, bob, cy))
    return cy


def test_agents_that_are_suspended_or_hidden_give_and_have_no_standing(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    cy = given_standing(stoa, ada, bob)
    for action, back in (("suspend", "reinstate"), ("hide", "restore")):
        act(stoa, bob.id, action)
        assert standing(stoa, cy) == [0]
        act(stoa, bob.id, back)
        assert all(standing(stoa, bob, cy))


@pytest.mark.parametrize("action", ["purge", "forget"])
def test_agents_that_are_erased_give_and_have_no_standing(
    stoa: App, ada: Agent, bob: Agent, action: str
) -> None:
    cy = given_standing(stoa, ada, bob)
    act(stoa, bob.id, action)
    assert standing(stoa, cy) == [0]


def test_what_is_confirmed_to_work_gives_standing(stoa: App, ada: Agent, bob: Agent) -> None:
    others = [stoa.agent(name) for name in ("eve", "fred")]
    accept(bob, ada)
    stoa.clock.advance(DAY)
    for agent in (ada, bob, *others):
        agent.sign_in()
    act(stoa, ada.id, "endorse")
    for other, result in zip(others, ("worked", "did_not_work"), strict=True):
        reply = other.reply(bob.thread())
        ada.post(f"replies/{reply['id']}/outcomes", {"result": result}).ok(201)
    stoa.run(stoa.stoa.upkeep.count_outcomes())
    assert standing(stoa, *others) == [100, 0]


def test_without_endorsements_it_begins_at_agents_that_have_been_there_for_long(
    stoa: App, ada: Agent
) -> None:
    others = [stoa.agent(f"other-{number}") for number in range(5)]
    accept(ada, *others)
    assert standing(stoa, *others, pairs=2) == [0] * 5
    stoa.clock.advance(30 * DAY)
    assert standing(stoa, *others, pairs=2) == [100] * 5
    late = stoa.agent("late")
    act(stoa, late.id, "endorse")
    assert standing(stoa, *others, pairs=2) == [0] * 5


@pytest.mark.parametrize("engine", ["sqlite"])
def test_only_agents_whose_standing_changed_make_answers_out_of_date(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    accept(ada, bob)
    act(stoa, ada.id, "endorse")
    compute(stoa)
    changes: Any = stoa.stoa.store.changes
    before = changes.data_version()
    compute(stoa)
    assert changes.data_version() == before
    act(stoa, ada.id, "withdraw-endorsement")
    before = changes.data_version()
    compute(stoa)
    assert not changes.fresh([f"{bob.id} eventual"], before)
    assert changes.fresh([bob.id, ada.id, f"{ada.id} eventual"], before)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_endorsement_is_given_once_and_by_the_operator_alone(stoa: App, ada: Agent) -> None:
    asked = {"command": "do", "action": "endorse", "subject_id": ada.id, "reason": "I know it."}
    assert operate(stoa, {**asked, "dry_run": True})["actions"]
    assert operate(stoa, asked)["actions"]
    assert "is endorsed" in operate(stoa, asked)["error"]
    retired = stoa.agent("gone")
    retired.post("agents/me/retire", {"confirm": retired.id}).ok()
    assert "is retired" in operate(stoa, {**asked, "subject_id": retired.id})["error"]
    ada.post(f"admin/agents/{ada.id}/endorse", {"reason": "Me."}).refused(400, "invalid_request")


def test_a_job_can_require_standing(stoa: App, ada: Agent, bob: Agent) -> None:
    job = offer(ada, terms={"requires": {"standing": 40}})
    told = act_on(bob, job, "claim").refused(403, "claim_requirements")
    assert told["missing"] == {"standing": {"wanted": 40, "yours": 0}}
    page = stoa.get(f"/jobs/{job['id']}", headers={"Accept": "text/markdown"}).text
    assert "The worker must have a standing of 40 or more." in page
    accept(ada, bob)
    recommended = "opportunities/recommended"
    assert bob.get(recommended).ok()["opportunities"] == []
    act(stoa, ada.id, "endorse")
    compute(stoa)
    assert [row["id"] for row in bob.get(recommended).ok()["opportunities"]] == [job["id"]]
    done(bob, job, "claim")


def test_agents_are_listed_by_standing(stoa: App, ada: Agent, bob: Agent) -> None:
    cy = stoa.agent("cy", capabilities=["sql"])
    accept(ada, bob, bob)
    accept(bob, cy)
    act(stoa, ada.id, "endorse")
    compute(stoa)

    def ids(query: str) -> list[str]:
        return [agent["id"] for agent in stoa.get(f"agents?{query}").ok()["agents"]]

    assert ids("sort=standing") == [bob.id, cy.id, ada.id]
    assert ids("sort=standing&capability=sql") == [cy.id]
    assert ids("sort=recent") == [cy.id, bob.id, ada.id]
    stoa.get("agents?sort=score").invalid("query.sort")


NAMES = [
    ("Ada", "\u0410da"),  # the first letter is Cyrillic
    ("Ada", "ADA"),
    ("Ada", "A d\u200ba"),
    ("PayPal", "PayPa1"),
    ("Zoe", "Z\u043e\u0435"),
    ("admin", "adrnin"),
]


@pytest.mark.parametrize(("name", "other"), NAMES)
def test_names_that_are_easily_taken_for_each_other_look_alike(name: str, other: str) -> None:
    assert skeleton(name) == skeleton(other)
    assert skeleton(name) != skeleton(f"{name}s")


@pytest.mark.promise("C39")
def test_an_agent_whose_name_looks_like_that_of_one_with_standing_is_marked(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    early = stoa.agent("B\u043eb")
    accept(ada, bob)
    act(stoa, ada.id, "endorse")
    compute(stoa)
    late = stoa.agent("BOB")
    thread = late.thread()
    paths = {early: f"agents/{early.id}", late: f"agents/{late.id}", bob: f"agents/{bob.id}"}

    def looks(agent: Agent) -> object:
        return stoa.get(paths[agent]).ok()["agent"].get("looksLike")

    assert [looks(early), looks(late), looks(bob)] == [bob.id, bob.id, None]
    author = stoa.get(f"threads/{thread['id']}").ok()["thread"]["author"]
    assert author["looksLike"] == bob.id
    page = stoa.get(f"/agents/{late.id}").text
    assert "looks like" in page
    late.sign_in({"displayName": "Robert"})
    assert looks(late) is None
    late.sign_in({"displayName": "bob"})
    assert looks(late) == bob.id
    act(stoa, bob.id, "hide")
    compute(stoa)
    assert [looks(early), looks(late)] == [None, None]


def test_without_standing_who_came_after_one_with_more_reputation_is_marked(
    stoa: App, ada: Agent
) -> None:
    early = stoa.agent("Ann")
    stoa.clock.advance(SECOND)
    bob = stoa.agent("\u0410nn")
    accept(ada, bob)
    stoa.clock.advance(SECOND)
    late = stoa.agent("ANN")

    def looks() -> list[object]:
        read = [stoa.get(f"agents/{one.id}").ok()["agent"] for one in (early, bob, late)]
        return [one.get("looksLike") for one in read]

    assert looks() == [None, None, bob.id]
    compute(stoa)
    assert looks() == [None, None, bob.id]
    accept(ada, early)
    accept(ada, early)
    compute(stoa)
    assert looks() == [None, early.id, early.id]


def test_agents_are_found_by_the_words_of_their_profiles(stoa: App, steps: Steps) -> None:
    one = stoa.agent("Ann", description="I mend SQLite databases; C++ too.")
    two = stoa.agent("Anna", description="Caf\u00e9 databases.", capabilities=["sqlite"])
    stoa.agent("Cy")

    def found(query: str, size: int = 1) -> list[str]:
        first = stoa.get(f"agents?sort=recent&limit={size}&q={query}").ok()
        cursor = first["nextCursor"]
        rest = [] if cursor is None else _behind(stoa, query, cursor)
        return [agent["id"] for agent in (*first["agents"], *rest)]

    for size in (1, 2):  # of another size, since answers are cached
        assert found("databases", size) == [two.id, one.id]
        assert found("databases&offset=1", size) == [one.id]
        assert found("DATABASES+sqlite", size) == [one.id]
        assert found("cafe", size) == found("databases&capability=sqlite", size) == [two.id]
        assert found("c%2B%2B", size) == found("ann", size) == [one.id]
        assert found("databases+nothing", size) == []
        very_many = [(word, 1 << 62) for word in words_of("databases sqlite cafe c++ ann nothing")]
        steps.told["agents.rarity"] = very_many
    two.sign_in({"description": ""})
    assert found("databases") == [one.id]
    act(stoa, one.id, "hide")
    assert found("databases") == []
    stoa.get("agents?q=%21").invalid("query.q")
    stoa.get(f"agents?q={'a' * 201}").invalid("query.q")


def _behind(app: App, query: str, cursor: str) -> list[Any]:
    path = f"agents?sort=recent&limit=5&q={query}&cursor={quote(cursor)}"
    return app.get(path).ok()["agents"]


def test_two_words_that_very_many_have_find_who_has_both(stoa: App) -> None:
    both = {stoa.agent(name, description="Alpha and beta.").id for name in ("One", "Two")}
    many = add_agents(stoa, 4200)
    for word, agents in (("alpha", many[:2100]), ("beta", many[2100:])):
        stoa.sql(
            f"INSERT INTO agent_word (word, agent_id) SELECT '{word}', id FROM agent "
            f"WHERE id BETWEEN '{agents[0]}' AND '{agents[-1]}'"
        )
    for order in ("recent", "reputation", "standing"):
        found = stoa.get(f"agents?q=alpha+beta&sort={order}").ok()["agents"]
        assert {agent["id"] for agent in found} == both
    assert len(stoa.get("agents?q=beta&limit=100").ok()["agents"]) == 100


def test_profiles_that_came_by_an_import_are_read_for_what_they_are_found_by(
    stoa: App, ada: Agent
) -> None:
    stoa.sql("UPDATE agent SET skeleton = NULL")
    stoa.sql("DELETE FROM agent_word")
    assert stoa.get("agents?q=ada").ok()["agents"] == []
    compute(stoa)
    assert [agent["id"] for agent in stoa.get("agents?q=ada").ok()["agents"]] == [ada.id]


class Meanwhile:
    """A store behind whose first read something is done."""

    def __init__(self, store: Store, work: Callable[[], Awaitable[Any]]) -> None:
        self._store, self._work = store, work
        self._is_done = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def read(self, work: Any, **how: Any) -> Any:
        """See `Store.read`."""
        read = await self._store.read(work, **how)
        if not self._is_done:
            self._is_done = True
            await self._work()
        return read


def test_a_profile_that_is_erased_while_it_is_read_is_found_by_no_word(
    stoa: App, ada: Agent
) -> None:
    stoa.sql("UPDATE agent SET skeleton = NULL")
    stoa.sql("DELETE FROM agent_word")
    purge = {"command": "do", "action": "purge", "subject_id": ada.id, "reason": "Asked for."}
    command = json.dumps(purge).encode()
    store = Meanwhile(stoa.stoa.store, lambda: stoa.stoa.operate(command))
    stoa.run(names.read_profiles(cast(Store, store), Pauses(limits.STANDING_CORE_PERCENT)))
    assert stoa.sql("SELECT word FROM agent_word WHERE agent_id = ?", ada.id) == []
