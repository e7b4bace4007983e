"""Other programs' exports in a real graph: once, with their times, and out again as Markdown."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.cli.transfer import store_of
from app.errors import InvalidInput
from app.portability import notes, pages
from app.portability.bundle import export_bundle
from app.portability.foreign.convert import Foreign, converted
from app.portability.kind import Kind, Selection
from app.portability.rehearsal import rehearse
from app.portability.service import Order, selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.portability.conftest import Count, Import
from tests.portability.foreign.reading import EXPORTS
from tests.portability.test_import import rejected


def named(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


PARTS = ("mem0.json", "graphiti.json", "letta.af", "chatgpt.json", "okf", "cogx", "table.csv",
         "table-semicolons.csv")  # fmt: skip


@pytest.mark.parametrize("name", PARTS)
async def test_an_export_imported_twice_changes_nothing(
    name: str, load: Import, count: Count, tenant: str, tmp_path: Path
) -> None:
    copied = shutil.copytree if (EXPORTS / name).is_dir() else shutil.copy
    path = Path(copied(EXPORTS / name, tmp_path / name))
    first = await load(path, target=f"{tenant}/dev")
    before = await count(tenant)
    second = await load(path, target=f"{tenant}/dev", fresh=True)
    assert first["rejects"] is None
    assert sum(tally["accepted"] for tally in first["kinds"].values()) > 1
    assert [tally["accepted"] for tally in second["kinds"].values()] == [0] * len(second["kinds"])
    assert await count(tenant) == before
    assert second["lost"] == first["lost"]


async def test_a_memory_is_found_with_its_user_and_its_time(
    load: Import, admin: Principal, tenant: str
) -> None:
    await load(EXPORTS / "mem0.json", target=tenant)
    answer = await admin.http.post("/v1/search", json={"query": "rye bread", "mode": "keyword"})
    hit = answer.json()["hits"][0]
    stored = (await admin.http.get(f"/v1/episodes/{hit['id']}")).json()
    assert stored["captured_at"] == stored["ingested_at"] == "2025-03-03T17:00:00Z"
    assert stored["origin"] == "mem0"
    assert stored["untrusted"]["speaker"] == "wilma"
    assert "category:food" in stored["untrusted"]["tags"]


async def test_an_edge_is_read_as_it_held_and_as_it_was_known(
    load: Import, admin: Principal, tenant: str
) -> None:
    await load(EXPORTS / "graphiti.json", target=tenant)

    async def told(**at: str) -> set[str]:
        answer = await admin.http.get("/v1/notes", params=at)
        assert answer.status_code == 200, answer.text
        return {item["untrusted"]["content"] for item in answer.json()["items"]}

    ran = "Wilma Tarrant ran Harrow Mill."
    assert ran not in await told()
    assert ran in await told(as_of="2024-06-01T00:00:00Z")
    # Ended on the first of February, which was known two days later.
    assert ran in await told(as_of="2025-02-02T00:00:00Z", known_at="2025-02-02T12:00:00Z")
    assert ran not in await told(as_of="2025-02-02T00:00:00Z", known_at="2025-02-04T00:00:00Z")
    assert ran not in await told(as_of="2024-06-01T00:00:00Z", known_at="2025-01-02T00:00:00Z")


async def test_rejects_name_the_item_of_the_file(load: Import, tenant: str, tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    items = [{"memory": "Wilma keeps geese."}, {"memory": "Now.", "created_at": "soon"}, 7]
    path.write_text(json.dumps(items))
    result = await load(path, target=tenant)
    assert [(r["file"], r["line"], r.get("field")) for r in rejected(result)] == [
        ("export.json", 2, "created_at"),
        ("export.json", 3, None),
    ]
    assert "geese" not in str(rejected(result))


async def test_a_rehearsal_tells_all_and_writes_nothing(
    opened: Parts, count: Count, tenant: str, tmp_path: Path
) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps([*json.loads((EXPORTS / "mem0.json").read_text()), {"memory": 1}]))
    before = await count(tenant)
    told = await rehearse(store_of(opened), Order(path, f"{tenant}/dev"))
    assert told["kinds"] == {"episode": {"accepted": 2, "duplicates": 0, "rejected": 1}}
    assert [(r["line"], r["field"]) for r in told["rejects"]] == [(3, "memory")]
    assert told["lost"] == {"hash": 1, "score": 1}
    assert await count(tenant) == before
    assert named(tmp_path) == ["export.json"]


async def test_a_scope_is_asked_for_and_checked(load: Import, tenant: str) -> None:
    for target in (None, "Not A Path"):
        with pytest.raises(InvalidInput) as refused:
            await load(EXPORTS / "mem0.json", target=target)
        assert refused.value.field == "scope"


async def told_of(opened: Parts, kind: Kind, scope: str) -> list[dict[str, Any]]:
    """The records of a scope, without what differs from place to place."""
    chosen = Selection([scope])
    own = ("id", "scope", "author", "updated_by", "passages", "stats")
    found: AsyncIterator[dict[str, Any]] = kind.export(opened.graph, chosen)
    records = [{k: v for k, v in r.items() if k not in own} async for r in found]
    return sorted(records, key=lambda record: str(record["content"]))


PAGES = (
    "Wilma Tarrant keeps the [[Hives]].\n",
    "---\ntitle: Hives\ntags: [bees]\n---\n# Where\n\nBy the river: \"left\", 'right' – §.\n",
    "---\ntype: Reference\n---\nNo title of its own.",
    "---\n---\nAn empty block.\n",
)


async def written(admin: Principal) -> None:
    """Notes, one of them ended by another, and pages with and without front matter."""
    said = [
        {"content": "The budget of Harrow is CHF 5'000.", "title": "Harrow: a budget",
         "tags": ["Money"], "namespace": "knowledge"},
        {"content": "---\nA note that begins like a block.\n", "namespace": "methods",
         "entry_type": "knowledge"},
        {"content": "The budget of Harrow is CHF 9'000.", "namespace": "knowledge"},
    ]  # fmt: skip
    for note in said:
        answer = await admin.http.post("/v1/notes", json=note)
        assert answer.status_code == 201, answer.text
    for number, content in enumerate(PAGES):
        page = {"content": content, "title": f"Page {number}"}
        answer = await admin.http.post("/v1/pages", json=page)
        assert answer.status_code == 201, answer.text
    gone = await admin.http.post("/v1/notes", json={"content": "Forget the geese."})
    assert (await admin.http.delete(f"/v1/notes/{gone.json()['id']}")).is_success


async def test_notes_and_pages_come_back_out_of_a_bundle(
    opened: Parts, load: Import, admin: Principal, count: Count, tenant: str, tmp_path: Path
) -> None:
    await written(admin)
    chosen = await selection(opened.graph, tenant)
    files = await export_bundle(opened.graph, tmp_path / "out", chosen, "okf")
    assert files == {"note": 3, "page": 4}

    before = await count(tenant)
    again = await load(tmp_path / "out", target=tenant, rejects=tmp_path / "r")
    assert {kind: tally["accepted"] for kind, tally in again["kinds"].items()} == {
        "page": 0,
        "note": 0,
    }
    assert {**await count(tenant), "Job": 0} == {**before, "Job": 0}  # but for the run itself

    other = f"{tenant}.other"
    moved = await load(tmp_path / "out", target=other, rejects=tmp_path / "r")
    assert {kind: tally["accepted"] for kind, tally in moved["kinds"].items()} == {
        "page": 4,
        "note": 3,
    }
    assert moved["rejects"] is None
    for kind in (notes.NOTE, pages.PAGE):
        there = await told_of(opened, kind, other)
        here = [r for r in await told_of(opened, kind, tenant) if r.get("expired_at") is None]
        assert there == here
        assert len(there) > 2


async def test_a_bundle_is_of_the_format(
    opened: Parts, admin: Principal, tenant: str, tmp_path: Path
) -> None:
    await written(admin)
    said = {"content": "Wilma Tarrant lives in Harrow Hill.", "session": "s"}
    assert (await admin.http.post("/v1/episodes", json=said)).is_success
    chosen = await selection(opened.graph, tenant)
    await opened.consolidation.consolidate(tenant)
    facts = (await admin.http.get("/v1/facts")).json()["items"]
    fact = next(one for one in facts if one["status"] == "active")
    assert (await admin.http.post(f"/v1/facts/{fact['id']}/attest")).is_success
    files = await export_bundle(opened.graph, tmp_path / "out", chosen, "okf")
    assert files["fact"] >= 1
    index = (tmp_path / "out" / "index.md").read_text()
    assert index.startswith('---\nokf_version: "0.2"\n---\n')
    seen = {}
    for path in (tmp_path / "out").rglob("*.md"):
        if path.name == "index.md":
            continue
        block = path.read_text().split("---\n")[1]
        said = yaml.safe_load(block)
        assert said["type"], path
        seen[said["loci"]["id"]] = said
        assert f"({path.relative_to(tmp_path / 'out')})" in index
    assert len(seen) == sum(files.values())
    by_title = {said.get("title"): said for said in seen.values()}
    budget = by_title["Harrow: a budget"]
    assert (budget["status"], budget["tags"]) == ("deprecated", ["money"])
    assert budget["generated"]["by"].startswith(("human:", "process:"))
    assert "verified" not in budget
    attested = seen[fact["id"]]["verified"]
    assert attested["by"] == f"human:{admin.caller.principal.rpartition(':')[2]}"
    assert datetime.fromisoformat(str(attested["at"])).tzinfo is not None


async def test_plain_markdown_has_nothing_of_ours(
    opened: Parts, admin: Principal, tenant: str, tmp_path: Path
) -> None:
    await written(admin)
    chosen = await selection(opened.graph, tenant)
    files = await export_bundle(opened.graph, tmp_path / "out", chosen, "markdown")
    texts = [path.read_text() for path in (tmp_path / "out").rglob("*.md")]
    assert len(texts) == sum(files.values()) + 1
    assert not any("loci:" in text for text in texts)
    assert any("geese" in text for text in texts) is False
    assert PAGES[1] in texts


async def test_pages_come_back_out_of_plain_markdown(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, tmp_path: Path
) -> None:
    """As a vault: the text, and title and tags where its front matter may have them."""
    await written(admin)
    chosen = await selection(opened.graph, tenant)
    await export_bundle(opened.graph, tmp_path / "out", chosen, "markdown")
    other = f"{tenant}/other"
    keeper = await principal(other, name="keeper")
    vault = tmp_path / "out" / tenant / "pages"
    report = await opened.vaults.take_in(keeper.caller, vault, other, lambda _: None)
    assert report.stored == len(PAGES), report

    async def pages_of(scope: str) -> dict[str, tuple[str, list[str]]]:
        listed = (await keeper.http.get("/v1/pages", params={"scope": scope})).json()["items"]
        read = [(await keeper.http.get(f"/v1/pages/{one['id']}")).json() for one in listed]
        said = [one["untrusted"] for one in read]
        return {body(one["content"]): (one["title"], one.get("tags", [])) for one in said}

    here, there = await pages_of(tenant), await pages_of(other)
    assert there.keys() == here.keys()
    first, second = (body(text) for text in PAGES[:2])
    assert there[first] == here[first]
    assert there[second] == ("Hives", ["bees"])  # as its own front matter says


def body(text: str) -> str:
    """A text without the front matter before it."""
    return re.sub(r"\A---\n.*?^---\n", "", text, flags=re.S | re.M).strip()


async def test_a_bundle_is_a_folder_of_a_known_form(opened: Parts, tmp_path: Path) -> None:
    for path, form, field in (("out.zip", "okf", "path"), ("out", "pdf", "format")):
        with pytest.raises(InvalidInput) as refused:
            await export_bundle(opened.graph, tmp_path / path, Selection([]), form)
        assert refused.value.field == field
    assert named(tmp_path) == []


async def test_a_line_of_ours_claims_no_other_scope(
    load: Import, tenant: str, tmp_path: Path
) -> None:
    """What a bundle says of itself goes to the scope of the import, under ids of that scope."""
    mark = {
        "kind": "note", "id": "chosen", "scope": "victim/board", "namespace": "knowledge",
        "author": "user:victim:boss", "valid_from": "2025-01-01T00:00:00Z",
    }  # fmt: skip
    bad = {**mark, "surprise": 1}
    for name, said in (("a.md", mark), ("b.md", bad)):
        (tmp_path / name).write_text(f"---\ntype: Note\nloci: {json.dumps(said)}\n---\nA text.\n")
    (tmp_path / "c.md").write_text("---\ntype: Note\nloci: {broken\n---\nA concept.\n")
    with converted(Foreign(tmp_path, tenant)) as package:
        lines = [json.loads(file.path.read_bytes().splitlines()[0]) for file in package.files]
    page, note = lines
    assert note["scope"] == tenant
    assert note["id"] != "chosen"
    assert "author" not in note
    assert "A concept." in page["content"]
    result = await load(tmp_path, target=tenant)
    assert result["kinds"]["note"] == {"accepted": 1, "duplicates": 0, "rejected": 1}
