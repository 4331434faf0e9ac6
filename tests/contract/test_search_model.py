"""Random writes, hides, accepts and restarts, and searches compared with a scan of all texts."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import pytest

from stoa.search.index import SearchIndex, SearchSizes
from tests.support.app import Agent, App
from tests.support.composing import having
from tests.support.moderation import act
from tests.support.soaking import few

WORDS = ["ale", "barley", "cask", "draught", "ester", "zymurgy"]
TAGS = ("malt", "hops")


@dataclass
class Thread:
    """What the scan knows of a thread: the words of its texts by id, and which are hidden."""

    row: Any
    tags: Sequence[str]
    texts: dict[str, set[str]]
    hidden: set[str] = field(default_factory=set[str])
    answered: bool = False

    def shown(self) -> dict[str, set[str]]:
        """The texts that can be found."""
        gone = self.row["id"] in self.hidden
        return {} if gone else {one: it for one, it in self.texts.items() if one not in self.hidden}


def scan(threads: list[Thread], asked: list[str], narrowed: dict[str, str]) -> set[str]:
    """The threads that have all words that any text has, or a text with a rare one."""
    texts = [words for thread in threads for words in thread.shown().values()]
    rare = {word for word in asked if 20 * sum(word in words for words in texts) < len(texts)}
    had = {word for word in asked if any(word in words for words in texts)}
    needed = had if len(had) >= 2 and 2 * len(had) >= len(asked) else {*asked}
    found: set[str] = set()
    for thread in threads:
        all_words = set[str]().union(*thread.shown().values())
        status = "answered" if thread.answered else "open"
        if narrowed.get("tags", TAGS[0]) not in (*thread.tags, *TAGS[: "tags" not in narrowed]):
            continue
        if narrowed.get("status", status) == status and (
            all_words.issuperset(needed) or all_words & rare
        ):
            found.add(thread.row["id"])
    return found


@having(index=lambda settings: SearchIndex(settings.search_path, SearchSizes(flushed=9)))
@pytest.mark.promise("Q33")
@pytest.mark.parametrize("seed", few([7, 9, 16]))
@pytest.mark.costly
def test_a_search_finds_what_a_scan_of_all_texts_finds(stoa: App, seed: int) -> None:
    chance, threads = random.Random(seed), list[Thread]()
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    for _ in range(120):
        _change(stoa, chance, threads, ada, bob)
        asked = chance.sample([*WORDS, *TAGS], chance.randint(1, 3))
        narrowed = {"tags": chance.choice(TAGS)} if chance.random() < 0.3 else {}
        if chance.random() < 0.3:
            narrowed["status"] = chance.choice(("open", "answered"))
        query = urlencode({"q": " ".join(asked), "limit": 100, **narrowed})
        answer = stoa.get(f"search?{query}").ok().json
        found = [row["id"] for row in answer["threads"]]
        assert set(found) == scan(threads, asked, narrowed), query
        assert answer["total"] == len(found) == len({*found})
        assert "partial" not in answer


def _change(
    stoa: App, chance: random.Random, threads: list[Thread], ada: Agent, bob: Agent
) -> None:
    """One thing that happens, and what the scan knows of it."""
    stoa.clock.advance(1)
    words = set(chance.choices(WORDS, weights=[9, 9, 5, 5, 2, 1], k=3))
    what = chance.random()
    if what < 0.3 or not threads:
        tags = chance.sample(TAGS, chance.randint(1, 2))
        row = ada.thread(" ".join(words), "of it", tags=tags)
        threads.append(Thread(row, tags, {row["id"]: {*words, *tags}}))
        return
    thread = chance.choice(threads)
    if what < 0.65 and thread.row["id"] not in thread.hidden:
        reply = bob.reply(thread.row, " ".join(words))
        thread.texts[reply["id"]] = words
        if chance.random() < 0.2 and not thread.answered:
            ada.accept(thread.row, reply).ok()
            thread.answered = True
    elif what < 0.9:
        one = chance.choice([*thread.texts])
        hide = one not in thread.hidden
        if one == thread.row["id"] or thread.row["id"] not in thread.hidden:
            act(stoa, {"id": one}, "hide" if hide else "restore")
            (thread.hidden.add if hide else thread.hidden.discard)(one)
    else:
        for process in stoa.processes:
            index = process._services.index  # pyright: ignore[reportPrivateUsage]
            if chance.random() < 0.5:
                index.remove_hidden()
            for _ in range(chance.choice((3, 1_000))):
                index.work()
            index.close()
