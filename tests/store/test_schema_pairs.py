"""The schemas of the two engines are pairs: the same steps, tables, columns, keys and rules."""

import asyncio
import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Any

import asyncpg
import pytest

from stoa.store import statements
from tests.support import postgresql_schema, schema
from tests.support.database import rows
from tests.support.postgresql import PostgreSQL

TYPES = {"TEXT": "text", "INTEGER": "bigint", "BLOB": "bytea"}
OWN = {"stoa_migration"}
"""What only one engine has in this form: where the version is kept."""


@pytest.fixture(scope="module")
def url(postgresql: PostgreSQL) -> Iterator[str]:
    """An empty database with the schema."""
    url = postgresql.new()
    yield url
    postgresql.drop(url)


def steps(dialect: str) -> dict[str, str]:
    """The migrations of an engine by file name."""
    folder = files("stoa.store") / "migrations" / dialect
    return {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}


def ask(url: str, sql: str) -> list[Any]:
    """The rows of a statement."""
    return asyncio.run(rows(url, sql))


def sqlite_tables() -> list[str]:
    """The tables of the embedded engine."""
    found = schema.objects(schema.migrated())
    names = [name for name, sql in found if sql.startswith("CREATE TABLE")]
    assert len(names) > 20
    return names


def test_every_migration_has_its_pair() -> None:
    assert steps("sqlite").keys() == steps("postgresql").keys()


def test_migrations_are_numbered_without_a_gap_and_none_twice() -> None:
    numbers = sorted(int(name.partition("_")[0]) for name in steps("sqlite"))
    assert numbers == list(range(1, len(numbers) + 1))


def test_the_written_schema_and_the_migrations_give_the_same_database(
    postgresql: PostgreSQL, url: str
) -> None:
    written = postgresql_schema.WRITTEN.read_text(encoding="utf-8")
    assert written == postgresql_schema.text(postgresql, url), "run tools/schema"
    made = postgresql_schema.made_from(postgresql, written)
    assert postgresql.dump(made) == postgresql.dump(url, "--exclude-table=stoa_migration")
    postgresql.drop(made)


def test_tables_have_the_same_columns_of_the_same_types(url: str) -> None:
    connection = schema.migrated()
    expected = {
        (table, str(column[1])): TYPES[column[2]]
        for table in sqlite_tables()
        for column in connection.execute(f"PRAGMA table_info({table})")
    }
    found = ask(
        url,
        "SELECT table_name, column_name, data_type FROM information_schema.columns "
        "WHERE table_schema = current_schema()",
    )
    assert {(row[0], row[1]): row[2] for row in found if row[0] not in OWN} == expected


def test_the_same_columns_may_be_empty(url: str) -> None:
    connection = schema.migrated()
    expected = {
        (table, str(column[1]))
        for table in sqlite_tables()
        for column in connection.execute(f"PRAGMA table_info({table})")
        if not column[3] and not column[5]
    }
    found = ask(
        url,
        "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE table_schema = current_schema() AND is_nullable = 'YES'",
    )
    assert {(row[0], row[1]) for row in found if row[0] not in OWN} == expected


def test_texts_are_compared_byte_by_byte_as_in_sqlite(url: str) -> None:
    found = ask(
        url,
        "SELECT table_name, column_name, collation_name FROM information_schema.columns "
        "WHERE table_schema = current_schema() AND data_type = 'text'",
    )
    assert [tuple(row) for row in found if row[0] not in OWN and row[2] != "C"] == []


def test_tables_refer_to_the_same_tables(url: str) -> None:
    connection = schema.migrated()
    expected = sorted(
        (table, str(key[2]), str(key[6]))
        for table in sqlite_tables()
        for key in connection.execute(f"PRAGMA foreign_key_list({table})")
    )
    found = ask(
        url,
        "SELECT conrelid::regclass::text, confrelid::regclass::text, "
        "CASE confdeltype WHEN 'c' THEN 'CASCADE' ELSE 'NO ACTION' END "
        "FROM pg_constraint WHERE contype = 'f'",
    )
    assert sorted((row[0], row[1], row[2]) for row in found) == expected


def test_indexes_have_the_same_columns_and_conditions(url: str) -> None:
    connection = schema.migrated()
    expected = {
        name: (
            [str(row[2]) for row in connection.execute(f"PRAGMA index_info({name})")],
            sql.startswith("CREATE UNIQUE"),
            " WHERE " in " ".join(sql.split()),
        )
        for name, sql in schema.objects(connection)
        if "INDEX" in sql.split()[:3]
    }
    found = ask(
        url,
        """
        SELECT c.relname, i.indisunique, i.indpred IS NOT NULL, ARRAY(
          SELECT pg_get_indexdef(i.indexrelid, place, false)
          FROM generate_series(1, i.indnkeyatts) place)
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE c.relnamespace = current_schema()::regnamespace
          AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)
        """,
    )
    # PostgreSQL quotes a name that is a word of its own too.
    made = {row[0]: ([name.strip('"') for name in row[3]], row[1], row[2]) for row in found}
    assert made == expected


def test_keys_have_the_same_columns(url: str) -> None:
    connection = schema.migrated()
    expected: set[tuple[str, tuple[str, ...]]] = set()
    for table in sqlite_tables():
        for index in connection.execute(f"PRAGMA index_list({table})").fetchall():
            if index[3] in ("pk", "u"):
                columns = connection.execute(f"PRAGMA index_info({index[1]})")
                expected.add((table, tuple(str(column[2]) for column in columns)))
    # Their keys are row numbers, which need no index.
    expected |= {("post", ("id",)), ("event_log", ("seq",))}
    found = ask(
        url,
        """
        SELECT k.conrelid::regclass::text, ARRAY(
          SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY key (number, place)
          JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = key.number
          ORDER BY key.place)
        FROM pg_constraint k
        WHERE k.contype IN ('p', 'u') AND k.connamespace = current_schema()::regnamespace
        """,
    )
    assert {(row[0], tuple(row[1])) for row in found if row[0] not in OWN} == expected


def test_both_check_the_same_conditions() -> None:
    def as_list(found: re.Match[str]) -> str:
        values = re.findall(r"'\w+'", found[0])
        return f"{found[1]} IN ({', '.join(values)})"

    def checks(statements: Iterable[str]) -> list[str]:
        """In no order, since the columns of long texts have other places."""
        text = " ".join(" ".join(sql.split()) for sql in statements)
        text = re.sub(r"(\w+) = '\w+'(?: OR \1 = '\w+')+", as_list, text)
        return sorted(re.findall(r"CHECK \(((?:[^()]|\([^()]*\))*)\)", text))

    # SQLite changes what a table checks by making it anew, so that its steps hold old tables too.
    kept = checks(sql for _, sql in schema.objects(schema.migrated()))
    assert len(kept) > 20
    assert checks(steps("postgresql").values()) == kept


def test_every_statement_is_understood_by_postgresql(url: str) -> None:
    async def prepare_all() -> dict[str, str]:
        connection = await asyncpg.connect(url)
        refused: dict[str, str] = {}
        for name, sql in statements.load("postgresql").items():
            try:
                prepared = await connection.prepare(statements.positional(sql)[0])
            except asyncpg.PostgresError as error:
                refused[name] = str(error)
                continue
            types = {attribute.type.name for attribute in prepared.get_attributes()}
            if not types <= {"int8", "int4", "text", "bytea", "void"}:
                refused[name] = f"gives {types}"
        await connection.close()
        return refused

    assert asyncio.run(prepare_all()) == {}
