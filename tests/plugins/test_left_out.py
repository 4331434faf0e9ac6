"""What a run does not ask for is left out."""

import pytest

TESTS = """
    import pytest

    @pytest.mark.parametrize("value", [1, pytest.param(2, marks=pytest.mark.soak)])
    def test_some(value): ...

    @pytest.mark.bench
    def test_speed(): ...

    class TestMany:
        @pytest.mark.soak
        def test_long(self): ...

        def test_short(self): ...
"""
MARKERS = """
    [pytest]
    markers =
        soak: long
        bench: speed
"""
DEFAULT = "not soak and not bench"


@pytest.mark.parametrize(
    ("chosen", "passed", "deselected"),
    [
        (["-m", DEFAULT], 2, 0),
        (["-m", "soak"], 2, 3),
        (["-m", "not bench"], 4, 1),
        (["-m", DEFAULT, "test_all.py::test_speed"], 0, 1),
        (["-m", DEFAULT, "-k", "test_some"], 1, 1),
    ],
)
def test_what_was_asked_for_runs_and_only_the_default_forgets_the_others(
    pytester: pytest.Pytester, chosen: list[str], passed: int, deselected: int
) -> None:
    pytester.makepyfile(test_all=TESTS)
    pytester.makeini(MARKERS)
    result = pytester.runpytest_inprocess("-p", "tests.plugins.left_out", *chosen)
    result.assert_outcomes(passed=passed, deselected=deselected)
