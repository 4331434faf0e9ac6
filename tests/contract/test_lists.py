"""Lists: limits, offsets, cursors, links, and pages that others write into."""

import json
import random
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import pytest

from stoa.domain import limits
from stoa.domain.cursors import CursorFormat
from stoa.operations.catalog import all_operations
from stoa.settings import Settings
from tests.conftest import ENGINES, url_on
from tests.support import jobs
from tests.support.added_rows import add_agents
from tests.support.app import Agent, App
from tests.support.clock import HOUR
from tests.support.limits_off import LIMITS_OFF
from tests.support.soaking import few
from tests.support.square import Square
from tests.support.steps import Steps
from tests.support.walks import walked

MIB = 1024 * 1024


@pytest.fixture
def alice(stoa: App) -> Agent:
    return stoa.agent("alice")


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


LISTS = {
    "threads": ("threads", "threads", 20),
    "unanswered": ("unanswered", "threads", 20),
    "replies": ("threads/{thread}/replies", "replies", 100),
    "replies by score": ("threads/{thread}/replies?sort=score", "replies", 100),
    "search": ("search", "threads", 20),
    "search for a word": ("search?q=question", "threads", 20),
}


class Listing(NamedTuple):
    """A list with more rows than a page holds: where it is, the name of its rows, its default."""

    stoa: App
    path: str
    name: str
    default: int


@pytest.fixture(scope="module", params=ENGINES)
def full(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[App, str]]:
    """A service with 102 threads, only to be read, and the one that has 101 replies."""
    folder = tmp_path_factory.mktemp("lists")
    url = url_on(request, request.param)
    with App(Settings(data_dir=str(folder), database_url=url, **LIMITS_OFF)) as app:
        alice = app.agent("alice")
        first = alice.thread()
        for number in range(101):
            alice.reply(first, f"Reply {number}")
            alice.thread(f"Question {number}")
        yield app, first["id"]


@pytest.fixture(params=LISTS)
def listing(request: pytest.FixtureRequest, full: tuple[App, str]) -> Listing:
    """Every list in turn."""
    app, thread = full
    path, name, default = LISTS[request.param]
    return Listing(app, path.format(thread=thread), name, default)


def with_query(path: str, query: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}{query}"


@pytest.mark.costly
def test_a_page_has_its_default_size_and_at_most_a_hundred_rows(
    listing: Listing,
) -> None:
    stoa, path, name, default = listing
    answer = stoa.get(path).ok()
    assert (len(answer[name]), answer["limit"]) == (default, default)
    for asked, served in ((1, 1), (7, 7), (100, 100), (101, 100), (10**30, 100)):
        answer = stoa.get(with_query(path, f"limit={asked}")).ok()
        assert (len(answer[name]), answer["limit"]) == (served, served)


@pytest.mark.costly
@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=-1",
        "limit=1.0",
        "limit=1e2",
        "limit=1_000",
        "limit=%2B5",
        "limit=%205",
        "limit=5%20",
        "limit=5%0A",
        "limit=%D9%A1%D9%A2",
        "limit=%EF%BC%95",
        "limit=0x10",
        "limit=five",
        "limit=true",
        "limit=null",
        "offset=-1",
        "offset=-0",
        "offset=1.5",
        "offset=%D9%A1",
        "offset=-99999999999999999999",
        "cursor=x",
        "cursor=%00",
        "cursor=" + "A" * 3000,
    ],
)
@pytest.mark.checks_input
def test_what_is_not_plain_digits_or_a_cursor_of_the_list_is_400(
    stoa: App, alice: Agent, query: str
) -> None:
    thread = alice.thread()
    for path in (
        "threads",
        "unanswered",
        f"threads/{thread['id']}/replies",
        "search",
        "search?q=a",
    ):
        (issue,) = stoa.get(with_query(path, query)).invalid().issues
        assert issue == f"query.{query.partition('=')[0]}"


@pytest.mark.costly
def test_offset_and_cursor_exclude_each_other(listing: Listing) -> None:
    stoa, path, *_ = listing
    cursor = stoa.get(path)["nextCursor"]
    stoa.get(with_query(path, f"cursor={cursor}&offset=0")).invalid("query.cursor")


