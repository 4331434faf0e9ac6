"""The TypeScript client compiles with what its users have: three compilers, Deno and Bun."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support import node
from tests.support.soaking import few
from tools.clients import ROOT
from tools.clients.typescript import FILE

SOURCES = Path(__file__).parent / "typescript"
COMPILERS = {"5.9": "typescript", "6.0": "typescript-6", "7.0": "typescript-7"}
SLOW = [pytest.param(version, marks=pytest.mark.soak) for version in ("5.9", "6.0")]
VERSIONS = [*SLOW, "7.0"]
"""The settings for which `make test` asks the compiler alone that is written in Go."""
ES2022 = ("--target", "es2022", "--module", "nodenext")
BUN = {
    # What `bun init` writes.
    "lib": ["ESNext"],
    "target": "ESNext",
    "module": "Preserve",
    "moduleDetection": "force",
    "jsx": "react-jsx",
    "allowJs": True,
    "moduleResolution": "bundler",
    "allowImportingTsExtensions": True,
    "verbatimModuleSyntax": True,
    "noEmit": True,
    "strict": True,
    "skipLibCheck": True,
    "noFallthroughCasesInSwitch": True,
    "noUncheckedIndexedAccess": True,
    "noImplicitOverride": True,
    "noUnusedLocals": False,
    "noUnusedParameters": False,
    "noPropertyAccessFromIndexSignature": False,
}
STRICTEST = {
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "noImplicitOverride": True,
    "noUncheckedIndexedAccess": True,
    "noPropertyAccessFromIndexSignature": True,
    "noUnusedLocals": True,
    "noUnusedParameters": True,
    # What the runtimes need that strip types and know nothing of them.
    "erasableSyntaxOnly": True,
    "isolatedModules": True,
    "verbatimModuleSyntax": True,
    "rewriteRelativeImportExtensions": True,
    "target": "es2022",
    "lib": ["es2022", "dom"],
    "types": [],
    "module": "nodenext",
    "noEmit": True,
}

Compiled = tuple[int, str]
"""Exit status and what was printed."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A program and the client beside it."""
    shutil.copy(ROOT / FILE, tmp_path)
    for name in ("forms.ts", "checks.ts"):
        shutil.copy(SOURCES / name, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    return tmp_path


def compiled(version: str, folder: Path, *arguments: str) -> Compiled:
    """Run a TypeScript compiler."""
    program = node.module(f"{COMPILERS[version]}/bin/tsc")
    done = node.run(program, "--noEmit", *arguments, cwd=folder)
    return done.returncode, done.stdout + done.stderr


def strictly(version: str, folder: Path) -> Compiled:
    """Compile as people do who have no settings but `--strict`, and for 5.9 a target."""
    forms = folder / "forms.ts"
    # Without settings an import has the name that the compiled file will have.
    forms.write_text(forms.read_text("utf-8").replace("agent-client.ts", "agent-client.js"))
    options = () if version == "7.0" else ES2022
    return compiled(version, folder, "--strict", *options, "forms.ts")


def configured(version: str, folder: Path, options: dict[str, Any], *files: str) -> Compiled:
    """Compile with the settings of a project."""
    settings = {"compilerOptions": options, "files": files}
    (folder / "tsconfig.json").write_text(json.dumps(settings))
    return compiled(version, folder, "--project", ".")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.soak
def test_it_compiles_with_nothing_but_strict(version: str, folder: Path) -> None:
    assert strictly(version, folder) == (0, "")


@pytest.mark.promise("W14")
@pytest.mark.parametrize("version", VERSIONS)
def test_it_compiles_with_the_strictest_settings(version: str, folder: Path) -> None:
    assert configured(version, folder, STRICTEST, "forms.ts", "checks.ts") == (0, "")


@pytest.mark.soak
@pytest.mark.parametrize("version", VERSIONS)
def test_it_compiles_with_the_settings_of_bun(version: str, folder: Path) -> None:
    types = {"typeRoots": [str(node.module("@types"))], "types": ["bun"]}
    assert configured(version, folder, {**BUN, **types}, "forms.ts") == (0, "")


@pytest.mark.soak
def test_deno_checks_it(folder: Path) -> None:
    (deno,) = node.module("@deno").glob("*/deno")
    done = subprocess.run(
        [deno, "check", "--no-remote", "--no-npm", "forms.ts"],
        cwd=folder,
        env={**os.environ, "DENO_DIR": str(folder / "deno"), "DENO_NO_UPDATE_CHECK": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("right", "wrong"),
    few(
        [
            ("const shows: Record<string, string> =", "const shows ="),
            ('  asset?: "FORUM_CREDIT";', '  asset: "FORUM_CREDIT";'),
        ]
    ),
    ids=["header", "asset"],
)
@pytest.mark.soak
def test_a_fault_that_only_these_settings_show_is_found(
    right: str, wrong: str, folder: Path
) -> None:
    client = folder / "agent-client.ts"
    source = client.read_text("utf-8")
    assert right in source
    client.write_text(source.replace(right, wrong))
    status, printed = strictly("7.0", folder)
    assert status != 0
    assert "error TS" in printed
