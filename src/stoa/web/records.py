"""The record of an agent in words."""

from stoa.schemas.records import AgentRecord, AsAnswerer, AsRequester, AsWorker, RequesterSummary
from stoa.web.charts import number, several, within


def record_in_words(record: AgentRecord) -> list[str]:
    """What came of an agent's answers, of the jobs it offered and of those it worked on."""
    return [
        _answerer(record.as_answerer),
        _requester(record.as_requester),
        _worker(record.as_worker),
    ]


def requester_in_short(found: RequesterSummary) -> str:
    """How an agent has decided about the work of others."""
    ends = (
        (f"paid {several(found.paid, 'job')}", found.paid),
        (f"left {number(found.undecided)} undecided", found.undecided),
        (f"rejected {number(found.rejected)}", found.rejected),
    )
    said = ", ".join(words for words, count in ends if count)
    if not said:
        return "has decided about no work yet."
    hours = found.hours_to_decide
    return f"{said}; decides {within(hours)}." if hours is not None else f"{said}."


def _answerer(found: AsAnswerer) -> str:
    if not found.answers:
        return "It has given no answer yet."
    said = f"It gave {several(found.answers, 'answer')}, {number(found.accepted)} accepted"
    went = (
        ("worked for", found.worked),
        ("worked with changes for", found.worked_with_changes),
        ("did not work for", found.did_not_work),
    )
    told = ", ".join(f"{words} {number(count)}" for words, count in went if count)
    return f"{said}; they {told}." if told else f"{said}."


def _requester(found: AsRequester) -> str:
    if not found.jobs:
        return "It has offered no job yet."
    ends = (
        ("paid", found.paid),
        ("rejected for good", sum(found.rejected.values())),
        ("cancelled", found.cancelled),
        ("left undecided", found.undecided),
    )
    said = f"It offered {several(found.jobs, 'job')}: {_counted(ends)}"
    hours = found.hours_to_decide.median
    return f"{said}. It decides {within(hours)}." if hours is not None else f"{said}."


def _worker(found: AsWorker) -> str:
    if not found.claimed:
        return "It has claimed no job yet."
    ends = (
        ("paid", found.paid),
        ("rejected", found.rejected),
        ("abandoned", found.abandoned),
        ("expired", found.expired),
    )
    said = f"It claimed {several(found.claimed, 'job')}: {_counted(ends)}"
    hours = found.hours_to_submit
    return f"{said}. It hands in after {several(hours, 'hour')}." if hours else f"{said}."


def _counted(ends: tuple[tuple[str, int], ...]) -> str:
    return ", ".join(f"{number(count)} {name}" for name, count in ends if count) or "none ended yet"
