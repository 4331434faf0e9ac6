"""The description is clean to two linters, and clients that two generators make of it work."""

import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.support import node
from tests.support.server import Server

FILES = Path(__file__).parent / "description"
GENERATORS = Path(sys.prefix) / "generators"


@pytest.fixture(scope="module")
def description(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The description as the server gives it out."""
    file = tmp_path_factory.mktemp("description") / "openapi.json"
    file.write_bytes(httpx.get(f"{server.url}/openapi.json", timeout=60).content)
    return file


def python(*arguments: str | Path, cwd: Path, path: Path) -> str:
    """Run Python with packages of a folder beside the installed ones; what it printed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(path), "MYPYPATH": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def redocly(description: Path) -> list[str]:
    """The rules that Redocly finds broken, warnings included."""
    options = ("--config", str(FILES / "redocly.yaml"), "--format", "json")
    # It sends nothing about its use and asks for no newer version.
    quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    program = node.module("@redocly/cli/bin/cli.js")
    done = node.run(program, "lint", description, *options, variables=quiet)
    found = json.loads(done.stdout[done.stdout.index("{") :])
    return [problem["ruleId"] for problem in found["problems"]]


def spectral(description: Path) -> list[str]:
    """The rules that Spectral finds broken, hints included."""
    options = ("--ruleset", str(FILES / "spectral.yaml"), "--format", "json", "--quiet")
    program = node.module("@stoplight/spectral-cli/dist/index.js")
    done = node.run(program, "lint", description, *options)
    assert done.stdout, done.stderr
    return [problem["code"] for problem in json.loads(done.stdout)]


@pytest.mark.soak  # tests/openapi/test_document.py validates it too
def test_redocly_finds_nothing(description: Path) -> None:
    assert redocly(description) == []


@pytest.mark.soak
def test_spectral_finds_nothing(description: Path) -> None:
    assert spectral(description) == []


@pytest.mark.soak
def test_the_linters_find_an_unused_schema_and_a_foreign_pattern(
    description: Path, tmp_path: Path
) -> None:
    broken = json.loads(description.read_text("utf-8"))
    broken["paths"] = {}
    broken["components"] = {"schemas": {"Unused": {"type": "string", "pattern": "(?<=a"}}}
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(broken))
    assert "no-unused-components" in redocly(file)
    assert {"oas3-unused-component", "oas3-schema"} <= set(spectral(file))


@pytest.mark.promise("W15")
@pytest.mark.long
def test_a_typescript_client_made_of_it_compiles_and_does_a_job(
    description: Path, server: Server, tmp_path: Path
) -> None:
    generator = node.module("openapi-typescript/bin/cli.js")
    made = node.run(generator, description, "--output", tmp_path / "stoa.ts")
    assert made.returncode == 0, made.stderr
    program = tmp_path / "cycle.ts"
    program.write_bytes((FILES / "cycle.ts").read_bytes())
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules").symlink_to(node.module("typescript").parent)
    options = ("--strict", "--noEmit", "--target", "es2022", "--module", "nodenext")
    imports = ("--allowImportingTsExtensions", "--types", "node")
    compiled = node.run(
        node.module("typescript-7/bin/tsc"), *options, *imports, "cycle.ts", cwd=tmp_path
    )
    assert (compiled.returncode, compiled.stdout) == (0, "")
    done = node.run(program, server.url, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ["COMPLETED", "job_already_terminal", 101.13]


@pytest.mark.soak  # a client in TypeScript is made of it too
def test_a_python_client_made_of_it_compiles_and_does_a_job(
    description: Path, server: Server, tmp_path: Path
) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("post_hooks: []\n")  # it would start formatters
    options = ("--meta", "none", "--output-path", tmp_path / "stoa_api", "--config", settings)
    generate = ("-m", "openapi_python_client", "generate", "--path", description, *options)
    printed = python(*generate, "--fail-on-warning", cwd=tmp_path, path=GENERATORS)
    assert "WARNING" not in printed
    program = FILES / "cycle.py"
    python("-m", "mypy", "--no-incremental", program, cwd=tmp_path, path=tmp_path)
    done = python(program, server.url, cwd=tmp_path, path=tmp_path)
    assert json.loads(done) == ["COMPLETED", 101.13]
