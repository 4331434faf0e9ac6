"""Turns a skipped test into a failure where CI=true: a check that did not run proves nothing."""

import os
from collections.abc import Generator

import pytest

ADVICE = "In CI a skip is a failure: provide what the test needs, or remove the test."


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() in {"1", "true"}


def _fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    expected_failure = hasattr(report, "wasxfail")
    if report.outcome == "skipped" and not expected_failure and _in_ci():
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid}: {reason}\n{ADVICE}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail what was skipped by a marker, a fixture or the test itself."""
    report = yield
    _fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Fail a module that was skipped while it was imported, as `importorskip` does."""
    report = yield
    _fail_if_skipped(report)
    return report
