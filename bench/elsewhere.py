"""How fast another program's export is imported, beside a package that says the same.

Both sides import the same texts, each time into a tenant of its own, in alternation. The side of
the export reads the file, writes it as lines of a package, and imports those.
"""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import orjson

from app.kernel.ids import new_id
from app.portability.progress import Progress
from app.portability.service import Order, Store, import_attended
from bench.freshness import lines

SIDES = ("mem0", "package")
START = datetime(2026, 1, 5, 8, tzinfo=UTC)


async def measure(store: Store, memories: int, rounds: int) -> dict[str, Any]:
    """Memories a second of both sides, median over the rounds; `ratio` is the export's rate by the
    package's."""
    rates: dict[str, list[float]] = {side: [] for side in SIDES}
    with tempfile.TemporaryDirectory(prefix="loci-eval-") as made:
        for number in range(rounds):
            for side in SIDES if number % 2 else reversed(SIDES):
                rates[side].append(await _turn(store, side, memories, Path(made)))
    middle = {side: median(found) for side, found in rates.items()}
    return {
        "memories": memories,
        "rounds": rounds,
        **{f"{side}_per_second": round(rate, 1) for side, rate in middle.items()},
        "ratio": round(middle["mem0"] / middle["package"], 3),
    }


async def _turn(store: Store, side: str, memories: int, folder: Path) -> float:
    scope = f"ev-{new_id()[-12:]}/dev"
    path = folder / ("memories.json" if side == "mem0" else "episodes.jsonl")
    write = _as_mem0 if side == "mem0" else _as_package
    await asyncio.to_thread(write, path, memories, scope)
    target = scope if side == "mem0" else None
    order = Order(path, target, folder / "rejects.jsonl", fresh=True)

    async def untold(progress: Progress, size: int) -> None:
        """Tells nobody."""

    start = time.perf_counter()
    told = await import_attended(store, order, untold)
    taken = time.perf_counter() - start
    if told["kinds"]["episode"]["accepted"] != memories:
        raise AssertionError(f"{side}: {told['kinds']}")
    return memories / taken


def _as_mem0(path: Path, memories: int, scope: str) -> None:
    with path.open("wb") as out:
        out.write(b"[")
        for number, line in enumerate(lines(memories, [scope])):
            own = {
                "id": f"m{number}",
                "memory": line["content"],
                "user_id": line["speaker"],
                "run_id": line["session"],
                "agent_id": "assistant",
                "hash": hashlib.md5(line["content"].encode(), usedforsecurity=False).hexdigest(),
                "metadata": {"source": "chat", "turn": number, "tags": ["kept", "spoken"]},
                "categories": ["personal_details", "work"],
                "created_at": _at(number),
                "updated_at": _at(number),
            }
            out.write((b",\n" if number else b"") + orjson.dumps(own))
        out.write(b"]")


def _as_package(path: Path, memories: int, scope: str) -> None:
    with path.open("wb") as out:
        out.writelines(_episodes(memories, scope))


def _episodes(memories: int, scope: str) -> Iterator[bytes]:
    for number, line in enumerate(lines(memories, [scope])):
        at = _at(number)
        yield orjson.dumps(line | {"captured_at": at, "ingested_at": at, "origin": "mem0"}) + b"\n"


def _at(number: int) -> str:
    return (START + timedelta(seconds=20 * number)).isoformat()
