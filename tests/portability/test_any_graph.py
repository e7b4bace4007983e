"""Whatever a tenant holds, its export restores it: random graphs, whole and by scope."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import orjson
import pytest
import pytest_asyncio

from app.access.seal import check_chain
from app.cli.keys import bootstrap
from app.cli.transfer import store_of
from app.kernel.caller import Role
from app.kernel.migrate import OF_STORED, migrations
from app.kinds import KINDS as DECLARED
from app.lifecycle.invariants import broken
from app.notes.kind import NOTE
from app.portability import entities, facts
from app.portability.exporter import digest_of, export_package
from app.portability.kind import Kind
from app.portability.kinds import KINDS
from app.portability.service import Order, import_attended, selection
from app.wiring import Parts
from tests.agentmemory.conftest import MakeBridge, bridged, connect
from tests.conftest import MakePrincipal, Principal
from tests.portability.conftest import Import, untold
from tests.portability.desk import Desk
from tests.portability.worlds import World

__all__ = ["bridged", "connect"]
# In the environment: how many graphs, and the seed of the first.
SEEDS = range(
    first := int(os.environ.get("TESTS_SEED", "2")),
    first + int(os.environ.get("TESTS_GRAPHS", "1")),
)
EVERY = {kind.name for kind in KINDS} - {"company", "chain"}  # older packages'; what a seal makes
# What one scope has of each tenant; nobody decides on merges there, so nothing is suggested.
EACH = {kind.name for kind in DECLARED if kind.exported} - {"intervention"}
EACH |= {"note_link", "promotion", "skill", "skill_conflict", "skill_link", "skill_proposal"}
ROUNDS = 4  # in which each step is taken once more
OF_UPGRADES = [s for m in migrations() for s in m.statements if OF_STORED.match(s)]
CLEAR = (
    "MATCH (n) WHERE n.tenant = $tenant OR n.path = $tenant OR n.scope = $tenant "
    "OR n.scope STARTS WITH $tenant + '/' OR n.path STARTS WITH $tenant + '/' DETACH DELETE n"
)


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def begun(empty: Parts) -> Parts:
    """A second store as `loci up --empty` leaves it: its schema and the first key."""
    assert (await bootstrap(empty, "demo"))["key"]
    return empty


@pytest_asyncio.fixture(loop_scope="session")
async def world(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, request: Any
) -> World:
    """A tenant grown from a seed."""
    people = {
        name: await principal(tenant, name=name, kind="user", role=Role.ADMIN)
        for name in ("ada", "bob")
    }
    made = World(opened, {"admin": admin, **people}, request.param)
    await made.grow(12)
    return made


@pytest_asyncio.fixture(loop_scope="session")
async def whole(world: World, connect: MakeBridge) -> World:
    """The same, grown until it holds every kind."""
    scopes = (world.scopes[0], f"{world.tenant}/desk")
    hands = [await connect(scope, name=f"hand{n}") for n, scope in enumerate(scopes)]
    await Desk(world, (hands[0], hands[1])).grow(6)
    for step in (world.hide, world.erase, world.erase, world.rest):
        await step()
    while missing := EVERY - await kinds_of(world.opened, world.tenant):
        assert world.rounds < ROUNDS, f"no step makes {sorted(missing)}: {world.refused}"
        await world.grow(0)
    return world


async def kinds_of(opened: Parts, tenant: str) -> set[str]:
    """The kinds that an export of a tenant would hold."""
    return set((await digest_of(opened.graph, await selection(opened.graph, tenant)))["records"])


def counted(kind: Kind, folder: Path) -> list[Any]:
    """What the digest covers of one file."""
    file = folder / kind.file
    lines = file.read_bytes().splitlines() if file.exists() else []
    found = [kind.counted(orjson.loads(line)) for line in lines]
    return [record for record in found if record]


async def sealed(where: Parts, tenant: str) -> None:
    """What was done so far in a tenant becomes a chain."""
    job = await where.runner.submit("audit.seal", tenant=tenant, scope=tenant, args={})
    await where.runner.run(where, job.id)
    assert (await check_chain(where.access_rows, tenant)).intact


async def restored(
    opened: Parts, empty: Parts, scope: str, path: Path, *, own: bool = False
) -> set[str]:
    """A scope goes out of one store and into the other, which then says the same; `own` tells that
    the other has an audit chain of its own, which it keeps. The kinds that there were."""
    chosen = await selection(opened.graph, scope)
    manifest = await export_package(opened.graph, path, chosen)
    result = await import_attended(store_of(empty), Order(path), untold)
    assert result["rejects"] is None
    back = path.with_name(f"{path.name}-back")
    again = await export_package(empty.graph, back, await selection(empty.graph, scope))
    for kind in KINDS:
        if not (own and kind.trail):
            assert counted(kind, back) == counted(kind, path), kind.name
    assert again["digest"] == manifest["digest"]
    assert (again["audit"] != manifest["audit"]) is own
    assert list(result["skipped"]) == (["chains.jsonl"] if own else [])
    assert await broken(empty.graph, scope.partition("/")[0]) == []
    return {file["kind"] for file in manifest["files"]}


LISTS = (
    "MATCH (n:Note|Fact|Entity) WHERE n.tenant = $tenant UNWIND keys(n) AS name "
    "WITH n, name WHERE valueType(n[name]) STARTS WITH 'LIST' AND NOT name STARTS WITH 'embedding' "
    "RETURN DISTINCT [l IN labels(n) WHERE l IN $labels][0] AS label, name"
)
KNOWN = {
    "Note": NOTE.known,
    "Fact": {*facts.PLAIN, *facts.MADE},
    "Entity": {*entities.PLAIN, *entities.UNSAID},
}


async def unsaid_lists(opened: Parts, tenant: str) -> list[Any]:
    """The properties that are lists and no fields of their records: what is told beside these holds
    no lists, so that no import would take the line."""
    rows = await opened.graph.raw(LISTS, tenant=tenant, labels=list(KNOWN))
    return [row for row in rows if row["name"] not in KNOWN[row["label"]]]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("world", SEEDS, indirect=True)
async def test_what_is_exported_is_restored(
    opened: Parts, begun: Parts, whole: World, tmp_path: Path
) -> None:
    tenant = whole.tenant
    assert await broken(opened.graph, tenant) == []
    assert await unsaid_lists(opened, tenant) == []
    await sealed(opened, tenant)
    # A scope comes without the chain, which is the tenant's.
    told = await restored(opened, begun, whole.scopes[0], tmp_path / "scope")
    assert sorted(EACH - told) == []
    # What was done there is sealed first: two chains cannot be one.
    await sealed(begun, tenant)
    told = await restored(opened, begun, tenant, tmp_path / "beside", own=True)
    assert sorted(EVERY - told) == []
    await sealed(begun, tenant)
    await begun.graph.raw(CLEAR, tenant=tenant)
    # The chain of the tenant comes with it, and goes on from there.
    await restored(opened, begun, tenant, tmp_path / "tenant")
    await sealed(begun, tenant)
    # Nothing waits to be read anew, and reading what waits changes no fact.
    for scope in whole.scopes:
        assert (await begun.consolidation.consolidate(scope)).episodes == 0
    assert await broken(begun.graph, tenant) == []
    # A new store runs nothing of that, since it holds nothing: what an upgrade does to what is
    # stored is done here, to what is stored rightly, and leaves it right.
    for statement in OF_UPGRADES:
        await begun.graph.raw(statement)
    assert await broken(begun.graph, tenant) == []


NODES = (
    "MATCH (n) WHERE (n.tenant = $tenant OR n.scope = $tenant "
    "OR n.scope STARTS WITH $tenant + '/') AND NOT n:AuditEvent AND NOT n:Job AND NOT n:LinkName "
    "UNWIND labels(n) AS label "
    "WITH label, count(*) AS found RETURN label, found ORDER BY label"
)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("world", [11], indirect=True)
async def test_an_export_imported_where_it_came_from_doubles_nothing(
    opened: Parts, load: Import, whole: World, tmp_path: Path
) -> None:
    tenant, other = whole.tenant, f"{whole.tenant}x"

    async def held(where: str) -> Any:
        rows = await opened.graph.raw(NODES, tenant=where)
        return {row["label"]: row["found"] for row in rows}

    async def moved(name: str, source: str, target: str) -> None:
        await export_package(opened.graph, tmp_path / name, await selection(opened.graph, source))
        assert (await load(tmp_path / name, target=target))["rejects"] is None

    before = await held(tenant)
    await moved("own", tenant, tenant)
    assert await held(tenant) == before
    await moved("there", tenant, other)
    copied = await held(other)
    await load(tmp_path / "there", target=other, fresh=True)
    assert await held(other) == copied
    await moved("back", other, tenant)
    assert await held(tenant) == before


async def test_what_was_erased_does_not_come_back_under_another_id(
    opened: Parts, load: Import, admin: Principal, tenant: str, tmp_path: Path
) -> None:
    rules = {"params": {"scope": tenant}, "json": {"erasure": True}}
    assert (await admin.http.put("/v1/scopes/rules", **rules)).is_success
    texts = ("The host of Heron is hydra.", "Lunch is at noon.")
    made = [
        (await admin.http.post("/v1/notes", json={"content": text, "scope": tenant})).json()["id"]
        for text in texts
    ]
    await export_package(opened.graph, tmp_path / "p", await selection(opened.graph, tenant))
    assert (await admin.http.post("/v1/erasures", json={"memory": made[0]})).is_success
    await load(tmp_path / "p", target=tenant)
    listed = (await admin.http.get("/v1/notes", params={"scope": tenant})).json()["items"]
    assert [note["untrusted"]["content"] for note in listed] == [texts[1]]
