"""The clock follows the machine's, or the database's, but not over a step of more than a minute."""

import os
from collections.abc import Callable

import pytest

from tests.support.clock import DAY, HOUR, MINUTE, SECOND, Machine

TEN_DAYS = 10 * DAY


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.mark.parametrize("step", [TEN_DAYS, -TEN_DAYS, 61 * SECOND, -61 * SECOND])
def test_a_step_of_more_than_a_minute_is_not_followed(machine: Machine, step: int):
    clock = machine.clock()
    machine.step(step)
    machine.pass_time(HOUR)
    assert clock() == machine.true_ms
    assert (clock.step_ms(), clock.machine_step_ms()) == (step, step)


@pytest.mark.parametrize("step", [59 * SECOND, 40, -59 * SECOND])
def test_a_smaller_step_is_followed_and_time_never_goes_back(machine: Machine, step: int):
    clock = machine.clock()
    before = clock()
    machine.step(step)
    machine.pass_time(1)
    assert clock() == max(before, machine.machine_ms)
    assert clock.step_ms() == 0
    machine.pass_time(MINUTE)
    assert clock() == machine.machine_ms


@pytest.mark.parametrize("step", [TEN_DAYS, -TEN_DAYS])
def test_a_step_that_is_corrected_leaves_no_trace(machine: Machine, step: int):
    clock = machine.clock()
    machine.step(step)
    stepped = clock()
    machine.pass_time(MINUTE)
    machine.step(-step)
    assert clock() == stepped + MINUTE == machine.true_ms
    assert clock.step_ms() == 0


def test_the_clock_that_was_stepped_is_followed_after_a_new_start(machine: Machine):
    machine.clock()
    machine.step(TEN_DAYS)
    assert machine.clock()() == machine.machine_ms


def test_small_steps_do_not_add_up_to_a_large_one(machine: Machine):
    clock = machine.clock()
    for _ in range(10):
        machine.step(30 * SECOND)
        machine.pass_time(SECOND)
    assert clock() <= machine.true_ms + MINUTE
    assert clock.step_ms() > 0


def test_a_drift_is_followed_for_years(machine: Machine):
    clock = machine.clock()
    for _ in range(2 * 365):
        machine.pass_time(DAY)
        machine.step(20 * SECOND)  # a bad quartz, brought right every day
        assert clock() == machine.machine_ms
    assert clock.step_ms() == 0


def test_asking_often_does_not_hold_up_what_is_followed(machine: Machine):
    clock = machine.clock()
    for _ in range(40_000):
        machine.pass_time(50)
        clock()
    machine.step(30 * SECOND)
    for _ in range(40_000):
        machine.pass_time(50)
        clock()
    machine.step(30 * SECOND + 500)  # 1 s of the first one is no longer counted
    machine.pass_time(1)
    assert clock() == machine.machine_ms


# --- The database's clock.


def told(machine: Machine, database_ahead: int) -> tuple[int, int]:
    """What the database of this machine said, and when."""
    return 1000 * (machine.true_ms + database_ahead), machine.elapsed_us


@pytest.mark.parametrize("step", [TEN_DAYS, -TEN_DAYS, MINUTE - 1])
def test_the_machines_clock_does_not_count_where_the_databases_does(machine: Machine, step: int):
    clock = machine.clock()
    clock.follow(*told(machine, HOUR))
    machine.step(step)
    machine.pass_time(SECOND)
    assert clock() == machine.true_ms + HOUR


@pytest.mark.parametrize("step", [TEN_DAYS, -TEN_DAYS, 61 * SECOND])
def test_a_step_of_the_databases_clock_is_not_followed_either(machine: Machine, step: int):
    clock = machine.clock()
    assert clock.follow(*told(machine, HOUR)) == 0
    assert clock.follow(*told(machine, HOUR + step)) == step
    machine.pass_time(SECOND)
    assert clock() == machine.true_ms + HOUR
    assert clock.step_ms() == step
    assert clock.follow(*told(machine, HOUR)) == 0


def test_a_process_forked_after_the_step_keeps_the_time_of_the_others(machine: Machine):
    parent = machine.clock()
    first = in_a_fork(lambda: follow_and_tell(machine, HOUR))
    machine.step(TEN_DAYS)
    before = in_a_fork(lambda: parent.follow(*told(machine, HOUR)) or parent())
    after = in_a_fork(lambda: parent.follow(*told(machine, HOUR + TEN_DAYS)) and parent())
    assert first == before == after == machine.true_ms + HOUR


def test_a_process_that_is_not_forked_follows_the_database_as_it_is(machine: Machine):
    assert follow_and_tell(machine, TEN_DAYS) == machine.true_ms + TEN_DAYS


def follow_and_tell(machine: Machine, database_ahead: int) -> int:
    clock = machine.clock()
    clock.follow(*told(machine, database_ahead))
    return clock()


def in_a_fork(work: Callable[[], int]) -> int:
    """What this gives in a fork of this process."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.write(writing, b"%d" % work())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(pid, 0)
    with os.fdopen(reading, "rb") as answer:
        return int(answer.read())
