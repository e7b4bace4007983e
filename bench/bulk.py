"""A large package of real text repeated with variation, with vectors: for measuring at size.

Base texts are embedded once; a variation borrows a sentence from another text and drops words,
and its vector is the base text's with noise of a third of its length (cosine near 0.95).
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from app.embeddings.model import Embedder, ModelInfo, Role
from app.evals import jsonl
from app.portability.records import pack_vector

Floats = npt.NDArray[np.float32]
START = datetime(2025, 1, 6, 8, 0, tzinfo=UTC)
NOISE = 0.33  # length of the noise added to a unit vector
TURNS = 40  # episodes of one session
DROPPED = 0.08  # share of words that a variation leaves out
EMBED_BATCH = 128
SENTENCE = re.compile(r"(?<=[.!?])\s+")
TAGS = ("plan", "travel", "work", "family", "numbers", "question")
SPEAKERS = ("Ada", "Bruno", "Chiara", "Deniz", "Emil", "Frida", "Goran", "Hanne")


@dataclass(frozen=True, slots=True)
class Size:
    """How much to make: all scopes get the same number of episodes."""

    episodes: int = 100_000
    scopes: int = 50
    texts: int = 4_000
    tenant: str = "bulk"


async def make_package(bench: Path, folder: Path, embedder: Embedder, size: Size) -> dict[str, Any]:
    """Write a package of `size` into `folder`; the same arguments give the same bytes."""
    texts = base_texts(bench, size.texts)
    vectors = await _embedded(texts, embedder)
    return await asyncio.to_thread(_write_package, folder, (texts, vectors), embedder.info, size)


def _write_package(
    folder: Path, base: tuple[list[str], Floats], info: ModelInfo, size: Size
) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    scopes = [f"{size.tenant}/w{place:03d}" for place in range(size.scopes)]
    files = [
        _write(folder, "scopes.jsonl", "scope", ({"path": p} for p in [size.tenant, *scopes])),
        _write(folder, "episodes.jsonl", "episode", episodes(base, scopes, size)),
    ]
    manifest = {
        "format": "loci",
        "version": 1,
        "created_at": START.isoformat(),
        "tenants": [size.tenant],
        "vectors": {"model": info.name, "version": info.version, "dimension": info.dimension},
        "files": files,
    }
    (folder / "manifest.json").write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    return manifest


def base_texts(bench: Path, wanted: int) -> list[str]:
    """Distinct texts of conversations and encyclopedia, evenly from each source, shuffled."""
    turns = [r["text"] for p in sorted(bench.glob("locomo/*/turns.jsonl")) for r in jsonl.rows(p)]
    turns += [r["text"] for r in jsonl.rows(bench / "longmemeval_pool" / "evidence_turns.jsonl")]
    passages = [r["text"] for r in jsonl.rows(bench / "2wiki" / "corpus.jsonl")]
    rng = random.Random(7)
    pools = [sorted(set(turns)), sorted(set(passages))]
    for pool in pools:
        rng.shuffle(pool)
    chosen = [text for pool in pools for text in pool[: wanted // 2]]
    rng.shuffle(chosen)
    return [text[:1500] for text in chosen]


async def _embedded(texts: list[str], embedder: Embedder) -> Floats:
    rows: list[list[float]] = []
    for start in range(0, len(texts), EMBED_BATCH):
        part = [_fitting(text, embedder) for text in texts[start : start + EMBED_BATCH]]
        rows += await embedder.embed(part, Role.DOCUMENT)
    return np.asarray(rows, dtype=np.float32)


def _fitting(text: str, embedder: Embedder) -> str:
    first = embedder.windows(text)[0]
    return text[first.start : first.end]


def episodes(
    base_set: tuple[list[str], Floats], scopes: list[str], size: Size
) -> Iterator[dict[str, Any]]:
    """Episode records, scope by scope and session by session, in the order of their events."""
    texts, vectors = base_set
    rng, noise = random.Random(11), np.random.default_rng(11)
    each = size.episodes // len(scopes)
    for place, scope in enumerate(scopes):
        for number in range(each):
            base = rng.randrange(len(texts))
            yield {
                "scope": scope,
                "session": f"talk-{number // TURNS:04d}",
                "role": "user" if number % 2 else "assistant",
                "speaker": SPEAKERS[(place + number % 2) % len(SPEAKERS)],
                "content": variation(texts, base, rng),
                "captured_at": _moment(place, number).isoformat(),
                "tags": [TAGS[base % len(TAGS)]] if base % 3 == 0 else [],
                "origin": "bulk",
                "embedding": pack_vector(_near(vectors[base], noise).tolist()),
            }


def _moment(place: int, number: int) -> datetime:
    return START + timedelta(days=number // TURNS, minutes=place, seconds=20 * (number % TURNS))


def variation(texts: list[str], base: int, rng: random.Random) -> str:
    """A text with some words left out and one sentence of another text behind it."""
    words = texts[base].split(" ")
    kept = [word for word in words if rng.random() > DROPPED] or words
    borrowed = SENTENCE.split(texts[rng.randrange(len(texts))])
    return f"{' '.join(kept)} {rng.choice(borrowed)}".strip()


def _near(vector: Floats, noise: np.random.Generator) -> Floats:
    direction = noise.standard_normal(vector.shape[0], dtype=np.float32)
    moved: Floats = vector + np.float32(NOISE / np.linalg.norm(direction)) * direction
    return moved / np.float32(np.linalg.norm(moved))


def _write(folder: Path, name: str, kind: str, records: Iterator[dict[str, Any]]) -> dict[str, Any]:
    count, hashed = 0, hashlib.sha256()
    with (folder / name).open("wb") as out:
        for record in records:
            line = orjson.dumps(record) + b"\n"
            hashed.update(line)
            out.write(line)
            count += 1
    return {"path": name, "kind": kind, "records": count, "sha256": hashed.hexdigest()}
