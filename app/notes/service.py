"""Writing and reading notes: sanitised first, then held against the ones there are."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from app.embeddings.calibration import Calibration, calibration
from app.episodes.record import tag_rows
from app.errors import Conflict, EmbedderUnavailable, Forbidden, InvalidInput, NotFound
from app.facts.claim import Tier
from app.indexing.analysis import detect_language
from app.indexing.entry import time_key
from app.indexing.spaces import Part, Spaces
from app.jobs.queue import Wakeup
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import FOREVER, now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.ids import digest, new_id
from app.kernel.scope import parse_scope
from app.notes import record
from app.notes.decide import decide, ends_at, waiting
from app.notes.deciding import Effect, Verdict, effect
from app.notes.kind import WAITING, NoteRecord, version_id
from app.notes.model import (
    CONFIRMED,
    MADE,
    SHORTEST,
    TIERS,
    Candidate,
    Decision,
    Draft,
    Incoming,
    Namespace,
    NoteReceipt,
    Origin,
    Original,
    Source,
    Standing,
)
from app.notes.repository import NoteRepository
from app.sanitize.aside import sanitize_aside
from app.sanitize.labels import clean_tags
from app.sanitize.privacy import Level, highest, number
from app.sanitize.step import Sanitized
from app.scopes.service import ScopeService

log = structlog.get_logger()
_TRIES = 25  # rounds against other writers of the same scope and namespace


@dataclass(frozen=True, slots=True)
class NoteDependencies:
    """The services and stores that notes need."""

    notes: NoteRepository
    scopes: ScopeService
    spaces: Spaces
    wakeup: Wakeup


@dataclass(frozen=True, slots=True)
class Change:
    """What of a note is set; None leaves a thing as it is."""

    content: str | None = None
    title: str | None = None
    entry_type: str | None = None
    importance: float | None = None
    confidence: float | None = None
    tags: tuple[str, ...] | None = None
    privacy: Level | None = None


@dataclass(frozen=True, slots=True)
class _Writing:
    """One note on its way into the graph."""

    draft: Draft
    text: Sanitized
    stamp: record.Stamp
    near: Part | None
    origin: Origin | None = None
    original: Original | None = None


class NoteService:
    """Notes as callers see them."""

    def __init__(self, needs: NoteDependencies) -> None:
        self._needs = needs
        self.repository = needs.notes

    async def write(
        self,
        who: Caller,
        draft: Draft,
        origin: Origin | None = None,
        original: Original | None = None,
    ) -> NoteReceipt:
        """Store a note, or confirm the one that says the same, or let it wait for a curator.

        One that was read out of a turn is written once, and confirms nothing that it has said
        before. A copy is tied to its original with the writing of it. Raises NotFound or Forbidden
        by the scope, NotFound for a turn that is gone and an original that is held no more,
        InvalidInput for a text under five characters and what the scope's policy refuses.
        """
        scope = str(parse_scope(draft.scope or who.home))
        who.require(scope, Role.WRITER)
        draft, text = await self._cleaned(draft, scope)
        moment = now()
        stamp = record.Stamp(
            id=_id_of(scope, draft, text, origin),
            scope=scope,
            author=who.principal,
            tier=_tier(who, draft.source),
            valid_from=draft.valid_from or moment,
            ingested_at=moment,
        )
        near = await self._near(text.text, stamp.scope)
        writing = _Writing(draft, text, stamp, near, origin, original)
        for _ in range(_TRIES):
            receipt = await self._attempt(who, writing)
            if receipt is not None:
                self._needs.wakeup.set()
                return receipt
        raise Conflict("too many others write notes here at this moment; try again")

    async def get(self, who: Caller, note: str) -> Row:
        """Return one note; NotFound where absent, forgotten or not visible."""
        row = await self.repository.get(note, who.visible)
        if row is None:
            raise NotFound(f"there is no note {note}")
        return row

    async def change(self, who: Caller, note: str, change: Change) -> Row:
        """Set what the change names; a new text is sanitised, indexed anew, and the old kept.

        A new text must stand beside the other notes: one that repeats or contradicts another has
        to be written as a note, which may end that one or wait for a curator. Raises NotFound,
        Forbidden where neither author nor curator asks, and Conflict for such a text (field
        `content`) and for a note that is made of facts.
        """
        stored = (await self.get(who, note))["note"]
        _require_author(who, stored)
        if stored["namespace"] in MADE:
            raise Conflict(f"the note {note} is made by Loci and changes with what it rests on")
        clean = await self._cleaned_change(change, stored["scope"])
        for _ in range(_TRIES):
            if await self._changed(who, stored, clean):
                self._needs.wakeup.set()
                return await self.get(who, note)
        raise Conflict("too many others write notes here at this moment; try again")

    async def forget(self, who: Caller, note: str) -> None:
        """Hide a note from every reading; it stays in the graph until it is erased."""
        stored = (await self.get(who, note))["note"]
        _require_author(who, stored)
        moment = now()
        properties = {
            "expired_at": moment,
            "expired_key": time_key(moment),
            "live": False,
            "facets": [facet for facet in stored["facets"] if facet != "live"],
        }
        await self._set(who, stored, properties, "note.forget")

    async def review(
        self, who: Caller, note: str, decision: str, ends: Sequence[str] | None = None
    ) -> Row:
        """Decide on a note that waits: `accept` ends what it stands against, or of that only what
        `ends` names; `keep` lets both stand, `reject` leaves it out.

        What came since is heeded: a note that is let in holds until a later one does that has the
        right to its place. Raises NotFound, Forbidden without the curator's role, Conflict where
        it does not wait, or contradicts a note besides those that it stands against, which it
        does from then on, and InvalidInput (field `ends`) for an id that it does not stand against.
        """
        stored = (await self.get(who, note))["note"]
        who.require(stored["scope"], Role.CURATOR)
        for _ in range(_TRIES):
            unseen = await self._reviewed(who, stored, Verdict(decision, ends))
            if unseen is None:
                continue
            self._needs.wakeup.set()
            if unseen:
                raise Conflict(
                    f"by now it contradicts {', '.join(unseen)} as well: look, and decide again"
                )
            return await self.get(who, note)
        raise Conflict("too many others write notes here at this moment; try again")

    # --- writing -------------------------------------------------------------------------------

    async def _cleaned(self, draft: Draft, scope: str) -> tuple[Draft, Sanitized]:
        policy = await self._needs.scopes.policy(scope)
        text = await sanitize_aside(draft.content, policy, "content")
        if len(text.text.strip()) < SHORTEST:
            raise InvalidInput(f"a note has at least {SHORTEST} characters", field="content")
        titled = await sanitize_aside(draft.title, policy, "title") if draft.title else None
        title = titled.text if titled else draft.title
        privacy = highest(draft.privacy, text.privacy, titled.privacy if titled else None)
        tags = clean_tags(draft.tags, policy)
        return replace(draft, title=title, tags=tags, privacy=privacy), text

    async def _near(self, text: str, scope: str) -> Part | None:
        """Return the vector to compare by; None where the model is away, so that words decide."""
        try:
            return await self._needs.spaces.compared(text, scope)
        except EmbedderUnavailable as error:
            log.warning("notes.no_vector", reason=error.detail)
            return None

    def _means(self, near: Part | None) -> Calibration:
        return calibration(near.model if near else self._needs.spaces.default.info.name)

    async def _attempt(self, who: Caller, writing: _Writing) -> NoteReceipt | None:
        """Decide and write; None where someone else wrote here meanwhile."""
        stamp, namespace = writing.stamp, writing.draft.namespace
        seen = await self.repository.revision(stamp.scope, namespace)
        new = _incoming(writing)
        found = await self.repository.candidates(
            stamp.scope, new, writing.near, digest(new.content)
        )
        # Long notes have many sentences to hold against each other: off the event loop with it.
        at = self._means(writing.near)
        decision = await asyncio.to_thread(decide, new, found, at)
        if writing.origin and writing.origin.waits and decision.duplicate is None:
            decision = waiting(decision, writing.origin.waits)

        async def work(tx: Tx) -> NoteReceipt | None:
            if not await _locked(tx, stamp.scope, namespace, seen):
                return None
            await _hold_original(tx, writing)
            there = await _there(tx, writing)
            if there is not None:
                return there
            if decision.duplicate is not None and not _confirms(writing):
                return _said_before(writing, decision.duplicate)
            if decision.duplicate is not None:
                return await _confirm(tx, who, writing, decision.duplicate)
            return await _create(tx, who, writing, decision)

        return await self.repository.graph.write("notes.write", work)

    async def _changed(self, who: Caller, stored: Row, change: Change) -> bool:
        """Write a change; False where someone else wrote here meanwhile."""
        scope, namespace = stored["scope"], Namespace(stored["namespace"])
        seen = await self.repository.revision(scope, namespace)
        if change.content is not None:
            await self._need_room(stored, change.content)

        async def work(tx: Tx) -> bool:
            if change.content is not None and not await _locked(tx, scope, namespace, seen):
                return False
            await self._rewrite(tx, who, stored["id"], change)
            return True

        return await self.repository.graph.write("notes.change", work)

    async def _need_room(self, stored: Row, content: str) -> None:
        """Conflict where the text repeats another note of its shelf, or contradicts one."""
        new = _stored_anew(stored, content)
        near = await self._near(content, stored["scope"])
        found = await self.repository.candidates(stored["scope"], new, near, digest(content))
        others = [candidate for candidate in found if candidate.id != stored["id"]]
        decision = await asyncio.to_thread(decide, new, others, self._means(near))
        if decision.duplicate is not None:
            raise Conflict(f"the note {decision.duplicate.id} says the same", field="content")
        against = [*decision.ends, *decision.contradicts]
        if decision.before is not None:
            against.append(decision.before)
        if against:
            told = ", ".join(sorted({candidate.id for candidate in against}))
            raise Conflict(
                f"it contradicts {told} ({decision.reason}); write it as a note of its own",
                field="content",
            )

    async def _cleaned_change(self, change: Change, scope: str) -> Change:
        policy = await self._needs.scopes.policy(scope)
        new = await sanitize_aside(change.content, policy, "content") if change.content else None
        content = new.text if new else change.content
        if content is not None and len(content.strip()) < SHORTEST:
            raise InvalidInput(f"a note has at least {SHORTEST} characters", field="content")
        titled = await sanitize_aside(change.title, policy, "title") if change.title else None
        title = titled.text if titled else change.title
        levels = [change.privacy, *(found.privacy for found in (new, titled) if found)]
        tags = None if change.tags is None else clean_tags(change.tags, policy)
        privacy = highest(*levels)
        return replace(change, content=content, title=title, tags=tags, privacy=privacy)

    async def _rewrite(self, tx: Tx, who: Caller, note: str, change: Change) -> None:
        row = await tx.optional(Q.notes.lock_note, id=note, scopes=who.visible, at=now())
        if row is None:
            raise NotFound(f"there is no note {note}")
        stored: Row = row["note"]
        properties, version = _changed(stored, change)
        await tx.one(
            Q.notes.change,
            id=note,
            scope=stored["scope"],
            properties=properties,
            version=version,
            tags=None if change.tags is None else tag_rows(stored["scope"], change.tags),
            audit=audit.event(
                who, "note.change", stored["scope"], fields=sorted(properties.keys() & _SHOWN)
            ),
        )
        await tx.rows(Q.notes.mirror, id=note, scope=stored["scope"])

    async def _set(self, who: Caller, stored: Row, properties: Row, kind: str) -> None:
        async def work(tx: Tx) -> None:
            await tx.one(
                Q.notes.change,
                id=stored["id"],
                scope=stored["scope"],
                properties=properties,
                version=None,
                tags=None,
                audit=audit.event(who, kind, stored["scope"]),
            )
            await tx.rows(Q.notes.mirror, id=stored["id"], scope=stored["scope"])

        await self.repository.graph.write("notes.set", work)

    async def _reviewed(self, who: Caller, stored: Row, verdict: Verdict) -> tuple[str, ...] | None:
        """Write a decision; the notes that stop it, as nobody has held it against them, or None
        where someone else wrote here meanwhile."""
        scope, namespace = stored["scope"], Namespace(stored["namespace"])
        seen = await self.repository.revision(scope, namespace)
        does = await self._effect(stored, verdict) if verdict.lets_in else Effect()

        async def work(tx: Tx) -> tuple[str, ...] | None:
            if not await _locked(tx, scope, namespace, seen):
                return None
            return await _decided(tx, who, stored["id"], (verdict, does))

        return await self.repository.graph.write("notes.review", work)

    async def _effect(self, stored: Row, verdict: Verdict) -> Effect:
        """What letting a note in does to those that hold by now."""
        against = await self.repository.against(stored["id"], stored["scope"])
        new = _stored_anew(stored, stored["content"])
        near = await self._near(new.content, stored["scope"])
        later = sorted({each for some in against.values() for each in some})
        found = await self.repository.candidates(
            stored["scope"], new, near, digest(new.content), also=later
        )
        return await asyncio.to_thread(effect, new, verdict, (against, found), self._means(near))


async def _decided(tx: Tx, who: Caller, note: str, word: tuple[Verdict, Effect]) -> tuple[str, ...]:
    """Write a curator's word on a note; the notes that stop it, which it stands against by now."""
    (verdict, does), moment = word, now()
    row = await tx.optional(Q.notes.lock_note, id=note, scopes=who.visible, at=moment)
    if row is None or row["note"]["standing"] != Standing.QUARANTINED:
        raise Conflict(f"the note {note} does not wait for a decision")
    _need_known(verdict, [old["id"] for old in row["against"]])
    stored: Row = row["note"]
    linked = {"scope": stored["scope"], "reason": stored["reason"], "at": moment}
    unseen = tuple(sorted({old.id for old in does.unseen}))
    if unseen:
        await tx.rows(Q.notes.contradict, id=note, others=unseen, **linked)
        return unseen
    properties: Row = {"standing": str(Standing.REJECTED)}
    if verdict.lets_in:
        properties = _let_in(stored, does.before, moment)
        await tx.rows(Q.notes.publish, id=note, scope=stored["scope"])
    await tx.one(
        Q.notes.change,
        id=note,
        scope=stored["scope"],
        properties=properties,
        version=None,
        tags=None,
        audit=audit.event(who, f"note.{verdict.decision}", stored["scope"]),
    )
    named = [
        old
        for old in row["against"]
        if verdict.names(old["id"]) and old["standing"] == Standing.HELD
    ]
    since = max([stored["valid_from"], *(old["valid_from"] for old in named)])
    rows = [{"id": old["id"], "valid_to": since} for old in named]
    rows += [{"id": old.id, "valid_to": stored["valid_from"]} for old in does.ends]
    ended = [row | {"reason": stored["reason"]} for row in rows]
    await tx.rows(Q.notes.end, rows=ended, by=note, scope=stored["scope"], at=moment)
    if does.before is not None:
        await tx.rows(Q.notes.link_later, id=note, by=does.before.id, **linked)
    beside = [old.id for old in does.beside]
    await tx.rows(Q.notes.contradict, id=note, others=beside, **linked)
    return ()


