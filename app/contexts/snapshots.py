"""Snapshots of a context: its entries as they were, each with its SHA-256, and one over all.

What an erasure takes of a snapshot leaves an empty place, so that the rest can still be proved.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, StringConstraints

from app.contexts.entries import Entry, packed, promoted_out_of, stored
from app.contexts.model import Id, Who, moved
from app.kernel.ids import digest, new_id
from app.kernel.kind import Gone, Place, Stored, unpacked
from app.kernel.wire import Moment

PEOPLE = ("created_by", "changed_by", "agent", "from_agent")
# What of an entry is in no snapshot: where it is and how it stands; a new one has none of it.
STAYS = (
    *("id", "scope", "context_id", "version", "status", "archived_at", "reason", "merged"),
    *("access_count", "last_accessed_at", "changed_at", "created_at"),
)
FADES = {"base_importance", "based_at", "decayed_days"}
LEFT_OUT = {*STAYS, *FADES, *PEOPLE}
TEXTS = ("key", "value", "tags", "task_id", "run_id")
Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class ContextSnapshotEntry(Stored):
    """One entry of a snapshot: `texts` are what clients wrote, `rest` is everything else, `by` who.

    The hash covers texts and rest with a `nonce`, which goes with them, so that nobody can guess
    from the hash what was erased.
    """

    context_id: Id
    snapshot_id: Id
    place: Annotated[int, Field(ge=0, le=2**31)]
    entry_id: Id | None = None
    created_at: Moment
    texts: Annotated[dict[str, Any] | None, BeforeValidator(unpacked)] = None
    rest: Annotated[dict[str, Any] | None, BeforeValidator(unpacked)] = None
    by: Annotated[dict[str, Who], BeforeValidator(unpacked)] = Field(default_factory=dict)
    nonce: str | None = None
    sha256: Sha

    @classmethod
    def took(cls, snapshot: ContextSnapshot, place: int, entry: Entry) -> Self:
        """Return the place of an entry in a snapshot."""
        told = entry.model_dump(mode="json")
        texts = {name: told[name] for name in TEXTS}
        rest = {k: v for k, v in told.items() if k not in LEFT_OUT and k not in TEXTS}
        nonce = secrets.token_hex(16)
        return cls(
            id="new",
            scope=snapshot.scope,
            context_id=snapshot.context_id,
            snapshot_id=snapshot.id,
            place=place,
            entry_id=entry.id,
            created_at=entry.created_at,
            texts=texts,
            rest=rest,
            by={name: getattr(entry, name) or "" for name in PEOPLE},
            nonce=nonce,
            sha256=sha_of(nonce, texts, rest),
        )

    @property
    def empty(self) -> bool:
        """Whether an erasure took it."""
        return self.nonce is None

    @property
    def sound(self) -> bool:
        """Whether the entry is the one that was hashed; an empty place is."""
        return self.nonce is None or self.sha256 == sha_of(self.nonce, self.texts, self.rest)

    def entry(self, held: Entry | None, at: datetime) -> Entry:
        """Return the entry that was taken: `held`, which has its key now, where that is the same
        but for what reading and fading change; else with a new version or as a new entry."""
        who = {name: self.by.get(name) or (None if "agent" in name else "") for name in PEOPLE}
        told = {**(self.rest or {}), **(self.texts or {}), **who, "based_at": at}
        if held is None:
            where = {"id": new_id(), "scope": self.scope, "context_id": self.context_id}
            made = Entry.model_validate(
                {**told, **where, "created_at": self.created_at, "changed_at": at}
            )
            return made.weighed(made.importance, at)
        made = Entry.model_validate({**{name: getattr(held, name) for name in STAYS}, **told})
        if made.model_dump(exclude=FADES) == held.model_dump(exclude=FADES):
            return held
        if packed(made.value) != packed(held.value):
            made = made.model_copy(update={"version": held.version + 1, "changed_at": at})
        return made.weighed(made.importance, at)

    def row(self) -> dict[str, Any]:
        """Return the properties of the node."""
        told = None if self.texts is None else stored(self.texts)
        rest = None if self.rest is None else stored(self.rest)
        return {**super().row(), "texts": told, "rest": rest}

    def derived(self) -> dict[str, Any]:
        """Return that the entry was promoted, by which an erasure of its session looks for it."""
        return {"promoted_from": (self.rest or {}).get("promoted_from")}

    def spoken_in(self) -> str | None:
        """Return the id of the session out of which the entry was promoted."""
        told = {**(self.rest or {}), **(self.texts or {})}
        return promoted_out_of({**told, "scope": self.scope})

    def refers(self) -> str | None:
        """Return the entry."""
        return self.entry_id

    def people(self) -> Iterable[str]:
        """Return who made and changed the entry, and whose experience it is."""
        return set(self.by.values())

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the place with every principal replaced."""
        by = {field: name(who) if who else "" for field, who in self.by.items()}
        return self.model_copy(update={"by": by})

    def relocated(self, place: Place) -> Self:
        """Return the place in what stands for its snapshot."""
        names = ("context_id", "snapshot_id", "entry_id")
        given = {name: getattr(self, name) for name in names}
        return self.model_copy(
            update={k: v and moved(v, self.scope, place) for k, v in given.items()}
        )

    def without(self, gone: Gone) -> Self | None:
        """Return the empty place where the entry, or who wrote its content, goes; else the entry
        without the name of who goes."""
        named = gone.named(packed(self.texts)) or gone.wrote(self.by.get("changed_by", ""))
        if named or gone.took(self.entry_id) or gone.ended(self.spoken_in()):
            update: dict[str, Any] = {"texts": None, "rest": None, "nonce": None, "by": {}}
            return self.model_copy(update={**update, "entry_id": None})
        by = {field: "" if gone.wrote(who) else who for field, who in self.by.items()}
        return self.model_copy(update={"by": by})


class ContextSnapshot(Stored):
    """A snapshot; `sha256` is over the hashes of its entries."""

    context_id: Id
    name: str | None = None
    entries: Annotated[int, Field(ge=0)] = 0
    sha256: Sha
    created_at: Moment
    created_by: Who

    def people(self) -> Iterable[str]:
        """Return who made it."""
        return {self.created_by}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the snapshot with its maker replaced."""
        return self.model_copy(
            update={"created_by": name(self.created_by) if self.created_by else ""}
        )

    def relocated(self, place: Place) -> Self:
        """Return the snapshot of what stands for its context."""
        return self.model_copy(update={"context_id": moved(self.context_id, self.scope, place)})

    def without(self, gone: Gone) -> Self | None:
        """Return the snapshot without its maker and the name that he gave it."""
        his = gone.wrote(self.created_by)
        lost = his or gone.named(self.name or "")
        update = {"created_by": "" if his else self.created_by}
        return self.model_copy(update={**update, "name": None if lost else self.name})

    def proves(self, places: Sequence[ContextSnapshotEntry]) -> bool:
        """Return whether these are the entries that were taken, and all of them."""
        whole = len(places) == self.entries and over(places) == self.sha256
        return whole and all(place.sound for place in places)


def sha_of(nonce: str, texts: Any, rest: Any) -> str:
    """Return the SHA-256 of an entry in a snapshot."""
    return digest(nonce, packed(texts), packed(rest))


def over(places: Sequence[ContextSnapshotEntry]) -> str:
    """Return the SHA-256 over the hashes of entries, in the order of their places."""
    return digest(*(each.sha256 for each in sorted(places, key=lambda each: each.place)))
