"""Search over HTTP, and reading one memory by id."""

from __future__ import annotations

from typing import Annotated

from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from app.episodes.repository import EpisodeRepository
from app.kernel.caller import Caller, Role
from app.kernel.departures import READS as ONLY_READS
from app.questions.log import QuestionLog
from app.search.block import ContextBlocks
from app.search.schemas import FoundOut, SearchIn, context_of
from app.search.service import SearchService
from app.search.telling import recorded
from app.search.whole import (
    AT_ONCE,
    BODY,
    EACH_MOST,
    TOTAL_MOST,
    VERBOSE,
    Caps,
    MemoriesOut,
    MemoryOut,
    memories_of,
    memory_of,
)

Ids = Annotated[
    list[str],
    QueryParameter(
        name="id", min_items=1, max_items=AT_ONCE, description="Ids of memories, at most 16."
    ),
]
Each = Annotated[
    int, QueryParameter(ge=1, le=EACH_MOST, description="Most characters of each memory.")
]
Total = Annotated[
    int, QueryParameter(ge=1, le=TOTAL_MOST, description="Most characters of all together.")
]


@post(
    "/v1/search",
    operation_id="search",
    tags=["Search"],
    opt={"requires": Role.READER, ONLY_READS: True},
    status_code=HTTP_200_OK,
)
async def search(
    data: JSONBody[SearchIn],
    caller: NamedDependency[Caller],
    searches: NamedDependency[SearchService],
    question_log: NamedDependency[QuestionLog],
    context_blocks: NamedDependency[ContextBlocks],
) -> FoundOut:
    """Find memories by words, by meaning, or by both."""
    request = data.to_request(caller)
    found = await recorded(searches, question_log, caller, request)
    block = await context_of(context_blocks, found, data, request, caller.home)
    return await FoundOut.made(found, data, block)


@get(
    "/v1/memories/{memory_id:str}",
    operation_id="getMemory",
    tags=["Search"],
    opt={"requires": Role.READER},
)
async def read_memory(
    memory_id: FromPath[str],
    caller: NamedDependency[Caller],
    episode_rows: NamedDependency[EpisodeRepository],
    searches: NamedDependency[SearchService],
    verbose: Annotated[
        bool, QueryParameter(description="At most 2,000 characters, not 480.")
    ] = False,
    full: Annotated[bool, QueryParameter(description="The whole text.")] = False,
) -> MemoryOut:
    """One memory by id, cut to 480 characters unless asked for more."""
    size = None if full else VERBOSE if verbose else BODY
    return await memory_of(episode_rows, searches, caller, memory_id, size)


@get("/v1/memories", operation_id="getMemories", tags=["Search"], opt={"requires": Role.READER})
async def read_memories(
    ids: Ids,
    caller: NamedDependency[Caller],
    episode_rows: NamedDependency[EpisodeRepository],
    searches: NamedDependency[SearchService],
    characters: Each = BODY,
    total: Total = TOTAL_MOST,
) -> MemoriesOut:
    """Up to 16 memories by id, in the order given, each cut to what the caps leave of it."""
    caps = Caps(characters, total)
    return await memories_of(episode_rows, searches, caller, ids, caps)
