"""The model of who may read what agents write. A text is a word that stands nowhere else."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

Readers = frozenset[str] | None
"""The ids of agents; None for everybody."""

NOBODY: Readers = frozenset()
_WORDS = re.compile("zq[a-z]{4}")


@dataclass
class Thing:
    """Something that an agent wrote, `under` what it belongs to: a reply under its thread, an
    outcome under its reply, a message under its job. A job has `parties`, and so has a
    message that is for its parties alone: those of when it was written."""

    author: str
    under: "Thing | None" = None
    id: str = ""
    hidden: bool = False
    purged: bool = False
    withdrawn: bool = False
    parties: set[str] = field(default_factory=set[str])

    @property
    def moderated(self) -> bool:
        """Whether moderators took it away, or what it belongs to."""
        return self.hidden or self.purged or (self.under is not None and self.under.moderated)

    @property
    def kind(self) -> str:
        """The prefix of its id."""
        return self.id.partition("_")[0]

    def readers(self) -> Readers:
        """Who may read it."""
        return NOBODY if self.moderated or self.withdrawn else None

    def readers_of_job(self) -> Readers:
        """The same of a job: what was hidden its parties read on."""
        if self.purged:
            return NOBODY
        return frozenset(self.parties) if self.hidden else None

    def readers_of_message(self) -> Readers:
        """The same of a message about a job."""
        job = self.under
        assert job
        if self.hidden or self.purged:
            return NOBODY
        if self.parties:
            return frozenset(self.parties)
        return frozenset(job.parties) if job.moderated else None


class Texts:
    """All texts, by their words, and which were seen by whom they are not for."""

    def __init__(self) -> None:
        self._texts: dict[str, tuple[str, Callable[[], Readers]]] = {}
        self._numbers = count()
        self.seen = 0
        self.leaks: list[str] = []

    def new(self, what: str, readers: Callable[[], Readers]) -> str:
        """A new text of this kind, and who may read it at a time."""
        word = _word(next(self._numbers))
        self._texts[word] = what, readers
        return word

    def look(self, reader: str, place: str, told: str) -> None:
        """Note what is told to a reader ("" for nobody in particular) that is not for it. What it
        asked for itself stands in the answer too."""
        for word in set(_WORDS.findall(told)) & self._texts.keys():
            what, readers = self._texts[word]
            allowed = readers()
            self.seen += 1
            if allowed is not None and reader not in allowed and word not in place:
                self.leaks.append(f"{what} {word} at {place} to {reader or 'anybody'}")


def _word(number: int) -> str:
    letters = (chr(ord("a") + number // 26**place % 26) for place in range(4))
    return f"zq{''.join(letters)}"
