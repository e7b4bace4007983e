"""A given name alone is the one speaker of that name, for as long as there is only one."""

from __future__ import annotations

import asyncio
import itertools
import random

from app.entities.digest import scope_digest
from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.consolidation.conftest import (
    Said,
    again,
    beliefs,
    capture,
    digest,
    query,
    roots,
    take_in,
)

TOLD = [
    Said(1, "Silas is in the on-call rota.", "Tomas Bielik"),
    Said(2, "Silas Okoro works at Brennmoor.", "Tomas Bielik"),
    Said(3, "I am no longer in the on-call rota.", "Silas Okoro"),
    Said(4, "Silas lives in Bremen.", "Tomas Bielik"),
]
SECOND = Said(5, "Silas Brandt lives in Kiel.", "Tomas Bielik")


async def told_in(
    opened: Parts, principal: MakePrincipal, place: str, told: list[Said], batch: int
) -> str:
    writer = await principal(place)
    await take_in(opened, {"one": writer.caller}, told, batch)
    return writer.caller.home


async def test_the_speaker_and_his_given_name_are_one_in_any_order(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    seen = set()
    rng = random.Random(4)
    orders = rng.sample(list(itertools.permutations(TOLD)), 4)
    for place, order in enumerate(orders):
        scope = await told_in(opened, principal, f"{tenant}/a{place}", list(order), 1 + place % 3)
        found = await roots(opened, scope)
        assert found["silas"] == "silas okoro"
        seen.add(str(await beliefs(opened, scope)))
    assert len(seen) == 1
    facts = await beliefs(opened, scope)
    rota = {(f[8][0], f[3]): f for f in facts if f[1] == "member_of"}
    assert rota["silas", False][7][0][1].startswith("2026-03-02T11:00"), "he has left it himself"


async def test_a_second_bearer_takes_the_join_back_in_any_order(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    seen = set()
    orders = random.Random(7).sample(list(itertools.permutations([*TOLD, SECOND])), 4)
    orders[0] = (*TOLD, SECOND)
    for place, order in enumerate(orders):
        scope = await told_in(opened, principal, f"{tenant}/b{place}", list(order), 1 + place % 3)
        found = await roots(opened, scope)
        assert all(name == root for name, root in found.items()), found
        seen.add(str(await beliefs(opened, scope)))
    assert len(seen) == 1
    rota = [f for f in await beliefs(opened, scope) if f[:2] == ("silas", "member_of")]
    assert rota[0][7][0][1].startswith("9999"), "which Silas has left is open now"


async def test_a_second_pass_changes_nothing(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    for place, told in enumerate((TOLD, [*TOLD, SECOND])):
        scope = await told_in(opened, principal, f"{tenant}/c{place}", told, 2)
        before = (await scope_digest(opened.graph, scope), await digest(opened, scope))
        await again(opened, scope, 1)
        await again(opened, scope)
        assert (await scope_digest(opened.graph, scope), await digest(opened, scope)) == before


async def test_namesakes_of_the_demo_stay_apart(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    told = [
        Said(1, "Ich wohne in Emden.", "Jonas Wetterau"),
        Said(2, "Jonas drinks coffee.", "Ilse Harmsen"),
        Said(3, "Jonas Pfeil arbeitet bei Gut Ellerhain.", "Hanne Brock"),
    ]
    for place, order in enumerate((told, told[::-1], [told[1], told[0], told[2]])):
        scope = await told_in(opened, principal, f"{tenant}/d{place}", order, 1)
        found = await roots(opened, scope)
        assert {n: found[n] for n in found if n.startswith("jonas")} == {
            name: name for name in ("jonas", "jonas wetterau", "jonas pfeil")
        }


async def test_a_curator_has_the_last_word(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    scope = writer.caller.home
    curator = await principal(scope, role=Role.CURATOR, name="curator", kind="user")
    await take_in(opened, {"one": writer.caller}, TOLD, 2)
    assert (await roots(opened, scope))["silas"] == "silas okoro"
    merges = await query(
        opened.graph, "MATCH (m:MergeRecord {scope: $scope}) RETURN m.id AS id", scope=scope
    )
    assert len(merges) == 1
    merge = merges[0]["id"]
    shown = (await curator.http.get(f"/v1/merges/{merge}")).json()
    assert shown["status"] == "accepted"
    undone = await curator.http.post(f"/v1/merges/{merge}/undo")
    assert undone.status_code == 200, undone.text
    more = [Said(8, "Silas works at Brennmoor.", "Tomas Bielik")]
    await take_in(opened, {"one": writer.caller}, more)
    await again(opened, scope)
    assert (await roots(opened, scope))["silas"] == "silas"

    ends = {"left": shown["left"]["id"], "right": shown["right"]["id"]}
    proposed = await curator.http.post("/v1/merges", json=ends)
    assert proposed.status_code == 201, proposed.text
    assert (await curator.http.post(f"/v1/merges/{merge}/accept")).status_code == 200
    await take_in(opened, {"one": writer.caller}, [SECOND])
    assert (await roots(opened, scope))["silas"] in {"silas okoro", "silas"}
    assert (
        len({r for n, r in (await roots(opened, scope)).items() if n in {"silas", "silas okoro"}})
        == 1
    )


async def test_a_second_bearer_who_is_erased_leaves_the_name_to_the_first(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    writer = await principal(f"{tenant}/dev")
    admin = await principal(tenant, role=Role.ADMIN, name="admin", kind="user", subtree=True)
    scope = writer.caller.home
    await take_in(opened, {"one": writer.caller}, TOLD)
    before = (await beliefs(opened, scope), await roots(opened, scope))
    episode = await capture(opened, writer.caller, SECOND)
    await opened.consolidation.consolidate(scope)
    assert (await roots(opened, scope))["silas"] == "silas"
    rules = await admin.http.put(
        "/v1/scopes/rules", params={"scope": scope}, json={"erasure": True}
    )
    assert rules.status_code == 200, rules.text
    answer = await admin.http.post("/v1/erasures", json={"memory": episode})
    assert answer.status_code in {200, 202}, answer.text
    assert (await beliefs(opened, scope), await roots(opened, scope)) == before


async def test_episodes_taken_in_at_once_agree_in_the_end(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    writer = await principal(f"{tenant}/dev")
    scope = writer.caller.home
    ids = [await capture(opened, writer.caller, said) for said in [*TOLD, SECOND]]
    await asyncio.gather(*(opened.consolidation.consolidate_now(scope, [i]) for i in ids))
    found = await roots(opened, scope)
    assert {found[name] for name in ("silas", "silas okoro", "silas brandt")} == {
        "silas",
        "silas okoro",
        "silas brandt",
    }
    other = await principal(f"{tenant}x/dev")
    await take_in(opened, {"one": other.caller}, [*TOLD, SECOND])
    assert await beliefs(opened, scope) == await beliefs(opened, other.caller.home)
