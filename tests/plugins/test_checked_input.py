"""What checks input alone runs on one engine by default, and on all in `make soak`."""

import pytest

TESTS = """
    import pytest

    @pytest.fixture(params=["sqlite", "postgresql"])
    def engine(request):
        return request.param

    @pytest.fixture(params=["rest", "mcp-2025-11-25", "mcp-2026-07-28"])
    def door(request):
        return request.param

    @pytest.mark.checks_input
    def test_input(engine, door): ...

    def test_more(engine): ...

    @pytest.mark.checks_input
    def test_nothing(): ...
"""
MARKERS = """
    [pytest]
    markers =
        soak: long
        checks_input: checks input
"""


@pytest.mark.parametrize(("chosen", "passed"), [("not soak", 2 + 2 + 1), ("soak", 4)])
def test_each_engine_and_version_runs_somewhere(
    pytester: pytest.Pytester, chosen: str, passed: int
) -> None:
    pytester.makepyfile(TESTS)
    pytester.makeini(MARKERS)
    result = pytester.runpytest_inprocess("-p", "tests.plugins.checked_input", "-m", chosen)
    result.assert_outcomes(passed=passed, deselected=9 - passed)
