"""Ids that somebody made up are each scope's own: what two tenants call alike stays apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.cli.transfer import store_of
from app.lifecycle.invariants import broken
from app.portability.declared import unique
from app.portability.exporter import export_package
from app.portability.service import Order, import_attended, selection
from app.wiring import Parts
from tests.autonomy.conftest import make
from tests.conftest import MakePrincipal, Principal
from tests.pools.test_packages import Load, load
from tests.portability.conftest import untold
from tests.portability.packages import write_package

__all__ = ["load"]
KINDS = ("transcript", "transcript_message", "preference")
FILES = ("work_items", "work_links", "goals", "goal_links", "contexts", "context_entries")


async def world(who: Principal) -> dict[str, str]:
    """Work items, goals and a context that refer to one another and to a note; ids by name."""
    root = await make(who, "work-items", title="Paint the fence")
    child = await make(who, "work-items", title="Buy paint", parent_id=root["id"])
    note = await make(who, "notes", content="The fence is ten metres long.")
    await make(who, f"work-items/{child['id']}/links", memory=note["id"])
    top = await make(who, "goals", title="A garden")
    low = await make(who, "goals", title="A fence", parent_id=top["id"])
    await make(who, f"goals/{low['id']}/links", memory=root["id"])
    context = await make(who, "contexts", name="Garden", type="knowledge_base")
    entry = await make(
        who, f"contexts/{context['id']}/entries", key="gate", content="The gate is green."
    )
    named = {"x": root, "y": child, "a": top, "b": low, "c": context, "d": entry, "note": note}
    return {name: made["id"] for name, made in named.items()}


def handwritten(source: Path, into: Path, tenants: tuple[str, str], ids: dict[str, str]) -> Path:
    """The package of another tenant, its declared values named by hand."""
    into.mkdir()
    for name in FILES:
        text = (source / f"{name}.jsonl").read_text(encoding="utf-8")
        for ours, theirs in (tenants, *ids.items()):
            text = text.replace(ours, theirs)
        (into / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return into


async def seen(who: Principal) -> dict[str, Any]:
    """What refers to what, by titles."""

    async def get(path: str) -> Any:
        answer = await who.http.get(f"/v1/{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    items = (await get("work-items?state=todo"))["items"]
    titles = {item["id"]: item["untrusted"]["title"] for item in items}
    goals = [await get(f"goals/{goal['id']}") for goal in (await get("goals"))["items"]]
    aims = {one["goal"]["id"]: one["goal"]["untrusted"]["title"] for one in goals}
    links = [await get(f"work-items/{item}") for item in titles]
    (context,) = (await get("contexts"))["items"]
    entries = (await get(f"contexts/{context['id']}/entries"))["items"]
    return {
        "items": {t: titles.get(i["parent_id"]) for i in items for t in [titles[i["id"]]]},
        "linked": sorted(
            (titles[one["item"]["id"]], link["kind"]) for one in links for link in one["links"]
        ),
        "goals": {aims[one["goal"]["id"]]: aims.get(one["goal"]["parent_id"]) for one in goals},
        "aimed": [titles[link["memory"]] for one in goals for link in one["links"]],
        "entries": [entry["untrusted"]["content"] for entry in entries],
    }


async def test_two_tenants_that_use_the_same_names_both_have_everything(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, load: Load,
    tmp_path: Path,
) -> None:  # fmt: skip
    made = await world(writer)
    wanted = await seen(writer)
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    for letter in ("p", "q"):
        other = f"{tenant}{letter}"
        scout = await principal(f"{other}/dev", name="scout")
        note = await make(scout, "notes", content="The fence is ten metres long.")
        ids = {given: name for name, given in made.items()} | {made["note"]: note["id"]}
        package = handwritten(tmp_path / "out", tmp_path / letter, (tenant, other), ids)
        first = await load(package)
        told = {kind: tally for kind, tally in first["kinds"].items() if tally["accepted"]}
        assert {k: (v["duplicates"], v["rejected"]) for k, v in told.items()} == dict.fromkeys(
            ("work_item", "work_link", "goal", "goal_link", "context", "context_entry"), (0, 0)
        )
        assert sum(tally["accepted"] for tally in told.values()) == 8
        assert await seen(scout) == wanted
        assert await broken(opened.graph, other) == []
        again = await load(package, fresh=True)
        assert all(
            tally["accepted"] == tally["rejected"] == 0 for tally in again["kinds"].values()
        ), again
        assert await seen(scout) == wanted


async def test_what_goes_by_an_agent_is_no_second_one_of_whoever_imports_it(
    opened: Parts, admin: Principal, load: Load, tenant: str, tmp_path: Path
) -> None:
    at, memory = "2026-03-01T09:00:00+00:00", "0" * 32
    own = {"id": "x", "scope": tenant, "agent": f"agent:{tenant}:scout", "conversation": "c"}
    times = {"began_at": at, "changed_at": at, "said_at": at}
    message = {"key": "m1", "voice": "system", "apart": "system", "words": "Be brief.", "number": 1}
    package = write_package(
        tmp_path / "p",
        transcripts=[own | times | {"said": 1}],
        transcript_messages=[own | message | {"said_at": at}],
        preferences=[
            {"id": "x", "scope": tenant, "agent": own["agent"], "memory": memory, "noted_at": at}
            | {"category": "style"}
        ],
    )
    first = await load(package)
    assert {k: v["accepted"] for k, v in first["kinds"].items()} == dict.fromkeys(KINDS, 1), first
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    order = Order(tmp_path / "out", target=tenant, caller=admin.caller)
    again = (await import_attended(store_of(opened), order, untold))["kinds"]
    there = {"accepted": 0, "duplicates": 1, "rejected": 0}
    assert {kind: again[kind] for kind in KINDS} == dict.fromkeys(KINDS, there)


@pytest.mark.parametrize(
    ("given", "stays"),
    [
        ("x", False),
        ("019ab3b2-7d1c-7c3e-8f00-0123456789ab", True),
        ("0" * 32, True),
        ("0" * 64, True),
        ("A" * 32, False),
        ("0" * 33, False),
    ],
)
def test_ids_of_our_own_form_stay(given: str, stays: bool) -> None:
    assert (unique(given, "acme/dev") == given) is stays
    assert unique(unique(given, "acme/dev"), "acme/dev") == unique(given, "acme/dev")
    assert (unique(given, "acme/dev") == unique(given, "acme/ops")) is stays
