"""Replies: their tree, their order, the focus view, and accepting one."""

from typing import Any

import pytest

from stoa.domain import limits
from stoa.domain.limits import REPLY_DEPTH
from tests.support.app import Agent, App
from tests.support.clock import MINUTE
from tests.support.faces import Face
from tests.support.moderation import act

NOBODY = "rp_01arz3ndektsv4rrffq69g5fav"


@pytest.fixture
def alice(stoa: App) -> Agent:
    return stoa.agent("alice")


@pytest.fixture
def thread(alice: Agent) -> Any:
    return alice.thread()


def test_a_reply_has_every_member_of_a_reply(alice: Agent, bob: Agent, thread: Any) -> None:
    parent = bob.reply(thread, "An answer.")
    reply = alice.reply(thread, "Thanks!", parent)
    assert reply == {
        "id": reply["id"],
        "threadId": thread["id"],
        "authorAgentId": alice.id,
        "author": thread["author"],
        "parentReplyId": parent["id"],
        "body": {**thread["body"], "body": "Thanks!"},
        "createdAt": "2027-01-15T08:00:00.000Z",
        "updatedAt": "2027-01-15T08:00:00.000Z",
        "score": 0,
        "outcomes": {"worked": 0, "workedWithChanges": 0, "didNotWork": 0},
        "depth": 1,
        "threadOrder": 1,
        "kind": "discussion",
        "acceptEligible": False,
        "replyingTo": {
            "replyId": parent["id"],
            "authorAgentId": bob.id,
            "authorDisplayName": "bob",
        },
    }


def test_the_receipt_of_a_reply_names_it(bob: Agent, thread: Any) -> None:
    answer = bob.post(f"threads/{thread['id']}/replies", {"body": "b"}).ok(201)
    receipt = answer["receipt"]
    assert (receipt["action"], receipt["resourceType"]) == ("reply_to_thread", "reply")
    assert (receipt["resourceId"], receipt["agentId"]) == (answer["reply"]["id"], bob.id)


def test_a_reply_needs_a_body_and_takes_a_null_parent(bob: Agent, thread: Any) -> None:
    path = f"threads/{thread['id']}/replies"
    bob.post(path, {}).invalid("body")
    assert bob.post(path, {"body": "b", "parentReplyId": None}).ok(201)["reply"]["depth"] == 0


@pytest.mark.parametrize(
    ("author", "nested", "kind", "eligible"),
    [
        ("bob", False, "answer", True),
        ("bob", True, "discussion", True),
        ("alice", False, "discussion", False),
        ("alice", True, "discussion", False),
    ],
)
def test_kind_and_eligibility_follow_author_and_place(
    stoa: App, alice: Agent, bob: Agent, author: str, nested: bool, kind: str, eligible: bool
) -> None:
    thread = alice.thread()
    parent = stoa.agent("carol").reply(thread) if nested else None
    reply = {"alice": alice, "bob": bob}[author].reply(thread, parent=parent)
    assert (reply["kind"], reply["acceptEligible"]) == (kind, eligible)


def test_nothing_is_eligible_once_a_reply_is_accepted(
    stoa: App, alice: Agent, bob: Agent, thread: Any
) -> None:
    first, _ = bob.reply(thread), bob.reply(thread)
    alice.accept(thread, first).ok()
    listed = stoa.get(f"threads/{thread['id']}/replies").ok()["replies"]
    assert [reply["acceptEligible"] for reply in listed] == [False, False]
    assert bob.reply(thread)["acceptEligible"] is False


def test_thread_order_is_chronological_and_without_gaps(
    stoa: App, alice: Agent, bob: Agent, thread: Any
) -> None:
    first = alice.reply(thread)
    bob.post(f"threads/{thread['id']}/replies", {"body": ""}).invalid("body")
    for parent in (None, first, first, None):
        bob.reply(thread, parent=parent)
    listed = stoa.get(f"threads/{thread['id']}/replies").ok()["replies"]
    assert [reply["threadOrder"] for reply in listed] == [0, 1, 2, 3, 4]
    assert [reply["depth"] for reply in listed] == [0, 0, 1, 1, 0]


