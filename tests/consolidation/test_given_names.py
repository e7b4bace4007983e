"""A given name alone is the one speaker of that name, for as long as there is only one."""

from __future__ import annotations

import asyncio
import itertools
import random
from importlib.resources import files

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
    joined,
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


MET = Said(6, "We met Silas Brandt at the harbour.", "Tomas Bielik")


async def test_a_bearer_whom_one_text_alone_gives_takes_the_join_back_in_any_order(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    """His name waits, and is that of a second Silas all the same."""
    found = []
    orders = [[*TOLD, MET], [MET, *TOLD], [TOLD[2], MET, *TOLD[:2], TOLD[3]]]
    for place, (order, batch) in enumerate(itertools.product(orders, (1, 5))):
        scope = await told_in(opened, principal, f"{tenant}/w{place}", order, batch)
        heads = await roots(opened, scope)
        assert "silas brandt" not in heads, "one text alone gives it"
        assert heads["silas"] == "silas"
        state = (await beliefs(opened, scope), await joined(opened, scope))
        before = (await scope_digest(opened.graph, scope), await digest(opened, scope))
        await again(opened, scope, 1)
        assert (await scope_digest(opened.graph, scope), await digest(opened, scope)) == before
        found.append(str(state))
    assert len(set(found)) == 1


async def test_the_same_man_by_a_name_that_waits_is_no_second_bearer(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    same = Said(6, "We met Mr. Silas Okoro at the harbour.", "Tomas Bielik")
    scope = await told_in(opened, principal, f"{tenant}/same", [*TOLD, same], 2)
    assert (await roots(opened, scope))["silas"] == "silas okoro"


async def test_with_the_text_that_gives_the_second_bearer_the_join_comes_back(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    writer = await principal(f"{tenant}/e")
    home = writer.caller.home
    admin = await principal(home, role=Role.ADMIN, name="admin", kind="user")
    rules = {"params": {"scope": home}, "json": {"erasure": True}}
    assert (await admin.http.put("/v1/scopes/rules", **rules)).is_success
    await take_in(opened, {"one": writer.caller}, [*TOLD, MET])
    assert (await roots(opened, home))["silas"] == "silas"
    rows = await query(
        opened.graph,
        "MATCH (p:Passage {scope: $s, content: $said}) RETURN p.id AS id",
        s=home, said=MET.text,
    )  # fmt: skip
    erased = await admin.http.post("/v1/erasures", json={"memory": rows[0]["id"]})
    assert erased.is_success, erased.text
    assert (await roots(opened, home))["silas"] == "silas okoro"


async def test_what_an_older_version_joined_is_looked_through(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    scope = await told_in(opened, principal, f"{tenant}/old", [*TOLD, MET], 5)
    (apart,) = {(await roots(opened, scope))["silas"]}
    kept = await query(
        opened.graph,
        "MATCH (p:Passage {scope: $s}) WHERE p.lone IS NOT NULL "
        "WITH p, p.lone_tokens AS tokens SET p.lone_tokens = null "
        "RETURN p.id AS id, tokens",
        s=scope,
    )
    await take_in_again(opened, principal, scope)
    assert (await roots(opened, scope))["silas"] == "silas okoro", "as an older version had it"
    # The migration writes the same tokens out of the names that wait.
    text = files("cypher").joinpath("schema/0041_openings_of_names.cypher").read_text("utf-8")
    await query(
        opened.graph,
        "MATCH (p:Passage {scope: $s}) WHERE p.lone IS NOT NULL "
        "SET p.lone_tokens = head(split(p.lone, '')) + 'x'",
        s=scope,
    )
    for statement in text.split(";\n"):
        if statement.strip():
            await query(opened.graph, statement)
    rows = await query(
        opened.graph,
        "MATCH (p:Passage {scope: $s}) WHERE p.lone IS NOT NULL RETURN p.id AS id, "
        "p.lone_tokens AS tokens",
        s=scope,
    )
    wanted = {row["id"]: {t for t in row["tokens"].split() if "|" in t} for row in kept}
    assert {row["id"]: {t for t in row["tokens"].split() if "|" in t} for row in rows} == wanted
    assert await opened.consolidation.thin(scope)
    assert (await roots(opened, scope))["silas"] == apart


async def take_in_again(opened: Parts, principal: MakePrincipal, scope: str) -> None:
    """One more text of the same speaker, so that the rules look at the name."""
    writer = await principal(scope, name="again")
    await take_in(opened, {"one": writer.caller}, [Said(7, "Silas sings.", "Tomas Bielik")])
