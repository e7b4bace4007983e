"""A folder of Markdown goes in and comes out as it was."""

from __future__ import annotations

import inspect
import os
from pathlib import Path

import pytest

from app.cli.transfer import store_of
from app.errors import InvalidInput
from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import plain
from app.lifecycle.erasure import Order as ErasureOrder
from app.lifecycle.erasure import new_receipt
from app.lifecycle.model import Target
from app.pages.following import FollowService
from app.pages.model import Change
from app.pages.moving import Placed, moves
from app.pages.tree import Tree
from app.pages.vault import Report
from app.portability.exporter import export_package
from app.portability.kind import At, Rules
from app.portability.page_records import PageRecord
from app.portability.pages import export, prepare
from app.portability.service import Order, import_attended, selection
from app.scopes.rules import ScopeRules
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.pages.conftest import Write, fresh_links, rows, stored_links
from tests.portability.conftest import untold

MODULES = ("json", "csv", "heapq", "bisect", "textwrap", "string", "shutil")


def documented(root: Path) -> dict[str, bytes]:
    """A vault made of the standard library's own documentation: a note a module, one a member,
    linked by name; with what makes files differ."""
    files: dict[str, bytes] = {}
    for name in MODULES:
        module = __import__(name)
        members = [m for m, _ in inspect.getmembers(module, callable) if not m.startswith("_")][:5]
        listed = "\n".join(f"- [[{name}.{m}|{m}]]" for m in members)
        head = f"---\ntitle: {name}\naliases: [the {name} module]\n---\n"
        files[f"{name}/{name}.md"] = f"{head}{inspect.getdoc(module)}\n\n{listed}\n".encode()
        for m in members:
            doc = inspect.getdoc(getattr(module, m)) or "No words."
            files[f"{name}/{name}.{m}.md"] = f"# {m}\n\n{doc}\n\nPart of [[{name}]].\n".encode()
    files["windows.md"] = b"One\r\n\r\nTwo [[json]]\r\n"
    files["marked.md"] = "\ufeff# Mark\n".encode()
    files["mixed.md"] = b"One\r\nTwo\n"
    files["mail.md"] = b"---\nowner: ada@example.org\n---\nWrite to [[csv]] at +41 44 668 18 00.\n"
    files["latin.md"] = "Zürich".encode("latin-1")
    files["empty.md"] = b"\n"
    files[".obsidian/config.md"] = b"hidden"
    files["picture.png"] = b"\x89PNG"
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return files


async def take_in(opened: Parts, who: Principal, root: Path) -> Report:
    return await opened.vaults.take_in(who.caller, root, who.caller.home, lambda _: None)


