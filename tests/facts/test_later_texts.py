"""Later texts that may have changed a fact: told where it is read, decided by a curator."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from app.facts import later_texts
from app.facts.heads import NEWEST
from app.facts.later_texts import COMMON, ONWARD, LaterTexts
from app.kernel.caller import Role
from app.kernel.clock import now
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.consolidation.conftest import START, Said, capture, take_in

DOSE = Said(0, "Opa nimmt 75 Mikrogramm L-Thyroxin.")
RAISED = Said(30, "Der Doktor hat L-Thyroxin bei Opa auf 100 hochgesetzt.")


async def facts(reader: Principal, **params: Any) -> list[dict[str, Any]]:
    answer = await reader.http.get("/v1/facts", params=params)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return [item for item in items if "75" in item["untrusted"]["object"]]


async def told(reader: Principal, **params: Any) -> list[dict[str, Any]]:
    (fact,) = await facts(reader, **params)
    return list(fact["possible_changes"])


@pytest.mark.parametrize("order", [[DOSE, RAISED], [RAISED, DOSE]])
async def test_it_is_told_in_whatever_order_they_came(
    opened: Parts, writer: Principal, order: list[Said]
) -> None:
    await take_in(opened, {"one": writer.caller}, order, batch=1)
    (fact,) = await facts(writer)
    (later,) = fact["possible_changes"]
    assert (later["fact"], later["untrusted"]) == (None, {"statement": RAISED.text})
    episode = (await writer.http.get(f"/v1/episodes/{later['passage']}")).json()
    assert episode["captured_at"] == later["since"]
    one = (await writer.http.get(f"/v1/facts/{fact['id']}")).json()
    assert one["possible_changes"] == fact["possible_changes"]
    timeline = (await writer.http.get(f"/v1/entities/{fact['subject']}/timeline")).json()
    (item,) = [item for item in timeline["items"] if item["fact"] == fact["id"]]
    assert item["possible_changes"] == fact["possible_changes"]
    assert fact["status"] == "active", "nothing ends"


async def test_what_is_denied_may_change_too(opened: Parts, writer: Principal) -> None:
    broken = Said(0, "The lift does not work.", session="a")
    mended = Said(9, "The lift was repaired yesterday.", session="b")
    await take_in(opened, {"one": writer.caller}, [broken, mended])
    items = (await writer.http.get("/v1/facts")).json()["items"]
    (denied,) = (item for item in items if item["negated"])
    assert [one["untrusted"]["statement"] for one in denied["possible_changes"]] == [mended.text]


async def test_both_clocks_count(opened: Parts, writer: Principal) -> None:
    await take_in(opened, {"one": writer.caller}, [DOSE])
    (before,) = await facts(writer)
    known = before["intervals"][0]["recorded_at"]
    await take_in(opened, {"one": writer.caller}, [RAISED])
    assert await told(writer) != []
    assert await told(writer, as_of=START.replace(hour=20).isoformat()) == []
    assert await told(writer, known_at=known) == []


async def test_what_says_it_again_later_takes_the_mark_away(
    opened: Parts, writer: Principal
) -> None:
    again = Said(50, DOSE.text + " Immer noch.")
    await take_in(opened, {"one": writer.caller}, [DOSE, RAISED, again])
    assert await told(writer) == []


async def test_an_erased_text_is_told_no_more(
    opened: Parts, writer: Principal, admin: Principal
) -> None:
    await take_in(opened, {"one": writer.caller}, [DOSE])
    episode = await capture(opened, writer.caller, RAISED)
    assert [one["passage"] for one in await told(writer)] == [episode]
    gone = await writer.http.post(f"/v1/memories/{episode}/forget")
    assert gone.status_code < 300, gone.text
    assert await told(writer) == []


async def test_no_answer_of_the_database_holds_more_texts_than_a_page(
    opened: Parts, writer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a long answer is read the loop answers nobody else."""
    sizes: list[int] = []
    read = LaterTexts._page

    async def counted(self: LaterTexts, ids: list[str], *more: Any) -> Any:
        sizes.append(len(ids))
        return await read(self, ids, *more)

    monkeypatch.setattr(later_texts, "PAGE", 2)
    monkeypatch.setattr(LaterTexts, "_page", counted)
    talk = [Said(hour, f"Opa und L-Thyroxin, Zettel {hour}.") for hour in range(1, 5)]
    await take_in(opened, {"one": writer.caller}, [DOSE, *talk, RAISED])
    sizes.clear()
    assert [one["untrusted"]["statement"] for one in await told(writer)] == [RAISED.text]
    assert len(sizes) > 1
    assert max(sizes) == 2


TRAIN = Said(0, "Mein Zug nach Wien geht am Freitag um 7:15.", speaker="Jurek Wolny")
REBOOKED = Said(30, "hab umgebucht, fahr jetzt um 9:12", speaker="Jurek Wolny")


@pytest.mark.parametrize(
    ("between", "session", "found"), [(0, "s", True), (ONWARD, "s", False), (0, "t", False)]
)
async def test_the_session_that_told_a_fact_goes_on_about_it(
    opened: Parts, writer: Principal, between: int, session: str, found: bool
) -> None:
    """Without one word of the fact, in its session and soon."""
    talk = [Said(hour, f"Wetter Nummer {hour}.") for hour in range(1, between + 1)]
    later = replace(REBOOKED, session=session)
    await take_in(opened, {"one": writer.caller}, [later, *talk, TRAIN])
    items = (await writer.http.get("/v1/facts")).json()["items"]
    (fact,) = [item for item in items if "Wien" in item["untrusted"]["statement"]]
    assert bool(fact["possible_changes"]) == found


