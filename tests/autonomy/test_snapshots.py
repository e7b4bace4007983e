"""Snapshots: the same content is the same bytes, over HTTP, by command and by schedule."""

from __future__ import annotations

import asyncio
import hashlib
import random
from pathlib import Path
from typing import Any

import pytest

from app.kernel.caller import Role
from app.kernel.ids import new_id
from app.snapshots.markdown import Content, rendered
from app.wiring import Parts
from tests.autonomy.conftest import make, told
from tests.conftest import Command, MakePrincipal, Principal
from tests.lifecycle.conftest import checked, strings_of
from tests.pools.test_packages import allow, erase

URL = "/v1/snapshots"


def content(**more: Any) -> Content:
    """What a snapshot is made of, as the queries give it."""
    counts = dict.fromkeys(
        ("episodes", "documents", "pages", "entities", "facts", "quarantined", "notes", "skills"), 0
    )
    empty: dict[str, Any] = {"skills": [], "learnings": [], "notes": [], "facts": []}
    return Content(counts, **{**empty, **more})


def test_the_markdown_is_as_told() -> None:
    facts = [{"content": "Ann lives in Ulm."}, {"content": "Bob\n# lives\n\n  in Bonn."}]
    skill = {"name": "Pack", "category": "other", "version": 2, "description": "Packs\nboxes."}
    learnt = [{"title": "Glass", "content": "Wrap it."}, {"title": None, "content": "Lift low."}]
    text = rendered("acme/dev", content(skills=[skill], learnings=learnt, facts=facts), 2)
    assert text == (
        "# Snapshot of acme/dev\n\n"
        "## Skills\n\n- Pack (other, version 2): Packs boxes.\n\n"
        "## Learnings\n\n- Glass: Wrap it.\n- Lift low.\n\n"
        "## Knowledge\n\n### Notes\n\nThere are none.\n\n"
        "### Facts\n\n- Ann lives in Ulm.\n- Bob # lives in Bonn.\n\n"
        "## Statistics\n\n| Kind | Count |\n| --- | --- |\n| Episodes | 0 |\n| Documents | 0 |\n"
        "| Pages | 0 |\n| Entities | 0 |\n| Facts | 0 |\n| Facts in quarantine | 0 |\n"
        "| Notes | 0 |\n| Active skills | 0 |\n"
    )
    short = rendered("acme/dev", content(facts=facts), 1)
    assert "- Ann lives in Ulm.\n- There are more than these 1.\n" in short
    assert "Bonn" not in short


async def fill(opened: Parts, who: Principal, seed: int) -> None:
    """Notes, learnings and a fact, written in an order that the seed gives."""
    bodies = [
        {"content": "The store opens at nine.", "namespace": "knowledge"},
        {"content": "The lease ends in May.", "namespace": "knowledge"},
        {"content": "Wrap glass twice before it travels.", "namespace": "learnings"},
        {"content": "Lift low and slowly at all times.", "namespace": "learnings"},
    ]
    random.Random(seed).shuffle(bodies)  # order, not secrets
    for body in bodies:
        await make(who, "notes", body)
    await make(who, "episodes", content="Walpurga Senftl lives in Ulm.", session="s")
    await opened.consolidation.consolidate(who.caller.home)


