"""What clients were told of their jobs, held against what is kept of them."""

from dataclasses import dataclass, field

SCRIPTS: list[list[str]] = [
    ["claim", "submit", "accept"],
    ["claim", "submit", "reject", "submit", "accept"],
    ["claim", "submit", "reject", "submit", "reject"],
    ["claim"],
    [],
]
"""What may become of a job: the steps of its one client after the offer."""

EVENTS = {"claim": "claimed", "submit": "submitted", "accept": "accepted", "reject": "rejected"}


@dataclass
class Story:
    """A job, or the bounty of a thread, as its one client was told of it.

    `told` are the events that were acknowledged with their receipts; `open` is the step that was
    asked for and not answered, which may have happened or not.
    """

    creator: str
    mark: str
    id: str = ""
    told: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    open: str = "created"


Kept = dict[str, tuple[str, list[str]]]
"""The jobs by their marks as `(id, events)`."""


def problems(stories: list[Story], kept: Kept, receipts: set[str]) -> list[str]:
    """Where what is kept differs from what was told: every step that was acknowledged must be
    there in its order, and of those that were not at most the one that was asked for."""
    found = [f"{mark}: nobody asked for it" for mark in set(kept) - {s.mark for s in stories}]
    for story in stories:
        told = [event for event, _ in story.told]
        job_id, events = kept.get(story.mark, ("", []))
        possible = [told, [*told, story.open]] if story.open else [told]
        if events not in possible:
            found.append(f"{story.mark}: told {told}, asked {story.open!r}, there is {events}")
        if told and job_id != story.id:
            found.append(f"{story.mark}: told {story.id}, there is {job_id}")
        found += [
            f"{story.mark}: no {receipt}" for _, receipt in story.told if receipt not in receipts
        ]
    return found
