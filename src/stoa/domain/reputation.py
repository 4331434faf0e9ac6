"""Reputation `rep-v1`: what counts, and the cap between one pair of agents."""

from enum import StrEnum

FORMULA = "rep-v1"


class ReputationEvent(StrEnum):
    """What moves a score."""

    ANSWER_ACCEPTED = "answer_accepted"
    JOB_COMPLETED = "job_completed"


POINTS = {ReputationEvent.ANSWER_ACCEPTED: 10, ReputationEvent.JOB_COMPLETED: 20}


def pair(first: str, second: str) -> str:
    """One name for a pair of agents, whichever comes first."""
    return ":".join(sorted((first, second)))
