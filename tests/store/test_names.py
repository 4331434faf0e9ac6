"""What is looked up of all names each minute is what may change a mark."""

from contextlib import closing
from pathlib import Path

from tests.store.test_query_plans import plan
from tests.support.many_rows import an_id, filled, steps


def test_only_names_that_several_agents_have_are_read_to_be_compared(tmp_path: Path) -> None:
    with closing(filled(tmp_path / "stoa.db")) as connection:
        connection.execute("UPDATE agent SET skeleton = id, standing = 1")
        assert steps(connection, "agents.named_with_record", {})[1] == 0
        connection.execute("UPDATE agent SET skeleton = 'a' WHERE id <= ?", (an_id("ag", 1),))
        assert steps(connection, "agents.named_with_record", {})[1] == 2


def test_marked_agents_are_found_by_an_index_of_them() -> None:
    assert plan("agents.marked") == ["SCAN agent USING INDEX agent_marked"]