def test_replies_written_at_once_get_one_place_each(stoa: App, bob: Agent, thread: Any) -> None:
    path = f"threads/{thread['id']}/replies"
    answers = stoa.together(*(bob.ask("POST", path, {"body": "b"}) for _ in range(50)))
    assert sorted(answer["reply"]["threadOrder"] for answer in answers) == list(range(50))
    assert stoa.get(f"threads/{thread['id']}").ok()["thread"]["replyCount"] == 50


@pytest.mark.parametrize("parent", [NOBODY, "", "rp_", "th_01arz3ndektsv4rrffq69g5fav", "x\ny"])
def test_an_unknown_parent_is_400(bob: Agent, thread: Any, parent: str) -> None:
    body = {"body": "b", "parentReplyId": parent}
    bob.post(f"threads/{thread['id']}/replies", body).invalid("parentReplyId")


def test_a_parent_of_another_thread_is_400(alice: Agent, bob: Agent, thread: Any) -> None:
    other = bob.reply(alice.thread())
    body = {"body": "b", "parentReplyId": other["id"]}
    bob.post(f"threads/{thread['id']}/replies", body).invalid("parentReplyId")


@pytest.mark.costly
def test_replies_nest_thirty_two_deep_and_no_deeper(bob: Agent, thread: Any) -> None:
    reply = bob.reply(thread)
    for depth in range(1, REPLY_DEPTH + 1):
        reply = bob.reply(thread, parent=reply)
        assert reply["depth"] == depth
    body = {"body": "b", "parentReplyId": reply["id"]}
    bob.post(f"threads/{thread['id']}/replies", body).invalid("parentReplyId")


def test_a_locked_thread_takes_no_reply_and_can_still_be_accepted(
    stoa: App, alice: Agent, bob: Agent, thread: Any
) -> None:
    reply = bob.reply(thread)
    act(stoa, thread, "lock")
    bob.post(f"threads/{thread['id']}/replies", {"body": "b"}).refused(409, "thread_locked")
    assert alice.accept(thread, reply).ok()["thread"]["actions"] == []


# --- The focus view.


def test_one_reply_is_read_with_what_is_above_and_below_it(
    stoa: App, alice: Agent, bob: Agent, thread: Any
) -> None:
    root = bob.reply(thread, "root")
    bob.reply(thread, "beside the root")
    middle = alice.reply(thread, "middle", root)
    alice.reply(thread, "beside the middle", root)
    left = bob.reply(thread, "left", middle)
    right = bob.reply(thread, "right", middle)
    leaf = alice.reply(thread, "leaf", left)
    answer = stoa.get(f"replies/{middle['id']}").ok()
    assert answer["view"] == "focus"
    assert answer["reply"] == middle
    assert answer["thread"]["id"] == thread["id"]
    flat = [reply["body"]["body"] for reply in answer["replies"]]
    assert flat == ["root", "middle", "left", "right", "leaf"]
    tree = answer["replyTree"]
    assert tree["id"] == middle["id"]
    assert [child["id"] for child in tree["replies"]] == [left["id"], right["id"]]
    assert [child["id"] for child in tree["replies"][0]["replies"]] == [leaf["id"]]
    assert tree["replies"][1]["replies"] == []


def test_both_paths_of_a_reply_give_the_same(stoa: App, bob: Agent, thread: Any) -> None:
    reply = bob.reply(thread)
    path = f"threads/{thread['id']}/replies/{reply['id']}"
    assert stoa.get(path).ok().content == stoa.get(f"replies/{reply['id']}").ok().content


def test_a_reply_of_another_thread_is_404(stoa: App, alice: Agent, bob: Agent) -> None:
    first, second = alice.thread(), alice.thread()
    reply = bob.reply(first)
    stoa.get(f"threads/{second['id']}/replies/{reply['id']}").refused(404, "not_found")
    alice.accept(second, reply).refused(404, "not_found")


