"""Named statements: how files of SQL are read, and that code and files name the same ones."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import stoa
from stoa.store import statements
from stoa.store.statements import Bounds
from tests.support import schema

SOURCE = Path(stoa.__file__).parent
DIALECTS = sorted(
    folder.name for folder in (SOURCE / "store" / "queries").iterdir() if folder.is_dir()
)
FILES = {name.partition(".")[0] for name in statements.load("sqlite")}


# --- Reading.


def test_a_statement_goes_from_its_name_to_the_next() -> None:
    text = "-- name: a\nSELECT 1\n\n-- What it is for.\n-- name: b\nSELECT 2\nFROM x\n"
    assert statements.parse(text) == {"a": "SELECT 1", "b": "SELECT 2\nFROM x"}


def test_a_piece_is_put_into_every_statement_that_names_it() -> None:
    text = "-- let row: id, name\n\n-- name: a\nSELECT {{row}} FROM x\n"
    assert statements.parse(text) == {"a": "SELECT id, name FROM x"}


def test_a_family_is_one_statement_for_each_choice() -> None:
    text = (
        "-- name: list_{scope}_{order}\n-- each scope: all = 1 | own = who = :who\n"
        "-- each order: new = id | old = -id\nSELECT 1 WHERE {{scope}} ORDER BY {{order}}\n"
    )
    assert statements.parse(text) == {
        "list_all_new": "SELECT 1 WHERE 1 ORDER BY id",
        "list_all_old": "SELECT 1 WHERE 1 ORDER BY -id",
        "list_own_new": "SELECT 1 WHERE who = :who ORDER BY id",
        "list_own_old": "SELECT 1 WHERE who = :who ORDER BY -id",
    }


@pytest.mark.parametrize(
    ("named", "numbered", "names"),
    [
        ("SELECT 1", "SELECT 1", ()),
        ("SELECT :a, :b", "SELECT $1, $2", ("a", "b")),
        ("VALUES (:b,:a_1,:b)", "VALUES ($1,$2,$1)", ("b", "a_1")),
        ("SELECT :a::text, b::bigint", "SELECT $1::text, b::bigint", ("a",)),
        ("SELECT ':a', 'it''s :b', :c", "SELECT ':a', 'it''s :b', $1", ("c",)),
        ('SELECT "x:y" FROM t WHERE u = :u', 'SELECT "x:y" FROM t WHERE u = $1', ("u",)),
        ("SELECT 1 -- not :a\n+ :b", "SELECT 1 -- not :a\n+ $1", ("b",)),
        ("SELECT /* :a\n:b */ :c", "SELECT /* :a\n:b */ $1", ("c",)),
        ("SELECT list[2:3], list[:a]", "SELECT list[2:3], list[$1]", ("a",)),
        ("SELECT '-- ' || :a || '/*'", "SELECT '-- ' || $1 || '/*'", ("a",)),
    ],
)
def test_named_values_become_numbered_ones(
    named: str, numbered: str, names: tuple[str, ...]
) -> None:
    assert statements.positional(named) == (numbered, names)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_is_left_to_fill_in(dialect: str) -> None:
    for name, sql in statements.load(dialect).items():
        assert "{" not in name + sql, name
        assert "--" not in sql, name
        assert sql, name


def test_values_come_in_the_order_in_which_a_statement_names_them_first() -> None:
    _, values_of = Bounds()["SELECT :c, :b, :c, :a"]
    assert values_of
    assert values_of({"a": 1, "b": 2, "c": 3}) == (3, 2, 1)


def test_every_statement_is_understood_by_the_engine() -> None:
    connection = schema.migrated()
    for name, sql in statements.load("sqlite").items():
        values = dict.fromkeys(re.findall(r":([a-z_]+)", sql))
        numbered, values_of = Bounds()[sql]
        try:
            meant = connection.execute(f"EXPLAIN {sql}", values).fetchall()
            given = values_of(values) if values_of else tuple(values.values())
            run = connection.execute(f"EXPLAIN {numbered}", given).fetchall()
            assert run == meant
        except Exception as error:
            raise AssertionError(f"{name}: {error}") from error


def _values(sql: str) -> set[str]:
    """The names of the values of a statement, or of those in its rows."""
    names = set(statements.positional(sql)[1])
    if names != {"rows"}:
        return names
    [columns] = re.findall(r"AS r \(([^)]+)\)", sql)
    return {column.split()[0] for column in columns.split(",")}


def test_every_engine_has_the_same_statements_with_the_same_values() -> None:
    def shape(dialect: str) -> dict[str, set[str]]:
        loaded = statements.load(dialect).items()
        own = ("locks.", "postings.", "replication.")
        shared = ((name, sql) for name, sql in loaded if not name.startswith(own))
        return {name: _values(sql) for name, sql in shared}

    shapes = [shape(dialect) for dialect in DIALECTS]
    assert all(other == shapes[0] for other in shapes)


# --- Names in the code.


def _texts(tree: ast.AST) -> Iterator[str]:
    """Every text of a module as a pattern; what an f-string fills in matches any one word."""
    inside = {
        part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"\w+"
                for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inside:
            yield re.escape(node.value)


def _patterns(folder: str) -> set[str]:
    """The texts in the code that may be names of statements."""
    wanted = re.compile(rf"({'|'.join(sorted(FILES))})\\\.[a-z_\\+w]+")
    return {
        pattern
        for file in (SOURCE / folder).rglob("*.py")
        for pattern in _texts(ast.parse(file.read_text(encoding="utf-8")))
        if wanted.fullmatch(pattern)
    }


def test_every_statement_is_used() -> None:
    plain = {pattern for pattern in _patterns("operations") if r"\w+" not in pattern}
    patterns = _patterns("store") | plain
    unused = {
        name
        for name in statements.load("sqlite")
        if not any(re.fullmatch(pattern, name) for pattern in patterns)
    }
    assert unused == set()


def test_every_name_in_the_store_is_a_statement() -> None:
    known = statements.load("sqlite")
    patterns = _patterns("store")
    assert len(patterns) > 50
    missing = {
        pattern for pattern in patterns if not any(re.fullmatch(pattern, name) for name in known)
    }
    assert missing == set()
