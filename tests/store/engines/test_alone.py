"""A database written to by one program while no server uses it, on both engines."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stoa.clock import SystemClock
from stoa.domain.errors import Refusal
from stoa.settings import Settings
from stoa.store import sessions
from stoa.store.engines import engine_of
from stoa.store.tx import Alone, StartRefused, Timed, Tx


@pytest.fixture
def database(engine: str, new_database: Callable[[], str], tmp_path: Path) -> Settings:
    """A new database."""
    assert engine
    settings = Settings(data_dir=str(tmp_path), database_url=new_database())
    asyncio.run(engine_of(settings).migrate(settings))
    return settings


def _commit(database: Settings, works: list[Timed]) -> list[Any]:
    async def commit() -> list[Any]:
        async with engine_of(database).open_alone(database) as alone:
            return await alone.commit(works)

    return asyncio.run(commit())


async def _write(tx: Tx, name: str) -> int:
    await sessions.keep_secret(tx, name, b"value")
    return tx.now


async def _refused(tx: Tx, name: str) -> None:
    await _write(tx, name)
    raise Refusal("not_found")


async def _names(tx: Tx, names: str) -> str:
    found = [await tx.one("sessions.secret", name=name) is not None for name in names]
    return "".join(name for name, is_there in zip(names, found, strict=True) if is_there)


def test_each_work_has_its_own_time_and_sees_those_before_it(database: Settings) -> None:
    works = [(7, partial(_write, name="a")), (3, partial(_names, names="ab"))]
    assert _commit(database, [*works, (5, partial(_write, name="b"))]) == [7, "a", 5]
    assert _commit(database, [(1, partial(_names, names="ab"))]) == ["ab"]


def test_a_refused_work_undoes_its_own_changes_alone(database: Settings) -> None:
    works = [partial(_write, name="a"), partial(_refused, name="b"), partial(_write, name="c")]
    first, refusal, last = _commit(database, [(1, work) for work in works])
    assert (first, last) == (1, 1)
    assert isinstance(refusal, Refusal)
    assert _commit(database, [(1, partial(_names, names="abc"))]) == ["ac"]


def test_after_a_refused_work_the_next_ones_undo_no_more_than_their_own(
    database: Settings,
) -> None:
    async def twice() -> list[Any]:
        async with engine_of(database).open_alone(database) as alone:
            await alone.commit([(1, partial(_write, name="a")), (1, partial(_refused, name="b"))])
            works = [partial(_write, name="c"), partial(_refused, name="d")]
            await alone.commit([(1, work) for work in works])
            return await alone.commit([(1, partial(_names, names="abcd"))])

    assert asyncio.run(twice()) == ["ac"]


def test_a_second_program_is_refused(database: Settings) -> None:
    async def both() -> None:
        async with engine_of(database).open_alone(database):
            with pytest.raises(StartRefused, match="another"):
                async with engine_of(database).open_alone(database):
                    pass

    asyncio.run(both())


@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_server_that_comes_meanwhile_ends_the_writing(database: Settings) -> None:
    """A file cannot be opened by a server meanwhile: its lock is held."""

    async def write(alone: Alone) -> None:
        await alone.commit([(1, partial(_write, name="a"))])

    async def both() -> None:
        async with engine_of(database).open_alone(database) as alone:
            await write(alone)
            store = await engine_of(database).open_store(database, SystemClock())
            try:
                with pytest.raises(StartRefused, match="is served by a Stoa: stop it first"):
                    await write(alone)
            finally:
                await store.close()
            await write(alone)

    asyncio.run(both())


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_file_that_a_command_uses_is_not_said_to_be_served(database: Settings) -> None:
    async def migrate_beside_an_import() -> None:
        async with engine_of(database).open_alone(database):
            with pytest.raises(StartRefused, match=r"another Stoa uses .* if it is a command"):
                await engine_of(database).migrate(database)

    asyncio.run(migrate_beside_an_import())
