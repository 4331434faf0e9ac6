"""Lists with any filters together hold exactly the rows that each of them lets through."""

from itertools import product
from typing import Any
from urllib.parse import urlencode

from tests.support.app import App

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
            found = stoa.get(f"{name}?{urlencode({**asked, 'sort': order, 'limit': 100})}").ok()
            expected = [
                row["id"]
                for row in rows
                if all(value in shown(row, field) for field, value in asked.items())
            ]
            assert [row["id"] for row in found[name]] == expected, asked
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


def test_threads(stoa: App) -> None:
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


def test_jobs(stoa: App) -> None:
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
