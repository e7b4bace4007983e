"""A checkpointer of LangGraph that Loci keeps: `loci-client[langgraph]`.

A checkpoint is bytes that LangGraph's serializer made. Loci keeps them for the agent of the key
alone, in short-term memory; it does not look into them, so they are neither sanitised nor recalled.
What is larger than a value of Loci may be is kept in parts, and named once all of them are there.
"""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
)

from loci_client.client import AsyncLoci, Loci
from loci_client.problems import LociError, LociProblem
from loci_client.sessions import Kept, letters, value_of
from loci_client.talk import Retries, Talk

Config: TypeAlias = Mapping[str, Any]
PIECE = 200_000  # characters of a part: a value of Loci has 256 KiB where nobody sets another bound
LEAST = 1_000  # characters below which no part is made smaller still


class LociSaver(BaseCheckpointSaver[int]):  # type: ignore[misc]  # its types are not looked at
    """LangGraph's checkpointer over short-term memory.

    A checkpoint lives `ttl` seconds, or until its thread is deleted, and may be of any size: each
    200,000 characters of it are a value of their own. Raises LociProblem (`QuotaReached`) for what
    is beyond the values that an agent may keep.
    """

    def __init__(
        self,
        *,
        scope: str | None = None,
        ttl: int | None = None,
        loci: Loci | None = None,
        aloci: AsyncLoci | None = None,
        serde: Any = None,
    ) -> None:
        super().__init__(serde=serde)
        self._loci, self._aloci = loci, aloci
        self._scope, self._ttl = scope, ttl
        used = loci or aloci
        self._retries = used.retries if used else Retries()

    def get_tuple(self, config: Config) -> CheckpointTuple | None:
        """The checkpoint that a config names, or the last one of its thread."""
        return self._run(self._got(config))

    def list(
        self,
        config: Config | None,
        *,
        filter: dict[str, Any] | None = None,
        before: Config | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints of a thread, or of all, the newest first."""
        yield from self._run(self._listed(config, filter or {}, before, limit))

    def put(self, config: Config, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        """Keep a checkpoint; the config that names it."""
        return self._run(self._put(config, checkpoint, metadata))

    def put_writes(
        self, config: Config, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep what a task has written beyond a checkpoint."""
        self._run(self._written(config, writes, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        """Take all checkpoints of a thread out."""
        self._run(self._deleted(thread_id))

    async def aget_tuple(self, config: Config) -> CheckpointTuple | None:
        """The same as `get_tuple`, for a program with an event loop."""
        return await self._arun(self._got(config))

    async def alist(
        self,
        config: Config | None,
        *,
        filter: dict[str, Any] | None = None,
        before: Config | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """The same as `list`."""
        for found in await self._arun(self._listed(config, filter or {}, before, limit)):
            yield found

    async def aput(self, config: Config, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        """The same as `put`."""
        return await self._arun(self._put(config, checkpoint, metadata))

    async def aput_writes(
        self, config: Config, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """The same as `put_writes`."""
        await self._arun(self._written(config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        """The same as `delete_thread`."""
        await self._arun(self._deleted(thread_id))

    def _run(self, talk: Talk[Any]) -> Any:
        self._loci = self._loci or Loci()
        return self._loci.run(talk)

    async def _arun(self, talk: Talk[Any]) -> Any:
        self._aloci = self._aloci or AsyncLoci()
        return await self._aloci.run(talk)

    # --- conversations --------------------------------------------------------------------------

    def _put(self, config: Config, checkpoint: Any, metadata: Any) -> Talk[Any]:
        thread, space = _thread(config)
        held = {
            "thread": thread,
            "space": space,
            "id": checkpoint["id"],
            "parent": get_checkpoint_id(config),
            "checkpoint": checkpoint,
            "metadata": get_checkpoint_metadata(config, metadata),
        }
        kept = self._checkpoints(thread)
        parts = self._parts(thread)
        yield from self._keep(kept, parts, _name("checkpoint", space, checkpoint["id"]), held)
        yield from self._keep(kept, parts, _name("head", space), checkpoint["id"])
        return _config(thread, space, checkpoint["id"])

    def _written(
        self, config: Config, writes: Sequence[tuple[str, Any]], task: str, path: str
    ) -> Talk[None]:
        thread, space = _thread(config)
        kept = self._writes(thread, space, get_checkpoint_id(config) or "")
        parts = self._parts(thread)
        there = {row["key"] for row in (yield from kept.rows())}
        for place, (channel, value) in enumerate(writes):
            number = WRITES_IDX_MAP.get(channel, place)
            key = _name("write", task, str(number))
            if number < 0 or key not in there:
                held = {"order": [path, task, number], "write": [task, channel, value]}
                yield from self._keep(kept, parts, key, held)

    def _got(self, config: Config) -> Talk[CheckpointTuple | None]:
        thread, space = _thread(config)
        kept, wanted = self._checkpoints(thread), get_checkpoint_id(config)
        if wanted is None:
            heads = yield from kept.rows(_name("head", space))
            if not heads:
                return None
            wanted = yield from self._loaded(heads[0])
        rows = yield from kept.rows(_name("checkpoint", space, wanted))
        found = yield from self._held(rows[:1])
        return (yield from self._tuple(found[0])) if found else None

    def _listed(
        self, config: Config | None, wanted: Mapping[str, Any], before: Config | None,
        limit: int | None,
    ) -> Talk[Sequence[CheckpointTuple]]:  # fmt: skip
        kept = self._checkpoints(_thread(config)[0] if config else None)
        rows = yield from kept.rows()
        held = yield from self._held(row for row in rows if row["key"].startswith("checkpoint."))
        fits = [one for one in held if _fits(one, config, wanted, before)]
        newest = sorted(fits, key=lambda one: str(one["id"]), reverse=True)
        found = []
        for one in newest if limit is None else newest[:limit]:
            found.append((yield from self._tuple(one)))
        return found

    def _deleted(self, thread: str) -> Talk[None]:
        kept = self._checkpoints(thread)
        rows = yield from kept.rows()
        named = [row for row in rows if row["key"].startswith("checkpoint.")]
        for held in (yield from self._held(named)):
            writes = self._writes(thread, held["space"], held["id"])
            for write in (yield from writes.rows()):
                yield from writes.drop(write)
        for row in rows:
            yield from kept.drop(row)
        parts = self._parts(thread)
        for part in (yield from parts.rows()):
            yield from parts.drop(part)

    def _tuple(self, held: Any) -> Talk[CheckpointTuple]:
        thread, space = held["thread"], held["space"]
        rows = yield from self._writes(thread, space, held["id"]).rows()
        writes = sorted((yield from self._held(rows)), key=lambda one: one["order"])
        parent = held["parent"]
        return CheckpointTuple(
            config=_config(thread, space, held["id"]),
            checkpoint=held["checkpoint"],
            metadata=held["metadata"],
            parent_config=_config(thread, space, parent) if parent else None,
            pending_writes=[tuple(one["write"]) for one in writes],
        )

    # --- rows -----------------------------------------------------------------------------------

    def _checkpoints(self, thread: str | None) -> Kept:
        session = None if thread is None else f"langgraph.{letters('thread', thread)}"
        return Kept(session, self._scope, self._ttl, self._retries)

    def _writes(self, thread: str, space: str, checkpoint: str) -> Kept:
        session = f"langgraph.writes.{letters(thread, space, checkpoint)}"
        return Kept(session, self._scope, self._ttl, self._retries)

    def _parts(self, thread: str) -> Kept:
        session = f"langgraph.parts.{letters('thread', thread)}"
        return Kept(session, self._scope, self._ttl, self._retries)

    def _keep(self, kept: Kept, parts: Kept, key: str, value: Any) -> Talk[None]:
        """Keep a value, in parts where it is too large for one: in smaller ones where this Loci
        takes less than is usual."""
        kind, data = self.serde.dumps_typed(value)
        text = base64.b64encode(data).decode()
        size = min(len(text), PIECE)
        while True:
            try:
                packed = {"type": kind, **(yield from _packed(parts, key, text, size))}
                yield from _exactly(kept, key, packed)
                return
            except LociProblem as problem:
                if problem.code != "TooLarge" or size <= LEAST:
                    raise
            size //= 2

    def _held(self, rows: Iterable[Mapping[str, Any]]) -> Talk[Sequence[Any]]:
        """The values of rows, without those of which a part has run out."""
        found = []
        for row in rows:
            value = yield from self._loaded(row)
            found += [] if value is None else [value]
        return found

    def _loaded(self, row: Mapping[str, Any]) -> Talk[Any]:
        packed = value_of(row)
        text = packed.get("base64")
        if text is None:
            kept = Kept(packed["session"], self._scope, self._ttl, self._retries)
            text = yield from _joined(kept, packed["parts"])
        if text is None:
            return None
        return self.serde.loads_typed((packed["type"], base64.b64decode(text)))


def _packed(parts: Kept, key: str, text: str, size: int) -> Talk[Mapping[str, Any]]:
    """The text itself, or where its parts are, which are kept first; their keys follow from the
    whole text, so that no other one writes over them."""
    if size >= len(text):
        return {"base64": text}
    whole = letters("part", key, str(size), text)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    keys = [f"part.{whole}.{number}" for number in range(len(pieces))]
    for name, piece in zip(keys, pieces, strict=True):
        yield from _exactly(parts, name, {"base64": piece})
    return {"session": parts.session, "parts": keys}


def _joined(kept: Kept, keys: Sequence[str]) -> Talk[str | None]:
    found = []
    for key in keys:
        rows = yield from kept.rows(key)
        if not rows:
            return None
        found.append(value_of(rows[0])["base64"])
    return "".join(found)


def _exactly(kept: Kept, key: str, packed: Mapping[str, Any]) -> Talk[None]:
    if value_of((yield from kept.keep(key, packed))) != packed:
        raise LociError("the scope's policy has changed the bytes of a checkpoint")


def _name(kind: str, *parts: str) -> str:
    return f"{kind}.{letters(*parts)}"


def _thread(config: Config) -> tuple[str, str]:
    """The thread of a config, and the space of a graph within another one."""
    given = config["configurable"]
    return str(given["thread_id"]), str(given.get("checkpoint_ns", ""))


def _config(thread: str, space: str, checkpoint: str) -> dict[str, Any]:
    named = {"thread_id": thread, "checkpoint_ns": space, "checkpoint_id": checkpoint}
    return {"configurable": named}


def _fits(
    held: Any, config: Config | None, wanted: Mapping[str, Any], before: Config | None
) -> bool:
    """Whether a checkpoint is one that is listed."""
    given = config["configurable"] if config else {}
    space, named = given.get("checkpoint_ns"), get_checkpoint_id(config) if config else None
    last = get_checkpoint_id(before) if before else None
    return (
        space in (None, held["space"])
        and named in (None, held["id"])
        and (last is None or held["id"] < last)
        and all(held["metadata"].get(name) == each for name, each in wanted.items())
    )
