"""The search language: words, "phrases" and -not, read into a query that names no engine."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple

from stoa.domain.limits import QUERY_CHARS, SEARCH_FORMS, SEARCH_TERMS
from stoa.domain.wordforms import other_forms
from stoa.domain.words import WordRun, as_written, is_unspaced, runs, says_little

Phrase = tuple[str, ...]
"""Words that must stand next to each other in this order; one word is a phrase too."""


@dataclass(frozen=True)
class Query:
    """What a search looks for (`include`) and what no result may hold (`exclude`).

    What was `quoted` must be found; of the rest the more the better. Of what stood between two
    blanks in a script without blanks between words, `pairs` has those of `include` that are pairs
    of a longer run. The words are those of `stoa.domain.words`; the ranking is a matter of the
    engine. What follows from them is made once.
    """

    include: tuple[Phrase, ...] = ()
    exclude: tuple[Phrase, ...] = ()
    quoted: frozenset[Phrase] = frozenset()
    pairs: tuple[tuple[Phrase, ...], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Nothing to search for, no word at all: the caller lists by recent, and says so."""
        return not self.include

    @cached_property
    def in_runs(self) -> frozenset[Phrase]:
        """The pairs of all runs."""
        return frozenset(chain.from_iterable(self.pairs))

    @cached_property
    def forms(self) -> dict[Phrase, tuple[str, ...]]:
        """The other forms of words that are looked for, as an index has them.

        Only in a query without quotes, and only of the first `SEARCH_FORMS` words that stand alone,
        or fewer: with the phrases they are no more than a query may have words.
        """
        if self.quoted:
            return {}
        alone = ((phrase, other_forms(phrase[0])) for phrase in self.include if not phrase[1:])
        found = [(phrase, others) for phrase, others in alone if others]
        return dict(found[: min(SEARCH_FORMS, SEARCH_TERMS - len(self.include))])

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The words a result was found by, each once, as a text has them; of runs without blanks
        their pairs."""
        included = (
            word
            for phrase in self.include
            for word in phrase
            if not (phrase[1:] and len(word) == 1 and is_unspaced(word))
        )
        return tuple(dict.fromkeys(map(as_written, included)))

    @cached_property
    def other_terms(self) -> frozenset[str]:
        """The other forms of these words that a result may have been found by."""
        return frozenset(form for others in self.forms.values() for form in others)


_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»‹›「」『』﹁﹂﹃﹄｢｣〈〉《》〝〞〟＂❝❞", '"'))
_SINGLE = "'‘’‚‛❛❜＇"
_SINGLE_QUOTED = re.compile(
    rf"(?<!\w)[{_SINGLE}](?=\S)(?![!-&(-~]+[{_SINGLE}])"
    rf"([^{_SINGLE}\"]*[^\s{_SINGLE}])[{_SINGLE}](?!\w)"
)
"""A single quote in a word is an apostrophe, and those around one ASCII word are of a message that
names something: another thread about `KeyError: 'name'` has another name there."""
_PIECE = re.compile(r'(?P<minus>-?)"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+)')

_ONE_WORD = 3
"""A run of at most so many characters, without blanks between words, is looked for as one word."""
_EVERY_PAIR = 16
"""Of a run with more pairs every second is looked for, which has each character still."""


@lru_cache(maxsize=1024)  # each request reads its own several times
def parse(text: str) -> Query:
    """Read a search text: words and "phrases" to look for, with a - in front to leave out.

    Any common quotation marks make a phrase. Options of commands, as in `rebase -i` and `push
    --force`, are looked for: in front of a word of one or two letters that most texts have a - says
    nothing, nor do two. No other character has a meaning but as `stoa.domain.words` reads it: `a-b`
    is looked for as a and b side by side. A quote that is not closed reaches to the end. ValueError
    for more than 1000 characters or 32 words, and when there is only something to leave out; no
    other text is refused.
    """
    if len(text) > QUERY_CHARS:
        raise ValueError(
            f"Must have at most {QUERY_CHARS} characters, not {len(text)}: shorten it."
        )
    include: dict[Phrase, None] = {}
    exclude: dict[Phrase, None] = {}
    quoted: set[Phrase] = set()
    pairs: list[tuple[Phrase, ...]] = []
    for piece in _PIECE.finditer(_SINGLE_QUOTED.sub(r'"\1"', text).translate(_QUOTES)):
        word = piece["word"] or ""
        found = [*runs(word or piece["phrase"])]
        if not found:
            continue
        if piece["minus"] or _leaves_out(word, found):
            exclude[_exactly(found, whole=not word)] = None
        elif word:
            include |= dict.fromkeys(_phrases(found))
            longer = (run.plain for run in found if run.unspaced and _is_long(run.plain))
            if some := dict.fromkeys(chain.from_iterable(map(_unspaced, longer))):
                pairs.append(tuple(some))
        else:
            phrase = _exactly(found, whole=True)
            include[phrase] = None
            quoted.add(phrase)
    if exclude and not include:
        raise ValueError("Must not only say what to leave out: add a word to search for.")
    count = sum(map(len, (*include, *exclude)))
    if count > SEARCH_TERMS:
        raise ValueError(f"Must have at most {SEARCH_TERMS} words, not {count}: leave some out.")
    return Query(tuple(include), tuple(exclude), frozenset(quoted), tuple(pairs))


_SHORT = 2
"""Letters of an option, at most, that is taken for one where most texts have it as a word."""


def _leaves_out(word: str, found: Sequence[WordRun]) -> bool:
    first, *_ = found[0].words
    is_option = word.startswith("--") or (len(first) <= _SHORT and says_little(first))
    return word.startswith("-") and not is_option


def _phrases(found: Iterable[WordRun]) -> Iterator[Phrase]:
    """What one piece of a query looks for: its words side by side. A word with signs is looked for
    beside its letters, so that texts that have it come first."""
    beside: list[str] = []
    for run in found:
        if not run.unspaced:
            beside += run.plain
        if beside and (run.unspaced or run.signed):
            yield tuple(beside)
            beside = []
        if run.unspaced:
            yield from _unspaced(run.plain)
        elif run.signed:
            yield (run.signed,)
    if beside:
        yield tuple(beside)


def _is_long(plain: Phrase) -> bool:
    """Whether a run without blanks between its words may be several words."""
    return len(plain[1::2]) >= _ONE_WORD


def _unspaced(plain: Phrase) -> Iterator[Phrase]:
    """What is looked for of a run that has no blanks between its words: a short one as a whole, and
    of others their pairs, of which a text with the same words in another order has some too."""
    pairs = plain[1::2]
    if not _is_long(plain):
        yield plain[1:-1] or plain
    elif len(pairs) <= _EVERY_PAIR:
        yield from zip(pairs)
    else:
        yield from zip((*pairs[::2], *pairs[-1:]))


def _exactly(found: list[WordRun], *, whole: bool) -> Phrase:
    """All words of a piece side by side, as any text has them, also within a longer run. Without
    signs a word with them is left out only where it is `whole`."""
    if not whole and len(found) == 1 and found[0].signed:
        return (found[0].signed,)
    words = [word for run in found for word in run.words]
    first, last = (run.unspaced and len(run.plain) > 1 for run in (found[0], found[-1]))
    return tuple(words[first : len(words) - last])


class Weights(NamedTuple):
    """How often a word counts in a text that has it as it was written or in another form only; and
    how often more where the title has it, as written or in another form only."""

    written: int
    written_in_title: int
    other: int
    other_in_title: int


_OF_ONE, _OF_SEVERAL = Weights(4, 12, 2, 1), Weights(4, 12, 3, 9)


def weights(query: Query) -> Weights:
    """Of a single word any text that has it as written comes before all with other forms of it. Of
    several words each counts three quarters in another form, wherever it stands."""
    return _OF_SEVERAL if query.include[1:] else _OF_ONE
