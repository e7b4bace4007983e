"""Ends of what is held of somebody else: as the value of a fact, by words, by a first name."""

from __future__ import annotations

import itertools

import pytest

from app.facts.together import MOST
from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.consolidation.conftest import Said, beliefs, take_in
from tests.facts.test_possible_changes import changes, facts

SINGER = Said(0, "The singer of Tidewrack is Ole Brandis.")
LEFT = Said(30, "Ole has left Tidewrack.")
CASES = [
    (SINGER, LEFT),
    (
        Said(0, "The secretary of the rowing club is Hal Onslow."),
        Said(30, "Hal Onslow stood down as secretary after nine years."),
    ),
    (
        Said(0, "I go to the Monday drawing class at the Mill.", speaker="Ida Rusk"),
        Said(30, "Packed in the drawing class.", speaker="Ida Rusk"),
    ),
    (Said(0, "Our CI runs on Hudson."), Said(80, "Hudson was decommissioned last night.")),
]


async def held(reader: Principal) -> list[str]:
    """What is believed now, without ends."""
    return [told for told, fact in (await facts(reader)).items() if not fact["negated"]]


@pytest.mark.parametrize("case", CASES)
async def test_it_ends_in_whatever_order_they_came(
    opened: Parts, principal: MakePrincipal, tenant: str, case: tuple[Said, Said]
) -> None:
    found = []
    for place, order in enumerate(itertools.permutations(case)):
        who = await principal(f"{tenant}/order{place}", role=Role.WRITER, name="w")
        await take_in(opened, {"one": who.caller}, order[:1], batch=1)
        await take_in(opened, {"one": who.caller}, order[1:], batch=1)
        assert await held(who) == []
        found.append(await beliefs(opened, who.caller.home))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "other",
    [
        Said(30, "Ole Ferber has left Tidewrack."),
        Said(30, "Ole has left Saltmarsh."),
        Said(30, "Ole says he has left Tidewrack."),
        Said(30, "Ole has left Tidewrack to its own devices."),
    ],
)
async def test_another_end_does_not(opened: Parts, writer: Principal, other: Said) -> None:
    await take_in(opened, {"one": writer.caller}, [SINGER, other])
    assert [told for told in await held(writer) if "Brandis" in told] != []


async def test_two_of_that_name_wait_for_a_curator(opened: Parts, writer: Principal) -> None:
    also = Said(1, "The drummer of Tidewrack is Ole Ferber.")
    await take_in(opened, {"one": writer.caller}, [SINGER, also, LEFT])
    assert len(await held(writer)) == 2
    waiting = await changes(writer)  # who left, and whom he left
    assert {len(one["older"]) for one in waiting} == {2}


async def test_erasing_the_end_brings_it_back(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    home = writer.caller.home
    admin = await principal(home, role=Role.ADMIN, name="admin", kind="user")
    http = admin.http
    ruled = await http.put("/v1/scopes/rules", params={"scope": home}, json={"erasure": True})
    assert ruled.is_success
    await take_in(opened, {"one": writer.caller}, [SINGER, LEFT])
    assert await held(writer) == []
    page = (await writer.http.get("/v1/episodes")).json()["items"]
    (left,) = [e["id"] for e in page if "left" in str(e)]
    assert (await http.post("/v1/erasures", json={"memory": left})).is_success
    assert len(await held(writer)) == 1


@pytest.mark.parametrize(("services", "told"), [(3, 3), (MOST + 6, 0)])
async def test_what_many_depend_on_is_told_of_none_of_them(
    opened: Parts, writer: Principal, services: int, told: int
) -> None:
    """Each new one would have all of them settled again."""
    said = [Said(n, f"Our relay{n} runs on Hudson.") for n in range(services)]
    gone = Said(80, "Hudson was decommissioned last night.")
    await take_in(opened, {"one": writer.caller}, [*said[:-1], gone], batch=100)
    await take_in(opened, {"one": writer.caller}, said[-1:])
    assert len(await held(writer)) == services
    assert sum(len(one["older"]) for one in await changes(writer)) == told
