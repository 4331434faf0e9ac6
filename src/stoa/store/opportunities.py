"""The feeds of opportunities: ids and order keys of open jobs and bounties."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from stoa.domain.labels import offered_words
from stoa.domain.terms import Attained, WorkTerms
from stoa.store.places import AFTER_EVERYTHING
from stoa.store.tx import Tx, Value, as_json, json_texts


class OpportunityRow(NamedTuple):
    """The place of an opportunity; `terms` is a JSON array of its labels that match an agent's
    capabilities. For a search it has how many texts were `added` to it."""

    id: str
    type: str
    amount: int
    created_at: int
    terms: str
    overlap: int = 0
    added: int = 0

    @property
    def key(self) -> str:
        """Its key in `offer_keys`. The texts of one with this key never change."""
        return f"{self.id} {self.amount} {self.created_at} {self.added}"

    @property
    def place(self) -> tuple[int, int, int, str]:
        """Its place in the order of recommendations."""
        return self.overlap, self.amount, self.created_at, self.id


OfferTerm = tuple[str, str, int, int, int, str, str | None, str | None, int | None]
"""An opportunity with one of its terms: its id and type, its reward in hundredths, when it was
created (ms), how many texts were added to it, its author, what it requires of its worker, the
term, and 1 if that is a tag."""

_offer_terms = msgspec.json.Decoder(list[OfferTerm]).decode


class OfferReader(NamedTuple):
    """The reader of recommendations: an agent, the words that find offers which fit it, and its
    values that jobs may require."""

    agent_id: str
    terms: tuple[str, ...]
    attained: Attained = Attained()


class OffersWanted(NamedTuple):
    """The filters of a feed: any of these tags, a least reward in hundredths, terms of jobs.

    A job without terms is refunded in silence, and the first claim of it wins; a bounty has no
    terms.
    """

    tags: Sequence[str] = ()
    least: int = 0
    on_silence: str | None = None
    assignment: str | None = None
    review_ms: int | None = None

    @property
    def has_terms(self) -> bool:
        """Whether bounties are left out."""
        return (self.on_silence, self.assignment, self.review_ms) != (None, None, None)

    def values(self) -> dict[str, Value]:
        """As statements take it."""
        return {**self._asdict(), "tags": as_json(self.tags)}


EVERYTHING = OffersWanted()
OfferPosition = tuple[int, int, int, str]
_LARGEST = 1 << 62
START: OfferPosition = (_LARGEST, _LARGEST, _LARGEST, AFTER_EVERYTHING)


NEW_THREAD = "threads.insert"
"""A new thread is neither locked nor hidden, so it changes no offer."""


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
    has the terms that its creator `promised`, and may be an older one (`created_at`, ms) that is
    open again."""
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
        requires=promised and kept_requirements(promised),
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
    for label in sorted({term for term, _ in terms}):
        for word in offered_words(label):
            tx.defer(
                "opportunities.insert_words", subject_id=opportunity_id, word=word, label=label
            )


def kept_requirements(promised: WorkTerms) -> str | None:
    """The requirements of a job in the form of the feeds: a JSON object, or None."""
    return as_json(promised.requires) if promised.requires else None


read_requirements = msgspec.json.Decoder(dict[str, int]).decode
"""The inverse of `kept_requirements`."""


async def delete(tx: Tx, opportunity_id: str) -> None:
    """Remove a job or bounty from the feeds, also one that this transaction has put there."""
    for what in ("terms", "words"):
        tx.drop_deferred(f"opportunities.insert_{what}", subject_id=opportunity_id)
    await tx.put("opportunities.delete", 0, subject_id=opportunity_id)


async def page(
    tx: Tx,
    after: OfferPosition,
    wanted: OffersWanted,
    *,
    types: Sequence[str],
    limit: int,
    offset: int,
) -> list[OpportunityRow]:
    """Opportunities of `types`, one or all, that pass the filters, the highest reward first, then
    the newest. With terms these are jobs alone."""
    values: dict[str, Value] = {"now": tx.now, **wanted.values(), **_behind(after)}
    if wanted.has_terms:
        statement, limit = "filtered", limit if "job" in types else 0
    elif wanted.tags:
        statement, values["types"] = "tagged", as_json(types)
    else:
        only = types[0] if len(set(types)) == 1 else ""
        statement, values["type"] = f"page_{'type' if only else 'all'}", only
    rows = await tx.all(f"opportunities.{statement}", **values, limit=limit, offset=offset)
    return [OpportunityRow(*row) for row in rows]


def _behind(after: OfferPosition) -> dict[str, Value]:
    _, amount, created_at, opportunity_id = after
    return {"amount": amount, "created_at": created_at, "id": opportunity_id}


async def among(tx: Tx, subjects: list[str]) -> list[OpportunityRow]:
    """Those of these ids that are open offers."""
    rows = await tx.all("opportunities.among", ids=as_json(subjects), now=tx.now)
    return [OpportunityRow(*row) for row in rows]


async def offer_keys(tx: Tx, limit: int) -> list[str]:
    """The keys of the offers to all, the highest reward first; so many."""
    row = await tx.one("opportunities.offer_keys", now=tx.now, limit=limit)
    return json_texts(row[0]) if row and row[0] else []


async def offer_terms(tx: Tx, keys: Sequence[str], limit: int) -> list[OfferTerm]:
    """The opportunities with these keys, once for each of their terms; so many."""
    ids = as_json([key.partition(" ")[0] for key in keys])
    row = await tx.one("opportunities.offer_terms", ids=ids, limit=limit) if keys else None
    return _offer_terms(row[0]) if row and row[0] else []


async def chosen_agents(tx: Tx) -> frozenset[str]:
    """The agents that see other offers than all: some are offered to them alone, or they gave back
    jobs, which they cannot take again."""
    return frozenset(row[0] for row in await tx.all("opportunities.chosen_agents"))


async def recommended(
    tx: Tx,
    reader: OfferReader,
    after: OfferPosition,
    limit: int,
    wanted: OffersWanted = EVERYTHING,
) -> list[OpportunityRow]:
    """Offers of others that pass the filters, without jobs that the agent gave back or that require
    more than it has: those with most labels that its terms find first, then reward, then newest.
    Offers to it alone are included without regard to their requirements."""
    scope, values = ("all", {}) if wanted == EVERYTHING else ("wanted", wanted.values())
    matching, others = f"matching_{scope}", f"others_{scope}"
    rows: list[OpportunityRow] = []
    if reader.terms and after[0] > 0:
        rows = await _recommended(tx, matching, reader, after, limit, values)
    if len(rows) < limit:
        place = after if after[0] == 0 else START
        rows += await _recommended(tx, others, reader, place, limit - len(rows), values)
    return rows


async def _recommended(
    tx: Tx,
    statement: str,
    reader: OfferReader,
    after: OfferPosition,
    limit: int,
    values: dict[str, Value],
) -> list[OpportunityRow]:
    overlap: dict[str, Value] = {"overlap": after[0]} if statement.startswith("matching") else {}
    rows = await tx.all(
        f"opportunities.{statement}",
        **overlap,
        **values,
        agent_id=reader.agent_id,
        terms=as_json(sorted(reader.terms)),
        **reader.attained._asdict(),
        **_behind(after),
        now=tx.now,
        limit=limit,
    )
    return [OpportunityRow(*row) for row in rows]
