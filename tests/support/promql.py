"""Evaluates the part of PromQL that our alert rules use, over samples that stand in memory."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

LabelSet = tuple[tuple[str, str], ...]
Series = dict[LabelSet, list[tuple[float, float]]]
"""The samples of a metric: for each set of labels (time in seconds, value), the oldest first."""
Recorded = dict[str, Series]
Vector = dict[LabelSet, float]

_STALE_S = 300
_TOKEN = re.compile(
    r'\s*(?:(?P<number>\d+(?:\.\d+)?(?:e\d+)?)(?![\w])|(?P<word>[a-zA-Z_]\w*)|(?P<text>"[^"]*")'
    r"|(?P<range>\[\d+[smhd]\])|(?P<sign>=~|!=|==|>=|<=|[-+*/(){},=<>]))"
)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_COMPARES: dict[str, Callable[[float, float], bool]] = {
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
}
_COUNTS: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if b else float("nan"),
}
_OVER: dict[str, Callable[[Iterable[float]], float]] = {"sum": sum, "max": max, "min": min}


class Range(NamedTuple):
    """What a selector with a time in brackets gives, and where from."""

    series: Series
    seconds: float


Value = float | Vector | Range


def seconds(duration: str) -> int:
    """`5m` as seconds."""
    return int(duration[:-1]) * _SECONDS[duration[-1]]


def evaluate(expression: str, recorded: Recorded, now: float) -> Vector:
    """The series for which the expression holds at this time."""
    found = _Reader(expression, recorded, now).whole()
    assert isinstance(found, dict), expression
    return found


class _Reader:
    """Reads an expression from left to right and computes it on the way."""

    def __init__(self, text: str, recorded: Recorded, now: float) -> None:
        self._tokens: list[tuple[str, str]] = []
        place = 0
        while text[place:].strip():
            token = _TOKEN.match(text, place)
            assert token, f"not understood: {text[place:]}"
            assert token.lastgroup
            self._tokens.append((token.lastgroup, token[token.lastgroup]))
            place = token.end()
        self._recorded, self._now = recorded, now

    def whole(self) -> Value:
        value = self._either()
        assert not self._tokens, f"not understood: {self._tokens}"
        return value

    def _next(self, *wanted: str) -> str | None:
        """The next token if it is one of these."""
        if self._tokens and self._tokens[0][1] in wanted:
            return self._tokens.pop(0)[1]
        return None

    def _either(self) -> Value:
        value = self._both()
        while self._next("or"):
            other = self._both()
            assert isinstance(value, dict)
            assert isinstance(other, dict)
            value = other | value
        return value

    def _both(self) -> Value:
        value = self._compared()
        while self._next("and"):
            other = self._compared()
            assert isinstance(value, dict)
            assert isinstance(other, dict)
            value = {labels: kept for labels, kept in value.items() if labels in other}
        return value

    def _compared(self) -> Value:
        left = self._added()
        while sign := self._next(*_COMPARES):
            holds = _COMPARES[sign]
            right = self._added()
            assert isinstance(left, dict)
            kept: Vector = {}
            for labels, value in left.items():
                other = _of(right, labels)
                if other is not None and holds(value, other):
                    kept[labels] = value
            left = kept
        return left

    def _added(self) -> Value:
        value = self._multiplied()
        while sign := self._next("+", "-"):
            value = _counted(sign, value, self._multiplied())
        return value

    def _multiplied(self) -> Value:
        value = self._single()
        while sign := self._next("*", "/"):
            value = _counted(sign, value, self._single())
        return value

    def _single(self) -> Value:
        kind, text = self._tokens.pop(0)
        if kind == "number":
            return float(text)
        if text == "(":
            value = self._either()
            assert self._next(")")
            return value
        assert kind == "word", text
        if text in _OVER:
            return self._aggregated(text)
        if self._next("("):
            return self._called(text)
        return self._selected(text)

    def _aggregated(self, name: str) -> Vector:
        kept = self._names() if self._next("by") else []
        assert self._next("(")
        value = self._either()
        assert self._next(")")
        assert isinstance(value, dict)
        groups: dict[LabelSet, list[float]] = {}
        for labels, number in value.items():
            group = tuple(pair for pair in labels if pair[0] in kept)
            groups.setdefault(group, []).append(number)
        return {group: _OVER[name](numbers) for group, numbers in groups.items()}

    def _names(self) -> list[str]:
        assert self._next("(")
        found: list[str] = []
        while not self._next(")"):
            found.append(self._tokens.pop(0)[1])
            self._next(",")
        return found

    def _called(self, name: str) -> Value:
        given = [self._either()]
        while self._next(","):
            given.append(self._either())
        assert self._next(")")
        return _FUNCTIONS[name](*given, now=self._now)

    def _selected(self, name: str) -> Value:
        wanted: list[tuple[str, str, str]] = []
        if self._next("{"):
            while not self._next("}"):
                label = self._tokens.pop(0)[1]
                sign = self._next("=", "=~", "!=")
                assert sign
                wanted.append((label, sign, self._tokens.pop(0)[1].strip('"')))
                self._next(",")
        series = {
            labels: samples
            for labels, samples in self._recorded.get(name, {}).items()
            if all(_matches(dict(labels).get(label, ""), *how) for label, *how in wanted)
        }
        if self._tokens and self._tokens[0][0] == "range":
            span = seconds(self._tokens.pop(0)[1].strip("[]"))
            return Range(
                {labels: _within(s, self._now, span) for labels, s in series.items()}, span
            )
        newest = {labels: _within(all_of, self._now, _STALE_S) for labels, all_of in series.items()}
        return {labels: samples[-1][1] for labels, samples in newest.items() if samples}


def _within(
    samples: list[tuple[float, float]], now: float, span: float
) -> list[tuple[float, float]]:
    return [sample for sample in samples if now - span < sample[0] <= now]


def _matches(value: str, sign: str, wanted: str) -> bool:
    if sign == "=~":
        return re.fullmatch(wanted, value) is not None
    return (value == wanted) == (sign == "=")


def _of(value: Value, labels: LabelSet) -> float | None:
    assert not isinstance(value, Range)
    return value.get(labels) if isinstance(value, dict) else value


def _counted(sign: str, left: Value, right: Value) -> Value:
    count = _COUNTS[sign]
    assert not isinstance(left, Range)
    assert not isinstance(right, Range)
    if isinstance(left, dict):
        return {
            labels: count(value, other)
            for labels, value in left.items()
            if (other := _of(right, labels)) is not None
        }
    if isinstance(right, dict):
        return {labels: count(left, value) for labels, value in right.items()}
    return count(left, right)


# --- Functions.


def _rate(given: Value, *, now: float) -> Value:
    assert isinstance(given, Range)
    return {
        labels: (samples[-1][1] - samples[0][1]) / (samples[-1][0] - samples[0][0])
        for labels, samples in given.series.items()
        if len(samples) > 1
    }


def _predicted(given: Value, ahead: Value, *, now: float) -> Value:
    """A straight line through all samples, with the least squares, so many seconds ahead."""
    assert isinstance(given, Range)
    assert isinstance(ahead, float)
    found: Vector = {}
    for labels, samples in given.series.items():
        if len(samples) < 2:
            continue
        times, values = [time - now for time, _ in samples], [value for _, value in samples]
        middle, mean = sum(times) / len(times), sum(values) / len(values)
        spread = sum((time - middle) ** 2 for time in times)
        slope = sum((t - middle) * (v - mean) for t, v in zip(times, values, strict=True)) / spread
        found[labels] = mean + slope * (ahead - middle)
    return found


def _absent(given: Value, *, now: float) -> Value:
    assert isinstance(given, dict)
    return {} if given else {(): 1.0}


def _abs(given: Value, *, now: float) -> Value:
    assert isinstance(given, dict)
    return {labels: abs(value) for labels, value in given.items()}


def _quantile(part: Value, buckets: Value, *, now: float) -> Value:
    assert isinstance(part, float)
    assert isinstance(buckets, dict)
    groups: dict[LabelSet, list[tuple[float, float]]] = {}
    for labels, count in buckets.items():
        rest = tuple(pair for pair in labels if pair[0] != "le")
        groups.setdefault(rest, []).append((float(dict(labels)["le"]), count))
    return {
        rest: _within_bucket(part, sorted(bounds))
        for rest, bounds in groups.items()
        if max(count for _, count in bounds)
    }


def _within_bucket(part: float, bounds: list[tuple[float, float]]) -> float:
    wanted = part * bounds[-1][1]
    low = below = 0.0
    for bound, count in bounds:
        if count >= wanted:
            if bound == float("inf"):
                return low
            return low + (bound - low) * (wanted - below) / (count - below or 1)
        low, below = bound, count
    return low


_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "rate": _rate,
    "predict_linear": _predicted,
    "absent": _absent,
    "abs": _abs,
    "histogram_quantile": _quantile,
}
