"""Slots that are shared out fairly by agent."""

import asyncio

from stoa.upkeep.fair_slots import FairSlots, Slot


class Played:
    """What runs and what has run, in the order in which it got its slot."""

    def __init__(self, slots: FairSlots) -> None:
        self._slots = slots
        self.begun: list[str] = []
        self.slots: list[Slot] = []
        self._ends: list[asyncio.Event] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def ask(self, *agents: str) -> None:
        for agent in agents:
            self._tasks.append(asyncio.create_task(self._run(agent)))
            await asyncio.sleep(0)
        await self._settle()

    async def end(self, place: int) -> None:
        self._ends[place].set()
        await self._settle()

    async def cancel(self, place: int) -> None:
        self._tasks[place].cancel()
        await self._settle()

    async def _settle(self) -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    async def _run(self, agent: str) -> None:
        async with self._slots.slot(agent) as slot:
            ends = asyncio.Event()
            self.begun.append(agent)
            self.slots.append(slot)
            self._ends.append(ends)
            await ends.wait()


def test_agents_get_slots_in_turn_however_much_one_of_them_wants() -> None:
    async def play() -> None:
        played = Played(FairSlots(1, 1))
        await played.ask("a", "a", "a", "a", "b", "b", "c")
        for place in range(6):
            await played.end(place)
        assert played.begun == ["a", "b", "c", "a", "b", "a", "a"]

    asyncio.run(play())


def test_an_agent_has_no_more_than_its_share_even_of_free_slots() -> None:
    async def play() -> None:
        played = Played(FairSlots(4, 2))
        await played.ask("a", "a", "a", "b")
        assert played.begun == ["a", "a", "b"]
        await played.end(0)
        assert played.begun == ["a", "a", "b", "a"]

    asyncio.run(play())


def test_what_moves_leaves_its_slot_and_holds_up_those_who_wait_elsewhere() -> None:
    async def play() -> None:
        quick, slow = FairSlots(1, 1), FairSlots(1, 1, beyond=1)
        played, others = Played(quick), Played(slow)
        await others.ask("x", "y")
        await played.ask("a", "b", "c")
        played.slots[0].move(slow)
        await played.ask()
        assert played.begun == ["a", "b"]
        played.slots[1].move(slow)  # there is no further place
        await played.ask()
        assert played.begun == ["a", "b"]
        await others.end(0)
        assert others.begun == ["x"]
        await played.end(0)
        assert (others.begun, played.begun) == (["x", "y"], ["a", "b"])
        await played.end(1)
        assert played.begun == ["a", "b", "c"]

    asyncio.run(play())


def test_who_waits_no_more_takes_no_slot() -> None:
    async def play() -> None:
        played = Played(FairSlots(1, 1))
        await played.ask("a", "b", "c")
        await played.cancel(1)
        await played.end(0)
        assert played.begun == ["a", "c"]
        await played.cancel(2)
        await played.ask("d")
        assert played.begun == ["a", "c", "d"]

    asyncio.run(play())
