"""A later export of the same store, two files in one scope, and users that are kept apart."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from app.cli.transfer import _show_import, _show_rehearsal, console, store_of
from app.lifecycle.invariants import broken
from app.portability.rehearsal import rehearse
from app.portability.service import Order
from app.wiring import Parts
from tests.conftest import Principal
from tests.portability.conftest import Count, Import
from tests.portability.foreign.reading import EXPORTS, became
from tests.portability.foreign.test_formats import PAIRS
from tests.portability.test_import import rejected

MARCH, JUNE, SEPTEMBER = (f"2025-{month}-02T09:00:00Z" for month in ("03", "06", "09"))


def memory(text: str, updated: str | None = None, **more: Any) -> dict[str, Any]:
    """A memory of mem0 as it stands after an update."""
    return {"id": "m", "memory": text, "created_at": MARCH, "updated_at": updated, **more}


def edge(**more: Any) -> dict[str, Any]:
    """An edge of Graphiti."""
    fact = {"uuid": "f", "name": "RENTS", "fact": "Thekla Ohm rents the boathouse."}
    return {**fact, "valid_at": MARCH, "created_at": JUNE, **more}


def entity(summary: str) -> dict[str, Any]:
    """An entity of Graphiti."""
    named = {"uuid": "n", "name": "Thekla Ohm", "labels": ["Entity"], "created_at": MARCH}
    return {**named, "summary": summary}


class Store:
    """Another program's store, of which exports are imported one after another."""

    def __init__(self, opened: Parts, load: Import, target: str, folder: Path) -> None:
        self._opened, self._load, self.target = opened, load, target
        self.path = folder / "export.json"

    async def exported(self, whole: Any, **how: Any) -> dict[str, dict[str, int]]:
        """Import what the store says now, after a rehearsal that foretold the same; twice, of
        which the second time changes nothing. The counts of the first."""
        self.path.write_text(json.dumps(whole))
        order = Order(self.path, self.target, **how)
        foretold = await rehearse(store_of(self._opened), order)
        self.result = await self._load(self.path, target=self.target, **how)
        self.rejects = rejected(self.result) if self.result["rejects"] else []
        kinds: dict[str, dict[str, int]] = self.result["kinds"]
        assert kinds == foretold["kinds"]
        assert foretold["rejects"] == self.rejects
        again = await self._load(self.path, target=self.target, fresh=True, **how)
        for kind, tally in again["kinds"].items():
            given = kinds[kind]
            taken = given["accepted"] + given["duplicates"] + given.get("updated", 0)
            assert (tally["accepted"], tally["duplicates"]) == (0, taken)
            assert tally.get("changed", 0) == given.get("changed", 0)
        return kinds


@pytest.fixture
def store(opened: Parts, load: Import, tenant: str, tmp_path: Path) -> Store:
    """A store that is imported into the workspace dev."""
    return Store(opened, load, f"{tenant}/dev", tmp_path)


async def episodes(who: Principal, tenant: str) -> list[dict[str, Any]]:
    """What is held in the workspace dev, by the moment of the words."""
    asked = {"scope": f"{tenant}/dev"}
    items: list[dict[str, Any]] = (await who.http.get("/v1/episodes", params=asked)).json()["items"]
    return sorted(items, key=lambda item: str(item["captured_at"]))


async def test_a_memory_that_was_updated_is_taken_as_said_then(
    store: Store, admin: Principal, tenant: str, opened: Parts
) -> None:
    await store.exported([memory("Thekla Ohm lives in Ulm."), memory("Thekla rows.", id="o")])
    kinds = await store.exported(
        [memory("Thekla Ohm lives in Trier.", JUNE), memory("Thekla rows.", JUNE, id="o")]
    )
    assert kinds == {"episode": {"accepted": 0, "duplicates": 1, "rejected": 0, "updated": 1}}
    assert store.rejects == []
    held = await episodes(admin, tenant)
    said = [(one["captured_at"], one["untrusted"]["content"]) for one in held]
    assert (MARCH, "Thekla Ohm lives in Ulm.") in said
    assert said[-1] == (JUNE, "Thekla Ohm lives in Trier.")
    first = next(one for one in held if "Ulm" in one["untrusted"]["content"])
    assert held[-1]["supersedes"] == first["id"]
    await opened.consolidation.consolidate(f"{tenant}/dev")
    facts = (await admin.http.get("/v1/facts", params={"scope": f"{tenant}/dev"})).json()["items"]
    lives = [one["untrusted"] for one in facts if one["predicate"] == "lives_in"]
    assert "Trier" in str(lives)
    assert "Ulm" not in str(lives)
    assert await broken(opened.graph, tenant) == []


