"""One round: load, harm, fail-over, mending, and what is true afterwards."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tests.support.stories import Story
from tools.drill import witness
from tools.drill.cluster import Cluster
from tools.drill.harm import Harm
from tools.drill.log import LogReader
from tools.drill.node import Node
from tools.drill.paid import Found, Tally
from tools.drill.witness import Seen, Witness

_SOME = 50
_FAIL_OVER_S = 90.0
_WHOLE_S = 180.0


class Load(Protocol):
    """Writers, and what they were told."""

    tally: Tally
    stories: list[Story]

    def start(self) -> None:
        """Begin with a new tally."""
        ...

    async def acknowledged(self, more: int) -> None:
        """Wait until so many more writes are acknowledged."""
        ...

    async def stop(self) -> None:
        """End in order."""
        ...

    async def found(self, database: str) -> Found:
        """What they were told, held against what the database has."""
        ...


@dataclass
class Round:
    """What happened.

    `by` is what Stoa reached the database by; `back_s` is the longest time without an acknowledged
    write, in seconds; `witness` says how many of the rows that it asked the old primary for were
    acknowledged. `log` is what was wrong with the log of events, as a reader was told of it.
    """

    harm: str
    by: str
    old: str
    new: str
    back_s: float
    acknowledged: int
    refused: int
    errors: Counter[str]
    lost: list[str]
    twice: list[str]
    audit: str
    log: list[str]
    witness: str


@dataclass
class Stage:
    """Where rounds take place. `audit` gives what `stoa audit` finds wrong, or nothing."""

    cluster: Cluster
    load: Load
    log: LogReader
    database: str
    administrator: str
    audit: Callable[[], str]
    by: str

    async def round(self, harm: Harm) -> Round:
        """Harm the primary under load, wait until all is well again, and judge."""
        old = await self._whole()
        self.load.start()
        await self._acknowledged()
        seen = await asyncio.to_thread(Witness, old) if harm.survives else None
        began = time.monotonic()
        await asyncio.to_thread(harm.do, old)
        new = await asyncio.to_thread(self.cluster.await_other, old, _FAIL_OVER_S)
        await self._acknowledged()
        await asyncio.to_thread(harm.mend, old)
        await self._whole()
        await self.load.stop()
        tally = self.load.tally
        there = await asyncio.to_thread(seen.end) if seen else Seen(set(), set())
        untrue = await witness.lost(self.administrator, there.told)
        found = await self.load.found(self.database)
        return Round(
            harm=harm.name,
            by=self.by,
            old=old.name,
            new=new.name,
            back_s=tally.longest_gap(began),
            acknowledged=len(tally.acknowledged),
            refused=tally.refused,
            errors=tally.errors,
            lost=[*found.lost, *(f"row {row} of {old.name}" for row in untrue)],
            twice=found.twice,
            audit=await asyncio.to_thread(self.audit),
            log=await self.log.found(self.load.stories),
            witness=f"{len(there.told)} of {len(there.asked)}" if seen else "",
        )

    async def _whole(self) -> Node:
        return await asyncio.to_thread(self.cluster.await_whole, _WHOLE_S)

    async def _acknowledged(self) -> None:
        async with asyncio.timeout(_FAIL_OVER_S):
            await self.load.acknowledged(_SOME)
