"""What repeats a test runs once by default, and in all its places in `make soak`."""

import pytest

TESTS = """
    import pytest

    @pytest.fixture(params=["sqlite", "postgresql"])
    def engine(request):
        return request.param

    @pytest.fixture(params=["rest", "mcp-2025-11-25", "mcp-2026-07-28"])
    def face(request):
        return request.param

    @pytest.mark.checks_input
    def test_input(engine, face): ...

    @pytest.mark.costly
    def test_costly(engine, face): ...

    def test_across(engine, face): ...

    @pytest.mark.parametrize("engine", ["sqlite"])
    def test_on_one_engine(engine, face): ...

    def test_more(engine): ...

    @pytest.mark.checks_input
    def test_nothing(): ...
"""
ALL = 6 + 6 + 6 + 3 + 2 + 1
MARKERS = """
    [pytest]
    markers =
        soak: long
        checks_input: checks input
        costly: costly
"""


@pytest.mark.parametrize(
    ("chosen", "passed"), [("not soak", 2 + 2 + 3 + 3 + 2 + 1), ("soak", 4 + 4 + 3)]
)
def test_each_engine_and_version_runs_somewhere(
    pytester: pytest.Pytester, chosen: str, passed: int
) -> None:
    pytester.makepyfile(TESTS)
    pytester.makeini(MARKERS)
    result = pytester.runpytest_inprocess("-p", "tests.plugins.repetitions", "-m", chosen)
    result.assert_outcomes(passed=passed, deselected=ALL - passed)


def test_on_both_engines_each_face_is_tried_once(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    pytester.makeini(MARKERS)
    chosen = ("-m", "not soak", "-k", "test_across", "-v")
    result = pytester.runpytest_inprocess("-p", "tests.plugins.repetitions", *chosen)
    result.stdout.fnmatch_lines_random(
        [
            "*test_across?sqlite-rest? PASSED*",
            "*test_across?sqlite-mcp-2025-11-25? PASSED*",
            "*test_across?postgresql-mcp-2026-07-28? PASSED*",
        ]
    )


VALUES = """
    import pytest

    @pytest.fixture(params=["sqlite", "postgresql"])
    def engine(request):
        return request.param

    @pytest.mark.parametrize("value", ["first", "second"])
    def test_values(engine, value): ...

    @pytest.mark.parametrize(
        ("engine", "value"), [("sqlite", 1), ("postgresql", 1), ("postgresql", 2)]
    )
    def test_of_each_engine(engine, value): ...
"""


def test_of_several_values_a_further_engine_tries_the_first(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(VALUES)
    pytester.makeini(MARKERS)
    chosen = ("-m", "soak", "-v")
    result = pytester.runpytest_inprocess("-p", "tests.plugins.repetitions", *chosen)
    result.assert_outcomes(passed=1, deselected=6)
    result.stdout.fnmatch_lines(["*test_values?postgresql-second? PASSED*"])
