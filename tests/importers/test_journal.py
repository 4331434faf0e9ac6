"""The journal: the order of play, and what is left to do after an interruption."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stoa.importers import ImportStopped
from stoa.importers.journal import CHUNK, ImportStep, Journal, StepAction
from stoa.importers.posts_xml import Post

SERVER = "http://127.0.0.1:8080"


def _question(number: int, created: int, accepted: int | None = None) -> Post:
    return Post(number, 1, created, None, accepted, "user:1", "a", number * 10, 5)


def _answer(number: int, created: int, question: int | None) -> Post:
    return Post(number, 2, created, question, None, "user:2", "b", number * 10, 5)


def _names(steps: list[ImportStep]) -> list[str]:
    return [f"{step.action} {step.post}" for step in steps]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with Journal(path, SERVER) as opened:
        yield opened


def _run(
    path: Path,
    posts: list[Post],
    *,
    server: str = SERVER,
    act: Callable[[Journal, list[ImportStep]], None] = lambda _journal, _steps: None,
) -> list[ImportStep]:
    """One run over the posts: what was due, after `act` has done something about it."""
    with Journal(path, server) as journal:
        journal.plan(posts)
        steps = list(journal.pending())
        act(journal, steps)
    return steps


def _finish(journal: Journal, steps: list[ImportStep]) -> None:
    for step in steps:
        journal.finish(step, f"id-{step.action}-{step.post}")


POSTS = [_question(1, 100, accepted=3), _answer(2, 200, 1), _answer(3, 150, 1), _question(4, 120)]


def test_steps_are_in_time_order_with_the_accept_after_its_answer(journal: Journal):
    journal.plan(POSTS)
    steps = list(journal.pending())
    assert _names(steps) == ["thread 1", "thread 4", "reply 3", "accept 1", "reply 2"]
    assert journal.total == 5
    assert (steps[3].question, steps[3].answer, steps[3].author) == (1, 3, "user:1")
    assert (steps[2].start, steps[2].length) == (30, 5)


def test_an_answer_dated_before_its_question_comes_after_it(journal: Journal):
    journal.plan([_answer(1, 50, 2), _question(2, 100, accepted=1)])
    assert _names(list(journal.pending())) == ["thread 2", "reply 1", "accept 2"]


def test_steps_that_cannot_be_done_say_why(journal: Journal):
    journal.plan(
        [
            _question(1, 1, accepted=99),
            _question(2, 2, accepted=4),
            _answer(3, 3, 88),
            _answer(4, 4, 1),
            _answer(5, 5, 4),
            _answer(6, 6, None),
        ]
    )
    problems = {f"{step.action} {step.post}": step.problem for step in journal.pending()}
    assert problems == {
        "thread 1": None,
        "thread 2": None,
        "accept 1": "accepted answer missing",
        "reply 3": "answer whose question is missing",
        "reply 4": None,
        "accept 2": "accepted answer belongs to another question",
        "reply 5": "answer whose question is missing",
        "reply 6": "answer whose question is missing",
    }


def test_an_id_that_comes_twice_is_reported_and_played_once(journal: Journal):
    assert journal.plan([_question(1, 100), _answer(1, 200, 1), _question(2, 50)]) == [1]
    assert _names(list(journal.pending())) == ["thread 2", "thread 1"]


def test_what_is_finished_is_not_due_again(path: Path):
    _run(path, POSTS, act=lambda journal, steps: _finish(journal, steps[:4]))
    assert _names(_run(path, POSTS)) == ["reply 2"]


def test_the_journal_knows_what_became_of_a_post(journal: Journal):
    journal.plan(POSTS)
    _finish(journal, list(journal.pending())[:4])
    assert journal.remote(StepAction.THREAD, 1) == "id-thread-1"
    assert journal.remote(StepAction.REPLY, 2) is None
    assert journal.is_known(StepAction.REPLY, "id-reply-3")
    assert not journal.is_known(StepAction.THREAD, "id-reply-3")
    assert journal.done() == {StepAction.THREAD: 2, StepAction.REPLY: 1, StepAction.ACCEPT: 1}


def test_a_step_that_was_begun_and_not_finished_is_in_doubt(path: Path):
    posts = [_question(number, number) for number in range(1, CHUNK + 3)]
    with Journal(path, SERVER) as journal:
        journal.plan(posts)
        assert not next(journal.pending()).in_doubt
    assert [step.in_doubt for step in _run(path, posts)] == [True] * CHUNK + [False] * 2


def test_a_refusal_for_good_is_remembered(path: Path):
    code = "cannot_accept_own_reply"
    _run(path, POSTS, act=lambda journal, steps: journal.refuse(steps[3], code))
    assert [step.refusal for step in _run(path, POSTS)] == [None, None, None, code, None]


def test_another_server_starts_from_nothing(path: Path):
    _run(path, POSTS, act=_finish)
    assert len(_run(path, POSTS, server="http://elsewhere:8080")) == 5


def test_a_journal_of_another_file_is_refused(path: Path):
    _run(path, POSTS)
    with pytest.raises(ImportStopped, match="belongs to another file"):
        _run(path, [_question(1, 101)])


def test_a_journal_in_use_is_refused(journal: Journal):
    with pytest.raises(ImportStopped, match="another import is using"):
        Journal(journal.path, SERVER)


def test_a_file_that_is_no_journal_is_refused(path: Path):
    path.write_text("not a database, " * 100)
    with pytest.raises(ImportStopped, match="cannot use the journal"):
        Journal(path, SERVER)


def test_a_journal_that_cannot_be_made_is_refused_with_what_to_give():
    with pytest.raises(ImportStopped, match="give with --keys a key file in a folder where"):
        Journal(Path("/proc/self/journal"), SERVER)


def test_a_journal_in_which_nothing_was_begun_is_not_left_behind(path: Path):
    with Journal(path, SERVER) as journal:
        journal.plan(POSTS)
    assert list(path.parent.iterdir()) == []
