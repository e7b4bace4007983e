"""What is to be erased, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from app.kernel.graph import Row
from app.kernel.ids import digest
from app.kinds import LABELLED
from app.notes.kind import buried_block

# How kinds with a label of their own are erased, by name; blocks and patterns go as skills do.
ERASED = {kind.name: kind.erasing for kind in LABELLED if kind.erasing is not None}
Named = Literal["memory", "session", "author", "speaker", "person"]  # what a caller names
Aimed = Literal[Named, "scope"]
Taken = Literal[Aimed, "document", "knowledge_base"]  # of receipts: documents are deleted, too


@dataclass(frozen=True, slots=True)
class Target:
    """What somebody wants gone: one memory, all episodes of a session or a speaker, all that an
    author said, handed in and wrote, or all that is of a person and about him.

    `sources` takes the episodes that support a fact along with it. `scope` is where what belongs to
    a session, author, speaker or person is looked for. Of a person, `value` is an entity or a full
    name, `principal` the author that he is, and the rest is what the entity was resolved to.
    """

    kind: Aimed
    value: str
    scope: str | None = None
    sources: bool = False
    principal: str | None = None
    entities: Sequence[str] = ()
    names: Sequence[str] = ()
    scopes: Sequence[str] = ()

    @property
    def is_named(self) -> bool:
        """Whether it is a person by his full name; ids have no blanks."""
        return self.kind == "person" and len(self.value.split()) > 1

    @property
    def author(self) -> str | None:
        """The principal whose own words go, or None: an author, or the account of a person."""
        if self.kind == "author":
            return self.value
        return self.principal or None if self.kind == "person" else None

    @property
    def name(self) -> str:
        """The target as a receipt keeps it: an id, or the hash of a name."""
        if self.kind == "memory":
            return self.value
        if self.kind == "person" and not self.is_named:
            return digest("erasure", self.kind, self.value)[:32]
        return digest("erasure", self.kind, self.scope or "", self.value)[:32]


@dataclass(slots=True)
class Closure:
    """Everything that goes with some memories, and what lives on changed."""

    episodes: dict[str, Row] = field(default_factory=dict)
    facts: dict[str, Row] = field(default_factory=dict)  # those that go
    kept: dict[str, Row] = field(default_factory=dict)  # facts that lose support and live on
    # Of kinds with a label of their own, by kind.
    labelled: dict[str, dict[str, Row]] = field(
        default_factory=lambda: {kind: {} for kind in ERASED}
    )
    # Proposals, patterns of failure and core blocks too.
    skills: dict[str, Row] = field(default_factory=dict)
    declared: dict[str, Row] = field(default_factory=dict)  # of kinds that their slices declare

    @property
    def beside(self) -> dict[str, Row]:
        """Return what goes of kinds with a label of their own, by id."""
        return {i: row for rows in self.labelled.values() for i, row in rows.items()}

    @property
    def ids(self) -> list[str]:
        """Everything that goes."""
        return [*self.episodes, *self.facts, *self.beside, *self.skills, *self.declared]

    @property
    def scopes(self) -> set[str]:
        """Every scope that something leaves or changes in."""
        every = (
            *(row["episode"] for row in self.episodes.values()),
            *(row["fact"] for row in (*self.facts.values(), *self.kept.values())),
            *(row["node"] for row in self.beside.values()),
            *(row["skill"] for row in self.skills.values()),
        )
        return {row["scope"] for row in (*every, *self.declared.values())}

    @property
    def entities(self) -> list[str]:
        """Entities that were mentioned by what goes, or were what a fact was about."""
        found = {m["entity"] for row in self.episodes.values() for m in row["mentions"]}
        for row in self.facts.values():
            found |= {row["fact"]["subject"], row["fact"].get("object_id")}
        return sorted(e for e in found if e)

    @property
    def hashes(self) -> dict[str, list[str]]:
        """Content hashes of what goes, by kind."""
        return {
            "episodes": sorted(r["episode"]["content_hash"] for r in self.episodes.values()),
            "facts": sorted(digest(r["fact"]["statement"]) for r in self.facts.values()),
            **{
                f"{kind}s": sorted(row["node"]["content_hash"] for row in rows.values())
                for kind, rows in self.labelled.items()
            },
            "skills": sorted(r["skill"]["hash"] for r in self.skills.values()),
        }

    @property
    def sessions(self) -> list[str]:
        """Sessions that lose episodes."""
        return sorted({row["episode"]["session"] for row in self.episodes.values()})

    @property
    def tags(self) -> list[str]:
        """Tags that may be left without use."""
        rows = (*self.episodes.values(), *self.beside.values(), *self.skills.values())
        return sorted({tag for row in rows for tag in row["tags"]})

    def survivors(self) -> list[str]:
        """Episodes that still support a fact that was named and goes."""
        left = {c["episode"] for row in self.facts.values() for c in row["claims"]}
        return sorted(left - self.episodes.keys())


@dataclass(slots=True)
class Removed:
    """What one batch took out: counts by kind, and ids that may be quoted elsewhere."""

    counts: dict[str, int] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    hashes: list[str] = field(default_factory=list)
    survivors: list[str] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  # what gone entities were called
    pages: list[str] = field(default_factory=list)  # and documents that went whole
    scopes: set[str] = field(default_factory=set)  # of what went beside a closure

    def add(self, row: dict[str, Any]) -> None:
        """Count what one step removed."""
        for kind, count in row.items():
            if count:
                self.counts[kind] = self.counts.get(kind, 0) + int(count)


def tombstone_id(value: str) -> str:
    """The id of the tombstone of an id or dedup key: a hash that tells nothing."""
    return digest("tombstone", value)


def buried_content(identifier: str, content_hash: str) -> str:
    """What a value of short-term or working memory is buried under beside its id, which every
    other value of its name shares."""
    return f"{identifier}:{content_hash}"


def tombstones(closure: Closure, receipt: Row, entities: Iterable[str]) -> list[Row]:
    """What an import, and a second reading of a text that stays, must not bring back."""
    values = [*closure.ids, *entities]
    values += [row["episode"]["dedup_key"] for row in closure.episodes.values()]
    values += [
        buried_block(row["skill"]["id"], row["skill"]["hash"])
        for row in closure.skills.values()
        if row["kind"] == "block"
    ]
    rows = [_tombstone(tombstone_id(value), receipt) for value in values]
    rows += [_tombstone(claim, receipt) for claim in surviving_claims(closure.facts.values())]
    return sorted(rows, key=lambda row: str(row["id"]))


def surviving_claims(facts: Iterable[Row]) -> list[str]:
    """Claims of texts that stay about facts that go: they are not made again."""
    return sorted({claim["claim"] for row in facts for claim in row["claims"]})


def _tombstone(identifier: str, receipt: Row) -> Row:
    return {
        "id": identifier,
        "tenant": receipt["tenant"],
        "receipt": receipt["id"],
        "created_at": receipt["at"],
    }