@pytest.mark.promise("Q17")
def test_who_skips_many_rows_of_a_long_list_is_told_to_use_a_cursor(stoa: App) -> None:
    add_agents(stoa, limits.OFFSET_MOST + 2)
    path = "agents?sort=recent&limit=1"
    assert stoa.get(f"{path}&offset={limits.OFFSET_MOST}").ok()["agents"]
    for offset in (limits.OFFSET_MOST + 1, 10**12):
        stoa.get(f"{path}&offset={offset}").invalid("offset")


def test_far_behind_a_list_is_nothing(listing: Listing) -> None:
    stoa, path, name, _ = listing
    behind = stoa.get(with_query(path, f"offset={10**12}")).ok()
    assert (behind[name], behind["nextOffset"], behind["nextCursor"]) == ([], None, None)


def test_offsets_and_cursors_lead_through_the_same_rows(listing: Listing) -> None:
    stoa, path, name, _ = listing
    sized = with_query(path, "limit=40")
    by_cursor = walked(stoa, sized, name)
    by_offset: list[str] = []
    offset: int | None = 0
    while offset is not None:
        answer = stoa.get(f"{sized}&offset={offset}").ok()
        assert answer["offset"] == offset
        by_offset += ids(answer[name])
        offset = answer["nextOffset"]
    assert by_cursor == by_offset
    assert by_cursor == ids(every_row(stoa, path, name))
    assert len(set(by_cursor)) == len(by_cursor) > 100


def every_row(stoa: App, path: str, name: str) -> list[Any]:
    first = stoa.get(with_query(path, "limit=100")).ok()
    return first[name] + stoa.get(with_query(path, "limit=100&offset=100")).ok()[name]


def test_the_last_page_says_so(listing: Listing) -> None:
    stoa, path, name, _ = listing
    count = len(every_row(stoa, path, name))
    for start in (count - 1, count, count + 1, 10**18):
        answer = stoa.get(with_query(path, f"limit=100&offset={start}")).ok()
        assert len(answer[name]) == max(0, count - start)
        assert (answer["nextOffset"], answer["nextCursor"]) == (None, None)
        assert "link" not in answer.headers
    exact = stoa.get(with_query(path, f"limit=1&offset={count - 1}")).ok()
    assert (exact["nextOffset"], exact["nextCursor"]) == (None, None)


def test_the_link_header_leads_to_the_next_page_with_the_same_filters(listing: Listing) -> None:
    stoa, path, name, _ = listing
    answer = stoa.get(with_query(path, "limit=3&zzz=a%20b%26c")).ok()
    target, _, relation = answer.headers["link"].partition(">; ")
    assert relation == 'rel="next"'
    assert target.startswith("</api/v1/")
    following = stoa.get(target[1:]).ok()
    plain = stoa.get(with_query(path, f"limit=3&cursor={answer['nextCursor']}")).ok()
    assert ids(following[name]) == ids(plain[name])
    assert following["limit"] == 3
    assert set(following.warnings) == {"query.zzz"}


def test_a_link_from_an_offset_does_not_keep_it(listing: Listing) -> None:
    stoa, path, name, _ = listing
    answer = stoa.get(with_query(path, "limit=3&offset=5")).ok()
    target = answer.headers["link"].partition(">")[0][1:]
    assert ids(stoa.get(target).ok()[name]) == ids(every_row(stoa, path, name))[8:11]


# --- Others write meanwhile.


@pytest.mark.promise("Q1")
@pytest.mark.parametrize(
    "path", ["threads", "threads?tag=a", "unanswered", "search", "search?tags=a", "search?tags=a,b"]
)
def test_paging_by_creation_neither_repeats_nor_skips_while_others_write(
    stoa: App, alice: Agent, path: str
) -> None:
    before = [alice.thread(tags=["a", "b"])["id"] for _ in range(23)]
    sized = with_query(path, "limit=5")

    def write() -> None:
        stoa.clock.advance(1)
        alice.thread(tags=["a", "b"])

    seen = walked(stoa, sized, "threads", between=write)
    assert seen == sorted(before)[::-1]


