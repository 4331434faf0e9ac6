"""The glossary: each term is in use, and the words that it replaces are not."""

import re
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[2]
GLOSSARY = PROJECT / "docs" / "glossary.md"
TERM = re.compile(r"^\*\*(.+?)\.\*\*([\s\S]*?)(?=^\*\*|\Z)", re.MULTILINE)
NOT = re.compile(r"Not: ([^.]+)\.")
OTHER_THINGS = re.compile(r"style sheets?|packed-refs")
"""Names that others gave, of which a replaced word is a part."""


def terms() -> dict[str, str]:
    """What the glossary says of each term."""
    return dict(TERM.findall(GLOSSARY.read_text(encoding="utf-8")))


def replaced() -> list[str]:
    """The words that are not used."""
    found = (NOT.search(" ".join(said.split())) for said in terms().values())
    return [word for one in found if one for word in one[1].split(", ")]


def texts() -> Iterator[tuple[str, str]]:
    """The source and the documents by name; decisions keep the words of their time."""
    for folder, kinds in (("src", {".py", ".sql", ".html", ".md"}), ("docs", {".md"})):
        for file in sorted((PROJECT / folder).rglob("*")):
            if file.suffix in kinds and file != GLOSSARY and "decisions" not in file.parts:
                yield str(file.relative_to(PROJECT)), file.read_text(encoding="utf-8")


def uses_of(word: str, text: str) -> list[str]:
    """Where a text has a word, in prose or as a part of a name."""
    if word.lower() not in text.lower():
        return []
    pattern = rf"(?<![a-z]){re.escape(word)}s?(?![a-z])"
    return re.findall(pattern, OTHER_THINGS.sub("", text), re.IGNORECASE)


def test_each_term_is_in_use() -> None:
    everything = [text for _, text in texts()]
    assert len(terms()) >= 40
    assert [term for term in terms() if not any(uses_of(term, text) for text in everything)] == []


def test_the_names_that_the_glossary_gives_stand_in_the_source() -> None:
    source = "\n".join(text for name, text in texts() if name.endswith(".py"))
    names = {name for said in terms().values() for name in re.findall(r"`([A-Za-z_]+)`", said)}
    assert "WorkCodec" in names
    assert [name for name in names if not re.search(rf"\b{name}\b", source)] == []


def test_a_word_that_the_glossary_replaces_is_not_used() -> None:
    found = [(name, word) for name, text in texts() for word in replaced() if uses_of(word, text)]
    assert found == []


def test_a_replaced_word_is_found_in_prose_and_in_names() -> None:
    assert {"keeper", "packed", "late change", "whoever"} <= set(replaced())
    for text in ("A keeper.", "self._keeper = 1", "Keepers", "keeper_of()"):
        assert uses_of("keeper", text)
    for text in ("timekeeper", "bookkeepers", "the style sheet", "a dashboard"):
        assert not any(uses_of(word, text) for word in replaced())
