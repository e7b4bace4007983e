"""The passages of one scope and the names between them, as sparse matrices: pure.

A walk goes from a passage over a name to other passages. `about` and `mentions` have a row for each
place and a column for each name; a name that would lead nowhere has none. A place is a passage, or
a stretch of the passages that one text was cut into: what leads to a text leads to all of it, and
its parts would only share out what it gets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from app.indexing.spelling import respelled

Vector = npt.NDArray[np.float32]

# How surely a passage is about a name, by where it has it from; and how surely a question that
# names it means the passage.
WEIGHTS = {
    "title": 1.0, "bare": 1.0, "also": 1.0, "subject": 1.0, "alias": 0.7, "short": 0.5,
    "heading": 0.5,
}  # fmt: skip
MEANT = {
    "title": 1.0, "bare": 0.6, "also": 0.6, "subject": 0.6, "alias": 0.4, "short": 0.3,
    "heading": 0.3,
}  # fmt: skip
ALIKE = 0.2  # of a name that the text does not hold, but one that reads like it; no other weight
EDGE_BYTES = 16  # of a matrix and its transpose
PASSAGE_BYTES = 900  # of ids, keys and rows, as measured
OFTEN = 5  # places at least that hold a common name; of many, more than a share of their root
SHARE_OF_ROOT = 0.25
STRETCH = 8  # passages of a text that are one place; of a longer text each so many


@dataclass(frozen=True, slots=True)
class Linked:
    """What a passage is about, with the kind of each name, and the other names that it holds, with
    how surely (0 to 1) each stands for what goes by it; the text that it was cut from, and which
    part of that it is."""

    about: Mapping[str, str]
    names: Mapping[str, float]
    work: str | None = None
    number: int = 0


@dataclass(frozen=True, slots=True)
class Walkable:
    """One scope's passages; `parts` are those of each place in the order of their text, `at` where
    each is, `owners` the places that are about a key, and how surely meant by it."""

    linked: Mapping[str, Linked]
    parts: Sequence[Sequence[str]]
    at: Mapping[str, int]
    keys: Sequence[str]
    owners: Mapping[str, Mapping[int, float]]
    spelled: Mapping[str, tuple[str, ...]]  # by the form of all their spellings: keys
    vocabulary: frozenset[str]  # words of those forms
    common: frozenset[str]  # keys of one word that so many places hold that it may be any word
    about: csr_array
    mentions: csr_array
    about_of: csr_array  # the transposes: from names to passages
    mentions_of: csr_array
    rarity: Vector  # of each name among the passages that hold it, 0 to 1

    @property
    def bytes(self) -> int:
        """About what it takes in memory."""
        edges = int(self.about.nnz) + int(self.mentions.nnz)
        return edges * EDGE_BYTES + len(self.at) * PASSAGE_BYTES

    def is_alike(self, place: int, name: int) -> bool:
        """Whether a passage holds a name only by another that reads like it."""
        span = slice(self.mentions.indptr[place], self.mentions.indptr[place + 1])
        held = self.mentions.data[span][self.mentions.indices[span] == name]
        return bool(len(held)) and bool(held[0] == np.float32(ALIKE))

    def holder(self, place: int, key: str) -> str:
        """The first part of a place that is about a name or holds it."""
        held = (p for p in self.parts[place] if key in self.linked[p].about)
        named = (p for p in self.parts[place] if key in self.linked[p].names)
        return next(held, None) or next(named, self.parts[place][0])

    def is_record(self, passage: str) -> bool:
        """Whether a passage is about something."""
        place = self.at.get(passage)
        return place is not None and bool(self.about.indptr[place + 1] > self.about.indptr[place])


def build(linked: Mapping[str, Linked]) -> Walkable:
    """The matrices over passages by id."""
    parts = _parts(linked)
    rows = [_together([linked[passage] for passage in place]) for place in parts]
    owners: dict[str, dict[int, float]] = {}
    for place, row in enumerate(rows):
        for key, how in row.about.items():
            owners.setdefault(key, {})[place] = MEANT[how]
    columns = _columns(rows, owners)
    shape = (len(rows), len(columns))
    about = _matrix((_weighed(row) for row in rows), columns, shape)
    mentions = _matrix((row.names.items() for row in rows), columns, shape)
    mentions_of = csr_array(mentions.T.tocsr())
    held = np.diff(mentions_of.indptr)
    size = 1.0 + max(len(rows), 1)
    rarity = np.log(size / np.maximum(held, 1)) / np.log(size)
    often = max(OFTEN, SHARE_OF_ROOT * math.sqrt(len(rows)))
    spelled = respelled(owners)
    other = {key for keys in spelled.values() for key in keys}
    return Walkable(
        linked=linked,
        parts=parts,
        at={passage: place for place, passages in enumerate(parts) for passage in passages},
        keys=list(columns),
        owners=owners,
        spelled=spelled,
        vocabulary=frozenset(
            word for form in chain(owners.keys() - other, spelled) for word in form.split()
        ),
        common=frozenset(k for k in owners if " " not in k and held[columns[k]] > often),
        about=about,
        mentions=mentions,
        about_of=csr_array(about.T.tocsr()),
        mentions_of=mentions_of,
        rarity=rarity.astype(np.float32),
    )


def _parts(linked: Mapping[str, Linked]) -> list[tuple[str, ...]]:
    """The passages of each place, those of one text in its order."""
    places: dict[tuple[str, int], list[str]] = {}
    for passage, held in linked.items():
        place = (held.work, held.number // STRETCH) if held.work else (passage, 0)
        places.setdefault(place, []).append(passage)
    return [tuple(sorted(place, key=lambda p: (linked[p].number, p))) for place in places.values()]


def _together(parts: Sequence[Linked]) -> Linked:
    """What a place is about and holds: whatever one of its parts is about or holds, as surely as
    the one that is most sure."""
    if len(parts) == 1:
        return parts[0]
    about: dict[str, str] = {}
    names: dict[str, float] = {}
    for part in parts:
        for key, how in part.about.items():
            if key not in about or WEIGHTS[how] > WEIGHTS[about[key]]:
                about[key] = how
        for key, weight in part.names.items():
            names[key] = max(names.get(key, 0.0), weight)
    return Linked(about, {key: weight for key, weight in names.items() if key not in about})


def _weighed(row: Linked) -> list[tuple[str, float]]:
    return [(key, WEIGHTS[how]) for key, how in row.about.items()]


def _columns(rows: Sequence[Linked], owners: Mapping[str, object]) -> dict[str, int]:
    """A column for each name that a passage is about, or that several hold."""
    times: dict[str, int] = {}
    for row in rows:
        for key in row.names:
            times[key] = times.get(key, 0) + 1
    shared = (key for key, count in times.items() if count > 1 and key not in owners)
    return {key: column for column, key in enumerate([*owners, *shared])}


def _matrix(
    rows: Iterable[Iterable[tuple[str, float]]],
    columns: Mapping[str, int],
    shape: tuple[int, int],
) -> csr_array:
    starts, indices, data = [0], [], []
    for row in rows:
        for key, weight in row:
            if key in columns:
                indices.append(columns[key])
                data.append(weight)
        starts.append(len(indices))
    parts = (
        np.asarray(data, np.float32),
        np.asarray(indices, np.int32),
        np.asarray(starts, np.int32),
    )
    return csr_array(parts, shape=shape)
