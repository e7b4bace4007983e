"""The edges that links come to, case by case, and under whatever is done to pages."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from app.errors import Conflict, NotFound
from app.jobs.model import Job
from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.pages.model import Change, Draft, PageKind
from app.pages.tasks import RELINK, run_relink
from app.skills.draft import SkillDraft
from app.skills.vocabulary import Category
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.pages.conftest import Write, fresh_links, rows, stored_links

ARTICLE = PageKind.ARTICLE
BASED = {"content": "Acme GmbH is based in Ulm.", "session": "talk"}


async def edges(opened: Parts, who: Principal, page: str) -> list[tuple[str, list[str]]]:
    found = await opened.page_reads.outgoing(who.caller.visible, page)
    return [(row["id"], row["texts"]) for row in found]


async def pending(opened: Parts, who: Principal, page: str) -> list[str]:
    found: list[str] = (await opened.page_reads.page(who.caller.visible, page))["page"]["pending"]
    return found


async def backlinks(opened: Parts, who: Principal, page: str) -> list[str]:
    found = await opened.page_reads.backlinks(who.caller.visible, page, None, 50)
    return [row["page"]["id"] for row in found]


async def test_a_link_resolves_by_title_in_any_case_and_by_slug(
    opened: Parts, writer: Principal, write: Write
) -> None:
    guide = await write(writer, "Feature Guide")
    text = "[[feature guide|the guide]] [[feature-guide]] [[Feature Guide]] [[Feature Guide]]"
    page = await write(writer, "Start", text)
    raws = ["[[feature guide|the guide]]", "[[feature-guide]]", "[[Feature Guide]]"]
    assert await edges(opened, writer, page.id) == [(guide.id, raws)]
    (edge,) = await rows(
        opened,
        "MATCH (:Page {id: $id})-[r:REFERENCES]->() RETURN r.weight AS w, r.confidence AS c",
        id=page.id,
    )
    assert (edge["w"], edge["c"]) == (1.0, 1.0)
    assert (page.links, page.pending) == (1, ())


async def test_nothing_matches_is_pending_and_no_backlink(
    opened: Parts, writer: Principal, write: Write
) -> None:
    page = await write(writer, "Start", "[[Nowhere]] [[#Part]] [[Start]]")
    read = await opened.page_reads.page(writer.caller.visible, page.id)
    assert (page.links, page.pending) == (0, ("Nowhere",))
    assert (read["references"], read["backlinks"]) == (0, 0)


async def test_a_pending_link_becomes_a_link_when_the_page_appears(
    opened: Parts, writer: Principal, write: Write
) -> None:
    page = await write(writer, "Start", "[[Later]] [[later|soon]]")
    later = await write(writer, "Later")
    assert await edges(opened, writer, page.id) == [(later.id, ["[[Later]]", "[[later|soon]]"])]
    assert await pending(opened, writer, page.id) == []
    await opened.pages.delete(writer.caller, later.id)
    assert await edges(opened, writer, page.id) == []
    assert await pending(opened, writer, page.id) == ["Later", "later"]
    await opened.pages.restore(writer.caller, later.id)
    assert await backlinks(opened, writer, later.id) == [page.id]


async def test_a_text_without_links_has_no_edges_left(
    opened: Parts, writer: Principal, write: Write
) -> None:
    other = await write(writer, "Other")
    page = await write(writer, "Start", "[[Other]]")
    done = await opened.pages.change(writer.caller, page.id, Change(content="No links now."))
    assert (done.status, done.links) == ("changed", 0)
    assert await edges(opened, writer, page.id) == []
    assert await backlinks(opened, writer, other.id) == []


async def test_extraction_again_changes_nothing(
    opened: Parts, writer: Principal, write: Write
) -> None:
    await write(writer, "Other")
    page = await write(writer, "Start", "[[Other]] [[Other|x]] [[Gone]]")
    before = await stored_links(opened, writer.caller.tenant)
    for _ in range(2):
        found = await opened.pages.extract_links(writer.caller, page.id)
        assert (len(found.edges), found.pending) == (1, ("Gone",))
    assert await stored_links(opened, writer.caller.tenant) == before


async def test_page_then_article_then_wider_scopes(
    opened: Parts, principal: MakePrincipal, tenant: str, write: Write
) -> None:
    boss = await principal(tenant, role=Role.ADMIN, name="boss", kind="user")
    await opened.scopes.create(boss.caller, f"{tenant}/dev")
    await opened.scopes.create(boss.caller, f"{tenant}/other")
    boss = await principal(tenant, role=Role.ADMIN, name="boss2", kind="user")
    dev = {"scope": f"{tenant}/dev"}
    page = await write(boss, "Start", "[[X]]", **dev)
    await write(boss, "X", scope=f"{tenant}/other")
    await write(boss, "X", kind=ARTICLE, scope=f"{tenant}/other")
    assert await edges(opened, boss, page.id) == []
    for kind, scope in [
        (PageKind.PAGE, tenant),
        (ARTICLE, tenant),
        (ARTICLE, f"{tenant}/dev"),
        (PageKind.PAGE, f"{tenant}/dev"),
    ]:
        nearer = await write(boss, "X", kind=kind, scope=scope)
        assert [target for target, _ in await edges(opened, boss, page.id)] == [nearer.id]
    await opened.pages.delete(boss.caller, nearer.id)
    ((left, _),) = await edges(opened, boss, page.id)
    assert left != nearer.id


async def test_another_tenant_s_page_is_never_meant(
    opened: Parts, principal: MakePrincipal, tenant: str, write: Write
) -> None:
    mine, theirs = await principal(f"{tenant}/dev"), await principal(f"{tenant}x/dev")
    foreign = await write(theirs, "X", kind=ARTICLE)
    page = await write(mine, "Start", f"[[X]] [[{foreign.id}]]")
    assert (page.links, set(page.pending)) == (0, {"X", foreign.id})
    with pytest.raises(NotFound):
        await opened.pages.read(mine.caller, foreign.id)


async def test_agents_and_entities_are_linked_by_kind(
    opened: Parts, writer: Principal, write: Write
) -> None:
    await writer.http.post("/v1/episodes", json=BASED)
    await opened.consolidation.consolidate(writer.caller.home)
    text = "[[agent:scout]] [[entity:Acme GmbH]] [[mission:acme]] [[skill:deploy]] [[agent:nobody]]"
    page = await write(writer, "Start", text)
    found = await opened.page_reads.outgoing(writer.caller.visible, page.id)
    assert {(row["kind"], row["title"]) for row in found} == {
        ("agent", "scout"),
        ("entity", "Acme GmbH"),
    }
    assert set(page.pending) == {"skill:deploy", "agent:nobody"}


async def test_spellings_of_one_agent_or_skill_are_one_edge(
    opened: Parts, writer: Principal, write: Write
) -> None:
    made = await opened.skilled.skills.create(
        writer.caller, SkillDraft("Roll Out", category=Category.DEPLOYMENT)
    )
    spelled = ["[[agent:Scout]]", "[[agent:scout]]", "[[skill:Roll Out]]", "[[skill:roll out]]"]
    page = await write(writer, "Start", " ".join(spelled))
    agent = f"agent:{writer.caller.tenant}:scout"
    assert dict(await edges(opened, writer, page.id)) == {
        agent: spelled[:2],
        made[0]["skill"]["id"]: spelled[2:],
    }
    assert page.pending == ()


async def test_what_names_nothing_is_pending(
    opened: Parts, writer: Principal, write: Write
) -> None:
    page = await write(writer, "Start", "[[entity:?!]] [[skill:#x]]")
    assert page.pending == ("entity:?!", "skill:#x")


async def test_an_agent_is_linked_from_where_it_has_a_role(
    opened: Parts, principal: MakePrincipal, admin: Principal, tenant: str, write: Write
) -> None:
    for path in (f"{tenant}/dev", f"{tenant}/ops", f"{tenant}/ops/agent:rook"):
        await opened.scopes.create(admin.caller, path)
    await principal(f"{tenant}/ops/agent:rook", name="rook")
    admin = await principal(tenant, role=Role.ADMIN, name="boss", kind="user")
    text = "[[agent:rook]]"
    made = [(await write(admin, "X", text, scope=f"{tenant}/{w}")).id for w in ("ops", "dev")]

    async def linked() -> list[int]:
        return [len(await edges(opened, admin, page)) for page in made]

    assert await linked() == [1, 0]
    rook, scope = f"agent:{tenant}:rook", f"{tenant}/dev"
    await opened.access.grant(admin.caller, rook, scope, Role.READER)
    assert await relooked(opened, admin, linked) == [1, 1]
    await opened.access.withdraw(admin.caller, rook, scope)
    assert await relooked(opened, admin, linked) == [1, 0]


async def test_a_renamed_skill_gives_its_name_to_the_next(
    opened: Parts, writer: Principal, write: Write
) -> None:
    http, body = writer.http, {"name": "Roll Out", "category": "deployment"}
    first = (await http.post("/v1/skills", json=body)).json()["id"]
    page = await write(writer, "Start", "[[skill:Roll Out]] [[skill:Ship]]")
    assert (page.links, page.pending) == (1, ("skill:Ship",))
    renamed = await http.patch(f"/v1/skills/{first}", json={"name": "Ship"})
    assert renamed.status_code == 200, renamed.text

    async def linked() -> dict[str, list[str]]:
        return dict(await edges(opened, writer, page.id))

    assert await relooked(opened, writer, linked) == {first: ["[[skill:Ship]]"]}
    assert await pending(opened, writer, page.id) == ["skill:Roll Out"]
    draft = SkillDraft("Roll Out", category=Category.DEPLOYMENT)
    second = await opened.skilled.skills.create_beside(writer.caller, draft)
    assert await relooked(opened, writer, linked) == {
        first: ["[[skill:Ship]]"],
        second["skill"]["id"]: ["[[skill:Roll Out]]"],
    }


async def relooked(opened: Parts, who: Principal, look: Callable[[], Awaitable[Any]]) -> Any:
    """What there is to see after the hourly look."""
    tenant, scope = who.caller.tenant, who.caller.home
    job = await opened.runner.submit(RELINK, tenant=tenant, scope=scope, args={})
    await opened.runner.run(opened, job.id)
    return await look()


async def test_a_skill_is_linked_by_name_or_slug_once_there_is_one(
    opened: Parts, writer: Principal, write: Write
) -> None:
    page = await write(writer, "Start", "[[skill:Roll out]] [[skill:roll-out]] [[Roll out]]")
    assert (page.links, len(page.pending)) == (0, 3)
    body = {"name": "Roll out", "category": "deployment"}
    assert (await writer.http.post("/v1/skills", json=body)).status_code == 201
    tenant, scope = writer.caller.tenant, writer.caller.home
    job = await opened.runner.submit(RELINK, tenant=tenant, scope=scope, args={})
    await opened.runner.run(opened, job.id)
    (found,) = await opened.page_reads.outgoing(writer.caller.visible, page.id)
    assert (found["kind"], found["title"]) == ("skill", "Roll out")
    assert await pending(opened, writer, page.id) == ["Roll out"]


async def test_a_page_may_share_its_name_with_an_entity(
    opened: Parts, writer: Principal, write: Write
) -> None:
    await writer.http.post("/v1/episodes", json=BASED)
    await opened.consolidation.consolidate(writer.caller.home)
    counted = "MATCH (e:Entity {scope: $scope}) WHERE 'Acme GmbH' IN e.aliases RETURN e.id AS id"
    before = await rows(opened, counted, scope=writer.caller.home)
    page = await write(writer, "Acme GmbH", "[[entity:Acme GmbH]]")
    assert len(before) == 1
    assert await rows(opened, counted, scope=writer.caller.home) == before
    assert page.links == 1


async def test_a_page_and_a_skill_of_one_name_stand_beside_each_other(
    opened: Parts, writer: Principal, write: Write
) -> None:
    pages, skills = [await write(writer, "Roll back")], []
    for name in ("Roll back", "Roll out"):
        body = {"name": name, "category": "deployment"}
        skills.append((await writer.http.post("/v1/skills", json=body)).json())
    pages.append(await write(writer, "Roll out"))
    text = "[[Roll back]] [[Roll out]] [[skill:Roll back]] [[skill:Roll out]]"
    page = await write(writer, "Start", text)
    meant = {target for target, _ in await edges(opened, writer, page.id)}
    assert meant == {one.id for one in pages} | {one["id"] for one in skills}
    assert {one["status"] for one in skills} == {"active"}


async def test_an_entity_of_its_name_is_not_the_page(
    opened: Parts, writer: Principal, write: Write
) -> None:
    page = await write(writer, "Acme GmbH")
    await writer.http.post("/v1/episodes", json=BASED)
    await opened.consolidation.consolidate(writer.caller.home)
    (found,) = await rows(
        opened,
        "MATCH (p:Page {id: $id}) MATCH (e:Entity {scope: p.scope}) "
        "WHERE 'Acme GmbH' IN e.aliases RETURN e.id AS entity, e.mention_count AS mentions, "
        "p:Entity AS adopted, COUNT { (p)<-[:MENTIONS]-() } AS named",
        id=page.id,
    )
    assert (found["mentions"], found["adopted"], found["named"]) == (1, False, 0)
    read = (await writer.http.get(f"/v1/pages/{page.id}")).json()
    assert read["node"]["mention_count"] == 0


async def test_a_rename_brings_no_words_where_the_policy_wants_none(
    admin: Principal, principal: MakePrincipal, tenant: str, write: Write, opened: Parts
) -> None:
    old = await write(admin, "Contact", scope=tenant)
    strict, closed = [
        (
            await write(await principal(f"{tenant}/{place}", name=place), place, "Ask [[Contact]].")
        ).id
        for place in ("dev", "shut")
    ]
    policies = {tenant: "keep", f"{tenant}/dev": "redact", f"{tenant}/shut": "refuse"}
    for scope, action in policies.items():
        answer = await admin.http.put(
            "/v1/scopes/policy", params={"scope": scope}, json={"email": action}
        )
        assert answer.is_success, answer.text
    boss = await principal(tenant, role=Role.ADMIN, name="boss", kind="user", subtree=True)
    done = await opened.pages.rename(boss.caller, old.id, "ada@example.org", rewrite=True)
    assert (done.title, done.offers) == ("ada@example.org", (closed,))
    texts = [(await opened.pages.read(boss.caller, page))["page"] for page in (strict, closed)]
    assert [page["content"] for page in texts] == ["Ask [[[email]]].", "Ask [[Contact]]."]


async def test_a_rename_keeps_its_links_and_offers_to_rewrite(
    opened: Parts, writer: Principal, write: Write
) -> None:
    old = await write(writer, "Old name")
    page = await write(writer, "Start", "[[Old name]] `[[Old name]]` [[old-name|it]]")
    done = await opened.pages.rename(writer.caller, old.id, "New name", rewrite=False)
    assert (done.slug, done.offers) == ("new-name", (page.id,))
    assert await backlinks(opened, writer, old.id) == [page.id]
    done = await opened.pages.rename(writer.caller, old.id, "Newer", rewrite=True)
    assert done.offers == ()
    read = (await opened.page_reads.page(writer.caller.visible, page.id))["page"]
    assert read["content"] == "[[Newer]] `[[Old name]]` [[Newer|it]]"
    assert read["version"] == 2
    assert await edges(opened, writer, page.id) == [(old.id, ["[[Newer]]", "[[Newer|it]]"])]


async def test_a_new_page_takes_over_a_former_title(
    opened: Parts, writer: Principal, write: Write
) -> None:
    old = await write(writer, "Old")
    page = await write(writer, "Start", "[[Old]]")
    await opened.pages.rename(writer.caller, old.id, "New", rewrite=False)
    fresh = await write(writer, "Old")
    assert [target for target, _ in await edges(opened, writer, page.id)] == [fresh.id]


async def test_two_who_write_at_once_do_not_miss_each_other(
    opened: Parts, writer: Principal, write: Write
) -> None:
    await asyncio.gather(
        *(
            write(writer, f"Page {n}", f"[[Page {(n + 1) % 6}]] [[Page {(n + 2) % 6}]]")
            for n in range(6)
        )
    )
    tenant = writer.caller.tenant
    found = await stored_links(opened, tenant)
    assert found == await fresh_links(opened, tenant)
    assert sum(len(targets) for targets, _ in found.values()) == 12


async def test_an_edit_of_another_version_is_refused(
    opened: Parts, writer: Principal, write: Write
) -> None:
    page = await write(writer, "Start", "One.")
    await opened.pages.change(writer.caller, page.id, Change(content="Two.", version=1))
    with pytest.raises(Conflict) as refused:
        await opened.pages.change(writer.caller, page.id, Change(content="Three.", version=1))
    assert refused.value.field == "version"
    same = await opened.pages.change(writer.caller, page.id, Change(content="Two."))
    assert (same.status, same.version) == ("unchanged", 2)


TITLES = ["Alpha", "Beta", "Gamma", "alpha", "Be-ta", "C# x", "C"]
OTHERS = ["agent:Rook", "agent:rook", "skill:Be ta", "skill:be ta", "skill:be-ta", "skill:C# x"]


class Player:
    """Does something to pages at random."""

    def __init__(self, opened: Parts, who: Principal, scopes: list[str], seed: int) -> None:
        self.opened, self.who, self.scopes = opened, who, scopes
        self.chance = random.Random(seed)
        self.pages: list[str] = []

    def text(self) -> str:
        named = [*TITLES, "Nowhere", "beta|b", "Gamma#Part", *OTHERS]
        targets = self.chance.choices(named, k=4)
        return " and ".join(f"[[{target}]]" for target in targets)

    async def step(self) -> None:
        chosen = self.chance.choice(self.pages) if self.pages else None
        kind = self.chance.choice(["write", "edit", "rename", "delete", "restore", "back"])
        if chosen is None or kind == "write":
            await self._write()
            return
        with suppress(NotFound, Conflict):  # it was deleted before, or had no such version
            await self._change(kind, chosen)

    async def many(self) -> None:
        """Pages in bulk, others that change meanwhile, and a look at what waits, or none."""
        at_once = [self._written() for _ in range(self.chance.randint(1, 2))]
        at_once += [self.step() for _ in range(self.chance.randint(0, 3))]
        if self.chance.random() < 0.5:
            at_once.append(self._brought())
        await asyncio.gather(*at_once)

    async def _brought(self) -> None:
        await self.opened.due_pages.sweep()

    async def _written(self) -> None:
        drafts = [self._draft() for _ in range(self.chance.randint(2, 4))]
        stored = await self.opened.pages.write_many(self.who.caller, drafts, settle=False)
        self.pages += [receipt.id for receipt in stored]

    async def _write(self) -> None:
        self.pages.append((await self.opened.pages.write(self.who.caller, self._draft())).id)

    def _draft(self) -> Draft:
        return Draft(
            self.text(),
            title=self.chance.choice(TITLES),
            kind=self.chance.choice(list(PageKind)),
            scope=self.chance.choice(self.scopes),
            aliases=tuple(self.chance.sample(TITLES, k=self.chance.choice([0, 0, 1]))),
        )

    async def _change(self, kind: str, page: str) -> None:
        pages, caller = self.opened.pages, self.who.caller
        if kind == "edit":
            await pages.change(caller, page, Change(content=self.text()))
        elif kind == "rename":
            title, rewrite = self.chance.choice(TITLES), self.chance.random() < 0.5
            await pages.rename(caller, page, title, rewrite=rewrite)
        elif kind == "delete":
            await pages.delete(caller, page)
        else:
            version = self.chance.choice([1, 2]) if kind == "back" else None
            await pages.restore(caller, page, version)


async def player_of(opened: Parts, principal: MakePrincipal, tenant: str, seed: int) -> Player:
    """A player who may write to scopes beside and below each other."""
    boss = await principal(tenant, role=Role.ADMIN, name="boss", kind="user")
    scopes = [tenant, f"{tenant}/dev", f"{tenant}/dev/agent:scout", f"{tenant}/ops"]
    for path in scopes[1:]:
        await opened.scopes.create(boss.caller, path)
    roles: dict[str, Any] = dict.fromkeys(scopes, Role.ADMIN)
    boss = replace(boss, caller=replace(boss.caller, roles=roles))
    await principal(f"{tenant}/dev", name="rook")
    for name, scope in (("Be ta", tenant), ("C# x", tenant), ("C", tenant), ("Be ta", scopes[1])):
        draft = SkillDraft(name, category=Category.DEPLOYMENT, scope=scope)
        await opened.skilled.skills.create_beside(boss.caller, draft)
    return Player(opened, boss, scopes, seed)


@pytest.mark.parametrize("seed", range(2))
async def test_edges_are_those_of_a_fresh_extraction_whatever_is_done(
    opened: Parts, principal: MakePrincipal, tenant: str, seed: int
) -> None:
    player = await player_of(opened, principal, tenant, seed)
    for _ in range(6):
        for _ in range(5):
            await player.step()
        await asyncio.gather(player.step(), player.step())
        assert await stored_links(opened, tenant) == await fresh_links(opened, tenant)


@pytest.mark.parametrize("seed", range(2, 4))
async def test_edges_of_pages_in_bulk_are_the_same_once_none_waits(
    opened: Parts, principal: MakePrincipal, tenant: str, seed: int
) -> None:
    player = await player_of(opened, principal, tenant, seed)
    for _ in range(3):
        for _ in range(4):
            await player.many()
        await opened.due_pages.sweep()
        assert await stored_links(opened, tenant) == await fresh_links(opened, tenant)
    states = "MATCH (p:Page {tenant: $tenant}) RETURN DISTINCT p.passage_state AS state"
    assert await rows(opened, states, tenant=tenant) == [{"state": "done"}]


async def test_a_name_that_comes_while_a_page_is_cut_is_not_lost(
    opened: Parts, writer: Principal
) -> None:
    who, pages, states = writer.caller, opened.pages, list[tuple[str, int]]()
    (page,) = await pages.write_many(who, [Draft("[[Later]]", title="Start")], settle=False)

    async def noted() -> None:
        read = await pages.read(who, page.id)
        states.append((read["page"]["passage_state"], read["references"]))

    await noted()
    await pages.extract_links(who, page.id)
    await noted()
    await pages.write_many(who, [Draft("Here.", title="Later")], settle=False)
    await noted()
    await opened.page_passages.bring(page.id, who.home)
    await noted()
    taken = await opened.graph.rows(Q.pages.export_pages, scopes=[who.home], after="", limit=9)
    assert {row["page"]["id"]: len(row["passages"]) for row in taken}[page.id] == 1
    await opened.due_pages.sweep()
    await noted()
    assert states == [("due", 0), ("uncut", 0), ("due", 0), ("unlinked", 0), ("done", 1)]


async def test_the_hourly_look_leaves_pages_to_the_sweep_and_loses_none(
    opened: Parts, writer: Principal, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await write(writer, "Start", "[[skill:Anchor]]")
    body = {"name": "Anchor", "category": "deployment"}
    skill = (await writer.http.post("/v1/skills", json=body)).json()["id"]
    told: list[int] = []

    async def report(progress: Any) -> None:
        told.append(progress["pages"])

    async def killed(_: Any) -> int:
        raise ConnectionError("killed")

    at = now()
    job = Job("relink", RELINK, writer.caller.tenant, writer.caller.home, "running", {}, 1, at, at)
    monkeypatch.setattr(type(opened.due_pages), "sweep", killed)
    with pytest.raises(ConnectionError):
        await run_relink(opened, job, report)
    monkeypatch.undo()
    assert told[-1] >= 1
    assert await edges(opened, writer, page.id) == []
    await opened.due_pages.sweep()
    assert await edges(opened, writer, page.id) == [(skill, ["[[skill:Anchor]]"])]
    assert await pending(opened, writer, page.id) == []