async def test_what_is_not_active_in_openmemory_is_hidden(
    store: Store, admin: Principal, tenant: str
) -> None:
    whole = json.loads((EXPORTS / "mem0-openmemory.json").read_text())
    kinds = await store.exported(whole)
    assert kinds == {"episode": {"accepted": 2, "duplicates": 0, "rejected": 0}}
    (held,) = await episodes(admin, tenant)
    assert held["untrusted"]["content"] == "Wilma Tarrant prefers dark honey."


async def test_of_three_texts_each_stands_in_the_place_of_the_one_before(
    store: Store, opened: Parts, tenant: str
) -> None:
    for text, at in (("Ulm", MARCH), ("Trier", JUNE), ("Bonn", SEPTEMBER)):
        kinds = await store.exported([memory(f"Thekla lives in {text}.", at)])
    assert kinds["episode"]["updated"] == 1
    rows = await opened.graph.raw(
        "MATCH (e:Episode {scope: $s}) OPTIONAL MATCH (f:Episode {id: e.supersedes}) "
        "RETURN e.content AS text, f.content AS former ORDER BY e.captured_at",
        s=f"{tenant}/dev",
    )
    texts = [f"Thekla lives in {place}." for place in ("Ulm", "Trier", "Bonn")]
    assert [(row["text"], row["former"]) for row in rows] == [
        *zip(texts, [None, *texts[:-1]], strict=True)
    ]
    # An export of before says nothing new, and one that lies between is named.
    kinds = await store.exported([memory("Thekla lives in Trier.", JUNE)])
    assert kinds["episode"] == {"accepted": 0, "duplicates": 1, "rejected": 0}
    kinds = await store.exported([memory("Thekla lives in Kiel.", JUNE)])
    assert kinds["episode"]["changed"] == 1


async def test_a_memory_that_was_forgotten_here_stays_so(
    store: Store, admin: Principal, tenant: str
) -> None:
    await store.exported([memory("Thekla keeps geese.", MARCH)])
    (held,) = await episodes(admin, tenant)
    answer = await admin.http.post(f"/v1/memories/{held['id']}/forget")
    assert answer.is_success, answer.text
    kinds = await store.exported([memory("Thekla keeps swans.", JUNE)])
    assert kinds["episode"]["changed"] == 1
    assert await episodes(admin, tenant) == []


async def test_what_says_no_later_moment_is_named_and_stays(
    store: Store, admin: Principal, tenant: str
) -> None:
    await store.exported([memory("Thekla keeps geese."), memory("Thekla rows.", id="o")])
    kinds = await store.exported([memory("Thekla rows.", id="o"), memory("Thekla keeps hens.")])
    assert kinds == {"episode": {"accepted": 0, "duplicates": 1, "rejected": 0, "changed": 1}}
    assert [(r["file"], r["line"], r["reason"]) for r in store.rejects] == [
        ("export.json", 2, "Changed")
    ]
    assert "hens" not in str(store.rejects)
    held = [one["untrusted"]["content"] for one in await episodes(admin, tenant)]
    assert sorted(held) == ["Thekla keeps geese.", "Thekla rows."]


async def test_an_edge_that_ended_since_ends(store: Store, admin: Principal, tenant: str) -> None:
    async def told(**at: str) -> bool:
        asked = {"scope": f"{tenant}/dev", **at}
        answer = await admin.http.get("/v1/notes", params=asked)
        assert answer.status_code == 200, answer.text
        return bool(answer.json()["items"])

    await store.exported({"edges": [edge(), edge(uuid="g", fact="Thekla owns a boat.")]})
    ended = edge(invalid_at=JUNE, expired_at=SEPTEMBER)
    kinds = await store.exported({"edges": [ended]})
    assert kinds == {"note": {"accepted": 0, "duplicates": 0, "rejected": 0, "updated": 1}}
    found = (await admin.http.get("/v1/notes", params={"scope": f"{tenant}/dev"})).json()["items"]
    assert [one["untrusted"]["content"] for one in found] == ["Thekla owns a boat."]
    assert await told(as_of="2025-05-01T00:00:00Z")
    assert await told(as_of="2025-07-01T00:00:00Z", known_at="2025-08-01T00:00:00Z")


