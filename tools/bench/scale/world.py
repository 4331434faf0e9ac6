"""What a large database holds: every row of it, computed from its number.

A year of a busy service. Everything but the tags grows with the number of replies, and what is old
lies as scattered as it would after a year: the replies of a thread stand between those of others.
"""

import math
import random
from array import array
from collections.abc import Callable, Collection, Iterator
from typing import Any

from stoa.domain.ids import encode_ulid
from stoa.domain.labels import offered_words

END = 1_767_225_600_000
"""The time at which the measurements are made, ms."""
YEAR_MS = 365 * 86_400_000
HOUR_MS = 3_600_000

REPLIES_PER_THREAD = 20
REPLIES_PER_JOB = 20
REPLIES_PER_AGENT = 100
TAGS = [f"tag-{number}" for number in range(40)]
CAPABILITIES = [f"capability {number}" for number in range(40)]
LONG_THREAD = 1000
"""Replies in the first thread: a page in the middle of it is a late one."""
UNFINISHED_JOBS = 1000
"""Jobs that wait for something, the same number in any world: deadlines are a week away at most."""

Row = tuple[Any, ...]
_ONE_KEY = (1, None, None)
"""Of an agent: the number of its key, and no change or retirement."""
_SHOWN = (None, None)
"""Of what moderators have not hidden: no time and no reason of a removal."""
_NO_OUTCOMES = (0, 0, 0, 0, None, None, 0)
"""Of a reply that nobody has said to have used, and that is worth nothing more."""
_ACTIVE = (None, None, 0)
"""Of an agent: no suspension, and no points added to its reputation."""
_READ = (0, None, "", None, None)
"""Of an agent: no standing, no endorsement, a profile that was read, and no wait to be let in."""
_MASK = (1 << 64) - 1
PLAIN = (None, None, None, None, 0)
"""Of a job: no terms."""
ON_OFFER = ("refund", "first", None, None, None)
"""Of a job on offer: no terms."""
_FINISHED = ("COMPLETED",) * 88 + ("REFUNDED_EXPIRED",) * 9 + ("REJECTED_TERMINAL",) * 3
_UNFINISHED = ("OPEN", "OPEN", "OPEN", "CLAIMED", "SUBMITTED")


