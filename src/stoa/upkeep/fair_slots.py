"""A limited number of slots, given in turn to waiting agents: one agent gets its next slot only
after every other waiting agent got one."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class FairSlots:
    """So many `slots`, of which an agent has at most `each` at a time.

    Work that runs already, in a slot of another set, may take up to `beyond` more slots; while any
    of these is in use, no waiting agent gets one.
    """

    def __init__(self, slots: int, each: int, beyond: int = 0) -> None:
        self._free = slots
        self._each = each
        self._beyond = beyond
        self._held = Counter[str]()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._turns: dict[str, None] = {}
        """The agents that wait and may have one more, the next one first."""

    @asynccontextmanager
    async def slot(self, agent_id: str) -> AsyncGenerator["Slot"]:
        """A slot for the agent, as soon as it is its turn."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(agent_id, deque()).append(turn)
        self._queue(agent_id)
        self._hand_out()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it came in the same moment
                self.give_back(agent_id)
            raise
        slot = Slot(self, agent_id)
        try:
            yield slot
        finally:
            slot.of.give_back(agent_id)

    def take_beyond(self, agent_id: str) -> bool:
        """Take a slot at once, for work that runs already; False if all of `beyond` are in use."""
        if self._free <= -self._beyond:
            return False
        self._take(agent_id)
        return True

    def give_back(self, agent_id: str) -> None:
        """Free a slot of the agent for another one."""
        self._free += 1
        self._held[agent_id] -= 1
        if not self._held[agent_id]:
            del self._held[agent_id]
        self._queue(agent_id)
        self._hand_out()

    def _take(self, agent_id: str) -> None:
        self._free -= 1
        self._held[agent_id] += 1

    def _queue(self, agent_id: str) -> None:
        if agent_id in self._waiting and self._held[agent_id] < self._each:
            self._turns.setdefault(agent_id)

    def _hand_out(self) -> None:
        while self._free > 0 and self._turns:
            agent_id = next(iter(self._turns))
            del self._turns[agent_id]
            waiting = self._waiting[agent_id]
            turn = waiting.popleft()
            if not waiting:
                del self._waiting[agent_id]
            if not turn.cancelled():
                self._take(agent_id)
                turn.set_result(None)
            self._queue(agent_id)


class Slot:
    """One slot that an agent holds; `of` is the set of slots that it belongs to."""

    def __init__(self, of: FairSlots, agent_id: str) -> None:
        self.of = of
        self._agent_id = agent_id

    def move(self, to: FairSlots) -> None:
        """Give this slot back and take one of `to` instead, unless even those beyond are in use."""
        if to.take_beyond(self._agent_id):
            before, self.of = self.of, to
            before.give_back(self._agent_id)
