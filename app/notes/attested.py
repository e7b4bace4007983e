"""Core blocks that change only as others attest, as they are stored. Pure.

A protection belongs to a block; an edit says what block and protection are to be. Both sides of an
edit have a hash over text, quorum and attesters, and an attestation names both: it holds for this
change of this block, and for no other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, StringConstraints

from app.kernel.ids import digest
from app.kernel.kind import Gone, Kind, Stored, unpacked
from app.kernel.vocab import Label
from app.kernel.wire import Moment, WireModel

LASTS = timedelta(days=7)  # for which an edit may be attested
MOST_QUORUM = 10
NAMED = 32  # attesters that a protection names
BlockKind = Annotated[str, StringConstraints(pattern=r"^(identity|persona|redline)$")]
Id = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Who = Annotated[str, StringConstraints(max_length=200)]
Quorum = Annotated[int, Field(ge=1, le=MOST_QUORUM)]


class EditState(StrEnum):
    """What became of an edit."""

    OPEN = "open"
    APPLIED = "applied"
    WITHDRAWN = "withdrawn"
    STALE = "stale"  # the block has changed since it was proposed, or its time is over


class Guarding(WireModel):
    """Who attests: how many, and which ones where that is not any curator."""

    quorum: Quorum = 1
    attesters: Annotated[tuple[Who, ...], Field(max_length=NAMED)] = ()

    def hash_of(self, content: str, *, released: bool = False) -> str:
        """Return the hash of a block of this text under this protection, or released from it."""
        who = sorted(set(self.attesters))
        return digest("core-block", content, str(self.quorum), str(released), *who)


class Protection(Stored):
    """The protection of the block of a kind in a scope; it goes with the block."""

    block_kind: BlockKind
    block: Id
    guarding: Annotated[Guarding, BeforeValidator(unpacked)]
    protected_by: Who
    protected_at: Moment

    def refers(self) -> str | None:
        """Return the block."""
        return self.block

    def people(self) -> Iterable[str]:
        """Return who protected it, and the attesters."""
        return {self.protected_by, *self.guarding.attesters} - {""}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the protection with every principal replaced."""
        named = [name(one) if one else "" for one in self.guarding.attesters]
        guarding = self.guarding.model_copy(update={"attesters": tuple(named)})
        who = name(self.protected_by) if self.protected_by else ""
        return self.model_copy(update={"guarding": guarding, "protected_by": who})

    def without(self, gone: Gone) -> Self | None:
        """Return the protection without the name of who set it; None where its block goes.

        An attester who is forgotten stays counted under an empty name: a list without names would
        let every curator attest.
        """
        if gone.took(self.block):
            return None
        named = ["" if gone.wrote(one) else one for one in self.guarding.attesters]
        guarding = self.guarding.model_copy(update={"attesters": tuple(named)})
        who = "" if gone.wrote(self.protected_by) else self.protected_by
        return self.model_copy(update={"guarding": guarding, "protected_by": who})


class Attestation(WireModel):
    """That somebody attested, and when."""

    by: Who
    at: Moment


def _distinct(given: Iterable[Attestation], name: Callable[[str], str]) -> Iterator[Attestation]:
    """The first attestation of each principal, under the name that it has now."""
    known = set()
    for one in given:
        by = name(one.by)
        if by not in known:
            known.add(by)
            yield one.model_copy(update={"by": by})


class BlockEdit(Stored):
    """A change of a protected block, and who attested it so far."""

    block_kind: BlockKind
    block: Id
    content: Annotated[str, StringConstraints(min_length=1)]
    guarding: Annotated[Guarding, BeforeValidator(unpacked)]
    released: bool = False
    old_hash: Hash
    new_hash: Hash
    state: EditState = EditState.OPEN
    proposed_by: Who
    proposed_at: Moment
    attestations: Annotated[tuple[Attestation, ...], BeforeValidator(unpacked)] = ()

    @property
    def ends_at(self) -> datetime:
        """Until when it may be attested."""
        return self.proposed_at + LASTS

    @property
    def is_whole(self) -> bool:
        """Whether the hash that is attested is that of what the edit writes: one that was written
        by hand may say otherwise."""
        return self.new_hash == self.guarding.hash_of(self.content, released=self.released)

    def attesters(self, named: Collection[str]) -> frozenset[str]:
        """Return who of the named has attested, of all where none are; never who proposed it."""
        by = {one.by for one in self.attestations} - {"", self.proposed_by}
        return frozenset(by & set(named) if named else by)

    def attested(self, by: str, at: datetime) -> Self:
        """Return the edit with one more attestation; that of the same principal counts once."""
        if any(one.by == by for one in self.attestations):
            return self
        update: dict[str, Any] = {"attestations": (*self.attestations, Attestation(by=by, at=at))}
        return self.model_copy(update=update)

    def refers(self) -> str | None:
        """Return the block."""
        return self.block

    def people(self) -> Iterable[str]:
        """Return who proposed and who attested it."""
        named = {one.by for one in self.attestations}
        return {self.proposed_by, *named, *self.guarding.attesters} - {""}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the edit with every principal replaced."""
        named = [name(one) if one else "" for one in self.guarding.attesters]
        update = {
            "proposed_by": name(self.proposed_by),
            "attestations": tuple(_distinct(self.attestations, name)),
            "guarding": self.guarding.model_copy(update={"attesters": tuple(named)}),
        }
        return self.model_copy(update=update)

    def without(self, gone: Gone) -> Self | None:
        """Return the edit; None where its block, its author, an attester or one whom it names is
        forgotten."""
        people = any(gone.wrote(one) for one in self.people())
        return None if people or gone.took(self.block) or gone.named(self.content) else self


BLOCK_PROTECTION = Kind(
    "block_protection",
    Protection,
    Label.BLOCK_PROTECTION,
    identity=("block_kind",),
    changed="protected_at",
)
BLOCK_EDIT = Kind(
    "block_edit",
    BlockEdit,
    Label.BLOCK_EDIT,
    sanitised=("content",),
    changed="proposed_at",
)
