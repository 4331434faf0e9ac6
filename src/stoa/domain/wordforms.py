"""Forms of English words, such as hop, hops, hopped and hopping, by rules and one short table.

A search looks for them beside the word as it was written, so that no index has to know of them.
Rules err to the side of forms that do not exist, which no text has.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

LONGEST = 24
"""Letters of a word; longer ones are names, keys and the like."""

# The pasts of verbs, the plurals of nouns and the nouns made of a verb that no rule leads to. What
# can be another word just as well (left, saw, found) stays out.
_VERBS = """
become became|begin began begun beginning|bend bent|blow blew blown|break broke broken|breed bred
bring brought|build built|burn burnt burned|buy bought|catch caught|choose chose chosen|come came
deal dealt|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen
feed fed|fight fought|fly flew flown|forbid forbade forbidden|forget forgot forgotten
freeze froze frozen|get got gotten|give gave given|go goes went gone|grow grew grown|hang hung
hear heard|hide hid hidden|hold held|keep kept|know knew known|lead led|learn learnt learned
lend lent|lose lost|make made|meet met|pay paid payment|ride rode ridden|ring rang rung
rise rose risen|run ran|say said|see seen|sell sold|send sent|shake shook shaken|shoot shot
show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sleep slept|smell smelt smelled
speak spoke spoken|spend spent|spin spun|spoil spoilt spoiled|stand stood|steal stole stolen
stick stuck|strike struck|swim swam swum|swing swung|take took taken|teach taught|tell told
think thought|throw threw thrown|understand understood|wear wore worn|win won
withdraw withdrew withdrawn|write wrote written
"""
_PLURALS = """
analysis analyses|axis axes|calf calves|child children|crisis crises|criterion criteria|foot feet
goose geese|half halves|hypothesis hypotheses|index indices|knife knives|leaf leaves|life lives
loaf loaves|man men|matrix matrices|mouse mice|person people|shelf shelves|thesis theses
thief thieves|tooth teeth|vertex vertices|wife wives|wolf wolves|woman women
"""
_NOUNS = """
adapt adaptation|adjust adjustment|administer administration|agree agreement|apply application
cancel cancellation|combine combination|compile compilation|configure configuration
confirm confirmation|consult consultation|consume consumption|declare declaration|define definition
deploy deployment|describe description|develop development|document documentation|expand expansion
expect expectation|explain explanation|explore exploration|extend extension|ferment fermentation
filter filtration|implement implementation|improve improvement|install installation
interpret interpretation|limit limitation|manage management|measure measurement
multiply multiplication|observe observation|prepare preparation|present presentation
produce production|recommend recommendation|reduce reduction|register registration
replace replacement|represent representation|require requirement|reserve reservation
resolve resolution|restore restoration|solve solution|subscribe subscription
transform transformation|treat treatment
"""
# Words that have no other form, or none that is worth looking for, and those that a rule would take
# for a form of another.
_WITHOUT_FORMS = """
about after again all also always and any anything are because been before being besides between
but can could did does doing during each else even evening ever everything for from had has have
her here hers him his how into its itself just less lens many may mission more most much must need
news not nothing off once one only other others our over own passion perhaps physics plus portion
question same section series several shall she should since some something sometimes species such
than that the their them then there these they thing this those thus too under unless until upon us
use versus version very was were what when where which while who whom whose why will with would yes
yet you your yours
"""
_ALONE = frozenset(_WITHOUT_FORMS.split())

_LETTERS = re.compile(f"[a-z]{{3,{LONGEST}}}")
_PLURAL_IN_ES = re.compile(r".*(?:[sxzo]|ch|sh)es")
_PLURAL = re.compile(r".{2,}[^siu]s|..[iu]s")
# One syllable that ends in a vowel and a consonant: hop, but neither boil, brew nor fix.
_SHORT = re.compile(r"[^aeiou]*[aeiouy][^aeiouwxy]|qu[aeiou][^aeiouwxy]")
_MAYBE_DOUBLED = re.compile(r".*[aeiouy].*[^aeiou][aeiou][lmprt]")
_DOUBLED = re.compile(r".+[aeiouy]([bdgklmnprtv])\1")
# What a verb ends in that has no e behind it, and what it ends in that has one.
_WITHOUT_E = re.compile(
    r".*(?:[wxy]|[aeiou][aeiou][dklmnprt]|er|en|ion|ck|ll|ss|zz|sh|[npclr]t|[lr]d|[lnrs]k)"
)
_WITH_E = re.compile(r".*(?:[uv]|[^z]z|[^aeo]at|creat|dg|[bcdfgkpstz]l)")


@lru_cache(maxsize=4096)
def other_forms(word: str) -> tuple[str, ...]:
    """The forms of a word other than itself, of which some may not exist; none unless it looks
    English. The word has to be in lower case and without accents."""
    if word in _ALONE or not _LETTERS.fullmatch(word):
        return ()
    forms = chain.from_iterable(_TABLE.get(base) or _inflected(base) for base in _bases(word))
    return tuple(dict.fromkeys(form for form in forms if form != word and form not in _ALONE))


@lru_cache(maxsize=4096)
def base(word: str) -> str:
    """The shortest word that this may be a form of, the same of hops, hopping and hopped. It has no
    e after s, x, z, ch, sh and o: a plural in -es does not say whether there is one."""
    if word in _ALONE or not _LETTERS.fullmatch(word):
        return word
    found = min(_bases(word), key=len)
    return found[:-1] if _PLURAL_IN_ES.fullmatch(found + "s") else found


def _bases(word: str) -> Iterator[str]:
    """The words that this one may be a form of."""
    if word in _IN_TABLE:
        yield _IN_TABLE[word]
        # Leaves are of leaf and of leave.
        if word.endswith("ves"):
            yield word[:-1]
    elif word.endswith(("ied", "ies")):
        yield word[:-1]
        if len(word) > 4:
            yield word[:-3] + "y"
    elif word.endswith("eed"):
        yield word[:-1] if len(word) > 5 else word
    elif word.endswith("ed") and _is_stem(word[:-2]):
        yield from _verbs(word[:-2])
    elif _PLURAL_IN_ES.fullmatch(word):
        yield word[:-2]
        yield word[:-1]
    elif _PLURAL.fullmatch(word):
        yield from _bases(word[:-1])
    else:
        yield word
        yield from _verbs_of(word)


def _verbs_of(noun: str) -> Iterator[str]:
    """The verbs that a noun in -ing or -ion may be made of."""
    if noun.endswith("ing") and _is_stem(noun[:-3]):
        yield from _verbs(noun[:-3])
    elif noun.endswith("ification"):
        yield noun[:-7] + "y"
    elif noun.endswith(("ization", "isation")):
        yield noun[:-5] + "e"
    elif noun.endswith(("ation", "ution")) and len(noun) > 7:
        yield noun[:-3] + "e"
    elif noun.endswith(("ction", "pression", "cussion")):
        yield noun[:-3]


def _is_stem(rest: str) -> bool:
    """Whether a word may have lost -ing or -ed: not so king and red."""
    return len(rest) > 1 and any(letter in "aeiouy" for letter in rest)


def _verbs(stem: str) -> Iterator[str]:
    """The verbs of which -ed and -ing leave this."""
    if _DOUBLED.fullmatch(stem):
        if stem[-1] != "l" or not _SHORT.fullmatch(stem[:-1]):
            yield stem[:-1]
        if stem[-1] == "l":
            yield stem
    elif _SHORT.fullmatch(stem) or _WITH_E.fullmatch(stem):
        yield stem + "e"
    else:
        yield stem
        if len(stem) == 2 and stem[1] == "y":
            yield stem[0] + "ie"
        elif not _WITHOUT_E.fullmatch(stem):
            yield stem + "e"


def _inflected(base: str) -> tuple[str, ...]:
    """A word with its regular forms, as a noun and as a verb."""
    if not _is_stem(base) or (base.endswith("ing") and _is_stem(base[:-3])):
        return base, _plural(base)
    nouns = tuple(_nouns(base))
    return (base, _plural(base), *_past_and_ing(base), *nouns, *map(_plural, nouns))


def _plural(base: str) -> str:
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _past_and_ing(base: str) -> tuple[str, ...]:
    if base.endswith("ie"):
        return base + "d", base[:-2] + "ying"
    if base.endswith(("ee", "oe", "ye")):
        return base + "d", base + "ing"
    if base.endswith("e"):
        return base + "d", base[:-1] + "ing"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied", base + "ing"
    if _SHORT.fullmatch(base):
        return base + base[-1] + "ed", base + base[-1] + "ing"
    stems = (base, base + base[-1]) if _MAYBE_DOUBLED.fullmatch(base) else (base,)
    return tuple(stem + ending for stem in stems for ending in ("ed", "ing"))


def _nouns(verb: str) -> Iterator[str]:
    """The nouns in -ion of a verb that has one by its ending."""
    if verb.endswith(("ate", "ute")) and len(verb) > 5:
        yield verb[:-1] + "ion"
    elif verb.endswith("ify"):
        yield verb[:-1] + "ication"
    elif verb.endswith(("ize", "ise")) and len(verb) > 5:
        yield verb[:-1] + "ation"
    elif verb.endswith(("ct", "press", "cuss")):
        yield verb + "ion"


def _table() -> Iterator[tuple[str, tuple[str, ...]]]:
    """The first word of each line of the table with all forms of it."""
    for lines in (_VERBS, _PLURALS, _NOUNS):
        for line in lines.strip().replace("\n", "|").split("|"):
            base, *others = line.split()
            regular = [
                form for form in _inflected(base) if lines != _VERBS or not form.endswith("ed")
            ]
            nouns = [_plural(other) for other in others if other.endswith(("ion", "ment"))]
            yield base, (base, *regular, *others, *nouns)


_TABLE = dict(_table())
_IN_TABLE = {form: base for base, forms in _TABLE.items() for form in forms}