def _let_in(stored: Row, before: Candidate | None, moment: datetime) -> Row:
    """Return what a note is that waited: held, or past where a later one has its place."""
    found = {"index_state": "pending"}
    if before is not None:
        past = {"standing": str(Standing.SUPERSEDED), "valid_to": before.valid_from}
        return {**found, **past, "superseded_at": moment}
    held = {"standing": str(Standing.HELD), "valid_to": FOREVER, "superseded_at": FOREVER}
    return {**found, **held, "live": True, "facets": [*stored["facets"], "live"]}


_SHOWN = frozenset(["content", "title", "entry_type", "importance", "confidence", "tags"])


def _need_known(verdict: Verdict, against: Sequence[str]) -> None:
    if verdict.ends is None:
        return
    if verdict.decision != "accept":
        raise InvalidInput("only accept ends other notes", field="ends")
    unknown = sorted(set(verdict.ends) - set(against))
    if unknown:
        raise InvalidInput(f"the note does not stand against {unknown[0]}", field="ends")


def _tier(who: Caller, source: Source | None) -> Tier:
    """As the client says; without a word a user's note is the user's, an agent's the agent's.

    What an agent hands in as a user's words is a quotation, below that user's own.
    """
    tier = TIERS[source or (Source.USER if who.kind == "user" else Source.AGENT)]
    return Tier.QUOTED if tier is Tier.USER and who.kind != "user" else tier


