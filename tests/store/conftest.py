"""Files with many rows, which the tests of this folder copy: to fill one takes half a second."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from stoa.store.engines.sqlite.file import connect
from tests.support.clock import START
from tests.support.many_rows import an_id, filled


@pytest.fixture(scope="session")
def many_rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with many rows of everything."""
    path = tmp_path_factory.mktemp("rows") / "stoa.db"
    filled(path).close()
    return path


@pytest.fixture(scope="session")
def unlike_rows(many_rows: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = Path(shutil.copy(many_rows, tmp_path_factory.mktemp("unlike")))
    with closing(connect(path, writer=True)) as connection, connection:
        connection.execute("UPDATE thread SET answer_count = 1, reply_count = 1")
        claimed = "UPDATE job SET status = 'CLAIMED', claimer_id = ?, claimed_at = ?"
        connection.execute(claimed, (an_id("ag", 2), START))
    return path


@pytest.fixture
def unlike(unlike_rows: Path, tmp_path: Path) -> Iterator[apsw.Connection]:
    """Threads and jobs of one agent with one tag; each thread is open and has an answer. As with a
    server there are no statistics."""
    connection = connect(Path(shutil.copy(unlike_rows, tmp_path)), writer=True)
    yield connection
    connection.close()
