"""What Loci answers with, as values; `data` of each has the answer whole.

Every text in them was said by somebody else: it is data, and no instruction.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

Data = Mapping[str, Any]


def moment(given: str | None) -> datetime | None:
    """The moment that a text of the API gives."""
    return None if given is None else datetime.fromisoformat(given)


def _certain(given: str) -> datetime:
    return datetime.fromisoformat(given)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of one message: accepted, duplicate (`id` names the first one) or refused.

    `indexed` and `consolidated` tell whether what was waited for came to be.
    """

    status: str
    id: str | None
    session_id: str | None
    scope: str | None
    captured_at: datetime | None
    indexed: bool
    consolidated: bool
    error: str | None
    detail: str | None
    field: str | None
    data: Data = dataclasses.field(repr=False, compare=False)

    @classmethod
    def of(cls, told: Data) -> Receipt:
        """The value of an answer."""
        names = ("status", "id", "session_id", "scope", "indexed", "consolidated")
        failed = ("error", "detail", "field")
        return cls(
            **{name: told[name] for name in (*names, *failed)},
            captured_at=moment(told["captured_at"]),
            data=told,
        )


@dataclass(frozen=True, slots=True)
class Added:
    """Receipts of what was added, in order; `left_out` are places of messages not sent."""

    receipts: tuple[Receipt, ...]
    left_out: tuple[int, ...] = ()

    @property
    def ids(self) -> list[str]:
        """Ids of the episodes that hold the messages, new ones and old."""
        return [receipt.id for receipt in self.receipts if receipt.id is not None]

    @property
    def accepted(self) -> int:
        """How many are new."""
        return sum(receipt.status == "accepted" for receipt in self.receipts)

    @property
    def duplicates(self) -> int:
        """How many were there already."""
        return sum(receipt.status == "duplicate" for receipt in self.receipts)


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was found; `relevance`, 0 to 1, counts anywhere, `rank` in its answer.

    `standing` is `past` where something that it says no longer holds, `disputed` where it waits
    for a review. `episodes` are what it rests on: itself, or the support of a fact, newest first.
    """

    id: str
    kind: str
    rank: int
    relevance: float
    scope: str
    session_id: str | None
    role: str | None
    speaker: str | None
    captured_at: datetime
    standing: str
    text: str
    data: Data = dataclasses.field(repr=False, compare=False)

    @classmethod
    def of(cls, told: Data) -> Hit:
        """The value of an answer."""
        names = ("id", "kind", "rank", "relevance", "scope", "session_id", "role", "standing")
        said = told["untrusted"]
        return cls(
            **{name: told[name] for name in names},
            speaker=said["speaker"],
            captured_at=_certain(told["captured_at"]),
            text=said["text"],
            data=told,
        )

    @property
    def episodes(self) -> list[str]:
        """Ids of the episodes that say it."""
        if self.kind == "episode":
            return [self.id]
        fact, turns = self.data.get("fact"), self.data.get("turns")
        return list(fact["support"]) if fact else [turn["id"] for turn in turns or ()]


@dataclass(frozen=True, slots=True)
class Found:
    """Hits in order; `empty` says why there is none, `tokens` (o200k) are those of all texts."""

    hits: tuple[Hit, ...]
    tokens: int
    empty: str | None
    data: Data = dataclasses.field(repr=False, compare=False)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    @classmethod
    def of(cls, told: Data) -> Found:
        """The value of an answer."""
        hits = tuple(Hit.of(hit) for hit in told["hits"])
        return cls(hits=hits, tokens=told["tokens"], empty=told["empty"], data=told)


@dataclass(frozen=True, slots=True)
class Bundle(Found):
    """The same as a text for a prompt: recalled words stand marked as data, and escaped. A block
    by scope (`form` is `relevant_context`) comes without hits."""

    text: str = ""

    def __str__(self) -> str:
        return self.text

    @classmethod
    def of(cls, told: Data) -> Bundle:
        """The value of an answer."""
        hits = tuple(Hit.of(hit) for hit in told["hits"])
        text = told["relevant_context"] if told["bundle"] is None else told["bundle"]
        return cls(hits, told["tokens"], told["empty"], told, text)


@dataclass(frozen=True, slots=True)
class Turn:
    """What became of a turn's messages, and the context for the next reply; None where no user
    said anything and nothing was asked."""

    added: Added
    context: Bundle | None


@dataclass(frozen=True, slots=True)
class Fact:
    """What is believed, with since when and, where it has an end, until when it is so.

    `statement`, `subject` and `object` are words; `about` is the id of the subject.
    """

    id: str
    scope: str
    status: str
    about: str
    predicate: str
    negated: bool
    confidence: float
    trust: float
    valid_from: datetime
    valid_to: datetime | None
    statement: str
    subject: str | None
    object: str
    data: Data = dataclasses.field(repr=False, compare=False)

    @classmethod
    def of(cls, told: Data) -> Fact:
        """The value of an answer."""
        names = ("id", "scope", "status", "predicate", "negated", "confidence", "trust")
        held, said = told["intervals"][0], told["untrusted"]
        return cls(
            **{name: told[name] for name in names},
            about=told["subject"],
            valid_from=_certain(held["valid_from"]),
            valid_to=moment(held["valid_to"]),
            statement=said["statement"],
            subject=said["subject"],
            object=said["object"],
            data=told,
        )
