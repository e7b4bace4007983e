"""Search over HTTP, and reading one memory by id."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from app.episodes.repository import EpisodeRepository
from app.errors import NotFound
from app.facts.possible import on_the_wire
from app.kernel.caller import Caller, Role
from app.kernel.departures import READS as ONLY_READS
from app.kernel.graph import Row
from app.questions.log import QuestionLog
from app.search.schemas import FoundOut, SearchIn
from app.search.service import SearchService
from app.search.telling import recorded

BODY, VERBOSE = 480, 2000  # characters, seed 001


class MemoryOut(msgspec.Struct, frozen=True):
    """One memory of any kind; `truncated` tells that there is more of it."""

    id: str
    kind: str
    scope: str
    truncated: bool
    characters: int
    flags: list[str]
    untrusted: dict[str, Any]
    possible_changes: list[dict[str, Any]] = []


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
) -> FoundOut:
    """Find memories by words, by meaning, or by both."""
    found = await recorded(searches, question_log, caller, data.to_request(caller))
    return FoundOut.of(found, data)


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
    rows = await episode_rows.get([memory_id], caller.visible)
    size = None if full else VERBOSE if verbose else BODY
    if rows:
        episode = rows[0]["episode"]
        return cut({**episode, "id": memory_id, "kind": "episode"}, size)
    other = await searches.read(memory_id, caller.visible)
    if other is None:
        raise NotFound(f"there is no memory {memory_id}")
    changes = await searches.changes_of(other, caller.visible)
    return msgspec.structs.replace(cut(other, size), possible_changes=on_the_wire(changes))


def cut(memory: Row, size: int | None) -> MemoryOut:
    """At most `size` characters of a memory."""
    text: str = memory["content"]
    shown = text if size is None else text[:size]
    untrusted = {"text": shown, "speaker": memory.get("speaker"), "tags": memory["tags"] or []}
    return MemoryOut(
        id=memory["id"],
        kind=memory["kind"],
        scope=memory["scope"],
        truncated=len(text) > len(shown),
        characters=len(text),
        flags=list(memory.get("flags") or []),
        untrusted=untrusted,
    )
