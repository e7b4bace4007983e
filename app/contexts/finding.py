"""Entries of one context found by meaning, and experiences that say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.contexts.entries import Entry, text_of
from app.contexts.model import Context
from app.contexts.sameness import are_one
from app.contexts.service import ContextService
from app.embeddings.calibration import Kinds
from app.indexing.likeness import Likeness
from app.indexing.spaces import Spaces
from app.kernel.caller import Caller
from app.kernel.cypher import Q

NEAR = 16  # experiences that each one is compared with
PAGE = 200
MORE = 4  # times as many are read as asked for: a long text has several windows


@dataclass(frozen=True, slots=True)
class Found:
    """An entry and its calibrated similarity to the question."""

    entry: Entry
    similarity: float


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to a context: how many entries, how similar they are (None as the scope says), and
    of which tag."""

    query: str
    limit: int
    least: float | None = None
    tag: str | None = None


class FindingService:
    """Asks the vector index within one context; thresholds are of calibrated similarities."""

    def __init__(self, contexts: ContextService, spaces: Spaces) -> None:
        self._contexts = contexts
        self._graph = contexts.graph
        self._spaces = spaces

    async def search(self, caller: Caller, context_id: str, asked: Asked) -> list[Found]:
        """Return the entries in use that are at least so similar, the most similar first, as they
        were before this reading, which is counted."""
        context = await self._contexts.get(caller, context_id)
        found = (await self.near(context, asked))[: asked.limit]
        await self._contexts.read_by(caller, context, "search", [f.entry.id for f in found])
        return found

    async def near(self, context: Context, asked: Asked) -> list[Found]:
        """Return the entries in use that are at least so similar to a question."""
        (part,) = await self._spaces.asked(asked.query, [context.scope])
        among = {"context": context.id, "scope": context.scope, "limit": asked.limit * MORE}
        if asked.tag is None:
            query = Q.contexts.near
        else:
            query, among = Q.contexts.near_tagged, among | {"tag": asked.tag}
        rows = await self._graph.rows(part.space.over(query=query), v=part.vector, **among)
        found = [
            Found(
                Entry.of(row["entry"]),
                part.similarity(row["cosine"], Kinds.ANSWER, row["entry"]["language"]),
            )
            for row in rows
        ]
        limits = await self._contexts.bounds(context.scope)
        least = limits.threshold if asked.least is None else asked.least
        kept = [each for each in found if each.similarity >= least]
        return sorted(kept, key=lambda each: (-each.similarity, each.entry.id))

    async def alike(
        self, context: Context, entries: Sequence[Entry], least: float
    ) -> list[list[Entry]]:
        """Return groups of experiences that say the same, each with the one that is kept first.

        Near is not enough: two are one where neither says anything that the other does not, and
        their whole texts are so similar, by the window of either that is least like the other.
        """
        close = await self._close(context, least)
        likeness = await Likeness.of(self._spaces, context.scope)
        by_id = {each.id: each for each in entries}
        taken: set[str] = set()
        groups = []
        for first in sorted(entries, key=_by_weight):
            if first.id in taken:
                continue
            near = [by_id[i] for i in sorted(close.get(first.id, set()) - taken) if i in by_id]
            group = [first, *[e for e in near if await _are_one(likeness, first, e, least)]]
            taken.update(each.id for each in group)
            groups += [group] if len(group) > 1 else []
        return groups

    async def _close(self, context: Context, least: float) -> dict[str, set[str]]:
        """Which experiences are at least so similar to which."""
        chosen = await self._spaces.current()
        space = chosen.of(context.scope).active
        means = await self._spaces.means(context.scope)
        close: dict[str, set[str]] = {}
        after = ""
        while rows := await self._graph.rows(
            space.over(query=Q.contexts.near_pairs),
            context=context.id,
            scope=context.scope,
            after=after,
            near=NEAR,
            limit=PAGE,
        ):
            after = rows[-1]["id"]
            for row in rows:
                spoken = row["language"]
                for other in row["close"]:
                    languages = (spoken, other["language"])
                    similarity = means.similarity(other["cosine"], Kinds.TEXTS, languages)
                    if similarity >= least:
                        close.setdefault(row["id"], set()).add(other["id"])
                        close.setdefault(other["id"], set()).add(row["id"])
        return close


async def _are_one(likeness: Likeness, one: Entry, other: Entry, least: float) -> bool:
    if not await are_one(one, other):
        return False
    return await likeness.texts(text_of(one.value), text_of(other.value)) >= least


def _by_weight(entry: Entry) -> tuple[float, datetime, str]:
    weight = 0.5 if entry.importance is None else entry.importance
    return (-weight, entry.created_at, entry.id)
