"""Where in the graph a question begins: pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from app.entities.model import alias_id
from app.entities.names import words
from app.kernel.graph import Row
from app.rag.model import DISTANCE, SEEDS, How, Seed

LONGEST = 5  # words of a name
TOLD = 0.8  # score of what passages speak for most: less than that of what a question names
MOST = 400  # names that are looked up


def asked_names(query: str, scopes: Sequence[str]) -> list[str]:
    """Ids of every alias that the words of a question may be, the longest first."""
    spoken = words(query)
    runs = [
        " ".join(spoken[start : start + size])
        for size in range(LONGEST, 0, -1)
        for start in range(len(spoken) - size + 1)
    ]
    keys = list(dict.fromkeys(runs))[: max(1, MOST // max(1, len(scopes)))]
    return [alias_id(scope, key) for key in keys for scope in scopes]


def chosen(
    named: Sequence[str], near: Sequence[tuple[str, float]], told: Mapping[str, float]
) -> list[Seed]:
    """At most five seeds: what the question names, what is close to it, what its passages name.

    A vector counts up to a distance (1 - similarity, calibrated) of 0.8.
    """
    found: dict[str, Seed] = {entity: Seed(entity, 1.0, How.NAME) for entity in named[:SEEDS]}
    for entity, similarity in near:
        if 1 - similarity <= DISTANCE:
            found.setdefault(entity, Seed(entity, round(similarity, 6), How.VECTOR))
    top = max(told.values(), default=1.0)
    for entity, weight in sorted(told.items(), key=lambda item: (-item[1], item[0])):
        found.setdefault(entity, Seed(entity, round(TOLD * weight / top, 6), How.PASSAGE))
    return list(found.values())[:SEEDS]


def weighed(mentions: Sequence[Row], scores: Mapping[str, float]) -> dict[str, float]:
    """How much passages speak for each entity that they name: less for what is named everywhere."""
    found: dict[str, float] = defaultdict(float)
    for row in mentions:
        found[row["root"]] += scores[row["passage"]] / max(1, row["mentions"]) ** 0.5
    return dict(found)