async def test_since_when_an_end_is_known_is_now_where_no_export_says_it(
    store: Store, admin: Principal, tenant: str
) -> None:
    await store.exported({"edges": [edge()]})
    await store.exported({"edges": [edge(invalid_at=SEPTEMBER)]})
    asked = {"scope": f"{tenant}/dev", "as_of": "2025-10-01T00:00:00Z"}
    assert not (await admin.http.get("/v1/notes", params=asked)).json()["items"]
    before = {**asked, "known_at": "2025-11-01T00:00:00Z"}
    assert (await admin.http.get("/v1/notes", params=before)).json()["items"]


async def test_a_summary_that_was_written_anew_has_its_former_text_as_a_version(
    store: Store, admin: Principal, tenant: str, opened: Parts
) -> None:
    await store.exported({"nodes": [entity("Thekla Ohm rents a boathouse.")]})
    kinds = await store.exported({"nodes": [entity("Thekla Ohm owns the boathouse.")]})
    assert kinds["note"]["updated"] == 1
    asked = {"scope": f"{tenant}/dev"}
    (note,) = (await admin.http.get("/v1/notes", params=asked)).json()["items"]
    assert note["untrusted"]["content"] == "Thekla Ohm owns the boathouse."
    versions = (await admin.http.get(f"/v1/notes/{note['id']}/versions")).json()
    assert "rents a boathouse" in json.dumps(versions)
    # An export of before says nothing new.
    kinds = await store.exported({"nodes": [entity("Thekla Ohm rents a boathouse.")]})
    assert kinds["note"] == {"accepted": 0, "duplicates": 1, "rejected": 0}
    assert await broken(opened.graph, tenant) == []


async def test_a_note_that_was_forgotten_here_stays_so(
    store: Store, admin: Principal, tenant: str
) -> None:
    await store.exported({"nodes": [entity("Thekla Ohm rents a boathouse.")]})
    (note,) = (await admin.http.get("/v1/notes", params={"scope": f"{tenant}/dev"})).json()["items"]
    assert (await admin.http.delete(f"/v1/notes/{note['id']}")).is_success
    kinds = await store.exported({"nodes": [entity("Thekla Ohm owns the boathouse.")]})
    assert kinds["note"]["changed"] == 1
    assert not (await admin.http.get("/v1/notes", params={"scope": f"{tenant}/dev"})).json()[
        "items"
    ]


async def test_what_somebody_wrote_here_stays(store: Store, admin: Principal, tenant: str) -> None:
    await store.exported({"nodes": [entity("Thekla Ohm rents a boathouse.")]})
    (note,) = (await admin.http.get("/v1/notes", params={"scope": f"{tenant}/dev"})).json()["items"]
    own = {"content": "Thekla Ohm rents the red boathouse."}
    assert (await admin.http.patch(f"/v1/notes/{note['id']}", json=own)).is_success
    kinds = await store.exported({"nodes": [entity("Thekla Ohm owns the boathouse.")]})
    assert kinds["note"]["changed"] == 1
    (kept,) = (await admin.http.get("/v1/notes", params={"scope": f"{tenant}/dev"})).json()["items"]
    assert kept["untrusted"]["content"] == own["content"]


async def test_a_bundle_changes_no_note_of_another_scope(
    load: Import, admin: Principal, tenant: str, tmp_path: Path
) -> None:
    """Also where the operator imports it, who keeps ids as they are."""
    said = {"content": "Thekla Ohm keeps the keys."}
    made = await admin.http.post("/v1/notes", json=said)
    assert made.status_code == 201, made.text
    scope = f"{tenant}/dev"
    mark = {"kind": "note", "id": made.json()["id"], "scope": scope, "namespace": "knowledge",
            "valid_from": MARCH, "valid_to": JUNE}  # fmt: skip
    (tmp_path / "a.md").write_text(f"---\ntype: Note\nloci: {json.dumps(mark)}\n---\nNo keys.\n")
    result = await load(tmp_path, target=scope, rejects=tmp_path.with_name("r"))
    assert result["kinds"]["note"] == {"accepted": 0, "duplicates": 1, "rejected": 0}
    note = (await admin.http.get(f"/v1/notes/{made.json()['id']}")).json()
    assert note["untrusted"]["content"] == "Thekla Ohm keeps the keys."
    assert note["valid_to"] is None


def scout(value: str, exported: str, **block: Any) -> dict[str, Any]:
    """An agent file of Letta as it stands after a later export: its things are numbered anew."""
    number = "block-3" if exported > MARCH else "block-0"
    agent = {"id": "agent-0", "name": "scout", "agent_type": "letta_v1_agent", "messages": [],
             "block_ids": [number]}  # fmt: skip
    own = {"id": number, "label": "human", "value": value, **block}
    return {"agents": [agent], "blocks": [own], "created_at": exported}


