"""Rules for the code, checked on its syntax: sizes, names, one clock, exact money, full docs."""

import ast
import re
import statistics
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

import stoa
from stoa.cli.main import COMMANDS
from stoa.domain.errors import CATALOGUE
from stoa.operations.catalog import all_operations
from stoa.operations.table import Access, Charged, Mode
from stoa.settings import Settings, environment_name

pytestmark = pytest.mark.long  # so that one process runs them all, which reads the code once
SOURCE = Path(stoa.__file__).parent
PROJECT = SOURCE.parents[1]
MODULES = sorted(SOURCE.rglob("*.py"))

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(file: Path) -> str:
    return file.relative_to(SOURCE).as_posix()


def package_of(name: str) -> str:
    return name.removesuffix(".py").split("/")[0]


@cache
def nodes_of(file: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))


def every_module() -> Iterator[tuple[str, list[ast.AST]]]:
    """Every module by its name, with all the nodes of its syntax."""
    for file in MODULES:
        yield name_of(file), nodes_of(file)


# --- Small.


def functions() -> list[tuple[int, str]]:
    return [
        ((node.end_lineno or 0) - node.lineno + 1, f"{name}: {node.name}")
        for name, nodes in every_module()
        for node in nodes
        if isinstance(node, Function)
    ]


def test_functions_are_short() -> None:
    lengths = sorted(length for length, _ in functions())
    assert len(lengths) > 500
    assert statistics.median(lengths) <= 8
    assert lengths[len(lengths) * 9 // 10] <= 25
    assert [found for found in functions() if found[0] > 60] == []


def test_files_are_short() -> None:
    files = [file for folder in ("src", "tests") for file in (PROJECT / folder).rglob("*.py")]
    lengths = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    by_hand = {file: length for file, length in lengths.items() if "generated" not in file.parts}
    assert [file for file, length in by_hand.items() if length > 600] == []
    assert statistics.median(lengths.values()) <= 300


# --- Names.


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}


def hidden_names(nodes: list[ast.AST]) -> Iterator[str]:
    """Names in the annotations of a class that are fields of it too. Python 3.14 evaluates the
    annotations once the class is there, and would find the field."""
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
            own = names_in(field.target for field in fields)
            hidden = own & names_in(field.annotation for field in fields)
            yield from (f"{node.name}.{name}" for name in sorted(hidden))


def test_no_field_hides_a_name_that_an_annotation_uses() -> None:
    assert [one for _, nodes in every_module() for one in hidden_names(nodes)] == []


def test_a_field_that_hides_a_name_is_found() -> None:
    module = ast.parse("class Me:\n    size: Meta(limits.SIZE)\n    limits: int")
    assert list(hidden_names(list(ast.walk(module)))) == ["Me.limits"]


