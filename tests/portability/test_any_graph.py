"""Whatever a tenant holds, its export restores it: random graphs, whole and by scope."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.cli.transfer import store_of
from app.kernel.caller import Role
from app.lifecycle.invariants import broken
from app.portability.exporter import digest_of, export_package
from app.portability.service import Order, import_attended, selection
from app.settings import Settings
from app.wiring import Parts, parts
from tests.conftest import MakePrincipal, Principal
from tests.portability.conftest import untold
from tests.portability.worlds import World
from tests.support.server import EmbeddedPair

SEEDS = (1, 2, 3)
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
    await made.grow(25)
    return made


async def kinds(store: Parts, scope: str) -> tuple[str, dict[str, int]]:
    """The digest of a scope with all below it, and how many records of each kind there are."""
    found = await digest_of(store.graph, await selection(store.graph, scope))
    return found["digest"], found["records"]


async def restored(opened: Parts, empty: Parts, scope: str, path: Path) -> None:
    """A scope goes out of one store and into the other, which then says the same."""
    chosen = await selection(opened.graph, scope)
    manifest = await export_package(opened.graph, path, chosen)
    result = await import_attended(store_of(empty), Order(path), untold)
    assert result["rejects"] is None, Path(result["rejects"]).read_text()
    assert {k for k, t in result["kinds"].items() if t["duplicates"]} == set()
    digest, records = await kinds(empty, scope)
    assert records == (await kinds(opened, scope))[1]
    assert digest == manifest["digest"]
    assert await broken(empty.graph, scope.partition("/")[0]) == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize("world", SEEDS, indirect=True)
async def test_what_is_exported_is_restored(
    opened: Parts, empty: Parts, world: World, tmp_path: Path
) -> None:
    tenant = world.tenant
    print(*world.refused, sep=chr(10))
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
