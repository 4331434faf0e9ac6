"""Jobs that are offered to one agent or want a score, messages about jobs, and agents who retire:
all as the model says, while everything else of paid work goes on."""

import hypothesis.strategies as st
import pytest
from hypothesis.stateful import precondition, rule

from tests.model.forms import iso, terms_of
from tests.model.recorded import check_record
from tests.model.square import Square
from tests.model.test_market_model import MarketWork
from tests.model.test_paid_model import amounts, compare, lives, on, terms, which
from tests.support import jobs
from tests.support.clock import START
from tests.support.ledger import rows
from tests.support.moderation import moderate
from tests.support.reuse import Reused

recipients = st.sampled_from([None, None, "everyone", "parties"])
wants = st.tuples(st.sampled_from([0, 0, 10, 20]), st.booleans())


class SquareWork(MarketWork):
    """Takes the steps of a market, and those of a square."""

    def __init__(self) -> None:
        super().__init__()
        self.town = self.market = self.square = Square(START)

    def is_away(self, index: int) -> bool:
        """Whether an agent has retired."""
        return index in self.square.retired

    @rule(number=which, to=st.none() | which, wanted=wants, reward=amounts, life=lives, ends=terms)
    def offer_to(
        self,
        number: int,
        to: int | None,
        wanted: tuple[int, bool],
        reward: int,
        life: int,
        ends: int | None,
    ) -> None:
        """An agent offers a job to another, or to those with a score."""
        index, agent = self.pick(self.agents, number)
        only = None if to is None else to % len(self.agents)
        score, is_chosen = wanted if only is None else (wanted[0], False)
        more = terms_of(ends, None, is_chosen=is_chosen).get("terms", {})
        more |= {} if only is None else {"offeredTo": self.agents[only].id}
        more |= {"requires": {"reputation": score}} if score else {}
        deadline = iso((self.clock.now + life) / 1000)
        job = jobs.new_job(reward / 100, deadline=deadline, **({"terms": more} if more else {}))
        answer = self.send(agent, "create_job", job)
        rule_of, promised = self.square.offer_to, (ends, None)
        refused = rule_of(index, (reward, life), promised, only, (score, is_chosen))
        self.agree(answer, refused)
        if answer.status == 201:
            self.jobs.append(answer["job"]["id"])

    @precondition(lambda self: self.jobs)
    @rule(job=which, writers=st.lists(st.tuples(which, recipients), min_size=1, max_size=5))
    def talk(self, job: int, writers: list[tuple[int, str | None]]) -> None:
        """Agents write messages about a job. Those of the same millisecond have no order if several
        processes write, or if one has started anew; a bounty offered again takes the next."""
        place, job_id = self.pick(self.jobs, job)
        known = self.town.jobs[place]
        for number, to in writers:
            self.wait(10)
            message = {"jobId": job_id, "body": "b"} | ({"to": to} if to else {})
            index = number % len(self.agents)
            refused = self.square.write(index, known, to)
            self.step(index, "create_job_message", message, refused)
        self.check_messages(place)

    @rule(number=which)
    def retire(self, number: int) -> None:
        """An agent retires, if others are left."""
        index, agent = self.pick(self.agents, number)
        if len(self.agents) - len(self.square.retired) < 3:
            return
        body = {"confirm": agent.id}
        tried = agent.post("agents/me/retire?dryRun=true", body)
        answer = agent.post("agents/me/retire", body)
        assert (tried.status, tried.code) == (answer.status, answer.code)
        self.agree(answer, self.square.retire(index))
        self.check_agent(index)

    @rule(number=which)
    def recover(self, number: int) -> None:
        """The recovery key is used of an agent that has not retired."""
        promised = [index for index in range(len(self.agents)) if self.town.holds(index)]
        _, index = self.pick(promised or range(len(self.agents)), number)
        if not self.is_away(index):
            super().recover(number)

    @rule(number=which, points=st.integers(-1000, 1000).filter(bool))
    def adjust(self, number: int, points: int) -> None:
        """A moderator gives an agent points that has not retired."""
        index, agent = self.pick(self.agents, number)
        if self.is_away(index):
            answer = moderate(self.mod, agent.id, "adjust", points=points)
            self.agree(answer, "moderation_not_possible")
        else:
            super().adjust(number, points)

    def _open_jobs(self) -> list[tuple[int, int, str, int]]:
        return self._offered(None)

    def _for_one(self, index: int) -> list[tuple[int, int, str, int]]:
        return self._offered(index)

    def _offered(self, to: int | None) -> list[tuple[int, int, str, int]]:
        return [
            (known.reward, known.created_at, job_id, known.creator)
            for job_id, known in zip(self.jobs, self.town.jobs, strict=True)
            if known.status == "OPEN" and not known.is_chosen and known.offered_to == to
        ]

    def look_at_feeds(self, number: int) -> None:
        """An agent that has not retired reads what can be earned."""
        if not self.is_away(number % len(self.agents)):
            super().look_at_feeds(number)

    def check_messages(self, place: int) -> None:
        """Parties and nobody in particular must be shown the messages that are for them."""
        self.count()
        known, path = self.town.jobs[place], f"jobs/{self.jobs[place]}/messages?limit=100"
        ids = [agent.id for agent in self.agents]
        readers = [index for index in range(len(ids)) if not self.is_away(index)]
        for reader in (None, *readers):
            answer = (self.app if reader is None else self.agents[reader]).get(path)
            if self.town.is_gone(known, reader):
                answer.refused(410, "removed")
            else:
                shown = [ids.index(one["authorAgentId"]) for one in answer.ok()["messages"]]
                assert shown == self.square.messages(known, reader)

    def check_job(self, place: int) -> None:
        """A job must also have its messages."""
        super().check_job(place)
        self.check_messages(place)

    def check_agent(self, index: int) -> None:
        """Who has retired must have nothing."""
        if not self.is_away(index):
            super().check_agent(index)
            return
        agent = self.agents[index]
        agent.get("credits/balance").refused(401, "invalid_or_expired_token")
        found = rows(self.app, "SELECT balance FROM account WHERE id = ?", f"agent:{agent.id}")
        assert found == [(0,)]
        check_record(self.app, agent.id, index, self.town.agents)


@pytest.mark.long
def test_two_hundred_steps_on_a_square_agree_with_the_model() -> None:
    compare(200, SquareWork)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_five_thousand_steps_on_a_square_on_postgresql_agree_with_the_model(
    reused: Reused,
) -> None:
    compare(5000, on(reused, SquareWork))


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_forty_thousand_steps_on_a_square_agree_with_the_model() -> None:
    compare(40_000, SquareWork)
