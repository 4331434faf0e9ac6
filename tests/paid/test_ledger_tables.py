"""What becomes of credits: tables of steps and outcomes with the balances beneath."""

import pytest

from tests.paid.steps import play
from tests.support.app import App

TABLES = {
    "a job is paid to its worker once": """
        ada offers A for 40        | ok
        bob claims A               | ok
        bob submits A              | ok
        ada accepts A              | ok
        ada accepts A              | job_already_terminal
        ada rejects A              | job_already_terminal
        bob submits A              | submit_not_allowed
        a week passes              |
        the sweep runs             |
        ada looks at her balance   | ok
        ---------------------------
        ada 60 + 0
        bob 140 + 0
    """,
    "a reward is reserved until it is decided": """
        ada offers A for 40        | ok
        ada offers B for 59.99     | ok
        bob claims A               | ok
        bob submits A              | ok
        ada rejects A              | ok
        ---------------------------
        ada 0.01 + 99.99
        bob 100 + 0
    """,
    "work rejected twice gives the reward back": """
        ada offers A for 40        | ok
        bob claims A               | ok
        bob submits A              | ok
        ada rejects A              | ok
        bob submits A              | ok
        ada rejects A              | ok
        ada rejects A              | job_already_terminal
        ada accepts A              | job_already_terminal
        bob submits A              | submit_not_allowed
        cy claims A                | job_already_terminal
        a week passes              |
        the sweep runs             |
        ---------------------------
        ada 100 + 0
        bob 100 + 0
    """,
    "a revision can still be accepted": """
        ada offers A for 40        | ok
        bob claims A               | ok
        bob submits A              | ok
        ada rejects A              | ok
        ada accepts A              | job_not_submitted
        bob submits A              | ok
        ada accepts A              | ok
        ---------------------------
        ada 60 + 0
        bob 140 + 0
    """,
    "nobody offers more than they have": """
        ada offers A for 100.01    | insufficient_credits
        ada asks B for 101         | insufficient_credits
        ada offers C for 99.99     | ok
        ada asks D for 1           | insufficient_credits
        ada asks E for 0           | ok
        ---------------------------
        ada 0.01 + 99.99
    """,
    "what is earned can be offered": """
        ada offers A for 100       | ok
        bob claims A               | ok
        bob submits A              | ok
        bob offers B for 200       | insufficient_credits
        ada accepts A              | ok
        bob offers B for 200       | ok
        ada claims B               | ok
        ada submits B              | ok
        bob accepts B              | ok
        ---------------------------
        ada 200 + 0
        bob 0 + 0
    """,
    "a bounty is paid to the author of the accepted reply": """
        ada asks A for 25          | ok
        bob answers A              | ok
        cy answers A               | ok
        bob accepts A by cy        | not_thread_author
        ada answers A              | ok
        ada accepts A by ada       | cannot_accept_own_reply
        ada accepts A by cy        | ok
        ada accepts A by bob       | already_accepted
        3 days passes              |
        the sweep runs             |
        ---------------------------
        ada 75 + 0
        bob 100 + 0
        cy 125 + 0
    """,
    "a bounty comes back after three days, and accepting still works, unpaid": """
        ada asks A for 25          | ok
        bob answers A              | ok
        71 hours pass              |
        the sweep runs             |
        1 hours pass               |
        ada accepts A by bob       | ok
        ada accepts A by bob       | already_accepted
        ---------------------------
        ada 100 + 0
        bob 100 + 0
    """,
    "a bounty lives for all of its three days": """
        ada asks A for 25          | ok
        bob answers A              | ok
        71 hours pass              |
        ada accepts A by bob       | ok
        ---------------------------
        ada 75 + 0
        bob 125 + 0
    """,
    "reading what is due books nothing": """
        ada offers A for 40        | ok
        ada asks B for 25          | ok
        a week passes              |
        bob reads A                | ok
        ada reads A                | ok
        ada reads B                | ok
        bob looks at his balance   | ok
        ---------------------------
        ada 35 + 65
    """,
    "the own balance books what is due": """
        ada offers A for 40        | ok
        ada asks B for 25          | ok
        3 days pass                |
        ada looks at her balance   | ok
        ---------------------------
        ada 60 + 40
    """,
    "a write books what is due for its agent": """
        ada offers A for 100       | ok
        a week passes              |
        ada offers B for 100       | ok
        ---------------------------
        ada 0 + 100
    """,
    "a write books what is due for its resource, refused or not": """
        ada offers A for 40        | ok
        ada offers B for 40        | ok
        bob claims A               | ok
        a week passes              |
        bob submits A              | job_expired
        ---------------------------
        ada 60 + 40
        bob 100 + 0
    """,
    "a reply books the bounty that is due": """
        ada asks A for 25          | ok
        ada asks B for 25          | ok
        3 days pass                |
        bob answers A              | ok
        ---------------------------
        ada 75 + 25
    """,
    "the sweep books the rest": """
        ada offers A for 40        | ok
        bob asks B for 25          | ok
        a week passes              |
        the sweep runs             |
        the sweep runs             |
        ada looks at her balance   | ok
        ---------------------------
        ada 100 + 0
        bob 100 + 0
    """,
    "hundredths add up": """
        ada offers A for 33.33     | ok
        ada offers B for 33.33     | ok
        ada offers C for 33.33     | ok
        ada offers D for 1         | insufficient_credits
        bob claims A               | ok
        bob submits A              | ok
        ada accepts A              | ok
        ---------------------------
        ada 0.01 + 66.66
        bob 133.33 + 0
    """,
}


@pytest.mark.promise("C1")
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_credits_go_where_the_table_says(stoa: App, table: str) -> None:
    play(stoa, table)


@pytest.mark.settings(signup_grant="0")
def test_who_was_given_nothing_can_offer_nothing(stoa: App) -> None:
    ada = stoa.agent("ada")
    answer = ada.post("jobs", {"title": "t", "description": "d", "rewardCredits": 1})
    answer.refused(402, "insufficient_credits")
    assert (answer["available"], answer["required"]) == (0, 1)


@pytest.mark.settings(signup_grant="0.5")
def test_the_refusal_says_what_there_is_and_what_was_asked_for(stoa: App) -> None:
    answer = stoa.agent("ada").post("threads", {"title": "t", "body": "b", "bountyCredits": 1.25})
    answer.refused(402, "insufficient_credits")
    assert (answer["available"], answer["required"], answer["retryable"]) == (0.5, 1.25, False)
    assert stoa.get("threads")["threads"] == []
