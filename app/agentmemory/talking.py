"""Conversations: what is said goes into a transcript, and is found by search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.agentmemory.names import known_as
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.kernel.ids import new_id
from app.lifecycle.forgetting import BATCH, ForgettingService
from app.scopes.sessions import session_id
from app.search.model import Filters, SearchRequest
from app.search.service import SearchService
from app.transcripts.model import Transcript, TranscriptMessage
from app.transcripts.service import Counted, Draft, Said, TranscriptService

LAST = "~"  # after every id
DEEP = 100  # hits among which messages are looked for: others may be in between
OWN = 500  # conversations, the newest ones, that are looked through by themselves
EXTRACTION = {"raw": "pending", "in_progress": "processing", "consolidated": "completed"}


@dataclass(frozen=True, slots=True)
class Stated:
    """A statement that messages bear out, and when the first and the last of them were said."""

    id: str
    text: str
    at: Any
    first: Any = None
    last: Any = None


@dataclass(frozen=True, slots=True)
class Context:
    """What is known of a conversation: what it says of the world, notes made of it, and its last
    messages."""

    transcript: Transcript
    reflections: list[Stated]
    observations: list[Stated]
    messages: list[Said]


class TalkService:
    """Every operation on conversations, which are their agent's alone."""

    def __init__(
        self,
        transcripts: TranscriptService,
        searches: SearchService,
        forgetting: ForgettingService,
    ) -> None:
        self.transcripts = transcripts
        self._searches = searches
        self._forgetting = forgetting

    async def create(
        self, caller: Caller, user: str | None, metadata: dict[str, Any]
    ) -> Transcript:
        """Begin a conversation under a name of its own."""
        return await self.transcripts.begin(caller, new_id(), user, metadata)

    async def describe(
        self, caller: Caller, name: str, user: str | None, metadata: dict[str, Any] | None
    ) -> Transcript:
        """Give a conversation another user or other metadata; one that is not there is begun."""
        talk = await self._known(caller, name)
        if talk is None:
            return await self.transcripts.begin(caller, name, user, metadata or {})
        return await self.transcripts.describe(caller, talk, user, metadata)

    async def open(self, caller: Caller, name: str) -> Transcript:
        """Return a conversation by its id or its name; one of which nothing is known is empty."""
        return await self.transcripts.seen(caller, name, known_as(name))

    async def add(self, caller: Caller, name: str, drafts: Sequence[Draft]) -> list[Said]:
        """Keep messages in their order, all or none."""
        return await self.transcripts.append(caller, await self.open(caller, name), drafts)

    async def read(self, caller: Caller, name: str, limit: int) -> tuple[Transcript, list[Said]]:
        """Return a conversation and its last messages in their order."""
        talk = await self.open(caller, name)
        return talk, await self.transcripts.messages(talk, limit)

    async def page(
        self, caller: Caller, user: str | None, before: tuple[Any, str] | None, limit: int
    ) -> list[Counted]:
        """Return the caller's conversations, the newest first."""
        return await self.transcripts.page(caller, user, before or (now(), LAST), limit)

    async def search(
        self, caller: Caller, query: str, name: str | None, limit: int, threshold: float
    ) -> list[tuple[Said, float]]:
        """Return messages that a search finds, with how relevant they are, 0 to 1; what only
        words find has no similarity that a threshold could be held against, and stays."""
        if not query.strip():
            return []
        if name:
            return await self._within(
                caller, query, _sessions([await self.open(caller, name)]), limit, threshold
            )
        found = await self._within(caller, query, None, limit, threshold)
        if len(found) < limit:  # where much else is said, messages may lie behind it
            own = await self.transcripts.page(caller, None, (now(), LAST), OWN)
            sessions = _sessions([each.transcript for each in own])
            found = await self._within(caller, query, sessions, limit, threshold)
        return found

    async def _within(
        self,
        caller: Caller,
        query: str,
        sessions: list[str] | None,
        limit: int,
        threshold: float,
    ) -> list[tuple[Said, float]]:
        """Return messages of the caller among what a search finds, of some sessions or of all."""
        if sessions == []:
            return []
        filters = Filters(
            scopes=[caller.home],
            kinds=["episode"],
            sessions=sessions,
            reader=caller.principal,
            discarded=True,
        )
        found = await self._searches.search(
            SearchRequest(query=query, filters=filters, limit=DEEP, asker=caller.home)
        )
        said = await self.transcripts.of_episodes(caller, [hit.id for hit in found.hits])
        near = [
            (said[hit.id], hit.relevance)
            for hit in found.hits
            if hit.id in said and (hit.similarity is None or hit.similarity >= threshold)
        ]
        return near[:limit]

    async def delete_message(self, caller: Caller, identifier: str) -> bool:
        """Forget a message with its words; whether it was there."""
        message = await self.transcripts.message(caller, known_as(identifier))
        if message is None:
            return False
        await self._forget(caller, [message])
        return await self.transcripts.drop(caller, [message]) > 0

    async def clear(self, caller: Caller, name: str) -> bool:
        """Forget a conversation with its messages; whether it was there."""
        caller.require(caller.home, Role.WRITER)
        talk = await self._known(caller, name)
        if talk is None:
            return False
        messages = await self.transcripts.every(talk)
        await self._forget(caller, messages)
        await self.transcripts.drop(caller, [*messages, talk])
        return True

    async def context(self, caller: Caller, name: str, limit: int) -> Context:
        """Return what is known of a conversation."""
        talk, messages = await self.read(caller, name, limit)
        observations = await self.observations(talk, limit)
        return Context(talk, await self.reflections(talk, limit), observations, messages)

    async def observations(self, talk: Transcript, limit: int) -> list[Stated]:
        """Return the facts that its messages support and that are held, the latest first."""
        rows = await self.transcripts.graph.rows(
            Q.transcripts.stated, id=talk.id, scope=talk.scope, limit=limit
        )
        return [_stated(row) for row in rows]

    async def reflections(self, talk: Transcript, limit: int) -> list[Stated]:
        """Return the notes that Loci made of its messages, the latest first."""
        rows = await self.transcripts.graph.rows(
            Q.transcripts.derived, id=talk.id, scope=talk.scope, limit=limit
        )
        return [_stated(row) for row in rows]

    async def extraction(self, caller: Caller, name: str) -> list[tuple[str, str]]:
        """Return how far each message with words has been read for what it says."""
        talk = await self.open(caller, name)
        rows = await self.transcripts.graph.rows(
            Q.transcripts.readings, id=talk.id, scope=talk.scope
        )
        return [(row["id"], EXTRACTION.get(row["state"], "failed")) for row in rows]

    async def _known(self, caller: Caller, name: str) -> Transcript | None:
        """Return a conversation by its id or its name, where there is one."""
        blank = self.transcripts.blank(caller, name)
        return await self.transcripts.find(caller, [*known_as(name), blank.id])

    async def _forget(self, caller: Caller, messages: Sequence[TranscriptMessage]) -> None:
        """Hide the episodes of the caller's own messages."""
        places = [{"id": m.memory, "scope": m.scope} for m in messages if m.memory]
        for start in range(0, len(places), BATCH):
            await self._forgetting.apply(caller, "forget", places[start : start + BATCH])


def _stated(row: Row) -> Stated:
    return Stated(row["id"], row["text"], row["at"], row.get("first"), row.get("last"))


def _sessions(talks: Sequence[Transcript]) -> list[str]:
    return [session_id(talk.scope, talk.conversation) for talk in talks]
