"""The very moment at which something begins or ends, on every read of notes and entities.

Intervals are half open: what begins at a moment is there at it, what ends at it is not.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest_asyncio

from app.wiring import Parts
from tests.conftest import Principal
from tests.search.test_holding import remember, write_note
from tests.search.test_service import MODES, ids, search

Drain = Callable[[], Awaitable[int]]
Moments = dict[str, datetime]
TICK = timedelta(microseconds=1)
JANUARY = datetime(2026, 1, 1, tzinfo=UTC)
MAY = datetime(2026, 5, 1, tzinfo=UTC)


def told(moments: Moments) -> dict[str, str]:
    return {name: moment.isoformat() for name, moment in moments.items()}


async def stored(opened: Parts, identifier: str) -> dict[str, Any]:
    (row,) = await opened.graph.raw("MATCH (n:Memory {id: $id}) RETURN n {.*} AS n", id=identifier)
    node: dict[str, Any] = row["n"]
    return node


@pytest_asyncio.fixture(loop_scope="session")
async def notes(writer: Principal, drain: Drain) -> tuple[str, str]:
    """A note that held from January to May, and the one that ended it."""
    old = await write_note(
        writer, "The wombat feeder is active.", valid_from=JANUARY.isoformat(), source="user"
    )
    await drain()
    new = await write_note(
        writer, "The wombat feeder is not active.", valid_from=MAY.isoformat(), source="user"
    )
    await drain()
    return old, new


async def notes_at(writer: Principal, moments: Moments) -> set[frozenset[str]]:
    """What each read shows: the list, each note by its id, and search in every mode."""
    listed = (await writer.http.get("/v1/notes", params=told(moments))).json()["items"]
    shown = {frozenset(note["id"] for note in listed)}
    every = [note["id"] for note in (await writer.http.get("/v1/notes")).json()["items"]]
    every += (await writer.http.get(f"/v1/notes/{every[0]}")).json()["supersedes"]
    one = [await writer.http.get(f"/v1/notes/{note}", params=told(moments)) for note in every]
    assert {answer.status_code for answer in one} <= {200, 404}
    shown.add(frozenset(answer.json()["id"] for answer in one if answer.is_success))
    for mode in MODES:
        found = await search(writer, "wombat feeder", mode=mode, kinds=["note"], **told(moments))
        shown.add(frozenset(ids(found)))
    return shown


async def test_a_note_begins_and_ends_at_its_moments(
    opened: Parts, writer: Principal, notes: tuple[str, str]
) -> None:
    old, new = notes
    before, after = await stored(opened, old), await stored(opened, new)
    ended, learnt = before["superseded_at"], after["ingested_at"]
    for moments, expected in (
        ({"as_of": JANUARY - TICK}, set()),
        ({"as_of": JANUARY}, {old}),
        ({"as_of": MAY - TICK}, {old}),
        ({"as_of": MAY}, {new}),
        ({"known_at": before["ingested_at"] - TICK}, set()),
        ({"known_at": before["ingested_at"]}, {old}),
        ({"known_at": min(ended, learnt) - TICK}, {old}),
        ({"known_at": max(ended, learnt)}, {new}),
    ):
        assert await notes_at(writer, moments) == {frozenset(expected)}, moments
    assert ended == learnt  # no moment at which both hold, or neither


async def entity_reads(
    writer: Principal, entity: str, other: str, moments: Moments
) -> dict[str, bool]:
    """Whether each read shows the entity and what it is related to."""
    known = told({k: v for k, v in moments.items() if k == "known_at"})
    one = await writer.http.get(f"/v1/entities/{entity}", params=known)
    by_name = await writer.http.get("/v1/entities", params={"name": "Ilse Harmsen", **known})
    near = await writer.http.get(f"/v1/entities/{entity}/neighbours", params=told(moments))
    facts = await writer.http.get("/v1/facts", params={"subject": entity, **told(moments)})
    edges = near.json().get("edges", [])
    return {
        "one": one.status_code == 200,
        "list": entity in {item["id"] for item in by_name.json()["items"]},
        "related": any(
            edge["kind"] == "RELATES_TO" and other in (edge["source"], edge["target"])
            for edge in edges
        ),
        "facts": bool(facts.json().get("items")),
    }


async def test_an_entity_and_its_relations_begin_and_end_at_their_moments(
    opened: Parts, writer: Principal
) -> None:
    first = await remember(writer, "Ilse Harmsen", "Bremen", valid_from=JANUARY, valid_to=MAY)
    fact = (await writer.http.get(f"/v1/facts/{first['facts'][0]['id']}")).json()
    entity = fact["subject"]
    town = (await stored(opened, fact["id"]))["object_id"]
    made = (await stored(opened, entity))["ingested_at"]
    (row,) = await opened.graph.raw(
        "MATCH (:Fact {id: $id})-[a:ABOUT]->() RETURN a.recorded_at AS at", id=fact["id"]
    )
    for moments, there, related in (
        ({"as_of": JANUARY - TICK}, True, False),
        ({"as_of": JANUARY}, True, True),
        ({"as_of": MAY - TICK}, True, True),
        ({"as_of": MAY}, True, False),
        ({"as_of": JANUARY, "known_at": min(made, row["at"]) - TICK}, False, False),
        ({"as_of": JANUARY, "known_at": max(made, row["at"])}, True, True),
    ):
        shown = await entity_reads(writer, entity, town, moments)
        wanted = {"one": there, "list": there, "related": related, "facts": related}
        assert shown == wanted, moments


async def test_what_was_taken_back_was_known_until_that_very_moment(
    opened: Parts, writer: Principal
) -> None:
    first = await remember(writer, "Ilse Harmsen", "Bremen", valid_from=JANUARY)
    fact = first["facts"][0]["id"]
    entity = (await writer.http.get(f"/v1/facts/{fact}")).json()["subject"]
    town = (await stored(opened, fact))["object_id"]
    await remember(writer, "Ilse Harmsen", "Kiel", valid_from=MAY)
    rows = await opened.graph.raw(
        "MATCH (:Fact {id: $id})-[a:ABOUT]->() RETURN a.retracted_at AS at ORDER BY at", id=fact
    )
    taken_back = rows[0]["at"]  # the open interval; the one that ends in May came instead
    for moments, related in (
        ({"as_of": MAY, "known_at": taken_back - TICK}, True),
        ({"as_of": MAY, "known_at": taken_back}, False),
        ({"as_of": MAY - TICK, "known_at": taken_back}, True),
    ):
        shown = await entity_reads(writer, entity, town, moments)
        assert shown["related"] is related, moments


async def test_timeline_and_history_change_at_the_very_moments(
    opened: Parts, writer: Principal
) -> None:
    first = await remember(writer, "Ilse Harmsen", "Bremen", valid_from=JANUARY)
    old = first["facts"][0]["id"]
    entity = (await writer.http.get(f"/v1/facts/{old}")).json()["subject"]
    second = await remember(writer, "Ilse Harmsen", "Kiel", valid_from=MAY)
    new = second["facts"][0]["id"]

    was, became = (await writer.http.get(f"/v1/facts/{old}/history")).json()["intervals"]
    began, changed = (datetime.fromisoformat(i["recorded_at"]) for i in (was, became))
    assert was["retracted_at"] == became["recorded_at"], "no moment without either, or with both"
    assert (was["valid_to"], became["retracted_at"]) == (None, None)
    (then,) = (await writer.http.get(f"/v1/facts/{new}/history")).json()["intervals"]
    assert became["valid_to"] == then["valid_from"], "one ends in the world where the other begins"
    assert then["recorded_at"] == became["recorded_at"]

    async def line(known_at: datetime) -> list[tuple[str, str | None]]:
        answer = await writer.http.get(
            f"/v1/entities/{entity}/timeline", params={"known_at": known_at.isoformat()}
        )
        return [(i["fact"], i["interval"]["valid_to"]) for i in answer.json()["items"]]

    assert await line(began - TICK) == []
    assert await line(began) == [(old, None)]
    assert await line(changed - TICK) == [(old, None)]
    assert await line(changed) == [(old, became["valid_to"]), (new, None)]
