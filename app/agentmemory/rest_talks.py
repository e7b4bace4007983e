"""Conversations over the REST of the protocol."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from litestar import Controller, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from app.agentmemory.names import shown
from app.agentmemory.rest_schemas import (
    ConversationIn,
    ExtractionOut,
    MemoryContextOut,
    MessageIn,
    MessageSearchIn,
    MessagesIn,
    StatedOut,
    TalkMessageOut,
    TalkMessagesOut,
    TalkObservationsOut,
    TalkOut,
    TalkReflectionsOut,
    TalksOut,
)
from app.agentmemory.wired import AgentMemory
from app.kernel import paging
from app.kernel.caller import Caller, Role
from app.kernel.departures import READS as ONLY_READS

TAGS = ("Agent memory",)
Serving = NamedDependency[AgentMemory]
Asking = NamedDependency[Caller]
Most = Annotated[int | None, QueryParameter(ge=1, le=1000, description="Most items.")]
OfUser = Annotated[
    str | None, QueryParameter(name="userId", description="Only conversations with this user.")
]
AlsoOfUser = Annotated[
    str | None, QueryParameter(name="user_id", description="Another word for `userId`.")
]


class TalkController(Controller):
    """Conversations of the key's agent; a path names one by its id, or by a name of your own."""

    path = "/agent-memory/v1/conversations"
    tags = TAGS

    @post("/", operation_id="createMemoryConversation", opt={"requires": Role.WRITER})
    async def create(
        self, data: JSONBody[ConversationIn], caller: Asking, agent_memory: Serving
    ) -> TalkOut:
        """Begin a conversation."""
        made = await agent_memory.talks.create(caller, data.user_id, data.metadata or {})
        return TalkOut.of(made, 0)

    @get("/", operation_id="listMemoryConversations", opt={"requires": Role.READER})
    async def list_talks(
        self,
        caller: Asking,
        agent_memory: Serving,
        limit: Most = None,
        cursor: FromQuery[str | None] = None,
        user: OfUser = None,
        same_user: AlsoOfUser = None,
    ) -> TalksOut:
        """List conversations, the newest first."""
        most = min(limit or 50, agent_memory.settings.page)
        before = paging.decode(cursor) if cursor else None
        found = await agent_memory.talks.page(caller, user or same_user, before, most + 1)
        items = found[:most]
        last = items[-1].transcript if len(found) > most else None
        return TalksOut(
            [TalkOut.of(one.transcript, one.messages) for one in items],
            paging.encode(last.began_at, last.id) if last else None,
        )

    @get("/{talk:str}", operation_id="getMemoryConversation", opt={"requires": Role.READER})
    async def read(self, talk: FromPath[str], caller: Asking, agent_memory: Serving) -> TalkOut:
        """Read a conversation without its messages; one of which nothing is known is empty."""
        return TalkOut.of(await agent_memory.talks.open(caller, talk), None)

    @put("/{talk:str}", operation_id="updateMemoryConversation", opt={"requires": Role.WRITER})
    async def update(
        self,
        talk: FromPath[str],
        data: JSONBody[ConversationIn],
        caller: Asking,
        agent_memory: Serving,
    ) -> TalkOut:
        """Put other metadata in the place of a conversation's, and name another user; a field that
        is left out stays. One that is not there is begun."""
        made = await agent_memory.talks.describe(caller, talk, data.user_id, data.metadata)
        return TalkOut.of(made, None)

    @delete("/{talk:str}", operation_id="deleteMemoryConversation", opt={"requires": Role.WRITER})
    async def delete(self, talk: FromPath[str], caller: Asking, agent_memory: Serving) -> None:
        """Forget a conversation with its messages; again, it changes nothing."""
        await agent_memory.talks.clear(caller, talk)

    @post("/{talk:str}/messages", operation_id="addMemoryMessage", opt={"requires": Role.WRITER})
    async def add(
        self,
        talk: FromPath[str],
        data: JSONBody[MessageIn],
        caller: Asking,
        agent_memory: Serving,
    ) -> TalkMessageOut:
        """Keep a message; the first one makes the conversation."""
        held = await agent_memory.talks.open(caller, talk)
        (said,) = await agent_memory.talks.add(caller, talk, [data.to_draft()])
        return TalkMessageOut.of(said, held.id)

    @post(
        "/{talk:str}/messages/bulk",
        operation_id="addMemoryMessages",
        opt={"requires": Role.WRITER},
    )
    async def add_all(
        self,
        talk: FromPath[str],
        data: JSONBody[MessagesIn],
        caller: Asking,
        agent_memory: Serving,
    ) -> TalkMessagesOut:
        """Keep up to 100 messages in their order, all or none."""
        held = await agent_memory.talks.open(caller, talk)
        drafts = [message.to_draft() for message in data.messages]
        made = await agent_memory.talks.add(caller, talk, drafts)
        return TalkMessagesOut([TalkMessageOut.of(said, held.id) for said in made])

    @get("/{talk:str}/messages", operation_id="listMemoryMessages", opt={"requires": Role.READER})
    async def messages(
        self,
        talk: FromPath[str],
        caller: Asking,
        agent_memory: Serving,
        limit: Most = None,
    ) -> TalkMessagesOut:
        """Read the messages in their order; with `limit` the last ones, the newest first."""
        most = agent_memory.settings.messages
        held, said = await agent_memory.talks.read(caller, talk, min(limit or most, most))
        told = [TalkMessageOut.of(one, held.id) for one in said]
        return TalkMessagesOut(told if limit is None else told[::-1])

    @post(
        "/{talk:str}/search",
        operation_id="searchMemoryMessages",
        opt={"requires": Role.READER, ONLY_READS: True},
        status_code=HTTP_200_OK,
    )
    async def search(
        self,
        talk: FromPath[str],
        data: JSONBody[MessageSearchIn],
        caller: Asking,
        agent_memory: Serving,
    ) -> TalkMessagesOut:
        """Find messages of a conversation by words and by meaning."""
        held = await agent_memory.talks.open(caller, talk)
        found = await agent_memory.talks.search(
            caller, data.query, talk, data.limit, data.threshold
        )
        told = [TalkMessageOut.of(said, held.id, score) for said, score in found]
        return TalkMessagesOut(told, "hybrid")

    @get("/{talk:str}/context", operation_id="getMemoryContext", opt={"requires": Role.READER})
    async def context(
        self, talk: FromPath[str], caller: Asking, agent_memory: Serving
    ) -> MemoryContextOut:
        """Read notes made of a conversation, the facts that it bears out, and its last messages."""
        recent = agent_memory.settings.recent
        return MemoryContextOut.of(await agent_memory.talks.context(caller, talk, recent))

    @get(
        "/{talk:str}/observations",
        operation_id="getMemoryObservations",
        opt={"requires": Role.READER},
    )
    async def observations(
        self,
        talk: FromPath[str],
        caller: Asking,
        agent_memory: Serving,
        limit: Most = None,
    ) -> TalkObservationsOut:
        """Read the facts that the messages bear out and that are held, the latest first."""
        held = await agent_memory.talks.open(caller, talk)
        most = min(limit or agent_memory.settings.recent, agent_memory.settings.page)
        found = await agent_memory.talks.observations(held, most)
        return TalkObservationsOut([StatedOut.of(one, held) for one in found])

    @get(
        "/{talk:str}/reflections",
        operation_id="getMemoryReflections",
        opt={"requires": Role.READER},
    )
    async def reflections(
        self, talk: FromPath[str], caller: Asking, agent_memory: Serving
    ) -> TalkReflectionsOut:
        """Read the notes that Loci made of the messages, the latest first."""
        held = await agent_memory.talks.open(caller, talk)
        found = await agent_memory.talks.reflections(held, agent_memory.settings.recent)
        return TalkReflectionsOut([StatedOut.of(one, held) for one in found])

    @get(
        "/{talk:str}/extraction-status",
        operation_id="getMemoryExtraction",
        opt={"requires": Role.READER},
    )
    async def extraction(
        self, talk: FromPath[str], caller: Asking, agent_memory: Serving
    ) -> ExtractionOut:
        """Tell how far the messages have been read for what they say."""
        found = await agent_memory.talks.extraction(caller, talk)
        told = [{"id": shown(one), "status": status} for one, status in found]
        return ExtractionOut(told, dict(Counter(status for _, status in found)))
