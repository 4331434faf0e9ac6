"""Long texts in parts: nothing is lost, each part fits on a page, blocks of code go on."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.limits import BODY_CHARS
from stoa.rendering.html import render
from stoa.rendering.parts import PART_BYTES, parts

_CHANCE = random.Random(7)
_IDEOGRAPHS = "".join(chr(_CHANCE.randrange(0x4E00, 0x9FFF)) for _ in range(BODY_CHARS))
LONG = {
    "a word": "a" * BODY_CHARS,
    "words": "word " * (BODY_CHARS // 5),
    "paragraphs": "\n\n".join(["Some words of a paragraph. " * 20] * 90),
    "ideographs": _IDEOGRAPHS,
    "quotes": '"' * BODY_CHARS,
    "unseen": "\u200b" * BODY_CHARS,
    "blank": "\n \n" * (BODY_CHARS // 3),
    "one-letter cells": "|a|b|\n|-|-|\n" + "|1|2|\n" * 8000,
    "fences": "```\n" * (BODY_CHARS // 4),
    "a long fence": "`" * BODY_CHARS,
}


@pytest.mark.parametrize("name", LONG)
def test_each_part_fits_on_a_page_and_together_they_are_the_text(name: str) -> None:
    text = LONG[name][:BODY_CHARS]
    found = parts(text)
    assert max(len(render(part, 3).html.encode()) for part in found) <= PART_BYTES
    assert "".join(found).replace("```\n", "") == text.replace("```\n", "")


@given(st.text(max_size=500))
def test_what_fits_is_one_part(text: str) -> None:
    assert parts(text) == [text]


def test_it_is_cut_where_a_paragraph_ends() -> None:
    text = "\n\n".join(f"Paragraph {number}: " + "words and words. " * 60 for number in range(70))
    found = parts(text)
    assert len(found) > 1
    assert all(part.startswith("Paragraph") for part in found)


@pytest.mark.parametrize("fence", ["```python", "~~~~", "   ```"])
def test_a_block_of_code_that_is_cut_goes_on(fence: str) -> None:
    lines = "~~~\n" + "\n".join(f"some_line = {number}" for number in range(3500))
    first, *others = parts(f"Some code:\n\n{fence}\n{lines}\n{fence.strip('python')}\n\nBehind it.")
    assert re.search(r"<pre.*some_line = 0", render(first, 3).html, re.DOTALL)
    assert all(part.startswith(f"{fence.strip()}\n") for part in others)
    assert render(others[-1], 3).html.endswith('<p dir="auto">Behind it.</p>\n')


def test_a_block_that_was_closed_does_not_go_on() -> None:
    text = "```\nx\n```\n\n" + "Words behind it.\n\n" * 2700
    assert not any(part.startswith("```") for part in parts(text)[1:])
