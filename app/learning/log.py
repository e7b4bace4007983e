"""The learning log: read at both clocks, told of skills and memory, rolled back by batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import orjson

from app.autonomy.ledger import PAGE, of_loci
from app.autonomy.receipt import Receipt
from app.errors import InvalidInput, NotFound
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest, new_id
from app.learning.folding import intent_of, segment_of
from app.learning.kind import INTENT, LEARNED_ENTRY, SEGMENT
from app.learning.model import (
    LOCI,
    Figures,
    Intent,
    LearnedChange,
    LearnedEntry,
    LearningType,
    Segment,
)
from app.learning.pen import Pen
from app.scopes.every import paths

FIRST = "1.0.0"  # the version with which a skill is made
LAST = "~"  # after every id


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a list is to hold; None for all. Without `as_of` entries are listed that ended too."""

    type: LearningType | None = None
    about: str | None = None
    batch: str | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None


class LearnedLog:
    """Every operation on the log; entries of a scope that is not seen are not there."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def page(
        self, caller: Caller, within: list[str] | None, wanted: Wanted, cursor: str, limit: int
    ) -> list[LearnedEntry]:
        """Return entries, the last recorded first, before the one of an id; NotFound (`cursor`)."""
        scopes, at = caller.among(within), now()
        before, last = at, LAST
        if cursor:
            held = await self.graph.many(
                Q.autonomy.find, LearnedEntry, ids=[cursor], kind=LEARNED_ENTRY.name,
                scopes=scopes,
            )  # fmt: skip
            if not held:
                raise NotFound(f"there is no entry {cursor}", field="cursor")
            before, last = held[0].recorded_at, held[0].id
        asked = wanted.as_of or (at if wanted.known_at else None)
        return await self.graph.many(
            Q.learning.entries,
            LearnedEntry,
            scopes=scopes,
            type=wanted.type,
            about=wanted.about,
            batch=wanted.batch,
            as_of=asked,
            known_at=wanted.known_at or at,
            before=before,
            before_id=last,
            limit=limit,
        )

    async def changes(
        self, caller: Caller, scope: str | None, after: int, limit: int
    ) -> list[LearnedChange]:
        """Return the rows of a scope's changelog after a version; the key's home by default."""
        place = caller.require(scope or caller.home, Role.READER)
        return await self.graph.many(
            Q.learning.changes, LearnedChange, scope=place, after=after, limit=limit
        )

    async def roll_back(
        self, caller: Caller, batch: str, at: datetime | None, *, dry_run: bool
    ) -> Receipt:
        """Close the validity of a batch's entries, in every scope that the caller curates, and let
        scores and intents follow from what is left.

        A second time closes nothing more. Raises NotFound for a batch of which the caller sees no
        entry, Forbidden where it curates none of their scopes, InvalidInput (`at`) for the future.
        """
        receipt = Receipt(dry_run)
        if at is not None and at > receipt.at:
            raise InvalidInput("what is rolled back has ended by now", field="at")
        for scope in await self._curated(caller, batch):

            async def work(tx: Tx, scope: str = scope) -> list[LearnedEntry]:
                pen = await Pen.take(tx, caller, scope, new_id())
                return await _rolled_back(pen, batch, at or receipt.at, dry_run=dry_run)

            for entry in await self.graph.write("learning.roll_back", work):
                receipt.add(entry)
        return receipt

    async def collect(self, scopes: Sequence[str] | None, *, dry_run: bool) -> Receipt:
        """Tell of new versions of skills, and of consolidations without an error, in some scopes or
        in all; what was told is not told again."""
        receipt = Receipt(dry_run)
        async for scope in paths(self.graph, scopes):
            for entry in await self._told(scope, receipt):
                receipt.add(entry)
        return receipt

    # --- within -------------------------------------------------------------------------------

    async def _curated(self, caller: Caller, batch: str) -> list[str]:
        found = await self.graph.rows(Q.learning.batch_scopes, batch=batch, scopes=caller.visible)
        if not found:
            raise NotFound(f"there is no batch {batch}", field="batch")
        scopes = [row["scope"] for row in found]
        curated = [scope for scope in scopes if caller.may(scope, Role.CURATOR)]
        return curated or [caller.require(scopes[0], Role.CURATOR)]

    async def _told(self, scope: str, receipt: Receipt) -> list[LearnedEntry]:
        """Write what is new of a scope; most often that is nothing, and no lock is taken."""
        rows = [*await self._skills(scope), *await self._memory(scope)]
        fresh = await _unknown(self.graph, rows)
        if receipt.dry_run or not fresh:
            at = receipt.at
            return [_entry(row, scope, receipt.id, at) for row in fresh]

        async def work(tx: Tx) -> list[LearnedEntry]:
            try:
                pen = await Pen.take(tx, of_loci(scope, receipt.id), scope, receipt.id)
            except NotFound:
                return []
            made = [
                pen.learn(row["type"], row["about"], row["about_kind"], row["figures"],
                          id=row["id"], actor=row["actor"], valid_from=row["at"])
                for row in await _unknown(tx, fresh)
            ]  # fmt: skip
            if made:
                await pen.write("learning.collect", entries=len(made))
            return made

        return await self.graph.write("learning.collect", work)

    async def _skills(self, scope: str) -> list[Row]:
        found, after = [], ""
        while rows := await self.graph.rows(
            Q.learning.skill_versions, scope=scope, after=after, limit=PAGE
        ):
            found += [_of_version(row) for row in rows]
            after = rows[-1]["id"]
        return found

    async def _memory(self, scope: str) -> list[Row]:
        """What passes over the memory have changed; they write it down where nothing failed."""
        found, after = [], ""
        while rows := await self.graph.rows(
            Q.learning.updates, scope=scope, after=after, limit=PAGE
        ):
            found += [_of_update(row) for row in rows]
            after = rows[-1]["place"]
        return found


async def _rolled_back(pen: Pen, batch: str, at: datetime, *, dry_run: bool) -> list[LearnedEntry]:
    """Close what is in force of a batch, and classifications to intents that it takes back."""
    closing = {entry.id: entry for entry in await _of_batch(pen, batch)}
    found = [
        entry.about
        for entry in closing.values()
        if entry.type is LearningType.INTENT_DISCOVERED and entry.about
    ]
    for intent in found:
        closing |= {entry.id: entry for entry in await _classified(pen, intent)}
    closed = [
        entry.model_copy(update={"valid_to": max(at, entry.valid_from), "closed_at": pen.at})
        for entry in closing.values()
    ]
    if closed and not dry_run:
        for entry in closed:
            pen.change(LEARNED_ENTRY, entry)
        await _project(pen, closed)
        await pen.write("learning.roll_back", rolled_back=batch, entries=len(closed))
    return closed


async def _of_batch(pen: Pen, batch: str) -> list[LearnedEntry]:
    seen = await pen.tx.many(Q.learning.of_batch, LearnedEntry, batch=batch, scopes=[pen.scope])
    held = await pen.locked(LEARNED_ENTRY, [entry.id for entry in seen])
    return [entry for entry in held.values() if entry.closed_at is None]


async def _classified(pen: Pen, intent: str) -> list[LearnedEntry]:
    rows = await pen.tx.rows(Q.learning.of_intent, intent=intent, scope=pen.scope)
    entries = await pen.tx.many(
        Q.learning.in_force, LearnedEntry, ids=[row["id"] for row in rows], scope=pen.scope
    )
    return [
        entry
        for entry in entries
        if entry.type is LearningType.INTENT_CLASSIFIED and entry.figures.intent == intent
    ]


async def _project(pen: Pen, closed: list[LearnedEntry]) -> None:
    """Let segments and intents follow from what is left in force about them."""
    gone = {entry.id for entry in closed}
    about = sorted({entry.about for entry in closed if entry.about})
    left = await pen.tx.many(Q.learning.in_force, LearnedEntry, ids=about, scope=pen.scope)
    of = {one: [e for e in left if e.about == one and e.id not in gone] for one in about}
    for segment in (await pen.locked(SEGMENT, about)).values():
        made: Segment = segment_of(segment, of[segment.id])
        if made != segment:
            pen.change(SEGMENT, made)
    for intent in (await pen.locked(INTENT, about)).values():
        found: Intent = intent_of(intent, of[intent.id])
        if found.state is not intent.state:
            pen.change(INTENT, found.model_copy(update={"changed_at": pen.at}))


async def _unknown(source: Graph | Tx, rows: list[Row]) -> list[Row]:
    """Those of some entries that were not told before."""
    known = await source.rows(Q.kinds.present, ids=[row["id"] for row in rows]) if rows else []
    ids = {row["id"] for row in known}
    return [row for row in rows if row["id"] not in ids]


def _of_version(row: Row) -> Row:
    made = row["version"] == FIRST
    return {
        "id": digest("skill-version", row["id"])[:32],
        "type": LearningType.SKILL_CREATED if made else LearningType.SKILL_IMPROVED,
        "about": row["skill"],
        "about_kind": "skill",
        "figures": Figures(version=row["version"]),
        "actor": row["author"] or "",
        "at": row["created_at"],
    }


def _of_update(row: Row) -> Row:
    told = orjson.loads(row["payload"])
    figures = Figures(
        episodes=told.get("consolidated"),
        facts=told.get("facts"),
        expired=len(told["expired"]) if "expired" in told else None,
    )
    return {
        "id": digest("memory-updated", row["id"])[:32],
        "type": LearningType.MEMORY_UPDATED,
        "about": None,
        "about_kind": "scope",
        "figures": figures,
        "actor": LOCI,
        "at": row["at"],
    }


def _entry(row: Row, scope: str, batch: str, at: datetime) -> LearnedEntry:
    """What a dry run tells of an entry that would be written."""
    return LearnedEntry(
        id=row["id"], scope=scope, type=row["type"], about=row["about"],
        about_kind=row["about_kind"], batch=batch, figures=row["figures"], actor=row["actor"],
        valid_from=row["at"], recorded_at=at,
    )  # fmt: skip
