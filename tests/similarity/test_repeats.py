"""Near repeats with the model that ships: they are flagged, and nothing else is."""

from __future__ import annotations

from itertools import chain
from typing import Any

from app.indexing.service import IndexService
from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal

URL = "/v1/episodes"
REPEATED = (
    ("The cooling pump in hall 3 is greased every two weeks.",
     "The cooling pump in hall 3 is greased every two weeks!"),
    ("Mirelle prefers the early shift because of the traffic.",
     "mirelle prefers the early shift, because of the traffic"),
    ("We pay the plumber by bank transfer.",
     "We pay the plumber via bank transfer."),
    ("Please water the ferns on Monday and on Thursday.",
     "Please water the ferns on Mondays and Thursdays."),
    ("Die Kaffeemaschine in der Küche wird jeden Freitag entkalkt.",
     "Die Kaffeemaschine in der Küche wird jeden Freitag entkalkt!"),
    ("Der Schlüssel zum Serverraum liegt beim Pförtner.",
     "der Schlüssel zum Serverraum liegt beim Pförtner"),
    ("Wir treffen uns am Montag im großen Saal.",
     "Wir treffen uns Montag im großen Saal."),
    ("Rechnungen an die Stadtwerke gehen am Monatsersten hinaus.",
     "Die Rechnungen an die Stadtwerke gehen am Monatsersten hinaus."),
)  # fmt: skip
RELATED = (
    ("The nightly backup runs at 02:30.", "The nightly backup runs at 03:30."),
    ("Torvald moved to Lisbon in May.", "Torvald moved away from Lisbon in May."),
    ("The lease of the depot ends in March.", "The rent of the depot rises in March."),
    ("Henrike likes strong black tea.", "Henrike likes weak green tea."),
    ("The red van is parked behind the mill.", "The blue van is parked behind the mill."),
    ("Leif can swim.", "Leif cannot swim."),
    ("The sluice is open.", "The sluice is open?"),
    ("Der Vertrag läuft bis Ende Mai.", "Der Vertrag läuft bis Ende März."),
    ("Ragna mag den Hund.", "Ragna mag den Hund nicht."),
    ("Der Aufzug im Nordflügel ist kaputt.", "Der Aufzug im Südflügel wird gewartet."),
    ("Anneke fährt mit dem Rad zur Arbeit.", "Anneke fährt mit dem Bus zur Schule."),
    ("Das Lager schließt um 18 Uhr.", "Das Lager schließt um 20 Uhr."),
    ("Die Heizung läuft ab Oktober.", "Die Heizung wird im Oktober geprüft."),
)
UNRELATED = (
    "The orchestra played Mahler in Vienna.",
    "Tungsten melts at a very high temperature.",
    "Eisbären haben schwarze Haut unter dem Fell.",
    "Beim Schach zieht Weiß zuerst.",
)


async def captured(who: Principal, text: str, session: str, **more: Any) -> dict[str, Any]:
    body = {"content": text, "session": session, **more}
    answer = await who.http.post(URL, json=body)
    assert answer.status_code == 201, answer.text
    receipt: dict[str, Any] = answer.json()
    assert receipt["status"] == "accepted"
    assert receipt["near_duplicate"] is None  # nothing is known of it before it is indexed
    return receipt


async def flag(who: Principal, episode: str) -> str | None:
    answer = await who.http.get(f"{URL}/{episode}")
    told: str | None = answer.json()["near_duplicate"]
    return told


async def test_near_repeats_are_flagged_and_nothing_else(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    who = await principal(f"{tenant}/dev", name="repeater")
    texts = [*chain.from_iterable((*REPEATED, *RELATED)), *UNRELATED]
    ids = [(await captured(who, t, f"own-{n}"))["id"] for n, t in enumerate(texts)]
    await opened.indexing.drain()
    found = {text: await flag(who, i) for text, i in zip(texts, ids, strict=True)}
    known = dict(zip(texts, ids, strict=True))
    wanted = {second: known[first] for first, second in REPEATED}
    assert {text: other for text, other in found.items() if other} == wanted


async def test_a_repeat_amid_other_talk_is_judged_by_itself(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    who = await principal(f"{tenant}/dev", name="talker")
    said = "The fuse of the sauna is behind the second panel."
    first = await captured(who, said, "one", speaker="Yrsa")
    for text in ("Did you find the fuse?", "Which one do you mean?"):
        await captured(who, text, "two", speaker="Yrsa")
    second = await captured(who, said, "two", speaker="Yrsa")
    await opened.indexing.drain()
    assert await flag(who, second["id"]) == first["id"]
    assert await flag(who, first["id"]) is None


async def test_the_flag_stays_in_the_scope_and_goes_with_what_it_names(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    mine = await principal(f"{tenant}/mine", role=Role.ADMIN, name="mine")
    other = await principal(f"{tenant}/other", name="other")
    said = "The spare belt of the mower lies in the blue crate."
    await captured(other, said, "s")
    first = await captured(mine, said, "a")
    second = await captured(mine, f"{said[:-1]}!", "b")
    await opened.indexing.drain()
    assert await flag(mine, first["id"]) is None
    assert await flag(mine, second["id"]) == first["id"]
    gone = await mine.http.post(f"/v1/memories/{first['id']}/forget")
    assert gone.status_code in (200, 201), gone.text
    assert await flag(mine, second["id"]) is None


async def test_two_that_come_at_once_are_told_apart_by_when_they_came(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    who = await principal(f"{tenant}/dev", name="twice")
    said = "The gate at the weir opens to the left."
    first, second = [await captured(who, said, name) for name in ("x", "y")]
    service: IndexService = opened.indexing
    await service.index([second["id"]])
    await service.index([first["id"]])
    assert await flag(who, second["id"]) == first["id"]
    assert await flag(who, first["id"]) is None
    await service.index([second["id"], first["id"]])  # a second time changes nothing
    assert await flag(who, second["id"]) == first["id"]


async def test_what_is_indexed_as_the_neighbour_of_another_is_looked_at_too(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    """A batch of others makes a turn searchable; nothing comes back to it for its repeats."""
    who = await principal(f"{tenant}/dev", name="neighbour")
    said = "The lid of the rain barrel is held by a blue strap."
    first = await captured(who, said, "one")
    await opened.indexing.index([first["id"]])
    second = await captured(who, said, "two")
    beside = await captured(who, "Who fetches the ladder?", "two")
    await opened.indexing.index([beside["id"]])
    assert await flag(who, second["id"]) == first["id"]
    rows = await opened.graph.raw(
        "MATCH (e:Episode {tenant: $tenant}) RETURN e.index_state AS state, e.repeats_due AS due",
        tenant=tenant,
    )
    assert rows == [{"state": "done", "due": None}] * 3
