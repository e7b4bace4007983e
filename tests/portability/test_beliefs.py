"""What was made of episodes travels as a whole, or is made anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from app.portability.exporter import export_package
from app.portability.service import selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.portability.beliefs import believe
from tests.portability.conftest import Import

CLEAR = (
    "MATCH (n) WHERE n.tenant = $tenant OR n.path = $tenant OR n.scope = $tenant "
    "OR n.scope STARTS WITH $tenant + '/' DETACH DELETE n"
)
LIVES = (
    "MATCH (f:Fact {scope: $scope, predicate: 'lives_in', status: 'active', negated: false}) "
    "RETURN f.object_text AS town"
)


async def towns(opened: Parts, scope: str) -> list[str]:
    """Where people live now."""
    return [row["town"] for row in await opened.graph.raw(LIVES, scope=scope)]


async def packed(opened: Parts, tenant: str, path: Path) -> dict[str, Any]:
    """A package of a tenant without its audit, so that it can be edited."""
    await export_package(opened.graph, path, await selection(opened.graph, tenant))
    manifest: dict[str, Any] = orjson.loads((path / "manifest.json").read_bytes())
    (path / "manifest.json").unlink()
    for name in ("audit.jsonl", "chains.jsonl"):
        (path / name).unlink(missing_ok=True)
    return manifest


async def test_a_package_that_moves_is_read_anew(
    opened: Parts,
    load: Import,
    admin: Principal,
    principal: MakePrincipal,
    tenant: str,
    tmp_path: Path,
) -> None:
    await believe(opened, admin, principal, f"{tenant}/dev")
    await packed(opened, tenant, tmp_path / "p")
    result = await load(tmp_path / "p", target=f"{tenant}b")
    assert {"facts.jsonl", "readings.jsonl", "cursors.jsonl"} <= set(result["skipped"])
    assert result["kinds"]["note"]["rejected"] == 0
    assert result["kinds"]["note"]["accepted"] >= 4
    scope = f"{tenant}b/dev"
    assert await towns(opened, scope) == []
    tally = await opened.consolidation.consolidate(scope)
    assert tally.episodes == result["kinds"]["episode"]["accepted"]
    assert await towns(opened, scope) == await towns(opened, f"{tenant}/dev") == ["Oldenburg"]


async def test_what_lost_a_source_on_the_way_is_settled_anew(
    opened: Parts,
    load: Import,
    admin: Principal,
    principal: MakePrincipal,
    tenant: str,
    tmp_path: Path,
) -> None:
    scope = f"{tenant}/dev"
    await believe(opened, admin, principal, scope)
    await packed(opened, tenant, tmp_path / "p")
    assert await towns(opened, scope) == ["Oldenburg"]
    episodes = tmp_path / "p" / "episodes.jsonl"
    kept = [line for line in episodes.read_bytes().splitlines() if b"moved from Bremen" not in line]
    episodes.write_bytes(b"\n".join(kept))
    await opened.graph.raw(CLEAR, tenant=tenant)
    result = await load(tmp_path / "p")
    assert result["kinds"]["reading"]["rejected"] == 1
    assert result["kinds"]["fact"]["rejected"] == 0
    assert (await opened.consolidation.consolidate(scope)).episodes >= 1
    assert await towns(opened, scope) == ["Bremen"]
    unsupported = await opened.graph.raw(
        "MATCH (f:Fact {scope: $scope}) WHERE f.claims_due IS NOT NULL "
        "OR NOT EXISTS { (:Episode)-[:SUPPORTS]->(f) } RETURN f.statement AS left",
        scope=scope,
    )
    assert unsupported == []