def test_paging_through_replies_shows_each_once_and_those_written_meanwhile_last(
    stoa: App, alice: Agent
) -> None:
    thread = alice.thread()
    written = [alice.reply(thread)["id"] for _ in range(12)]

    def write() -> None:
        if len(written) < 15:
            written.append(alice.reply(thread)["id"])

    seen = walked(stoa, f"threads/{thread['id']}/replies?limit=5", "replies", between=write)
    assert seen == written


@pytest.mark.parametrize("sort", ["active", "replies"])
def test_in_other_orders_a_row_that_did_not_move_is_shown_exactly_once(
    stoa: App, alice: Agent, sort: str
) -> None:
    rows = [alice.thread() for _ in range(20)]
    for count, row in enumerate(rows):
        stoa.clock.advance(1000)
        for _ in range(count % 4):
            alice.reply(row)
    moving = rows[::3]

    def move() -> None:
        stoa.clock.advance(1000)
        alice.reply(random.Random(len(moving)).choice(moving))
        alice.thread("New")

    seen = walked(stoa, f"threads?sort={sort}&limit=4", "threads", between=move)
    for row in rows:
        if row not in moving:
            assert seen.count(row["id"]) == 1


def test_a_search_for_words_shows_each_row_once_while_others_write_what_it_looks_for(
    stoa: App, alice: Agent
) -> None:
    before = [alice.thread(f"Brewing {number}")["id"] for number in range(17)]

    def write() -> None:
        new = alice.thread("Brewing brewing brewing")
        alice.reply(new, "brewing " * 5)

    seen = walked(stoa, "search?q=brewing&limit=5", "threads", between=write)
    assert sorted(seen) == sorted(before)


@pytest.mark.parametrize("engine", ["postgresql"])
@pytest.mark.parametrize("narrowed", ["tags=a,b", "since=2000-01-01T00:00:00Z"])
def test_a_page_of_which_a_thread_was_just_hidden_leads_on(
    stoa: App, alice: Agent, steps: Steps, narrowed: str
) -> None:
    written = sorted(alice.thread(tags=["a", "b"])["id"] for _ in range(5))

    async def hide() -> None:
        hidden = {"command": "do", "action": "hide", "subject_id": written[4], "reason": "Spam."}
        await stoa.processes[-1].operate(json.dumps(hidden).encode())

    steps.before("threads.many", hide, once=True)
    assert walked(stoa, f"search?{narrowed}&limit=2", "threads") == written[3::-1]


# --- Rows that nothing but their ids tells apart.

ALIKE = {
    "threads": (
        *(
            f"threads?sort={order}&{only}"
            for order in ("recent", "active", "replies")
            for only in ("", "tag=a", "author={alice}", "author={alice}&tag=a", "status=open")
        ),
        "unanswered",
        "search?tags=a",
    ),
    "jobs": tuple(
        f"jobs?sort={order}&{only}"
        for order in ("recent", "reward", "deadline")
        for only in (
            "",
            "tag=a",
            "creator={alice}",
            "claimedBy={bob}",
            "status=CLAIMED",
            "status=REFUNDED_EXPIRED",
        )
    ),
    "opportunities": (
        "opportunities",
        "opportunities?tags=a",
        "opportunities?tags=a,b&types=job",
        "opportunities?types=bounty_question",
        "opportunities?onSilence=pay",
        "opportunities?assignment=chosen",
        "opportunities/recommended",
        "opportunities/recommended?assignment=chosen",
    ),
}


def alike(stoa: App) -> tuple[Agent, dict[str, str]]:
    """Three of each kind of thread and job, made at one time; of the jobs that expired one is not
    booked yet. Who reads, and ids of agents by their names."""
    alice, bob, carol = (
        stoa.agent("alice"),
        stoa.agent("bob", capabilities=["a"]),
        stoa.agent("carol"),
    )
    for creator in (alice, alice, alice, carol):
        jobs.offer(creator, 1, tags=["a"], deadlineHours=1)
    stoa.clock.advance(2 * HOUR)
    for agent in (alice, bob):
        agent.sign_in()
    for _ in range(3):
        alice.thread(tags=["a"])
        alice.thread(tags=["a", "b"], bountyCredits=1)
        for terms in ({}, {"onSilence": "pay"}, {"assignment": "chosen"}):
            jobs.offer(alice, 1, tags=["a", "b"], terms=terms)
        jobs.done(bob, jobs.offer(alice, 1, tags=["a"]), "claim")
    return bob, {"alice": alice.id, "bob": bob.id}


