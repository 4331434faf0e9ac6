"""Lists with any filters together hold exactly the rows that each of them lets through."""

from itertools import product
from typing import Any
from urllib.parse import urlencode

import pytest

from stoa.domain import limits
from tests.support.app import App
from tests.support.steps import Steps, look_at
from tests.support.walks import walked

THREAD_ORDERS = ("recent", "active", "replies")
JOB_ORDERS = ("recent", "reward", "deadline")


def check(stoa: App, name: str, orders: tuple[str, ...], fields: dict[str, tuple[str, ...]]) -> int:
    """Ask with each choice of filters in each order; returns how many lists were neither empty nor
    whole. A field is that of a row, its values are those to ask for."""
    told = 0
    for order in orders:
        rows: list[dict[str, Any]] = stoa.get(f"{name}?sort={order}&limit=100").ok()[name]
        for wanted in product(*((None, *values) for values in fields.values())):
            asked = {field: value for field, value in zip(fields, wanted, strict=True) if value}
            query = urlencode({**asked, "sort": order, "limit": 100})
            found = walked(stoa, f"{name}?{query}", name)
            expected = [
                row["id"]
                for row in rows
                if all(value in shown(row, field) for field, value in asked.items())
            ]
            assert found == expected, asked
            told += 0 < len(expected) < len(rows)
    return told


def shown(row: dict[str, Any], field: str) -> list[str]:
    """The values of a row that a filter compares."""
    match field:
        case "tag":
            return row["tags"]
        case "author":
            return [row["author"]["id"]]
        case "creator":
            return [row["creatorAgentId"]]
        case "claimedBy":
            return [row["claimedByAgentId"]]
        case _:
            return [row[field]]


@pytest.fixture(autouse=True, params=[limits.PAGE_ROWS_SEEN, 3], ids=["whole", "in parts"])
def seen(request: pytest.FixtureRequest, steps: Steps) -> int:
    """How many rows a page looks at where a filter has no index."""
    look_at(steps, request.param)
    return request.param


@pytest.mark.costly
def test_threads(stoa: App, seen: int, steps: Steps) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    for number, (author, tags) in enumerate(
        product((ada, bob), ([], ["x"], ["y"], ["x", "y"], ["x"]))
    ):
        thread = author.thread(f"Thread {number}", tags=tags)
        other = bob if author is ada else ada
        replies = [other.reply(thread) for _ in range(number % 3)]
        if number % 3 == 1:
            author.accept(thread, replies[0])
    fields = {"author": (ada.id, bob.id), "tag": ("x", "y"), "status": ("open", "answered")}
    assert check(stoa, "threads", THREAD_ORDERS, fields) > 60
    page = stoa.get("threads?tag=x&status=answered&limit=100").ok()
    assert (page["nextCursor"] is None) == (seen > 3)
    assert page["nextOffset"] is None
    assert steps.asked["threads.far_tag_recent"]["most"] == limits.PAGE_ROWS_SEEN - 1


@pytest.mark.costly
def test_jobs(stoa: App, steps: Steps) -> None:
    ada, bob, eve = (stoa.agent(name) for name in ("Ada", "Bob", "Eve"))
    for number, (creator, tags) in enumerate(product((ada, bob), ([], ["x"], ["x", "y"], ["x"]))):
        body = {"title": f"Job {number}", "description": "Do it.", "rewardCredits": 1 + number % 3}
        job = creator.post("jobs", {**body, "tags": tags}).ok(201)["job"]
        if number % 2:
            claimer = eve if number % 4 == 1 else (bob if creator is ada else ada)
            claimer.post(f"jobs/{job['id']}/claim").ok()
    fields = {
        "creator": (ada.id, bob.id),
        "claimedBy": (bob.id, eve.id),
        "tag": ("x", "y"),
        "status": ("OPEN", "CLAIMED"),
    }
    assert check(stoa, "jobs", JOB_ORDERS, fields) > 60
    for order in JOB_ORDERS:
        assert steps.asked[f"jobs.far_tag_{order}"]["most"] == limits.PAGE_ROWS_SEEN - 1


@pytest.mark.costly
def test_opportunities(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    kinds = [("", ""), ("x", ""), ("x y", ""), ("y", "x"), ("x", "y")]
    for number, (tags, requirements) in enumerate(2 * kinds):
        amount = 1 + number % 3
        job = {"title": f"Job {number}", "description": "Do it.", "rewardCredits": amount}
        asked = {"tags": tags.split(), "requirements": requirements.split()}
        ada.post("jobs", {**job, **asked}).ok(201)
        bob.thread(f"Question {number}", tags=tags.split(), bountyCredits=amount + 0.5)
    rows = stoa.get("opportunities?limit=100").ok()["opportunities"]
    assert len(rows) == 20
    told = 0
    choices = (None, "x", "y", "z", "x,y", "y,z,x"), (None, "job", "bounty_question"), (None, 2)
    for tags, kind, least in product(*choices):
        chosen = {"tags": tags, "types": kind, "minReward": least}
        asked = urlencode({name: value for name, value in chosen.items() if value})
        expected = [
            row["id"]
            for row in rows
            if (tags is None or set(tags.split(",")) & set(row["tags"]))
            and kind in (None, row["type"])
            and float(row["reward"]["amount"]) >= (least or 0)
        ]
        assert walked(stoa, f"opportunities?{asked}&limit=2", "opportunities") == expected, asked
        some = stoa.get(f"opportunities?{asked}&limit=3&offset=2").ok()["opportunities"]
        assert [row["id"] for row in some] == expected[2:5], asked
        told += 0 < len(expected) < len(rows)
    assert told > 20


def test_searches_without_words(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    made = [
        author.thread(f"Thread {number}", tags=tags)
        for number, (author, tags) in enumerate(
            product((ada, bob), (["x"], ["x", "y"], ["y"], ["x", "y", "z"], ["x"], ["y", "x"]))
        )
    ]
    for thread in made[::3]:
        other = bob if thread["author"]["id"] == ada.id else ada
        asker = ada if other is bob else bob
        asker.accept(thread, other.reply(thread)).ok()
    answered = {thread["id"] for thread in made[::3]}
    choices = (["x", "y"], ["y", "x"], ["x", "z", "y"], ["z", "a"]), (ada, None), ("open", None)
    for tags, author, status in product(*choices):
        wanted = {"tags": ",".join(tags), "author": author and author.id, "status": status}
        asked = {name: value for name, value in {**wanted, "limit": "2"}.items() if value}
        expected = [
            thread["id"]
            for thread in reversed(made)
            if set(tags) <= set(thread["tags"])
            and (author is None or thread["author"]["id"] == author.id)
            and (status is None or thread["id"] not in answered)
        ]
        assert walked(stoa, f"search?{urlencode(asked)}", "threads") == expected, asked
