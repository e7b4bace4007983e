"""The tools of memory by its words: what they touch, what they refuse, and who may."""

from __future__ import annotations

from typing import Any

from app.kernel.caller import Role
from app.search.bundle import CLOSE, OPEN
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.mcp.conftest import Speak

MEMORY = "/mcp?tools=memory"


async def call(speak: Speak, who: Principal, name: str, **given: Any) -> Any:
    """The result of one tool."""
    _, (result,) = await speak(who, MEMORY, (name, given))
    return result


async def stored(speak: Speak, who: Principal, text: str, **given: Any) -> str:
    """The id of an entry that is stored."""
    result = await call(speak, who, "memory_store", content=text, **given)
    assert not result.is_error, result.content
    found: str = result.structured_content["id"]
    return found


async def test_an_update_names_an_entry_by_its_words(speak: Speak, writer: Principal) -> None:
    first = await stored(speak, writer, "The kiln of Oda Falk fires at 900 degrees.")
    second = await stored(speak, writer, "The kiln room is locked on Sundays.")
    unclear = await call(speak, writer, "memory_update", old="kiln", new="The kiln is cold.")
    assert unclear.is_error
    assert unclear.structured_content["code"] == "Conflict"
    told = unclear.structured_content["errors"][0]
    assert told["field"] == "old"
    assert first in told["detail"]
    assert second in told["detail"]
    new = "The kiln of Oda Falk fires at 950 degrees."
    done = await call(speak, writer, "memory_update", old="  FIRES at 900", new=new)
    shown = done.structured_content
    assert shown["entry"]["id"] == first
    assert shown["entry"]["version"] == 2
    assert shown["entry"]["untrusted"]["content"] == new
    assert shown["untrusted"]["before"].endswith("900 degrees.")
    text = done.content[0].text
    assert new in text[text.index(OPEN) : text.index(CLOSE)]
    again = await call(speak, writer, "memory_update", old=new, new=new)
    assert again.structured_content["changed"] is False
    missing = await call(speak, writer, "memory_update", old="the oven", new="The oven is hot.")
    assert missing.structured_content["code"] == "NotFound"
    kept = await writer.http.get(f"/v1/notes/{first}/versions")
    assert [v["untrusted"]["content"] for v in kept.json()["items"]] == [
        "The kiln of Oda Falk fires at 900 degrees."
    ]


