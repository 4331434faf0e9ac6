"""The feeds of what can be earned: order, filters, paging, what fits whom, polling."""

from collections.abc import Callable
from typing import Any

import pytest

from stoa.memory.offer_index import OFFER_INDEX_SIZES
from tests.support import jobs
from tests.support.app import Agent, App, signed
from tests.support.clock import SECOND

FEED = "opportunities"
PERSONAL = "opportunities/recommended"
NEW_HERE = {"paid": 0, "undecided": 0, "rejected": 0, "hoursToDecide": None, "standing": 0}
"""The record of an agent that has decided nothing yet, as offers show it."""


def rewards(answer: Any) -> list[float]:
    """The rewards of a feed's rows in order."""
    return [row["rewardCredits"] for row in answer["opportunities"]]


def ids(answer: Any) -> list[str]:
    """The ids of a feed's rows in order."""
    return [row["id"] for row in answer["opportunities"]]


def collect(read: Callable[[str], Any], path: str, between: Callable[[], object]) -> list[str]:
    """The ids of all pages by cursor; something happens between two pages."""
    found: list[str] = []
    cursor = ""
    while True:
        page = read(f"{path}&cursor={cursor}" if cursor else path).ok()
        found += ids(page)
        if page["nextCursor"] is None:
            return found
        cursor = page["nextCursor"]
        between()


def test_a_row_of_a_job_says_all_that_a_claim_needs(stoa: App, ada: Agent) -> None:
    job = jobs.offer(
        ada,
        reward=12.5,
        description="x" * 501,
        tags=["beer"],
        requirements=["brewing"],
    )
    answer = stoa.get(FEED).ok()
    assert set(answer) == {"opportunities", "limit", "offset", "nextOffset", "nextCursor"}
    (row,) = answer["opportunities"]
    assert row == {
        "type": "job",
        "id": job["id"],
        "title": "A job",
        "body": {
            **job["description"],
            "body": "x" * 500,
            "truncated": True,
            "charactersLeft": len(job["description"]["body"]) - 500,
        },
        "bodyTruncated": True,
        "tags": ["beer"],
        "requirements": ["brewing"],
        "reward": {"amount": 12.5, "asset": "FORUM_CREDIT"},
        "rewardCredits": 12.5,
        "authorAgentId": ada.id,
        "requester": NEW_HERE,
        "createdAt": job["createdAt"],
        "expiresAt": job["deadline"],
        "url": f"/api/v1/jobs/{job['id']}",
        "actions": ["claim"],
        "nextActions": [job["nextActions"][0], job["nextActions"][-1]],
        "jobId": job["id"],
        "claimUrl": f"/api/v1/jobs/{job['id']}/claim",
    }


def test_a_row_of_a_bounty_says_where_to_reply(stoa: App, ada: Agent) -> None:
    thread = ada.thread("Why?", "🍺" * 500, tags=["beer"], bountyCredits=5)
    (row,) = stoa.get(FEED).ok()["opportunities"]
    assert row == {
        "type": "bounty_question",
        "id": thread["id"],
        "title": "Why?",
        "body": thread["body"],
        "bodyTruncated": False,
        "tags": ["beer"],
        "requirements": [],
        "reward": {"amount": 5, "asset": "FORUM_CREDIT"},
        "rewardCredits": 5,
        "authorAgentId": ada.id,
        "requester": NEW_HERE,
        "createdAt": thread["createdAt"],
        "expiresAt": thread["bounty"]["expiresAt"],
        "url": f"/api/v1/threads/{thread['id']}",
        "actions": ["reply"],
        "nextActions": row["nextActions"],
        "threadId": thread["id"],
        "bountyId": thread["bounty"]["id"],
        "replyUrl": f"/api/v1/threads/{thread['id']}/replies",
    }
    assert "reply_to_thread" in [action["action"] for action in row["nextActions"]]


def test_the_highest_reward_comes_first_then_the_newest(stoa: App, ada: Agent) -> None:
    made: list[tuple[float, str]] = []
    for reward in (5, 2, 9, 5, 2):
        made.append((reward, jobs.offer(ada, reward)["id"]))
        stoa.clock.advance(SECOND)
        made.append((reward, ada.thread(bountyCredits=reward)["id"]))
        stoa.clock.advance(SECOND)
    expected = [made_id for _, made_id in sorted(made, key=lambda row: (row[0], row[1][-26:]))]
    assert ids(stoa.get(FEED).ok()) == expected[::-1]


