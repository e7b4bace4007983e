"""What a turn puts into a prompt, over HTTP by the model that ships: what is asked is there, in
English, in German and across, and of an unknown subject there is nothing."""

from __future__ import annotations

from typing import Any

import pytest_asyncio

from app.kernel.caller import Role
from app.search.floors import REST
from app.settings import Settings
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.similarity.test_answers import ENGLISH, GERMAN

UNKNOWN = [
    "Who conducts the opera of Lima?", "What is the boiling point of tungsten?",
    "How many moons has Jupiter?", "When was the treaty of Tordesillas signed?",
    "Wer dirigiert die Oper von Lima?", "Bei wie viel Grad siedet Wolfram?",
    "Wie viele Monde hat der Jupiter?", "Wann wurde der Vertrag von Tordesillas unterzeichnet?",
]  # fmt: skip
CHAT = ["Please write me a haiku about autumn.", "Thanks, good night!",
        "Schreib mir bitte ein Haiku über den Herbst.", "Danke, gute Nacht!"]  # fmt: skip
KNOWN = Settings().conversations.relevance
WITHIN, ACROSS = 0.95, 0.7  # least share of questions whose text is there, by language


@pytest_asyncio.fixture(loop_scope="session")
async def who(opened: Parts, principal: MakePrincipal, tenant: str) -> Principal:
    """Who keeps texts of two languages in a tenant, and asks from a workspace below it."""
    made = await principal(tenant, role=Role.ADMIN, kind="user")
    answer = await made.http.post("/v1/scopes", json={"scope": f"{tenant}/asked"})
    assert answer.status_code == 201, answer.text
    for number, (text, *_) in enumerate([*ENGLISH, *GERMAN]):
        body = {"content": text, "session": str(number), "role": "user"}
        answer = await made.http.post("/v1/episodes", json=body)
        assert answer.status_code == 201, answer.text
    await opened.indexing.drain()
    return made


async def recalled(who: Principal, said: str, **more: Any) -> dict[str, Any]:
    """What a turn that says this recalls of the texts."""
    tenant = who.caller.tenant
    place = {"session": said, "scope": f"{tenant}/asked", "scopes": [tenant]}
    body = {"messages": [{"role": "user", "content": said}], **place, **more}
    answer = await who.http.post("/v1/turns", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["recalled"]
    return found


def texts(found: dict[str, Any]) -> list[str]:
    return [hit["untrusted"]["text"] for hit in found["hits"]]


async def test_a_turn_recalls_what_it_is_about_and_nothing_else(who: Principal) -> None:
    stray = {said: texts(found) for said in UNKNOWN if (found := await recalled(who, said))["hits"]}
    assert stray == {}
    # What asks nothing may be near to a text or two of the other language by chance.
    near = [len(texts(await recalled(who, said, min_score=0.5))) for said in CHAT]
    assert max(near) <= 2
    # One hit that is near brings the others along, but for what has nothing to do with it.
    brought = [hit["relevance"] for said in CHAT for hit in (await recalled(who, said))["hits"]]
    assert min(brought) >= round(REST * KNOWN, 2)
    assert min(brought) < KNOWN <= max(brought)
    opera = await recalled(who, "Who conducts the opera of Lima?", limit=5)
    assert (opera["hits"], opera["empty"], opera["floor"]["match"]) == ([], "below_floor", "none")
    assert opera["floor"]["held_back"] > 0
    everything = await recalled(who, "Who conducts the opera of Lima?", min_score=0)
    assert len(everything["hits"]) == 10
    for place, least in ((1, WITHIN), (2, ACROSS)):
        there = [row[0] in texts(await recalled(who, row[place])) for row in [*ENGLISH, *GERMAN]]
        assert sum(there) / len(there) >= least, (place, sum(there) / len(there))


async def test_a_person_is_known_by_the_name(who: Principal, opened: Parts) -> None:
    fence = "Im Sommer hat Ines den Zaun am Bach neu gestrichen."
    answer = await who.http.post("/v1/episodes", json={"content": fence, "session": "fence"})
    assert answer.status_code == 201, answer.text
    await opened.indexing.drain()
    # Nothing is near to what is asked, and one text says who is asked about.
    asked = "Was hielt Ines von dem Konzert im Herbst?"
    assert texts(await recalled(who, asked, min_score=0.5)) == []
    assert texts(await recalled(who, asked))[0] == fence
    # A text is near by its words, and nobody has spoken of who is asked about.
    stranger = "Did Malte check the old valve on Monday?"
    assert texts(await recalled(who, stranger, min_score=0.5))
    found = await recalled(who, stranger)
    assert (found["hits"], found["floor"]["match"]) == ([], "none")


async def test_the_settings_of_a_scope_say_how_relevant(who: Principal, tenant: str) -> None:
    asked = "Who conducts the opera of Lima?"
    body = {"conversations": {"relevance": 0}}
    place = {"scope": tenant}
    answer = await who.http.patch("/v1/scopes/settings", params=place, json=body)
    assert answer.status_code == 200, answer.text
    assert (await recalled(who, asked))["hits"]
    assert (await recalled(who, asked, min_score=0.5))["hits"] == []
