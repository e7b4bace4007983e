"""Whatever a tenant holds, its export restores it: random graphs, whole and by scope."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest
import pytest_asyncio

from app.cli.transfer import store_of
from app.kernel.caller import Role
from app.lifecycle.invariants import broken
from app.portability.exporter import export_package
from app.portability.kind import Kind
from app.portability.kinds import KINDS
from app.portability.service import Order, import_attended, selection
from app.settings import Settings
from app.wiring import Parts, parts
from tests.conftest import MakePrincipal, Principal
from tests.portability.conftest import Import, untold
from tests.portability.worlds import World
from tests.support.server import EmbeddedPair

SEEDS = (2, 3)
CLEAR = (
    "MATCH (n) WHERE n.tenant = $tenant OR n.path = $tenant OR n.scope = $tenant "
    "OR n.scope STARTS WITH $tenant + '/' OR n.path STARTS WITH $tenant + '/' DETACH DELETE n"
)


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def empty(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Any]:
    """A second, empty store with nothing but its schema."""
    with EmbeddedPair(tmp_path_factory.mktemp("second")) as pair:
        door = pair.start_graph()
        graph = settings.graph.model_copy(
            update={"uri": door.uri, "user": door.user, "password": door.password}
        )
        async with parts(settings.model_copy(update={"graph": graph})) as second:
            yield second


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


def counted(kind: Kind, folder: Path) -> list[Any]:
    """What the digest covers of one file."""
    file = folder / kind.file
    lines = file.read_bytes().splitlines() if file.exists() else []
    found = [kind.counted(orjson.loads(line)) for line in lines]
    return [record for record in found if record]


async def restored(opened: Parts, empty: Parts, scope: str, path: Path) -> None:
    """A scope goes out of one store and into the other, which then says the same."""
    chosen = await selection(opened.graph, scope)
    manifest = await export_package(opened.graph, path, chosen)
    result = await import_attended(store_of(empty), Order(path), untold)
    assert result["rejects"] is None
    back = path.with_name(f"{path.name}-back")
    again = await export_package(empty.graph, back, await selection(empty.graph, scope))
    for kind in KINDS:
        assert counted(kind, back) == counted(kind, path), kind.name
    assert again["digest"] == manifest["digest"]
    assert await broken(empty.graph, scope.partition("/")[0]) == []


@pytest.mark.timeout(900)
@pytest.mark.parametrize("world", SEEDS, indirect=True)
async def test_what_is_exported_is_restored(
    opened: Parts, empty: Parts, world: World, tmp_path: Path
) -> None:
    tenant = world.tenant
    assert await broken(opened.graph, tenant) == []
    await restored(opened, empty, world.scopes[0], tmp_path / "scope")
    await empty.graph.raw(CLEAR, tenant=tenant)
    # The chain of the tenant comes with it, and goes on from there.
    sealed = await opened.runner.submit("audit.seal", tenant=tenant, scope=tenant, args={})
    await opened.runner.run(opened, sealed.id)
    await restored(opened, empty, tenant, tmp_path / "tenant")
    # Nothing waits to be read anew, and reading what waits changes no fact.
    for scope in world.scopes:
        assert (await empty.consolidation.consolidate(scope)).episodes == 0
    assert await broken(empty.graph, tenant) == []


NODES = (
    "MATCH (n) WHERE (n.tenant = $tenant OR n.scope = $tenant "
    "OR n.scope STARTS WITH $tenant + '/') AND NOT n:AuditEvent AND NOT n:Job AND NOT n:LinkName "
    "UNWIND labels(n) AS label "
    "WITH label, count(*) AS found RETURN label, found ORDER BY label"
)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("world", [11], indirect=True)
async def test_an_export_imported_where_it_came_from_doubles_nothing(
    opened: Parts, load: Import, world: World, tmp_path: Path
) -> None:
    tenant, other = world.tenant, f"{world.tenant}x"

    async def held(where: str) -> Any:
        return await opened.graph.raw(NODES, tenant=where)

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
