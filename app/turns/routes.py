"""Turns over HTTP."""

from __future__ import annotations

from dataclasses import replace

from litestar import post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK

from app.conversations.service import ConversationService
from app.jobs.foreground import PROMPT
from app.kernel.caller import Caller, Role
from app.kernel.departures import READS as ONLY_READS
from app.search.block import ContextBlocks
from app.search.schemas import context_of
from app.turns.recalling import Recalling
from app.turns.schemas import RecalledOut, RecallIn, TakenOut, TurnIn
from app.turns.service import TurnService


@post(
    "/v1/turns",
    operation_id="takeTurn",
    tags=["Turns"],
    opt={"requires": Role.WRITER, PROMPT: True},
    status_code=HTTP_200_OK,
)
async def take_turn(
    data: JSONBody[TurnIn],
    caller: NamedDependency[Caller],
    turns: NamedDependency[TurnService],
    context_blocks: NamedDependency[ContextBlocks],
    recalling: NamedDependency[Recalling],
) -> TakenOut:
    """Store what was said since the last reply, and recall what else is known for the next one.

    A bad message does not hold up the rest. What is in the buffer of the conversation, the messages
    that were handed in among them, is not recalled, nor is what answers nothing (`min_score`).
    """
    caller, talk = await turns.opened(caller, data.session, data.scope)
    data = data.model_copy(update={"scope": talk.scope})
    asked = data.to_search()
    request = asked.to_request(caller) if asked else None
    known = data.known_by((await recalling.bounds(talk.scope)).relevance)
    if request is not None and known is not None:
        request = replace(request, floor=known)
    done = await turns.take(caller, talk, data.to_captures(), request, begins=data.begins)
    block = None
    if done.found is not None and asked is not None and request is not None:
        block = await context_of(context_blocks, done.found, asked, request, caller.home)
    return await TakenOut.of(done, asked, block)


@post(
    "/v1/conversations/{conversation:str}/recall",
    operation_id="recallForMessage",
    tags=["Conversations"],
    opt={"requires": Role.READER, PROMPT: True, ONLY_READS: True},
    status_code=HTTP_200_OK,
)
async def recall(
    conversation: FromPath[str],
    data: JSONBody[RecallIn],
    caller: NamedDependency[Caller],
    conversations: NamedDependency[ConversationService],
    recalling: NamedDependency[Recalling],
) -> RecalledOut:
    """Choose what matters of the buffer, and recall what is known beside it, before a reply.

    No model is asked, and nothing is searched where nothing is held.
    """
    talk = await conversations.seen(caller, conversation, data.scope)
    done = await recalling.recall(caller, talk, data.to_wanted())
    bounds = await recalling.bounds(talk.scope)
    return await RecalledOut.made(talk, done, bounds.characters)
