"""What stands at the end of an imported text: its source, its author and its licence."""

from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from stoa.domain import limits
from stoa.importers import ImportStopped, drafts
from stoa.importers.attribution import Attribution, attribution

TEA = Attribution("tea.example.org")


def _post(**attributes: str) -> dict[str, str]:
    usual = {"Id": "7", "PostTypeId": "2", "OwnerUserId": "9", "CreationDate": "2015-01-01"}
    return usual | {"Body": "<p>Boil it.</p>"} | attributes


@pytest.mark.parametrize(
    ("date", "licence"),
    [
        ("2011-04-07T23:59:59", "by-sa/2.5/"),
        ("2011-04-08T00:00:00", "by-sa/3.0/"),
        ("2018-05-01T23:59:59", "by-sa/3.0/"),
        ("2018-05-02T00:00:00", "by-sa/4.0/"),
    ],
)
def test_the_licence_is_that_of_the_day(date: str, licence: str) -> None:
    assert f"](https://creativecommons.org/licenses/{licence})" in TEA.line(
        _post(CreationDate=date)
    )


def test_the_licence_of_the_dump_comes_before_that_and_a_given_one_before_both() -> None:
    post = _post(ContentLicense="CC BY-SA 4.0")
    assert "[CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/)" in TEA.line(post)
    assert ", my own, here" in Attribution("tea.example.org", "my own").line(post)


@pytest.mark.parametrize(
    ("attributes", "shown"),
    [
        ({}, '<a href="https://tea.example.org/users/9">user9</a>'),
        ({"OwnerDisplayName": "Ann"}, '<a href="https://tea.example.org/users/9">Ann</a>'),
        ({"OwnerUserId": "", "OwnerDisplayName": "A](b) *c*"}, "by A](b) *c*, "),
        ({"OwnerUserId": ""}, "by an author without a name, "),
    ],
)
def test_the_author_is_named_and_no_name_changes_the_text(
    attributes: dict[str, str], shown: str
) -> None:
    html = MarkdownIt("commonmark").render(TEA.line(_post(**attributes)))
    assert shown in html
    assert html.startswith('<hr />\n<p><em>Source: <a href="https://tea.example.org/a/7">')
    assert html.endswith("here in Markdown.</em></p>\n")


def test_a_text_at_the_limit_keeps_its_source_whole() -> None:
    body = f"<p>{'x' * limits.BODY_CHARS}</p>"
    draft = drafts.reply(_post(Body=body), TEA)
    assert limits.BODY_CHARS - 10 < len(draft.body) <= limits.BODY_CHARS
    assert draft.body.endswith(TEA.line(_post()))
    assert draft.changes == (drafts.BODY_CUT,)


def test_a_text_that_has_room_for_its_source_is_not_cut() -> None:
    source = TEA.line(_post())
    body = "x" * (limits.BODY_CHARS - len(source))
    assert drafts.reply(_post(Body=body), TEA) == drafts.PostDraft(body + source)


def test_addresses_within_the_site_lead_there() -> None:
    post = _post(Body='<a href="/q/1">asked before</a>')
    assert drafts.reply(post, TEA).body.startswith("[asked before](https://tea.example.org/q/1)\n")


@pytest.mark.parametrize(
    ("site", "folder"),
    [
        ("tea.example.org", "posts"),
        ("https://Tea.example.org/", "posts"),
        (None, "tea.example.org"),
        ("tea.example.org", "beer.stackexchange.com"),
    ],
)
def test_the_site_is_given_or_the_name_of_the_folder(site: str | None, folder: str) -> None:
    assert attribution(site, None, Path("/dumps") / folder / "Posts.xml") == TEA


@pytest.mark.parametrize(("site", "said"), [(None, "name the site with --site"), ("a b", "--site")])
def test_without_a_site_there_is_no_link_and_no_import(site: str | None, said: str) -> None:
    with pytest.raises(ImportStopped, match=said):
        attribution(site, None, Path("/dumps/posts/Posts.xml"))
