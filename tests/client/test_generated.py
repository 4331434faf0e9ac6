"""Both clients have every operation of the table, and the files say what the table says."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

from stoa.client import AsyncStoa, Stoa
from stoa.operations.catalog import all_operations
from tools.clients import ROOT, files
from tools.clients.samples import camel
from tools.clients.typescript import FILE

OPERATIONS = [operation.name for operation in all_operations()]
CLIENT = ROOT / "src/stoa/client"


def test_the_generated_files_are_those_of_the_table_and_no_other_is_left() -> None:
    made = files()
    stale = [str(path) for path, text in made.items() if path.read_text("utf-8") != text]
    assert stale == [], "run make docs"
    written = set((CLIENT / "generated").rglob("*.py"))
    assert written - {CLIENT / "generated/__init__.py"} <= made.keys()


def test_each_operation_is_a_documented_method_of_both_python_clients() -> None:
    for operation in OPERATIONS:
        for client in (Stoa, AsyncStoa):
            doc = inspect.getdoc(getattr(client, operation))
            assert doc
            assert "Example:" in doc


def test_each_operation_is_a_method_of_the_typescript_client() -> None:
    for operation in OPERATIONS:
        source = (ROOT / FILE).read_text("utf-8")
        method = rf"^  (async )?{camel(operation)}\("
        assert re.search(rf"{method}.*Promise<\w+> {{$", source, re.MULTILINE)


def test_the_client_imports_nothing_of_stoa_but_itself() -> None:
    program = (
        "import sys, stoa.client;"
        "print(*sorted(m for m in sys.modules if m.startswith('stoa.') and "
        "not m.startswith('stoa.client')))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == []


def test_the_client_needs_three_libraries_only() -> None:
    imports = {
        match[1]
        for path in CLIENT.rglob("*.py")
        for match in re.finditer(r"^(?:from|import) (\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert imports - sys.stdlib_module_names == {"httpx", "msgspec", "nacl", "stoa"}


def test_the_typescript_client_is_one_file_without_imports() -> None:
    source = Path(ROOT / FILE).read_text("utf-8")
    code = re.sub(r"/\*\*.*?\*/", "", source, flags=re.DOTALL)
    assert not re.search(r"\b(import|require)\b", code)
