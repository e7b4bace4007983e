"""What helps with the reply to a message: what matters of the buffer, and what is known beside it.

It is asked for on every message, so that no model is unless the request wants one, and nothing is
searched where nothing is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from app.conversations.model import Conversation
from app.conversations.noise import is_useful
from app.conversations.service import ConversationService
from app.kernel.caller import Caller
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.questions.log import QuestionLog
from app.sanitize.aside import READ, aside
from app.scopes.tuning import tuned
from app.search.bundle import render
from app.search.mode import Mode
from app.search.model import Empty, Filters, Found, SearchRequest
from app.search.relevance import Asked
from app.search.schemas import SearchIn
from app.search.service import SearchService
from app.search.telling import recorded
from app.turns.rewriting import Rewriting, by_keywords

NOTHING = "Nothing relevant is remembered."  # in the place of a text; it is not for a prompt
RECENT = 4  # messages at the end of a buffer that matter whatever they say, unless mere talk


class Rewrite(StrEnum):
    """What becomes of a question that points to what was said before it."""

    OFF = "off"
    KEYWORDS = "keywords"  # telling words of the last messages are put behind it
    MODEL = "model"  # a model writes it anew, where there is one; else as above


@dataclass(frozen=True, slots=True)
class RecallLimits:
    """Characters of the query, hits, characters of each, and the least relevance of one."""

    query: int = tuned("conversations.query_characters")
    hits: int = tuned("conversations.hits")
    characters: int = tuned("conversations.hit_characters")
    relevance: float = tuned("conversations.relevance")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request names itself; None takes what the settings say."""

    query: str | None = None
    scopes: tuple[str, ...] | None = None
    hits: int | None = None
    relevance: float | None = None
    rewrite: Rewrite = Rewrite.OFF


@dataclass(frozen=True, slots=True)
class Recalled:
    """What matters of the buffer, what was found by which words, and the text for a prompt;
    `found` is None where nothing was searched."""

    query: str
    chosen: list[Row]
    found: Found | None
    text: str


class Recalling:
    """Reads only, and holds no state of its own."""

    def __init__(
        self,
        conversations: ConversationService,
        searches: SearchService,
        questions: QuestionLog,
        limits: RecallLimits,
        rewriting: Rewriting,
    ) -> None:
        self.limits = limits
        self._rewriting = rewriting
        self._conversations = conversations
        self._searches = searches
        self._questions = questions

    async def recall(self, caller: Caller, talk: Conversation, wanted: Wanted) -> Recalled:
        """Return what helps with the reply to a message, by default the user's last one."""
        rows = await self._conversations.buffer(talk)
        limits = await self.bounds(talk.scope)
        query = (wanted.query or _last_of_user(rows)).strip()[: limits.query].strip()
        said = [row["episode"]["content"] for row in rows]
        matters = await aside(said, lambda: chosen(rows, query), READ)
        if not query:
            return Recalled(query, matters, None, NOTHING)
        request = _request(caller, talk, query, wanted, limits)
        query = await self._rewritten(talk, rows, query, wanted.rewrite)
        if query != request.query:
            request = replace(request, query=query)
        if not await anything(self._conversations.graph, request.filters):
            return Recalled(query, matters, None, NOTHING)
        found = await recorded(self._searches, self._questions, caller, request)
        told = partial(render, found, query, limits.characters)
        texts = [hit.memory["content"] for hit in found.hits]
        text = await aside(texts, told, READ) if found.hits else NOTHING
        return Recalled(query, matters, found, text)

    async def aclose(self) -> None:
        """Close the connections to the model."""
        await self._rewriting.aclose()

    async def _rewritten(
        self, talk: Conversation, rows: Sequence[Row], query: str, how: Rewrite
    ) -> str:
        """The question as it is searched for."""
        said = [str(row["episode"]["content"]) for row in rows]
        before = [text for text in said if not text.strip().startswith(query)]
        if how is Rewrite.MODEL:
            return await self._rewriting.by_model(query, before, talk.scope)
        if how is Rewrite.KEYWORDS:
            return await aside(before, lambda: by_keywords(query, before), READ)
        return query

    async def bounds(self, scope: str) -> RecallLimits:
        """Return how much is recalled for a message of a conversation in a scope."""
        return await self._conversations.scopes.limits(self.limits, scope)


def _request(
    caller: Caller, talk: Conversation, query: str, wanted: Wanted, limits: RecallLimits
) -> SearchRequest:
    asked = SearchIn(
        query=query,
        scopes=wanted.scopes,
        limit=wanted.hits or limits.hits,
        min_score=limits.relevance if wanted.relevance is None else wanted.relevance,
        fallback=False,
        form="bundle",
    ).to_request(caller)
    return replace(asked, filters=replace(asked.filters, talk=talk.id), blocks_of=None)


async def anything(graph: Graph, filters: Filters) -> bool:
    """Return whether there is anything in the scopes of a search beside what is in the buffer."""
    row = await graph.one(
        Q.conversations.anything, scopes=filters.scopes, reader=filters.reader, talk=filters.talk
    )
    return bool(row["found"])


def unsearched(request: SearchRequest) -> Found:
    """Return the answer of a search that was not made, since there is nothing to find."""
    walks = request.mode in (Mode.AUTO, Mode.GRAPH)
    mode = Mode.HYBRID if walks else request.mode
    return Found([], mode, 0, 0, 0, {}, empty=Empty.NOTHING_FOUND)


def chosen(rows: Sequence[Row], query: str) -> list[Row]:
    """Return what of a buffer matters for a query: what states something, and is one of the last
    few messages or holds a telling word of the query."""
    asked = Asked.of(query)
    last = len(rows) - RECENT
    return [
        row
        for place, row in enumerate(rows)
        if is_useful(row["episode"]["content"], _asked(rows, place)).keep
        and (place >= last or asked.within(row["episode"]["content"]))
    ]


def _asked(rows: Sequence[Row], place: int) -> str | None:
    """What somebody else had said before a message of the buffer."""
    role = rows[place]["episode"]["role"]
    others = (row["episode"] for row in reversed(rows[:place]) if row["episode"]["role"] != role)
    return next((str(one["content"]) for one in others), None)


def _last_of_user(rows: Sequence[Row]) -> str:
    said = (row["episode"] for row in reversed(rows))
    return next((str(one["content"]) for one in said if one["role"] == "user"), "")
