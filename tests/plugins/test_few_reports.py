"""What passed is reported once, and whatever did not pass as pytest does."""

import pytest

from tests.plugins.few_reports import Sender

TESTS = """
import pytest

@pytest.fixture
def unmade():
    raise OSError

@pytest.fixture
def unended():
    yield
    raise OSError

def test_passes(): pass
def test_fails(): assert False
def test_skips(): pytest.skip("why")
def test_is_not_begun(unmade): pass
def test_does_not_end(unended): pass
"""


def test_what_passed_is_reported_once_and_all_else_as_ever(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    found = pytester.inline_run(plugins=[Sender()])  # pyright: ignore[reportUnknownMemberType]
    reports = found.getreports("pytest_runtest_logreport")
    assert [(one.nodeid.partition("::")[2], one.when, one.outcome) for one in reports] == [
        ("test_passes", "call", "passed"),
        ("test_fails", "call", "failed"),
        ("test_skips", "call", "skipped"),
        ("test_is_not_begun", "setup", "failed"),
        ("test_does_not_end", "call", "passed"),
        ("test_does_not_end", "teardown", "failed"),
    ]
