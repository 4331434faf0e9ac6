"""A test that loses the exception of its timeout ends, and is named."""

from pathlib import Path

import pytest

PLUGINS = ("-p", "xdist.plugin", "-p", "pytest_timeout", "-p", "tests.plugins.hanging")

LOSES_IT = """
import time
import pytest

@pytest.mark.timeout(0.5)
def test_it():
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            time.sleep(60)
        except BaseException:
            pass
"""


@pytest.fixture(autouse=True)
def plugins_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    # All that is installed takes longer to load than these tests take.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def test_a_test_that_loses_its_timeout_is_aborted_and_shown(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(LOSES_IT + "def test_other(): pass")
    result = pytester.runpytest_subprocess(*PLUGINS, "-n", "1", timeout=200)
    result.stderr.fnmatch_lines(["*Aborted*", "*in test_it"])
    result.stdout.fnmatch_lines(["*crashed while running*::test_it*"])
    result.assert_outcomes(passed=1, failed=1)


@pytest.mark.soak
def test_tests_in_time_are_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(): pass")
    result = pytester.runpytest_subprocess(*PLUGINS, timeout=200)
    result.assert_outcomes(passed=1)
