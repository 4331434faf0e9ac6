"""No text makes a function work more than in proportion to its length, or answer without bound."""

import ast
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from unicodedata import normalize

import pytest
from pygments.lexers import get_lexer_by_name  # pyright: ignore[reportUnknownVariableType]

import stoa
from stoa.rendering.html import OUTPUT_FACTOR, plain, render
from tests.support.growth import too_much
from tests.support.hostile import build, shapes
from tests.support.text_functions import FUNCTIONS, NOT_OF_CLIENTS, WITHIN
from tests.test_house_rules import nodes_of

SHORT = 4_000
LENGTHS = [SHORT, pytest.param(50_000, marks=pytest.mark.soak)]
PARTS = 8
"""Of the shapes of texts `make test` gives each function an eighth, so that each is met."""
SOURCE = Path(stoa.__file__).parent
OUTSIDE = ("client", "cli", "importers", "demo")
"""Programs that run where the agent runs; a slow text stops only themselves."""

NAMES = {"text", "html", "body"}


@pytest.mark.promise("X5")
@pytest.mark.long
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_text_takes_more_work_than_in_proportion_to_its_length(
    function: str, length: int
) -> None:
    names = [*shapes()]
    if length == SHORT:
        names = names[[*FUNCTIONS].index(function) % PARTS :: PARTS]
    found = {
        name: too_much(FUNCTIONS[function], partial(build, shapes()[name]), length)
        for name in names
    }
    assert {name: growth for name, growth in found.items() if growth} == {}


@pytest.mark.soak
def test_sorting_all_marks_of_a_run_is_found_to_be_too_much() -> None:
    marks = partial(build, shapes()["marks of two classes"])
    assert too_much(lambda text: normalize("NFC", text), marks, 3_000, 150)


@pytest.mark.soak
def test_a_lexer_that_goes_back_is_found_to_be_too_much() -> None:
    lexer = get_lexer_by_name("autohotkey", stripnl=False)
    lines = partial(build, [("\n ", 1), ("x", 0)])
    assert too_much(lambda text: list(lexer.get_tokens(text)), lines, 220, 11)


def test_a_loop_within_a_loop_is_found_by_its_lines() -> None:
    def pairs(text: str) -> int:
        count = 0
        for _ in text:
            for _ in text:
                count += 1
        return count

    found = too_much(pairs, partial(build, [("a", 1)]), 500, 25)
    assert found == "1303 lines become 5103"


def test_a_step_behind_a_bound_is_not_taken_for_growth() -> None:
    def shown(text: str) -> int:
        return sum(range(500_000)) if len(text) > 300 else 0

    def counted(text: str) -> int:
        count = 0
        for _ in range(5_000 if len(text) > 1_000 else 0):
            count += 1
        return count

    for function in (shown, counted):
        assert too_much(function, partial(build, [("a", 1)]), 500) is None


@pytest.mark.promise("X6")
def test_no_text_becomes_more_than_sixteen_times_as_long_on_a_page() -> None:
    for name, shape in shapes().items():
        for length in (300, 10_000):
            text = build(shape, length)
            for shown in (render(text, 3), plain(text)):
                assert len(shown.html.encode()) <= OUTPUT_FACTOR * len(text.encode()), name


def taking_text() -> Iterator[str]:
    """Every function of the service that has a text as a parameter: `domain/text.is_blank`."""
    for file in sorted(SOURCE.rglob("*.py")):
        module = file.relative_to(SOURCE).with_suffix("")
        if module.parts[0] in OUTSIDE:
            continue
        for node in nodes_of(file):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                if any(arg.arg in NAMES and _is_text(arg.annotation) for arg in given):
                    yield f"{module.as_posix()}.{node.name}"


def _is_text(annotation: ast.expr | None) -> bool:
    return annotation is not None and "str" in ast.unparse(annotation).split(" | ")


@pytest.mark.long  # with those that read the code too
def test_every_function_that_takes_a_text_is_in_the_list() -> None:
    found, listed = set(taking_text()), {*FUNCTIONS, *WITHIN, *NOT_OF_CLIENTS}
    assert found - listed == set()
    assert (WITHIN.keys() | NOT_OF_CLIENTS) - found == set()
