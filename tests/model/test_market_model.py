"""All of paid work goes on as the model says: creators choose workers and think again, while keys
are recovered, moderators act, and the server starts anew."""

from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis.stateful import precondition, rule

from tests.model.market import Market
from tests.model.test_paid_model import Sent, amounts, compare, lives, on, terms, which
from tests.model.town import DAY, HOUR
from tests.model.watched_work import WatchedWork
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import START
from tests.support.reuse import Reused

CHOICES = st.lists(st.tuples(which, st.sampled_from(["apply", "apply", "withdraw", "assign"])))
CHANGES = ["cancel", "raise", "extend", "append"]
WITHDRAWALS = ["bounty", "thread", "reply"]
later = st.sampled_from([HOUR // 2, DAY, 72 * HOUR, 168 * HOUR])


class MarketWork(WatchedWork):
    """Takes the steps of a watched town, and those of second thoughts."""

    def __init__(self) -> None:
        super().__init__()
        self.town = self.market = Market(START)
        self.started_at = self.steps

    @precondition(lambda self: self.steps - self.started_at > 20)
    @rule()
    def restart(self) -> None:
        """The server starts anew."""
        self.started_at = self.steps
        settings = self.app.settings
        self.app.close()
        kept = self.databases[settings.database_url] if self.databases else None
        self.app = App(settings, self.clock, kept)
        for agent in (self.mod, *self.agents):
            agent.app = self.app

    @rule(number=which, reward=amounts, life=lives, claim_life=terms, review=terms)
    def offer_to_choose(
        self, number: int, reward: int, life: int, claim_life: int | None, review: int | None
    ) -> None:
        """An agent offers a job, and will choose who works."""
        self.offer_as(number, reward, life, (claim_life, review), is_chosen=True)

    def step(self, agent: int, tool: str, arguments: dict[str, Any], refusal: str | None) -> None:
        """An agent does something, and what comes of it is what the model says."""
        self.agree(self.send(self.agents[agent], tool, arguments), refusal)

    @precondition(lambda self: self.jobs)
    @rule(job=which, among_chosen=st.booleans(), choices=CHOICES, by_creator=st.booleans())
    def choose(
        self, job: int, among_chosen: bool, choices: list[tuple[int, str]], by_creator: bool
    ) -> None:
        """Agents apply for a job, take that back, and one chooses."""
        chosen = [place for place, known in enumerate(self.town.jobs) if known.is_chosen]
        _, place = self.pick(chosen if among_chosen and chosen else range(len(self.jobs)), job)
        known, named = self.town.jobs[place], {"jobId": self.jobs[place]}
        for number, action in choices:
            index = number % len(self.agents)
            if action == "apply":
                wish = {**named, "message": "I can."}
                self.step(index, "apply_to_job", wish, self.market.apply(index, known))
            elif action == "withdraw":
                refused = self.market.withdraw_application(index, known)
                self.step(index, "withdraw_application", named, refused)
            else:
                by = known.creator if by_creator else number // 7 % len(self.agents)
                choice = {**named, "agentId": self.agents[index].id}
                self.step(by, "assign_job", choice, self.market.assign(by, known, index))
        self.check_job(place)

    @precondition(lambda self: self.jobs)
    @rule(
        job=which,
        number=which,
        by_creator=st.booleans(),
        change=st.sampled_from(CHANGES),
        amount=amounts,
        life=later,
    )
    def think_again(
        self, job: int, number: int, by_creator: bool, change: str, amount: int, life: int
    ) -> None:
        """An agent, often the creator, changes a job."""
        place, job_id = self.pick(self.jobs, job)
        known = self.town.jobs[place]
        by = known.creator if by_creator else number % len(self.agents)
        named: dict[str, Any] = {"jobId": job_id}
        match change:
            case "cancel":
                self.step(by, "cancel_job", named, self.market.cancel_own(by, known))
            case "raise":
                more = {**named, "rewardCredits": amount / 100}
                self.step(by, "raise_reward", more, self.market.raise_reward(by, known, amount))
            case "extend":
                longer = {**named, "deadlineHours": life / HOUR}
                self.step(by, "extend_deadline", longer, self.market.extend(by, known, life))
            case _:
                text = {**named, "body": "And this."}
                self.step(by, "append_to_job", text, self.market.append(by, known))
        self.check_job(place)

    @precondition(lambda self: self.threads)
    @rule(thread=which, number=which, by_author=st.booleans(), amount=amounts)
    def offer_bounty(self, thread: int, number: int, by_author: bool, amount: int) -> None:
        """An agent, often the author, offers or raises a bounty."""
        place, (thread_id, _) = self.pick(self.threads, thread)
        known = self.town.threads[place]
        by = known.author if by_author else number % len(self.agents)
        named = {"threadId": thread_id, "credits": amount / 100}
        self.step(by, "offer_bounty_later", named, self.market.offer_bounty(by, known, amount))
        self.check_thread(place)

    @precondition(lambda self: self.threads)
    @rule(thread=which, number=which, by_author=st.booleans(), what=st.sampled_from(WITHDRAWALS))
    def withdraw(self, thread: int, number: int, by_author: bool, what: str) -> None:
        """An agent, often the author, withdraws a bounty, a thread or a reply."""
        place, (thread_id, replies) = self.pick(self.threads, thread)
        known = self.town.threads[place]
        named = {"threadId": thread_id}
        if what == "reply" and replies:
            reply, reply_id = self.pick(replies, number)
            by = known.replies[reply] if by_author else number % len(self.agents)
            refused = self.market.withdraw_reply(by, known, reply)
            self.step(by, "withdraw_reply", {"replyId": reply_id}, refused)
        elif what != "reply":
            by = known.author if by_author else number % len(self.agents)
            is_bounty = what == "bounty"
            rule = self.market.withdraw_bounty if is_bounty else self.market.withdraw_thread
            self.step(by, f"withdraw_{what}", named, rule(by, known))
        self.check_thread(place)

    def lately(self) -> list[Sent]:
        """Also without the writes whose answers show what their agent has withdrawn since: less of
        these is given again."""
        withdrawn = [*self._withdrawn()]
        return [
            sent
            for sent in super().lately()
            if not any(of is sent.agent and one in sent.answer.text for of, one in withdrawn)
        ]

    def _withdrawn(self) -> Iterator[tuple[Agent, str]]:
        """The threads and replies that were withdrawn, with their authors."""
        for (thread_id, replies), known in zip(self.threads, self.town.threads, strict=True):
            if known.withdrawn:
                yield self.agents[known.author], thread_id
            for number in known.withdrawn_replies:
                yield self.agents[known.replies[number]], replies[number]

    @rule(number=which)
    def look_at_feeds(self, number: int) -> None:
        """An agent reads what can be earned, and what can be applied for."""
        super().look_at_feeds(number)
        shown = self.app.get("opportunities?limit=100&assignment=chosen").ok()["opportunities"]
        assert {row["id"] for row in shown} == {
            job_id
            for job_id, known in zip(self.jobs, self.town.jobs, strict=True)
            if known.status == "OPEN" and known.is_chosen
        }

    def check_job(self, place: int) -> None:
        """A job must also have as many additions, and be applied for by those the model has."""
        super().check_job(place)
        known, agent = self.town.jobs[place], self.agents[self.town.jobs[place].creator]
        if self.town.is_gone(known, known.creator) or self.is_away(known.creator):
            return
        job = jobs.read({"id": self.jobs[place]}, agent)
        assert len(job.get("additions", ())) == known.additions
        listed = agent.get(f"jobs/{self.jobs[place]}/applications").ok()["applications"]
        applied = [index for index, ends in known.applications.items() if ends > self.clock.now]
        assert {row["agentId"] for row in listed} == {self.agents[index].id for index in applied}

    def check_thread(self, place: int) -> None:
        """A thread must also say whether it was withdrawn, and which of its replies."""
        super().check_thread(place)
        known, (thread_id, replies) = self.town.threads[place], self.threads[place]
        if self.town.is_gone(known):
            return
        shown = self.app.get(f"threads/{thread_id}").ok()["thread"]
        assert ("withdrawnAt" in shown) is known.withdrawn
        listed = self.app.get(f"threads/{thread_id}/replies?limit=100").ok()["replies"]
        withdrawn = {one["id"] for one in listed if "withdrawnAt" in one}
        assert withdrawn == {replies[number] for number in known.withdrawn_replies}


@pytest.mark.promise("C60")
@pytest.mark.long
def test_two_hundred_steps_on_a_market_agree_with_the_model() -> None:
    compare(200, MarketWork)


@pytest.mark.long
def test_fifty_steps_on_a_market_on_postgresql_agree_with_the_model(reused: Reused) -> None:
    compare(50, on(reused, MarketWork))


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_forty_five_thousand_steps_on_a_market_agree_with_the_model() -> None:
    compare(45_000, MarketWork)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_five_thousand_steps_on_a_market_on_postgresql_agree_with_the_model(
    reused: Reused,
) -> None:
    compare(5000, on(reused, MarketWork))
