"""Reading Posts.xml: rows, their places in the file, and what a defect is called."""

from pathlib import Path

import pytest

from stoa.importers import ImportStopped
from stoa.importers.posts_xml import CHUNK_BYTES, Post, attributes, post, rows
from tests.importers.test_refused_characters import REFUSED
from tests.support.soaking import few

DATA = Path(__file__).parents[1] / "data"


def _write(folder: Path, text: str | bytes) -> Path:
    path = folder / "Posts.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def _posts(path: Path) -> list[Post]:
    return [found for row in rows(path) if (found := post(row))]


@pytest.mark.parametrize(
    "text",
    [
        (DATA / "Posts.xml").read_bytes(),
        b"\xef\xbb\xbf" + (DATA / "Posts.xml").read_bytes().replace(b"\n", b"\r\n"),
    ],
    ids=["plain", "with byte order mark and CRLF"],
)
def test_a_row_read_again_at_its_place_is_the_same_row(tmp_path: Path, text: bytes):
    path = _write(tmp_path, text)
    found = list(rows(path))
    assert len(found) == 16
    with path.open("rb") as file:
        for row in found:
            again = attributes(file, int(row.attributes["Id"]), row.start, row.length)
            assert again == (row.attributes, 0)


def test_rows_are_found_across_the_chunks_of_a_large_file(tmp_path: Path):
    body = "é" * 100_000
    lines = "".join(f'<row Id="{n}" Body="{body}{n}"></row>\n' for n in range(1, 8))
    path = _write(tmp_path, f"<posts>\n{lines}</posts>")
    with path.open("rb") as file:
        for number, row in enumerate(rows(path), start=1):
            again, _ = attributes(file, number, row.start, row.length)
            assert again["Body"] == f"{body}{number}"


@pytest.mark.promise("D60")
@pytest.mark.parametrize("refused", REFUSED)
@pytest.mark.parametrize("before", few([1, 0, 2, 5]))
def test_a_row_comes_in_without_the_characters_that_xml_does_not_allow(
    tmp_path: Path, refused: bytes, before: int
):
    """The character lies across the end of the first chunk that is read, or begins with it."""
    head = b'<posts>\n<row Id="1" Body="one"/>\n<row Id="2" Body="'
    filler = b"a" * (CHUNK_BYTES - before - len(head))
    tail = b'.&#xA;"/>\n<row Id="3" Body="three"/>\n</posts>'
    path = _write(tmp_path, head + filler + refused + tail)
    one, two, three = rows(path)
    assert (one.attributes["Body"], three.attributes["Body"]) == ("one", "three")
    assert two.attributes["Body"] == f"{filler.decode()}.\n"
    with path.open("rb") as file:
        for number, row, left_out in ((1, one, 0), (2, two, 1), (3, three, 0)):
            again = attributes(file, number, row.start, row.length)
            assert again == (row.attributes, left_out)


def test_a_row_that_moved_since_the_first_reading_stops_the_import(tmp_path: Path):
    path = _write(tmp_path, '<posts><row Id="1"/><row Id="2"/></posts>')
    first, second = rows(path)
    with path.open("rb") as file:
        for start in (second.start, first.start + 1):
            with pytest.raises(ImportStopped, match="changed while it was read"):
                attributes(file, 1, start, first.length)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('<posts>\n<row Id="1"/>\n<row Id="2" Body="<"/>\n</posts>', 3, "invalid token"),
        ('<posts>\r\n<row Id="1"/>\r\n<row Id="2"', 3, "unclosed token"),
        ('<posts>\n<row Id="1"/>\n', 3, "no element found"),
        ("<posts>\n</post>", 2, "mismatched tag"),
        ("", 1, "no element found"),
        ("<?xml version='1.0'?>\n<users>\n</users>", 2, "<users>, not <posts>"),
        ("<!DOCTYPE posts [<!ENTITY a 'b'>]>\n<posts/>", 1, "document type declaration"),
        ("<posts/>".encode("utf-16"), 1, "UTF-16"),
    ],
)
def test_a_malformed_file_is_named_with_its_line(
    tmp_path: Path, text: str | bytes, line: int, problem: str
):
    path = _write(tmp_path, text)
    with pytest.raises(ImportStopped) as stopped:
        list(rows(path))
    assert str(stopped.value).startswith(f"{path}, line {line}: ")
    assert problem in str(stopped.value)
    assert "\n" not in str(stopped.value)


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path):
    with pytest.raises(ImportStopped, match="No such file"):
        list(rows(tmp_path / "Posts.xml"))


def test_authors_are_told_by_user_id_or_else_by_name():
    authors = {found.id: (found.author, found.author_name) for found in _posts(DATA / "Posts.xml")}
    assert authors[1] == ("user:10", "user10")
    assert authors[6] == ("name:Gone Brewer", "Gone Brewer")
    assert authors[12] == ("anonymous", "anonymous")
    assert authors[14] == ("user:10", "user10")
    assert _posts(DATA / "Posts.xml")[13].author_name == "Community"


def test_a_post_has_its_numbers_and_its_time_in_milliseconds():
    first, second = _posts(DATA / "Posts.xml")[:2]
    assert (first.id, first.type, first.question, first.accepted_answer) == (1, 1, None, 3)
    assert first.created == 1_425_200_400_000
    assert (second.type, second.question, second.accepted_answer) == (2, 1, None)


@pytest.mark.parametrize(
    "row",
    [
        '<row PostTypeId="1" CreationDate="2015-03-01T09:00:00"/>',
        '<row Id="x" PostTypeId="1" CreationDate="2015-03-01T09:00:00"/>',
        '<row Id="1" PostTypeId="" CreationDate="2015-03-01T09:00:00"/>',
        '<row Id="1" PostTypeId="1"/>',
        '<row Id="1" PostTypeId="1" CreationDate="yesterday"/>',
        '<row Id="9999999999999999999" PostTypeId="1" CreationDate="2015-03-01T09:00:00"/>',
    ],
)
def test_a_row_without_usable_numbers_is_no_post(tmp_path: Path, row: str):
    assert _posts(_write(tmp_path, f"<posts>{row}</posts>")) == []
