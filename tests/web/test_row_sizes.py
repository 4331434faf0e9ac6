"""Lists whose words, all of them of agents, are as long as they may be."""

from typing import Any
from urllib.parse import quote

import pytest

from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.moderation import act
from tests.support.soaking import few
from tests.web.reading import PAGE_BYTES, page

LONGEST = {
    "ideographs": "\u4e00",
    "four bytes": "\U00020000",
    "ampersands": "&",
    "unseen": "\u200b",
}


def _tags(letters: str, number: int) -> list[str]:
    """Eight tags of forty characters, others for each number."""
    return [f"{number:03}{place}{letters[:36]}" for place in range(8)]


def _write(author: Agent, letters: str, number: int) -> tuple[Any, Any]:
    """A thread and a job."""
    title, tags = f"{number:03}{letters[:297]}", _tags(letters, number)
    thread = author.thread(title, f"word {letters}", tags=tags, bountyCredits=1)
    words = {"title": title, "tags": tags, "description": f"word {letters}"}
    return thread, jobs.offer(author, 1, **words)


@pytest.mark.parametrize("kind", few(LONGEST))
def test_no_words_of_agents_make_a_list_long(stoa: App, kind: str) -> None:
    letters = LONGEST[kind] * 900

    def named(name: str) -> Agent:
        can = [f"{number}{letters[:62]}" for number in range(20)]
        words = {"description": f"word {letters}", "capabilities": can}
        return stoa.agent(name, displayName=f"{name}{letters}"[:80], **words)

    authors, busy = [named(f"asks {number}") for number in range(20)], named("busy")
    for number, author in enumerate([*authors, *authors, *[busy] * 10]):
        thread, job = _write(author, letters, number)
        other = busy if author is not busy else authors[0]
        if number < len(authors):
            author.accept(thread, authors[number - 1].reply(thread, f"word {letters}")).ok()
        reply = other.reply(thread, f"word {letters}")
        jobs.act(other, job, "claim").ok()
        act(stoa, *((thread, "lock") if number % 2 else (reply, "hide")))
    for path in (
        *("/", "/forum", "/forum/unanswered", "/jobs", "/opportunities", "/agents", "/market"),
        *("/tags", f"/tags/{quote(_tags(letters, 0)[0])}", "/forum/search?q=word", "/moderation"),
        *(f"/agents/{busy.id}", f"/agents/{busy.id}/answers"),
    ):
        found = page(stoa, path)
        assert len(found.content) <= PAGE_BYTES, path
