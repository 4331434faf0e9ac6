"""Layers: a package imports from packages below it only, never up and never sideways."""

import ast
from collections.abc import Iterable, Iterator

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