def public_types(nodes: list[ast.AST]) -> Iterator[str]:
    """The public classes and type aliases at the top level of a module."""
    module = nodes[0]
    for node in module.body if isinstance(module, ast.Module) else []:
        if isinstance(node, ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            is_variable = isinstance(node.value, ast.Call) and dotted(node.value.func) == "TypeVar"
            name = "" if is_variable else node.targets[0].id
        else:
            continue
        if re.fullmatch(r"[A-Z]+[a-z]\w*", name):
            yield name


def shared_names(types: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The names that several modules give to a type: `{name: modules}`. The client stands alone;
    what it generates mirrors the schemas, and what it has by hand may share a name with them."""
    modules: dict[str, list[str]] = {}
    for module, name in types:
        if "generated" not in module.split("/"):
            modules.setdefault(name, []).append(module)
    packages = {"client", "schemas"}
    return {
        name: found
        for name, found in modules.items()
        if len(found) > 1 and not (len(found) == 2 and {*map(package_of, found)} == packages)
    }


def test_no_two_public_types_share_a_name() -> None:
    types = [(file, name) for file, nodes in every_module() for name in public_types(nodes)]
    assert len(types) > 600
    assert shared_names(types) == {}


def test_a_name_that_two_types_share_is_found() -> None:
    code = (
        "class Row: ...\nEntry = dict[str, int]\nT = TypeVar('T')\nKind = TypeVar('Kind')\nMOST = 1"
    )
    names = list(public_types(list(ast.walk(ast.parse(code)))))
    assert names == ["Row", "Entry"]
    files = ["store/a.py", "store/b.py"]
    assert shared_names((file, name) for file in files for name in names) == {
        "Row": files,
        "Entry": files,
    }
    assert shared_names([("client/a.py", "Row"), ("schemas/a.py", "Row")]) == {}
    assert shared_names([("client/a.py", "Row"), ("store/a.py", "Row")]) != {}


# --- What packages may know; `test_layers.py` says which may import which.


def test_the_domain_knows_no_library_but_that_of_keys() -> None:
    allowed = {
        "array",
        "base64", "binascii", "bisect", "collections", "dataclasses", "decimal", "enum",
        "functools", "hashlib", "hmac", "ipaddress", "itertools", "json", "math", "nacl", "re",
        "stoa", "string", "types", "typing", "unicodedata", "urllib", "zlib",
    }  # fmt: skip
    for name, nodes in every_module():
        if package_of(name) != "domain":
            continue
        for node in nodes:
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= allowed, name
            elif isinstance(node, ast.ImportFrom):
                taken = {alias.name for alias in node.names}
                reads_addresses = node.module == "socket" and taken == {"AF_INET", "inet_pton"}
                assert reads_addresses or (node.module or "").split(".")[0] in allowed, name


def test_the_domain_knows_no_http() -> None:
    """Except for the numbers of the error catalogue, which it publishes and does not read."""
    words = {"header", "headers", "http", "method", "status_code"}
    for file in sorted((SOURCE / "domain").glob("*.py")):
        nodes = nodes_of(file)
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        names |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        assert not names & words, file.name


def test_sql_stands_in_files() -> None:
    statement = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s[\s\S]*\b(FROM|INTO|SET)\b")
    for name, nodes in every_module():
        if name.startswith(("store/engines/", "importers/")):
            continue
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not statement.match(node.value), f"{name}:{node.lineno}"


# --- No dead code: every name of the package is used in the package.

CALLED_BY_NAME = {
    "cli/main.py:_options",  # Typer
    *(f"cli/{place.replace('.', '.py:')}" for place in COMMANDS.values()),  # cli/main.py
    "client/*:*",  # programs of agents
    "importers/markdown.py:.convert_*",  # markdownify, by the name of an element
    "logs.py:.emit",  # logging
    "operations/catalog.py:_MODULES",  # their import declares the operations
    "server/protocol.py:.*",  # asyncio and uvicorn
    "server/server.py:.capture_signals",  # uvicorn
    "store/engines/*/engine.py:*",  # `Engine`, whose names are checked by type
    "store/engines/frames.py:.persistent_*",  # pickle
    "store/engines/sqlite/supervisor.py:.data_received",  # asyncio
}
READ_BESIDE = {
    "calls/following/waiting.py:.asleep",
    "rendering/html.py:OUTPUT_FACTOR",
    "upkeep/loops.py:.audits",
}
"""Bounds, states and names that tests and benchmarks hold the code to."""

Definition = Function | ast.ClassDef | ast.Assign | ast.AnnAssign


def definitions(file: Path) -> Iterator[tuple[str, Definition]]:
    """What a module defines: its functions, classes and constants, and methods as `.name`."""
    module = nodes_of(file)[0]
    for node in module.body if isinstance(module, ast.Module) else []:
        if isinstance(node, Function | ast.ClassDef):
            yield node.name, node
        if isinstance(node, ast.ClassDef):
            yield from ((f".{part.name}", part) for part in node.body if isinstance(part, Function))
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((target.id, node) for target in targets if isinstance(target, ast.Name))


def registered(node: Definition) -> bool:
    """Whether a decorator with arguments puts it into a table, as that of an operation does."""
    decorators = [] if isinstance(node, ast.Assign | ast.AnnAssign) else node.decorator_list
    names = [dotted(one.func) for one in decorators if isinstance(one, ast.Call)]
    return any(name.endswith(("operation", ".command", ".callback")) for name in names)


def uses(module: str, nodes: list[ast.AST]) -> Iterator[str]:
    """What the code of a module names: `module.name`, and `.name` for any attribute."""
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    yield from imported.values()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield f"{module}.{node.id}"
        elif isinstance(node, ast.Attribute):
            yield f".{node.attr}"
            if isinstance(node.value, ast.Name) and node.value.id in imported:
                yield f"{imported[node.value.id]}.{node.attr}"


def module_of(name: str) -> str:
    parts = ["stoa", *name.removesuffix(".py").split("/")]
    return ".".join(parts).removesuffix(".__init__")


def unused() -> Iterator[str]:
    """Every name that nothing in the package uses: `file:name`."""
    used = {use for name, nodes in every_module() for use in uses(module_of(name), nodes)}
    templates = (file.read_text(encoding="utf-8") for file in SOURCE.rglob("templates/*"))
    used |= {word for text in templates for word in re.findall(r"\.\w+", text)}
    for file in MODULES:
        for name, node in definitions(file):
            full = name if name.startswith(".") else f"{module_of(name_of(file))}.{name}"
            if full not in used and not name.strip(".").startswith("__") and not registered(node):
                yield f"{name_of(file)}:{name}"


def test_every_name_is_used_in_the_package() -> None:
    left = [one for one in unused() if not any(fnmatch(one, known) for known in CALLED_BY_NAME)]
    assert sorted(left) == sorted(READ_BESIDE)


def test_a_name_that_nothing_uses_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "USED = 1\nUNUSED = USED\n\nclass Kind:\n    def method(self) -> None: ...\n"
    file = tmp_path / "made_up.py"
    file.write_text(code, encoding="utf-8")
    monkeypatch.setitem(globals(), "SOURCE", tmp_path)
    monkeypatch.setitem(globals(), "MODULES", [file])
    found = ["made_up.py:UNUSED", "made_up.py:Kind", "made_up.py:.method"]
    assert list(unused()) == found


# --- One clock, one source of randomness, one place that reads the environment.

SOURCES = {
    "time.time": "clock.py",
    "time.time_ns": "clock.py",
    "time.monotonic": "clock.py",
    "time.perf_counter": "clock.py",
    "datetime.now": "clock.py",
    "datetime.utcnow": "clock.py",
    "datetime.today": "clock.py",
    "date.today": "clock.py",
    "random": "entropy.py",
    "secrets": "entropy.py",
    "uuid": "entropy.py",
    "os.urandom": "entropy.py",
    "os.environ": "configuration.py",
    "os.getenv": "configuration.py",
}
PROGRAMS_OF_AGENTS = ("client/", "cli/agent_session.py", "importers/", "demo/", "sim/")
"""They run where the agent runs, beside its own clock and keys, and not in the service."""


def dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def sources_in(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    """Each source that a module uses, with the line."""
    for node in nodes:
        if isinstance(node, ast.Attribute):
            used = dotted(node)
            for source in SOURCES:
                if f".{used}".endswith(f".{source}") or used.startswith(f"{source}."):
                    yield source, node.lineno
        elif isinstance(node, ast.ImportFrom):
            names = {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            yield from ((source, node.lineno) for source in SOURCES if source in names)


def test_time_chance_and_environment_come_from_one_module_each() -> None:
    for name, nodes in every_module():
        if not name.startswith(PROGRAMS_OF_AGENTS):
            found = [place for place in sources_in(nodes) if SOURCES[place[0]] != name]
            assert found == [], name


def test_a_use_of_time_chance_or_environment_is_found() -> None:
    for source in SOURCES:
        package, _, name = source.rpartition(".")
        for code in (f"{source}.now()", f"from {package or name} import {name}"):
            assert (source, 1) in [*sources_in(ast.walk(ast.parse(code)))], code


# --- No test depends on speed.

HTTPX = re.compile(
    r"httpx2?\.(Async)?(Client|delete|get|head|options|patch|post|put|request|stream)"
)


def impatient(file: Path) -> Iterator[str]:
    """Calls over a network with httpx's own patience, which is five seconds."""
    for node in nodes_of(file):
        if isinstance(node, ast.Call) and HTTPX.fullmatch(dotted(node.func)):
            given = {keyword.arg for keyword in node.keywords}
            if not given & {"timeout", "transport", None}:
                yield f"{file.name}:{node.lineno}"


def test_tests_wait_long_for_an_answer() -> None:
    files = [file for file in (PROJECT / "tests").rglob("*.py") if b"httpx" in file.read_bytes()]
    assert len(files) > 20
    assert [one for file in files for one in impatient(file)] == []


def test_a_test_that_waits_for_five_seconds_is_found(tmp_path: Path) -> None:
    file = tmp_path / "test_made_up.py"
    file.write_text("httpx.get(url, timeout=60)\nhttpx.Client(base_url=url)\n", encoding="utf-8")
    assert list(impatient(file)) == ["test_made_up.py:2"]


# --- Tests are where one looks for them.


def test_each_folder_of_tests_is_that_of_a_package_or_says_what_it_tests() -> None:
    table = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## Tests\n")[2]
    cells = re.findall(r"^\|([^|]*)\|", table.partition("\n## ")[0], re.MULTILINE)
    named = {name for cell in cells[2:] for name in re.findall(r"`(\w+)`", cell)}
    folders = {file.parent for file in (PROJECT / "tests").rglob("*.*") if file.suffix != ".pyc"}
    tops = {folder.relative_to(PROJECT / "tests").parts[:1] for folder in folders} - {()}
    packages = {(package_of(name_of(file)),) for file in MODULES}
    assert tops - packages == {(name,) for name in named} - packages
    assert named <= {top[0] for top in tops}


# --- Tests patch no constants.

PATCHED = re.compile(r"""setattr\(\s*[^()]*?["., ](_?[A-Z][A-Z_]{2,})",""")
"""A constant that is patched. What a test needs small is an argument, or it makes more rows."""


def test_tests_patch_no_constants() -> None:
    texts = (file.read_text(encoding="utf-8") for file in (PROJECT / "tests").rglob("*.py"))
    assert [name for text in texts for name in PATCHED.findall(text)] == []


# --- One package connects to addresses that agents name.

NETWORK_CLIENTS = {
    "aiohttp",
    "ftplib",
    "http.client",
    "httpcore",
    "httpx",
    "httpx2",
    "requests",
    "smtplib",
    "urllib.request",
    "urllib3",
    "websockets",
}
WHERE_AGENTS_RUN = {"client", "cli", "demo", "importers"}
"""Programs that call a Stoa from outside, whose address their user gives."""


def connects(nodes: list[ast.AST]) -> bool:
    """Whether a module imports a client of the network, or opens a connection itself."""
    for node in nodes:
        if isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Attribute):
            names = {dotted(node)}
        else:
            continue
        if names & (NETWORK_CLIENTS | {"asyncio.open_connection", "socket.create_connection"}):
            return True
    return False


def test_only_one_package_connects_to_other_machines() -> None:
    found = {package_of(name) for name, nodes in every_module() if connects(nodes)}
    assert found - WHERE_AGENTS_RUN == {"outgoing"}


@pytest.mark.parametrize(
    "code",
    [
        "import httpx",
        "from urllib import request",
        "from urllib.request import urlopen",
        "import asyncio\nasyncio.open_connection('a', 1)",
    ],
)
def test_a_module_that_connects_is_found(code: str) -> None:
    assert connects(list(ast.walk(ast.parse(code))))


# --- Money is exact.

MONEY = re.compile(r"(credits|ledger|escrow|holds|bount|reward|amount|settle|econom)")


def money_modules() -> list[str]:
    return [
        name for name, _ in every_module() if MONEY.search(name) and package_of(name) != "client"
    ]


def test_there_are_modules_of_money() -> None:
    assert {"domain/credits.py", "store/ledger.py", "operations/parts/escrow.py"} <= set(
        money_modules()
    )


def test_no_float_comes_near_money() -> None:
    for name in money_modules():
        for node in nodes_of(SOURCE / name):
            where = f"{name}:{getattr(node, 'lineno', 0)}"
            assert not (isinstance(node, ast.Name) and node.id == "float"), where
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), where
            assert not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)), where


