"""A skip passes on a developer's machine and fails in CI."""

import pytest

SKIPS = {
    "marker": "import pytest\n@pytest.mark.skip(reason='why')\ndef test_it(): pass\n",
    "call": "import pytest\ndef test_it(): pytest.skip('why')\n",
    "module": "import pytest\npytest.importorskip('no_such_module')\n",
}
EXPECTED_FAILURE = "import pytest\n@pytest.mark.xfail\ndef test_it(): assert False\n"


def run_inside(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, source: str, ci: str
) -> pytest.RunResult:
    """Run one test file with the plugin, under the given value of CI."""
    monkeypatch.setenv("CI", ci)
    pytester.makepyfile(source)
    return pytester.runpytest_inprocess("-p", "tests.plugins.no_skips")


@pytest.mark.parametrize("kind", SKIPS)
def test_a_skip_fails_in_ci_and_tells_what_to_do(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    result = run_inside(pytester, monkeypatch, SKIPS[kind], ci="true")
    assert result.ret != pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*In CI a skip is a failure*"])


@pytest.mark.parametrize("kind", ["marker", "call"])
def test_a_skip_outside_ci_stays_a_skip(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    result = run_inside(pytester, monkeypatch, SKIPS[kind], ci="")
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(skipped=1)


def test_an_expected_failure_is_no_skip(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run_inside(pytester, monkeypatch, EXPECTED_FAILURE, ci="true")
    result.assert_outcomes(xfailed=1)
