"""One memory of any kind by its id, as much of it as is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from app.episodes.repository import EpisodeRepository
from app.errors import NotFound
from app.facts.possible import on_the_wire
from app.kernel.caller import Caller
from app.kernel.graph import Row
from app.search.service import SearchService

BODY, VERBOSE = 480, 2000  # characters, seed 001
AT_ONCE = 16  # memories
EACH_MOST, TOTAL_MOST = 100_000, 400_000  # characters


@dataclass(frozen=True, slots=True)
class Caps:
    """Most characters of each memory, and of all together."""

    each: int
    total: int


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


class MemoriesOut(msgspec.Struct, frozen=True):
    """Memories in the order of their ids as given; `missing` are ids of none that is visible."""

    items: list[MemoryOut]
    missing: list[str]
    characters: int


async def memories_of(
    episode_rows: EpisodeRepository,
    searches: SearchService,
    caller: Caller,
    ids: Sequence[str],
    caps: Caps,
) -> MemoriesOut:
    """Several memories, each once, cut to what the caps leave of each."""
    items: list[MemoryOut] = []
    missing: list[str] = []
    left = caps.total
    for memory in dict.fromkeys(ids):
        try:
            item = await memory_of(episode_rows, searches, caller, memory, min(caps.each, left))
        except NotFound:
            missing.append(memory)
            continue
        left -= len(item.untrusted["text"])
        items.append(item)
    return MemoriesOut(items, missing, caps.total - left)


async def memory_of(
    episode_rows: EpisodeRepository,
    searches: SearchService,
    caller: Caller,
    memory_id: str,
    size: int | None,
) -> MemoryOut:
    """At most `size` characters of a memory; NotFound where it is absent or not visible."""
    rows = await episode_rows.get([memory_id], caller.visible)
    if rows:
        return cut({**rows[0]["episode"], "id": memory_id, "kind": "episode"}, size)
    other = await searches.read(memory_id, caller.visible, caller.principal)
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
