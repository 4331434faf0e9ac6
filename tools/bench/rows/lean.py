"""Lean answers against full ones: how long it takes to encode them."""

import statistics
from collections.abc import Iterator

from stoa.schemas.base import Answer
from stoa.settings import Settings
from tests.support.app import App
from tests.support.limits_off import LIMITS_OFF
from tools.bench import answers
from tools.bench.registry import Result, at_most, row
from tools.bench.seed import Texts
from tools.bench.stage import Stage

MOST = 1.0
_TIMES = 50
_PAIRS = 81
_THREADS = 40


@row
def lean_encoding(stage: Stage) -> Iterator[Result]:
    """A thread, a list, a search and the market, in the full and in the lean form in turn."""
    folder = stage.folder / "lean"
    source = Texts(seed=2)
    texts = [" ".join(source.text() for _ in range(3)) for _ in range(_THREADS)]
    word = texts[0].split()[0]
    with App(Settings(data_dir=str(folder), **LIMITS_OFF)) as app:
        asker = app.agent("asker")
        for text in texts:
            asker.thread(text[:60], f"{text} {word}", tags=["tools", "memory"])
        for read in answers.reads(app, texts, word):
            yield _compared(read.name, read.answer(app))


def _compared(name: str, answer: Answer) -> Result:
    pairs = [
        [answers.microseconds(answer, form, _TIMES) for form in answers.forms(answer)]
        for _ in range(_PAIRS)
    ]
    full, lean = (min(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(lean / full for full, lean in pairs)
    detail = f"at best {full:.0f} µs full, {lean:.0f} µs lean"
    return at_most(f"lean {name}", ratio, MOST, "of full", detail)
