"""Texts made ready for snippets are kept, but for long ones."""

from stoa.domain.snippets import prepared
from stoa.memory.memory import Memory
from stoa.memory.searched import keep_texts


def test_a_long_text_is_not_kept() -> None:
    texts, short = Memory().texts, {"rp_short": prepared("word " * 200)}
    keep_texts(texts, short | {"rp_long": prepared("word " * 2_001)})
    assert texts.find_all(["rp_short", "rp_long"]) == [short["rp_short"], None]