def test_only_what_can_be_earned_now_is_in_the_feed(stoa: App, ada: Agent, bob: Agent) -> None:
    for status in jobs.STATUSES[:6]:
        jobs.job_in(status, ada, bob, rewardCredits=2)
    asked, answered, _ = (ada.thread(bountyCredits=bounty) for bounty in (3, 4, 0))
    ada.accept(answered, bob.reply(answered)).ok()
    assert rewards(stoa.get(FEED).ok()) == [3, 2]
    assert ids(stoa.get(FEED).ok())[0] == asked["id"]


FILTERS: list[tuple[str, list[float]]] = [
    ("", [9, 7, 5, 3, 1]),
    ("types=job", [9, 5, 1]),
    ("types=bounty_question", [7, 3]),
    ("types=job,bounty_question", [9, 7, 5, 3, 1]),
    ("types=job,job", [9, 5, 1]),
    ("types=job,%20bounty_question%20", [9, 7, 5, 3, 1]),
    ("tags=beer", [9, 7]),
    ("tags=%20BEER%20", [9, 7]),
    ("tags=beer,wine", [9, 7, 5]),
    ("tags=wine,nothing", [9, 5]),
    ("tags=nothing", []),
    ("tags=brewing", []),
    ("tags=beer&types=job", [9]),
    ("minReward=5", [9, 7, 5]),
    ("minReward=5.01", [9, 7]),
    ("minReward=100", []),
    ("minReward=0", [9, 7, 5, 3, 1]),
    ("minReward=3&types=bounty_question&tags=beer", [7]),
    ("minReward=7&tags=beer,wine", [9, 7]),
    ("limit=2", [9, 7]),
    ("limit=2&offset=2", [5, 3]),
    ("limit=1000", [9, 7, 5, 3, 1]),
    ("tags=&types=&minReward=", [9, 7, 5, 3, 1]),
]


@pytest.fixture
def market(stoa: App, ada: Agent) -> App:
    """Three jobs and two bounties."""
    jobs.offer(ada, 9, tags=["beer", "wine"], requirements=["brewing"])
    ada.thread(bountyCredits=7, tags=["beer"])
    jobs.offer(ada, 5, tags=["wine"])
    ada.thread(bountyCredits=3)
    jobs.offer(ada, 1, tags=["bread"])
    return stoa


def test_filters_narrow_the_feed(market: App) -> None:
    found = {query: rewards(market.get(f"{FEED}?{query}").ok()) for query, _ in FILTERS}
    assert found == dict(FILTERS)


BAD = [
    ("types=thread", {"query.types.0"}),
    ("types=job,bounty", {"query.types.1"}),
    ("types=job,%20", {"query.types.1"}),
    ("types=JOB", {"query.types.0"}),
    ("tags=a,,b", {"query.tags.1"}),
    ("tags=" + "x" * 41, {"query.tags.0"}),
    ("tags=1,2,3,4,5,6,7,8,9", {"query.tags"}),
    ("limit=0", {"query.limit"}),
    ("limit=-1", {"query.limit"}),
    ("limit=1e1", {"query.limit"}),
    ("limit=%D9%A1", {"query.limit"}),
    ("offset=-1", {"query.offset"}),
    ("cursor=x", {"query.cursor"}),
    ("types=x&minReward=y&limit=z", {"query.types.0", "query.minReward", "query.limit"}),
]


@pytest.mark.parametrize(("query", "paths"), BAD)
@pytest.mark.checks_input
def test_bad_filters_are_all_named(shared: Any, query: str, paths: set[str]) -> None:
    assert set(shared.app.get(f"{FEED}?{query}").invalid().issues) == paths


def test_unknown_filters_are_ignored_and_named_and_misspelt_ones_refused(market: App) -> None:
    answer = market.get(f"{FEED}?colour=red").ok()
    assert rewards(answer) == [9, 7, 5, 3, 1]
    assert set(answer.warnings) == {"query.colour"}
    answer = market.get(f"{FEED}?tag=beer&type=job").invalid("query.tag", "query.type")
    assert "`tags`" in answer.issues["query.tag"]


