"""Snapshots: taken, proved, restored as a whole, in any order of what happens around them."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from app.kernel.graph import Tx
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.contexts.conftest import URL, Make, add, held, listed, posted, refused, update

MARKS = ("content", "key", "tags", "task_id", "run_id")
KEPT = (
    *("entry_type", "memory_type", "importance", "confidence"),
    *("decay_rate", "failed", "integrity"),
)


async def told(who: Principal, context: str) -> dict[str, Any]:
    """What a snapshot keeps of the entries in use, by key."""
    return {
        each["untrusted"]["key"]: (
            {name: each["untrusted"][name] for name in MARKS},
            {name: each[name] for name in KEPT},
        )
        for each in await listed(who, context)
    }


async def take(who: Principal, context: str, **body: Any) -> dict[str, Any]:
    return await posted(who, f"{URL}/{context}/snapshots", body, 201)


async def restore(who: Principal, context: str, snapshot: str) -> dict[str, Any]:
    return await posted(who, f"{URL}/{context}/snapshots/{snapshot}/restore")


async def test_a_snapshot_brings_back_every_field(writer: Principal, make: Make) -> None:
    context = await make("s")
    await add(writer, context, "plain", "x")
    rich = await add(
        writer, context, "rich", {"b": [1, None], "a": {"ä": True}}, entry_type="plan",
        memory_type="experiential", tags=["t"], importance=0.33, task_id="t", failed=True,
    )  # fmt: skip
    await posted(writer, f"{URL}/{context}/entries/{rich['id']}/seal")
    changed = await add(writer, context, "changed", 1)
    before = await told(writer, context)
    made = await take(writer, context, name="Before the move")
    assert (made["entries"], made["untrusted"]) == (3, {"name": "Before the move"})
    assert len(made["sha256"]) == 64
    await update(writer, context, changed["id"], 2)
    await posted(writer, f"{URL}/{context}/entries/{rich['id']}/boost")
    await writer.http.delete(f"{URL}/{context}/entries/{rich['id']}")
    await add(writer, context, "new", "y")
    done = await restore(writer, context, made["id"])
    assert done == {"created": 1, "updated": 1, "kept": 1, "archived": 1, "erased": 0}
    assert await told(writer, context) == before
    again = await restore(writer, context, made["id"])
    assert again == {"created": 0, "updated": 0, "kept": 3, "archived": 0, "erased": 0}
    (back,) = await listed(writer, context, key="changed")
    assert (back["id"], back["version"]) == (changed["id"], 3), "what stood there is a version"
    archived = await listed(writer, context, status="archived")
    assert sorted(e["reason"] for e in archived) == ["removed", "restored"]


async def test_snapshots_are_listed_deleted_and_bounded(
    opened: Parts, writer: Principal, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = await make("s")
    await add(writer, context, "k", "v")
    ids = [(await take(writer, context))["id"] for _ in range(3)]
    path = f"{URL}/{context}/snapshots"
    assert [s["id"] for s in (await writer.http.get(path)).json()["items"]] == ids
    bound = opened.contexts.limits
    monkeypatch.setattr(opened.contexts, "limits", type(bound)(**{
        name: getattr(bound, name) for name in bound.__dataclass_fields__
    } | {"snapshots": 3}))  # fmt: skip
    assert (await refused(writer, "POST", path, json={}))[0] == 409
    assert (await writer.http.delete(f"{path}/{ids[0]}")).status_code == 204
    assert (await refused(writer, "DELETE", f"{path}/{ids[0]}"))[0] == 404
    await take(writer, context)
    left = await opened.graph.raw(
        "MATCH (p:ContextSnapshotEntry {snapshot_id: $id}) RETURN count(p) AS n", id=ids[0]
    )
    assert left == [{"n": 0}]
    assert await held(writer, context) == {"k": "v"}


@pytest.mark.parametrize(
    "forge",
    [
        "MATCH (p:ContextSnapshotEntry {snapshot_id: $id, place: 0}) "
        "SET p.texts = replace(p.texts, 'gold', 'lead')",
        "MATCH (p:ContextSnapshotEntry {snapshot_id: $id, place: 0}) "
        "SET p.rest = replace(p.rest, '0.25', '1.0')",
        "MATCH (p:ContextSnapshotEntry {snapshot_id: $id, place: 1}) DETACH DELETE p",
        "MATCH (p:ContextSnapshotEntry {snapshot_id: $id, place: 0}) SET p.sha256 = $sha",
        "MATCH (s:ContextSnapshot {id: $id}) SET s.sha256 = $sha",
        "MATCH (p:ContextSnapshotEntry {snapshot_id: $id, place: 0}) "
        "SET p.nonce = '0123456789abcdef0123456789abcdef'",
    ],
)
async def test_a_wrong_hash_is_refused_and_changes_nothing(
    opened: Parts, writer: Principal, make: Make, forge: str
) -> None:
    context = await make("s")
    made = await add(writer, context, "k", "gold", importance=0.25)
    await add(writer, context, "l", "more")
    taken = (await take(writer, context))["id"]
    await update(writer, context, made["id"], "silver")
    given = {"id": taken, "sha": "1" * 64}
    await opened.graph.raw(forge, **{name: given[name] for name in given if f"${name}" in forge})
    before = await listed(writer, context)
    path = f"{URL}/{context}/snapshots/{taken}/restore"
    assert await refused(writer, "POST", path, json={}) == (409, "snapshot")
    assert await listed(writer, context) == before


async def test_who_manages_takes_and_restores(
    writer: Principal, principal: MakePrincipal, tenant: str, make: Make
) -> None:
    guest = await principal(f"{tenant}/dev", name="guest")
    context = await make("s", type="shared_context")
    await add(guest, context, "k", 1)
    path = f"{URL}/{context}/snapshots"
    assert (await refused(guest, "POST", path, json={}))[0] == 403
    taken = (await take(writer, context))["id"]
    assert (await refused(guest, "POST", f"{path}/{taken}/restore", json={}))[0] == 403
    assert (await refused(guest, "DELETE", f"{path}/{taken}"))[0] == 403
    await posted(writer, f"{URL}/{context}/grants", {"agent": "guest", "level": "admin"})
    assert (await restore(guest, context, taken))["kept"] == 1


async def test_a_restoration_that_dies_anywhere_is_nothing(
    opened: Parts, writer: Principal, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each statement of the transaction in turn, the process goes away."""
    context = await make("s")
    kept = [await add(writer, context, f"k{n}", n) for n in range(4)]
    taken = (await take(writer, context))["id"]
    await update(writer, context, kept[0]["id"], "changed")
    await writer.http.delete(f"{URL}/{context}/entries/{kept[1]['id']}")
    await add(writer, context, "extra", "x")
    before = await told(writer, context)

    class GoneError(Exception):
        """The end of the process."""

    plain = Tx.rows
    for dies_at in range(1, 40):
        done = 0

        async def rows(self: Tx, query: Any, /, **params: Any) -> Any:
            nonlocal done
            done += 1
            found = await plain(self, query, **params)
            if done == dies_at:  # noqa: B023
                raise GoneError
            return found

        with monkeypatch.context() as patch:
            patch.setattr(Tx, "rows", rows)
            try:
                await opened.context_snapshots.restore(writer.caller, context, taken)
            except GoneError:
                pass
            else:
                break
        assert await told(writer, context) == before, f"died after statement {dies_at}"
    assert dies_at > 8
    assert await held(writer, context) == {f"k{n}": n for n in range(4)}