async def test_a_deletion_tells_what_it_hides(
    speak: Speak, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    other = await principal(f"{tenant}/dev", name="gardener")
    mine = await stored(speak, writer, "Tulips 50% are <red> in bed one.")
    theirs = await stored(speak, other, "Tulips are yellow in bed nine.")
    dry = await call(speak, writer, "memory_delete", pattern="tulips", dry_run=True)
    assert [e["id"] for e in dry.structured_content["entries"]] == [mine]
    assert dry.structured_content["others"] == [theirs]
    many = await call(speak, writer, "memory_delete", pattern="tulips", most=1)
    assert many.structured_content["errors"][0]["field"] == "pattern"
    part = await call(speak, writer, "memory_delete", exact="Tulips 50%")
    assert part.structured_content["code"] == "NotFound"
    done = await call(speak, writer, "memory_delete", pattern="TULIPS")
    assert [e["id"] for e in done.structured_content["entries"]] == [mine]
    assert "&lt;red&gt;" in done.content[0].text
    again = await call(speak, writer, "memory_delete", pattern="tulips")
    assert again.structured_content["entries"] == []
    not_mine = await call(speak, writer, "memory_delete", exact=theirs)
    assert not_mine.structured_content["code"] == "Forbidden"
    left = await call(speak, writer, "memory_list", contains="tulips")
    assert [e["id"] for e in left.structured_content["items"]] == [theirs]
    both = await call(speak, writer, "memory_delete", exact="a", pattern="abc")
    assert both.is_error


async def test_a_promotion_moves_an_entry_up(
    speak: Speak, principal: MakePrincipal, tenant: str
) -> None:
    wide, below = f"{tenant}/dev", f"{tenant}/dev/agent:moss"
    both = await principal(tenant, role=Role.ADMIN, name="lichen", kind="user")
    assert (await both.http.post("/v1/scopes", json={"scope": below})).is_success
    reader = await principal(wide, name="fern")
    narrow = await principal(below, name="moss")
    entry = await stored(speak, narrow, "Moss grows on the north side.", scope=below)
    for scope, code in ((below, "InvalidInput"), (wide, "Forbidden"), ("No", "InvalidInput")):
        refused = await call(speak, narrow, "memory_promote", entry=entry, scope=scope)
        assert refused.structured_content["code"] == code
    others = await call(speak, both, "memory_promote", entry=entry, scope=wide)
    assert others.structured_content["code"] == "Forbidden"
    own = await stored(speak, both, "Lichen grows on stone.", scope=below)
    done = await call(speak, both, "memory_promote", entry="lichen grows", scope=wide)
    shown = done.structured_content
    assert (shown["source"], shown["source_scope"], shown["hidden"]) == (own, below, True)
    assert shown["entry"]["scope"] == wide
    assert [e["id"] for e in await entries(speak, reader)] == [shown["entry"]["id"]]
    seen = {e["id"] for e in await entries(speak, narrow)}
    assert seen == {entry, shown["entry"]["id"]}


async def test_only_what_is_held_is_named_by_its_id(
    speak: Speak, principal: MakePrincipal, tenant: str
) -> None:
    wide, below = f"{tenant}/dev", f"{tenant}/dev/agent:moss"
    both = await principal(tenant, role=Role.ADMIN, name="lichen", kind="user")
    assert (await both.http.post("/v1/scopes", json={"scope": below})).is_success
    moss = await principal(below, name="moss")
    assert (await both.http.post("/v1/scopes", json={"scope": wide})).status_code < 500
    past = await stored(speak, both, "The budget of Vega is CHF 5'000.", scope=below)
    await stored(speak, both, "The budget of Vega is CHF 6'000.", scope=below)
    waits = await moss.http.post(
        "/v1/notes", json={"content": "The budget of Vega is CHF 7'000.", "scope": below}
    )
    assert waits.json()["status"] == "quarantined"
    for who, entry in ((both, past), (moss, waits.json()["id"])):
        refused = await call(speak, who, "memory_promote", entry=entry, scope=wide)
        assert refused.is_error, refused.structured_content
    told = await call(speak, both, "memory_promote", entry=past, scope=wide)
    assert told.structured_content["code"] == "NotFound"
    listed = await both.http.get("/v1/notes", params={"scope": wide})
    assert [note for note in listed.json()["items"] if note["scope"] == wide] == []


async def test_what_was_promoted_is_as_private_and_goes_with_its_source(
    speak: Speak, principal: MakePrincipal, tenant: str
) -> None:
    wide, below = f"{tenant}/dev", f"{tenant}/dev/agent:moss"
    both = await principal(tenant, role=Role.ADMIN, name="lichen", kind="user")
    assert (await both.http.post("/v1/scopes", json={"scope": below})).is_success
    rules = {"params": {"scope": tenant}, "json": {"erasure": True}}
    assert (await both.http.put("/v1/scopes/rules", **rules)).is_success
    body = {"content": "Lichen grows on stone.", "scope": below, "privacy": "restricted"}
    source = (await both.http.post("/v1/notes", json=body)).json()["id"]
    done = await call(speak, both, "memory_promote", entry=source, scope=wide)
    copy = done.structured_content["entry"]["id"]
    shown = await both.http.get(f"/v1/notes/{copy}")
    assert (shown.json()["scope"], shown.json()["privacy"]) == (wide, "restricted")
    gone = await both.http.post("/v1/erasures", json={"memory": source})
    assert gone.status_code == 200, gone.text
    assert (await both.http.get(f"/v1/notes/{copy}")).status_code == 404


async def test_what_is_promoted_to_where_it_is_said_already_stays_private(
    speak: Speak, principal: MakePrincipal, tenant: str
) -> None:
    wide, below = f"{tenant}/dev", f"{tenant}/dev/agent:moss"
    both = await principal(tenant, role=Role.ADMIN, name="lichen", kind="user")
    assert (await both.http.post("/v1/scopes", json={"scope": below})).is_success
    text = "Lichen grows on stone."
    there = await stored(speak, both, text, scope=wide)
    body = {"content": text, "scope": below, "privacy": "restricted"}
    source = (await both.http.post("/v1/notes", json=body)).json()["id"]
    done = await call(speak, both, "memory_promote", entry=source, scope=wide)
    assert done.structured_content["entry"]["id"] == there
    shown = (await both.http.get(f"/v1/notes/{there}")).json()
    assert shown["privacy"] == "restricted"


async def entries(speak: Speak, who: Principal) -> list[dict[str, Any]]:
    """The entries that somebody sees."""
    listed = await call(speak, who, "memory_list")
    found: list[dict[str, Any]] = listed.structured_content["items"]
    return found


async def test_pages_namespaces_and_strangers(
    speak: Speak, writer: Principal, principal: MakePrincipal, opened: Parts
) -> None:
    how = await stored(speak, writer, "Prune roses in March, above a bud.", namespace="methods")
    await stored(speak, writer, "The roses are from Lyon.")
    await stored(speak, writer, "The shed is from Graz.")
    pages: list[str] = []
    cursor: str | None = None
    while True:
        page = await call(speak, writer, "memory_list", limit=2, cursor=cursor)
        pages += [each["id"] for each in page.structured_content["items"]]
        cursor = page.structured_content["next"]
        if cursor is None:
            break
    assert pages == sorted(set(pages))
    assert len(pages) == 3
    listed = await call(speak, writer, "memory_list", namespace="methods")
    assert [e["id"] for e in listed.structured_content["items"]] == [how]
    derived = await call(speak, writer, "memory_list", namespace="derived")
    assert derived.structured_content["errors"][0]["field"] == "namespace"
    stranger = await principal("elsewhere-memory", name="stranger")
    assert await entries(speak, stranger) == []
    for old in (how, "roses"):
        lost = await call(speak, stranger, "memory_update", old=old, new="Roses are weeds.")
        assert lost.structured_content["code"] == "NotFound"
    await opened.indexing.drain()
    known = await call(speak, writer, "memory_recall", query="When are roses pruned?")
    assert how in known.content[0].text
    unknown = await call(speak, writer, "memory_recall", query="Who conducts the opera in Oslo?")
    assert unknown.structured_content["hits"] == []
    assert unknown.content[0].text == "Nothing is known of that."
