"""Drafts: what the API takes, and what is said about a post that had to change."""

import pytest

from stoa.domain import limits
from stoa.importers import drafts
from stoa.importers.drafts import Unusable


def _thread(**attributes: str) -> drafts.PostDraft:
    return drafts.thread({"Title": "A title", "Body": "<p>Text</p>"} | attributes)


@pytest.mark.parametrize("tags", ["<hops><dry-hopping><c++>", "|hops|dry-hopping|c++|"])
def test_tags_of_both_forms_are_kept(tags: str):
    draft = _thread(Tags=tags)
    assert draft.tags == ("hops", "dry-hopping", "c++")
    assert draft.changes == ()


def test_tags_beyond_the_limits_are_cut_and_counted():
    draft = _thread(Tags="".join(f"<{'x' * 50}{n}>" for n in range(2)) + "<a><b><c><d><e><f><g><h>")
    assert draft.tags == ("x" * 40, "a", "b", "c", "d", "e", "f", "g")
    assert draft.changes == (drafts.TAGS_CHANGED,)


def test_a_tag_in_capitals_is_no_change_worth_a_line():
    assert _thread(Tags="<Hops>") == drafts.PostDraft("Text", "A title", ("hops",))


@pytest.mark.parametrize(
    ("text", "score"),
    [("17", 17), ("-3", -3), ("0", 0), ("", None), ("many", None), ("1e9", None), ("9" * 10, None)],
)
def test_a_score_is_a_number_or_none(text: str, score: int | None) -> None:
    assert drafts.reply({"Body": "Yes.", "Score": text}).score == score


def test_a_title_is_kept_as_it_is():
    assert _thread(Title="  Beer & <b>brats</b> ").title == "Beer & <b>brats</b>"


def test_a_title_loses_what_titles_may_not_hold():
    draft = _thread(Title="a\u202eb\nc\x85d\U000e0041")
    assert draft.title == "ab c d"
    assert draft.changes == (drafts.TITLE_CLEANED,)


def test_a_long_title_is_cut_with_a_note():
    draft = _thread(Title="x" * 301)
    assert len(draft.title) == limits.TITLE_CHARS
    assert draft.title.endswith("x… [cut]")
    assert draft.changes == (drafts.TITLE_CUT,)
    assert _thread(Title="x" * 300).changes == ()


def test_a_long_body_is_cut_with_a_note():
    draft = drafts.reply({"Body": "<p>" + "x" * 50_001 + "</p>"})
    assert len(draft.body) <= limits.BODY_CHARS
    assert draft.body.endswith("x\n\n*[Cut by the import: the original has 50,001 characters.]*")
    assert draft.changes == (drafts.BODY_CUT,)
    assert drafts.reply({"Body": "x" * 50_000}).changes == ()


def test_a_cut_within_a_code_block_closes_it():
    draft = drafts.reply({"Body": "<pre><code>" + "x\n" * 30_000 + "</code></pre>"})
    code, _, note = draft.body.partition("\n```\n")
    assert code.startswith("```\nx\n")
    assert note.startswith("\n*[Cut")


@pytest.mark.parametrize("body", ["", "<p></p>", "<p>&nbsp;</p>", "<p>\u200b</p>", "<br>"])
def test_a_body_without_anything_to_see_is_unusable(body: str):
    with pytest.raises(Unusable, match=drafts.EMPTY_BODY):
        drafts.reply({"Body": body})


def test_a_question_without_a_title_is_unusable():
    with pytest.raises(Unusable, match=drafts.NO_TITLE):
        _thread(Title="\u202e ")


@pytest.mark.parametrize(
    ("text", "name"),
    [(" Ann\tB. ", "Ann B."), ("x" * 90, "x" * 80), ("\u200b", ""), ("\x07\u202e", "")],
)
def test_a_display_name_is_one_line_that_can_be_seen(text: str, name: str):
    assert drafts.display_name(text) == name
