"""The result of an import: created, already there, skipped or changed, and why."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from stoa.importers.drafts import CHARACTERS_LEFT_OUT, PostDraft
from stoa.importers.journal import ImportStep, StepAction

NAMED_MAX = 50
"""Posts named per reason; the rest is counted."""

_WORDS = {
    StepAction.THREAD: "questions",
    StepAction.REPLY: "answers",
    StepAction.ACCEPT: "accepted answers",
}
_NAMES = {
    StepAction.THREAD: "questions",
    StepAction.REPLY: "answers",
    StepAction.ACCEPT: "acceptedAnswers",
}


class PostTally:
    """How often something happened, and to which posts, as far as they are worth naming; and to
    how many of their characters, where that is known."""

    def __init__(self) -> None:
        self.count = 0
        self.characters = 0
        self.posts: list[str] = []

    def add(self, post: str, characters: int = 0) -> None:
        """Count one more."""
        self.count += 1
        self.characters += characters
        if len(self.posts) < NAMED_MAX:
            self.posts.append(post)

    def described(self, reason: str) -> dict[str, Any]:
        """The same for programs."""
        told = {"reason": reason, "count": self.count, "posts": self.posts}
        return {**told, "characters": self.characters} if self.characters else told

    def __str__(self) -> str:
        more = self.count - len(self.posts)
        posts = f"post {', '.join(self.posts)}" + (f" and {more:,} more" if more else "")
        return f"{posts}; {self.characters:,} characters" if self.characters else posts


def _tallies() -> defaultdict[str, PostTally]:
    return defaultdict(PostTally)


@dataclass
class ImportSummary:
    """Counts of one run. `skipped` and `changed` go by reason; posts are named by their id."""

    created: Counter[StepAction] = field(default_factory=Counter[StepAction])
    already_there: Counter[StepAction] = field(default_factory=Counter[StepAction])
    other_types: Counter[int] = field(default_factory=Counter[int])
    skipped: defaultdict[str, PostTally] = field(default_factory=_tallies)
    changed: defaultdict[str, PostTally] = field(default_factory=_tallies)
    lost: str = ""
    """What of the posts is not kept."""

    def skip(self, reason: str, post: object) -> None:
        """A post or an accept was left out."""
        self.skipped[reason].add(str(post))

    def count(self, step: ImportStep, draft: PostDraft, *, is_new: bool) -> None:
        """A step is done, by this run or (found on the server) by an earlier one."""
        (self.created if is_new else self.already_there)[step.action] += 1
        for change in draft.changes:
            self.changed[change].add(str(step.post))
        if draft.left_out:
            self.changed[CHARACTERS_LEFT_OUT].add(str(step.post), draft.left_out)

    def lines(self) -> Iterator[str]:
        """The summary as a person reads it."""
        yield f"created: {_counts(self.created)}"
        if self.already_there.total():
            yield f"already there from an earlier run: {_counts(self.already_there)}"
        if self.other_types:
            types = ", ".join(f"{n:,} of type {t}" for t, n in sorted(self.other_types.items()))
            yield f"skipped {self.other_types.total():,}: unknown post type ({types})"
        for reason, tally in sorted(self.skipped.items()):
            yield f"skipped {tally.count:,}: {reason} ({tally})"
        for change, tally in sorted(self.changed.items()):
            yield f"changed {tally.count:,}: {change} ({tally})"
        if self.lost:
            yield f"not kept: {self.lost}"

    def described(self) -> dict[str, Any]:
        """The summary as programs read it."""
        types = {f"post type {kind}": count for kind, count in sorted(self.other_types.items())}
        return {
            "created": _by_name(self.created),
            "alreadyThere": _by_name(self.already_there),
            "unknown": types,
            "skipped": [tally.described(reason) for reason, tally in sorted(self.skipped.items())],
            "changed": [tally.described(reason) for reason, tally in sorted(self.changed.items())],
            "notKept": self.lost or None,
        }


def _by_name(counts: Counter[StepAction]) -> dict[str, int]:
    return {name: counts[action] for action, name in _NAMES.items()}


def _counts(counts: Counter[StepAction]) -> str:
    return ", ".join(f"{counts[action]:,} {word}" for action, word in _WORDS.items())
