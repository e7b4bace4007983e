"""Export: every kind in a stable order, streamed to files, hashed on the way."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any

import orjson

from app.errors import AlreadyExists
from app.indexing.spaces import FIRST
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.portability.archive import is_archive, pack
from app.portability.kind import Kind, Record, Selection
from app.portability.kinds import KINDS
from app.portability.package import MANIFEST
from app.sanitize.aside import READ, aside

VERSION = 1
TELL_EVERY = 1000  # records

Tell = Callable[[dict[str, int]], Awaitable[None]]


class Summing:
    """The digest of one kind: SHA-256 over its records in canonical JSON, a line each, in order."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.records = 0
        self._hash = hashlib.sha256()

    def add(self, record: Record) -> None:
        """Take one record in, as far as it counts."""
        counted = self.kind.counted(record)
        if counted:
            self.records += 1
            self._hash.update(canonical(counted) + b"\n")

    @property
    def hex(self) -> str:
        return self._hash.hexdigest()


def canonical(record: Record) -> bytes:
    """Keys sorted, no spaces, times in UTC with microseconds."""
    return orjson.dumps(_plain(record), option=orjson.OPT_SORT_KEYS)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def totals(sums: list[Summing]) -> dict[str, str]:
    """`digest` over what is known and `audit` over the trail of how it came to be: a tenant keeps
    its own trail wherever the rest is restored."""
    known = [summing for summing in sums if not summing.kind.trail]
    return {"digest": _total(known), "audit": _total([s for s in sums if s.kind.trail])}


def _total(sums: list[Summing]) -> str:
    """One digest over those of the kinds; a kind without records does not count."""
    lines = sorted(f"{s.kind.name}:{s.records}:{s.hex}" for s in sums if s.records)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


async def silent(counts: dict[str, int]) -> None:
    """Tells nobody."""


async def digest_of(graph: Graph, chosen: Selection, tell: Tell = silent) -> dict[str, Any]:
    """The two digests of what an export would hold, with the number of records by kind."""
    sums: list[Summing] = []
    for kind in KINDS:
        summing = Summing(kind)
        async for record in kind.export(graph, chosen):
            await aside(record, partial(summing.add, record), READ)
            if summing.records % TELL_EVERY == 0:
                await tell({s.kind.name: s.records for s in (*sums, summing)})
        sums.append(summing)
    counts = {s.kind.name: s.records for s in sums if s.records}
    return {**totals(sums), "records": counts}


async def export_package(
    graph: Graph, path: Path, chosen: Selection, tell: Tell = silent
) -> dict[str, Any]:
    """Write a package to a new folder, or to an archive by the suffix; returns its manifest.

    Where it fails nothing is left at `path`. Raises AlreadyExists (field `path`) where something
    is there.
    """
    with place_of(path) as folder:
        manifest = await _write_folder(graph, folder, chosen, tell)
        if is_archive(path):
            await asyncio.to_thread(_packed, folder, path)
        else:
            folder.rename(path)
    return manifest


def _packed(folder: Path, archive: Path) -> None:
    """Pack beside the folder, so that what is left of a failure goes with it."""
    made = folder.with_name(archive.name)
    pack(folder, made)
    made.rename(archive)


@contextmanager
def place_of(path: Path) -> Iterator[Path]:
    """A folder beside the path to write to, gone at the end; the path is made once it is whole."""
    if path.exists():
        raise AlreadyExists(f"{path} exists already", field="path")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="loci-export-", dir=path.parent) as made:
        folder = Path(made) / "package"
        folder.mkdir()
        yield folder


async def _write_folder(
    graph: Graph, folder: Path, chosen: Selection, tell: Tell
) -> dict[str, Any]:
    sums: list[Summing] = []
    files: list[dict[str, Any]] = []
    for kind in KINDS:
        summing = Summing(kind)
        target = folder / kind.file
        with target.open("wb") as out:
            entry = await _write_kind(kind.export(graph, chosen), (out, summing), tell)
        sums.append(summing)
        if entry["records"]:
            files.append({"path": kind.file, "kind": kind.name, **entry})
        else:
            target.unlink()
    manifest = {
        "format": "loci",
        "version": VERSION,
        "created_at": now().isoformat(),
        "tenants": sorted({scope.partition("/")[0] for scope in chosen.scopes}),
        "vectors": await _model(graph) if chosen.vectors else None,
        "files": files,
        **totals(sums),
    }
    text = orjson.dumps(manifest, option=orjson.OPT_INDENT_2)
    (folder / MANIFEST).write_bytes(text + b"\n")
    return manifest


async def _write_kind(
    records: AsyncIterator[Record], into: tuple[IO[bytes], Summing], tell: Tell
) -> dict[str, Any]:
    out, summing = into
    hashed, written = hashlib.sha256(), 0

    def write(record: Record) -> None:
        summing.add(record)
        line = canonical(record) + b"\n"
        hashed.update(line)
        out.write(line)

    async for record in records:
        await aside(record, partial(write, record), READ)
        written += 1
        if written % TELL_EVERY == 0:
            await tell({summing.kind.name: written})
    return {"records": written, "sha256": hashed.hexdigest()}


async def _model(graph: Graph) -> Row | None:
    return await graph.optional(Q.portability.vector_space, name=FIRST.name)
