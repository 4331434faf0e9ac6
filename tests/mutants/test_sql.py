"""Mutants of SQL: what is changed, where, and what is left alone."""

import pytest

from tools.mutants import sql

PATH = "src/stoa/store/queries/holds.sql"


def mutated(statement: str) -> set[str]:
    """What the mutants of a statement are."""
    text = f"-- name: due\n{statement}\n".encode()
    return {
        mutant.of(text).decode().split("\n", 1)[1].strip() for mutant in sql.mutants(PATH, text)
    }


@pytest.mark.parametrize(
    ("statement", "changed"),
    [
        ("SELECT a FROM b WHERE c <= :now", "SELECT a FROM b WHERE c < :now"),
        ("SELECT a FROM b WHERE c = :c", "SELECT a FROM b WHERE c <> :c"),
        ("SELECT a FROM b WHERE c AND (d OR e) AND f", "SELECT a FROM b WHERE c AND f"),
        ("SELECT a FROM b WHERE c AND d = 'x y' LIMIT 2", "SELECT a FROM b WHERE c LIMIT 2"),
        ("SELECT (SELECT 1 WHERE a AND b) FROM c", "SELECT (SELECT 1 WHERE a) FROM c"),
        ("SELECT a FROM b ORDER BY c DESC", "SELECT a FROM b ORDER BY c ASC"),
        ("SELECT a FROM b LIMIT 2", "SELECT a FROM b LIMIT 3"),
        ("UPDATE a SET b = b + 1", "UPDATE a SET b = b - 1"),
        ("SELECT a FROM b FOR UPDATE SKIP LOCKED", "SELECT a FROM b FOR UPDATE"),
        ("INSERT INTO a VALUES (:b) ON CONFLICT DO NOTHING", "INSERT INTO a VALUES (:b)"),
    ],
)
def test_a_statement_is_changed(statement: str, changed: str) -> None:
    assert changed in mutated(statement)


def test_of_one_row_none_is_read_and_not_two() -> None:
    assert mutated("SELECT a FROM b LIMIT 1") == {"SELECT a FROM b LIMIT 0"}


@pytest.mark.parametrize("statement", ["SELECT 'a < 1' FROM b1", "-- 1 < 2", "SELECT a FROM b"])
def test_texts_names_and_comments_are_left_alone(statement: str) -> None:
    assert mutated(statement) == set()
