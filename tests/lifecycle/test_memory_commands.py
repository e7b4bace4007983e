"""`loci memory` and `loci knowledge`: listed, and what repeats itself hidden and not erased."""

from __future__ import annotations

import json
from typing import Any

from app.kernel.ids import new_id
from app.wiring import Parts
from tests.conftest import Command, Principal
from tests.lifecycle.conftest import Switch


async def told(command: Command, *arguments: str) -> Any:
    """What a command prints as JSON."""
    result = await command(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


async def test_memory_is_listed_pruned_and_collected(
    opened: Parts, admin: Principal, tenant: str, switch: Switch, command: Command
) -> None:
    made = []
    for text, space in (
        ("The weir of Sorvik lies by the mill.", "knowledge"),
        ("Ring before you open the weir.", "methods"),
    ):
        body = {"content": text, "namespace": space}
        answer = await admin.http.post("/v1/notes", json=body)
        made.append(answer.json()["id"])
    await opened.indexing.drain()
    copy = new_id()  # as an import brings it, which compares nothing
    await opened.graph.raw(
        "MATCH (n:Note {id: $id}) CREATE (m:Note:Memory:Searchable) "
        "SET m = n {.*, id: $copy, memory_id: $copy, confirmations: 3}",
        id=made[0], copy=copy,
    )  # fmt: skip
    await opened.graph.raw("CALL db.awaitIndexes(60)")
    listed = await told(command, "memory", "list", tenant)
    assert {row["id"] for row in listed["items"]} == {*made, copy}
    some = await told(command, "memory", "list", tenant, "--contains", "RING")
    assert [row["id"] for row in some["items"]] == [made[1]]
    known = await told(command, "knowledge", "list", tenant)
    assert {row["id"] for row in known["items"]} == {made[0], copy}
    dry = await told(command, "knowledge", "prune", tenant)
    assert dry == await told(command, "knowledge", "prune", tenant, "--dry-run")
    assert [(one["hidden"], one["kept"]) for one in dry["items"]] == [(made[0], copy)]
    assert len((await told(command, "knowledge", "list", tenant))["items"]) == 2
    done = await told(command, "knowledge", "prune", tenant, "--apply")
    assert done["items"] == dry["items"]
    assert (await told(command, "knowledge", "prune", tenant, "--apply"))["items"] == []
    left = await told(command, "knowledge", "list", tenant)
    assert [row["id"] for row in left["items"]] == [copy]
    shown = await admin.http.post(f"/v1/memories/{made[0]}/unforget")
    assert shown.json()["changed"]
    refused = await command("memory", "gc", tenant, "--apply")
    assert refused.exit_code == 1
    await opened.graph.raw(
        "MATCH (n:Note {id: $id}) SET n.ingested_at = datetime() - duration('P400D'), "
        "n.last_access = null, n.importance = 0.01, n.trust = 0.1, n.confidence = 0.1",
        id=made[1],
    )  # fmt: skip
    dry = await told(command, "memory", "gc", tenant)
    assert made[1] in [*dry["forgotten"], *dry["archived"]]
    await switch(tenant, forgetting=True, maintenance="nightly")
    dry = await told(command, "memory", "gc", tenant)
    assert (dry["dry_run"], made[1] in dry["forgotten"]) == (True, True)
    done = await told(command, "memory", "gc", tenant, "--apply")
    assert made[1] in done["forgotten"], "nothing was hidden before"
    again = await told(command, "memory", "gc", tenant, "--apply")
    assert made[1] not in again["forgotten"]