# --- The table of operations and the catalogue of errors.


def test_every_operation_says_who_may_call_and_what_it_costs() -> None:
    for operation in all_operations():
        assert isinstance(operation.who.access, Access), operation.name
        assert isinstance(operation.who.charged, Charged), operation.name
        assert isinstance(operation.effect.mode, Mode), operation.name
        if operation.effect.mode is Mode.WRITE and operation.tag != "auth":
            assert operation.who.access is Access.AGENT, operation.name
        if operation.method == "GET":
            assert operation.effect.mode is not Mode.WRITE, operation.name


def refusals() -> Iterator[tuple[str, str]]:
    """Every code that is named where a refusal is made: `(code, place)`."""
    for name, nodes in every_module():
        for node in nodes:
            if isinstance(node, ast.Call) and dotted(node.func).split(".")[-1] == "Refusal":
                for argument in node.args[:1]:
                    if isinstance(argument, ast.Constant):
                        yield str(argument.value), f"{name}:{node.lineno}"


def test_every_refusal_has_a_code_of_the_catalogue() -> None:
    assert [place for code, place in refusals() if code not in CATALOGUE] == []


def test_every_code_is_reached_unless_it_is_reserved() -> None:
    raised = {code for code, _ in refusals()}
    named = {
        node.value
        for name, nodes in every_module()
        if name != "domain/errors.py"
        for node in nodes
        if isinstance(node, ast.Constant)
    }
    reserved = {code for code, kind in CATALOGUE.items() if kind.reserved}
    assert raised & reserved == set()
    # `invalid` raises the one code that is made in the catalogue's own module.
    assert set(CATALOGUE) - reserved - {"invalid_request"} <= raised | named