@pytest.mark.parametrize("name", ALIKE)
def test_rows_that_are_alike_come_in_one_order_on_pages_of_any_size(stoa: App, name: str) -> None:
    reader, agents = alike(stoa)
    for path in ALIKE[name]:
        asked = with_query(path.format(**agents), "limit=100")
        whole = ids(reader.get(asked).ok()[name])
        assert len(whole) > 2, path
        assert walked(reader, asked.replace("limit=100", "limit=1"), name) == whole, path


# --- Cursors are checked.


def test_a_cursor_of_another_list_or_order_is_400(stoa: App, alice: Agent) -> None:
    thread = alice.thread()
    for _ in range(2):
        alice.thread()
        alice.reply(thread)
    paths = [
        "threads?limit=1",
        "threads?limit=1&sort=active",
        "threads?limit=1&sort=replies",
        "unanswered?limit=1",
        "search?limit=1",
        "search?limit=1&q=question",
        f"threads/{thread['id']}/replies?limit=1",
    ]
    given = {path: stoa.get(path).ok()["nextCursor"] for path in paths}
    assert None not in given.values()
    for path in paths:
        for origin, cursor in given.items():
            answer = stoa.get(f"{path}&cursor={cursor}")
            if path == origin:
                answer.ok()
            else:
                answer.invalid("query.cursor")


@pytest.mark.parametrize(
    ("path", "kind", "values"),
    [
        ("search?q=a", "search.best", (5, "", -1, 1)),
        ("search?q=a", "search.best", (-5, "", 1, 1)),
        ("threads?sort=active", "threads.active", (-1, "th_x")),
        ("threads?sort=replies", "threads.replies", (-1, "th_x")),
    ],
)
def test_a_made_up_cursor_with_a_negative_place_is_400(
    stoa: App, path: str, kind: str, values: tuple[int | str, ...]
) -> None:
    cursor = CursorFormat(kind, ()).encode(*values)
    stoa.get(f"{path}&cursor={cursor}").invalid("query.cursor")


def test_no_made_up_cursor_is_a_defect(stoa: App) -> None:
    square, most = Square(stoa), {int: (0, 2**62), str: ("", "~")}
    tried = 0
    for one in all_operations():
        query = "q=bread&" if one.name == "search_threads" else ""
        for sort, form in getattr(one.request, "orders", {}).items():
            path = f"{square.filled(one.path)}?{query}{f'sort={sort}&' if sort else ''}"
            for values in product(*(most[kind] for kind in form.shape)):
                cursor = form.encode(*values)
                status = square.ada.get(f"{path}cursor={cursor}").status
                assert status in (200, 400, 403), (one.name, sort, values)
                tried += status == 200
    assert tried > 100


@pytest.mark.costly
@pytest.mark.promise("Q4")
@pytest.mark.parametrize(
    "path",
    ["threads", "threads?sort=active", "threads?sort=replies", "search", "search?q=question"],
)
def test_a_thousand_bent_cursors_are_200_or_400(stoa: App, alice: Agent, path: str) -> None:
    for _ in range(3):
        alice.thread()
    cursor = stoa.get(with_query(path, "limit=1")).ok()["nextCursor"]
    chance = random.Random(7)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.~"
    statuses: dict[int, int] = {}
    for _ in range(200):
        bent = list(cursor)
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(bent))
            action = chance.randrange(3)
            if action == 0:
                bent[place] = chance.choice(alphabet)
            elif action == 1:
                bent.insert(place, chance.choice(alphabet))
            else:
                del bent[place]
        status = stoa.get(with_query(path, f"cursor={''.join(bent)}")).status
        statuses[status] = statuses.get(status, 0) + 1
    assert set(statuses) <= {200, 400}
    assert statuses[400] > 50


# --- A page ends before it grows past a mebibyte.

EMOJI = "\U0001f600" * 50_000
QUOTES = '"' * 50_000
CONTROLS = "\x01" * 50_000


