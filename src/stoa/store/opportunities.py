"""The feeds of what can be earned now: ids and order keys of open jobs and bounties."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from stoa.domain.terms import WorkTerms
from stoa.store.places import AFTER_EVERYTHING
from stoa.store.tx import Tx, Value


class OpportunityRow(NamedTuple):
    """Where an opportunity stands; `terms` is a JSON array of what it shares with an agent."""

    id: str
    type: str
    amount: int
    created_at: int
    terms: str
    overlap: int = 0

    @property
    def place(self) -> tuple[int, int, int, str]:
        """Its place in the order of recommendations."""
        return self.overlap, self.amount, self.created_at, self.id


OfferPosition = tuple[int, int, int, str]
_LARGEST = 1 << 62
START: OfferPosition = (_LARGEST, _LARGEST, _LARGEST, AFTER_EVERYTHING)


NEW_THREAD = "threads.insert"
"""A new thread is neither locked nor hidden, so that it changes nothing that is on offer."""


def _json(values: Sequence[str | tuple[str, str]]) -> str:
    return msgspec.json.encode(values).decode()


async def insert(
    tx: Tx,
    opportunity_type: str,
    opportunity_id: str,
    author_id: str,
    amount: int,
    expires_at: int,
    terms: set[tuple[str, bool]],
    *,
    created_at: int | None = None,
    promised: WorkTerms | None = None,
) -> None:
    """Put an open job or bounty into the feeds; `terms` are `(normalised term, is a tag)`. A job
    has what its creator `promised`, and may be an older one (`created_at`, ms) that is open
    again."""
    made_at = tx.now if created_at is None else created_at
    await tx.put(
        "opportunities.insert",
        subject_id=opportunity_id,
        type=opportunity_type,
        author_id=author_id,
        amount=amount,
        expires_at=expires_at,
        created_at=made_at,
        on_silence=promised and promised.on_silence,
        assignment=promised and promised.assignment,
        review_ms=promised and promised.review_ms,
        offered_to=promised and promised.offered_to,
    )
    for term, is_tag in sorted(terms):
        tx.defer(
            "opportunities.insert_terms",
            subject_id=opportunity_id,
            term=term,
            is_tag=int(is_tag),
            type=opportunity_type,
            amount=amount,
            created_at=made_at,
        )


async def page(
    tx: Tx,
    after: OfferPosition,
    *,
    tags: list[str],
    least: int,
    types: Sequence[str],
    limit: int,
    offset: int,
) -> list[OpportunityRow]:
    """Opportunities of `types`, one or all, with any of `tags` (none: all), the highest reward
    first, then the newest."""
    values: dict[str, Value] = {"least": least, "now": tx.now}
    if tags:
        statement = "opportunities.tagged"
        values |= {"tags": _json(tags), "types": _json(types)}
    else:
        only = types[0] if len(set(types)) == 1 else ""
        statement = f"opportunities.page_{'type' if only else 'all'}"
        values["type"] = only
    rows = await tx.all(
        statement,
        **values,
        amount=after[1],
        created_at=after[2],
        id=after[3],
        limit=limit,
        offset=offset,
    )
    return [OpportunityRow(*row) for row in rows]


async def filtered(
    tx: Tx,
    after: OfferPosition,
    on_silence: str | None,
    assignment: str | None,
    review_ms: int | None,
    *,
    tags: list[str],
    least: int,
    limit: int,
    offset: int,
) -> list[OpportunityRow]:
    """Jobs with these terms and any of `tags` (none: all), the highest reward first, then the
    newest. One without terms is refunded in silence, and the first claim of it wins."""
    rows = await tx.all(
        "opportunities.filtered",
        now=tx.now,
        on_silence=on_silence,
        assignment=assignment,
        review_ms=review_ms,
        tags=_json(tags),
        least=least,
        amount=after[1],
        created_at=after[2],
        id=after[3],
        limit=limit,
        offset=offset,
    )
    return [OpportunityRow(*row) for row in rows]


async def among(tx: Tx, subjects: list[str]) -> list[OpportunityRow]:
    """Those of these ids that are on offer."""
    rows = await tx.all("opportunities.among", ids=_json(subjects), now=tx.now)
    return [OpportunityRow(*row) for row in rows]


async def chosen_agents(tx: Tx) -> frozenset[str]:
    """The agents that something is offered to alone."""
    return frozenset(row[0] for row in await tx.all("opportunities.chosen_agents"))


async def recommended(
    tx: Tx, agent_id: str, terms: list[str], after: OfferPosition, limit: int
) -> list[OpportunityRow]:
    """Opportunities of others: most shared terms first, then reward, then newest."""
    rows: list[OpportunityRow] = []
    if terms and after[0] > 0:
        rows = await _recommended(tx, "matching", agent_id, terms, after, limit)
    if len(rows) < limit:
        place = after if after[0] == 0 else START
        rows += await _recommended(tx, "others", agent_id, terms, place, limit - len(rows))
    return rows


async def _recommended(
    tx: Tx, statement: str, agent_id: str, terms: list[str], after: OfferPosition, limit: int
) -> list[OpportunityRow]:
    values: dict[str, Value] = {"overlap": after[0]} if statement == "matching" else {}
    rows = await tx.all(
        f"opportunities.{statement}",
        **values,
        agent_id=agent_id,
        terms=_json(terms),
        now=tx.now,
        amount=after[1],
        created_at=after[2],
        id=after[3],
        limit=limit,
    )
    return [OpportunityRow(*row) for row in rows]
