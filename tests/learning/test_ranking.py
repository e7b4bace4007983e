"""Skills and memories ranked by how tasks ended that used them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from app.skills.manifest import Outcomes, manifest, ranked
from tests.conftest import MakePrincipal, Principal
from tests.learning.conftest import begin, end, told

Drain = Callable[[], Awaitable[int]]
AT = datetime(2026, 3, 1, tzinfo=UTC)


def skill(name: str, scope: str = "t/dev", **more: Any) -> dict[str, Any]:
    """A skill as it is stored."""
    return {"id": f"{scope}:{name}", "name": name, "scope": scope, "description": "Mends things.",
            "usage_count": 0, "success_count": 0, "failure_count": 0, **more}  # fmt: skip


def test_ranks_to_the_digit() -> None:
    rows = [skill("pump mending", usage_count=1, success_count=1), skill("chairs")]
    good = {rows[1]["id"]: Outcomes(4, 3, AT)}
    found = ranked([*rows, skill("nothing")], "the pump", good, AT)
    told_of = [(one.skill["name"], one.rank, one.rate) for one in found]
    assert told_of == [
        ("pump mending", 0.75, 1.0),  # .3 × 1 + .4 × 1 + .2 × ¼ + .1 × 0
        ("chairs", 0.6, 0.75),  # .3 × 0 + .4 × ¾ + .2 × 1 + .1 × 1
        ("nothing", 0.0, None),
    ]


def test_a_manifest_is_told_by_name_within_its_budget() -> None:
    rows = [skill(f"s{n:03}", description="x" * 400) for n in range(40)]
    rows += [skill("S001", "t"), skill("s002", "t/dev/me")]
    made = manifest(ranked(rows, "anything", {}, AT), 0)
    names = [one.skill["name"] for one in made.chosen]
    assert names == sorted(names, key=str.casefold)
    assert made.budget == 8000
    assert len(made.text) <= 8000 < len(made.text) + len(made.chosen[0].line) + 1
    reasons = {one.ranked.skill["id"]: one.reason for one in made.excluded}
    assert (reasons["t:S001"], reasons["t/dev:s002"]) == ("shadowed", "shadowed")
    assert len(made.chosen) + len(made.excluded) == len(rows)
    wide = manifest(ranked(rows, "anything", {}, AT), 2_000_000)
    other = manifest(ranked(rows, "s005", {}, AT), 2_000_000)
    assert (wide.budget, wide.text) == (20_000, other.text), "the same choice, the same bytes"


async def test_a_manifest_follows_outcomes(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    ids = {}
    for name in ("Weld a frame", "Glue a frame"):
        body = {"name": name, "description": "How frames are held together.", "body": "Do it.",
                "category": "debugging"}  # fmt: skip
        made = await told(await writer.http.post("/v1/skills", json=body), 201)
        ids[name] = made["id"]
    for name, passed in (("Weld a frame", True), ("Glue a frame", False)):
        segment = await begin(writer, f"{name} today")
        checks = [{"kind": "test", "passed": passed}]
        await end(writer, segment["id"], checks=checks, used=[{"memory": ids[name]}])
    url = "/v1/skills/manifest"
    found = await told(await writer.http.get(url, params={"task": "hold frames together"}))
    ranks = {one["untrusted"]["name"]: (one["rank"], one["rate"]) for one in found["items"]}
    assert [one["untrusted"]["name"] for one in found["items"]] == ["Glue a frame", "Weld a frame"]
    assert ranks["Weld a frame"][1] == 1.0
    assert ranks["Glue a frame"][1] == 0.0
    assert ranks["Weld a frame"][0] == pytest.approx(ranks["Glue a frame"][0] + 0.4, abs=1e-4)
    stranger = await principal(f"{tenant}x/dev", name="stranger")
    assert (await told(await stranger.http.get(url)))["items"] == []


async def test_outcomes_move_a_search_only_where_that_is_asked_for(
    writer: Principal, tenant: str, drain: Drain
) -> None:
    notes = []
    for text in ("The boiler valve sticks in winter.", "The boiler valve sticks in winters."):
        notes.append((await writer.http.post("/v1/notes", json={"content": text})).json()["id"])
    await drain()

    async def search(**more: Any) -> list[tuple[str, float]]:
        body = {"query": "boiler valve sticks", "kinds": ["note"], "mode": "keyword", **more}
        hits = (await told(await writer.http.post("/v1/search", json=body)))["hits"]
        return [(hit["source"]["note_id"], hit["score"]) for hit in hits]

    plain = await search()
    assert await search(outcomes=0.6) == plain, "without an outcome nothing changes"
    last = plain[-1][0]
    for n in range(3):
        segment = await begin(writer, f"Look at boiler {n}")
        checks = [{"kind": "test", "passed": True}]
        await end(writer, segment["id"], checks=checks, used=[{"memory": last, "rank": 1}])
    assert await search() == plain
    moved = await search(outcomes=0.6)
    assert moved[0][0] == last
    assert moved[0][1] <= 1.0
    answer = await writer.http.post("/v1/search", json={"query": "a", "outcomes": 0.7})
    assert answer.status_code == 422
