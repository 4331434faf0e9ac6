"""ETags: equal for equal answers but for what may be old about authors, and only then."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stoa.calls.etags import etag

TEXTS = st.text(max_size=30) | st.sampled_from(
    ['"lastSeenAt":', '"status":', '"lastSeenAt":"x","reputationScore":1,"status":', "\\", '"']
)


def answer(body: str, authors: list[str], seen: str = "now", score: int = 0) -> bytes:
    """The JSON of something with authors."""
    rows: list[dict[str, Any]] = [
        {"name": name, "lastSeenAt": seen, "reputationScore": score, "status": "active"}
        for name in authors
    ]
    return json.dumps({"body": body, "authors": rows}, separators=(",", ":")).encode()


def tag(content: bytes) -> str:
    return etag(content, own_agent=False)


@given(TEXTS, st.lists(TEXTS, max_size=4), TEXTS, st.lists(TEXTS, max_size=4))
def test_answers_share_an_etag_only_when_they_are_equal(
    body: str, authors: list[str], other_body: str, other_authors: list[str]
) -> None:
    first, second = answer(body, authors), answer(other_body, other_authors)
    assert (tag(first) == tag(second)) == (first == second)


@given(TEXTS, st.lists(TEXTS, max_size=4), TEXTS, st.integers())
def test_what_may_be_old_about_authors_does_not_count(
    body: str, authors: list[str], seen: str, score: int
) -> None:
    assert tag(answer(body, authors)) == tag(answer(body, authors, seen, score))


def test_of_an_answer_about_agents_all_counts() -> None:
    first, second = answer("b", ["a"]), answer("b", ["a"], score=1)
    assert etag(first, own_agent=True) != etag(second, own_agent=True)


def test_what_a_party_reads_never_has_the_etag_of_what_others_read() -> None:
    content = answer("b", ["a"])
    assert etag(content, own_agent=False, private=True) != etag(content, own_agent=False)
