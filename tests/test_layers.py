"""Layers: a package imports from packages below it only, never up, sideways or in a circle."""

import ast
from collections.abc import Collection, Iterable, Iterator
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.test_house_rules import MODULES, every_module, name_of, package_of

pytestmark = pytest.mark.long  # in the process that reads the code for `test_house_rules.py`

LAYERS = [
    {"domain"},
    {"schemas", "caching", "clock", "entropy"},
    {"rendering", "logs", "metrics", "settings"},
    {"outgoing", "settings_checks"},
    {"store"},
    {"search"},
    {"memory"},
    {"operations"},
    {"limits"},
    {"calls"},
    {"upkeep", "http"},
    {"server", "shortcuts", "configuration"},
    {"rest", "openapi", "mcp", "a2a", "oauth", "web", "monitoring"},
    {"dispatch"},
    {"app"},
    {"importers", "demo"},
    {"sim"},
    {"cli"},
    {"__main__"},
]
LAYER_OF = {package: height for height, packages in enumerate(LAYERS) for package in packages}
ALONE = "client"
"""The SDK can be used without the server: it imports no other package of Stoa."""


def imports(nodes: list[ast.AST]) -> Iterator[str]:
    """The packages that a module imports from, late imports included."""
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith("stoa."))


def climbing(modules: Iterable[tuple[str, list[ast.AST]]]) -> list[tuple[str, str]]:
    """The imports that go up, or sideways to another package of the same layer."""
    return [
        (name, package)
        for name, nodes in modules
        if package_of(name) in LAYER_OF
        for package in imports(nodes)
        if package in LAYER_OF and package != package_of(name)
        if LAYER_OF[package] >= LAYER_OF[package_of(name)]
    ]


def test_imports_only_go_down() -> None:
    assert climbing(every_module()) == []


@pytest.mark.parametrize("line", ["from stoa.web import site", "from stoa.app import Stoa"])
def test_an_import_that_goes_sideways_or_up_is_found(line: str) -> None:
    assert climbing([("oauth/pages.py", list(ast.walk(ast.parse(line))))]) != []


def imported(nodes: list[ast.AST], known: Collection[str]) -> Iterator[str]:
    """The known modules that a module imports, also those that it imports for types alone."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                places = [
                    f"{name.removeprefix('stoa.').replace('.', '/')}{end}"
                    for name in (f"{node.module}.{alias.name}", node.module)
                    for end in (".py", "/__init__.py")
                ]
                yield from [place for place in places if place in known][:1]


def circle(modules: Iterable[tuple[str, list[ast.AST]]]) -> list[str]:
    """Modules of which each imports the next, in a circle; none where there is no circle."""
    known = dict(modules)
    found = {name: {*imported(nodes, known)} - {name} for name, nodes in known.items()}
    try:
        TopologicalSorter(found).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle(every_module()) == []


def test_a_circle_of_types_is_found() -> None:
    rows = "if TYPE_CHECKING:\n    from stoa.store.jobs import JobRow"
    texts = {"store/jobs.py": "from stoa.store import records", "store/records.py": rows}
    modules = [(name, list(ast.walk(ast.parse(text)))) for name, text in texts.items()]
    assert {*circle(modules)} == texts.keys()
    assert circle(modules[:1]) == []


def test_every_package_has_its_layer() -> None:
    packages = {package_of(name_of(file)) for file in MODULES} - {"__init__"}
    assert packages == {*LAYER_OF, ALONE}


def test_the_client_stands_alone() -> None:
    for name, nodes in every_module():
        packages = set(imports(nodes))
        if package_of(name) == ALONE:
            assert packages <= {ALONE, "__version__"}, name
        elif ALONE in packages:
            assert package_of(name) in {"cli", "demo", "importers", "mcp", "sim"}, name
