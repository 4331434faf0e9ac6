"""Texts made ready for snippets: as many are kept as have room."""

import pytest

from stoa.domain.snippets import prepared
from stoa.operations import text_cache
from stoa.operations.text_cache import TextCache


def test_texts_are_kept_in_so_much_room_and_none_that_is_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts, made = TextCache(), {f"rp_{place}": prepared("word " * 200) for place in range(20)}
    texts.keep(made)
    assert texts.known(made) == [*made.values()]
    texts.keep({"rp_long": prepared("word " * 2_001)})
    assert texts.known(["rp_long"]) == [None]
    monkeypatch.setattr(text_cache, "_MOST_BYTES", 10 * (made["rp_0"].bytes + 300))
    texts = TextCache()
    texts.keep(made)
    assert texts.known(made) == [None] * 10 + [*made.values()][10:]
