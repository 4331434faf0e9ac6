"""Search finds English words in their other forms too, behind the form that was asked for."""

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from stoa.settings import Settings
from tests.importers.test_stackexchange import REAL
from tests.support import questions
from tests.support.app import Agent, App

pytestmark = pytest.mark.checks_input  # one index serves both engines


@pytest.fixture
def alice(stoa: App) -> Agent:
    return stoa.agent("alice")


def search(stoa: App, q: str, **more: str) -> Any:
    return stoa.get(f"search?{urlencode({'q': q, **more})}").ok()["threads"]


def found(stoa: App, q: str, **more: str) -> list[str]:
    return [row["id"] for row in search(stoa, q, **more)]


@pytest.mark.promise("Q7")
@pytest.mark.parametrize(
    "forms",
    [
        ("hop", "hops", "hopped", "hopping"),
        ("brew", "brews", "brewed", "brewing"),
        ("freeze", "freezes", "froze", "frozen", "freezing"),
        ("bottle", "bottles", "bottled", "bottling"),
        ("berry", "berries"),
        ("ferment", "fermented", "fermenting", "fermentation", "fermentations"),
        ("migrate", "migrates", "migrating", "migration"),
    ],
    ids=lambda forms: forms[0],
)
def test_a_word_is_found_in_its_other_forms_behind_its_own(
    stoa: App, alice: Agent, forms: tuple[str, ...]
) -> None:
    threads = [alice.thread("A", f"about {form} of ours")["id"] for form in forms]
    for form, thread in zip(forms, threads, strict=True):
        assert found(stoa, form)[0] == thread
        assert found(stoa, form)[1:] == [other for other in reversed(threads) if other != thread]
        assert found(stoa, f'"{form}"') == [thread]


def test_the_form_asked_for_comes_first_even_where_a_title_has_another(
    stoa: App, alice: Agent
) -> None:
    both = alice.thread("Hops", "hop")
    body = alice.thread("a", "some hops")
    title = alice.thread("The hop", "b")
    other = alice.thread("c", "a hop")
    expected = [both, body, title, other]
    assert found(stoa, "hops") == [thread["id"] for thread in expected]
    reply = alice.reply(other, "hops")
    assert [row["match"].get("replyId") for row in search(stoa, "hops")] == [
        None, reply["id"], None, None,
    ]  # fmt: skip


def test_among_several_words_another_form_counts_a_little_less_wherever_it_stands(
    stoa: App, alice: Agent
) -> None:
    other_body = alice.thread("a", "brew a hop")
    one_other = alice.thread("b", "brewing a hop")
    written = alice.thread("c", "brewing of hops")
    other_title = alice.thread("Brew a hop", "d")
    written_title = alice.thread("Brewing of hops", "e")
    alice.thread("f", "hops alone")
    expected = [written_title, other_title, written, one_other, other_body]
    assert found(stoa, "brewing hops") == [thread["id"] for thread in expected]


def test_a_word_is_as_rare_as_all_its_forms_together(stoa: App, alice: Agent) -> None:
    many = [alice.thread("a", f"a {form}")["id"] for form in ("hop", "hops", "hopped", "hopping")]
    two = [alice.thread("a", "zymurgy")["id"] for _ in range(2)]
    for n in range(80):
        alice.reply({"id": two[0]}, f"of other things {n}")
    assert found(stoa, "hopped zymurgy") == [*reversed(two), many[2], many[3], many[1], many[0]]


def test_a_text_with_several_forms_counts_as_one_with_the_best(stoa: App, alice: Agent) -> None:
    all_forms = alice.thread("a", "hop hops hopped hopping")
    one_form = alice.thread("b", "hops")
    assert found(stoa, "hops") == [one_form["id"], all_forms["id"]]


def test_phrases_and_what_is_left_out_stay_as_written(stoa: App, alice: Agent) -> None:
    written = alice.thread("a", "dry hopping of beers")
    other = alice.thread("b", "a dry hop of beer")
    assert found(stoa, '"dry hopping"') == [written["id"]]
    assert found(stoa, "dry-hopping") == [written["id"]]
    assert found(stoa, "beer -hopping") == [other["id"]]
    assert found(stoa, "beer -hops") == [other["id"], written["id"]]
    assert found(stoa, 'beer "dry hop"') == [other["id"]]
    assert found(stoa, "beers -hop") == [written["id"]]


def test_filters_and_pages_hold_for_other_forms(stoa: App, alice: Agent) -> None:
    bob = stoa.agent("bob")
    hers = [alice.thread("a", f"a {form}", tags=["beer"])["id"] for form in ("hop", "hops")]
    his = bob.thread("b", "hopped", tags=["malt"])["id"]
    assert found(stoa, "hops", author=bob.id) == [his]
    assert found(stoa, "hops", tags="beer") == [hers[1], hers[0]]
    assert [found(stoa, "hops", limit="1", offset=str(n)) for n in range(4)] == [
        [hers[1]], [his], [hers[0]], [],
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["пиво сварено", "Biere brauen", "naïve"])
def test_texts_in_other_languages_are_found_as_before(stoa: App, alice: Agent, text: str) -> None:
    thread = alice.thread("a", text)
    alice.thread("b", "other words")
    for word in text.split():
        assert found(stoa, word) == [thread["id"]]
        assert found(stoa, word[:-1]) == []


def test_a_snippet_shows_the_form_that_was_found(stoa: App, alice: Agent) -> None:
    alice.thread("a", "long " * 100 + "brewed " + "tail " * 100)
    (row,) = search(stoa, "brewing")
    assert "brewed" in row["match"]["snippet"]["body"]
    page = stoa.call("GET", "/forum/search?q=brewing").content.decode()
    assert "<mark>brewed</mark>" in page


def test_thirty_two_words_that_have_forms_are_answered(stoa: App, alice: Agent) -> None:
    words = [
        f"{a}{b}ing"
        for a in "bcdf"
        for b in ("ork", "elt", "ump", "ind", "ast", "olt", "urn", "ent")
    ]
    thread = alice.thread("a", " ".join(words))
    assert len(words) == 32
    assert found(stoa, " ".join(words)) == [thread["id"]]
    assert found(stoa, " ".join(words[:31])) == [thread["id"]]


if REAL.exists():

    @pytest.mark.long
    @pytest.mark.promise("Q8")
    def test_forty_questions_to_a_real_site_are_answered_as_well_as_written_down(
        settings: Settings, engine: str, tmp_path: Path
    ) -> None:
        assert engine
        questions.fill(REAL, tmp_path, settings)
        asked = questions.load()
        assert len(asked.questions) == 40
        measured = questions.figures(asyncio.run(questions.places(settings)))
        assert measured.in_top_five >= asked.measured.in_top_five > asked.without_forms.in_top_five
        assert measured.first >= asked.measured.first
        assert measured.mean_reciprocal_rank >= asked.measured.mean_reciprocal_rank
