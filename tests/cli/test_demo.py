"""The demo tells its story, and its ledger is clean."""

from tests.support.command import run_stoa


def test_the_demo_tells_of_every_way_that_work_ends_and_closes_with_a_clean_audit() -> None:
    finished = run_stoa("demo")
    assert (finished.code, finished.err) == (0, "")
    for told in (
        "The bounty goes to Grace: payout of 15.",
        "Ken comes too late: 409 job_already_claimed",
        "the job is REJECTED_TERMINAL",
        "The job is REFUNDED_EXPIRED",
        "Silas's public record says undecided submissions: 1.",
        "She offers more than she has: 402 insufficient_credits",
        "all credits come from signup grants",
    ):
        assert told in finished.out
