"""Accepted answers that did not work fall behind those that did, by score everywhere."""

from random import Random
from typing import Any

import pytest

from tests.contract.test_outcomes import citizens, count, say
from tests.support.app import Agent, App
from tests.support.clock import DAY, HOUR

OTHERS = 8
"""Agents that know none of the authors; five of them find that the accepted answer is wrong."""


class Town:
    """Who asks, who answers, and who says how it went: others, a friend of the wrong author, and
    agents whose words do not count."""

    def __init__(self, stoa: App) -> None:
        self.stoa = stoa
        self.asker, self.wrong, self.right = (
            stoa.agent(name) for name in ("asks", "errs", "knows")
        )
        *self.others, self.friend = citizens(
            stoa, *(f"agent{number}" for number in range(OTHERS)), "friend"
        )
        self.newcomers: list[Agent] = []
        self.wake(0)
        thread = self.friend.thread()
        self.friend.accept(thread, self.wrong.reply(thread)).ok()

    def wake(self, hour: int) -> None:
        """Let all sign in again; twice a day newcomers take the place of those before."""
        if hour % 12 == 0:
            self.newcomers = [self.stoa.agent(f"newcomer{hour}.{place}") for place in range(3)]
        known = (self.asker, self.wrong, self.right, self.friend, *self.others)
        for agent in (*known, *self.newcomers):
            agent.sign_in()

    def thread(self, word: str, chance: Random) -> tuple[Any, Any, Any]:
        """A thread with a wrong accepted answer and one that worked, in any order."""
        thread = self.asker.thread(f"{word} of two answers", "Which one works?")
        authors = [self.wrong, self.right]
        chance.shuffle(authors)
        replies = {author.id: author.reply(thread) for author in authors}
        wrong, right = replies[self.wrong.id], replies[self.right.id]
        self.asker.accept(thread, wrong).ok()
        chance.shuffle(self.others)
        for agent in self.others[:5]:
            say(agent, wrong, "did_not_work").ok(201)
        for agent in chance.sample(self.others[5:], chance.randint(0, 3)):
            say(agent, wrong, chance.choice(("worked", "worked_with_changes"))).ok(201)
        for agent in chance.sample(self.others, chance.randint(1, 4)):
            say(agent, right).ok(201)
        for agent in (self.friend, *self.newcomers):
            say(agent, wrong).ok(201)
        return thread, wrong, right

    def lonely(self, word: str) -> Any:
        """A thread whose only answer is accepted, and wrong."""
        thread = self.asker.thread(f"{word} of one answer", "Does it work?")
        reply = self.wrong.reply(thread)
        self.asker.accept(thread, reply).ok()
        for agent in self.others[:5]:
            say(agent, reply, "did_not_work").ok(201)
        return thread

    def order(self, word: str, chance: Random) -> bool:
        """Whether what is wrong stands behind in the API, on the page and in the search."""
        lonely = self.lonely(word) if chance.random() < 0.5 else None
        thread, wrong, right = self.thread(word, chance)
        lonely = lonely or self.lonely(word)
        count(self.stoa)
        listed = self.stoa.get(f"threads/{thread['id']}/replies?sort=score").ok()["replies"]
        path = f"/forum/threads/{thread['id']}?sort=score"
        page = self.stoa.get(path, headers={"accept": "text/html"}).text
        found = self.stoa.get(f"search?q={word}&sort=score").ok()["threads"]
        return (
            [one["id"] for one in listed] == [right["id"], wrong["id"]]
            and 0 < page.find(f'id="{right["id"]}"') < page.find(f'id="{wrong["id"]}"')
            and [one["id"] for one in found] == [thread["id"], lonely["id"]]
        )


def share(stoa: App, threads: int) -> float:
    """The share of so many threads in which what is wrong stands behind everywhere."""
    town, behind = Town(stoa), 0
    for seed in range(threads):
        behind += town.order(f"riddle{seed:03}x", Random(seed))
        stoa.clock.advance(HOUR)
        town.wake(seed + 1)
    return behind / threads


@pytest.mark.costly
def test_a_wrong_accepted_answer_stands_behind_one_that_worked(stoa: App) -> None:
    assert share(stoa, 3) == 1


@pytest.mark.soak
def test_of_two_hundred_wrong_accepted_answers_nearly_all_stand_behind(stoa: App) -> None:
    assert share(stoa, 200) >= 0.95


def race(stoa: App, reply: Any, agent: Agent) -> None:
    """Say two things at once, and again what was said first."""
    said = [
        agent.ask("POST", f"replies/{reply['id']}/outcomes", {"result": result})
        for result in ("worked", "did_not_work", "worked")
    ]
    assert {answer.status for answer in stoa.together(*said)} == {201}


@pytest.mark.parametrize("races", [10, pytest.param(200, marks=pytest.mark.soak)])
def test_however_often_agents_race_each_counts_once(
    stoa: App, ada: Agent, bob: Agent, races: int
) -> None:
    (carl,) = citizens(stoa, "Carl")
    for number in range(races):
        if number % 20 == 0:
            stoa.clock.advance(DAY)
            for agent in (ada, bob, carl):
                agent.sign_in()
        reply = bob.reply(ada.thread())
        race(stoa, reply, carl)
        count(stoa)
        read = stoa.get(f"replies/{reply['id']}").ok()["reply"]
        (left,) = stoa.get(f"replies/{reply['id']}/outcomes").ok()["outcomes"]
        assert abs(read["score"]) == 1
        assert sum(read["outcomes"].values()) == 1
        assert (read["score"] == 1) == (left["result"] == "worked")