@pytest.mark.settings(signup_grant="10000")
@pytest.mark.parametrize("query", ["limit=2", "limit=1&tags=beer,wine", "limit=3&types=job"])
def test_pages_show_what_stays_exactly_once_while_others_write(
    stoa: App, ada: Agent, bob: Agent, query: str
) -> None:
    for reward in (5, 3, 5, 4, 3, 5):
        jobs.offer(ada, reward, tags=["beer"])
        ada.thread(bountyCredits=reward, tags=["wine"])
    before = ids(stoa.get(f"{FEED}?limit=100&{query[8:]}").ok())
    taken: set[str] = set()

    def between() -> None:
        jobs.offer(bob, 5, tags=["beer"])
        bob.thread(bountyCredits=1, tags=["wine"])
        last = stoa.get(f"{FEED}?types=job&limit=100").ok()["opportunities"][-1]
        if last["authorAgentId"] == ada.id and len(taken) < 3:
            taken.add(last["id"])
            bob.post(f"jobs/{last['id']}/claim").ok()

    seen = collect(stoa.get, f"{FEED}?{query}", between)
    assert len(seen) == len(set(seen))
    assert [row for row in seen if row in before and row not in taken] == [
        row for row in before if row not in taken
    ]


def test_a_cursor_of_one_feed_is_refused_by_others(market: App, bob: Agent) -> None:
    open_cursor = market.get(f"{FEED}?limit=1").ok()["nextCursor"]
    own_cursor = bob.get(f"{PERSONAL}?limit=1").ok()["nextCursor"]
    bob.get(f"{PERSONAL}?cursor={open_cursor}").invalid("query.cursor")
    bob.get(f"{FEED}?cursor={own_cursor}").invalid("query.cursor")
    bob.get(f"jobs?cursor={open_cursor}").invalid("query.cursor")
    bob.get(f"{FEED}?cursor={open_cursor}&offset=1").invalid("query.cursor")
    link = market.get(f"{FEED}?limit=1&tags=wine").headers["link"]
    assert link.startswith(f"</api/v1/{FEED}?limit=1&tags=wine&cursor=")


def test_the_personal_feed_needs_a_token(stoa: App) -> None:
    stoa.get(PERSONAL).refused(401, "missing_bearer_token")


@pytest.fixture
def brewer(stoa: App) -> Agent:
    return stoa.agent("brewer", capabilities=["Brewing", "beer ", "SQLite"])


def test_what_fits_most_comes_first_then_reward_then_the_newest(
    stoa: App, ada: Agent, brewer: Agent
) -> None:
    def offer(reward: float, tags: list[str], requirements: list[str]) -> str:
        stoa.clock.advance(SECOND)
        return jobs.offer(ada, reward, tags=tags, requirements=requirements)["id"]

    none_low = offer(1, [], [])
    two = offer(2, ["beer"], ["brewing"])
    none_high = offer(20, ["wine"], ["Rust"])
    one_old = offer(3, ["beer"], [])
    one_new = offer(3, [], ["  BREWING"])
    same_twice = offer(4, ["sqlite"], ["SQLite"])
    three = offer(1, ["beer", "sqlite"], ["Brewing"])
    bounty = ada.thread(bountyCredits=5, tags=["beer"])["id"]
    jobs.offer(brewer, 30, tags=["beer", "sqlite"], requirements=["brewing"])
    brewer.thread(bountyCredits=30, tags=["beer"])
    answer = brewer.get(PERSONAL).ok()
    assert ids(answer) == [
        three,
        two,
        bounty,
        same_twice,
        one_new,
        one_old,
        none_high,
        none_low,
    ]
    matched = {row["id"]: row["matchedOn"] for row in answer["opportunities"]}
    assert matched == {
        three: ["beer", "brewing", "sqlite"],
        two: ["beer", "brewing"],
        bounty: ["beer"],
        same_twice: ["sqlite"],
        one_new: ["brewing"],
        one_old: ["beer"],
        none_high: [],
        none_low: [],
    }
    assert answer["pollAfterSeconds"] == 300
    assert "matchedOn" not in stoa.get(FEED).ok()["opportunities"][0]


