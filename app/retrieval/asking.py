"""What a question names: pure.

It may spell a name in another way than the text does, and make a slip; it may be written without
capitals, and then every word may begin a name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise

from app.indexing.analysis import query_terms
from app.indexing.spelling import form_of, forms_of, slips
from app.retrieval.matrix import Walkable
from app.retrieval.model import Asked
from app.retrieval.names import ARTICLES, EMPTY, Naming, Word, longest, phrases, words

SLIP = 5  # letters at least of a word in which a slip is looked for
SLIP_ALONE = 7  # the same where the word is a name by itself
SLIPS = 24  # words of a question in which one is looked for
SPELLED = 100  # first words among which other spellings are looked for; no question has more
AROUND = 5  # words on either side that a name with a slip may have

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """Words of a question that may be a name, and the forms of their other spellings."""

    naming: Naming
    forms: Keys


@dataclass(frozen=True, slots=True)
class Odd:
    """A word of a question in which a slip may be, by its place and its form."""

    at: int
    form: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A question as names are looked for in it; `bare` where it is written without capitals."""

    text: str
    words: Sequence[Word]
    bare: bool
    runs: Sequence[Run]
    odd: Sequence[Odd]
    sought: frozenset[str]  # the keys and the forms of all runs

    @staticmethod
    def of(question: str) -> Reading:
        """A question in composed letters; where none of its words begins like a name, all do."""
        text = unicodedata.normalize("NFC", question)
        found = words(text)
        bare = text.isupper() or not any(w.proper and _is_word(w) for w in found[1:])
        if bare:
            found = [replace(w, proper=True, joined=_hyphened(text, w)) for w in found]
        every = chain(phrases(found), () if bare else _behind_articles(found))
        namings = (p for p in every if not (bare and EMPTY.issuperset(p.key.split())))
        runs = [Run(n, forms_of(n.key) if n.first < SPELLED else ()) for n in namings]
        sought = frozenset(key for run in runs for key in (run.naming.key, *run.forms))
        return Reading(text, found, bare, runs, list(_odd(found)), sought)

    def may_name(self, graph: Walkable) -> bool:
        """Whether any run may name something of a scope: most of a thousand scopes have nothing."""
        return not (self.sought.isdisjoint(graph.owners) and self.sought.isdisjoint(graph.spelled))


@dataclass(frozen=True, slots=True)
class Meant:
    """Words of a question, and the keys that they name."""

    naming: Naming
    keys: Keys

    @property
    def span(self) -> range:
        """The places of the words."""
        return range(self.naming.first, self.naming.stop)


def asks(graphs: Mapping[str, Walkable], question: str) -> Asked:
    """What a question names in each scope, and its text without that."""
    reading = Reading.of(question)
    names: dict[str, list[str]] = {}
    taken: set[int] = set()
    sure: set[str] = set()
    for scope, graph in graphs.items():
        found = _named(reading, graph)
        names[scope] = list(dict.fromkeys(key for meant in found for key in meant.keys))
        taken |= {n for meant in found for n in meant.span}
        sure |= {key for meant in found if _surely(reading, meant) for key in meant.keys}
    rest = without(reading.text, [reading.words[n] for n in sorted(taken)])
    cover = covered(reading.text, rest) if taken else 0.0
    return Asked(names, rest, cover, frozenset(sure))


def _surely(reading: Reading, meant: Meant) -> bool:
    """Whether words of a question are meant as a name: several are, one that is written so amid the
    question is as well. Where nothing is written as a name, one word may be any word, whatever a
    name may leave out stands beside it: "parse and" is no more than "parse"."""
    if len(meant.span) > 1 and any(" " in key for key in meant.keys):
        return True
    return not reading.bare and meant.naming.first > 0 and reading.words[meant.naming.first].proper


def meant(graphs: Mapping[str, Walkable], asked: Asked, found: Container[str]) -> Asked:
    """What a question names as far as one of the passages that go by it was found for the question
    as a whole: a word that is a name elsewhere is here a word."""
    names = {
        scope: [key for key in keys if any(_held(graphs[scope], key, found))]
        for scope, keys in asked.names.items()
    }
    return replace(asked, names=names)


def _held(graph: Walkable, key: str, found: Container[str]) -> Iterator[bool]:
    return (part in found for place in graph.owners[key] for part in graph.parts[place])


def covered(question: str, rest: str) -> float:
    """The share of a question's telling words that is not in the rest of it."""
    whole = len(query_terms(question))
    left = [word for word in query_terms(rest) if not EMPTY.issuperset(word)]
    return max(0.0, 1 - len(left) / whole) if whole else 0.0


