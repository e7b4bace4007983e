"""Pages over HTTP, and the five endpoints of seed 000."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from app.errors import AlreadyExists
from app.kernel.caller import Role
from app.kernel.migrate import migrations
from app.pages import admin as page_admin
from app.pages import reading
from app.pages.model import PageKind
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.pages.conftest import Write

ADMIN = "/api/v1/admin/pages"


async def ok(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


async def test_a_page_from_its_first_to_its_last_version(writer: Principal) -> None:
    http = writer.http
    body = {"content": "---\naliases: [VG]\n---\nOne.\n", "title": "Vega", "tags": ["Plan"]}
    made = await ok(await http.post("/v1/pages", json=body), 201)
    assert (made["status"], made["version"], made["slug"]) == ("stored", 1, "vega")
    path = f"/v1/pages/{made['id']}"
    read = await ok(await http.get(path))
    assert read["untrusted"] == {
        "title": "Vega", "aliases": ["VG"], "tags": ["plan"], "pending": [],
        "content": body["content"],
    }  # fmt: skip
    assert read["node"] == {
        "node_type": "entity", "entity_type": "page", "name": "Vega", "status": "active",
        "confidence": 1.0, "mention_count": 0,
        "metadata": {"content_type": "page", "content_id": made["id"], "slug": "vega"},
    }  # fmt: skip
    changed = await ok(await http.patch(path, json={"content": "Two.\n", "version": 1}))
    assert (changed["status"], changed["version"]) == ("changed", 2)
    stale = await http.patch(path, json={"content": "Three.\n", "version": 1})
    assert (stale.status_code, stale.json()["errors"][0]["field"]) == (409, "version")
    told = await ok(await http.get(f"{path}/diff"))
    assert told["untrusted"]["diff"].endswith("-aliases: [VG]\n----\n-One.\n+Two.\n")
    versions = await ok(await http.get(f"{path}/versions"))
    assert [v["version"] for v in versions["items"]] == [1]
    back = await ok(await http.post(f"{path}/restore", json={"version": 1}))
    assert (back["status"], back["version"]) == ("restored", 3)
    assert (await ok(await http.get(path)))["untrusted"]["aliases"] == ["VG"]
    named = await ok(await http.post(f"{path}/rename", json={"title": "Lyra"}))
    assert (named["slug"], named["version"]) == ("lyra", 4)
    assert (await ok(await http.get(path)))["node"]["name"] == "Lyra"
    assert (await http.delete(path)).status_code == 204
    assert (await http.get(path)).status_code == 404
    assert (await ok(await http.post(f"{path}/restore", json={})))["status"] == "restored"
    assert (await ok(await http.get(f"{path}/versions/2")))["untrusted"]["content"] == "Two.\n"
    assert (await http.get(f"{path}/versions/9")).status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"content": "no title"}, "title"),
        ({"content": "", "title": "x"}, "content"),
        ({"content": "x", "title": "x", "path": "../out.md"}, "path"),
        ({"content": "x", "title": "x", "path": "/etc/passwd"}, "path"),
        ({"content": "x", "title": "x", "path": "a\\b.md"}, "path"),
        ({"content": "x", "title": "x", "kind": "novel"}, "kind"),
        ({"content": "x", "title": "x", "scope": "not a scope"}, "scope"),
        ({"content": "x", "title": "x", "personal": True, "scope": "a/b"}, "personal"),
        ({"content": "x", "title": "x", "tags": ["a b"]}, "tags.0"),
        ({"content": "x", "title": "x", "more": 1}, "more"),
        ({"content": "[[" + "]] [[".join(map(str, range(5001))) + "]]", "title": "x"}, "content"),
    ],
)
async def test_bad_input_names_the_field_and_changes_nothing(
    writer: Principal, body: dict[str, Any], field: str
) -> None:
    answer = await writer.http.post("/v1/pages", json=body)
    assert answer.status_code in (413, 422), answer.text
    assert answer.json()["errors"][0]["field"] == field
    assert (await ok(await writer.http.get("/v1/pages")))["items"] == []


async def test_links_graph_orphans_and_lists(writer: Principal, write: Write) -> None:
    http = writer.http
    await write(writer, "C", "The end. [[Nowhere]]")
    c = (await ok(await http.get("/v1/pages", params={"name": "c"})))["items"][0]["id"]
    b = (await write(writer, "B", "to [[C]] and [[Gone|x]]")).id
    a = (await write(writer, "A", "to [[B]]", tags=("x",))).id
    alone = (await write(writer, "Alone")).id
    links = await ok(await http.get(f"/v1/pages/{b}/links"))
    assert [i["id"] for i in links["items"]] == [c]
    assert links["untrusted"]["pending"] == ["Gone"]
    back = await ok(await http.get(f"/v1/pages/{c}/backlinks"))
    assert [(i["id"], i["untrusted"]["excerpt"]) for i in back["items"]] == [
        (b, "to [[C]] and [[Gone|x]]")
    ]
    for depth, nodes in ((1, [a, b]), (2, [a, b, c])):
        graph = await ok(await http.get(f"/v1/pages/{a}/graph", params={"depth": depth}))
        assert [n["id"] for n in graph["nodes"]] == nodes
        assert graph["edges"] == [[a, b], [b, c]][:depth]
        assert graph["cut"] is False
    assert (await http.get(f"/v1/pages/{a}/graph", params={"depth": 4})).status_code == 422
    orphans = await ok(await http.get("/v1/pages/orphans"))
    assert [i["id"] for i in orphans["items"]] == [alone]
    waiting = await ok(await http.get("/v1/pages/pending", params={"limit": 1}))
    assert waiting["items"][0]["untrusted"] == {"title": "C", "pending": ["Nowhere"]}
    rest = await ok(await http.get("/v1/pages/pending", params={"cursor": waiting["next"]}))
    assert [i["id"] for i in rest["items"]] == [b]
    tagged = await ok(await http.get("/v1/pages", params={"tag": "x"}))
    assert [i["id"] for i in tagged["items"]] == [a]


async def test_a_link_out_of_sight_makes_no_difference(
    writer: Principal, principal: MakePrincipal, admin: Principal, tenant: str, write: Write
) -> None:
    shared = (await write(admin, "Shared", scope=tenant)).id
    sibling = await principal(f"{tenant}/other", name="spy")
    linking = (await write(sibling, "Theirs", "[[Shared]]")).id
    for who, expected in ((writer, {shared}), (sibling, set[str]())):
        found = await ok(await who.http.get("/v1/pages/orphans"))
        assert {item["id"] for item in found["items"]} == expected
    around = {"scope": tenant}
    assert (await ok(await sibling.http.get("/v1/pages/orphans", params=around)))["items"] == []
    page = await ok(await writer.http.get(f"/v1/pages/{shared}"))
    assert (page["backlinks"], page["node"]["mention_count"]) == (0, 0)
    assert linking not in (await writer.http.get(f"/v1/pages/{shared}/graph")).text


async def test_what_front_matter_writes_otherwise_than_it_reads_is_sanitised(
    writer: Principal,
) -> None:
    head = 'title: "Ask ada\\x40example.org"\naliases: ["bob\\x40d.org"]\ntags: ["c\\x40d.org"]'
    made = await ok(
        await writer.http.post("/v1/pages", json={"content": f"---\n{head}\n---\nText."}), 201
    )
    path = f"/v1/pages/{made['id']}"

    async def named() -> tuple[str, list[str], list[str]]:
        told = (await ok(await writer.http.get(path)))["untrusted"]
        return told["title"], told["aliases"], told["tags"]

    assert await named() == ("Ask [email]", ["[email]"], ["[email]"])
    head = 'title: "Or eve\\x40example.org"\naliases: [Plain]'
    await ok(await writer.http.patch(path, json={"content": f"---\n{head}\n---\nText."}))
    assert await named() == ("Or [email]", ["Plain"], [])


async def test_a_name_goes_with_kind_tag_and_cursor(writer: Principal, write: Write) -> None:
    made = [
        (await write(writer, "X", "One.")).id,
        (await write(writer, "x", "Two.", tags=("t",))).id,
        (await write(writer, "X", "Three.", kind=PageKind.ARTICLE)).id,
    ]

    async def found(**query: Any) -> tuple[list[str], str | None]:
        answer = await ok(await writer.http.get("/v1/pages", params={"name": "X", **query}))
        assert all(item["node"]["mention_count"] is None for item in answer["items"])
        return [item["id"] for item in answer["items"]], answer["next"]

    assert await found() == (made, None)
    assert await found(kind="article") == ([made[2]], None)
    assert await found(tag="t") == ([made[1]], None)
    assert await found(limit=2) == (made[:2], made[1])
    assert await found(limit=2, cursor=made[1]) == (made[2:], None)


async def test_what_is_cut_says_so(
    opened: Parts, admin: Principal, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await write(admin, "Hub")
    for n in range(4):
        await write(admin, f"S{n}", "[[Hub]]")
    scopes = admin.caller.visible
    assert (await opened.page_reads.link_graph(scopes, page.id, 1)).cut is False
    monkeypatch.setattr(reading, "_EDGES", 0)
    assert (await opened.page_reads.link_graph(scopes, page.id, 1)).cut is True
    path = f"{ADMIN}/{page.id}/backlinks"
    assert "cut" not in (await ok(await admin.http.get(path)))["data"]
    monkeypatch.setattr(page_admin, "BACKLINKS", 3)
    told = (await ok(await admin.http.get(path)))["data"]
    assert (len(told["backlinks"]), told["cut"]) == (3, True)


async def test_every_alias_is_looked_for(
    admin: Principal, write: Write, drain: Callable[[], Awaitable[int]]
) -> None:
    page = await write(
        admin, "Hub", aliases=tuple(f"Otter {'abcdefgh'[n % 8]}{n}" for n in range(64))
    )
    naming = [
        (await write(admin, f"S{n}", f"The otter {'abcdefgh'[n % 8]}{n}.")).id for n in (63, 0, 40)
    ]
    await drain()
    found = await ok(await admin.http.get(f"/v1/pages/{page.id}/unlinked-mentions"))
    assert [item["id"] for item in found["items"]] == naming[::-1]


async def test_entities_and_skills_have_backlinks_and_an_entity_its_pages(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, write: Write
) -> None:
    http = writer.http
    talk = {"content": "Anna Weber works for Acme GmbH.", "session": "talk"}
    await http.post("/v1/episodes", json=talk)
    await opened.consolidation.consolidate(writer.caller.home)
    found = await ok(await http.get("/v1/entities", params={"name": "Acme GmbH"}))
    entity = f"/v1/entities/{found['items'][0]['id']}"
    body = {"name": "Hire", "category": "deployment"}
    skill = f"/v1/skills/{(await ok(await http.post('/v1/skills', json=body), 201))['id']}"
    page = await write(writer, "Acme GmbH", "What there is to know.")
    text = "[[entity:Acme GmbH]] or [[entity:acme gmbh|it]] and [[skill:Hire]]"
    made = [(await write(writer, f"S{n}", text)).id for n in range(3)]
    for path, texts in (
        (entity, ["[[entity:Acme GmbH]]", "[[entity:acme gmbh|it]]"]),
        (skill, ["[[skill:Hire]]"]),
    ):
        first = await ok(await http.get(f"{path}/backlinks", params={"limit": 2}))
        rest = await ok(await http.get(f"{path}/backlinks", params={"cursor": first["next"]}))
        assert [i["id"] for i in first["items"] + rest["items"]] == made[::-1]
        assert (first["items"][0]["untrusted"]["texts"], rest["next"]) == (texts, None)
    pages = await ok(await http.get(f"{entity}/pages"))
    assert [i["id"] for i in pages["items"]] == [page.id]
    stranger = await principal(f"{tenant}x", name="stranger")
    for path in (f"{entity}/pages", f"{entity}/backlinks", f"{skill}/backlinks"):
        assert (await stranger.http.get(path)).status_code == 404


async def test_backlinks_go_on_where_a_list_ends(writer: Principal, write: Write) -> None:
    page = await write(writer, "Hub")
    made = [(await write(writer, f"S{n}", "[[Hub]]")).id for n in range(3)]
    path, seen, cursor = f"/v1/pages/{page.id}/backlinks", list[str](), None
    for _ in range(2):
        query = {"limit": 2, **({"cursor": cursor} if cursor else {})}
        found = await ok(await writer.http.get(path, params=query))
        seen += [item["id"] for item in found["items"]]
        cursor = found["next"]
    assert (seen, cursor) == (made[::-1], None)


async def test_an_agent_s_own_pages_and_those_of_its_project(
    principal: MakePrincipal, tenant: str
) -> None:
    scout = await principal(f"{tenant}/dev", subtree=False)
    other = await principal(f"{tenant}/dev", name="other", subtree=False)
    for title, personal in (("Mine", True), ("Ours", False)):
        body = {"content": "[[Ours]] [[Mine]]", "title": title, "personal": personal}
        made = await ok(await scout.http.post("/v1/pages", json=body), 201)  # makes its own scope
        assert made["links"] == 0, "a shared page does not see a personal one"
    for shelf, titles in (("personal", ["Mine"]), ("shared", ["Ours"])):
        found = await ok(await scout.http.get("/v1/pages", params={"shelf": shelf}))
        assert [i["untrusted"]["title"] for i in found["items"]] == titles
        assert all(i["personal"] is (shelf == "personal") for i in found["items"])
    mine = (await ok(await scout.http.get("/v1/pages", params={"name": "Mine"})))["items"][0]
    links = await ok(await scout.http.get(f"/v1/pages/{mine['id']}/links"))
    assert [i["untrusted"]["title"] for i in links["items"]] == ["Ours"]
    answer = await other.http.patch(f"/v1/pages/{mine['id']}", json={"content": "Hers."})
    assert answer.status_code == 404, "only its owner writes to a personal shelf"
    seen = await ok(await other.http.get("/v1/pages"))
    assert [i["untrusted"]["title"] for i in seen["items"]] == ["Ours"]


async def test_the_seed_s_endpoints(admin: Principal, write: Write, opened: Parts) -> None:
    page = await write(admin, "Feature Guide", "About features.")
    linking = await write(admin, "Start", "Read the [[Feature Guide]] now.")
    naming = await write(admin, "Plain", "The feature guide says so.")
    entry = {"title": "Start", "slug": "start", "type": "page"}
    found = await ok(await admin.http.get(f"{ADMIN}/{page.id}/backlinks"))
    assert found == {
        "success": True,
        "data": {
            "backlinks": [{"id": linking.id, **entry, "excerpt": "Read the [[Feature Guide]] now."}]
        },
    }
    found = await ok(await admin.http.get(f"{ADMIN}/{page.id}/unlinked_mentions"))
    (mention,) = found["data"]["unlinked_mentions"]
    assert (mention["id"], mention["excerpt"]) == (naming.id, "The feature guide says so.")
    found = await ok(await admin.http.post(f"{ADMIN}/{linking.id}/extract_links"))
    assert found == {"success": True, "data": {"links": 1, "pending": []}}
    for one in (page, linking, naming):
        found = await ok(await admin.http.post(f"{ADMIN}/{one.id}/generate_embedding"))
        assert found == {"success": True, "data": {"passages": 1}}
    related = f"{ADMIN}/{page.id}/related_pages"
    for query in ({}, {"limit": 200}):
        found = await ok(await admin.http.get(related, params=query))
        assert {r["id"] for r in found["data"]["related_pages"]} == {linking.id, naming.id}
        assert set(found["data"]["related_pages"][0]) == {
            "id", "title", "slug", "type", "excerpt", "similarity",
        }  # fmt: skip
    found = await ok(await admin.http.get(related, params={"limit": 1}))
    assert len(found["data"]["related_pages"]) == 1


async def test_none_of_them_answers_without_the_permission(
    principal: MakePrincipal, admin: Principal, tenant: str, write: Write
) -> None:
    page = await write(admin, "Feature Guide")
    curator = await principal(tenant, role=Role.CURATOR, name="curator")
    below = await principal(f"{tenant}/dev", role=Role.ADMIN, name="below", kind="user")
    stranger = await principal(f"{tenant}x", role=Role.ADMIN, name="stranger", kind="user")
    for who, refused in ((curator, 403), (below, 403), (stranger, 404)):
        for name in ("backlinks", "unlinked_mentions", "related_pages"):
            assert (await who.http.get(f"{ADMIN}/{page.id}/{name}")).status_code == refused
        for name in ("extract_links", "generate_embedding"):
            assert (await who.http.post(f"{ADMIN}/{page.id}/{name}")).status_code == refused


async def test_a_reader_reads_and_writes_nothing(
    principal: MakePrincipal, admin: Principal, tenant: str, write: Write
) -> None:
    page = await write(admin, "Feature Guide")
    reader = await principal(tenant, role=Role.READER, name="reader")
    path = f"/v1/pages/{page.id}"
    assert (await reader.http.get(path)).status_code == 200
    for answer in (
        await reader.http.post("/v1/pages", json={"content": "x", "title": "x"}),
        await reader.http.patch(path, json={"content": "x"}),
        await reader.http.post(f"{path}/rename", json={"title": "x"}),
        await reader.http.post(f"{path}/unlinked-mentions", json={"source": page.id}),
        await reader.http.delete(path),
    ):
        assert answer.status_code == 403


async def test_slugs_tell_pages_apart(writer: Principal) -> None:
    """No two pages of a scope share a slug, whatever their script and whoever comes first."""
    titles = ["Größe", "Große", "Раздел 1", "Глава 1", "日本語", "中文", "!!!", "???"]
    made = [await page(writer, title, "A text.") for title in titles]
    assert len({one["slug"] for one in made}) == len(titles)
    body = {"title": "Vega plan", "content": "A text."}
    racers = [writer.http.post("/v1/pages", json=body) for _ in range(6)]
    answers = [answer.json() for answer in await asyncio.gather(*racers)]
    slugs = {answer["slug"] for answer in answers}
    assert len(slugs) == 6
    assert "vega-plan" in slugs
    for answer in answers:
        shown = (await writer.http.get(f"/v1/pages/{answer['id']}")).json()
        assert shown["slug"] == answer["slug"]
        linking = await page(writer, f"To {answer['slug']}", f"See [[{answer['slug']}]].")
        found = await ok(await writer.http.get(f"/v1/pages/{answer['id']}/backlinks"))
        assert [link["id"] for link in found["items"]] == [linking["id"]]
        # An edit keeps the slug, a new title brings a new one.
        path = f"/v1/pages/{answer['id']}"
        edited = await writer.http.patch(path, json={"content": "Another text."})
        assert edited.json()["slug"] == answer["slug"]
    named = await writer.http.patch(f"/v1/pages/{answers[0]['id']}", json={"title": "Lyra"})
    assert named.json()["slug"] == "lyra"


async def page(who: Principal, title: str, content: str) -> dict[str, Any]:
    answer = await who.http.post("/v1/pages", json={"title": title, "content": content})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def test_renames_in_a_race_keep_slugs_apart(writer: Principal) -> None:
    """Whoever renames or creates at once to one title gets a slug of its own, or is told so."""
    made = [await page(writer, f"Plan {n}", "A text.") for n in range(8)]
    to = {"title": "Vega plan"}
    racers = [writer.http.post(f"/v1/pages/{one['id']}/rename", json=to) for one in made]
    racers += [writer.http.post("/v1/pages", json=to | {"content": "x"}) for _ in range(4)]
    racers += [writer.http.delete(f"/v1/pages/{made[0]['id']}")]
    answers = await asyncio.gather(*racers)
    assert {answer.status_code for answer in answers} <= {200, 201, 204, 404, 409}
    await writer.http.post(f"/v1/pages/{made[0]['id']}/restore", json={})
    pages = (await ok(await writer.http.get("/v1/pages?limit=50")))["items"]
    assert len(pages) >= 11
    assert len({one["slug"] for one in pages}) == len(pages)


async def test_a_title_that_reads_like_an_own_slug_shares_none(writer: Principal) -> None:
    await page(writer, "Vega", "A text.")
    late = await page(writer, "Lyra", "A text.")
    taken = await page(writer, f"Vega {late['id'][-8:]}", "A text.")
    path = f"/v1/pages/{late['id']}"
    named = await ok(await writer.http.post(f"{path}/rename", json={"title": "Vega"}))
    assert named["slug"] == f"{taken['slug']}-2"
    await page(writer, "Links", f"See [[{named['slug']}]].")
    assert len((await ok(await writer.http.get(f"{path}/backlinks")))["items"]) == 1


async def test_pages_that_shared_a_slug_before_get_their_own(
    opened: Parts, writer: Principal
) -> None:
    """The step of the schema leaves the oldest its slug; the worker gives the others theirs."""
    made = [await page(writer, title, "A text.") for title in ("Vega", "Lyra", "Deneb")]
    (step,) = [one for one in migrations() if one.name.endswith("_live_slugs.cypher")]
    ids = [one["id"] for one in made]
    shared = (
        "MATCH (p:Page) WHERE p.id IN $ids "
        "SET p.title = 'Vega', p.slug = 'vega', p.live_slug = null"
    )
    twin = "MATCH (p:Page {id: $id}) SET p.live_slug = 'vega'"
    try:
        await opened.graph.raw("DROP CONSTRAINT page_live_slug")
        await opened.graph.raw(shared, ids=ids)
    finally:
        for statement in step.statements:
            await opened.graph.raw(statement)
    with pytest.raises(AlreadyExists):
        await opened.graph.raw(twin, id=ids[1])
    await opened.due_pages.sweep()
    shown = [await ok(await writer.http.get(f"/v1/pages/{id}")) for id in ids]
    slugs = [one["slug"] for one in shown]
    assert slugs == ["vega", *(f"vega-{id[-8:]}" for id in ids[1:])]
    await page(writer, "Links", f"See [[{slugs[2]}]].")
    links = await ok(await writer.http.get(f"/v1/pages/{ids[2]}/backlinks"))
    assert len(links["items"]) == 1