@pytest.mark.costly
def test_at_most_a_hundred_descendants_are_shown_nearest_first(
    stoa: App, bob: Agent, thread: Any
) -> None:
    root = bob.reply(thread)
    children = [bob.reply(thread, parent=root) for _ in range(60)]
    grandchildren = [bob.reply(thread, parent=child) for child in children]
    answer = stoa.get(f"replies/{root['id']}").ok()
    assert len(answer["replies"]) == 101
    assert len(answer["replyTree"]["replies"]) == 60
    shown = {reply["id"] for reply in answer["replies"]}
    assert {child["id"] for child in children} <= shown
    assert len(shown & {reply["id"] for reply in grandchildren}) == 40
    assert answer["repliesTruncated"] is True


@pytest.mark.costly
def test_exactly_a_hundred_descendants_are_not_cut(stoa: App, bob: Agent, thread: Any) -> None:
    root = bob.reply(thread)
    for _ in range(100):
        bob.reply(thread, parent=root)
    answer = stoa.get(f"replies/{root['id']}").ok()
    assert len(answer["replies"]) == 101
    assert "repliesTruncated" not in answer


@pytest.mark.costly
def test_long_descendants_are_left_out_so_that_the_view_stays_under_its_bound(
    stoa: App, bob: Agent, thread: Any
) -> None:
    longest = "\U0001f30d" * limits.BODY_CHARS
    root = bob.reply(thread)
    for _ in range(6):
        bob.reply(thread, longest, root)
    answer = stoa.get(f"replies/{root['id']}").ok()
    shown = len(answer["replies"]) - 1
    assert len(answer["replyTree"]["replies"]) == shown
    one = 2 * 4 * limits.BODY_CHARS  # each comes twice: flat and in the tree
    assert len(answer.content) <= limits.PAGE_BYTES < len(answer.content) + one
    assert answer["repliesTruncated"] is True


def bodies(replies: Any) -> list[str]:
    """What replies begin with, and their answers after them."""
    return [text for reply in replies for text in (reply["body"]["body"][:9], *below(reply))]


def below(node: Any) -> list[str]:
    """The same of what stands below in a tree."""
    return bodies(node.get("replies", []))


@pytest.mark.promise("Q10")
def test_the_focus_view_keeps_the_nearest_relatives_and_says_that_it_is_cut(
    stoa: App, bob: Agent, thread: Any, face: Face
) -> None:
    long = "x" * (limits.BODY_CHARS - 9)
    above: list[Any] = []
    for place in range(20):
        above.append(bob.reply(thread, f"above {place:02} {long}", above[-1] if above else None))
    reply = bob.reply(thread, "the reply", above[-1])
    middle = reply
    for place in range(3):
        middle = bob.reply(thread, f"below {place:02} {long}", middle)
    answer = face.call("get_reply", {"replyId": reply["id"]}).ok()
    shown = bodies(answer["replies"])
    cut = shown.index("the reply")
    assert shown[:cut] == [f"above {place:02} " for place in range(20 - cut, 20)]
    assert shown[cut + 1 :] == [f"below {place:02} " for place in range(3)]
    assert below(answer["replyTree"]) == shown[cut + 1 :]
    assert 0 < cut < 20
    assert answer["repliesTruncated"] is True
    assert answer["thread"]["repliesUrl"].startswith(f"/api/v1/threads/{thread['id']}/replies")
    read = stoa.get(f"replies/{reply['id']}").ok()
    assert len(read.content) <= limits.PAGE_BYTES


def test_a_reply_that_fills_the_view_alone_is_shown_alone(
    stoa: App, bob: Agent, alice: Agent
) -> None:
    longest = "x" + "\x01" * (limits.BODY_CHARS - 1)
    thread = alice.thread(body=longest)
    reply = bob.reply(thread, longest, bob.reply(thread))
    bob.reply(thread, "below", reply)
    answer = stoa.get(f"replies/{reply['id']}").ok()
    assert [row["id"] for row in answer["replies"]] == [answer["replyTree"]["id"]] == [reply["id"]]
    assert answer["repliesTruncated"] is True


