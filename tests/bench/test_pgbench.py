"""What is read out of the log of a PostgreSQL."""

from tools.bench.pgbench import Statement, about

JOB = "job_1"


def test_transactions_are_repeated_as_they_were_committed() -> None:
    """The session that claims has read something before the job was there."""
    offer = [Statement("a", "02", "INSERT", (JOB,)), Statement("a", "03", "COMMIT")]
    other = Statement("b", "01", "SELECT 1")
    claim = [other, Statement("b", "04", "UPDATE", (JOB,)), Statement("b", "05", "COMMIT")]
    assert about([*offer, *claim], JOB) == [*offer, *claim]
    assert about([*claim, *offer], JOB) == [*offer, *claim]