async def markdown(who: Principal, **query: Any) -> str:
    answer = await told(await who.http.get(URL, params=query))
    text: str = answer["untrusted"]["markdown"]
    assert answer["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    return text


async def test_the_order_of_writing_does_not_show(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    texts = []
    for number in range(2):
        who = await principal(f"{tenant}/w{number}", name=f"w{number}")
        await fill(opened, who, number)
        texts.append((await markdown(who)).replace(f"{tenant}/w{number}", "x"))
    assert texts[0] == texts[1]
    assert "- The lease ends in May.\n- The store opens at nine.\n" in texts[0]
    assert (
        "- Lift low and slowly at all times.\n- Wrap glass twice before it travels.\n" in texts[0]
    )
    assert "- Walpurga Senftl lives in Ulm" in texts[0]
    assert "| Episodes | 1 |" in texts[0]
    assert "| Notes | 4 |" in texts[0]


async def test_a_snapshot_is_stored_where_it_differs(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    curator = await principal(scope, role=Role.CURATOR, name="curator")
    assert (await writer.http.get(URL, params={"stored": True})).status_code == 404
    await make(writer, "notes", content="The kiln is hot.", namespace="knowledge")
    assert (await writer.http.post(URL, json={})).status_code == 403
    dry = await make(curator, "snapshots", status=200)
    assert (dry["changed"], dry["dry_run"]) == (True, True)
    assert (await writer.http.get(URL, params={"stored": True})).status_code == 404
    runs = await asyncio.gather(*(opened.snapshots.take(scope) for _ in range(3)))
    assert sum(run.changed for run in runs) == 1
    first = await told(await writer.http.get(URL, params={"stored": True}))
    again = await make(curator, "snapshots", status=200, dry_run=False)
    assert (again["changed"], again["taken_at"]) == (False, first["taken_at"])
    await make(writer, "notes", content="The glaze is blue.", namespace="knowledge")
    assert "glaze" in await markdown(writer)
    assert "glaze" not in await markdown(writer, stored=True)
    for changed in (1, 0):
        where = {"tenant": "_system", "scope": "_system", "args": {}}
        job = await opened.runner.submit("snapshots.take", job_id=new_id(), **where)
        assert await opened.runner.run(opened, job.id) == "done"
        ended = await opened.jobs.get(job.id, ["_system"])
        assert ended is not None
        assert ended.result is not None
        assert (scope in ended.result["places"]) == bool(changed)
    assert "glaze" in await markdown(writer, stored=True)
    stranger = await principal(f"{tenant}/far", name="far")
    answer = await stranger.http.get(URL, params={"scope": scope})
    assert answer.status_code == 404
    assert "glaze" not in await markdown(stranger)


@pytest.mark.parametrize(
    ("target", "who"),
    [("memory", "Kunigunde Ettl"), ("author", "Notburga Rainer"), ("person", "Adelgunde Pfaff")],
)
async def test_an_erasure_takes_the_snapshot(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, target: str, who: str
) -> None:
    await allow(admin, tenant)
    scope, word = f"{tenant}/dev", f"kiln{tenant.replace('-', 'x')}"
    note = await make(writer, "notes", content=f"The {word} is hot.", namespace="knowledge")
    await make(writer, "episodes", content=f"{who} lives in Ulm.", session="s")
    await opened.consolidation.consolidate(scope)
    await opened.snapshots.take(scope)
    assert word in await markdown(writer, stored=True)
    (row,) = await opened.graph.raw(
        "MATCH (e:Entity {scope: $s, canonical_name: $n}) RETURN e.id AS id", s=scope, n=who
    )
    bodies: dict[str, dict[str, Any]] = {
        "memory": {"memory": note["id"]},
        "author": {"author": writer.caller.principal, "scope": scope},
        "person": {"person": row["id"]},
    }
    receipt = await erase(opened, admin, **bodies[target])
    gone = who if target == "person" else word
    assert await strings_of(opened, gone) == []
    assert (await writer.http.get(URL, params={"stored": True})).status_code == 404
    assert (await checked(opened, admin, receipt, gone))["clean"]


async def test_the_command_prints_and_writes_what_differs(
    opened: Parts, writer: Principal, tenant: str, command: Command, tmp_path: Path
) -> None:
    await make(writer, "notes", content="The kiln is hot.", namespace="knowledge")
    scope, out = f"{tenant}/dev", tmp_path / "dev.md"
    text = await markdown(writer)
    result = await command("snapshot", scope)
    assert (result.exit_code, result.stdout) == (0, text)
    result = await command("snapshot", scope, "--out", str(out))
    assert (result.exit_code, out.read_text("utf-8")) == (0, text)
    before = out.stat().st_mtime_ns
    result = await command("snapshot", scope, "--out", str(out))
    assert "nothing has changed" in result.stdout
    assert out.stat().st_mtime_ns == before
    result = await command("snapshot", f"{tenant}/none")
    assert result.exit_code == 1
