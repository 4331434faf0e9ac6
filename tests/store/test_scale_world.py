"""The large world that `make bench-scale` loads has the rows that the schema asks for."""

from contextlib import closing

from tests.support import schema
from tools.bench.scale.world import World, into


def test_every_row_of_a_large_world_fits_its_table() -> None:
    world = World(replies=2000)
    with closing(schema.migrated()) as database:
        database.execute("PRAGMA foreign_keys = OFF")
        triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
        for (trigger,) in database.execute(triggers).fetchall():
            database.execute(f"DROP TRIGGER {trigger}")  # `make bench-scale` loads without them
        for table, rows in world.tables():
            columns = database.execute(f"PRAGMA table_info({table})").fetchall()
            marks = ", ".join("?" * len(columns))
            database.executemany(f"INSERT INTO {into(table)} VALUES ({marks})", rows)
            assert database.execute(f"SELECT 1 FROM {table}").fetchone(), table
