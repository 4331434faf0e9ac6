"""Mutants of Python: what is changed, where, and what is left alone."""

import ast
from pathlib import Path

import pytest

from tools.mutants import python

PATH = "src/a.py"


def mutated(source: str) -> set[str]:
    """What the mutants of a source are, each as its whole text."""
    text = source.encode()
    return {mutant.of(text).decode() for mutant in python.mutants(PATH, text)}


def in_function(*lines: str) -> str:
    return "\n".join(["def f(a, b):", *(f"    {line}" for line in lines), ""])


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("x = a < b", "x = a <= b"),
        ("x = a not in b", "x = a in b"),
        ("x = a is None", "x = a is not None"),
        ("x = a == b", "x = a != b"),
        ("x = a and b", "x = ((a) or (b))"),
        ("x = a and b", "x = ((b))"),
        ("x = not a", "x = (a)"),
        ("x = a if b else 1", "x = a if (not (b)) else 1"),
        ("x = 7", "x = 8"),
        ("x = 7", "x = 6"),
        ("x = a - b", "x = a + b"),
        ("x = a // b", "x = a * b"),
        ("x = True", "x = False"),
        ("return a", "return None"),
        ("await a(1)", "pass"),
        ("if a(): raise b", "pass"),
        ("x = a('é', key=b, other=b)", "x = a('é', other=b)"),
        ("x = (a or b)(a, b)", "x = (a or b)(b, a)"),
        ("x = min(a, b)", "x = max(a, b)"),
    ],
)
def test_a_line_is_changed(line: str, changed: str) -> None:
    assert in_function(changed) in mutated(in_function(line))


@pytest.mark.parametrize(
    "line",
    [
        '"""A text."""',
        "x: Annotated[int, Meta(gt=5)]",
        'log.info("counted", number=3)',
        'x = f"{a + 1}"',
        "x = a",
        "x = dataclass(frozen=True)",
        "x = dataclass(kw_only=True)",
        "x = zip(a, strict=True)",
    ],
)
def test_what_says_nothing_of_behaviour_is_left_alone(line: str) -> None:
    assert mutated(in_function(line)) == set()


def test_a_result_that_is_false_does_not_become_none() -> None:
    assert mutated(in_function("return False")) == {in_function("return True")}


def test_a_mutant_knows_its_line_and_its_difference() -> None:
    source = b"MOST = 3\n\n\ndef f(a):\n    return [b for b in a if b > MOST]\n"
    flipped = next(one for one in python.mutants(PATH, source) if b">=" in one.new)
    assert flipped.line(source) == 5
    assert flipped.diff(source) == [
        "-    return [b for b in a if b > MOST]",
        "+    return [b for b in a if b >= MOST]",
    ]


def test_every_mutant_of_a_module_of_ours_can_be_compiled() -> None:
    source = Path(python.__file__).read_bytes()
    found = python.mutants(PATH, source)
    assert len(found) > 100
    for mutant in found:
        ast.parse(mutant.of(source))
