"""Conversations and mid-term memory over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_202_ACCEPTED

from app.access.keys import asked_by
from app.access.parameters import Limit, Within, one_of
from app.access.service import AccessService
from app.conversations.judging import JudgingService
from app.conversations.model import LONGEST_WINDOW, Verdict
from app.conversations.schemas import (
    AppendedOut,
    ClearedOut,
    ConversationMessagesIn,
    ConversationMessagesOut,
    ConversationOut,
    MidTermOut,
    MidTermsOut,
    PassIn,
)
from app.conversations.service import ConversationService
from app.conversations.tasks import JUDGE
from app.jobs.access import Access
from app.jobs.runner import Runner
from app.jobs.schemas import JobOut
from app.kernel.caller import Caller, Role

Talks = NamedDependency[ConversationService]
InScope = Annotated[
    str | None,
    QueryParameter(name="scope", description="Scope path; the agent's leaf or home if unset."),
]
Last = Annotated[
    int, QueryParameter(ge=1, le=LONGEST_WINDOW, description="Most messages, the last ones.")
]
WithVerdict = Annotated[
    str | None,
    QueryParameter(name="verdict", enum=[*Verdict], description="Only what was so judged."),
]


class ConversationController(Controller):
    """The agent's own conversations, each by its name."""

    path = "/v1/conversations/{conversation:str}"
    tags = ("Conversations",)

    @post("/messages", operation_id="appendMessages", opt={"requires": Role.WRITER})
    async def append(
        self,
        conversation: FromPath[str],
        data: JSONBody[ConversationMessagesIn],
        caller: NamedDependency[Caller],
        conversations: Talks,
        access: NamedDependency[AccessService],
    ) -> AppendedOut:
        """Store what was said and keep it in the buffer; the oldest messages beyond it leave.

        A bad message does not hold up the rest. The first one makes the agent's own scope.
        """
        seen = caller
        caller, talk = await conversations.opened(seen, conversation, data.scope)
        if caller is not seen:
            access.keys.forget()
        captures = data.to_captures(talk)
        done = await conversations.append(caller, talk, captures, begins=data.begins)
        return AppendedOut.of(done)

    @get("/messages", operation_id="readBuffer", opt={"requires": Role.READER})
    async def buffer(
        self,
        conversation: FromPath[str],
        caller: NamedDependency[Caller],
        conversations: Talks,
        scope_path: InScope = None,
    ) -> ConversationMessagesOut:
        """Read what is in the buffer, oldest first."""
        talk = await conversations.seen(caller, conversation, scope_path)
        return ConversationMessagesOut.of(talk, await conversations.buffer(talk))

    @delete(
        "/messages",
        operation_id="clearBuffer",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def clear(
        self,
        conversation: FromPath[str],
        caller: NamedDependency[Caller],
        conversations: Talks,
        scope_path: InScope = None,
    ) -> ClearedOut:
        """Clear the buffer, since a conversation begins; what was in it is found by searches."""
        talk = await conversations.seen(caller, conversation, scope_path)
        return ClearedOut(talk.id, await conversations.clear(caller, talk))

    @get("/window", operation_id="readWindow", opt={"requires": Role.READER})
    async def window(
        self,
        conversation: FromPath[str],
        caller: NamedDependency[Caller],
        conversations: Talks,
        scope_path: InScope = None,
        limit: Last = LONGEST_WINDOW,
    ) -> ConversationMessagesOut:
        """Read the last messages since the conversation began, oldest first."""
        talk = await conversations.seen(caller, conversation, scope_path)
        return ConversationMessagesOut.of(talk, await conversations.window(talk, limit))

    @get("/", operation_id="getConversation", opt={"requires": Role.READER})
    async def figures(
        self,
        conversation: FromPath[str],
        caller: NamedDependency[Caller],
        conversations: Talks,
        scope_path: InScope = None,
    ) -> ConversationOut:
        """Return the figures of a conversation; one in which nothing was said has zeros."""
        talk = await conversations.seen(caller, conversation, scope_path)
        figures = await conversations.figures(talk)
        bounds = await conversations.bounds_of(talk.scope)
        return ConversationOut.of(talk, figures, bounds.messages)


class MidTermController(Controller):
    """Messages of the agent's conversations that left their buffers."""

    path = "/v1/mid-term-memory"
    tags = ("Conversations",)

    @get("/", operation_id="listMidTermMemory", opt={"requires": Role.READER})
    async def list_messages(
        self,
        caller: NamedDependency[Caller],
        conversations: Talks,
        within: Within = None,
        verdict: WithVerdict = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> MidTermsOut:
        """List the agent's messages with the verdicts on them, by id."""
        named, scopes = one_of(Verdict, verdict, "verdict"), caller.among(within)
        found = await conversations.mid_term(caller, scopes, named, cursor or "", limit + 1)
        items = [MidTermOut.of(message) for message in found[:limit]]
        return MidTermsOut(items, items[-1].id if len(found) > limit else None)

    @post(
        "/passes",
        operation_id="judgeMidTermMemory",
        opt={"requires": Role.WRITER},
        status_code=HTTP_202_ACCEPTED,
    )
    async def judge(
        self,
        data: JSONBody[PassIn],
        caller: NamedDependency[Caller],
        judging: NamedDependency[JudgingService],
        runner: NamedDependency[Runner],
    ) -> JobOut:
        """Judge what waits of this agent's messages now, as a job, which tells of each."""
        wanted = caller.among(data.scopes)
        if data.scopes is not None:
            for scope in wanted:
                caller.require(scope, Role.WRITER)
        places = [scope for scope in wanted if caller.may(scope, Role.WRITER)]
        scopes = await judging.scopes_of(caller.principal, places)
        args = {
            "agent": caller.principal,
            "scopes": scopes,
            "dry_run": data.dry_run,
            "caller": asked_by(caller),
        }
        access = Access(owner=caller.principal)
        job = await runner.submit(
            JUDGE, tenant=caller.tenant, scope=caller.home, args=args, access=access
        )
        return JobOut.of(job)
