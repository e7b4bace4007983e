"""Where names come from beside titles: aliases and headings of pages, given triples, entities."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from app.cli.transfer import store_of
from app.pages.model import Change, Draft
from app.portability.exporter import export_package
from app.portability.progress import Progress
from app.portability.service import Order, import_attended, selection
from app.retrieval.graphs import GIVEN
from app.wiring import Parts
from tests.conftest import Principal
from tests.portability.packages import write_package

LONG = "The valve is a part of the pump. " * 40
PAGE = f"Northwind Rotor is a fan of the hall.\n\n{LONG}\n\n## Care of the Blades\n\n{LONG}"


def lines_of(path: str | Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file."""
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


async def graph_of(opened: Parts, scope: str) -> dict[str, tuple[dict[str, str], dict[str, float]]]:
    """What each passage is about and names, by the beginning of its text."""
    await opened.linking.link((scope, scope.partition("/")[0]))
    graphs, complete = await opened.walks.graphs([scope])
    assert complete
    graph = graphs[scope]
    rows = await opened.graph.raw(
        "MATCH (p:Passage) WHERE p.scope = $scope AND p.live RETURN p.id AS id, p.content AS text",
        scope=scope,
    )
    about: dict[str, dict[str, str]] = {}
    names: dict[str, dict[str, float]] = {}
    for row in await opened.walks.rows.linked_since(scope, 0, 1_000_000):
        about[row["id"]] = dict(row["about"])
    for row in rows:
        place = graph.at.get(row["id"])
        if place is None:
            continue
        span = slice(graph.mentions.indptr[place], graph.mentions.indptr[place + 1])
        held = zip(graph.mentions.indices[span], graph.mentions.data[span], strict=True)
        names[row["id"]] = {graph.keys[column]: float(weight) for column, weight in held}
    return {r["text"][:20]: (about.get(r["id"], {}), names.get(r["id"], {})) for r in rows}


async def test_a_page_is_found_by_its_aliases_its_headings_and_what_it_opens_with(
    opened: Parts, writer: Principal
) -> None:
    scope = writer.caller.home
    draft = Draft(PAGE, title="Fan 7", aliases=("Old Whirler", "The Big One"))
    page = await opened.pages.write(writer.caller, draft)
    await opened.page_passages.bring(page.id, scope)
    found = await graph_of(opened, scope)
    kinds = [about for about, _ in found.values()]
    assert all(about["fan 7"] == "title" for about in kinds)
    assert all(about["old whirler"] == about["big one"] == "also" for about in kinds)
    assert [about.get("northwind rotor") for about in kinds].count("subject") == 1
    assert "heading" in {about.get("care of the blades") for about in kinds}
    await opened.pages.change(writer.caller, page.id, Change(aliases=("Newer Name",)))
    await opened.page_passages.bring(page.id, scope)
    again = [about for about, _ in (await graph_of(opened, scope)).values()]
    assert len(again) == len(kinds)
    assert all("old whirler" not in about for about in again)
    assert all(about["newer name"] == "also" for about in again)


async def test_given_triples_are_names_and_travel(
    opened: Parts, writer: Principal, tenant: str, tmp_path: Path
) -> None:
    scope = f"{tenant}/given"
    said = {"scope": scope, "session": "s"}
    triple = {"subject": "the old mill", "predicate": "stands in", "object": "Upper Orla"}
    package = write_package(
        tmp_path / "p",
        episodes=[
            {**said, "content": "it stands by the water up there", "triples": [triple]},
            {**said, "content": "Upper Orla is a village.", "title": "Upper Orla"},
            {**said, "content": "Bad.", "triples": [{**triple, "object": ""}]},
        ],
    )

    async def untold(progress: Progress, size: int) -> None:
        return

    result = await import_attended(store_of(opened), Order(package), untold)
    assert result["kinds"]["episode"] == {"accepted": 2, "duplicates": 0, "rejected": 1}
    assert "triples" in lines_of(result["rejects"])[0]["field"]
    found = await graph_of(opened, scope)
    assert found["it stands by the wat"][1] == {"upper orla": GIVEN}
    chosen = await selection(opened.graph, scope)
    await export_package(opened.graph, tmp_path / "out", chosen)
    told = lines_of(tmp_path / "out" / "episodes.jsonl")
    assert [line.get("triples") for line in told] in (
        [[triple], None],
        [None, [triple]],
    )


async def test_entities_that_were_merged_lead_to_one_another_until_that_is_undone(
    opened: Parts, admin: Principal, tenant: str
) -> None:
    for text, title in (
        ("Nordlicht GmbH is based in Bremen.", "Nordlicht GmbH"),
        ("Borealis AG works for us, and Nordlicht GmbH knows it.", None),
        ("Then we heard from Borealis AG again.", None),
    ):
        body = {"content": text, "title": title, "session": "s", "scope": tenant}
        await admin.http.post("/v1/episodes", json=body)
    await opened.consolidation.consolidate(tenant)
    ids = {}
    for name in ("Nordlicht GmbH", "Borealis AG"):
        found = await admin.http.get("/v1/entities", params={"name": name})
        ids[name] = found.json()["items"][0]["id"]

    async def owners() -> set[str]:
        await opened.linking.link((tenant, tenant))
        await opened.linking.call()
        graphs, complete = await opened.walks.graphs([tenant])
        assert complete
        return set(graphs[tenant].owners)

    assert "borealis ag" not in await owners()
    pair = {"left": ids["Nordlicht GmbH"], "right": ids["Borealis AG"]}
    merge = (await admin.http.post("/v1/merges", json=pair)).json()["id"]
    accepted = await admin.http.post(f"/v1/merges/{merge}/accept")
    assert accepted.is_success, accepted.text
    assert "borealis ag" in await owners()
    undone = await admin.http.post(f"/v1/merges/{merge}/undo")
    assert undone.is_success, undone.text
    assert "borealis ag" not in await owners()


async def test_a_link_is_a_name_however_it_reads(opened: Parts, writer: Principal) -> None:
    scope = writer.caller.home
    text = "It rests on [[vega plan|what we agreed]] and the [[small pump]].\n"
    page = await opened.pages.write(writer.caller, Draft(text, title="Orion"))
    await opened.pages.write(writer.caller, Draft("Words.\n", title="Vega Plan"))
    await opened.pages.write(writer.caller, Draft("Words too.\n", title="Small Pump"))
    _, names = (await graph_of(opened, scope))["It rests on what we "]
    assert names == {"vega plan": 1.0, "small pump": 1.0}
    other = text.replace("vega plan", "lyra")
    await opened.pages.change(writer.caller, page.id, Change(content=other))
    await opened.pages.write(writer.caller, Draft("Words as well.\n", title="Lyra"))
    _, names = (await graph_of(opened, scope))["It rests on what we "]
    assert names == {"lyra": 1.0, "small pump": 1.0}
