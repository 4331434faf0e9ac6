"""The load generator: a process of its own that keeps connections busy and counts answers.

Plain sockets and ready-made requests, so that it costs less than any server it measures. A job
comes in on stdin and its tally goes out on stdout, both as MessagePack.
"""

import selectors
import socket
import sys
import time
from array import array
from dataclasses import dataclass, field
from itertools import cycle, islice

import msgspec

_RECEIVE_BYTES = 256 * 1024
_HEAD_BYTES = 4096
_STATUS = slice(9, 12)  # of "HTTP/1.1 200 OK"
_PATIENCE_S = 10.0


class Job(msgspec.Struct):
    """What to send. `requests` are whole HTTP requests, taken in turn from place `first` on, and
    the answers to them are to have one of `statuses`.

    Without a `rate` (requests a second) a connection asks again as soon as it is answered. With
    one, requests are due at even times, and their latency counts from when they were due. With
    `once` each request is sent once, however long that takes, and nothing is warmed up.
    """

    port: int
    requests: list[bytes]
    connections: int
    seconds: float
    statuses: tuple[int, ...] = (200,)
    first: int = 0
    warm_up: float = 0.1
    rate: float = 0.0
    once: bool = False


class Tally(msgspec.Struct):
    """What came back in `seconds`, the warm-up left out.

    `sent` requests were begun, those of the warm-up and those left unanswered too. `wrong` answers
    had another status, `sample` is the first of them. Latencies in ms; `busy` is the share of a
    processor that the generator itself took.
    """

    answers: int
    sent: int
    wrong: int
    sample: bytes
    seconds: float
    p50: float
    p95: float
    p99: float
    busy: float

    @property
    def per_second(self) -> float:
        """Answers a second."""
        return self.answers / self.seconds


class _Lane:
    """One connection, which carries one request at a time."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), _PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.started = 0.0
        self.head = b""
        self._got = self._length = 0

    def ask(self, request: bytes, started: float) -> None:
        self.head = b""
        self._got = self._length = 0
        self.started = started
        self.socket.sendall(request)

    def receive(self, buffer: memoryview) -> bool:
        """Read what is there; True when the answer is complete."""
        count = self.socket.recv_into(buffer)
        if not count:
            raise ConnectionError(f"the server closed a connection after {self.head!r}")
        self._got += count
        if not self._length:
            self.head += bytes(buffer[: min(count, _HEAD_BYTES)])
            self._length = answer_length(self.head)
        return self._got == self._length


def answer_length(head: bytes) -> int:
    """Bytes of the whole answer, 0 while its headers are not complete."""
    end = head.find(b"\r\n\r\n") + 4
    if end < 4:
        return 0
    place = head.find(b"content-length: ", 0, end)
    return end if place < 0 else end + int(head[place + 16 : head.index(b"\r", place)])


@dataclass(slots=True)
class _Count:
    """Counts answers that come between `begin` and `end` (seconds of `time.perf_counter`)."""

    statuses: frozenset[bytes]
    begin: float
    end: float
    sent: int = 0
    wrong: int = 0
    sample: bytes = b""
    latencies: "array[float]" = field(default_factory=lambda: array("d"))

    def answer(self, lane: _Lane, now: float) -> None:
        if lane.head[_STATUS] not in self.statuses:
            self.wrong += 1
            self.sample = self.sample or lane.head
        if now >= self.begin:
            self.latencies.append(now - lane.started)


def run(job: Job) -> Tally:
    """Do the job."""
    lanes = [_Lane(job.port) for _ in range(job.connections)]
    start = time.perf_counter()
    begin = start if job.once else start + job.warm_up
    statuses = frozenset(b"%d" % status for status in job.statuses)
    count = _Count(statuses, begin, begin + job.seconds)
    busy = -time.process_time()
    try:
        (_drive_once if job.once else _drive)(job, lanes, count)
    finally:
        for lane in lanes:
            lane.socket.close()
    busy += time.process_time()
    elapsed = time.perf_counter() - start
    latencies = sorted(count.latencies) or [0.0]
    return Tally(
        answers=len(count.latencies),
        sent=count.sent,
        wrong=count.wrong,
        sample=count.sample,
        seconds=elapsed if job.once else job.seconds,
        p50=1000 * latencies[len(latencies) // 2],
        p95=1000 * latencies[len(latencies) * 95 // 100],
        p99=1000 * latencies[len(latencies) * 99 // 100],
        busy=busy / elapsed,
    )


def _drive(job: Job, lanes: list[_Lane], count: _Count) -> None:
    """Ask and listen until the time is over; what is still on its way then does not count."""
    buffer = memoryview(bytearray(_RECEIVE_BYTES))
    requests = cycle(islice(cycle(job.requests), job.first, job.first + len(job.requests)))
    interval = 1 / job.rate if job.rate else 0.0
    idle = list(lanes)
    clock = time.perf_counter
    # The timeout of epoll is in whole milliseconds: a request due sooner would be sent late.
    new_selector = selectors.SelectSelector if interval else selectors.DefaultSelector
    with new_selector() as selector:
        for lane in lanes:
            selector.register(lane.socket, selectors.EVENT_READ, lane)
        now = due = clock()
        while now < count.end:
            while idle and due <= now:
                idle.pop().ask(next(requests), due if interval else now)
                count.sent += 1
                due = due + interval if interval else now
            wait = due - now if idle else count.end - now
            for key, _ in selector.select(wait):
                lane: _Lane = key.data
                if lane.receive(buffer):
                    count.answer(lane, clock())
                    idle.append(lane)
            now = clock()
            due = due if interval else now


def _drive_once(job: Job, lanes: list[_Lane], count: _Count) -> None:
    """Send every request and wait for every answer."""
    buffer = memoryview(bytearray(_RECEIVE_BYTES))
    requests = iter(job.requests)
    clock = time.perf_counter
    busy = 0
    with selectors.DefaultSelector() as selector:
        for lane, request in zip(lanes, requests, strict=False):
            selector.register(lane.socket, selectors.EVENT_READ, lane)
            lane.ask(request, clock())
            count.sent += 1
            busy += 1
        while busy:
            for key, _ in selector.select(_PATIENCE_S):
                answered: _Lane = key.data
                if answered.receive(buffer):
                    count.answer(answered, clock())
                    request = next(requests, None)
                    if request:
                        answered.ask(request, clock())
                        count.sent += 1
                    else:
                        busy -= 1


def main() -> None:
    """Read a job, do it, write the tally."""
    job = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Job)
    sys.stdout.buffer.write(msgspec.msgpack.encode(run(job)))


if __name__ == "__main__":
    main()
