"""What was read as integrated with something before `depends_on` was a predicate of its own is read
again, so that an explicit end of it ends it."""

from __future__ import annotations

from app.kernel.migrate import migrations
from app.wiring import Parts
from tests.conftest import Principal
from tests.consolidation.conftest import Said, beliefs, query, take_in


async def held(opened: Parts, scope: str) -> list[tuple[str, str, str, str]]:
    """Each belief that is no denial with its end on the world's axis."""
    found = [row for row in await beliefs(opened, scope) if not row[3]]
    return [(row[0], row[1], row[2], span[1][:4]) for row in found for span in row[7]]


async def test_what_depends_is_told_so_after_the_upgrade(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    scope, callers = f"{tenant}/dev", {"one": writer.caller}
    told = [Said(0, "Sorvik integrates with Kelda."), Said(1, "Brenna integrates with Kelda.")]
    await take_in(opened, callers, told)
    # As an older version has read the first: the words are others, the fact is the same.
    await query(
        opened.graph,
        "MATCH (p:Passage {scope: $scope}) WHERE p.content STARTS WITH 'Sorvik' "
        "SET p.content = 'Sorvik depends on Kelda.'",
        scope=scope,
    )
    stops = [Said(48, "Sorvik no longer depends on Kelda.")]
    (step,) = [one for one in migrations() if one.name.endswith("_days_and_dependence.cypher")]
    for statement in step.statements:
        await opened.graph.raw(statement)
    waiting = await query(
        opened.graph,
        "MATCH (p:Passage {scope: $scope}) WHERE p.consolidation_state = 'raw' "
        "RETURN p.content AS content",
        scope=scope,
    )
    assert waiting == [{"content": "Sorvik depends on Kelda."}], "nothing else is read again"
    await opened.consolidation.consolidate(scope)
    assert sorted(await held(opened, scope)) == [
        ("brenna", "integrates_with", "kelda", "9999"),
        ("sorvik", "depends_on", "kelda", "9999"),
    ]
    await take_in(opened, callers, stops)
    found = [row for row in await held(opened, scope) if row[0] == "sorvik"]
    assert found == [("sorvik", "depends_on", "kelda", "2026")]