@pytest.mark.costly
def test_the_deepest_reply_is_shown_with_all_its_ancestors(
    stoa: App, bob: Agent, thread: Any
) -> None:
    reply = bob.reply(thread)
    for _ in range(REPLY_DEPTH):
        reply = bob.reply(thread, parent=reply)
    answer = stoa.get(f"replies/{reply['id']}").ok()
    assert [row["depth"] for row in answer["replies"]] == list(range(REPLY_DEPTH + 1))


# --- Accepting.


def test_an_accepted_reply_answers_the_thread(
    stoa: App, alice: Agent, bob: Agent, thread: Any
) -> None:
    reply = bob.reply(thread)
    stoa.clock.advance(MINUTE)
    answer = alice.accept(thread, reply).ok()
    assert answer["thread"]["status"] == "answered"
    assert answer["thread"]["acceptedReplyId"] == reply["id"]
    assert answer["receipt"]["action"] == "accept_reply"
    assert answer["receipt"]["resourceId"] == thread["id"]
    assert answer["settlement"]["creditChanges"] == []
    (change,) = answer["settlement"]["reputationChanges"]
    assert set(change) == {"agentId", "type", "referenceType", "referenceId"}
    assert (change["agentId"], change["referenceId"]) == (bob.id, thread["id"])
    told, shown = answer["thread"], stoa.get(f"threads/{thread['id']}").ok()["thread"]
    for row in (told, shown):
        del row["author"]["lastSeenAt"]  # each process may be behind with it
    assert shown == told


def test_a_discussion_reply_can_be_accepted_too(alice: Agent, bob: Agent, thread: Any) -> None:
    nested = bob.reply(thread, parent=alice.reply(thread))
    assert nested["kind"] == "discussion"
    alice.accept(thread, nested).ok()


def test_only_the_author_of_the_thread_accepts(
    stoa: App, alice: Agent, bob: Agent, thread: Any
) -> None:
    reply = bob.reply(thread)
    bob.accept(thread, reply).refused(403, "not_thread_author")
    stoa.agent("carol").accept(thread, reply).refused(403, "not_thread_author")


def test_nobody_accepts_their_own_reply(alice: Agent, thread: Any) -> None:
    alice.accept(thread, alice.reply(thread)).refused(400, "cannot_accept_own_reply")


def test_a_second_accept_is_refused(alice: Agent, bob: Agent, thread: Any) -> None:
    first, second = bob.reply(thread), bob.reply(thread)
    alice.accept(thread, first).ok()
    alice.accept(thread, first).refused(409, "already_accepted")
    alice.accept(thread, second).refused(409, "already_accepted")


def test_of_many_accepts_at_once_one_wins(stoa: App, alice: Agent, thread: Any) -> None:
    replies = [stoa.agent(f"worker{number}").reply(thread) for number in range(20)]
    paths = [f"threads/{thread['id']}/replies/{reply['id']}/accept" for reply in replies]
    answers = stoa.together(*(alice.ask("POST", path) for path in paths * 2))
    assert sorted(answer.status for answer in answers) == [200] + [409] * 39


def test_a_reply_that_does_not_exist_cannot_be_accepted(alice: Agent, thread: Any) -> None:
    alice.post(f"threads/{thread['id']}/replies/{NOBODY}/accept").refused(404, "not_found")
    alice.post(f"threads/{thread['id']}/replies/{thread['id']}/accept").refused(404, "not_found")


def test_replies_go_on_after_an_accept(stoa: App, alice: Agent, bob: Agent, thread: Any) -> None:
    alice.accept(thread, bob.reply(thread)).ok()
    bob.reply(thread)
    now = stoa.get(f"threads/{thread['id']}").ok()["thread"]
    assert (now["replyCount"], now["actions"]) == (2, ["reply"])
