"""What an agent remembers of itself: remember, recall, forget, in a context of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from app.contexts.drafting import Draft, entry_of
from app.contexts.entries import Entry, EntryType, Reason, text_of
from app.contexts.finding import Asked, FindingService, Found
from app.contexts.formulas import UNSET_IMPORTANCE, forgotten
from app.contexts.kind import CONTEXT_ENTRY
from app.contexts.model import Context
from app.contexts.service import ContextService, event_of
from app.contexts.writing import EntryService
from app.errors import EmbedderUnavailable, NotFound, StateRefused
from app.indexing.analysis import analyse
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Tx

RECALLED = 0.5  # similarity of what is recalled by meaning
HIDDEN = 0.05  # importance below which what was forgotten is hidden
REFLECTS_EVERY = timedelta(minutes=15)
READ_LEAST, REFLECTED = 2, 10  # readings of what a reflection tells, and how many it tells
LINE = 200  # characters of each of them
ROOM = 10  # keys that are freed beyond those that are too many


class Way(StrEnum):
    """How something was recalled."""

    MEANING = "meaning"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was found, and how."""

    way: Way
    found: list[Found]


class OwnMemory:
    """An agent's own context lies in its leaf, is written by it alone, and is made when needed.

    Older versions kept it in the agent's home. What is there is read and forgotten as before, and
    archived once its key is remembered anew.
    """

    def __init__(
        self, contexts: ContextService, entries: EntryService, finding: FindingService
    ) -> None:
        self._contexts = contexts
        self._entries = entries
        self._finding = finding

    async def remember(self, caller: Caller, draft: Draft) -> Entry:
        """Keep something under a key, in the place of what it held, with the importance that is
        given; the same again changes nothing, but that what was forgotten is back. Beyond the limit
        the keys that were changed longest ago are archived, and some more."""
        caller, context = await self._contexts.own(caller)
        entry = await self._entries.drafted(caller, context, draft)

        async def work(tx: Tx) -> Entry:
            before = await self._entries.in_use(tx, context, entry.key)
            made = await self._entries.put(tx, caller, context, entry, update=True)
            if before is not None and (anew := _anew(before, made, draft.importance)) != made:
                made = await self._entries.reweigh(
                    tx, caller, context, anew, "context.entry.remember"
                )
            await self._make_room(tx, caller, context, made)
            return made

        made = await self._contexts.writing(caller, context, "contexts.remember", work)
        await self._replace(caller, context, draft.key)
        return made

    async def recall(self, caller: Caller, query: str, limit: int) -> Recalled:
        """Return what is like a question, from .5 on; where there is none, what shares words with
        it, with the share in place of the similarity."""
        caller, _ = await self._contexts.own(caller)
        caller, contexts = await self._contexts.remembered(caller)
        try:
            asked = Asked(query, limit * 2, RECALLED)
            near = [await self._finding.near(each, asked) for each in contexts]
        except EmbedderUnavailable:
            near = []
        found = _best([each for some in near for each in some if not is_hidden(each.entry)], limit)
        way = Way.MEANING if found else Way.WORDS
        if not found:
            found = _best(await self._worded(contexts, query), limit)
        for context in contexts:
            ids = [each.entry.id for each in found if each.entry.context_id == context.id]
            await self._contexts.read_by(caller, context, "recall", ids)
        return Recalled(way, found)

    async def forget(self, caller: Caller, key: str) -> Entry:
        """Leave a tenth of the importance of what is under a key; the same again changes nothing.
        Raises NotFound."""
        caller, _ = await self._contexts.own(caller)
        caller, context, entry = await self._held(caller, key)

        async def act(tx: Tx, held: Entry) -> Entry:
            if held.forgotten_at is not None:
                return held
            at = now()
            made = held.weighed(forgotten(held.importance), at)
            made = made.model_copy(update={"forgotten_at": at})
            return await self._entries.reweigh(tx, caller, context, made, "context.entry.forget")

        return await self._entries.change(caller, context, entry.id, act)

    async def reflect(self, caller: Caller) -> Entry | None:
        """Write down what was read most, at most every 15 minutes; the last reflection where that
        is not due, and None where nothing was read twice."""
        caller, context = await self._contexts.own(caller)
        _, contexts = await self._contexts.remembered(caller)
        older = [await self._entries.active(each) for each in contexts if each.id != context.id]

        async def work(tx: Tx) -> Entry | None:
            at = now()
            entries = await self._entries.active(context, tx)
            entries += [each for some in older for each in some]
            earlier = [each for each in entries if each.entry_type is EntryType.REFLECTION]
            last = max(earlier, key=lambda each: each.created_at, default=None)
            if last is not None and at - last.created_at < REFLECTS_EVERY:
                return last
            read = _most_read(entries)
            if not read:
                return None
            made = entry_of(_reflection(read, at), context, caller.principal, at)
            return await self._entries.put(tx, caller, context, made, update=False)

        return await self._contexts.writing(caller, context, "contexts.reflect", work)

    async def _held(self, caller: Caller, key: str) -> tuple[Caller, Context, Entry]:
        """What is under a key, in the leaf before the home; NotFound."""
        caller, contexts = await self._contexts.remembered(caller)
        for context in contexts:
            for entry in await self._entries.keyed(caller, context.id, key):
                return caller, context, entry
        raise NotFound("nothing is remembered under this key", field="key")

    async def _replace(self, caller: Caller, context: Context, key: str) -> None:
        """Archive what an older context has under a key that has a new value now; a process that
        dies before that leaves it to the next one who remembers the key."""
        caller, contexts = await self._contexts.remembered(caller)
        for older in contexts:
            if older.id == context.id:
                continue
            for entry in await self._entries.keyed(caller, older.id, key):
                with suppress(NotFound, StateRefused):  # another request was first
                    await self._entries.archive(caller, older.id, entry.id)

    async def _worded(self, contexts: Sequence[Context], query: str) -> list[Found]:
        asked = set(analyse(query))
        if not asked:
            return []
        entries = [entry for each in contexts for entry in await self._entries.active(each)]
        shares = [
            Found(each, round(len(asked & set(analyse(text_of(each.value)))) / len(asked), 4))
            for each in entries
            if not is_hidden(each)
        ]
        return [each for each in shares if each.similarity > 0]

    async def _make_room(self, tx: Tx, caller: Caller, context: Context, made: Entry) -> None:
        entries = await self._entries.active(context, tx)
        over = len(entries) - (await self._contexts.bounds(context.scope)).own
        if over <= 0:
            return
        others = sorted(
            (each for each in entries if each.id != made.id),
            key=lambda each: (each.changed_at, each.id),
        )
        at = now()
        gone = [each.archived(Reason.SURPLUS, at) for each in others[: over + ROOM]]
        await tx.rows(Q.kinds.change, rows=[CONTEXT_ENTRY.row(each) for each in gone])
        event = event_of(caller, "context.make_room", context, entries=len(gone))
        await tx.rows(Q.contexts.tell, events=[event])