def former(value: str, at: str, **more: Any) -> dict[str, Any]:
    """A former agent file: one agent, nothing of which has an id."""
    told = {"agent_type": "memgpt_agent", "name": "scout", "created_at": MARCH, **more}
    block = {"label": "human", "value": value, "created_at": MARCH, "updated_at": at}
    said = {"role": "user", "content": [{"type": "text", "text": value}], "created_at": at}
    return {**told, "core_memory": [block], "messages": [said]}


async def held_notes(who: Principal, tenant: str) -> list[str]:
    """The texts of the notes that are held in the workspace dev."""
    answer = await who.http.get("/v1/notes", params={"scope": f"{tenant}/dev"})
    return sorted(item["untrusted"]["content"] for item in answer.json()["items"])


@pytest.mark.parametrize("export", [scout, former])
async def test_a_block_that_changed_has_its_former_text_as_a_version(
    export: Any, store: Store, admin: Principal, tenant: str, opened: Parts
) -> None:
    await store.exported(export("Thekla rents a boathouse.", MARCH))
    kinds = await store.exported(export("Thekla owns the boathouse.", SEPTEMBER))
    assert kinds["note"] == {"accepted": 0, "duplicates": 0, "rejected": 0, "updated": 1}
    assert await held_notes(admin, tenant) == ["Thekla owns the boathouse."]
    asked = {"scope": f"{tenant}/dev"}
    (note,) = (await admin.http.get("/v1/notes", params=asked)).json()["items"]
    versions = (await admin.http.get(f"/v1/notes/{note['id']}/versions")).json()
    assert "rents a boathouse" in json.dumps(versions)
    # What an export of before says is here as a version; one that lies between is named.
    kinds = await store.exported(export("Thekla rents a boathouse.", MARCH))
    assert kinds["note"] == {"accepted": 0, "duplicates": 1, "rejected": 0}
    kinds = await store.exported(export("Thekla looks for a boathouse.", JUNE))
    assert kinds["note"]["changed"] == 1
    assert await held_notes(admin, tenant) == ["Thekla owns the boathouse."]
    assert await broken(opened.graph, tenant) == []


@pytest.mark.parametrize("export", [scout, former])
async def test_the_later_one_of_two_exports_holds_in_either_order(
    export: Any, store: Store, admin: Principal, tenant: str
) -> None:
    await store.exported(export("Thekla owns the boathouse.", SEPTEMBER))
    kinds = await store.exported(export("Thekla rents a boathouse.", MARCH))
    assert kinds["note"]["changed"] == 1
    assert await held_notes(admin, tenant) == ["Thekla owns the boathouse."]


async def test_blocks_of_one_label_are_those_of_their_agents(
    store: Store, admin: Principal, tenant: str
) -> None:
    first, second = scout("Thekla owns a boathouse.", MARCH), scout("Ruprecht bakes.", MARCH)
    second["agents"][0]["name"] = "rover"
    for export in (first, second):
        assert (await store.exported(export))["note"]["accepted"] == 1
    assert await held_notes(admin, tenant) == ["Ruprecht bakes.", "Thekla owns a boathouse."]


@pytest.mark.parametrize("other", [{"name": "rover"}, {"created_at": JUNE}, {"name": None}])
async def test_two_former_agents_share_no_conversation(
    other: dict[str, Any], store: Store, admin: Principal, tenant: str
) -> None:
    await store.exported(former("Thekla owns the boathouse.", MARCH))
    kinds = await store.exported(former("Ruprecht bakes.", MARCH, **other))
    assert [tally["accepted"] for tally in kinds.values()] == [1, 1]
    assert len({one["session_id"] for one in await episodes(admin, tenant)}) == 2


TALK = ["Where is the boathouse?", "By the weir.", "Who has its key?", "Thekla has it.", "Thanks."]


