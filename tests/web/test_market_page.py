"""The page of the market: its charts, tables and who offers work."""

import re

import pytest

from stoa.web.charts import median_chart
from tests.support import jobs
from tests.support.app import App
from tests.support.clock import DAY, HOUR, MINUTE
from tests.support.moderation import act
from tests.web.reading import PAGE_BYTES, Square, page


def test_the_market_draws_its_charts_with_a_table_each(stoa: App) -> None:
    other = stoa.agent("other")
    Square(stoa, "plain", other)
    html = page(stoa, "/market").text
    charts = ("New agents", "New threads", "Answers", "Jobs by status", "Credits paid")
    for title in (*charts[:2], "Jobs by status", "All jobs"):
        assert f"<h3>{title}</h3>" in html
    assert html.count("<svg ") == 1  # a chart of one bar is a sentence
    assert "<p>2 on 15 Jan.</p>" in html
    assert "open: 1, claimed: 0," in html
    assert ">Nothing in these 30 days: answers, credits paid, hours to decide.</p>" in html
    assert ">Nothing to compare yet: how long jobs take.</p>" in html
    assert html.count("As a table") == 1
    stoa.clock.advance(DAY)
    other.sign_in()
    other.thread()
    html = page(stoa, "/market").text
    assert html.index("<h3>New threads</h3>") < html.index("<h3>New agents</h3>")
    assert html.count('<tr><th scope="row">2027-01-15</th>') == 1


def test_a_market_on_which_nothing_happened_draws_nothing(stoa: App) -> None:
    html = page(stoa, "/market").text
    assert "<svg " not in html
    assert re.findall('class="empty">(Nothing .*): ', html) == [
        *("Nothing in these 30 days", "Nothing to compare yet")
    ]
    assert 'class="keys"' not in html


def test_the_market_shows_what_became_of_jobs_and_how_long_it_took(stoa: App) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    for status in jobs.STATUSES[:6]:
        jobs.job_in(status, ada, bob)
    waiting = [jobs.job_in("SUBMITTED", ada, bob) for _ in range(3)]
    stoa.clock.advance(90 * MINUTE)
    for agent in (ada, bob):
        agent.sign_in()
    for job in waiting:
        jobs.done(ada, job, "accept")
    html = page(stoa, "/market").text
    assert re.findall(r'<span class="key \w+"></span>([^<]*)<', html) == [
        *("completed 4", "ended unpaid 1", "being worked on 3", "open 1")
    ]
    stoa.clock.advance(DAY)
    ada.sign_in()
    jobs.offer(ada, 1)
    html = page(stoa, "/market").text
    assert 'aria-label="Jobs by status: 10 in the last 30 days' in html
    assert (
        "<title>2027-01-15: 4 completed, 1 ended unpaid, 3 being worked on, 1 open</title>"
        '<rect class="completed"' in html
    )
    assert re.search(r"2027-01-15</th>(<td>\d</td>){7}</tr>", html)
    assert "<p>1.5 on 15 Jan.</p>" in html


def test_the_market_of_a_busy_month_is_a_small_page(stoa: App) -> None:
    creator, worker = stoa.agent("creator"), stoa.agent("worker")
    for _ in range(30):
        stoa.clock.advance(DAY)
        for agent in (creator, worker):
            agent.sign_in()
        jobs.job_in("COMPLETED", creator, worker, rewardCredits=1)
        jobs.offer(creator, 1, deadlineHours=1)
        creator.reply(creator.thread())
    html = page(stoa, "/market")
    assert html.text.count('<rect class="completed"') == 30
    assert len(html.content) <= PAGE_BYTES


def test_a_day_without_a_decision_has_no_bar_and_no_number() -> None:
    days = [("2027-01-14", None), ("2027-01-15", 0.25)]
    chart = median_chart("Hours to decide", "hours", "", days)
    assert chart.rows == (("2027-01-14", "–"), ("2027-01-15", "0.25"))
    assert [len(column.bars) for column in chart.columns] == [0, 1]
    assert chart.grid[-1].label == "0.3"
    none_and_zero = median_chart("", "", "", [("2027-01-14", None), ("2027-01-15", 0)])
    assert none_and_zero.highest == none_and_zero.columns[1]
    at_once = median_chart("Hours to decide", "hours", "", [("2027-01-15", 0)])
    assert at_once.words.description.endswith(
        "the median of 1 of 1 days, longest on 15 Jan with 0."
    )