def without(question: str, taken: Iterable[Word]) -> str:
    """A question with blanks in place of these words."""
    rest = list(question)
    for word in taken:
        rest[word.start : word.end] = " " * (word.end - word.start)
    return "".join(rest)


def _behind_articles(found: Sequence[Word]) -> Iterator[Naming]:
    """Names of one word behind an article that is written as a part of them (The Exies), since keys
    have no article."""
    for at, (article, name) in enumerate(pairwise(found), start=1):
        alone = not any(w.proper and w.start <= name.end + 2 for w in found[at + 1 : at + 2])
        if article.folded in ARTICLES and article.proper and name.joined and alone:
            yield Naming(name.folded, at, at + 1)


def _is_word(word: Word) -> bool:
    return word.folded not in EMPTY and word.folded.isalpha()


def _hyphened(text: str, word: Word) -> bool:
    """Whether a word is a part of one with hyphens: `law` of a father-in-law."""
    return "-" in (text[max(0, word.start - 1) : word.start], text[word.end : word.end + 1])


def _odd(found: Sequence[Word]) -> Iterator[Odd]:
    """The words in which a slip may be: the first of them."""
    forms = ((at, form_of(word.folded)) for at, word in enumerate(found) if word.proper)
    long = ((at, form) for at, form in forms if len(form) >= SLIP and form.isalpha())
    telling = (Odd(at, form) for at, form in long if found[at].folded not in EMPTY)
    return islice(telling, SLIPS)


def _named(reading: Reading, graph: Walkable) -> list[Meant]:
    """The keys that stand in a question as they are; beside them, and around them, those that stand
    in it in another spelling, or with a slip. Of those that overlap the longest counts."""
    if not reading.may_name(graph):
        corrected = [*_corrected(reading, graph, ())]
        return _counted(corrected) if corrected else []
    exact = _counted(_exact(reading, graph))
    spans = [meant.span for meant in exact]
    loose = chain(_respelled(reading, graph), _corrected(reading, graph, spans))
    beside = (m for m in loose if all(_fits(m.span, span) for span in spans))
    return _counted([*exact, *beside])


def _counted(found: Iterable[Meant]) -> list[Meant]:
    meant: dict[str, Meant] = {}
    places: dict[str, list[int]] = {}
    for one in found:
        meant.setdefault(one.naming.key, one)
        places.setdefault(one.naming.key, []).extend((one.naming.first, one.naming.stop))
    return [
        Meant(Naming(key, *place), meant[key].keys)
        for key, at in longest(places.items()).items()
        for place in at
    ]


def _fits(one: range, other: range) -> bool:
    """Whether one lies around the other, or beside it."""
    around = one.start <= other.start and other.stop <= one.stop
    return around or one.stop <= other.start or other.stop <= one.start


def _exact(reading: Reading, graph: Walkable) -> Iterator[Meant]:
    """A word that many texts have as a name is more likely any word: most that say "Perl" are not
    asking for the passage of that title."""
    for run in reading.runs:
        key = run.naming.key
        if key in graph.owners and key not in graph.common:
            yield Meant(run.naming, (key,))


def _respelled(reading: Reading, graph: Walkable) -> Iterator[Meant]:
    for run in reading.runs:
        keys = () if run.naming.key in graph.owners else _keys_of(run.forms, graph)
        if keys and not graph.common.issuperset(keys):
            yield Meant(run.naming, keys)


def _corrected(reading: Reading, graph: Walkable, spans: Sequence[range]) -> Iterator[Meant]:
    """Runs that are keys with another word in place of one which no key has."""
    for odd in reading.odd:
        if odd.form in graph.vocabulary or any(odd.at in span for span in spans):
            continue
        for other in sorted(graph.vocabulary.intersection(slips(odd.form))):
            for naming in _around(reading.words, odd.at, other):
                if keys := _keys_of(forms_of(naming.key), graph):
                    yield Meant(naming, keys)


def _keys_of(forms: Iterable[str], graph: Walkable) -> Keys:
    """The keys of the first form that any has."""
    found = ((*((f,) if f in graph.owners else ()), *graph.spelled.get(f, ())) for f in forms)
    return next((keys for keys in found if keys), ())


def _around(found: Sequence[Word], at: int, other: str) -> Iterator[Naming]:
    """The runs that hold a word, with another in its place."""
    run = [word.folded for word in found]
    run[at] = other
    for first in range(max(0, at - AROUND), at + 1):
        for stop in range(at + 1, min(len(run), at + 1 + AROUND) + 1):
            alone = stop - first == 1
            tells = not alone or (len(other) >= SLIP_ALONE and not found[at].joined)
            if found[first].proper and tells:
                yield Naming(" ".join(run[first:stop]), first, stop)
