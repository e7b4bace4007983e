"""What was promoted in packages and in erasures, and what `loci verify` says of it."""

from __future__ import annotations

from pathlib import Path

from app.lifecycle.invariants import broken
from app.portability.exporter import digest_of, export_package
from app.portability.service import selection
from app.wiring import Parts
from tests.conftest import Principal
from tests.pools.test_packages import Load, allow, erase, load
from tests.tiers.conftest import consolidate, kept, noted, read
from tests.tiers.test_promotion import told_of

__all__ = ["load"]


async def test_a_package_brings_back_what_was_promoted(
    opened: Parts, writer: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    short = await noted(writer, "plan", told_of("kiln"), 3)
    await noted(writer, "again", told_of("kiln"), 3)
    await consolidate(writer)
    await opened.indexing.drain()
    chosen = await selection(opened.graph, tenant)
    before = await digest_of(opened.graph, chosen)
    assert before["records"]["context_entry"] == 2, "the archived one too"
    await export_package(opened.graph, tmp_path / "out", chosen)
    await opened.graph.raw(
        "MATCH (n:Declared) WHERE n.scope STARTS WITH $scope DETACH DELETE n RETURN count(*) AS n",
        scope=writer.caller.home,
    )
    await load(tmp_path / "out")
    assert (await digest_of(opened.graph, chosen))["digest"] == before["digest"]
    (entry,) = await kept(opened, writer)
    (gone,) = await kept(opened, writer, "archived")
    assert short in {entry["promoted_from"], gone["promoted_from"]}
    assert (await read(writer, entry["key"]))["tier"] == "long_term"
    assert await broken(opened.graph, tenant) == []


async def test_an_author_and_a_person_go_from_every_tier(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    await allow(admin, tenant)
    name = "Ludmilla Ostrander"
    await noted(writer, "who", f"{name} keeps the key of the granary.", 3)
    await noted(writer, "what", told_of("ferry"), 3)
    await consolidate(writer)
    await noted(writer, "later", f"{name} lost the key.", 1)
    await opened.indexing.drain()
    entity = await opened.graph.raw(
        "MATCH (e:Entity) WHERE e.scope STARTS WITH $tenant RETURN e.id AS id LIMIT 1",
        tenant=tenant,
    )
    assert len(await kept(opened, writer)) == 2
    assert entity == [], "what is kept in tiers makes no entities"
    await erase(opened, admin, author=writer.caller.principal, scope=writer.caller.home)
    for key in ("who", "what", "later"):
        assert (await read(writer, key))["found"] is False
    assert await kept(opened, writer) == []
    assert await kept(opened, writer, "archived") == []
    assert await broken(opened.graph, tenant) == []
