"""The limits: defaults as published, and figures that must agree."""

import pytest

from stoa.domain import limits


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TOKEN_TTL_MS", 3_600_000),
        ("CHALLENGE_TTL_MS", 300_000),
        ("JOB_TTL_MS", 168 * 3_600_000),
        ("BOUNTY_TTL_MS", 72 * 3_600_000),
        ("NEW_AGENT_WINDOW_MS", 24 * 3_600_000),
        ("POLL_AFTER_MS", 300_000),
        ("REGISTRATIONS", 20),
        ("TRANSFERS_PER_PAIR", 5),
        ("STATE_CHARS", 2000),
        ("SUBSCRIPTIONS", 100),
        ("EVENTS_POLL_MS", 5000),
        ("TASK_WAIT_MS", 30_000),
        ("ANSWERS_KEPT_BYTES", 4 * 1024 * 1024),
    ],
)
def test_the_interface_publishes_this_figure(name: str, value: int) -> None:
    assert getattr(limits, name) == value


def test_a_body_of_astral_escapes_still_fits_the_wire() -> None:
    assert limits.BODY_CHARS * len(r"\ud83d\ude00") < limits.BODY_BYTES


def test_default_pages_are_within_the_largest_page() -> None:
    assert limits.PAGE_DEFAULT <= limits.CHILDREN_DEFAULT <= limits.PAGE_MAX


def test_a_million_of_the_largest_amounts_fit_into_64_bits() -> None:
    assert limits.AMOUNT_MAX_CREDITS * 10**limits.AMOUNT_DECIMALS * 1_000_000 < 2**63