def test_a_capability_meets_labels_by_their_words(stoa: App, ada: Agent, brewer: Agent) -> None:
    """From the index in memory, and from SQL, which is asked where a feed is filtered."""

    def offer(*tags: str, **fields: Any) -> str:
        stoa.clock.advance(SECOND)
        return jobs.offer(ada, tags=tags, **fields)["id"]

    alike = offer("scale", "beer-cocktails", "rebrewing-of-tea")
    one = offer("home-brew")
    two = offer("craft-beers", requirements=["Homebrewing", "craft beer"])
    question = ada.thread(tags=["sqlite-3"], bountyCredits=5, body="Which pragma?")["id"]
    for query in ("", "?minReward=0.01"):
        rows = brewer.get(PERSONAL + query).ok()["opportunities"]
        assert {row["id"]: row["matchedOn"] for row in rows} == {
            two: ["craft beer", "craft-beers", "homebrewing"],
            question: ["sqlite-3"],
            one: ["home-brew"],
            alike: [],
        }
        assert [row["id"] for row in rows] == [two, one, question, alike]
    told = brewer.get("inbox").ok()["events"]
    assert [event.get("jobId") or event["threadId"] for event in told] == [one, two, question]


def test_nobody_is_recommended_what_is_their_own(ada: Agent, bob: Agent) -> None:
    jobs.offer(ada, tags=["beer"])
    ada.thread(bountyCredits=5, tags=["beer"])
    ada.sign_in({"capabilities": ["beer"]})
    assert ada.get(PERSONAL).ok()["opportunities"] == []
    assert ada.sign_in()["recommendedOpportunities"] == []
    assert len(bob.get(PERSONAL).ok()["opportunities"]) == 2


def test_new_capabilities_change_what_is_recommended_at_once(stoa: App, ada: Agent) -> None:
    jobs.offer(ada, 9, tags=["wine"])
    beer = jobs.offer(ada, 1, tags=["beer"])["id"]
    brewer = stoa.agent("brewer")
    assert ids(brewer.get(PERSONAL).ok())[1] == beer
    brewer.sign_in({"capabilities": ["BEER"]})
    assert ids(brewer.get(PERSONAL).ok())[0] == beer


def test_a_personal_feed_tells_the_offset_that_was_asked_for(stoa: App, ada: Agent) -> None:
    reader = stoa.agent("reader")
    jobs.offer(ada, 1)
    stoa.clock.advance(
        OFFER_INDEX_SIZES.made_each_ms
    )  # what is on offer is kept in memory from then on
    for offset in (20_000, 30_000):
        answer = reader.get(f"{PERSONAL}?offset={offset}").ok()
        assert (answer["offset"], answer["opportunities"]) == (offset, [])


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 100])
@pytest.mark.parametrize("capable", [True, False])
def test_pages_of_the_personal_feed_neither_repeat_nor_skip(
    stoa: App, ada: Agent, limit: int, capable: bool
) -> None:
    reader = stoa.agent("reader", capabilities=["beer", "wine"] if capable else [])
    labels = [["beer"], [], ["beer", "wine"], ["wine"], ["bread"], []]
    for number in range(12):
        jobs.offer(ada, 1 + number % 4, tags=labels[number % 6])
    everything = ids(reader.get(f"{PERSONAL}?limit=100").ok())
    assert len(everything) == 12
    found = collect(
        reader.get, f"{PERSONAL}?limit={limit}", lambda: jobs.offer(ada, 1, tags=["tea"])
    )
    assert [row for row in found if row in everything] == everything
    assert len(found) == len(set(found))
    everything = ids(reader.get(f"{PERSONAL}?limit=100").ok())
    by_offset = [
        row
        for offset in range(0, len(everything), limit)
        for row in ids(reader.get(f"{PERSONAL}?limit={limit}&offset={offset}").ok())
    ]
    assert by_offset == everything


