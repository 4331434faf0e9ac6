"""Which tests run first for a mutant."""

from pathlib import Path

from tools.mutants.nearest import nearest


def test_a_modules_own_tests_come_first_then_those_that_import_it_then_the_listed(
    tmp_path: Path,
) -> None:
    for name, text in (
        ("a/test_uses.py", "from stoa.domain import ids, jobs\n"),
        ("a/test_more.py", "from stoa.domain.jobs import follow\n"),
        ("a/test_jobs.py", ""),
        ("domain/test_jobs.py", ""),
        ("domain/test_ids.py", "from stoa.domain import ids\n"),
        ("paid/test_pay.py", ""),
    ):
        file = tmp_path / "tests" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    listed = [
        {"paths": ["src/stoa/http"], "tests": ["tests/http"]},
        {"paths": ["src/stoa/domain/jobs"], "tests": ["tests/paid", "tests/a/test_jobs.py"]},
    ]
    assert nearest(tmp_path, "src/stoa/domain/jobs.py", listed) == [
        "tests/domain/test_jobs.py",
        "tests/a/test_jobs.py",
        "tests/a/test_more.py",
        "tests/a/test_uses.py",
        "tests/paid/test_pay.py",
    ]