@pytest.mark.parametrize("seed", range(3))
async def test_any_order_is_what_a_plain_model_says(
    writer: Principal, make: Make, seed: int
) -> None:
    dice = random.Random(seed)  # order, not secrets
    context = await make("any")
    model: dict[str, Any] = {}
    taken: list[tuple[str, dict[str, Any]]] = []
    keys = ["a", "b", "c", "d"]
    for number in range(40):
        key = dice.choice(keys)
        act = dice.choice(["add", "add", "update", "remove", "take", "restore", "restore"])
        present = {e["untrusted"]["key"]: e["id"] for e in await listed(writer, context)}
        assert present.keys() == model.keys()
        if act == "add":
            answer = await writer.http.post(
                f"{URL}/{context}/entries", json={"key": key, "content": number}
            )
            assert answer.status_code == (409 if key in model else 201)
            model.setdefault(key, number)
        elif act == "update" and key in model:
            model[key] = dice.choice([number, model[key]])
            await update(writer, context, present[key], model[key])
        elif act == "remove" and key in model:
            del model[key]
            answer = await writer.http.delete(f"{URL}/{context}/entries/{present[key]}")
            assert answer.status_code == 200
        elif act == "take" and len(taken) < 10:
            made = await take(writer, context)
            assert made["entries"] == len(model)
            taken.append((made["id"], dict(model)))
        elif act == "restore" and taken:
            one, then = dice.choice(taken)
            done = await restore(writer, context, one)
            assert done["archived"] == len(model.keys() - then.keys())
            assert done["created"] == len(then.keys() - model.keys())
            model = dict(then)
        assert await held(writer, context) == model


async def test_restorations_and_writers_at_once_leave_one_state(
    writer: Principal, make: Make
) -> None:
    context = await make("busy")
    for n in range(3):
        await add(writer, context, f"k{n}", n)
    taken = (await take(writer, context))["id"]
    path = f"{URL}/{context}"
    jobs = [writer.http.post(f"{path}/snapshots/{taken}/restore", json={}) for _ in range(3)]
    jobs += [
        writer.http.post(f"{path}/entries", json={"key": f"n{n}", "content": n}) for n in range(4)
    ]
    codes = {answer.status_code for answer in await asyncio.gather(*jobs)}
    assert codes == {200, 201}
    found = await held(writer, context)
    assert {f"k{n}": n for n in range(3)}.items() <= found.items()
    await restore(writer, context, taken)
    assert await held(writer, context) == {f"k{n}": n for n in range(3)}
