"""An author embedded in an answer is at most a minute old, however long the answer is cached.

A recovery that comes into force and a suspension that ends are shown from that millisecond on.
"""

import random
import sys
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

from stoa.memory.authors import Embedded
from stoa.schemas.base import iso
from tests.support.app import Agent, App
from tests.support.clock import HOUR, MINUTE
from tests.support.key_changes import name_recovery, recover
from tests.support.keys import Key
from tests.support.moderation import operate
from tests.support.steps import Steps


@pytest.fixture
def agents(stoa: App) -> list[Agent]:
    return [stoa.agent(name) for name in ("ada", "bob", "eve")]


@pytest.fixture
def paths(agents: list[Agent]) -> list[str]:
    """Paths of answers that show these agents, each in some of them."""
    ada, bob, eve = agents
    one, two = ada.thread()["id"], bob.thread()["id"]
    bob.reply({"id": one})
    eve.reply({"id": two})
    return ["threads", f"threads/{one}", f"threads/{one}?include=replies", f"threads/{two}/replies"]


def authors_in(value: Any) -> Iterator[dict[str, Any]]:
    """Each author in an answer, however deep it stands."""
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from authors_in(item)
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        if "lastSeenAt" in members:
            yield members
        for member in members.values():
            yield from authors_in(member)


def sign_ins_are_shown(stoa: App, agents: list[Agent], paths: list[str]) -> None:
    """Sign in and read at random, for two hours."""
    numbers = random.Random(5)
    signed_in: dict[str, list[int]] = {agent.id: [] for agent in agents}
    for _ in range(800):
        stoa.clock.advance(numbers.randrange(numbers.choice([MINUTE // 60, MINUTE // 2])))
        agent = numbers.choice(agents)
        if numbers.random() < 0.1:
            agent.sign_in()
            signed_in[agent.id].append(stoa.clock())
        for path in numbers.sample(paths, 2):
            for author in authors_in(stoa.get(path).ok().json):
                due = [at for at in signed_in[author["id"]] if at <= stoa.clock() - MINUTE]
                assert not due or author["lastSeenAt"] >= iso(due[-1]), "shown too late"


@pytest.mark.costly
def test_a_sign_in_is_shown_within_a_minute(
    stoa: App, agents: list[Agent], paths: list[str]
) -> None:
    sign_ins_are_shown(stoa, agents, paths)


def nothing(*_: object) -> None:
    """Notes nothing."""


def always(make: Callable[[], object]) -> property:
    """An attribute with a value that is made each time; what is set is forgotten."""

    def get(_: object) -> object:
        return make()

    def forget(_: object, value: object) -> None:
        del value

    return property(get, forget)


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize("missing", ["all", "who", "since when"])
def test_a_sign_in_of_an_agent_that_is_not_noted_would_be_noticed(
    stoa: App,
    agents: list[Agent],
    paths: list[str],
    monkeypatch: pytest.MonkeyPatch,
    missing: str,
) -> None:
    match missing:
        case "all":
            monkeypatch.setattr(Embedded, "note", nothing)
        case "who":
            monkeypatch.setattr(Embedded, "agent_ids", always(set[str]))
        case _:
            monkeypatch.setattr(Embedded, "since", always(lambda: sys.maxsize))
    with pytest.raises(AssertionError, match="shown too late"):
        sign_ins_are_shown(stoa, agents, paths)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_answer_is_not_made_anew_while_its_authors_do_nothing(
    stoa: App, agents: list[Agent], paths: list[str], steps: Steps
) -> None:
    def made() -> int:
        return steps.taken.count("threads.get") - before

    before = steps.taken.count("threads.get")
    stoa.clock.advance(MINUTE)  # so that authors are read anew
    for agent in agents[1:]:
        for _ in range(10):
            stoa.get(paths[1]).ok()
            stoa.clock.advance(MINUTE)
        assert made() == 1
        agent.sign_in()  # as neither of them is shown there
    agents[0].sign_in()
    for _ in range(10):
        stoa.get(paths[1]).ok()
        stoa.clock.advance(MINUTE)
    assert made() == 2


# --- Recoveries and suspensions that end by the passing of time.


def begin(stoa: App, agent: Agent, change: str) -> None:
    """Begin what changes the agent in an hour by itself."""
    if change == "recovery":
        name_recovery(agent, Key("offline")).ok()
        recover(stoa, agent.id, Key("offline"), Key("found")).ok()
        return
    command = {"command": "do", "action": "suspend", "subject_id": agent.id, "reason": "x"}
    assert "error" not in operate(stoa, {**command, "until": stoa.clock() + HOUR})


def shown(stoa: App, agent: Agent, paths: list[str]) -> dict[str, Any]:
    """By their paths, how answers show an agent, and their ETags."""
    found: dict[str, Any] = {}
    for path in [*paths, "agents", "agents?sort=recent", f"agents/{agent.id}", "search?q=knows"]:
        answer = stoa.get(path).ok()
        forms = [
            (one["publicKey"], one["status"], one.get("keyChangeAt"))
            for one in authors_in(answer.json)
            if one["id"] == agent.id
        ]
        if forms:
            (form,) = set(forms)
            found[path] = form, answer.headers.get("etag")
    return found


@pytest.mark.settings(recovery_seconds=HOUR // 1000)
@pytest.mark.parametrize("change", ["recovery", "suspension"])
@pytest.mark.costly
def test_what_is_due_of_an_agent_shows_at_its_moment(
    stoa: App, agents: list[Agent], paths: list[str], change: str
) -> None:
    ada, page = agents[0], f"/agents/{agents[0].id}"
    plain = shown(stoa, ada, paths)
    moment = stoa.clock() + HOUR
    begin(stoa, ada, change)
    marker = "its key is being recovered" if change == "recovery" else "suspended"
    for at in (stoa.clock(), moment - 1):
        stoa.clock.now = at
        before = shown(stoa, ada, paths)
        assert marker in stoa.get(page).text
    stoa.clock.now = moment
    after = shown(stoa, ada, paths)
    assert marker not in stoa.get(page).text
    key = Key("found") if change == "recovery" else ada.key
    assert {form for form, _ in after.values()} == {(key.public, "active", None)}
    assert len(after) == len(before) == len(plain) > 5
    for path, (form, etag) in before.items():
        assert form != after[path][0], path
        assert etag is None or etag != after[path][1], path
    for process in stoa.processes:
        stoa.run(process.upkeep.sweep())
    assert shown(stoa, ada, paths) == after, "it is the same before a sweep and after it"


def test_an_agent_is_not_shown_as_new_once_it_is_not(
    stoa: App, agents: list[Agent], paths: list[str]
) -> None:
    def new() -> set[str]:
        read = ((path, stoa.get(path).ok().json) for path in paths)
        return {path for path, answer in read if any("new" in one for one in authors_in(answer))}

    stoa.clock.advance(MINUTE)  # so that authors are read anew, and are known to all but the first
    assert new() == {*paths}
    stoa.clock.now = stoa.clock() - MINUTE + 1000 * stoa.settings.new_agent_seconds - 1
    assert new() == {*paths}
    stoa.clock.advance(1)
    assert new() == set()