def _require_author(who: Caller, stored: Row) -> None:
    who.require(stored["scope"], Role.WRITER)
    if stored["author"] != who.principal and not who.may(stored["scope"], Role.CURATOR):
        raise Forbidden("only its author or a curator changes a note")


async def _locked(tx: Tx, scope: str, namespace: Namespace, seen: int) -> bool:
    """Lock a shelf; whether nobody has written there since `seen`."""
    row = await tx.one(
        Q.notes.lock_shelf,
        id=record.shelf_id(scope, namespace),
        scope=scope,
        namespace=namespace,
        seen=seen,
        at=now(),
    )
    return bool(row["unchanged"])


def _incoming(writing: _Writing) -> Incoming:
    return Incoming(
        content=writing.text.text,
        namespace=writing.draft.namespace,
        language=detect_language(writing.text.text),
        tier=writing.stamp.tier,
        author=writing.stamp.author,
        valid_from=writing.stamp.valid_from,
        read_out=writing.origin is not None,
    )


def _stored_anew(stored: Row, content: str) -> Incoming:
    """Return a stored note with a text as one that comes now."""
    return Incoming(
        content=content,
        namespace=Namespace(stored["namespace"]),
        language=detect_language(content),
        tier=Tier(stored["tier"]),
        author=stored["author"],
        valid_from=stored["valid_from"],
        read_out=stored.get("cited") is not None,
    )


