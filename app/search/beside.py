"""What is held outside the indexes, judged beside what a search found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.indexing.kept import KEPT
from app.indexing.spaces import Part, Spaces
from app.kernel.graph import Row
from app.sanitize.aside import READ, aside
from app.search.floors import Floor
from app.search.held import Held, row_of
from app.search.judging import Judge
from app.search.model import Hit, Nearness


@dataclass(frozen=True, slots=True)
class Beside:
    """Values as rows by their names, and how near each is to the question."""

    rows: Mapping[str, Row]
    near: Mapping[str, Nearness]


async def read(spaces: Spaces, held: Sequence[Held], parts: Sequence[Part]) -> Beside:
    """Return values with how near they are, by the model of their scopes; by none of them where no
    vector was asked for. Raises EmbedderUnavailable."""
    texts = [one.text for one in held]
    rows = await aside(texts, lambda: {one.name: row_of(one) for one in held}, READ)
    near: dict[str, Nearness] = {}
    for part in parts:
        near |= await _near(spaces, part, [r for r in rows.values() if r["scope"] in part.scopes])
    return Beside(rows, near)


async def _near(spaces: Spaces, part: Part, rows: Sequence[Row]) -> dict[str, Nearness]:
    if not rows:
        return {}
    embedder = await spaces.embedder(part.space, await spaces.current())
    tenant = part.scopes[0].partition("/")[0]
    vectors = await KEPT.of(embedder, tenant, [row["content"] for row in rows])
    asked = np.asarray(part.vector, np.float32)
    return {
        row["id"]: Nearness(float((own @ asked).max()), part.model)
        for row, own in zip(rows, vectors, strict=True)
    }


def judged(rows: Mapping[str, Row], judge: Judge, floor: Floor | None) -> tuple[Hit, ...]:
    """Return values as hits, the most relevant first, as far as they reach the floor."""
    least = 0.0 if floor is None else floor.least
    shares = {name: judge.relevance(name) for name in rows}
    order = sorted(rows, key=lambda name: (-shares[name], name))
    return tuple(
        Hit(
            id=name,
            rank=rank,
            score=shares[name],
            legs={},
            memory=rows[name],
            span=(0, len(rows[name]["content"])),
            tokens=rows[name]["tokens"],
            relevance=shares[name],
            similarity=judge.similarity(name),
        )
        for rank, name in enumerate((n for n in order if shares[n] >= least), start=1)
    )
