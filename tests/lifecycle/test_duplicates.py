"""What is said twice is proposed, by words and not by vectors alone, and nothing is merged."""

from __future__ import annotations

from typing import Any

import pytest

from app.embeddings.calibration import AS_IT_IS, calibration
from app.entities.digest import scope_digest
from app.jobs.model import Job
from app.kernel.clock import now
from app.kernel.ids import new_id
from app.lifecycle.duplicates import doubles
from app.lifecycle.tasks import propose_duplicates
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Switch

UPKEEP = Job("j", "t", "_system", "_system", "running", {}, 1, now(), now())


async def nothing(progress: dict[str, Any]) -> None: ...


def row(left: str, right: str, cosine: float) -> dict[str, Any]:
    close = {"id": "b", "text": right, "language": "en", "cosine": cosine}
    return {"id": "a", "text": left, "language": "en", "close": [close]}


@pytest.mark.parametrize(
    ("left", "right", "cosine", "proposed"),
    [
        ("The depot is in Kiel.", "The depot is in Kiel, near the harbour.", 0.95, True),
        ("The depot is in Kiel.", "The depot is in Kiel, near the harbour.", 0.91, False),
        ("The depot is in Kiel.", "The depot is not in Kiel.", 0.99, False),
        ("The rent is 400 euros.", "The rent is 500 euros.", 0.99, False),
        ("Heron uses Rust.", "Heron uses Kafka.", 0.99, False),
    ],
)
def test_alike_is_not_enough(left: str, right: str, cosine: float, proposed: bool) -> None:
    assert bool(doubles("note", [row(left, right, cosine)], AS_IT_IS)) is proposed


def test_a_cosine_counts_by_what_it_means_to_its_model() -> None:
    rows = [row("The depot is in Kiel.", "The depot is in Kiel, near the harbour.", 0.95)]
    assert doubles("note", rows, AS_IT_IS)
    assert not doubles("note", rows, calibration("multilingual-e5-small-int8"))


async def test_doubles_are_named_and_left_alone(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, switch: Switch
) -> None:
    made = []
    for text in ("The depot lies in Kiel by the sea.", "Rain fell on Tuesday in Ulm."):
        answer = await admin.http.post("/v1/notes", json={"content": text})
        assert answer.status_code == 201, answer.text
        made.append(answer.json()["id"])
    await opened.indexing.drain()
    # The same words come in by a door that compares nothing, as an import is.
    copy = new_id()
    await opened.graph.raw(
        "MATCH (n:Note {id: $id}) CREATE (m:Note:Memory:Searchable) "
        "SET m = n {.*, id: $copy, memory_id: $copy}",
        id=made[0],
        copy=copy,
    )
    await opened.graph.raw("CALL db.awaitIndexes(60)")
    before = await scope_digest(opened.graph, tenant)
    found = (await admin.http.get("/v1/duplicates", params={"scope": tenant})).json()
    pair = sorted((made[0], copy))
    assert found["items"] == [
        {
            "kind": "note",
            "left": pair[0],
            "right": pair[1],
            "similarity": pytest.approx(1, abs=1e-3),
        }
    ]
    off = await propose_duplicates(opened, UPKEEP, nothing)
    assert tenant not in off.result["scopes"]
    await switch(tenant, maintenance="nightly")
    assert (await propose_duplicates(opened, UPKEEP, nothing)).result["scopes"][tenant] == 1
    assert await scope_digest(opened.graph, tenant) == before
    notes = (await admin.http.get("/v1/notes", params={"scope": tenant})).json()["items"]
    assert {note["id"] for note in notes} == {*made, copy}
    writer = await principal(f"{tenant}/dev")
    assert (await writer.http.get("/v1/duplicates")).status_code == 403
