"""`make release` and `make release-date`: see docs/operating/releases.md for what comes out."""

import argparse
import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from tools.release import building, changelog, checks, trial

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Run one of the two commands; returns the exit status."""
    parser = argparse.ArgumentParser(prog="tools.release")
    commands = parser.add_subparsers(required=True)
    dating = commands.add_parser("date", help="make what is unreleased a version of today")
    dating.add_argument("version")
    dating.set_defaults(run=date)
    making = commands.add_parser("build", help="build the release of this commit into dist")
    making.set_defaults(run=build)
    given = parser.parse_args()
    problems: list[str] = given.run(given)
    for problem in problems:
        print(f"release: {problem}", file=sys.stderr)
    return 1 if problems else 0


def date(given: argparse.Namespace) -> list[str]:
    """Date the changelog and set the version; to be committed."""
    log, source = ROOT / "CHANGELOG.md", ROOT / checks.VERSION_FILE
    try:
        today = datetime.now(UTC).date().isoformat()
        text = changelog.dated(log.read_text("utf-8"), given.version, today)
    except ValueError as error:
        return [str(error)]
    log.write_text(text, "utf-8")
    source.write_text(checks.with_version(source.read_text("utf-8"), given.version), "utf-8")
    print(f"dated {given.version}: commit CHANGELOG.md and {checks.VERSION_FILE}")
    return []


def build(_: argparse.Namespace) -> list[str]:
    """Build twice, compare, and try the result out."""
    if problems := list(checks.refusals(ROOT)):
        return problems
    dist = ROOT / "dist" / checks.version(ROOT)
    shutil.rmtree(dist, ignore_errors=True)
    files = building.build(ROOT, "HEAD", dist)
    with tempfile.TemporaryDirectory() as again:
        second = {
            file.name: building.sha256(file) for file in building.build(ROOT, "HEAD", Path(again))
        }
    different = [file.name for file in files if second[file.name] != building.sha256(file)]
    if different:
        return [f"two builds differ in {', '.join(different)}: see tools/release/building.py"]
    seconds = trial.try_out(dist)
    print("\n".join([*map(str, files), f"installed with hashes and ready in {seconds:.1f} s"]))
    return []


if __name__ == "__main__":
    sys.exit(main())
