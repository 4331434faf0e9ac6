"""What is kept of rows, texts and polls has more room with a larger `STOA_CACHE_MB`."""

import pytest

from stoa.app import new_services
from stoa.memory.memory import Memory
from stoa.settings import Settings


def _rooms(memory: Memory) -> list[int]:
    return [memory.rows.most_bytes, memory.lasting.most_bytes, memory.polls.most_bytes]


@pytest.mark.parametrize(("cache_mb", "times"), [(0, 1), (112, 1), (224, 2), (1120, 10)])
def test_rooms_grow_with_the_setting_but_never_shrink(cache_mb: int, times: int) -> None:
    settings = Settings(cache_mb=cache_mb, database_url="postgresql://localhost/unused")
    made = new_services(settings)
    assert _rooms(made.memory) == [times * room for room in _rooms(Memory())]