async def test_a_german_compound_is_found_by_its_part(opened: Parts, writer: Principal) -> None:
    wheat = Said(0, "Auf der Südparzelle steht Winterroggen.", session="field")
    reaped = Said(9, "Roggen ist jetzt gedroschen.", session="barn")
    await take_in(opened, {"one": writer.caller}, [wheat, reaped])
    items = (await writer.http.get("/v1/facts")).json()["items"]
    (fact,) = [item for item in items if "Winterroggen" in item["untrusted"]["statement"]]
    (later,) = fact["possible_changes"]
    assert later["untrusted"]["statement"] == reaped.text


async def test_a_text_of_another_scope_is_never_told(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    one = await principal(f"{tenant}/one", name="one")
    two = await principal(f"{tenant}/two", name="two")
    await take_in(opened, {"one": one.caller}, [DOSE])
    await take_in(opened, {"one": two.caller}, [RAISED])
    assert await told(one) == []


@pytest.mark.parametrize(("verdict", "held"), [("changed", False), ("both", True), ("wrong", True)])
async def test_a_curator_decides(
    opened: Parts, principal: MakePrincipal, tenant: str, verdict: str, held: bool
) -> None:
    curator = await principal(f"{tenant}/dev", role=Role.CURATOR, name="curator", kind="user")
    await take_in(opened, {"one": curator.caller}, [DOSE, RAISED])
    listed = (await curator.http.get("/v1/quarantine/texts")).json()["items"]
    (fact,) = listed
    (later,) = fact["possible_changes"]
    path = f"/v1/quarantine/{later['passage']}/change"
    answer = await curator.http.post(path, json={"older": fact["id"], "verdict": verdict})
    assert answer.status_code == 200, answer.text
    assert answer.json()["fact"] == fact["id"]
    after = await facts(curator)
    assert bool(after) == held
    assert all(one["possible_changes"] == [] for one in after)
    assert (await curator.http.get("/v1/quarantine/texts")).json()["items"] == []
    if verdict == "changed":
        one = (await curator.http.get(f"/v1/facts/{fact['id']}/history")).json()
        ends = {edge["valid_to"] for edge in one["intervals"] if edge["retracted_at"] is None}
        assert ends == {later["since"]}
    undone = await curator.http.post(f"/v1/quarantine/{fact['id']}/undo")
    assert undone.status_code == 200, undone.text
    assert await told(curator) == [later]


async def test_a_text_that_may_have_changed_nothing_is_refused(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    curator = await principal(f"{tenant}/dev", role=Role.CURATOR, name="curator", kind="user")
    await take_in(opened, {"one": curator.caller}, [DOSE])
    other = await capture(opened, curator.caller, Said(40, "Es regnet in Kiel."))
    (fact,) = await facts(curator)
    body = {"older": fact["id"], "verdict": "changed"}
    answer = await curator.http.post(f"/v1/quarantine/{other}/change", json=body)
    assert answer.status_code == 404, answer.text
    assert (await facts(curator))[0]["status"] == "active"


async def test_graphql_names_the_text(opened: Parts, writer: Principal) -> None:
    await take_in(opened, {"one": writer.caller}, [DOSE, RAISED])
    (fact,) = await facts(writer)
    asked = (
        "query($id: ID!) {fact(id: $id) {possibleChanges {factId passageId untrusted {statement}}}}"
    )
    answer = await writer.http.post(
        "/graphql", json={"query": asked, "variables": {"id": fact["id"]}}
    )
    (later,) = answer.json()["data"]["fact"]["possibleChanges"]
    assert later["factId"] is None
    assert later["passageId"] == fact["possible_changes"][0]["passage"]
    assert later["untrusted"] == {"statement": RAISED.text}


async def test_words_that_many_texts_of_the_scope_hold_mark_nothing(
    opened: Parts, writer: Principal
) -> None:
    """At the bound the later text is told; one more text with its words, and it is not."""
    few = [Said(h, f"L-Thyroxin liegt in Fach {h}, Opa weiß das.") for h in range(1, COMMON - 1)]
    await take_in(opened, {"one": writer.caller}, [DOSE, *few, RAISED])
    assert RAISED.text in [one["untrusted"]["statement"] for one in await told(writer)]
    await take_in(opened, {"one": writer.caller}, [Said(9, "L-Thyroxin für Opa ist bestellt.")])
    assert await told(writer) == []


async def test_the_newest_sources_tell_what_all_claims_would(
    opened: Parts, writer: Principal
) -> None:
    """When a fact was last said, in which session, and what was said in the place of that."""
    again = [replace(DOSE, hour=n, session=f"s{n % 3}") for n in range(24)]
    onward = replace(RAISED, session="s2")
    await take_in(opened, {"one": writer.caller}, [*again, onward])
    (fact,) = await facts(writer)
    texts, at, scopes = LaterTexts(opened.graph), now(), [writer.caller.home]
    briefly = await texts.held([fact["id"]], scopes, at, at)
    (kept,) = await opened.graph.raw(
        "MATCH (f:Fact {id: $id}) WITH f, f.undated AS undated SET f.undated = null "
        "RETURN undated, size(f.newest) AS sources",
        id=fact["id"],
    )
    assert kept == {"undated": True, "sources": NEWEST}
    assert await texts.held([fact["id"]], scopes, at, at) == briefly
    (row,) = briefly
    assert row["confirmed"] == START + timedelta(hours=23)
    assert len(row["after"]) == 1
    assert row["hints"] == []
