"""What may stand for what, with the model that ships: of two texts that only sound alike neither
ends, and of two that say the same one does.

The pairs of `twins.jsonl` are in two halves; rules were made with the first one in view alone.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.contexts.service import MERGED_BY_HAND
from app.contradiction.twins import are_twins
from app.embeddings.e5 import E5Embedder
from app.indexing.likeness import Likeness
from app.settings import Settings
from app.wiring import Parts
from tests.conftest import Principal
from tests.contexts.conftest import Make, add, held, make, posted
from tests.similarity.test_contexts import Drain
from tests.tiers.conftest import consolidate, kept, noted

__all__ = ["make"]
PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parent / "twins.jsonl").read_text("utf-8").splitlines()
]
PROMOTED = Settings().tiers.alike
LIVED = {"memory_type": "experiential"}


@pytest.mark.parametrize("half", ["a", "b"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_what_differs_is_no_twin_and_what_says_the_same_is_one(half: str, language: str) -> None:
    chosen = [p for p in PAIRS if (p["half"], p["language"]) == (half, language)]
    assert sum(not p["same"] for p in chosen) >= 6
    assert sum(p["same"] for p in chosen) >= 4
    for one, other in ((p["one"], p["other"]) for p in chosen if not p["same"]):
        assert not are_twins(one, other), (one, other)
        assert not are_twins(other, one), (other, one)
    for one, other in ((p["one"], p["other"]) for p in chosen if p["same"]):
        assert are_twins(one, other), (one, other)
        assert are_twins(other, one), (other, one)


@pytest.mark.parametrize("language", ["en", "de"])
async def test_words_keep_apart_what_vectors_do_not_and_the_bar_lets_the_same_pass(
    e5: E5Embedder, language: str
) -> None:
    likeness = Likeness(e5)
    found: dict[bool, list[float]] = {True: [], False: []}
    for pair in (p for p in PAIRS if p["language"] == language):
        found[pair["same"]].append(await likeness.texts(pair["one"], pair["other"]))
    apart = [share for share in found[False] if share >= MERGED_BY_HAND]
    assert len(apart) >= 5, "of these vectors alone would make one"
    assert sum(share >= PROMOTED for share in found[True]) >= 8, found[True]


@pytest.mark.parametrize("language", ["en", "de"])
async def test_experiences_and_promotions_go_by_it(
    writer: Principal, opened: Parts, make: Make, drain: Drain, language: str
) -> None:
    context = await make("twins")
    chosen = [p for p in PAIRS if p["language"] == language]
    apart = [p for p in chosen if not p["same"]][:4]
    same = [p for p in chosen if p["same"]][:3]
    for number, pair in enumerate((*apart, *same)):
        for end in ("one", "other"):
            await add(writer, context, f"{number}.{end}", pair[end], **LIVED)
    for number, pair in enumerate((*apart[:3], *same[:2])):
        for end in ("one", "other"):
            await noted(writer, f"{number}.{end}", pair[end], 3)
    await drain()
    groups = (await posted(writer, f"/v1/contexts/{context}/merge", {"dry_run": False}))["groups"]
    assert [len(group) for group in groups] == [2] * len(same)
    left = await held(writer, context)
    assert {pair[end] for pair in apart for end in ("one", "other")} <= set(left.values())
    done = await consolidate(writer)
    assert done["counts"] == {"promoted": 8, "merged": 2}
    assert len(await kept(opened, writer)) == 8
