"""Contexts and their entries over HTTP: every operation, every right."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from app.kernel.caller import Role
from app.kernel.clock import now
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.contexts.conftest import URL, Make, add, held, listed, posted, refused, update

# --- contexts ---------------------------------------------------------------------------------


async def test_a_context_is_made_and_read_back(writer: Principal, make: Make) -> None:
    made = await make("Pumps", description="All about pumps.", type="project_context")
    read = (await writer.http.get(f"{URL}/{made}")).json()
    assert read["untrusted"] == {"name": "Pumps", "description": "All about pumps."}
    assert (read["type"], read["reach"], read["status"]) == ("project_context", "account", "active")
    assert (read["owner"], read["level"]) == (writer.caller.principal, "admin")
    assert read["scope"] == writer.caller.home
    assert (read["grants"], read["archived_at"]) == ({}, None)


async def test_the_reach_says_in_which_scope_a_context_lies(
    admin: Principal, principal: MakePrincipal, tenant: str
) -> None:
    scout = await principal(f"{tenant}/dev/agent:scout", role=Role.ADMIN)
    for reach, scope in (("agent", f"{tenant}/dev/agent:scout"), (None, scout.caller.home)):
        made = await posted(scout, URL, {"name": "n", "reach": reach}, 201)
        assert (made["scope"], made["reach"]) == (scope, "agent")
    made = await posted(admin, URL, {"name": "n", "reach": "global"}, 201)
    assert (made["scope"], made["reach"]) == (tenant, "global")
    for body in ({"reach": "team"}, {"reach": "account", "scope": tenant}):
        assert await refused(admin, "POST", URL, json={"name": "n", **body}) == (422, "reach")


async def test_other_systems_words_are_taken(writer: Principal) -> None:
    made = await posted(writer, URL, {"name": "n", "reach": "workflow"}, 201)
    assert made["reach"] == "account"
    listed_too = (await writer.http.get(URL, params={"reach": "workflow"})).json()["items"]
    assert [one["id"] for one in listed_too] == [made["id"]]
    types = {
        "memory": "observation", "preference": "fact", "knowledge": "fact",
        "tool_result": "tool_output", "insight": "reflection",
    }  # fmt: skip
    sources = {"user_input": "user", "agent_output": "agent", "import": "system", "api": "system"}
    for word, ours in types.items():
        entry = await add(writer, made["id"], word, "x", entry_type=word)
        assert entry["entry_type"] == ours
    for word, ours in sources.items():
        entry = await add(writer, made["id"], word, "x", source_type=word)
        assert entry["source_type"] == ours
    found = await listed(writer, made["id"], entry_type="insight")
    assert [one["untrusted"]["key"] for one in found] == ["insight"]
    url = f"{URL}/{made['id']}/entries"
    body = {"key": "k", "content": 1, "entry_type": "hunch"}
    assert await refused(writer, "POST", url, json=body) == (422, "entry_type")


async def test_contexts_are_listed_by_what_they_are(
    writer: Principal, principal: MakePrincipal, tenant: str, make: Make
) -> None:
    other = await principal(f"{tenant}/dev", name="other")
    first = await make("a", type="tool_cache")
    second = await make("b", type="tool_cache", by=other)
    third = await make("c", type="knowledge_base")
    await posted(writer, f"{URL}/{third}/archive")

    async def ids(**query: Any) -> list[str]:
        answer = await writer.http.get(URL, params=query)
        assert answer.status_code == 200, answer.text
        return [item["id"] for item in answer.json()["items"]]

    assert await ids() == [first, second, third]
    assert await ids(type="tool_cache") == [first, second]
    assert await ids(owner="other") == [second]
    assert await ids(status="archived") == [third]
    assert await ids(reach="account") == [first, second, third]
    assert await ids(reach="global") == []
    page = (await writer.http.get(URL, params={"limit": 2})).json()
    assert await ids(cursor=page["next"]) == [third]
    for field in ("type", "reach", "status"):
        assert await refused(writer, "GET", URL, params={field: "odd"}) == (422, field)


async def test_an_archived_context_is_read_and_not_changed(writer: Principal, make: Make) -> None:
    context = await make("old")
    made = await add(writer, context, "k", "v")
    taken = await posted(writer, f"{URL}/{context}/snapshots", status=201)
    done = await posted(writer, f"{URL}/{context}/archive")
    assert done["status"] == "archived"
    assert await posted(writer, f"{URL}/{context}/archive") == done, "the same again is the same"
    entry = f"{URL}/{context}/entries/{made['id']}"
    for method, path, body in (
        ("POST", f"{URL}/{context}/entries", {"key": "x", "content": 1}),
        ("PUT", f"{entry}/content", {"content": 1}),
        ("POST", f"{entry}/boost", {}),
        ("DELETE", entry, None),
        ("POST", f"{URL}/{context}/snapshots/{taken['id']}/restore", {}),
    ):
        status, _ = await refused(writer, method, path, json=body)
        assert status == 409, path
    assert await held(writer, context) == {"k": "v"}


async def test_strangers_see_nothing(
    writer: Principal, principal: MakePrincipal, tenant: str, make: Make
) -> None:
    context = await make("secret")
    entry = (await add(writer, context, "k", "v"))["id"]
    taken = (await posted(writer, f"{URL}/{context}/snapshots", status=201))["id"]
    beside = await principal(f"{tenant}/ops", role=Role.ADMIN, name="beside")
    away = await principal(f"{tenant}x", role=Role.ADMIN, name="away")
    paths = [
        ("GET", ""), ("POST", "/archive"), ("GET", "/accesses"), ("GET", "/entries"),
        ("GET", "/entries?key=k"), ("GET", f"/entries/{entry}"),
        ("POST", f"/entries/{entry}/boost"),
        ("POST", f"/entries/{entry}/seal"), ("DELETE", f"/entries/{entry}"),
        ("GET", f"/entries/{entry}/versions"), ("GET", "/integrity"), ("GET", "/snapshots"),
        ("POST", f"/snapshots/{taken}/restore"), ("DELETE", f"/snapshots/{taken}"),
    ]  # fmt: skip
    for who in (beside, away):
        own = (await posted(who, URL, {"name": "own"}, 201))["id"]
        for method, path in paths:
            sent: dict[str, Any] = {"json": {}} if method == "POST" else {}
            told = await who.http.request(method, f"{URL}/{context}{path}", **sent)
            none = await who.http.request(method, f"{URL}/none{path}", **sent)
            assert told.status_code == none.status_code == 404, path
        for path in (f"/entries/{entry}", f"/entries/{entry}/versions"):
            assert (await who.http.get(f"{URL}/{own}{path}")).status_code == 404
        status, _ = await refused(who, "POST", f"{URL}/{own}/snapshots/{taken}/restore", json={})
        assert status == 404
        assert (await who.http.get(URL, params={"scope": f"{tenant}/dev"})).status_code == 404
    assert await held(writer, context) == {"k": "v"}


async def test_grants_say_what_an_agent_may_do(
    writer: Principal, principal: MakePrincipal, tenant: str, make: Make
) -> None:
    guest = await principal(f"{tenant}/dev", name="guest")
    context = await make("mine")
    entries = f"{URL}/{context}/entries"
    body = {"key": "k", "content": 1}
    assert (await refused(guest, "POST", entries, json=body))[0] == 403
    assert (await guest.http.get(f"{URL}/{context}")).json()["level"] == "read"
    for level, writes, manages in (("read", 403, 403), ("write", 201, 403), ("admin", 201, 200)):
        told = await posted(writer, f"{URL}/{context}/grants", {"agent": "guest", "level": level})
        assert told["grants"] == {guest.caller.principal: level}
        answer = await guest.http.post(entries, json={"key": level, "content": 1})
        assert answer.status_code == writes
        answer = await guest.http.get(f"{URL}/{context}/accesses")
        assert answer.status_code == manages
        assert (await guest.http.get(f"{URL}/{context}")).json()["level"] == level
    answer = await writer.http.delete(f"{URL}/{context}/grants/guest")
    assert answer.json()["grants"] == {}
    assert (await refused(guest, "POST", entries, json=body))[0] == 403
    path = f"{URL}/{context}/grants"
    assert await refused(writer, "POST", path, json={"agent": "agent:other:x"}) == (422, "agent")
    assert (await refused(guest, "POST", path, json={"agent": "guest"}))[0] == 403


async def test_everybody_writes_to_a_shared_context_unless_told_less(
    writer: Principal, principal: MakePrincipal, tenant: str, make: Make
) -> None:
    guest = await principal(f"{tenant}/dev", name="guest")
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="reader")
    context = await make("ours", type="shared_context")
    await add(guest, context, "a", 1)
    entries = f"{URL}/{context}/entries"
    await posted(writer, f"{URL}/{context}/grants", {"agent": "reader", "level": "write"})
    body = {"key": "b", "content": 1}
    assert (await refused(reader, "POST", entries, json=body))[0] == 403, "the key reads alone"
    await posted(writer, f"{URL}/{context}/grants", {"agent": "guest"})
    assert (await refused(guest, "POST", entries, json=body))[0] == 403
    assert await held(reader, context) == {"a": 1}


async def test_who_read_is_kept_up_to_a_bound(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, make: Make
) -> None:
    guest = await principal(f"{tenant}/dev", role=Role.READER, name="guest")
    context = await make("read")
    entry = (await add(writer, context, "k", "v"))["id"]
    for who in (guest, writer, guest):
        assert (await who.http.get(f"{URL}/{context}/entries/{entry}")).status_code == 200
    read = (await writer.http.get(f"{URL}/{context}/accesses")).json()["items"]
    people = [one["by"] for one in read]
    assert people == [who.caller.principal for who in (guest, writer, guest)]
    assert {(one["act"], one["entry_id"]) for one in read} == {("read", entry)}
    told = (await listed(writer, context))[0]
    assert (told["access_count"], told["last_accessed_at"] is not None) == (3, True)
    kept = opened.contexts.limits.accesses
    place = {"context": context, "scope": writer.caller.home}
    for _ in range(5):
        await opened.contexts.read_by(writer.caller, await opened.contexts.get(
            writer.caller, context), "search")  # fmt: skip
    rows = await opened.graph.raw(
        "MATCH (a:ContextAccess {whole: $context}) WHERE a.scope = $scope RETURN count(a) AS n",
        **place,
    )
    assert rows[0]["n"] == min(8, kept)


# --- entries ----------------------------------------------------------------------------------


async def test_an_entry_holds_json_of_any_kind_and_every_field(
    writer: Principal, make: Make
) -> None:
    context = await make("all")
    contents: list[Any] = [
        "text", 1, -2.5, True, False, [1, None, {"a": []}], {"ä": {"b": None}, "c": 2**62},
    ]  # fmt: skip
    for number, content in enumerate(contents):
        made = await add(writer, context, f"k{number}", content)
        read = (await writer.http.get(f"{URL}/{context}/entries/{made['id']}")).json()
        assert repr(read["untrusted"]["content"]) == repr(content)
    full = await add(
        writer, context, "full", "x", entry_type="decision", source_type="workflow",
        memory_type="experiential", tags=["Pump", "night"], importance=0.8, confidence=0.9,
        decay_rate=0.1, from_agent="other", task_id="t-1", run_id="r-1", duration_ms=12,
        failed=True,
    )  # fmt: skip
    assert full["untrusted"] == {
        "key": "full", "content": "x", "tags": ["pump", "night"], "task_id": "t-1", "run_id": "r-1",
    }  # fmt: skip
    assert (full["entry_type"], full["source_type"]) == ("decision", "workflow")
    assert (full["importance"], full["importance_bucket"]) == (0.8, "high")
    assert (full["confidence"], full["confidence_bucket"]) == (0.9, "high")
    assert (full["effective_relevance_score"], full["integrity"]) == (0.72, "unsealed")
    assert full["agent"] == writer.caller.principal
    assert full["from_agent"] == f"agent:{writer.caller.tenant}:other"
    assert (full["duration_ms"], full["failed"], full["version"]) == (12, True, 1)


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"key": ""}, 422, "key"),
        ({"key": "k" * 256}, 422, "key"),
        ({"content": None}, 422, "content"),
        ({"content": {}}, 422, "content"),
        ({"content": "x" * 100_001}, 413, "content"),
        ({"content": {"n": 2**64}}, 422, "content.n"),
        ({"entry_type": "hunch"}, 422, "entry_type"),
        ({"source_type": "rumour"}, 422, "source_type"),
        ({"memory_type": "semantic"}, 422, "memory_type"),
        ({"importance": 1.1}, 422, "importance"),
        ({"confidence": -0.1}, 422, "confidence"),
        ({"decay_rate": 2}, 422, "decay_rate"),
        ({"duration_ms": -1}, 422, "duration_ms"),
        ({"tags": ["t"] * 33}, 422, "tags"),
        ({"from_agent": "agent:elsewhere:x"}, 422, "from_agent"),
        ({"memory_type": "factual", "decay_rate": 0.1}, 422, "decay_rate"),
        ({"surprise": 1}, 422, "surprise"),
    ],
)
async def test_a_bad_entry_is_refused_by_field_and_changes_nothing(
    writer: Principal, make: Make, body: Any, status: int, field: str
) -> None:
    context = await make("strict")
    given = {"key": "k", "content": "c", **body}
    path = f"{URL}/{context}/entries"
    assert await refused(writer, "POST", path, json=given) == (status, field)
    assert await listed(writer, context) == []


async def test_the_longest_key_is_taken(writer: Principal, make: Make) -> None:
    context = await make("long")
    key = "k" * 255
    await add(writer, context, key, "v")
    assert [e["untrusted"]["key"] for e in await listed(writer, context, key=key)] == [key]


async def test_an_experience_of_a_user_names_its_agent(
    admin: Principal, make: Make, tenant: str
) -> None:
    context = await make("lived", by=admin)
    body = {"key": "k", "content": "c", "memory_type": "experiential"}
    path = f"{URL}/{context}/entries"
    assert await refused(admin, "POST", path, json=body) == (422, "agent")
    made = await add(admin, context, "k", "c", memory_type="experiential", agent="scout")
    assert made["agent"] == f"agent:{tenant}:scout"
    assert (made["importance"], made["confidence"]) == (0.5, 0.5)


async def test_a_key_is_unique_while_its_entry_is_in_use(writer: Principal, make: Make) -> None:
    context, beside = await make("one"), await make("two")
    first = await add(writer, context, "k", "v")
    path = f"{URL}/{context}/entries"
    body = {"key": "k", "content": "w"}
    assert await refused(writer, "POST", path, json=body) == (409, "key")
    await add(writer, beside, "k", "elsewhere")
    assert (await writer.http.delete(f"{path}/{first['id']}")).status_code == 200
    assert (await refused(writer, "DELETE", f"{path}/{first['id']}"))[0] == 409
    again = await add(writer, context, "k", "w")
    assert await held(writer, context) == {"k": "w"}
    (old,) = await listed(writer, context, status="archived")
    assert (old["id"], old["reason"]) == (first["id"], "removed")
    assert again["id"] != first["id"]


async def test_of_two_writers_of_one_key_one_wins(writer: Principal, make: Make) -> None:
    context = await make("race")
    path = f"{URL}/{context}/entries"
    answers = await asyncio.gather(
        *(writer.http.post(path, json={"key": "k", "content": n}) for n in range(6))
    )
    codes = sorted(answer.status_code for answer in answers)
    assert codes == [201] + [409] * 5
    (winner,) = (a.json() for a in answers if a.status_code == 201)
    assert await held(writer, context) == {"k": winner["untrusted"]["content"]}


async def test_two_who_change_one_entry_lose_nothing(writer: Principal, make: Make) -> None:
    context = await make("busy")
    made = await add(writer, context, "k", 0, importance=0.0)
    path = f"{URL}/{context}/entries/{made['id']}"
    jobs = [writer.http.put(f"{path}/content", json={"content": n}) for n in range(1, 6)]
    jobs += [writer.http.post(f"{path}/boost", json={}) for _ in range(4)]
    jobs += [writer.http.get(path) for _ in range(4)]
    for answer in await asyncio.gather(*jobs):
        assert answer.status_code == 200, answer.text
    (told,) = await listed(writer, context)
    assert (told["version"], told["access_count"], told["importance"]) == (6, 4, 0.4)
    versions = (await writer.http.get(f"{path}/versions")).json()["items"]
    seen = {v["untrusted"]["content"] for v in versions} | {told["untrusted"]["content"]}
    assert seen == set(range(6))
    assert [v["version"] for v in versions] == [5, 4, 3, 2, 1]


async def test_another_content_keeps_the_former_one(
    writer: Principal, principal: MakePrincipal, tenant: str, make: Make
) -> None:
    other = await principal(f"{tenant}/dev", name="other")
    context = await make("text", type="shared_context")
    made = await add(writer, context, "k", {"text": "old"})
    same = await update(other, context, made["id"], {"text": "old"})
    assert (same["version"], same["changed_by"]) == (1, writer.caller.principal)
    new = await update(other, context, made["id"], {"text": "new"})
    assert (new["id"], new["version"], new["changed_by"]) == (
        made["id"], 2, other.caller.principal,
    )  # fmt: skip
    path = f"{URL}/{context}/entries/{made['id']}"
    (version,) = (await writer.http.get(f"{path}/versions")).json()["items"]
    assert version["untrusted"] == {"content": {"text": "old"}}
    assert (version["version"], version["changed_by"]) == (1, writer.caller.principal)
    stale = {"json": {"content": "x"}, "headers": {"If-Match": "1"}}
    assert await refused(writer, "PUT", f"{path}/content", **stale) == (412, "If-Match")
    assert await refused(writer, "PUT", f"{path}/content", json={"content": None}) == (
        422, "content",
    )  # fmt: skip


async def test_importance_goes_up_and_down_by_steps(writer: Principal, make: Make) -> None:
    context = await make("weights")
    made = await add(writer, context, "k", "v", importance=0.85)
    path = f"{URL}/{context}/entries/{made['id']}"
    told = [(await posted(writer, f"{path}/boost"))["importance"] for _ in range(3)]
    assert told == [0.95, 1.0, 1.0]
    low = (await add(writer, context, "low", "v", importance=0.15))["id"]
    path = f"{URL}/{context}/entries/{low}"
    told = [(await posted(writer, f"{path}/reduce"))["importance"] for _ in range(3)]
    assert told == [0.05, 0.0, 0.0]
    assert (await listed(writer, context, key="low"))[0]["importance_bucket"] == "low"


async def test_a_fact_takes_another_value_and_not_the_same(writer: Principal, make: Make) -> None:
    context = await make("facts")
    fact = {"memory_type": "factual"}
    first = await add(writer, context, "port", 8080, **fact)
    assert (first["confidence"], first["decay_rate"]) == (1.0, 0.0)
    same = await add(writer, context, "port", 8080, **fact)
    assert (same["id"], same["version"]) == (first["id"], 1)
    other = await add(writer, context, "port", 9090, **fact)
    assert (other["id"], other["version"]) == (first["id"], 2)
    body = {"key": "port", "content": 1}
    path = f"{URL}/{context}/entries"
    assert await refused(writer, "POST", path, json=body) == (409, "key"), "no fact, no update"
    assert await held(writer, context) == {"port": 9090}


async def test_an_import_keeps_keys_unless_told(writer: Principal, make: Make) -> None:
    context = await make("import")
    await add(writer, context, "a", 1, memory_type="factual")
    facts = [{"key": "a", "content": 2}, {"key": "b", "content": 3, "tags": ["x"]}]
    path = f"{URL}/{context}/facts"
    told = await posted(writer, path, {"facts": facts})
    assert told["untrusted"] == {"created": ["b"], "updated": [], "kept": ["a"]}
    assert await held(writer, context) == {"a": 1, "b": 3}
    told = await posted(writer, path, {"facts": facts, "overwrite": True})
    assert told["untrusted"] == {"created": [], "updated": ["a"], "kept": ["b"]}
    bad = {"facts": [{"key": "c", "content": 1}, {"key": "d", "content": None}]}
    assert (await refused(writer, "POST", path, json=bad))[0] == 422
    assert await held(writer, context) == {"a": 2, "b": 3}, "all or none"


async def test_entries_are_listed_by_what_they_are(writer: Principal, make: Make) -> None:
    context = await make("lists")
    await add(writer, context, "a", 1, entry_type="plan", tags=["x"])
    await add(writer, context, "b", 1, memory_type="factual", tags=["x", "y"])
    await add(writer, context, "c", 1)

    async def keys(**query: Any) -> list[str]:
        return [e["untrusted"]["key"] for e in await listed(writer, context, **query)]

    assert await keys(limit=1) == ["a", "b", "c"]
    assert await keys(entry_type="plan") == ["a"]
    assert await keys(memory_type="factual") == ["b"]
    assert await keys(tag="X") == ["a", "b"]
    assert await keys(status="archived") == []
    assert await keys(key="c") == ["c"]
    assert await keys(key="none") == []
    assert {e["access_count"] for e in await listed(writer, context)} == {0}
    for field in ("entry_type", "memory_type", "status"):
        path = f"{URL}/{context}/entries"
        assert await refused(writer, "GET", path, params={field: "odd"}) == (422, field)


async def test_a_seal_is_broken_by_another_content(
    opened: Parts, writer: Principal, make: Make
) -> None:
    context = await make("sealed")
    ids = [(await add(writer, context, f"k{n}", {"n": n}, tags=["t"]))["id"] for n in range(4)]
    for one in ids[:3]:
        path = f"{URL}/{context}/entries/{one}"
        assert (await posted(writer, f"{path}/seal"))["integrity"] == "valid"
    await posted(writer, f"{URL}/{context}/entries/{ids[0]}/boost")
    await writer.http.get(f"{URL}/{context}/entries/{ids[0]}")
    await update(writer, context, ids[1], {"n": "edited"})
    await opened.graph.raw("MATCH (e:ContextEntry {id: $id}) SET e.tags = ['forged']", id=ids[2])
    told = (await writer.http.get(f"{URL}/{context}/integrity")).json()
    assert told == {"unsealed": 1, "valid": 1, "tampered": 2, "entries": ids[1:3]}
    again = await posted(writer, f"{URL}/{context}/entries/{ids[1]}/seal")
    assert again["integrity"] == "valid"


async def test_what_is_written_is_sanitised(writer: Principal, make: Make) -> None:
    context = await make("Ask ada@example.org", description="Or bob@example.org.")
    read = (await writer.http.get(f"{URL}/{context}")).json()
    assert "@example.org" not in str(read)
    made = await add(writer, context, "mail of eve@example.org", {"to": ["eve@example.org"]})
    new = await update(writer, context, made["id"], {"text": "eve@example.org again"})
    assert "@example.org" not in str((made, new))
    again = await add(writer, context, "f", "x@example.org", task_id="x@example.org")
    assert "@example.org" not in str(again)


async def test_the_same_idempotency_key_writes_once(writer: Principal, make: Make) -> None:
    context = await make("once")
    made = await add(writer, context, "k", "v", importance=0.5)
    how: dict[str, Any] = {"json": {}, "headers": {"Idempotency-Key": f"b-{context}"}}
    path = f"{URL}/{context}/entries/{made['id']}/boost"
    told = [(await writer.http.post(path, **how)).json()["importance"] for _ in range(3)]
    assert told == [0.6, 0.6, 0.6]
    assert (await listed(writer, context))[0]["importance"] == 0.6


async def test_writes_are_audited_without_their_texts(
    admin: Principal, opened: Parts, tenant: str, make: Make, writer: Principal
) -> None:
    context = await make("Zanzibar plan")
    made = await add(writer, context, "Zanzibar", "Zanzibar")
    await update(writer, context, made["id"], "Zanzibar two")
    await posted(writer, f"{URL}/{context}/entries/{made['id']}/boost")
    await posted(writer, f"{URL}/{context}/snapshots", {"name": "Zanzibar"}, 201)
    await posted(writer, f"{URL}/{context}/grants", {"agent": "guest"})
    await posted(writer, f"{URL}/{context}/archive")
    rows = await opened.graph.raw(
        "MATCH (a:AuditEvent {tenant: $tenant}) WHERE a.target = $id "
        "RETURN a.kind AS kind, a.payload AS payload ORDER BY a.at",
        tenant=tenant, id=context,
    )  # fmt: skip
    assert [row["kind"] for row in rows] == [
        "context.create", "context.entry.create", "context.entry.update", "context.entry.boost",
        "context.snapshot", "context.grant", "context.archive",
    ]  # fmt: skip
    assert "Zanzibar" not in str(rows)


async def test_reading_lowers_nothing_and_counts_from_the_last_one(
    opened: Parts, writer: Principal, make: Make
) -> None:
    """The case of importance .8, confidence .9, rate .1, read ten days ago."""
    context = await make("score")
    made = await add(writer, context, "k", "v", importance=0.8, confidence=0.9, decay_rate=0.1)
    await opened.graph.raw(
        "MATCH (e:ContextEntry {id: $id}) SET e.last_accessed_at = $at",
        id=made["id"], at=now() - timedelta(days=10),
    )  # fmt: skip
    assert (await listed(writer, context))[0]["effective_relevance_score"] == 0.2649
    path = f"{URL}/{context}/entries/{made['id']}"
    assert (await writer.http.get(path)).json()["effective_relevance_score"] == 0.2649
    assert (await listed(writer, context))[0]["effective_relevance_score"] == 0.72
