"""Amounts as raw JSON text: what is taken, and what is a 400 that moves nothing."""

from typing import Any

import pytest

from tests.paid.conftest import Shared
from tests.support.amounts import GOOD, NOT_NUMBERS, NOTHING, OUT_OF_BOUNDS, TOO_FINE
from tests.support.app import Agent, App
from tests.support.ledger import rows
from tests.support.soaking import fourth

pytestmark = pytest.mark.checks_input

NOT_JSON = [
    "NaN",
    "Infinity",
    "-Infinity",
    "nan",
    "9" * 5000,
    "-" + "9" * 5000,
    "1e99999999999999999999999999",
    "+5",
    "05",
    "5.",
    ".5",
    "0x5",
    "1_000",
    "５",
    "5,00",
    "1e",
    "--5",
    "",
]

FIELDS = {
    "bountyCredits": ("threads", '{{"title":"t","body":"b","bountyCredits":{}}}'),
    "bounty.credits": ("threads", '{{"title":"t","body":"b","bounty":{{"credits":{}}}}}'),
    "rewardCredits": ("jobs", '{{"title":"t","description":"d","rewardCredits":{}}}'),
    "reward.amount": ("jobs", '{{"title":"t","description":"d","reward":{{"amount":{}}}}}'),
}


def kept(app: App) -> list[Any]:
    """Everything that an amount may move or make."""
    tables = ("account", "posting", "hold", "job", "thread", "opportunity", "receipt")
    counts = (f"(SELECT count(*) FROM {table})" for table in tables)
    return rows(app, f"SELECT {', '.join(counts)}")


def _send(agent: Agent, field: str, text: str) -> Any:
    path, template = FIELDS[field]
    return agent.post(path, template.format(text).encode())


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("text", fourth(GOOD, 0))
def test_a_good_amount_is_reserved_to_the_hundredth(shared: Shared, text: str, field: str) -> None:
    ada = shared.agent("ada")
    answer = _send(ada, field, text).ok(201)
    made = answer["thread"] if "thread" in answer else answer["job"]
    assert made["reward"]["amount"] == GOOD[text]
    account = rows(shared.app, "SELECT balance FROM account WHERE id = 'agent:' || ?", ada.id)
    assert account == [(100_000_000 - round(GOOD[text] * 100),)]


@pytest.mark.parametrize("text", NOTHING)
def test_a_bounty_of_nothing_reserves_nothing(shared: Shared, text: str) -> None:
    ada = shared.agent("ada")
    thread = _send(ada, "bountyCredits", text).ok(201)["thread"]
    assert (thread["bountyCredits"], thread["reward"]["amount"], thread["bounty"]) == (0, 0, None)
    if text != "null":
        assert _send(ada, "bounty.credits", text).ok(201)["thread"]["bounty"] is None
    assert rows(shared.app, "SELECT 1 FROM hold WHERE agent_id = ?", ada.id) == []


BAD = [
    *((field, text) for field in FIELDS for text in (*OUT_OF_BOUNDS, *TOO_FINE, *NOT_NUMBERS)),
    *((field, text) for field in ("rewardCredits", "reward.amount") for text in NOTHING),
    ("bounty.credits", "null"),
]


@pytest.mark.promise("C4")
@pytest.mark.parametrize(("field", "text"), BAD)
def test_a_bad_amount_is_named_and_moves_nothing(shared: Shared, field: str, text: str) -> None:
    ada = shared.agent("ada")
    before = kept(shared.app)
    answer = _send(ada, field, text).refused(400, "invalid_request")
    assert len(answer["issues"]) == 1
    named = {"rewardCredits": "reward"} if text == "null" else {}
    assert set(answer.issues) == {named.get(field, field)}
    assert kept(shared.app) == before


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("text", fourth(NOT_JSON, 0))
def test_what_is_not_json_moves_nothing(shared: Shared, text: str, field: str) -> None:
    ada = shared.agent("ada")
    before = kept(shared.app)
    _send(ada, field, text).refused(400, "invalid_request")
    assert kept(shared.app) == before


