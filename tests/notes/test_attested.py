"""Core blocks that change only as others attest: no order of operations gets around it."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.cli.transfer import store_of
from app.kernel.caller import Role
from app.lifecycle.invariants import broken
from app.notes.attested import Guarding
from app.portability.exporter import digest_of, export_package
from app.portability.service import Order, import_attended, selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal

URL, EDITS = "/v1/core-blocks/identity", "/v1/core-block-edits"


async def told(answer: httpx.Response, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json()


class Board:
    """Three curators over one block."""

    def __init__(self, scope: str, curators: list[Principal]) -> None:
        self.scope, self.curators = scope, curators
        self.one, self.two, self.three = curators

    async def put(self, text: str, by: Principal | None = None, status: int = 200) -> Any:
        body = {"content": text, "scope": self.scope}
        return await told(await (by or self.one).http.put(URL, json=body), status)

    async def protect(self, by: Principal | None = None, status: int = 200, **how: Any) -> Any:
        body = {"scope": self.scope, **how}
        answer = await (by or self.one).http.put(f"{URL}/protection", json=body)
        return await told(answer, status)

    async def propose(self, by: Principal | None = None, status: int = 201, **what: Any) -> Any:
        body = {"scope": self.scope, **what}
        return await told(await (by or self.one).http.post(f"{URL}/edits", json=body), status)

    async def attest(self, by: Principal, edit: Any, status: int = 200, **other: str) -> Any:
        body = {"old_hash": edit["old_hash"], "new_hash": edit["new_hash"], **other}
        answer = await by.http.post(f"{EDITS}/{edit['id']}/attest", json=body)
        return await told(answer, status)

    async def text(self) -> tuple[str, int]:
        block = await told(await self.one.http.get(URL, params={"scope": self.scope}))
        return block["untrusted"]["content"], block["version"]


@pytest.fixture
async def board(principal: MakePrincipal, tenant: str) -> Board:
    scope = f"{tenant}/dev"
    names = ("ida-kuhn", "odo-kuhn", "uta-kuhn")
    curators = [await principal(scope, role=Role.CURATOR, name=name) for name in names]
    made = Board(scope, curators)
    await made.put("You are a careful archivist.")
    return made


async def test_a_change_needs_another_who_attests_both_hashes(board: Board) -> None:
    held = await board.protect()
    assert held["hash"] == Guarding().hash_of("You are a careful archivist.")
    assert "protected" in (await board.put("You are root.", status=409))["detail"]
    edit = await board.propose(content="You are a careful librarian.")
    assert (edit["state"], edit["old_hash"]) == ("open", held["hash"])
    await board.attest(board.one, edit, status=403)
    for name in ("old_hash", "new_hash"):
        refused = await board.attest(board.two, edit, status=422, **{name: "0" * 64})
        assert refused["errors"][0]["field"] == name
    assert await board.text() == ("You are a careful archivist.", 1)
    done = await board.attest(board.two, edit)
    assert done["state"] == "applied"
    assert [one["by"] for one in done["attestations"]] == [board.two.caller.principal]
    assert await board.text() == ("You are a careful librarian.", 2)
    assert await board.attest(board.two, edit) == done, "told again, it changes nothing"
    await board.attest(board.three, edit, status=409)
    assert await board.text() == ("You are a careful librarian.", 2)


async def test_a_quorum_is_of_distinct_attesters_who_are_named(board: Board) -> None:
    named = [one.caller.principal for one in (board.two, board.three)]
    await board.protect(quorum=3, attesters=named, status=422)
    await board.protect(quorum=2, attesters=named)
    edit = await board.propose(by=board.one, content="You are brief.")
    for _ in range(2):
        assert (await board.attest(board.two, edit))["state"] == "open"
    assert (await board.attest(board.three, edit))["state"] == "applied"
    mine = await board.propose(by=board.two, content="You are loud.")
    await board.attest(board.one, mine, status=403)
    assert (await board.attest(board.three, mine))["state"] == "open"
    assert (await board.text())[0] == "You are brief."


async def test_the_protection_changes_as_the_block_does(board: Board) -> None:
    await board.protect(quorum=1)
    await board.protect(quorum=1, status=409)
    more = await board.propose(quorum=2)
    late = await board.propose(content="You are late.")
    await board.attest(board.two, more)
    assert "changed since" in (await board.attest(board.two, late, status=409))["detail"]
    free = await board.propose(release=True)
    assert (await board.attest(board.two, free))["state"] == "open"
    await board.put("Not yet.", status=409)
    assert (await board.attest(board.three, free))["state"] == "applied"
    await board.put("You are free.")
    await board.propose(content="x", status=409)
    assert (await board.text())[0] == "You are free."


async def test_withdrawn_unknown_and_unseen_edits(
    board: Board, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    await board.protect()
    edit = await board.propose(content="You are two.")
    await board.propose(status=422)
    assert (await board.propose(content="x" * 4001, status=413))["errors"][0]["field"] == "content"
    await board.attest(writer, edit, status=403)
    stranger = await principal(f"{tenant}x/dev", role=Role.ADMIN, name="eva-kuhn")
    await board.attest(stranger, edit, status=404)
    await told(await board.two.http.post(f"{EDITS}/{edit['id']}/withdraw"), 403)
    await told(await board.one.http.post(f"{EDITS}/{edit['id']}/withdraw"))
    await board.attest(board.two, edit, status=409)
    await told(await board.one.http.get(f"{EDITS}/none"), 404)
    answer = await board.one.http.get(f"{URL}/edits", params={"scope": board.scope})
    assert [one["state"] for one in answer.json()["items"]] == ["withdrawn"]
    assert await board.text() == ("You are a careful archivist.", 1)


async def test_two_edits_attested_at_once_change_it_once(board: Board) -> None:
    await board.protect()
    edits = [await board.propose(content=f"You are number {n}.") for n in range(2)]
    answers = await asyncio.gather(
        *(
            board.two.http.post(
                f"{EDITS}/{one['id']}/attest",
                json={"old_hash": one["old_hash"], "new_hash": one["new_hash"]},
            )
            for one in edits
        )
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    assert (await board.text())[1] == 2


async def test_no_order_of_operations_changes_a_block_without_attestation(board: Board) -> None:
    """Random operations against a model that knows only quorum, attesters and hashes."""
    dice, text, quorum = random.Random(93), "You are a careful archivist.", 2
    await board.protect(quorum=quorum)
    edits: list[dict[str, Any]] = []
    votes: dict[str, set[str]] = {}
    for number in range(40):
        who = dice.choice(board.curators)
        deed = dice.choice(["put", "protect", "propose", "attest", "attest", "attest", "forge"])
        if deed == "put":
            await board.put(f"Text {number}.", by=who, status=409)
        elif deed == "protect":
            await board.protect(by=who, status=409, quorum=1)
        elif deed == "propose":
            edit = await board.propose(by=who, content=f"Text {number}.")
            edits.append(edit | {"text": f"Text {number}."})
            votes[edit["id"]] = set()
        elif edits:
            edit = dice.choice(edits[-3:])
            body = {"old_hash": edit["old_hash"], "new_hash": edit["new_hash"]}
            if deed == "forge":
                body["new_hash"] = "f" * 64
            await who.http.post(f"{EDITS}/{edit['id']}/attest", json=body)
            valid = deed == "attest" and who.caller.principal != edit["proposed_by"]
            current = edit["old_hash"] == Guarding(quorum=quorum).hash_of(text)
            if valid and current:
                votes[edit["id"]].add(who.caller.principal)
                if len(votes[edit["id"]]) == quorum:
                    text = edit["text"]
        assert (await board.text())[0] == text, (number, deed)
    assert text != "You are a careful archivist.", "some edit went through"


async def test_protection_travels_and_goes_with_its_block(
    board: Board, opened: Parts, admin: Principal, tenant: str, tmp_path: Path
) -> None:
    await board.protect(quorum=2)
    edit = await board.propose(content="You are elsewhere.")
    await board.attest(board.two, edit)
    chosen = await selection(opened.graph, tenant)
    before = await digest_of(opened.graph, chosen)
    await export_package(opened.graph, tmp_path / "out", chosen)
    await opened.graph.raw(
        "MATCH (n:Declared) WHERE n.scope = $scope DETACH DELETE n RETURN count(*) AS n",
        scope=board.scope,
    )

    async def untold(*_: Any) -> None:
        """Tells nobody."""

    await import_attended(store_of(opened), Order(tmp_path / "out"), untold)
    assert (await digest_of(opened.graph, chosen))["digest"] == before["digest"]
    assert (await board.attest(board.three, edit))["state"] == "applied"
    await admin.http.put("/v1/scopes/rules", params={"scope": tenant}, json={"erasure": True})
    who = board.one.caller.principal
    answer = await admin.http.post("/v1/erasures", json={"author": who, "scope": board.scope})
    assert answer.status_code in (200, 202), answer.text
    if answer.json()["job"]:
        assert await opened.runner.run(opened, answer.json()["job"]) == "done"
    where = {"scope": board.scope}
    assert (await admin.http.get(f"{URL}/protection", params=where)).status_code == 404
    assert (await admin.http.get(URL, params=where)).status_code == 404
    assert await broken(opened.graph, tenant) == []
