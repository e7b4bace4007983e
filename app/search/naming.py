"""Facts that a question names by their subject and predicate: pure.

"Where does Nora live now?" names whom and what, so the fact that says where is the answer, however
many texts talk about Nora and living. Every other word that tells something must be explained as
well: where Nora's sister lives is another question.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from app.extraction.predicates import SLOT, Predicate, standard
from app.extraction.verbs import PREPOSITIONS
from app.facts.possible import PossibleChange
from app.indexing.analysis import query_terms
from app.indexing.stop_words import STOP_WORDS
from app.kernel.graph import Row
from app.search.latest import asks_of_the_past, asks_of_today

WORD = re.compile(r"[^\W_]+(?:['’]s\b)?")
BEFORE = PREPOSITIONS["en"] | PREPOSITIONS["de"]
STATES = ("verbs_en", "verbs_de", "nouns_en", "nouns_de")
HOW = ("how", "wie")
LOOKED = 8  # facts of each leg that are looked at
Forms = tuple[str, ...]
Wordings = tuple[tuple[Forms, ...], ...]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question in its forms; `led` tells that a preposition stands before it."""

    forms: frozenset[str]
    telling: bool
    led: bool


@dataclass(frozen=True, slots=True)
class Naming:
    """The words of a question on how things are now."""

    words: tuple[Word, ...]

    @classmethod
    def of(cls, question: str) -> Naming | None:
        """None for a question that is about what was, or that tells nothing."""
        if asks_of_the_past(question):
            return None
        words = tuple(_words(question))
        return cls(words) if any(word.telling for word in words) else None

    def names(self, fact: Row) -> bool:
        """Whether subject and predicate of a fact are named, and nothing else that tells.

        `fact` has `names` (of its subject), `predicate`, `content` and `object_text`. Beside a
        whole name there may be what a preposition leads, as in "Does Nora live in Ulm?".
        """
        ends = [*fact["names"], fact["object_text"] or ""]
        said = self._predicate(fact["predicate"], fact["content"], ends)
        if said is None:
            return False
        parts = {form for name in fact["names"] for forms in query_terms(name) for form in forms}
        subject = self._those(parts)
        known = subject | said | self._those(_forms(fact["object_text"] or ""))
        rest = [w for n, w in enumerate(self.words) if w.telling and n not in known]
        if any(self._all(query_terms(name)) for name in fact["names"] if name):
            return all(word.led for word in rest)
        return bool(subject) and not rest

    def _predicate(self, predicate: str, content: str, ends: Iterable[str]) -> set[int] | None:
        """Which words name the predicate, in the longest of its wordings that is there."""
        inside = {form for end in ends for form in _forms(end)}
        said = tuple(f for f in query_terms(content) if inside.isdisjoint(f))
        found = [
            self._those(form for forms in wording for form in forms)
            for wording in (*_wordings(predicate), said)
            if wording and self._all(wording)
        ]
        return max(found, key=len, default=None)

    def _all(self, wanted: Iterable[Forms]) -> bool:
        return all(any(not w.forms.isdisjoint(forms) for w in self.words) for forms in wanted)

    def _those(self, forms: Iterable[str]) -> set[int]:
        known = frozenset(forms)
        return {n for n, word in enumerate(self.words) if not known.isdisjoint(word.forms)}


def named(naming: Naming, facts: Mapping[str, Row], order: Iterable[str]) -> list[str]:
    """Ids of the facts that a question names, in the order given."""
    return [fact for fact in order if fact in facts and naming.names(facts[fact])]


def behind_newer(
    named: Iterable[str], changes: Mapping[str, PossibleChange], found: Container[str]
) -> list[str]:
    """The same facts, each behind what was `found` that may have changed it, the newest first: who
    reads the first hit alone shall not take for the present what may be past."""
    front: dict[str, None] = {}
    for fact in named:
        newer = changes[fact].newer if fact in changes else ()
        latest = sorted(newer, key=lambda one: one.since, reverse=True)
        ids = (one.fact or one.passage or "" for one in latest)
        front |= dict.fromkeys(memory for memory in ids if memory in found)
        front.setdefault(fact)
    return list(front)


def _words(question: str) -> Iterator[Word]:
    before = ""
    for found in WORD.finditer(question):
        word = found[0].casefold()
        plain = re.sub(r"['’]s$", "", word)
        # What follows "how" asks for a measure: how large, wie hoch.
        asks = before in HOW or asks_of_today(plain)
        telling = plain not in STOP_WORDS and not asks
        yield Word(_forms(plain), telling, before in BEFORE)
        # An article stands between a preposition and what it leads.
        before = before if before in BEFORE and plain in STOP_WORDS - BEFORE else plain


@cache
def _standard() -> dict[str, Wordings]:
    """The wordings of the predicates that come with the program: no word of a user's text."""
    return {row.name: _worded(row) for row in standard()}


def _wordings(predicate: str) -> Wordings:
    """The words of each form in which a predicate is stated."""
    return _standard().get(predicate) or _worded(standard().get(predicate))


def _worded(row: Predicate) -> Wordings:
    texts = [text for kind in STATES for text in row.wording.get(kind, ())]
    labels = [SLOT.sub("", label) for label in (row.label_en, row.label_de)]
    bare = row.name.rpartition(":")[2].replace("_", " ")
    return tuple(dict.fromkeys(_telling(text) for text in (*texts, *labels, bare)))


def _telling(text: str) -> tuple[Forms, ...]:
    """The words of a wording that tell something; of one that has none its preposition."""
    words = WORD.findall(text.casefold())
    kept = [word for word in words if word not in STOP_WORDS] or [w for w in words if w in BEFORE]
    return tuple(tuple(_forms(word)) for word in kept)


def _forms(text: str) -> frozenset[str]:
    return frozenset(form for forms in query_terms(text) for form in forms)