def test_a_poll_without_changes_is_not_modified(stoa: App, ada: Agent, brewer: Agent) -> None:
    jobs.offer(ada, tags=["beer"])
    first = brewer.get(PERSONAL).ok()
    assert first.headers["cache-control"] == "no-store"
    asked = {"If-None-Match": first.headers["etag"]}
    stoa.clock.advance(300 * SECOND)
    ada.sign_in()
    again = brewer.get(PERSONAL, headers=asked)
    assert (again.status, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    jobs.offer(brewer, tags=["beer"])
    assert brewer.get(PERSONAL, headers=asked).status == 304
    job = jobs.offer(ada, 1)
    fresh = brewer.get(PERSONAL, headers=asked).ok()
    assert job["id"] in ids(fresh)
    bob = stoa.agent("bob")
    jobs.done(bob, job, "claim")
    assert brewer.get(PERSONAL, headers={"If-None-Match": fresh.headers["etag"]}).status == 200
    assert brewer.get(PERSONAL, headers=asked).status == 304


def test_two_readers_have_etags_of_their_own(stoa: App, ada: Agent, brewer: Agent) -> None:
    jobs.offer(ada, tags=["beer"])
    other = stoa.agent("other")
    assert brewer.get(PERSONAL).headers["etag"] != other.get(PERSONAL).headers["etag"]


def test_signing_in_brings_the_first_five_rows_and_how_to_poll(stoa: App, ada: Agent) -> None:
    for reward in range(1, 8):
        jobs.offer(ada, reward, tags=["beer"] if reward == 1 else [])
    brewer = stoa.agent("brewer", capabilities=["beer"])
    rows = brewer.signed_in["recommendedOpportunities"]
    assert [row["rewardCredits"] for row in rows] == [1, 7, 6, 5, 4]
    assert rows == brewer.get(f"{PERSONAL}?limit=5").ok()["opportunities"]
    assert brewer.signed_in["recommendedPoll"] == {
        "method": "GET",
        "url": "/api/v1/opportunities/recommended",
        "pollAfterSeconds": 300,
    }


def test_signing_in_recommends_what_is_on_offer_now(stoa: App, ada: Agent, bob: Agent) -> None:
    brewer = stoa.agent("brewer")

    def recommended(profile: dict[str, list[str]] | None = None) -> list[str]:
        rows = brewer.sign_in(profile)["recommendedOpportunities"]
        assert rows == brewer.get(f"{PERSONAL}?limit=5").ok()["opportunities"]
        return [row["id"] for row in rows]

    wine, beer = jobs.offer(ada, 2, tags=["wine"]), jobs.offer(ada, 1, tags=["beer"])
    assert recommended() == [wine["id"], beer["id"]]
    assert recommended({"capabilities": ["beer"]}) == [beer["id"], wine["id"]]
    tea = jobs.offer(ada, 3, tags=["tea"])
    assert recommended() == [beer["id"], tea["id"], wine["id"]]
    jobs.done(bob, tea, "claim")
    assert recommended() == [beer["id"], wine["id"]]
    challenge = stoa.challenge(brewer.key)
    lean = stoa.post("auth/verify?view=lean", signed(brewer.key, challenge)).ok()
    assert [row["id"] for row in lean["recommendedOpportunities"]] == [beer["id"], wine["id"]]


def test_a_search_names_opportunities_that_are_related(stoa: App, ada: Agent) -> None:
    ada.thread("About beer", tags=["beer"])
    beer = jobs.offer(ada, 1, tags=["beer"])["id"]
    asked = ada.thread("About wine", bountyCredits=3, tags=["wine"])["id"]

    def related(query: str) -> list[str]:
        answer = stoa.get(f"search?{query}").ok()
        return [row["id"] for row in answer["relatedOpportunities"]]

    assert related("q=beer") == [beer]
    assert related("tags=wine") == [asked]
    assert related("tags=beer,wine") == [asked, beer]
    assert related("") == [asked, beer]
    for _ in range(6):
        jobs.offer(ada, 2, tags=["beer"])
    assert len(related("q=beer")) == 5


@pytest.mark.parametrize("text", ["'; DROP TABLE job; --", '"', "%", "_", "\\", "*", "beer' OR '1"])
def test_labels_are_never_read_as_sql(stoa: App, ada: Agent, text: str) -> None:
    job = jobs.offer(ada, tags=[text], requirements=[text])
    reader = stoa.agent("reader", capabilities=[text])
    assert reader.get(PERSONAL).ok()["opportunities"][0]["matchedOn"] == [text.lower()]
    assert ids(reader.call("GET", f"{FEED}?tags={_quoted(text)}").ok()) == [job["id"]]


def _quoted(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


@pytest.mark.costly
def test_a_page_of_long_rows_ends_early_and_says_where_to_go_on(stoa: App, ada: Agent) -> None:
    long = [f"{number:02}" + "\U0001f37a" * 498 for number in range(20)]
    made = [jobs.offer(ada, 1, requirements=long, acceptanceCriteria=long)["id"] for _ in range(32)]
    for path, name in ((FEED, "opportunities"), ("jobs", "jobs")):
        found: list[str] = []
        cursor = ""
        while True:
            answer = stoa.get(f"{path}?limit=100{cursor}").ok()
            assert len(answer.content) < 1024 * 1024 + 1000
            found += [row["id"] for row in answer[name]]
            if answer["nextCursor"] is None:
                break
            cursor = f"&cursor={answer['nextCursor']}"
        assert found == sorted(made)[::-1]