def _anew(before: Entry, made: Entry, importance: float | None) -> Entry:
    """Return what is remembered under a key that was in use, weighed: by what is given where its
    content is another one, like something new where it had been forgotten."""
    if before.forgotten_at is None and (importance is None or made.version == before.version):
        return made
    weight = UNSET_IMPORTANCE if importance is None else importance
    return made.weighed(weight, now()).model_copy(update={"forgotten_at": None})


def _best(found: Iterable[Found], limit: int) -> list[Found]:
    return sorted(found, key=lambda each: (-each.similarity, each.entry.id))[:limit]


def _most_read(entries: list[Entry]) -> list[Entry]:
    """What was read twice at least, the most read first, ten at most, without reflections."""
    told = [
        each
        for each in entries
        if each.access_count >= READ_LEAST
        and each.entry_type is not EntryType.REFLECTION
        and not is_hidden(each)
    ]
    return sorted(told, key=lambda each: (-each.access_count, each.id))[:REFLECTED]


def _reflection(read: list[Entry], at: datetime) -> Draft:
    lines = [f"{each.key}: {text_of(each.value)[:LINE]}" for each in read]
    return Draft(
        f"reflection-{at:%Y%m%dT%H%M%S%f}",
        {"text": "\n".join(lines), "keys": [each.key for each in read]},
        entry_type=EntryType.REFLECTION,
    )


def is_hidden(entry: Entry) -> bool:
    """Return whether an entry was forgotten so far that nobody finds it by its key."""
    weight = UNSET_IMPORTANCE if entry.importance is None else entry.importance
    return entry.forgotten_at is not None and weight < HIDDEN
