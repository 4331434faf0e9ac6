"""The search language: what a text asks for."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.querylang import Phrase, parse, weights
from stoa.domain.words import as_written, words

PIECES = st.sampled_from(
    ['"', "-", "a", "é", "e\u0301", "日本", "\u0301", "_", ".", " ", "\0", "17"]
)
QUERIES = st.text(max_size=60) | st.lists(PIECES, max_size=30).map("".join)


@pytest.mark.parametrize(
    ("text", "include", "exclude"),
    [
        ("wal mode", [("wal",), ("mode",)], []),
        ('"wal mode"', [("wal", "mode")], []),
        ('sync "wal mode" full', [("sync",), ("wal", "mode"), ("full",)], []),
        ("wal -mode", [("wal",)], [("mode",)]),
        ('-"busy timeout" wal', [("wal",)], [("busy", "timeout")]),
        ("write-ahead", [("write", "ahead")], []),
        ("wal -write-ahead", [("wal",)], [("write", "ahead")]),
        ("snake_case a-b", [("snake", "case"), ("a", "b")], []),
        ("wal --mode", [("wal",), ("mode",)], []),
        ("rebase -i -other ls -l", [("rebase",), ("i",), ("ls",)], [("other",), ("l",)]),
        ("wal - mode", [("wal",), ("mode",)], []),
        ("wal AND NOT mode", [("wal",), ("and",), ("not",), ("mode",)], []),
        ('never "closed quote', [("never",), ("closed", "quote")], []),
        ('inner"quoted words"', [("inner",), ("quoted", "words")], []),
        ('"" "-" wal', [("wal",)], []),
        ("wal wal", [("wal",)], []),
        ("日本語\u3000猫 本", [("日本", "本", "本語"), ("猫",), ("本",)], []),
        ("テキスト", [("テキ",), ("キス",), ("スト",)], []),
        ('"日本語"', [("日本", "本", "本語")], []),
        ('"猫"', [("猫",)], []),
        ('"a 日本 b"', [("a", "日", "日本", "本", "b")], []),
        ("a -日本語", [("a",)], [("日本", "本", "本語")]),
        ("Python入門", [("python",), ("入門",)], []),
        ("서버", [("서버",)], []),
        ("C++", [("c",), ("c++",)], []),
        ("c -C#", [("c",)], [("c#",)]),
        ("a.b-c", [("a", "b"), ("a.b",), ("c",)], []),
        ('"use node.js"', [("use", "node", "js", "node.js")], []),
        ("“wal mode” «a b» 「c d」", [("wal", "mode"), ("a", "b"), ("c", "d")], []),
        (
            "don't 'wal mode' ‘a b’ rock'n'roll",
            [("don", "t"), ("wal", "mode"), ("a", "b"), ("rock", "n", "roll")],
            [],
        ),
        ("KeyError: 'a-b' ‘c’ in 'd.", [("keyerror",), ("a", "b"), ("c",), ("in",), ("d",)], []),
        ("हिन्दी", [("हिन्दी",)], []),
        ("e\u0301te\u0301", [("ete",)], []),
        ("wal \u0301", [("wal",)], []),
        ("Ⅷ 17", [("viii",), ("17",)], []),
    ],
)
def test_a_search_text_asks_for_these_phrases(
    text: str, include: list[Phrase], exclude: list[Phrase]
):
    query = parse(text)
    shown = [
        [tuple(map(as_written, one)) for one in some] for some in (query.include, query.exclude)
    ]
    assert shown == [include, exclude]


@pytest.mark.parametrize("text", ["", "  \n", "!?", '"', '""', "-", '-"', "\0", "\u0301", "😀"])
def test_a_text_without_a_word_is_an_empty_query(text: str):
    assert parse(text).is_empty


@pytest.mark.parametrize("text", ["-wal", '-"busy timeout"', "-c -b"])
def test_only_leaving_out_is_refused_with_advice(text: str):
    with pytest.raises(ValueError, match="add a word to search for"):
        parse(text)


def test_32_words_are_searched_and_33_are_refused():
    words = [f"w{number}" for number in range(33)]
    assert len(parse(" ".join(words[:32])).include) == 32
    with pytest.raises(ValueError, match="at most 32 words, not 33"):
        parse(" ".join(words))
    with pytest.raises(ValueError, match="at most 32 words, not 33"):
        parse('"' + " ".join(words[:30]) + '" -' + "-".join(words[30:]))


def test_1000_characters_are_searched_and_1001_are_refused():
    assert parse("x" * 1000).include == (("x" * 1000,),)
    with pytest.raises(ValueError, match="at most 1000 characters, not 1001"):
        parse("x" * 1001)


@given(QUERIES)
def test_any_text_is_read_or_refused_with_advice(text: str):
    try:
        query = parse(text)
    except ValueError as refused:
        advice = str(refused)
        assert re.search("add a word|leave some out|shorten it", advice)
        return
    found = [word for phrase in (*query.include, *query.exclude) for word in phrase]
    assert len(found) <= 32
    assert not query.is_empty or not query.exclude
    for word in found:
        assert not re.search(r'[\s"\-_.\0]', word)
    assert set(found) <= {*words(text)} | {*words(text.replace("'", " "))}


def test_terms_to_show_are_folded_and_leave_out_what_was_excluded():
    query = parse('Crème "BRÛLÉE creme" İzmir -sugar e\u0301te\u0301 ΛΌΓΟΣ')
    assert query.terms == ("creme", "brulee", "izmir", "ete", "λογοσ")
    assert parse('"日本語" C++').terms == ("日本", "本語", "c", "c++")
    assert parse('"本"').terms == ("本",)


def test_names_in_single_quotes_need_not_be_there() -> None:
    assert not parse("'NoneType' has no ‘split’").quoted
    assert parse("'no such file' ‘数据’").quoted == {("no", "such", "file"), ("数据",)}


def test_what_is_quoted_makes_another_query() -> None:
    assert parse("rye ale") != parse('rye "ale"')


def test_a_sentence_without_blanks_is_looked_for_by_its_pairs() -> None:
    characters = [chr(0x4E00 + number) for number in range(66)]
    pairs = [one + other for one, other in pairwise(characters)]
    assert parse("".join(characters[:17])).include == tuple(zip(pairs[:16], strict=True))
    longer = parse("".join(characters[:63])).include
    assert longer == tuple(zip((*pairs[:62:2], pairs[61]), strict=True))
    assert set("".join(word for (word,) in longer)) == set(characters[:63])
    with pytest.raises(ValueError, match="at most 32 words, not 33"):
        parse("".join(characters[:65]))


def test_pairs_of_what_stands_between_two_blanks_belong_together() -> None:
    assert parse("テキスト 数据 数据库备份，恢复数据库 web").pairs == (
        (("テキ",), ("キス",), ("スト",)),
        (("数据",), ("据库",), ("库备",), ("备份",), ("恢复",), ("复数",)),
    )
    assert parse('数据 本 "数据库备份" -数据库备份 web').pairs == ()


def test_words_count_more_in_a_title_and_less_in_another_form() -> None:
    one, several = weights(parse("wal")), weights(parse("wal mode"))
    for each in (one, several):
        assert each.written_in_title == 3 * each.written
    assert one.other < one.other + one.other_in_title < one.written
    assert 4 * several.other == 3 * several.written
    assert 4 * several.other_in_title == 3 * several.written_in_title
