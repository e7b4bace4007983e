"""Tasks, intents and batches rolled back in any order: always what a plain model says."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from app.learning.folding import grouped
from tests.conftest import Principal
from tests.learning.conftest import log_of, roll_back, run, solved, told


@dataclass
class Model:
    """Which tasks were scored and are of an intent, and which batch did what."""

    scored: dict[str, bool] = field(default_factory=dict)
    batch_of: dict[str, str] = field(default_factory=dict)


@pytest.mark.parametrize("seed", [3, 11])
async def test_scores_follow_from_what_was_not_rolled_back(
    admin: Principal, writer: Principal, tenant: str, seed: int
) -> None:
    chance, model = random.Random(seed), Model()
    for step in range(14):
        if not model.scored or chance.random() < 0.5:
            made = await solved(writer, f"step {step} of walk {seed}")
            (entry,) = await log_of(writer, about=made["id"])
            model.scored[made["id"]], model.batch_of[made["id"]] = True, entry["batch"]
        elif chance.random() < 0.7:
            one = chance.choice(sorted(model.scored))
            dry = chance.random() < 0.3
            receipt = await roll_back(admin, model.batch_of[one], dry_run=dry)
            assert len(receipt["ids"]) == model.scored[one]
            model.scored[one] = model.scored[one] and dry
        else:
            await run(admin, "segments/end-idle", f"{tenant}/dev")
    listed = (await told(await writer.http.get("/v1/segments")))["items"]
    assert {one["id"]: one["label"] is not None for one in listed} == model.scored
    open_entries = [one for one in await log_of(writer) if one["valid_to"] is None]
    assert {one["about"] for one in open_entries} == {i for i, on in model.scored.items() if on}
    rows = (await told(await admin.http.get(
        "/v1/learned/changes", params={"scope": f"{tenant}/dev", "limit": 200}
    )))["items"]  # fmt: skip
    assert [row["version"] for row in rows] == list(range(1, len(rows) + 1))


def plain(waiting: list[str], near: Any, known: dict[str, str], least: int) -> dict[str, str]:
    """The intent of each segment, told step by step."""
    of = dict(known)
    for one in waiting:
        if one in of:
            continue
        others = [o for o in near[one] if o != one]
        have = [o for o in others if o in of]
        if have:
            of[one] = of[min(have, key=lambda o: (-near[one][o], o))]
            continue
        free = [o for o in others if o in waiting]
        if len(free) + 1 >= least:
            of |= dict.fromkeys([one, *free], one)
    return of


@pytest.mark.parametrize("seed", range(40))
def test_groups_are_those_of_a_plain_model(seed: int) -> None:
    chance = random.Random(seed)
    every = [f"s{n:02}" for n in range(12)]
    near: dict[str, dict[str, float]] = {one: {one: 1.0} for one in every}
    for left in every:
        for right in every:
            if left < right and chance.random() < 0.25:
                near[left][right] = near[right][left] = round(chance.uniform(0.5, 1), 2)
    known = {one: f"i{chance.randrange(2)}" for one in every if chance.random() < 0.2}
    waiting = [one for one in every if one not in known and chance.random() < 0.9]
    least = chance.choice([2, 3])
    groups = grouped(waiting, near, known, least)
    made = {m: g.intent or g.example for g in groups for m in g.members}
    assert known | made == plain(waiting, near, known, least)
    assert all(len(g.members) >= least for g in groups if g.intent is None)
