"""An agent's notes that say the same become one while it is idle; none is deleted.

Of twins one stands for all (`app/contradiction/twins.py`, decision 0098): the others are overtaken
by it and stay readable for the past. What was read out of a turn goes with that, and is not joined.
A shelf keeps how far it was joined, so that one where nothing was written since is not read again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from app.contradiction.twins import are_twins
from app.indexing.analysis import analyse
from app.indexing.stop_words import STOP_WORDS
from app.kernel import audit
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import new_id
from app.notes.reviewing import NoteReviewer, Review

PAGE = 500
MOST = 5_000  # notes of one shelf that are looked at
ALIKE = 50  # notes of the same terms that are held against each other, each against each
REASON = "it says the same"


@dataclass(frozen=True, slots=True)
class Joint:
    """A note that is overtaken, and the one that stands for both."""

    gone: str
    kept: str


@dataclass(slots=True)
class JoinReceipt:
    """What a pass did, or would do: `joined` notes of how many `shelves`; `busy` shelves have an
    agent that is not idle, and are looked at again. `review` tells what a model was asked."""

    dry_run: bool
    shelves: int = 0
    joined: int = 0
    busy: int = 0
    review: Review = field(default_factory=Review)

    def told(self) -> dict[str, Any]:
        """Return the figures; of a model those alone that was, or would be, asked."""
        figures = asdict(self)
        asked = figures.pop("review")
        model = {name: asked[name] for name in ("asked", "refused", "failed")}
        return figures | ({"model": model} if self.review.asked else {})


def joints(notes: Iterable[Row]) -> list[Joint]:
    """Return which notes of one shelf and one author are overtaken, and by which; pure.

    The note that stands is the one that was confirmed most, else the oldest. Of more than `ALIKE`
    with the same terms the others stay as they are.
    """
    alike: dict[tuple[str, ...], list[Row]] = {}
    for note in notes:
        alike.setdefault(_key(note), []).append(note)
    found = []
    for some in alike.values():
        kept: list[Row] = []
        for note in sorted(some, key=_rank)[:ALIKE]:
            twin = next((one for one in kept if are_twins(one["content"], note["content"])), None)
            if twin is None:
                kept.append(note)
            else:
                found.append(Joint(note["id"], twin["id"]))
    return found


class JoinService:
    """Joins the notes of agents that are idle, one scope and namespace at a time."""

    def __init__(self, graph: Graph, idle: timedelta, reviewer: NoteReviewer) -> None:
        self.graph = graph
        self.idle = idle
        self._reviewer = reviewer

    async def run(self, scopes: Sequence[str] | None, *, dry_run: bool) -> JoinReceipt:
        """Join what may be joined in some scopes, or in all; run again it changes nothing."""
        receipt, after = JoinReceipt(dry_run), ""
        while rows := await self.graph.rows(
            Q.joining.unjoined, scopes=scopes, after=after, limit=PAGE
        ):
            for row in rows:
                receipt.shelves += 1
                await self._shelf(row["shelf"], receipt)
            after = rows[-1]["shelf"]["id"]
        return receipt

    async def _shelf(self, shelf: Row, receipt: JoinReceipt) -> None:
        at = now()
        by_author: dict[tuple[str, int], list[Row]] = {}
        for note in await self._held(shelf):
            by_author.setdefault((note["author"], note["tier"]), []).append(note)
        busy = await self._busy({author for author, _ in by_author}, at)
        found: list[Joint] = []
        settled = not busy
        for (author, _), notes in by_author.items():
            if author not in busy:
                more, sure = await self._joints(shelf, notes, receipt, asks=not busy)
                found += more
                settled = settled and sure
        receipt.busy += bool(busy)
        if receipt.dry_run:
            receipt.joined += len(found)
        elif found or settled:
            receipt.joined += await self._write(shelf, found, at, done=settled)

    async def _joints(
        self, shelf: Row, notes: list[Row], receipt: JoinReceipt, *, asks: bool
    ) -> tuple[list[Joint], bool]:
        """What of one author is overtaken, by the words and then as a model reads what is left;
        and whether the same notes need not be looked at again. No model is asked while somebody
        else who writes to the shelf is busy: it will be looked at again in any case."""
        found = await asyncio.to_thread(joints, notes)
        if not asks:
            return found, True
        gone = {one.gone for one in found}
        left = [note for note in notes if note["id"] not in gone]
        asked = await self._reviewer.review(
            shelf["scope"], left, receipt.review, dry_run=receipt.dry_run
        )
        more = [Joint(one["id"], other["id"]) for one, other in asked.pairs]
        return [*_followed(found, more), *more], asked.settled

    async def aclose(self) -> None:
        """Close the model's connections."""
        await self._reviewer.aclose()

    async def _held(self, shelf: Row) -> list[Row]:
        notes: list[Row] = []
        after = ""
        while len(notes) < MOST:
            rows = await self.graph.rows(
                Q.joining.held,
                scope=shelf["scope"],
                namespace=shelf["namespace"],
                after=after,
                limit=PAGE,
            )
            if not rows:
                break
            notes += [row["note"] for row in rows]
            after = rows[-1]["note"]["id"]
        return notes

    async def _busy(self, authors: Iterable[str], at: datetime) -> set[str]:
        """Those of some authors who said something lately."""
        since = at - self.idle
        rows = await self.graph.rows(Q.joining.spoke, authors=sorted(authors), since=since)
        return {row["author"] for row in rows}

    async def _write(self, shelf: Row, found: list[Joint], at: datetime, *, done: bool) -> int:
        """Write what is joined; nothing where somebody wrote to the shelf meanwhile."""
        scope = shelf["scope"]

        async def work(tx: Tx) -> int:
            locked = await tx.one(
                Q.notes.lock_shelf,
                id=shelf["id"],
                scope=scope,
                namespace=shelf["namespace"],
                seen=shelf["rev"],
                at=at,
            )
            if not locked["unchanged"]:
                return 0
            rows = [{"id": one.gone, "by": one.kept} for one in found]
            joined = await tx.rows(Q.joining.join, rows=rows, scope=scope, reason=REASON, at=at)
            if joined:
                await tx.rows(Q.joining.tell, event=_event(shelf, [row["id"] for row in joined]))
            await tx.rows(Q.joining.mark, id=shelf["id"], scope=scope, done=done)
            return len(joined)

        return await self.graph.write("notes.join", work)


def _followed(found: Iterable[Joint], more: Iterable[Joint]) -> list[Joint]:
    """Joints by the words, each with the note that stands in the end: what stood for others may be
    overtaken itself."""
    ends = {one.gone: one.kept for one in more}
    return [Joint(one.gone, ends.get(one.kept, one.kept)) for one in found]


def _key(note: Row) -> tuple[str, ...]:
    """What two notes share that may be twins: their terms, in any order."""
    return tuple(sorted({*analyse(note["content"], note["language"])} - STOP_WORDS))


def _rank(note: Row) -> tuple[int, datetime, str]:
    return -int(note["confirmations"]), note["valid_from"], note["id"]


def _event(shelf: Row, ids: list[str]) -> Row:
    scope = shelf["scope"]
    return audit.record(
        "note.join",
        tenant=scope.partition("/")[0],
        scope=scope,
        actor="loci",
        request=new_id(),
        payload={"namespace": shelf["namespace"], "joined": len(ids), "notes": ids[:100]},
    )
