"""The load of many agents: acts begin when they are due, whether or not others were answered.

A process of its own. A `Drive` comes in on stdin and its `Driven` goes out on stdout, both as
MessagePack.
"""

import heapq
import selectors
import socket
import sys
import time
from array import array
from collections import Counter, defaultdict
from pathlib import Path
from random import Random

import msgspec

from tools.bench.load import answer_length
from tools.bench.world.hour import HOUR, WRITES, Act, Hour, Step
from tools.bench.world.making import kept

_RECEIVE_BYTES = 256 * 1024
_LANES = 900  # what `select` can look at, with some to spare
_SHED = (b"429", b"503")
_PATIENCE_S = 10.0
_HOUR_S = 3600


class Drive(msgspec.Struct):
    """What to do with the world in `folder`, at the server on `port`: the lives of so many
    `agents`, or with a `kind` acts of this kind alone, so many a second as `rate` says, of as many
    agents as would do that."""

    folder: str
    port: int
    seconds: float
    agents: float = 0.0
    kind: str = ""
    rate: float = 0.0
    warm_up: float = 5.0
    seed: int = 1


class Kind(msgspec.Struct):
    """Calls of one kind that were answered, their latencies (ms), and how many were refused because
    there were too many."""

    answers: int
    p50: float
    p99: float
    shed: int


class Driven(msgspec.Struct):
    """What came of it, the warm-up left out. `wrong` answers had another status, `sample` is the
    first of them; `waiting` acts were due and not begun at the end; `busy` is the share of a
    processor that the generator took."""

    kinds: dict[str, Kind]
    reads_p99: float
    writes_p99: float
    wrong: int
    sample: bytes
    waiting: int
    busy: float


class _Lane:
    """One connection, which carries one request at a time."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), _PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.kind, self.due = "", 0.0
        self.act: Act | None = None
        self.step = Step(b"")
        self.got = b""
        self._length = 0

    def ask(self, kind: str, act: Act, step: Step, due: float) -> None:
        self.kind, self.act, self.step, self.due = kind, act, step, due
        self.got, self._length = b"", 0
        self.socket.sendall(step.sent)

    def receive(self, buffer: memoryview) -> bool:
        """Read what is there; True when the answer is complete."""
        count = self.socket.recv_into(buffer)
        if not count:
            raise ConnectionError
        self.got += buffer[:count]
        self._length = self._length or answer_length(self.got)
        return len(self.got) == self._length


class _Driver:
    def __init__(self, drive: Drive, hour: Hour) -> None:
        self._drive, self._hour = drive, hour
        self._chance = Random(drive.seed)
        self._rate = drive.rate or drive.agents * sum(HOUR.values()) / _HOUR_S
        self._idle: list[_Lane] = []
        self._lanes = 0
        self._due: list[tuple[float, int, str, Act, Step]] = []
        self._number = 0
        self._begin = self._end = 0.0
        self._latencies: defaultdict[str, array[float]] = defaultdict(lambda: array("d"))
        self._shed: Counter[str] = Counter()
        self._wrong, self._sample = 0, b""

    def run(self) -> Driven:
        busy, clock = -time.process_time(), time.perf_counter
        start = clock()
        self._begin = start + self._drive.warm_up
        self._end = self._begin + self._drive.seconds
        buffer = memoryview(bytearray(_RECEIVE_BYTES))
        arrival = start
        # The timeout of epoll is in whole milliseconds: a request due sooner would be sent late.
        with selectors.SelectSelector() as selector:
            while (now := clock()) < self._end:
                while arrival <= now:
                    kind, act = self._hour.act(self._drive.kind)
                    self._put(arrival, kind, act, next(act))
                    arrival += self._chance.expovariate(self._rate)
                self._send(now, selector)
                for key, _ in selector.select(max(0.0, arrival - clock())):
                    self._hear(key.data, buffer, selector)
        busy += time.process_time()
        return self._told(busy / (clock() - start))

    def _put(self, due: float, kind: str, act: Act, step: Step) -> None:
        self._number += 1
        heapq.heappush(self._due, (due, self._number, step.kind or kind, act, step))

    def _send(self, now: float, selector: selectors.BaseSelector) -> None:
        while self._due and self._due[0][0] <= now:
            if not self._idle:
                if self._lanes == _LANES:
                    return
                lane = _Lane(self._drive.port)
                selector.register(lane.socket, selectors.EVENT_READ, lane)
                self._lanes += 1
                self._idle.append(lane)
            due, _, kind, act, step = heapq.heappop(self._due)
            self._idle.pop().ask(kind, act, step, due)

    def _hear(self, lane: _Lane, buffer: memoryview, selector: selectors.BaseSelector) -> None:
        try:
            complete = lane.receive(buffer)
        except ConnectionError:
            selector.unregister(lane.socket)
            lane.socket.close()
            self._lanes -= 1
            if lane in self._idle:  # one that was not needed for long
                self._idle.remove(lane)
            else:
                self._fault(b"the server closed the connection of a call")
            return
        if complete:
            self._idle.append(lane)
            self._answered(lane, time.perf_counter())

    def _answered(self, lane: _Lane, now: float) -> None:
        status = lane.got[9:12]
        if status in _SHED:
            self._shed[lane.kind] += now >= self._begin
            return
        if status not in lane.step.statuses:
            self._fault(lane.step.sent + lane.got)
            return
        if now >= self._begin:
            self._latencies[lane.kind].append(1000 * (now - lane.due))
        assert lane.act
        try:
            step = lane.act.send(lane.got.partition(b"\r\n\r\n")[2])
        except StopIteration:
            return
        self._put(now, lane.kind, lane.act, step)

    def _fault(self, sample: bytes) -> None:
        self._wrong += 1
        self._sample = self._sample or sample

    def _told(self, busy: float) -> Driven:
        kinds = {
            kind: Kind(len(times), _part(times, 0.5), _part(times, 0.99), self._shed[kind])
            for kind, times in self._latencies.items()
        }
        both: tuple[array[float], array[float]] = (array("d"), array("d"))
        for kind, times in self._latencies.items():
            both[kind in WRITES].extend(times)
        reads, writes = (_part(times, 0.99) for times in both)
        return Driven(kinds, reads, writes, self._wrong, self._sample, len(self._due), busy)


def _part(times: "array[float]", part: float) -> float:
    """The latency that so large a part of all does not exceed."""
    return sorted(times)[int(len(times) * part)] if times else 0.0


def main() -> None:
    """Read what to do, do it, write what came of it."""
    drive = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Drive)
    world = kept(Path(drive.folder))
    assert world
    agents = drive.agents or drive.rate * _HOUR_S / HOUR[drive.kind]
    driven = _Driver(drive, Hour(world, drive.seed, agents)).run()
    sys.stdout.buffer.write(msgspec.msgpack.encode(driven))


if __name__ == "__main__":
    main()