def _id_of(scope: str, draft: Draft, text: Sanitized, origin: Origin | None) -> str:
    if origin is None:
        return new_id()
    return record.extracted_id(scope, draft.namespace, origin.turn, text.text)


async def _there(tx: Tx, writing: _Writing) -> NoteReceipt | None:
    """The note that was read out of the same turn before, whatever became of it; NotFound where
    the turn is gone."""
    if writing.origin is None:
        return None
    stamp = writing.stamp
    row = await tx.one(Q.notes.of_turn, id=stamp.id, turn=writing.origin.turn, scope=stamp.scope)
    if not row["stands"]:
        raise NotFound(f"there is no turn {writing.origin.turn}")
    if row["note"] is None:
        return None
    return _receipt(writing, "duplicate", stamp.id, row["note"], reason="it was read before")


async def _hold_original(tx: Tx, writing: _Writing) -> None:
    """Lock what is copied, so that it is not erased before the copy is tied to it; NotFound where
    it is held no more."""
    if writing.original is None:
        return
    given, at = writing.original, writing.stamp.ingested_at
    row = await tx.optional(Q.notes.lock_original, id=given.note, scope=given.scope, at=at)
    if row is None:
        raise NotFound(f"there is no note {given.note} that is held")


def _confirms(writing: _Writing) -> bool:
    """Return whether a note that says nothing new confirms the one that says it."""
    only_adds = writing.original is not None and writing.original.only_adds
    return writing.origin is None and not only_adds