def test_no_face_handles_errors_of_the_domain_by_name() -> None:
    """What a refusal becomes is decided in one place of each face, not call by call."""
    handlers = [
        name
        for name, nodes in every_module()
        if package_of(name) in {"http", "server", "rest", "openapi", "mcp", "oauth", "web"}
        for node in nodes
        if isinstance(node, ast.Compare)
        and any(isinstance(part, ast.Attribute) and part.attr == "code" for part in ast.walk(node))
        and any(
            isinstance(part, ast.Constant) and part.value in CATALOGUE for part in ast.walk(node)
        )
    ]
    assert handlers == []


# --- Everything that can be met is named in the documentation.


@pytest.fixture(scope="module")
def documentation() -> str:
    """All of it, in ASCII: what is looked for is, and is found there several times as fast."""
    files = sorted((PROJECT / "docs").rglob("*.md"))
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return text.encode("ascii", "replace").decode()


def named(word: str, text: str) -> bool:
    place = text.find(word)
    while place >= 0:
        before, behind = text[place - 1 : place], text[place + len(word) : place + len(word) + 1]
        if not re.match(r"[\w/]", before) and not re.match(r"\w", behind):
            return True
        place = text.find(word, place + 1)
    return False


def test_every_error_code_is_named_in_the_documentation(documentation: str) -> None:
    assert [code for code in CATALOGUE if not named(code, documentation)] == []


