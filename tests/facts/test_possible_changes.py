"""What was not wholly read ends nothing: in the graph, in the review, and where facts are read."""

from __future__ import annotations

import random
from typing import Any

from app.consolidation.service import ConsolidationService
from app.extraction.model import Mode
from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.consolidation.conftest import beliefs, query
from tests.facts.constructed import Constructed, Told, believe

HOME = Told(0, "Ilse Harmsen", "lives_in", "Bremen")
MOVED = Told(5, "Ilse Harmsen", "lives_in", "Oldenburg", rest="they say")


async def facts(reader: Principal, **params: Any) -> dict[str, dict[str, Any]]:
    answer = await reader.http.get("/v1/facts", params=params)
    assert answer.status_code == 200, answer.text
    return {item["untrusted"]["statement"]: item for item in answer.json()["items"]}


async def changes(reader: Principal) -> list[dict[str, Any]]:
    answer = await reader.http.get("/v1/quarantine/changes")
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


async def pairs(opened: Parts, scope: str) -> set[tuple[str, str]]:
    """Older and newer statement of each open possible change."""
    rows = await query(
        opened.graph,
        "MATCH (n:Fact {scope: $s})-[m:MAY_CHANGE]->(f:Fact) "
        "WHERE m.retracted_at > datetime.realtime() RETURN f.statement AS old, n.statement AS new",
        s=scope,
    )
    return {(row["old"], row["new"]) for row in rows}


async def test_both_stand_and_the_older_names_the_newer(opened: Parts, writer: Principal) -> None:
    await believe(opened, {"one": writer.caller}, [HOME, MOVED])
    held = await facts(writer)
    old, new = held["Ilse Harmsen lives in Bremen"], held["Ilse Harmsen lives in Oldenburg"]
    assert (old["status"], new["status"]) == ("active", "active")
    assert new["possible_changes"] == []
    (told,) = old["possible_changes"]
    assert told["fact"] == new["id"]
    assert told["untrusted"] == {"statement": "Ilse Harmsen lives in Oldenburg"}
    assert told["since"] == new["intervals"][0]["valid_from"]
    before = await facts(writer, as_of=old["intervals"][0]["valid_from"])
    assert before["Ilse Harmsen lives in Bremen"]["possible_changes"] == []
    (waiting,) = await changes(writer)
    assert waiting["newer"]["id"] == new["id"]
    assert [one["id"] for one in waiting["older"]] == [old["id"]]
    assert [one["untrusted"]["words"] for one in waiting["unread"]] == ["they say"]
    one = (await writer.http.get(f"/v1/facts/{old['id']}")).json()
    assert [n["fact"] for n in one["possible_changes"]] == [new["id"]]
    timeline = (await writer.http.get(f"/v1/entities/{old['subject']}/timeline")).json()["items"]
    assert {item["fact"]: bool(item["possible_changes"]) for item in timeline} == {
        old["id"]: True,
        new["id"]: False,
    }


async def test_an_end_that_was_not_wholly_read_ends_nothing(
    opened: Parts, writer: Principal
) -> None:
    uses = Told(0, "Heron", "uses", "Rust", kind="project")
    over = Told(4, "Heron", "uses", "Rust", Mode.END, rest="for games", kind="project")
    await believe(opened, {"one": writer.caller}, [uses, over])
    assert await pairs(opened, writer.caller.home) == {
        ("Heron uses Rust", "Heron does not use Rust")
    }
    assert (await facts(writer))["Heron uses Rust"]["status"] == "active"


async def test_a_curator_decides(opened: Parts, writer: Principal, admin: Principal) -> None:
    await believe(opened, {"one": writer.caller}, [HOME, MOVED])
    (waiting,) = await changes(writer)
    newer, older = waiting["newer"]["id"], waiting["older"][0]["id"]
    door = f"/v1/quarantine/{newer}/change"
    refused = await writer.http.post(door, json={"older": older, "verdict": "both"})
    assert refused.status_code == 403
    bad = await admin.http.post(door, json={"older": newer, "verdict": "both"})
    assert (bad.status_code, bad.json()["errors"][0]["field"]) == (422, "older")
    bad = await admin.http.post(door, json={"older": older, "verdict": "perhaps"})
    assert bad.status_code == 422
    assert len(await changes(writer)) == 1

    both = await admin.http.post(door, json={"older": older, "verdict": "both"})
    assert both.status_code == 200, both.text
    assert await changes(writer) == []
    held = await facts(writer)
    assert not any(f["possible_changes"] for f in held.values())
    assert len(held) == 2

    changed = await admin.http.post(
        door, json={"older": older, "verdict": "changed", "note": "she told me"}
    )
    assert changed.status_code == 200, changed.text
    assert list(await facts(writer)) == ["Ilse Harmsen lives in Oldenburg"]
    history = (await writer.http.get(f"/v1/facts/{older}/history")).json()
    assert [one["id"] for one in history["superseded_by"]] == [newer]

    wrong = await admin.http.post(door, json={"older": older, "verdict": "wrong"})
    assert wrong.status_code == 200, wrong.text
    assert list(await facts(writer)) == ["Ilse Harmsen lives in Bremen"]
    undone = await admin.http.post(f"/v1/quarantine/{newer}/undo")
    assert undone.status_code == 200
    assert len(await changes(writer)) == 1


