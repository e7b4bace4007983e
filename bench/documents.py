"""Reading files that lie on this machine: how many are read, how fast, why the others are not.

Each file goes the way of an upload: a process of its own under limits, sanitising, chunking. A
file that fails without a reason of ours, and a text that is not what its chunks hold, are errors.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import time
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.documents.chunking import cut
from app.documents.cleaning import clean
from app.documents.media import SUFFIXES, Media
from app.documents.model import Chunking
from app.documents.parsing import Limits
from app.documents.sandbox import parse_apart
from app.errors import LociError
from app.sanitize.policy import SanitizePolicy

TOGETHER = 2  # processes at once
SEED = 7


@dataclass(slots=True)
class Tally:
    """What became of the files of one kind."""

    files: int = 0
    bytes: int = 0
    read: int = 0
    characters: int = 0
    chunks: int = 0
    headed: int = 0  # files with at least one heading
    lost: int = 0  # texts that are not what their chunks hold: there must be none
    seconds: float = 0.0
    reasons: Counter[str] = field(default_factory=Counter)

    def row(self) -> dict[str, Any]:
        """For a table; `seconds` are those of each file, one after the other."""
        return {
            "files": self.files,
            "read": self.read,
            "refused": dict(self.reasons),
            "lost": self.lost,
            "with headings": self.headed,
            "megabytes": round(self.bytes / 1e6, 1),
            "characters": self.characters,
            "chunks": self.chunks,
            "ms a file": round(1000 * self.seconds / max(self.files, 1)),
        }


async def evaluate(paths: Sequence[Path], most: int, into: Path) -> dict[str, Any]:
    """A row for each kind of file below `paths`; of a kind with more than `most` files, so many
    are drawn. Files of archives (.jar, .zip) are unpacked below `into` to be looked at. A file
    that lies there twice counts once.
    """
    by_kind: dict[Media, list[Path]] = {}
    listed = await asyncio.to_thread(lambda: list(single(files(paths, into, most))))
    for path in listed:
        by_kind.setdefault(SUFFIXES[path.suffix.lower()], []).append(path)
    results = {}
    for media, chosen in sorted(by_kind.items()):
        drawn = random.Random(SEED).sample(chosen, min(most, len(chosen)))
        results[media.name.lower()] = {"found": len(chosen), **(await _tally(drawn, media)).row()}
    return results


def files(paths: Iterable[Path], into: Path, most: int) -> Iterator[Path]:
    """Every file of a kind that is read, and at most `most` of each archive."""
    for path in paths:
        for place in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if not place.is_file():
                continue
            suffix = place.suffix.lower()
            if suffix in SUFFIXES:
                yield place
            elif suffix in (".jar", ".zip"):
                yield from _unpacked(place, into, most)


def single(paths: Iterable[Path]) -> Iterator[Path]:
    """The first of the files that hold the same bytes."""
    known: set[bytes] = set()
    for path in paths:
        told = hashlib.sha256(path.read_bytes()).digest()
        if told not in known:
            known.add(told)
            yield path


def _unpacked(archive: Path, into: Path, most: int) -> Iterator[Path]:
    try:
        with zipfile.ZipFile(archive) as packed:
            names = [n for n in packed.namelist() if Path(n).suffix.lower() in SUFFIXES][:most]
            for number, name in enumerate(names):
                target = into / f"{archive.stem}-{number}{Path(name).suffix.lower()}"
                target.write_bytes(packed.read(name))
                yield target
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError):
        return


async def _tally(paths: Sequence[Path], media: Media) -> Tally:
    tally = Tally()
    slots = asyncio.Semaphore(TOGETHER)

    async def one(path: Path) -> None:
        async with slots:
            await _look(path, media, tally)

    await asyncio.gather(*(one(path) for path in paths))
    return tally


async def _look(path: Path, media: Media, tally: Tally) -> None:
    tally.files += 1
    tally.bytes += (await asyncio.to_thread(path.stat)).st_size
    start = time.perf_counter()
    try:
        parsed = await parse_apart(path, media, Limits())
        cleaned = await asyncio.to_thread(clean, parsed, SanitizePolicy())
    except LociError as error:
        tally.reasons[f"{error.code}: {error.detail}"] += 1
        return
    finally:
        tally.seconds += time.perf_counter() - start
    text = cleaned.text.text
    pieces = await asyncio.to_thread(cut, text, cleaned.headings, Chunking())
    tally.read += 1
    tally.characters += len(text)
    tally.chunks += len(pieces)
    tally.headed += bool(cleaned.headings)
    tally.lost += "".join(text[p.own : p.end] for p in pieces) != text