async def test_a_vault_goes_in_and_out(
    opened: Parts, principal: MakePrincipal, tenant: str, tmp_path: Path
) -> None:
    who = await principal(f"{tenant}/dev", role=Role.ADMIN, name="ann", kind="user")
    root, out = tmp_path / "vault", tmp_path / "out"
    files = documented(root)
    report = await take_in(opened, who, root)
    assert set(report.skipped) == {"latin.md", "empty.md"}
    assert set(report.redacted) == {"mail.md", "mixed.md"}
    assert report.redacted["mixed.md"] == {"characters": 1}
    kept = {p for p in files if p.endswith(".md") and not p.startswith(".")} - set(report.skipped)
    assert report.stored == len(kept)

    done = await opened.vaults.write_out(who.caller, out, who.caller.home)
    assert (done.files, done.renamed, done.skipped) == (len(kept), {}, {})
    written = {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    assert set(written) == kept
    assert {p for p in kept if written[p] != files[p]} == set(report.redacted)
    assert b"ada@" not in written["mail.md"]
    with pytest.raises(InvalidInput):
        await opened.vaults.write_out(who.caller, out, who.caller.home)

    assert await stored_links(opened, tenant) == await fresh_links(opened, tenant)
    (page,) = await opened.page_reads.named([who.caller.home], tenant, "the json module")
    links = await opened.page_reads.outgoing(who.caller.visible, page["id"])
    assert "json.dump" in {link["title"] for link in links}

    again = await take_in(opened, who, root)
    assert (again.stored, again.changed, again.unchanged) == (0, 0, len(kept))
    (root / "windows.md").write_bytes(b"Other [[json]]\n")
    again = await take_in(opened, who, root)
    assert (again.changed, again.unchanged) == (1, len(kept) - 1)

    found = await rows(
        opened,
        "MATCH (n {tenant: $tenant}) WHERE (n:Passage OR n:Fact) AND any(k IN keys(n) "
        "WHERE k IN ['path', 'url', 'uri', 'file']) RETURN n.id AS id LIMIT 1",
        tenant=tenant,
    )
    assert found == [], "where a file lies is data of its page alone"


def placed(*paths: str) -> list[Placed]:
    """Files whose text follows from the letters of their names."""
    return [Placed(path, path, "".join(filter(str.isalpha, Path(path).stem))) for path in paths]


@pytest.mark.parametrize(
    ("gone", "fresh", "found"),
    [
        (["a/x.md"], ["b/x.md"], {"a/x.md": "b/x.md"}),
        (["a/x1.md"], ["a/x2.md"], {"a/x1.md": "a/x2.md"}),
        (["a/x.md"], ["a/y.md"], {}),
        (["a/x.md", "b/x.md"], ["c/a/x.md", "c/b/x.md"],
         {"a/x.md": "c/a/x.md", "b/x.md": "c/b/x.md"}),
        (["a/x.md", "b/x.md"], ["c/x.md"], {}),
        (["a/x.md"], ["b/x.md", "c/x.md"], {}),
        (["a/x.md", "a/x1.md"], ["b/x1.md", "b/x2.md"],
         {"a/x1.md": "b/x1.md", "a/x.md": "b/x2.md"}),
        ([], ["a.md"], {}),
    ],
)  # fmt: skip
def test_a_file_that_moved_is_known_by_its_text(
    gone: list[str], fresh: list[str], found: dict[str, str]
) -> None:
    assert moves(placed(*gone), placed(*fresh)) == found
    assert moves(placed(*gone[::-1]), placed(*fresh[::-1])) == found


async def test_a_folder_that_is_the_whole_takes_its_pages_along(
    opened: Parts, principal: MakePrincipal, tenant: str, tmp_path: Path
) -> None:
    who = await principal(f"{tenant}/dev", name="ann", kind="user")
    root, scope = tmp_path / "vault", who.caller.home
    follows = FollowService(opened.vaults, opened.pages)
    with pytest.raises(InvalidInput):
        await follows.follow(who.caller, root, scope, lambda _: None)
    texts = {"old/One.md": "One. [[Two]]\n", "old/Two.md": "Two ada@example.org. [[old/One]]\n",
             "old/Three.md": "Three.\n", "Four.md": "---\ntitle: Vier\n---\nFour.\n"}  # fmt: skip
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    by_hand = (await who.http.post("/v1/pages", json={"title": "By hand", "content": "x"})).json()
    assert (await follows.follow(who.caller, root, scope, lambda _: None)).stored == len(texts)

    (root / "old").rename(root / "new")
    (root / "new/Two.md").rename(root / "new/Zwei.md")
    (root / "Four.md").rename(root / "4.md")
    (root / "new/Three.md").unlink()
    left = await take_in(opened, who, tmp_path / "vault" / "new")
    assert (left.stored, left.moved, left.removed) == (2, {}, []), "another folder beside it"
    for path in ("One.md", "Zwei.md"):
        (page,) = await opened.graph.rows(Q.pages.at_path, scope=scope, path=path)
        await opened.pages.delete(who.caller, page["id"])

    done = await follows.follow(who.caller, root, scope, lambda _: None)
    assert (done.stored, done.changed, done.unchanged) == (0, 0, 3)
    assert done.moved == {
        "old/One.md": "new/One.md", "old/Two.md": "new/Zwei.md", "Four.md": "4.md"
    }  # fmt: skip
    assert done.removed == ["old/Three.md"]
    listed = await opened.page_reads.list_pages([scope], None, None, "", 9)
    held = {row["title"]: row for row in listed}
    assert {title: row.get("path") for title, row in held.items()} == {
        "One": "new/One.md", "Zwei": "new/Zwei.md", "Vier": "4.md", "By hand": None
    }  # fmt: skip
    assert held["Zwei"]["formers"] == ["Two"]
    assert await stored_links(opened, tenant) == await fresh_links(opened, tenant)
    links = await opened.page_reads.outgoing([scope], held["One"]["id"])
    assert [link["id"] for link in links] == [held["Zwei"]["id"]]
    assert held["By hand"]["id"] == by_hand["id"]
    again = await follows.follow(who.caller, root, scope, lambda _: None)
    assert (again.unchanged, again.moved, again.removed) == (3, {}, [])


async def test_a_file_of_an_odd_name_is_one_page_however_often_it_comes(
    opened: Parts, principal: MakePrincipal, tenant: str, tmp_path: Path
) -> None:
    who = await principal(f"{tenant}/dev", name="ann", kind="user")
    root, out = tmp_path / "vault", tmp_path / "out"
    root.mkdir()
    decomposed = "Zu\u0308rich.md"
    names = ["a  b.md", decomposed, "to ada@example.org.md", "to bob@example.org.md", "a\tb.md"]
    for name in names:
        (root / name).write_text(f"About {name[0]}.\n")
    (root / os.fsdecode(b"x\xff.md")).write_text("Of another time.\n")
    report = await take_in(opened, who, root)
    assert (report.stored, report.skipped.keys()) == (4, {"a\tb.md", "to bob@example.org.md"})
    assert report.renamed == {
        decomposed: "Z\u00fcrich.md",
        "to ada@example.org.md": "to [email].md",
        "x?.md": "x.md",
    }
    again = await take_in(opened, who, root)
    assert (again.stored, again.changed, again.unchanged) == (0, 0, 4)
    done = await opened.vaults.write_out(who.caller, out, who.caller.home)
    written = {path.name for path in out.iterdir()}
    assert written == {"a  b.md", "Z\u00fcrich.md", "to [email].md", "x.md"}
    assert done.renamed == {}


async def test_no_path_of_a_page_keeps_the_others_from_being_written(
    opened: Parts, writer: Principal, write: Write, tmp_path: Path
) -> None:
    paths = ["a", "a/b.md", "A/B.md", "c/d.md", "c"]
    made = {path: (await write(writer, path, f"Of {path}.", path=path)).id for path in paths}
    done = await opened.vaults.write_out(writer.caller, tmp_path / "out", writer.caller.home)
    assert (done.files, done.skipped) == (5, {})
    files = {p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*.md")}
    assert done.renamed == {
        "a/b.md": f"b-{made['a/b.md']}.md",
        "A/B.md": f"B-{made['A/B.md']}.md",
        "c": f"c-{made['c']}.md",
    }
    assert files == {"c/d.md", *done.renamed.values()}
    assert (tmp_path / "out" / "a").read_text() == "Of a."
    with pytest.raises(InvalidInput) as refused:
        await write(writer, "Long", "x", path=f"{'ü' * 128}.md")
    assert refused.value.field == "path"


def test_a_name_that_no_file_can_have_gives_way_to_the_id() -> None:
    tree = Tree()
    assert tree.take(f"{'x' * 900}.md", "p1") == "p1.md"
    assert tree.take("x/P1.md/y.md", "p2") == "x/P1.md/y.md"
    assert tree.take("p1.md/y.md", "p3") == "y-p3.md"


async def test_pages_go_through_a_package(
    opened: Parts, admin: Principal, write: Write, tenant: str, tmp_path: Path
) -> None:
    page = await write(admin, "Vega", "[[Lyra]] [[Start]]\n", aliases=("V",), path="a/Vega.md")
    await write(admin, "Start", "[[V]]")
    await opened.pages.rename(admin.caller, page.id, "Altair", rewrite=False)
    gone = await write(admin, "Gone", "[[V]]")
    await opened.pages.delete(admin.caller, gone.id)
    chosen = await selection(opened.graph, tenant)
    manifest = await export_package(opened.graph, tmp_path / "a", chosen)
    assert {f["kind"]: f["records"] for f in manifest["files"]}["page"] == 3

    other = f"{tenant}y"
    store = store_of(opened)
    done = await import_attended(store, Order(tmp_path / "a", other), untold)
    assert done["kinds"]["page"] == {"accepted": 3, "duplicates": 0, "rejected": 0}
    again = await import_attended(store, Order(tmp_path / "a", other), untold)
    assert again["kinds"]["page"] == {"accepted": 0, "duplicates": 3, "rejected": 0}
    found = await stored_links(opened, other)
    assert found == await fresh_links(opened, other)
    assert sorted(len(edges) for edges, _ in found.values()) == [1, 1]
    await opened.due_pages.sweep()
    (read,) = await opened.page_reads.named([other], other, "Altair")
    assert (read["version"], read["chunks"], read["formers"]) == (2, 1, ["Vega"])


async def test_an_erased_page_leaves_nothing_and_does_not_come_back(
    opened: Parts, admin: Principal, write: Write, tenant: str, tmp_path: Path
) -> None:
    rules = {"erasure": True}
    await opened.scopes.set_rules(admin.caller, tenant, ScopeRules.parse(rules))
    page = await write(admin, "Vega", "Anna Weber leads the project Vega.")
    await opened.pages.change(admin.caller, page.id, Change(content="Anna Weber left Vega."))
    linking = await write(admin, "Start", "[[Vega]]")
    await export_package(opened.graph, tmp_path / "old", await selection(opened.graph, tenant))
    target = Target("memory", page.id, tenant)
    assert (await opened.erasure.preview(admin.caller, target))["episodes"] != []
    await opened.erasure.erase(ErasureOrder(admin.caller, target, new_receipt()))
    left = await rows(
        opened,
        "MATCH (n) WHERE (n.tenant = $t OR n.scope = $t) AND "
        "(n.content CONTAINS 'Anna' OR n.title = 'Vega') RETURN labels(n) AS l",
        t=tenant,
    )
    assert left == []
    read = await opened.page_reads.page(admin.caller.visible, linking.id)
    assert read["page"]["pending"] == ["Vega"]
    done = await import_attended(store_of(opened), Order(tmp_path / "old"), untold)
    assert done["kinds"]["page"]["accepted"] == 0


async def test_a_restored_page_has_the_very_passages_that_it_had(
    opened: Parts, admin: Principal, principal: MakePrincipal, write: Write, tenant: str
) -> None:
    agent = await principal(tenant, name="bot", role=Role.WRITER)
    text = f"# One\n\n{'Anna leads Vega. ' * 60}\n\n# Two\n\n{'Lyra is small. ' * 60}\n"
    page = await write(admin, "Vega", text, tags=("x",))
    text = text.replace("Lyra is small", "Lyra is large")
    await opened.pages.change(agent.caller, page.id, Change(content=text))
    (record,) = [r async for r in export(opened.graph, await selection(opened.graph, tenant))]
    at = At(Rules("run", now(), keeps=True, derived=True), 1, {})
    row = prepare(PageRecord.model_validate(record), at)
    made = {passage["chunk"]["id"]: passage["chunk"] for passage in row["passages"]}
    found = await rows(
        opened, "MATCH (c:Chunk)-[:PART_OF]->(:Page {id: $id}) RETURN c {.*} AS c", id=page.id
    )
    stored = {one["c"]["id"]: plain(one["c"]) for one in found}
    assert {chunk["role"] for chunk in stored.values()} == {"user", "assistant"}
    assert made == {i: {n: c.get(n) for n in made[i]} for i, c in stored.items()}