async def test_order_and_batches_change_nothing(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    chance = random.Random(14)
    told = [
        Told(n, "Heron", "status", ("active", "paused", "completed")[n * n % 3],
             rest="it seems" if n % 3 == 1 else "", entity=False, kind="project")
        for n in range(23)
    ]  # fmt: skip
    found = []
    for case, (batch, mix) in enumerate(((32, False), (1, False), (5, True))):
        who = await principal(f"{tenant}/case{case}", name=f"w{case}", role=Role.WRITER)
        mixed = chance.sample(told, len(told)) if mix else told
        await believe(opened, {"one": who.caller}, mixed, batch)
        home = who.caller.home
        found.append((await beliefs(opened, home), await pairs(opened, home)))
    assert found[0] == found[1] == found[2]
    assert found[0][1]


async def test_a_second_reading_changes_nothing_and_reads_anew_what_was_left(
    opened: Parts, writer: Principal
) -> None:
    await believe(opened, {"one": writer.caller}, [HOME, MOVED])
    home = writer.caller.home
    before = await beliefs(opened, home)
    await opened.consolidation_rows.reset(home, ["consolidated"])
    await believe_again(opened, writer, [HOME, MOVED])
    assert await beliefs(opened, home) == before
    assert len(await pairs(opened, home)) == 1
    await opened.consolidation_rows.reset(home, ["consolidated"])
    whole = Told(5, "Ilse Harmsen", "lives_in", "Oldenburg", rest="they say", more={"rest": ""})
    await believe_again(opened, writer, [HOME, whole], text=MOVED.text)
    assert await pairs(opened, home) == set()
    assert list(await facts(writer)) == ["Ilse Harmsen lives in Oldenburg"]


async def believe_again(opened: Parts, writer: Principal, told: list[Told], text: str = "") -> None:
    service = ConsolidationService(opened.consolidation._parts)
    reader = Constructed(told)
    if text:
        reader.told[text] = told[-1].statement
    service.reader = reader
    tally = await service.consolidate(writer.caller.home)
    assert tally.failed == 0


async def test_erasing_the_newer_text_takes_the_possible_change(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    home = writer.caller.home
    admin = await principal(home, role=Role.ADMIN, name="admin", kind="user")
    rules = {"params": {"scope": home}, "json": {"erasure": True}}
    assert (await admin.http.put("/v1/scopes/rules", **rules)).is_success
    ids = await believe(opened, {"one": writer.caller}, [HOME, MOVED])
    assert len(await pairs(opened, home)) == 1
    erased = await admin.http.post("/v1/erasures", json={"memory": ids[1]})
    assert erased.is_success, erased.text
    assert await changes(writer) == []
    held = await facts(writer)
    assert list(held) == ["Ilse Harmsen lives in Bremen"]
    assert held["Ilse Harmsen lives in Bremen"]["possible_changes"] == []
    left = await query(
        opened.graph,
        "MATCH (:Passage {scope: $s})-[u:SUPPORTS]->() WHERE u.rest IS NOT NULL RETURN u",
        s=home,
    )
    assert left == []


async def test_who_does_not_see_the_newer_is_told_nothing_of_it(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    await believe(opened, {"one": writer.caller}, [HOME, MOVED])
    stranger = await principal(f"{tenant}-other", role=Role.ADMIN, name="eve")
    assert await changes(stranger) == []
    (waiting,) = await changes(writer)
    newer, older = waiting["newer"]["id"], waiting["older"][0]["id"]
    door = f"/v1/quarantine/{newer}/change"
    answer = await stranger.http.post(door, json={"older": older, "verdict": "both"})
    assert answer.status_code == 404
    forgotten = await writer.http.post(f"/v1/memories/{newer}/forget")
    assert forgotten.is_success, forgotten.text
    assert await changes(writer) == []
    held = await facts(writer)
    assert not any(f["possible_changes"] for f in held.values())
