"""Passages as a package: what only an import can bring along, triples and vectors."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from app.embeddings.model import ModelInfo
from app.errors import InvalidInput
from app.kernel.cypher import Q
from app.portability.progress import Progress
from app.portability.records import pack_vector
from app.portability.service import Order, Store, import_attended
from app.portability.triples import ENDS
from app.wiring import Parts
from bench.passages import Ids, Triples
from bench.recall import Record

Vectors = Mapping[str, npt.NDArray[np.float32]]
NOISE = 0.33  # length of the noise added to a unit vector: cosine near 0.95


@dataclass(frozen=True, slots=True)
class Extras:
    """What comes along with passages, by their ids; vectors only with the model they are of.

    Passages that are not `unread` count as read: nobody looks for facts in them.
    """

    triples: Triples = field(default_factory=dict)
    vectors: Vectors = field(default_factory=dict)
    model: ModelInfo | None = None
    unread: bool = False


async def bring(opened: Parts, scope: str, records: Iterable[Record], extras: Extras) -> Ids:
    """Import passages into a scope; the id of each in the graph by its own id.

    What is there already stays, so that a second time brings nothing.
    """
    name = scope.rpartition("/")[2]
    ids: dict[str, str] = {}

    async def untold(progress: Progress, size: int) -> None:
        return

    with tempfile.TemporaryDirectory(prefix="loci-passages-") as folder:
        with (Path(folder) / "episodes.jsonl").open("wb") as out:
            for record in records:
                ids[record.id] = f"{name}-{record.id}"
                out.write(orjson.dumps(_line(record, scope, ids[record.id], extras)) + b"\n")
        if extras.model is not None:
            _write_manifest(Path(folder), extras.model)
        store = Store(opened.graph, opened.scopes, opened.settings.search)
        await import_attended(store, Order(Path(folder)), untold)
    if not extras.unread:
        await opened.graph.rows(Q.evals.count_as_read, scope=scope)
    return ids


def stored(path: Path, records: Sequence[Record]) -> Vectors:
    """Vectors made beforehand: an `.npy` of floats with a row for each passage, in their order.

    Raises InvalidInput (field `vectors`) where it has another number of rows.
    """
    rows = np.load(path).astype(np.float32)
    if len(rows) != len(records):
        raise InvalidInput(f"{path} has {len(rows)} rows, not {len(records)}", field="vectors")
    return {record.id: row for record, row in zip(records, rows, strict=True)}


def _line(record: Record, scope: str, identifier: str, extras: Extras) -> dict[str, Any]:
    line: dict[str, Any] = {
        "id": identifier,
        "scope": scope,
        "session": record.id,
        "content": record.text,
        "origin": "eval",
    }
    if record.title:
        line["title"] = record.title
    if triples := extras.triples.get(record.id):
        line["triples"] = [dict(zip(ENDS, triple, strict=True)) for triple in triples]
    if record.id in extras.vectors:
        line["embedding"] = pack_vector(extras.vectors[record.id].tolist())
    return line


def _write_manifest(folder: Path, model: ModelInfo) -> None:
    manifest = {
        "format": "loci",
        "version": 1,
        "vectors": {"model": model.name, "version": model.version, "dimension": model.dimension},
        "files": [{"path": "episodes.jsonl", "kind": "episode"}],
    }
    (folder / "manifest.json").write_bytes(orjson.dumps(manifest))


def distractors(records: tuple[Record, ...], count: int) -> Iterator[Record]:
    """Copies under titles of their own, whose texts name what the originals name.

    A copy's id is that of its original with a number after `~`.
    """
    chance = random.Random(5)
    for number in range(count):
        copy, place = divmod(number, len(records))
        record = records[place]
        title = f"{record.title} {_roman(copy + 2)}"
        text = record.text.replace(record.title, title)
        words = text.split(" ")
        kept = " ".join(word for word in words if word[:1].isupper() or chance.random() > 0.1)
        yield Record(id=f"{record.id}~{copy}", text=kept or text, title=title)


def near(vectors: Vectors, ids: Iterable[str]) -> dict[str, npt.NDArray[np.float32]]:
    """Vectors of copies: the original's with noise."""
    noise = np.random.default_rng(5)
    made = {}
    for identifier in ids:
        vector = vectors[identifier.partition("~")[0]]
        direction = noise.standard_normal(vector.shape[0], dtype=np.float32)
        moved = vector + np.float32(NOISE / np.linalg.norm(direction)) * direction
        made[identifier] = (moved / np.linalg.norm(moved)).astype(np.float32)
    return made


def _roman(number: int) -> str:
    tens, ones = divmod(number, 10)
    return "X" * tens + ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")[ones]
