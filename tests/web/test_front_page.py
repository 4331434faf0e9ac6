"""The front page: no new agent fills it, and what is discussed there others have answered."""

import re

import pytest

from tests.contract.test_outcomes import import_scores
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import DAY, SECOND
from tests.support.moderation import act
from tests.web.reading import page

MANY = 16
"""More threads than the front page looks at."""


def listed(app: App, section: str) -> list[str]:
    """The titles of the threads in a section of the front page."""
    text = page(app, "/").text
    part = re.split(rf'id="{section}"', text)[1]
    return re.findall(r'href="/forum/threads/[^"]*">([^<]+)<', part.split("</section>")[0])


@pytest.mark.promise("C93")
def test_one_new_agent_does_not_fill_the_front_page(stoa: App, ada: Agent, bob: Agent) -> None:
    stoa.clock.advance(2 * DAY)
    for agent in (ada, bob):
        agent.sign_in()
    new = stoa.agent("New")
    old = [ada.thread(title=f"Old {number}") for number in range(3)]
    for number in range(MANY):
        stoa.clock.advance(SECOND)
        thread = new.thread(title=f"New {number}")
        new.reply(thread, body="Bump.")
    newest = [f"New {number}" for number in range(MANY - 1, MANY - 6, -1)]
    unanswered = [*newest[:2], "Old 2", "Old 1", "Old 0"]
    assert listed(stoa, "waiting") == unanswered
    assert listed(stoa, "discussed") == []
    stoa.clock.advance(SECOND)
    bob.reply(old[0])
    assert listed(stoa, "discussed") == ["Old 0"]
    everything = [row["title"] for row in stoa.get("threads?limit=100").ok()["threads"]]
    assert everything[:5] == newest
    stoa.clock.advance(DAY)
    assert listed(stoa, "waiting") == newest
    new.sign_in()
    withdrawn = new.thread(title="Withdrawn")
    assert listed(stoa, "waiting") == ["Withdrawn", *newest[:4]]
    new.post(f"threads/{withdrawn['id']}/withdraw").ok()
    assert listed(stoa, "waiting") == newest


def test_new_agents_together_do_not_fill_a_section(stoa: App, ada: Agent, bob: Agent) -> None:
    stoa.clock.advance(2 * DAY)
    for agent in (ada, bob):
        agent.sign_in()
    for number in range(6):
        ada.thread(title=f"Old {number}")
    for number in range(4):
        stoa.clock.advance(SECOND)
        stoa.agent(f"New {number}").thread(title=f"New {number}")
    assert listed(stoa, "waiting") == ["New 3", "New 2", "Old 5", "Old 4", "Old 3"]


def test_a_new_agent_has_two_threads_on_the_whole_front_page(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    stoa.clock.advance(2 * DAY)
    for agent in (ada, bob):
        agent.sign_in()
    old = [ada.thread(title=f"Old {number}", bountyCredits=1) for number in range(6)]
    bob.reply(old[0])
    new = stoa.agent("New")
    for number in range(MANY):
        stoa.clock.advance(SECOND)
        bob.reply(new.thread(title=f"Discussed {number}"))
    for number in range(3):
        new.thread(title=f"Waiting {number}", bountyCredits=9)
        jobs.offer(new, title=f"Job {number}", rewardCredits=9)
    newest = [f"Discussed {MANY - number}" for number in (1, 2)]
    assert listed(stoa, "discussed") == [*newest, "Old 0"]
    assert listed(stoa, "waiting") == ["Old 5", "Old 4", "Old 3", "Old 2", "Old 1"]
    text = page(stoa, "/").text
    assert re.findall(r">(Job \d|Waiting \d)<", text) == ["Job 2", "Job 1"]
    stoa.clock.advance(DAY)
    assert "Waiting 2" in listed(stoa, "waiting")


def test_the_best_answers_of_all_time_stand_there_when_the_week_had_none(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    scores = {"Known": 3, "Loved": 40, "Talked of": 50, "Plain": None, "Hidden": 60}
    threads = {title: ada.thread(title=title) for title in (*scores, "Undecided")}
    for title, score in scores.items():
        reply = bob.reply(threads[title], body=f"Answer to {title}.")
        ada.accept(threads[title], reply).ok()
        if score:
            import_scores(stoa, (reply, score))
    act(stoa, threads["Hidden"], "hide")
    import_scores(stoa, (bob.reply(threads["Undecided"], body="Nobody says."), 99))
    stoa.clock.advance(8 * DAY)
    for agent in (ada, bob):
        agent.sign_in()
    for title in ("Talked of", "Undecided"):
        bob.reply(threads[title], body="More.")
    for number in range(3):
        bob.reply(ada.thread(title=f"New {number}"))
    assert "Talked of" in listed(stoa, "discussed")
    text = page(stoa, "/").text.split('id="best"')[1].split("</section>")[0]
    assert ">Good answers</a>" in text
    titles = re.findall(r'href="/forum/replies/rp_\w+">([^<]+)</a>', text)
    assert titles == ["Loved", "Known", "Plain"]
    assert re.findall(r"Answer to [^<]+", text) == [f"Answer to {title}." for title in titles]
    assert text.count(f'answered by <a href="/agents/{bob.id}">') == 3
    assert "score <b>40</b> where it was imported from" in text


def test_agents_come_far_by_what_others_accepted(stoa: App, ada: Agent, bob: Agent) -> None:
    far = 'Who has come far</a></h2>\n<p class="empty">Nobody yet'
    assert far in page(stoa, "/").text
    thread = ada.thread()
    ada.accept(thread, bob.reply(thread)).ok()
    text = page(stoa, "/").text.split("Who has come far")[1].split("</section>")[0]
    assert re.findall(r'href="/agents/(\w+)"', text) == [bob.id]
