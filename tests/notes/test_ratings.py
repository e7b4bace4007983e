"""Ratings: one of each reader, the mean for all, gone with the note and with who gave it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.cli.transfer import store_of
from app.kernel.caller import Role
from app.lifecycle.invariants import broken
from app.portability.exporter import digest_of, export_package
from app.portability.service import Order, import_attended, selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.pools.test_packages import allow, erase


async def write(who: Principal, content: str = "The yard opens at nine.") -> str:
    """Write a note; its id."""
    body = {"content": content, "namespace": "knowledge"}
    answer = await who.http.post("/v1/notes", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def rate(who: Principal, note: str, stars: Any, status: int = 200) -> Any:
    """Rate a note; what the answer says."""
    answer = await who.http.put(f"/v1/notes/{note}/rating", json={"stars": stars})
    assert answer.status_code == status, answer.text
    return answer.json()


async def rating(who: Principal, note: str) -> tuple[int, float | None, int | None]:
    """How a note is rated: count, mean, own."""
    answer = await who.http.get(f"/v1/notes/{note}/rating")
    assert answer.status_code == 200, answer.text
    found = answer.json()
    return found["count"], found["mean"], found["own"]


async def readers(principal: MakePrincipal, tenant: str) -> list[Principal]:
    """Who may read the scope, and no more."""
    return [
        await principal(f"{tenant}/dev", role=Role.READER, name=name, kind="user")
        for name in ("ann", "bob", "eve")
    ]


async def test_readers_rate_once_each_and_see_the_mean(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    note = await write(writer)
    ann, bob, eve = await readers(principal, tenant)
    assert await rating(ann, note) == (0, None, None)
    assert (await rate(ann, note, 5))["mean"] == 5.0
    await rate(bob, note, 2)
    assert await rating(ann, note) == (2, 3.5, 5)
    assert await rating(eve, note) == (2, 3.5, None)
    await asyncio.gather(*(rate(bob, note, 3) for _ in range(4)))
    await rate(eve, note, 3)
    assert await rating(bob, note) == (3, 3.67, 3)


@pytest.mark.parametrize("stars", [0, 6, 2.5, "five", None, True])
async def test_another_number_is_refused_and_changes_nothing(writer: Principal, stars: Any) -> None:
    note = await write(writer)
    refused = await rate(writer, note, stars, 422)
    assert refused["errors"][0]["field"] == "stars"
    assert await rating(writer, note) == (0, None, None)


async def test_a_stranger_neither_rates_nor_sees(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    note = await write(writer)
    stranger = await principal(f"{tenant}/ops", name="stranger")
    absent = await rate(stranger, "01890000-0000-7000-8000-000000000000", 4, 404)
    hidden = await rate(stranger, note, 4, 404)
    assert hidden["code"] == absent["code"]
    assert (await stranger.http.get(f"/v1/notes/{note}/rating")).status_code == 404
    assert await rating(writer, note) == (0, None, None)


async def test_a_rating_goes_with_its_note_and_with_who_gave_it(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    await allow(admin, tenant)
    kept, gone = await write(writer), await write(writer, "The kiln is hot.")
    ann, bob, _ = await readers(principal, tenant)
    for note in (kept, gone):
        await rate(ann, note, 5)
        await rate(bob, note, 1)
    await erase(opened, admin, memory=gone)
    left = await opened.graph.raw(
        "MATCH (r:NoteRating) WHERE r.scope = $s RETURN r.note AS note", s=f"{tenant}/dev"
    )
    assert {row["note"] for row in left} == {kept}
    await erase(opened, admin, author=ann.caller.principal, scope=f"{tenant}/dev")
    assert await rating(bob, kept) == (1, 1.0, 1)
    assert await broken(opened.graph, tenant) == []


async def test_a_package_brings_ratings_back(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, tmp_path: Any
) -> None:
    note = await write(writer)
    ann, bob, _ = await readers(principal, tenant)
    await rate(ann, note, 5)
    await rate(bob, note, 2)
    chosen = await selection(opened.graph, tenant)
    before = await digest_of(opened.graph, chosen)
    await export_package(opened.graph, tmp_path / "out", chosen)
    await opened.graph.raw(
        "MATCH (n) WHERE n.scope = $scope AND (n:Note OR n:Declared) DETACH DELETE n "
        "RETURN count(*) AS n",
        scope=f"{tenant}/dev",
    )

    async def untold(*_: Any) -> None:
        """Tells nobody."""

    await import_attended(store_of(opened), Order(tmp_path / "out"), untold)
    assert (await digest_of(opened.graph, chosen))["digest"] == before["digest"]
    assert await rating(ann, note) == (2, 3.5, 5)