@pytest.mark.costly
@pytest.mark.promise("Q3")
@pytest.mark.parametrize(
    "text", few([CONTROLS, EMOJI, QUOTES]), ids=["controls", "emoji", "quotes"]
)
@pytest.mark.parametrize("path", ["threads", "unanswered", "search", "search?q=question"])
def test_a_page_of_long_bodies_ends_early_and_the_next_one_goes_on(
    stoa: App, alice: Agent, path: str, text: str
) -> None:
    written = [alice.thread(f"Question {number}", f"b{text[1:]}")["id"] for number in range(12)]
    found: list[str] = []
    answer = stoa.get(with_query(path, "limit=100")).ok()
    while True:
        assert len(answer.content) <= MIB
        assert answer["limit"] == 100
        assert 1 <= len(answer["threads"]) < 12
        found += ids(answer["threads"])
        if answer["nextCursor"] is None:
            break
        answer = stoa.get(with_query(path, f"limit=100&cursor={answer['nextCursor']}")).ok()
    assert sorted(found) == sorted(written)


def test_embedded_replies_end_early_too_and_say_so(stoa: App, alice: Agent) -> None:
    thread = alice.thread(body=f"b{CONTROLS[1:]}")
    for _ in range(5):
        alice.reply(thread, f"b{CONTROLS[1:]}")
    answer = stoa.get(f"threads/{thread['id']}?include=replies").ok()
    assert len(answer.content) <= MIB
    assert 1 <= len(answer["replies"]) < 5
    assert answer["repliesTruncated"] is True
    listed = walked(stoa, f"threads/{thread['id']}/replies", "replies")
    assert listed[: len(answer["replies"])] == ids(answer["replies"])
    assert len(listed) == 5


@pytest.mark.costly
def test_a_page_of_texts_that_are_cut_does_not_end_early(stoa: App, alice: Agent) -> None:
    thread = alice.thread(body=EMOJI)
    reply = None
    for _ in range(7):
        alice.thread(body=EMOJI)
        reply = alice.reply(thread, EMOJI, reply)
    assert reply
    read = f"threads/{thread['id']}"
    for path, rows, count in (
        ("threads?view=lean", "threads", 8),
        ("threads?excerpt=40", "threads", 8),
        (f"{read}/replies?excerpt=40", "replies", 7),
        (f"{read}?include=replies&excerpt=40", "replies", 7),
        (f"replies/{reply['id']}?excerpt=40", "replies", 7),
    ):
        answer = stoa.get(path).ok()
        assert len(answer[rows]) == count, path
        assert not answer.json.get("repliesTruncated"), path
        assert not answer.json.get("nextCursor"), path


@pytest.mark.costly
def test_labels_of_the_largest_kind_do_not_push_a_page_past_a_mebibyte(stoa: App) -> None:
    emoji = "\U0001f600"
    carol = stoa.agent("carol", description="\x01" * 2000, capabilities=[emoji * 64] * 32)
    tags = [f"{number}{emoji * 39}" for number in range(8)]
    for _ in range(101):
        carol.thread(emoji * 300, "b", tags=tags)
    answer = stoa.get("threads?limit=100").ok()
    assert len(answer.content) <= MIB
    assert 30 < len(answer["threads"]) < 100
    thread = carol.thread(tags=tags)
    for _ in range(100):
        carol.reply(thread)
    assert len(stoa.get(f"threads/{thread['id']}?include=replies").ok().content) <= MIB


@pytest.mark.parametrize("sort", ["standing", "reputation", "recent"])
def test_pages_of_agents_who_have_earned_the_same_hold_each_once(stoa: App, sort: str) -> None:
    names = {stoa.agent(f"agent {number}").id for number in range(5)}
    whole = [agent["id"] for agent in stoa.get(f"agents?sort={sort}").ok()["agents"]]
    assert set(whole) == names
    assert walked(stoa, f"agents?sort={sort}&limit=2", "agents") == whole


@pytest.mark.parametrize("only", ["status=OPEN", "status=OPEN&tag=beer", "tag=beer"])
def test_pages_of_jobs_with_the_same_place_hold_each_once(
    stoa: App, alice: Agent, only: str
) -> None:
    made = sorted(jobs.offer(alice, tags=["beer"])["id"] for _ in range(5))
    for sort, expected in (("deadline", made), ("reward", made[::-1]), ("recent", made[::-1])):
        assert walked(stoa, f"jobs?sort={sort}&{only}&limit=2", "jobs") == expected