def _said_before(writing: _Writing, first: Candidate) -> NoteReceipt:
    """The receipt of what is a note already, which stays as it is."""
    row: Row = {
        "standing": str(first.standing),
        "confidence": first.confidence,
        "confirmations": first.confirmations,
        "valid_from": first.valid_from,
        "valid_to": first.valid_to,
    }
    return _receipt(writing, "duplicate", first.id, row, reason="it says nothing new")


async def _confirm(tx: Tx, who: Caller, writing: _Writing, first: Candidate) -> NoteReceipt:
    scope = writing.stamp.scope
    row = await tx.one(
        Q.notes.confirm,
        id=first.id,
        scope=scope,
        by=who.principal,
        step=CONFIRMED,
        privacy=number(writing.draft.privacy),
        at=writing.stamp.ingested_at,
        audit=audit.event(who, "note.confirm", scope),
    )
    return _receipt(writing, "duplicate", first.id, row, reason="it says nothing new")


async def _create(tx: Tx, who: Caller, writing: _Writing, decision: Decision) -> NoteReceipt:
    stamp, scope = writing.stamp, writing.stamp.scope
    note = record.note_row(writing.draft, writing.text, stamp, decision)
    if writing.origin is not None:
        note["cited"] = 1
    await tx.one(
        Q.notes.create,
        note=_with_vector(note, writing.near, decision),
        searchable=decision.standing is not Standing.QUARANTINED,
        tags=tag_rows(scope, writing.draft.tags),
        audit=audit.event(
            who,
            "note.write",
            scope,
            content_hash=note["content_hash"],
            standing=note["standing"],
            ends=[old.id for old in decision.ends],
            redactions=len(writing.text.redactions),
            markers=list(writing.text.marker_ids),
        ),
    )
    if writing.origin is not None:
        await tx.rows(Q.notes.rest_on, id=stamp.id, turn=writing.origin.turn, scope=scope)
    if writing.original is not None:
        await tx.one(
            Q.notes.copy_of,
            id=stamp.id,
            original=writing.original.note,
            scopes=[scope, writing.original.scope],
            quality=writing.original.quality,
            at=stamp.ingested_at,
        )
    await _link(tx, stamp, decision)
    status = "quarantined" if decision.standing is Standing.QUARANTINED else "stored"
    return _receipt(writing, status, stamp.id, note, decision)