def test_every_setting_is_named_in_the_documentation(documentation: str) -> None:
    names = [environment_name(name) for name in Settings.__struct_fields__]
    assert [name for name in names if not named(name, documentation)] == []


def test_every_route_and_tool_is_named_in_the_documentation(documentation: str) -> None:
    operations = all_operations()
    routes = [f"{operation.method} {operation.path}" for operation in operations]
    assert [route for route in routes if not named(route, documentation)] == []
    tools = [operation.tool for operation in operations if operation.tool]
    assert tools
    assert [tool for tool in tools if not named(tool, documentation)] == []


def test_no_setting_or_code_is_named_that_does_not_exist(documentation: str) -> None:
    settings = {environment_name(name) for name in Settings.__struct_fields__}
    mentioned = set(re.findall(r"\bSTOA_[A-Z_]+[A-Z]\b", documentation))
    assert mentioned - settings - KNOWN_VARIABLES == set()


KNOWN_VARIABLES = {
    *("STOA_URL", "STOA_KEY", "STOA_KEY_FILE", "STOA_TOKEN"),
    *("STOA_COPY_TO", "STOA_COPY_TO_FILE", "STOA_DATABASE_URL_FILE"),
}
"""Variables that programs of agents and `stoa copy` read; they are not settings of the service."""
