"""What the drill finds wrong with a reading of the log of events."""

import pytest

from tests.support.stories import Story
from tools.drill.log import Told, problems

CREATED = Told("ev_1", "job.created", "job_1")
CLAIMED = Told("ev_2", "job.claimed", "job_1")
OTHER = Told("ev_3", "agent.registered", "")
LOG = [CREATED, CLAIMED, OTHER]
STORY = Story("ag_1", "job 1", "job_1", [("created", "rc_1"), ("claimed", "rc_2")], "submitted")


def test_each_event_told_once_is_right() -> None:
    assert problems(LOG, LOG, [STORY]) == []


@pytest.mark.parametrize(
    ("told", "whole", "found"),
    [
        ([CREATED, OTHER], LOG, "event ev_2 was skipped"),
        ([*LOG, CLAIMED], LOG, "event ev_2 was told 2 times"),
        ([CLAIMED, CREATED, OTHER], LOG, "events were told in another order"),
        (LOG, [CREATED, CLAIMED], "event ev_3 is in the log no more"),
        ([CREATED, OTHER], [CREATED, OTHER], "no event job.claimed of job_1"),
    ],
)
def test_each_difference_is_told(told: list[Told], whole: list[Told], found: str) -> None:
    assert problems(told, whole, [STORY]) == [found]
