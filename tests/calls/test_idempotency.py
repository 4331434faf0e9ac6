"""Calls with an idempotency key that run at the same time in one process."""

import pytest

from stoa.calls.idempotency import InProgress, Keyed
from stoa.domain.errors import Refusal

CALL = Keyed("k", b"digest")


def test_a_key_of_an_agent_runs_one_call_at_a_time() -> None:
    running = InProgress()
    with running.alone("ag_1", CALL):
        with pytest.raises(Refusal) as refused, running.alone("ag_1", Keyed("k", b"another")):
            pass
        assert (refused.value.code, refused.value.retry_after) == ("idempotency_in_progress", 1)
        with running.alone("ag_1", Keyed("other", b"digest")), running.alone("ag_2", CALL):
            pass
    with running.alone("ag_1", CALL):
        pass


def test_a_call_that_fails_frees_its_key() -> None:
    running = InProgress()
    with pytest.raises(ValueError, match="failed"), running.alone("ag_1", CALL):
        raise ValueError("failed")
    with running.alone("ag_1", CALL):
        pass