async def _link(tx: Tx, stamp: record.Stamp, decision: Decision) -> None:
    linked = {"scope": stamp.scope, "at": stamp.ingested_at}
    if decision.ends:
        rows = [
            {"id": old.id, "valid_to": stamp.valid_from, "reason": decision.reason}
            for old in decision.ends
        ]
        await tx.rows(Q.notes.end, rows=rows, by=stamp.id, **linked)
    if decision.before is not None:
        await tx.rows(
            Q.notes.link_later,
            id=stamp.id, by=decision.before.id, reason=decision.reason, **linked,
        )  # fmt: skip
    # The first is the one that had ended them; behind it are notes that were read out of turns.
    for later in decision.contradicts[:1] if decision.reopens else ():
        ids = [old.id for old in decision.reopens]
        await tx.rows(Q.notes.reopen, ids=ids, by=later.id, reason=decision.reason, **linked)
    others = [old.id for old in decision.contradicts]
    if decision.standing is Standing.QUARANTINED:
        await tx.rows(
            Q.notes.contradict, id=stamp.id, others=others, reason=decision.reason, **linked
        )
    elif others:
        await tx.rows(Q.notes.hold_back, ids=others, by=stamp.id, reason=decision.reason, **linked)


def _with_vector(note: Row, near: Part | None, decision: Decision) -> Row:
    """Add the vector at once, so that the next note is held against this one; the indexing pass
    settles it, windows included."""
    if near is None or decision.standing is Standing.QUARANTINED:
        return note
    return {**note, near.space.vector_name: near.vector}


def _changed(stored: Row, change: Change) -> tuple[Row, Row | None]:
    """Return the properties to set, and the former text where it changes."""
    named = {
        "title": change.title,
        "entry_type": change.entry_type,
        "importance": change.importance,
        "confidence": change.confidence,
        "tags": None if change.tags is None else list(change.tags),
    }
    properties: Row = {key: value for key, value in named.items() if value is not None}
    level = number(change.privacy or "none")
    if level > (stored.get("privacy") or 0):  # a level is never lowered: former texts had it
        properties["privacy"] = level
    text = change.content if change.content is not None else stored["content"]
    properties |= _reindexed(stored, properties, text)
    if change.content is None or change.content == stored["content"]:
        return properties, None
    properties |= {
        "content": text,
        "content_hash": digest(text),
        "version": stored["version"] + 1,
    }
    former = {
        "id": version_id(stored["id"], stored["version"]),
        "note": stored["id"],
        "scope": stored["scope"],
        "content": stored["content"],
        "version": stored["version"],
        "recorded_at": stored["updated_at"],
        "retracted_at": now(),
    }
    return properties, former


def _reindexed(stored: Row, properties: Row, text: str) -> Row:
    """Return the index entry of a changed note; it waits for its vector unless the note waits."""
    note = NoteRecord.of({**stored, **properties, "content": text})
    made = note.indexed(stored["ingested_at"])
    made["index_rev"] = stored["index_rev"] + 1
    if stored["index_state"] == WAITING:
        made["index_state"] = WAITING
    return made


def _receipt(
    writing: _Writing, status: str, note: str, row: Row, decision: Decision | None = None,
    reason: str = "",
) -> NoteReceipt:  # fmt: skip
    made = decision or Decision(reason=reason)
    return NoteReceipt(
        status=status,
        id=note,
        scope=writing.stamp.scope,
        namespace=writing.draft.namespace,
        standing=row["standing"],
        confidence=row["confidence"],
        confirmations=row["confirmations"],
        valid_from=row["valid_from"],
        valid_to=row.get("valid_to") or ends_at(made),
        ends=tuple(old.id for old in made.ends),
        before=made.before.id if made.before else None,
        contradicts=tuple(old.id for old in made.contradicts),
        reason=made.reason,
        redactions=len(writing.text.redactions),
        markers=tuple(writing.text.marker_ids),
    )
