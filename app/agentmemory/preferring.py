"""Preferences: notes, with their category and context kept beside them."""

from __future__ import annotations

from dataclasses import dataclass

from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.notes.model import Draft, Namespace
from app.notes.service import NoteService
from app.sanitize.labels import clean_label
from app.scopes.service import ScopeService
from app.search.model import Filters, SearchRequest
from app.search.service import SearchService
from app.transcripts.kind import PREFERENCE
from app.transcripts.model import Preference
from app.transcripts.service import TranscriptService

ENTRY = "preference"  # the type of such notes
DEEP = 100  # notes among which preferences are looked for


@dataclass(frozen=True, slots=True)
class Preferred:
    """What somebody prefers."""

    id: str
    category: str
    text: str
    context: str | None


class PreferenceService:
    """Writes and finds preferences in the caller's home."""

    def __init__(
        self,
        notes: NoteService,
        searches: SearchService,
        transcripts: TranscriptService,
        scopes: ScopeService,
    ) -> None:
        self._notes = notes
        self._searches = searches
        self._transcripts = transcripts
        self._scopes = scopes

    async def add(self, caller: Caller, category: str, text: str, context: str | None) -> Preferred:
        """Write a preference as a note; one that says the same is confirmed."""
        policy = await self._scopes.policy(caller.home)
        named = clean_label(category, "category", policy) or category
        around = clean_label(context, "context", policy)
        draft = Draft(content=text, namespace=Namespace.KNOWLEDGE, title=named, entry_type=ENTRY)
        receipt = await self._notes.write(caller, draft)
        value = Preference(
            id="new",
            scope=receipt.scope,
            agent=caller.principal,
            memory=receipt.id,
            category=named,
            context=around,
            noted_at=now(),
        )
        await self._transcripts.note(caller, PREFERENCE, value, "preference.note")
        stored = await self._notes.get(caller, receipt.id)
        return Preferred(receipt.id, named, stored["note"]["content"], around)

    async def search(
        self, caller: Caller, query: str, category: str | None, limit: int
    ) -> list[Preferred]:
        """Return preferences that a search finds, the best first."""
        if not query.strip():
            return []
        filters = Filters(scopes=caller.visible, kinds=["note"], reader=caller.principal)
        found = await self._searches.search(
            SearchRequest(query=query, filters=filters, limit=DEEP, asker=caller.home)
        )
        texts = {hit.id: hit.memory["content"] for hit in found.hits}
        noted = await self._transcripts.graph.many(
            Q.transcripts.preferences, Preference, notes=list(texts), scopes=caller.visible
        )
        beside = {one.memory: one for one in noted}
        made = [
            Preferred(id, beside[id].category, text, beside[id].context)
            for id, text in texts.items()
            if id in beside and category in (None, beside[id].category)
        ]
        return made[:limit]