PAIRS = [
    ("threads", '"bounty":{"credits":5},"bountyCredits":6', {"bountyCredits"}),
    ("threads", '"bounty":{"credits":0},"bountyCredits":6', {"bountyCredits"}),
    ("threads", '"bounty":{"credits":6},"bountyCredits":0', {"bountyCredits"}),
    ("threads", '"bounty":{"credits":5},"bountyCredits":5.001', {"bountyCredits"}),
    ("threads", '"bounty":{"credits":-5},"bountyCredits":-5', {"bounty.credits", "bountyCredits"}),
    ("threads", '"bounty":5', {"bounty"}),
    ("threads", '"bounty":{}', {"bounty.credits"}),
    ("threads", '"bountyCredits":5,"bountyCredits":5', {""}),
    ("jobs", '"reward":{"amount":5},"rewardCredits":6', {"rewardCredits"}),
    ("jobs", '"reward":{"amount":5,"asset":"USD"}', {"reward.asset"}),
    ("jobs", '"reward":{"amount":5,"asset":"forum_credit"}', {"reward.asset"}),
    ("jobs", '"reward":{"asset":"FORUM_CREDIT"}', {"reward.amount"}),
    ("jobs", '"rewardCredits":5,"asset":"USD"', {"asset"}),
    ("threads", '"bounty":{"credits":2,"asset":"USD"}', {"bounty.asset"}),
    ("threads", '"bountyCredits":2,"asset":"USD"', {"asset"}),
    ("threads", '"asset":"forum_credit"', {"asset"}),
    ("jobs", '"reward":5', {"reward"}),
    ("jobs", '"reward":null', {"reward"}),
    ("jobs", '"type":"research"', {"reward"}),
]


def _body(path: str, members: str) -> bytes:
    text = '"title":"t",' + ('"body":"b"' if path == "threads" else '"description":"d"')
    return f"{{{text},{members}}}".encode()


@pytest.mark.parametrize(("path", "members", "named"), PAIRS)
def test_amounts_that_differ_or_are_not_there_move_nothing(
    shared: Shared, path: str, members: str, named: set[str]
) -> None:
    ada = shared.agent("ada")
    before = kept(shared.app)
    assert set(ada.post(path, _body(path, members)).invalid().issues) == named
    assert kept(shared.app) == before


@pytest.mark.parametrize(
    ("path", "members"),
    [
        ("threads", '"bounty":{"credits":5},"bountyCredits":5.00'),
        ("threads", '"bounty":{"credits":5e0},"bountyCredits":5'),
        ("threads", '"bounty":null,"bountyCredits":5'),
        ("threads", '"bounty":{"credits":5},"bountyCredits":null'),
        ("jobs", '"reward":{"amount":5},"rewardCredits":5.0'),
        ("jobs", '"reward":{"amount":5,"asset":"FORUM_CREDIT"},"rewardCredits":null'),
        ("jobs", '"reward":null,"rewardCredits":5'),
        ("jobs", '"rewardCredits":5,"asset":"FORUM_CREDIT"'),
        ("threads", '"bounty":{"credits":5,"asset":"FORUM_CREDIT"},"asset":"FORUM_CREDIT"'),
    ],
)
def test_the_same_amount_may_be_given_twice(shared: Shared, path: str, members: str) -> None:
    answer = shared.agent("ada").post(path, _body(path, members)).ok(201)
    made = answer["thread"] if path == "threads" else answer["job"]
    assert made["reward"] == {"amount": 5, "asset": "FORUM_CREDIT"}


@pytest.mark.parametrize(
    "text", ["0", "0.01", "1", "5.00", "12.5", "1000000", "99999999", "", "1e2", "1e15"]
)
def test_the_least_reward_of_a_feed_is_any_amount(shared: Shared, text: str) -> None:
    shared.app.get(f"opportunities?minReward={text}").ok()


BAD_QUERY = [
    *("-1", "-0.01", "1.005", "0.001", "NaN", "Infinity", "five", "true", "null", "[]", "%20"),
    *("1_0", "0x5", "1,5", "--1", "%EF%BC%95", "1e400", "1e999999999", "9" * 30, "9" * 5000),
    *("1000000000000000.01", "99999999999999999", "92233720368547758.08", "1e17", "1e18", "1e20"),
]


@pytest.mark.parametrize("text", BAD_QUERY)
def test_other_least_rewards_are_refused(shared: Shared, text: str) -> None:
    shared.app.get(f"opportunities?minReward={text}").invalid("query.minReward")
