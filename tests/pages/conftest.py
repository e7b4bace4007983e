"""What tests of pages share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from neo4j import READ_ACCESS

from app.pages.model import Draft, Receipt
from app.pages.naming import name_key
from app.pages.record import bearer, loaded
from app.pages.resolve import Known, Source, names, settle
from app.pages.wikilink import prefixed
from app.wiring import Parts
from tests.conftest import Principal

Write = Callable[..., Awaitable[Receipt]]
Links = dict[str, tuple[set[tuple[str, tuple[str, ...]]], set[str]]]


@pytest.fixture
def write(opened: Parts) -> Write:
    """Writes a page: `await write(who, "Title", "text", kind=…)`."""

    async def make(
        who: Principal, title: str, content: str = "Nothing yet.", **more: Any
    ) -> Receipt:
        return await opened.pages.write(who.caller, Draft(content, title=title, **more))

    return make


async def rows(opened: Parts, text: str, **given: Any) -> list[dict[str, Any]]:
    """The rows of a reading statement."""
    async with opened.graph.driver.session(default_access_mode=READ_ACCESS) as session:
        return [dict(record) async for record in await session.run(text, given)]  # type: ignore[arg-type]


async def stored_links(opened: Parts, tenant: str) -> Links:
    """Edges and pending targets of every live page, as the graph has them."""
    found = await rows(
        opened,
        "MATCH (p:Page {tenant: $tenant}) OPTIONAL MATCH (p)-[r:REFERENCES]->(t) "
        "WITH p, [e IN collect([t.id, r.texts]) WHERE e[0] IS NOT NULL] AS edges "
        "WHERE p.live OR size(edges) > 0 "
        "RETURN p.id AS id, p.pending AS pending, edges",
        tenant=tenant,
    )
    return {
        row["id"]: ({(t, tuple(x)) for t, x in row["edges"]}, set(row["pending"])) for row in found
    }


async def fresh_links(opened: Parts, tenant: str) -> Links:
    """The same as an extraction from all texts at once gives it."""
    found = await rows(
        opened, "MATCH (p:Page {tenant: $tenant}) WHERE p.live RETURN p {.*} AS page", tenant=tenant
    )
    pages = [row["page"] for row in found]
    known: dict[str, list[Any]] = {}
    for one in map(bearer, pages):
        for key in {name_key(name) for name in names(one)}:
            known.setdefault(key, []).append(one)
    others = await _others(opened, tenant, {w.target for p in pages for w in loaded(p["links"])})
    made = {}
    for page in pages:
        source = Source(page["id"], page["scope"], loaded(page["links"]))
        settled = settle(source, Known(known, others))
        edges = {(edge.target, edge.texts) for edge in settled.edges}
        made[page["id"]] = (edges, set(settled.pending))
    return made


async def _others(opened: Parts, tenant: str, targets: set[str]) -> dict[tuple[str, str, str], str]:
    """Every agent and skill of a tenant that a target names, one by one."""
    agents = await rows(
        opened,
        "MATCH (n:Agent {tenant: $tenant})-[:HOME|GRANTED|MEMBER_OF]->(s:Scope) "
        "RETURN n.id AS id, n.name AS name, n.name AS slug, s.path AS scope",
        tenant=tenant,
    )
    skills = await rows(
        opened,
        "MATCH (n:Skill {tenant: $tenant}) RETURN n.id AS id, n.name AS name, n.slug AS slug, "
        "n.scope AS scope ORDER BY n.ingested_at",
        tenant=tenant,
    )
    found: dict[tuple[str, str, str], str] = {}
    for kind, name in {one for target in targets for one in prefixed(target)}:
        for other in agents if kind == "agent" else skills if kind == "skill" else []:
            if name.lower() in (other["name"].lower(), other["slug"]):
                found.setdefault((kind, name, other["scope"]), other["id"])
    return found