def talk(*texts: str, told: str = "Be brief.", **more: Any) -> dict[str, Any]:
    """A conversation of OpenAI's messages without an id."""
    turns = [
        {"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)
    ]
    return {"messages": [{"role": "system", "content": told}, *turns], **more}


@pytest.mark.parametrize("alone", [True, False])
async def test_a_conversation_that_went_on_brings_its_new_messages(
    alone: bool, store: Store, admin: Principal, tenant: str
) -> None:
    """As the whole of a file, and as one of several."""

    def export(*talks: dict[str, Any]) -> Any:
        return talks[0] if alone else list(talks)

    other = talk(TALK[0], "It burnt down.")
    first = await store.exported(export(talk(*TALK[:3]), other))
    before = 3 if alone else 5
    assert first["episode"]["accepted"] == before
    kinds = await store.exported(export(talk(*TALK, told="Be kind."), other))
    assert kinds["episode"] == {"accepted": 2, "duplicates": before, "rejected": 0}
    held = await episodes(admin, tenant)
    by_talk: dict[str, list[str]] = {}
    for one in held:
        by_talk.setdefault(one["session_id"], []).append(one["untrusted"]["content"])
    assert TALK in by_talk.values()
    assert len(by_talk) == (1 if alone else 2)


async def test_a_conversation_that_is_imported_again_as_it_was_brings_nothing(
    store: Store, admin: Principal, tenant: str
) -> None:
    await store.exported([talk(*TALK)])
    kinds = await store.exported([talk(*TALK[:3])])
    assert kinds["episode"] == {"accepted": 0, "duplicates": 3, "rejected": 0}
    assert len(await episodes(admin, tenant)) == 5


async def test_a_concept_that_changed_is_named_and_stays(
    load: Import, admin: Principal, tenant: str, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(EXPORTS / "okf-plain", tmp_path / "okf"))
    await load(folder, target=f"{tenant}/dev")
    page = folder / "people" / "wilma.md"
    page.write_text(page.read_text() + "She rows.\n")
    result = await load(folder, target=f"{tenant}/dev", rejects=tmp_path / "r")
    assert result["kinds"]["page"] == {"accepted": 0, "duplicates": 0, "rejected": 0, "changed": 1}
    assert [r["file"] for r in rejected(result)] == ["people/wilma.md"]


async def test_what_has_lapsed_is_not_recalled(
    store: Store, admin: Principal, tenant: str, opened: Parts
) -> None:
    past, ahead = memory("The ladder of Thekla is lent.", expiration_date="2025-04-01"), {
        **memory("The oars of Thekla are lent.", expiration_date="2999-04-01"), "id": "o",
    }  # fmt: skip
    await store.exported([past, ahead])
    asked = {"query": "lent Thekla ladder oars", "mode": "keyword"}
    hits = (await admin.http.post("/v1/search", json=asked)).json()["hits"]
    assert [hit["untrusted"]["text"] for hit in hits] == ["The oars of Thekla are lent."]
    assert await broken(opened.graph, tenant) == []


async def test_users_have_their_own_leaves(store: Store, admin: Principal, tenant: str) -> None:
    both = [
        memory("Likes rye.", user_id="thekla"),
        memory("Likes oats.", user_id="ruprecht", id="o"),
    ]
    await store.exported(both)
    with console.capture() as shown:
        _show_import(store.result)
    assert "2 users come into one scope" in " ".join(shown.get().split())
    kinds = await store.exported(both, users=True)
    assert kinds["episode"]["accepted"] == 2  # ids follow the leaf: what came before is another
    with console.capture() as shown:
        _show_import(store.result)
    assert "users" not in shown.get()
    assert "no user" not in shown.get()
    await store.exported([*both, memory("Likes tea.", id="t")], users=True)
    with console.capture() as shown:
        _show_import(store.result)
    assert "1 item names no user: all readers of the scope see" in shown.get()
    for user, said in (("thekla", "Likes rye."), ("ruprecht", "Likes oats.")):
        asked = {"scope": f"{tenant}/dev/user:{user}"}
        (own,) = (await admin.http.get("/v1/episodes", params=asked)).json()["items"]
        assert own["untrusted"]["content"] == said


async def test_what_changed_is_shown_by_the_command(store: Store, opened: Parts) -> None:
    await store.exported([memory("Thekla keeps geese.")])
    await store.exported([memory("Thekla keeps hens.")])
    with console.capture() as shown:
        _show_import(store.result)
        _show_rehearsal(await rehearse(store_of(opened), Order(store.path, store.target)))
    assert shown.get().count("1 say something else than what is here") == 2


@pytest.mark.parametrize(("one", "other"), PAIRS)
async def test_two_files_into_one_scope_lose_nothing(
    one: str, other: str, load: Import, count: Count, tenant: str, tmp_path: Path
) -> None:
    wanted: dict[str, int] = {}
    for number, name in enumerate((one, other)):
        result = await load(EXPORTS / name, target=f"{tenant}/dev", rejects=tmp_path / f"{number}")
        assert result["rejects"] is None
        for kind, records in became(EXPORTS / name)[0].items():
            wanted[kind] = wanted.get(kind, 0) + len(records)
            assert result["kinds"][kind]["accepted"] == len(records)
    found = await count(tenant)
    labels = {"episode": "Episode", "note": "Note", "page": "Page"}
    for kind, label in labels.items():
        assert found.get(label, 0) == wanted.get(kind, 0)