def test_the_market_says_who_offers_work_and_how_it_has_paid(stoa: App) -> None:
    payer, silent, worker = (stoa.agent(name) for name in ("payer", "silent", "worker"))
    jobs.job_in("COMPLETED", payer, worker)
    for requester in (silent, payer, payer):
        jobs.offer(requester, 2)
    rows = re.findall(r'<a href="/agents/(\w+)">\w+</a></th>(.*?)</tr>', page(stoa, "/market").text)
    assert [agent for agent, _ in rows] == [payer.id, silent.id]
    assert re.findall("<td>([^<]*)", rows[0][1])[:4] == ["2", "4", "1", "0"]
    assert re.findall("<td>([^<]*)", rows[1][1]) == ["1", "2", "0", "0", "\u2013"]


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_the_market_says_what_happened_in_a_day_a_week_and_a_month(stoa: App) -> None:
    requester, worker = stoa.agent("requester"), stoa.agent("worker")
    worker.reply(requester.thread())
    jobs.job_in("COMPLETED", requester, worker, rewardCredits=3)
    spans = ("24 h", "7 days", "30 days")
    figures = {
        "agents": 2,
        "threads": 1,
        "answers": 1,
        "jobs created": 1,
        "jobs completed": 1,
        "credits paid": 3,
    }

    def shown() -> dict[str, list[str]]:
        html = page(stoa, "/market").text
        heads = re.findall('<th scope="col" class="right">([^<]*)', html)
        rows = re.findall(
            r'<th scope="row">([a-z ]+)</th>((?:<td class="right">[0-9]+</td>)+)', html
        )
        return {"": heads} | {name: re.findall("[0-9]+", row) for name, row in rows}

    for hours, seen in ((0, 3), (23, 3), (2, 2), (6 * 24, 1)):
        stoa.clock.advance(hours * HOUR)
        expected = {name: [str(value)] * seen for name, value in figures.items()}
        assert shown() == {"": [*spans]} | {
            name: ["0"] * (3 - seen) + values for name, values in expected.items()
        }


def test_a_market_without_an_offer_says_what_was_wanted_and_who_paid(stoa: App) -> None:
    creator, worker = stoa.agent("creator"), stoa.agent("worker")
    hidden = jobs.job_in("COMPLETED", creator, worker, rewardCredits=2, tags=["secret"])
    for _ in range(2):  # that are the same
        jobs.job_in("COMPLETED", creator, worker, rewardCredits=3, tags=["sql", "slow"])
    asked = creator.thread(tags=["sql"], bountyCredits=4)
    creator.accept(asked, worker.reply(asked)).ok()
    act(stoa, hidden, "hide")
    stoa.clock.advance(MINUTE)
    html = page(stoa, "/market").text
    assert re.findall(r"<a [^>]*>(\w+)</a></th><td>(\d+)</td><td>([\d.]+)</td>", html) == [
        *(("sql", "3", "10"), ("slow", "2", "6"), ("creator", "3", "8"))
    ]
    assert "Nobody offers anything at the moment. In the last 30 days these paid" in html
    text = stoa.get("/market", headers={"Accept": "text/markdown"}).text
    assert "[sql](/tags/sql): 3, 10 " in text
    assert f"[creator](/agents/{creator.id}): 3 jobs for 8 credits; 3 jobs paid" in text
    stoa.clock.advance(31 * DAY)
    html = page(stoa, "/market").text
    assert "Nothing with a tag was on offer in the last 30 days." in html
    assert "In the last 30 days these paid" not in html


def test_a_requester_that_decides_at_once_is_not_said_to_decide_in_0_hours(stoa: App) -> None:
    creator = stoa.agent("creator")
    jobs.job_in("COMPLETED", creator, stoa.agent("worker"))
    jobs.offer(creator, 1)
    text = stoa.get("/opportunities", headers={"Accept": "text/markdown"}).text
    assert "its requester has paid 1 job and decides within an hour" in text
    text = stoa.get("/market", headers={"Accept": "text/markdown"}).text
    assert "1 job paid, 0 left undecided, decides within an hour" in text
