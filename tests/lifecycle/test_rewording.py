"""Facts that an older version told in other words are told anew."""

from __future__ import annotations

from app.kernel.cypher import Q
from app.kernel.migrate import migrations
from app.wiring import Parts
from tests.conftest import Principal
from tests.lifecycle.conftest import Say


async def statements(opened: Parts, scope: str) -> dict[str, str]:
    rows = await opened.graph.raw(
        "MATCH (f:Fact {scope: $scope}) RETURN f.statement AS said, f.index_state AS state",
        scope=scope,
    )
    return {row["said"]: row["state"] for row in rows}


async def test_facts_of_an_older_version_are_told_as_sentences(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    await say(tenant, "We no longer sell pumps. The Kestrel battery lasts six hours.")
    wanted = {"We do not sell pumps", "The Kestrel battery lasts six hours"}
    assert set(await statements(opened, tenant)) == wanted
    await opened.graph.raw(
        "MATCH (f:Fact {scope: $scope}) SET f.statement = 'Not: we sells pumps', "
        "f.content = f.statement, f.index_state = 'indexed', f.wording_state = 'pending'",
        scope=tenant,
    )
    assert await opened.rewording.sweep() >= 2
    assert await statements(opened, tenant) == dict.fromkeys(wanted, "pending")
    assert await opened.graph.rows(Q.lifecycle.unworded, limit=10) == []
    assert await opened.rewording.sweep() == 0


async def test_an_upgrade_tells_facts_in_the_words_of_their_clause(
    opened: Parts, tenant: str, say: Say
) -> None:
    """The migration marks them, and neither ids nor keys change."""
    await say(tenant, "The bus stops at the school. The team meets on Tuesday.")
    known = "MATCH (f:Fact {scope: $scope}) RETURN f.id AS id, f.object_key AS key ORDER BY id"
    before = await opened.graph.raw(known, scope=tenant)
    wanted = set(await statements(opened, tenant))
    assert "The team meets on Tuesday" in wanted
    await opened.graph.raw(
        "MATCH (f:Fact {scope: $scope}) SET f.statement = 'The team is on Tuesday', "
        "f.content = f.statement, f.index_state = 'indexed'",
        scope=tenant,
    )
    (step,) = [one for one in migrations() if one.name.endswith("_own_words.cypher")]
    for statement in step.statements:
        await opened.graph.raw(statement)
    assert await opened.rewording.sweep() >= len(wanted)
    assert await statements(opened, tenant) == dict.fromkeys(wanted, "pending")
    assert await opened.graph.raw(known, scope=tenant) == before