def _share(place: int, draw: int) -> float:
    """A number from 0 to 1 that looks random and is always the same for these two."""
    mixed = (place * 0x9E3779B97F4A7C15 + draw * 0xC2B2AE3D27D4EB4F) & _MASK
    mixed = ((mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9) & _MASK
    return (mixed >> 11) / (1 << 53)


COLUMNS = {
    "thread": (
        *("id", "author_id", "title", "body", "tags", "status", "accepted_reply_id", "locked"),
        *("reply_count", "answer_count", "created_at", "updated_at", "last_activity_at"),
        *("bounty_id", "eligible_reply_id", "removed_at", "removed_reason"),
        *("withdrawn_at", "addition_count", "imported_score"),
    ),
    "job": (
        *("id", "type", "status", "title", "description", "creator_id", "claimer_id", "tags"),
        *("requirements", "acceptance_criteria", "verification", "effort_estimate", "amount"),
        *("reject_count", "last_reject_reason", "last_reject_message", "submission_count"),
        *("latest_submission_id", "created_at", "deadline", "claimed_at", "submitted_at"),
        *("decided_at", "expired_from", "removed_at", "removed_reason", "terms"),
        *("claim_expires_at", "decide_by", "accepted_by", "cancelled", "due_at", "due_to"),
    ),
}
"""What a row has in the order of PostgreSQL, where SQLite has the columns in another."""


def into(table: str) -> str:
    """Where SQLite inserts rows of a table."""
    return f"{table} ({', '.join(COLUMNS[table])})" if table in COLUMNS else table


class World:
    """Rows of each table, in the order in which they are to be made: replies before threads. What
    is discussed is one of 2,000 texts, or what `text` gives."""

    def __init__(self, replies: int, text: Callable[[], str] | None = None) -> None:
        self.replies = replies
        self.threads = self.replies // REPLIES_PER_THREAD
        self.jobs = self.replies // REPLIES_PER_JOB
        self.agents = self.replies // REPLIES_PER_AGENT
        self.random = random.Random(1)
        syllables = ["ka", "ro", "mi", "ten", "sol", "ve", "lum", "da", "pri", "os", "net", "qua"]
        words = ["".join(self.random.choices(syllables, k=3)) for _ in range(1500)]
        self._texts = [" ".join(self.random.choices(words, k=25)) for _ in range(2000)]
        self._text = text
        self._agent_ids = [self.agent(place) for place in range(self.agents)]
        self._thread_ids = [self.thread(place) for place in range(self.threads)]
        self._job_ids = [self.job(place) for place in range(self.jobs)]
        self._thread_replies = array("L", bytes(8 * self.threads))
        self._thread_active = array("Q", bytes(8 * self.threads))

    def at(self, place: int, count: int) -> int:
        """When the row `place` of `count` was made."""
        return END - YEAR_MS + YEAR_MS * place // count

    def agent(self, place: int) -> str:
        """The id of an agent."""
        return f"ag_{encode_ulid(self.at(place, self.agents), place)}"

    def thread(self, place: int) -> str:
        """The id of a thread."""
        return f"th_{encode_ulid(self.at(place, self.threads), place)}"

    def reply(self, place: int) -> str:
        """The id of a reply."""
        return f"rp_{encode_ulid(self.at(place, self.replies), place)}"

    def job(self, place: int) -> str:
        """The id of a job."""
        return f"job_{encode_ulid(self.at(place, self.jobs), place)}"

    def an_agent(self) -> str:
        """One of the agents; few of them do much of what is done."""
        return self._agent_ids[int(self.agents * self.random.random() ** 3)]

    def thread_of(self, place: int) -> int:
        """The thread of a reply: most often a recent one, now and then the first."""
        if _share(place, 6) < LONG_THREAD / self.replies:
            return 0
        age = int(-50 * math.log(1 - _share(place, 7)))
        return max(0, place // REPLIES_PER_THREAD - age)

    def tables(self, names: Collection[str] = ()) -> Iterator[tuple[str, Iterator[Row]]]:
        """Each table, or each of these, with its rows; threads count the replies made before."""
        rows: dict[str, Callable[[], Iterator[Row]]] = {
            "agent": lambda: map(self._agent_row, range(self.agents)),
            "agent_capability": lambda: map(self._capability_row, range(self.agents)),
            "reply": self._reply_rows,
            "thread": lambda: map(self._thread_row, range(self.threads)),
            "thread_tag": self._thread_tag_rows,
            "job": lambda: map(self._job_row, range(self.jobs)),
            "job_tag": self._job_tag_rows,
            "opportunity": self._opportunity_rows,
            "opportunity_term": self._opportunity_term_rows,
            "opportunity_word": self._opportunity_word_rows,
            "submission": self._submission_rows,
            "job_event": self._job_event_rows,
            "hold": self._hold_rows,
            "ledger_transaction": self._transaction_rows,
            "posting": self._posting_rows,
        }
        for name in names or rows:
            yield name, rows[name]()

    def _agent_row(self, place: int) -> Row:
        at = self.at(place, self.agents)
        own = f'["{CAPABILITIES[place % len(CAPABILITIES)]}"]'
        key = place.to_bytes(32, "big")
        agent_id = self._agent_ids[place]
        reputation = self._reputation(place)
        text = self._texts[place % len(self._texts)]
        profile = (f"agent-{place}", text, own, "active", reputation)
        posted = self._thread_ids[0]  # each has posted before, whatever that was
        return (agent_id, key, *profile, at, at, 1, *_ONE_KEY, *_SHOWN, *_ACTIVE, posted, *_READ)

    @staticmethod
    def _reputation(place: int) -> int:
        return place * 7919 % 1000

    def _capability_row(self, place: int) -> Row:
        name = CAPABILITIES[place % len(CAPABILITIES)]
        return (name, self._agent_ids[place], self._reputation(place), 0)

    def _reply_rows(self) -> Iterator[Row]:
        counts, active = self._thread_replies, self._thread_active
        newest: dict[int, tuple[str, int]] = {}
        chance = self.random.random
        for place in range(self.replies):
            at = self.at(place, self.replies)
            thread = self.thread_of(place)
            order = counts[thread]
            counts[thread] += 1
            active[thread] = at
            reply_id = f"rp_{encode_ulid(at, place)}"
            known = newest.get(thread) if chance() < 0.4 else None
            parent, depth = known if known and known[1] < 32 else (None, -1)
            newest[thread] = (reply_id, depth + 1)
            yield (
                reply_id,
                self._thread_ids[thread],
                order,
                self.an_agent(),
                parent,
                depth + 1,
                "discussion" if parent else "answer",
                self._discussed(place * 7919),
                at,
                *_SHOWN,
                None,
                *_NO_OUTCOMES,
            )

    def _discussed(self, place: int) -> str:
        return self._text() if self._text else self._texts[place % 2000]

    def _tags(self, place: int) -> list[str]:
        """Three tags, of which the first are on many threads and the last on few."""
        return list(dict.fromkeys(TAGS[int(len(TAGS) * _share(place, n) ** 2)] for n in (1, 2, 3)))

    def _thread_row(self, place: int) -> Row:
        at = self.at(place, self.threads)
        tags = str(self._tags(place)).replace("'", '"')
        text = self._discussed(place)
        count = self._thread_replies[place]
        answered = place % 3 == 0 and count > 0
        return (
            self._thread_ids[place],
            self.an_agent(),
            text[:60],
            text,
            tags,
            "answered" if answered else "open",
            self.reply(place) if answered else None,
            0,
            count,
            count if place % 5 else 0,
            at,
            at,
            max(at, self._thread_active[place]),
            None,
            None if answered or not count else self.reply(place),
            *_SHOWN,
            None,
            0,
            None,
        )

    def _thread_tag_rows(self) -> Iterator[Row]:
        for place, thread_id in enumerate(self._thread_ids):
            active = max(self.at(place, self.threads), self._thread_active[place])
            for tag in self._tags(place):
                yield (tag, thread_id, active, self._thread_replies[place])

    def status(self, place: int) -> str:
        """What became of a job; only the newest can be unfinished."""
        if place >= self.jobs - UNFINISHED_JOBS:
            return _UNFINISHED[place % len(_UNFINISHED)]
        return _FINISHED[place * 7919 % len(_FINISHED)]

    def _amount(self, place: int) -> int:
        return 100 * (1 + place * 7919 % 500)

    def _job_agents(self, place: int) -> tuple[str, str]:
        creator = int(self.agents * _share(place, 4) ** 3)
        claimer = (creator + 1 + int((self.agents - 2) * _share(place, 5) ** 3)) % self.agents
        return self._agent_ids[creator], self._agent_ids[claimer]

    def _job_row(self, place: int) -> Row:
        at, status = self.at(place, self.jobs), self.status(place)
        creator, claimer = self._job_agents(place)
        claimed = status not in ("OPEN", "REFUNDED_EXPIRED")
        submitted = claimed and status != "CLAIMED"
        decided = status in ("COMPLETED", "REJECTED_TERMINAL")
        text = self._texts[place % 2000]
        return (
            self._job_ids[place],
            "research",
            status,
            text[:60],
            text,
            creator,
            claimer if claimed else None,
            str(self._tags(place)).replace("'", '"'),
            "[]",
            "[]",
            '{"method":"manual","requirements":[]}',
            None,
            self._amount(place),
            1 if status == "REJECTED_TERMINAL" else 0,
            None,
            None,
            1 if submitted else 0,
            f"js_{encode_ulid(at, place)}" if submitted else None,
            at,
            self._deadline(place),
            at if claimed else None,
            at if submitted else None,
            at if decided else None,
            "OPEN" if status == "REFUNDED_EXPIRED" else None,
            *_SHOWN,
            *PLAIN,
            *((None, None) if status in _FINISHED else (self._deadline(place), "REFUNDED_EXPIRED")),
        )

    def _deadline(self, place: int) -> int:
        """What is open ends after the time of the measurement."""
        if place >= self.jobs - UNFINISHED_JOBS:
            return END + HOUR_MS + place % 1000 * 60_000
        return self.at(place, self.jobs) + 24 * HOUR_MS

    def _job_tag_rows(self) -> Iterator[Row]:
        for place in range(self.jobs):
            for tag in self._tags(place):
                yield (tag, self._job_ids[place], self._amount(place), self._deadline(place))

    def _open_jobs(self) -> Iterator[int]:
        return (place for place in range(self.jobs) if self.status(place) == "OPEN")

    def _opportunity_rows(self) -> Iterator[Row]:
        for place in self._open_jobs():
            creator, _ = self._job_agents(place)
            at = self.at(place, self.jobs)
            yield (
                self._job_ids[place],
                "job",
                creator,
                self._amount(place),
                at,
                self._deadline(place),
                *ON_OFFER,
            )

    def _opportunity_term_rows(self) -> Iterator[Row]:
        for place in self._open_jobs():
            for tag in self._tags(place):
                at = self.at(place, self.jobs)
                yield (tag, 1, "job", self._amount(place), at, self._job_ids[place])

    def _opportunity_word_rows(self) -> Iterator[Row]:
        for place in self._open_jobs():
            for tag in self._tags(place):
                for word in offered_words(tag):
                    yield (word, tag, self._job_ids[place])

    def _submission_rows(self) -> Iterator[Row]:
        for place in range(self.jobs):
            if self.status(place) in ("COMPLETED", "REJECTED_TERMINAL", "SUBMITTED"):
                at = self.at(place, self.jobs)
                _, claimer = self._job_agents(place)
                text = self._texts[place % 2000]
                yield (
                    f"js_{encode_ulid(at, place)}",
                    self._job_ids[place],
                    claimer,
                    text,
                    "[]",
                    at,
                )

    def _job_event_rows(self) -> Iterator[Row]:
        for place in range(self.jobs):
            at, status = self.at(place, self.jobs), self.status(place)
            creator, claimer = self._job_agents(place)
            events = [("created", creator)]
            if status in ("COMPLETED", "REJECTED_TERMINAL", "SUBMITTED", "CLAIMED"):
                events.append(("claimed", claimer))
            if status in ("COMPLETED", "REJECTED_TERMINAL", "SUBMITTED"):
                events.append(("submitted", claimer))
            if status == "COMPLETED":
                events.append(("accepted", creator))
            for position, (event, agent) in enumerate(events):
                yield (self._job_ids[place], position, event, agent, at)

    def _hold_rows(self) -> Iterator[Row]:
        states = {"COMPLETED": "PAID", "REFUNDED_EXPIRED": "REFUNDED"}
        states["REJECTED_TERMINAL"] = "REFUNDED"
        for place in range(self.jobs):
            job_id, (creator, _) = self._job_ids[place], self._job_agents(place)
            state = states.get(self.status(place), "OPEN")
            at = self.at(place, self.jobs)
            amount, deadline = self._amount(place), self._deadline(place)
            yield (job_id, "job", job_id, creator, amount, state, at, deadline, 0)

    def _movements(self) -> Iterator[tuple[str, str, str, int, tuple[str, str], int]]:
        """`(id, kind, reference, time, (from, to), amount)` of each transaction."""
        for place in range(self.jobs):
            at, job_id = self.at(place, self.jobs), self._job_ids[place]
            creator, claimer = self._job_agents(place)
            held, amount = f"hold:{job_id}", self._amount(place)
            tx = f"tx_{encode_ulid(at, 2 * place)}"
            yield tx, "hold", job_id, at, (f"agent:{creator}", held), amount
            if self.status(place) == "COMPLETED":
                tx = f"tx_{encode_ulid(at, 2 * place + 1)}"
                yield tx, "payout", job_id, at, (held, f"agent:{claimer}"), amount

    def _transaction_rows(self) -> Iterator[Row]:
        for tx, kind, reference, at, _, _ in self._movements():
            yield (tx, kind, "job", reference, at)

    def _posting_rows(self) -> Iterator[Row]:
        for tx, _, _, _, (source, target), amount in self._movements():
            yield (source, tx, -amount, 0)
            yield (target, tx, amount, amount)
