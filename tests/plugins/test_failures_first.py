"""A failure is told before the run ends."""

import pytest


def test_a_failure_is_shown_when_it_happens(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_a(): assert 1 == 2\ndef test_b(): print()\n")
    result = pytester.runpytest_inprocess("-v", "-p", "tests.plugins.failures_first")
    told = "FAILED test_a_failure_is_shown_when_it_happens.py::test_a (call) *"
    result.stdout.fnmatch_lines([told, "*::test_b PASSED*", "*= FAILURES =*"])
