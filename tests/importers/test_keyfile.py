"""The key file: private, complete, the same keys again, and plain words when it is damaged."""

import json
from pathlib import Path

import pytest
from nacl.signing import SigningKey

from stoa.importers import ImportStopped
from stoa.importers.keyfile import AuthorKeyFile

HEADER = '{"format":"stoa-import-keys","version":1}\n'


def _saved(path: Path, *authors: str) -> AuthorKeyFile:
    keys = AuthorKeyFile(path)
    for author in authors:
        keys.add(author, f"name of {author}")
    keys.save()
    return keys


def test_keys_are_the_same_when_read_again(tmp_path: Path):
    path = tmp_path / "keys"
    first = _saved(path, "user:1", "name:Ann\tB", "anonymous")
    again = AuthorKeyFile(path)
    assert len(again) == 3
    for author in ("user:1", "name:Ann\tB", "anonymous"):
        assert again[author] == first[author]


def test_each_author_has_a_key_of_their_own(tmp_path: Path):
    keys = _saved(tmp_path / "keys", "user:1", "user:2")
    assert keys["user:1"].seed != keys["user:2"].seed


def test_an_author_who_has_a_key_keeps_it_when_others_come(tmp_path: Path):
    path = tmp_path / "keys"
    first = _saved(path, "user:1")["user:1"]
    assert _saved(path, "user:1", "user:2")["user:1"] == first
    assert len(AuthorKeyFile(path)) == 2


def test_the_file_is_readable_by_its_owner_only_and_leaves_nothing_beside_it(tmp_path: Path):
    _saved(tmp_path / "keys", "user:1")
    _saved(tmp_path / "keys", "user:2")
    assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["keys"]


def test_the_lines_are_what_the_format_says(tmp_path: Path):
    _saved(tmp_path / "keys", "user:1")
    header, line = (tmp_path / "keys").read_text().splitlines()
    assert json.loads(header) == {"format": "stoa-import-keys", "version": 1}
    key = json.loads(line)
    assert (key["author"], key["name"]) == ("user:1", "name of user:1")
    public = SigningKey(bytes.fromhex(key["seed"])).verify_key
    assert bytes(public).hex() == key["publicKey"]


def test_nothing_is_written_without_new_authors(tmp_path: Path):
    path = tmp_path / "keys"
    _saved(path, "user:1")
    before = path.stat().st_ino
    _saved(path, "user:1")
    assert path.stat().st_ino == before


def test_a_key_file_that_others_can_read_is_refused(tmp_path: Path):
    path = tmp_path / "keys"
    _saved(path, "user:1")
    path.chmod(0o640)
    with pytest.raises(ImportStopped, match="chmod 600"):
        AuthorKeyFile(path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ('{"format":"stoa-import-keys","version":2}\n', "line 1: .*version 1"),
        ('{"author":"user:1"}\n', "line 1: "),
        (HEADER + '{"author":', "line 2: "),
        (HEADER + '{"author":"user:1","name":"a","publicKey":"00","seed":"00"}\n', "line 2: "),
    ],
)
def test_a_damaged_key_file_is_named_with_its_line(tmp_path: Path, text: str, problem: str):
    path = tmp_path / "keys"
    path.touch(0o600)
    path.write_text(text)
    with pytest.raises(ImportStopped, match=problem):
        AuthorKeyFile(path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path):
    with pytest.raises(ImportStopped, match=r"cannot write the key file .*--keys"):
        _saved(tmp_path / "missing" / "keys", "user:1")
