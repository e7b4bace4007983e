"""Merges: proposed, decided, undone exactly; the cluster is a pure function of accepted edges."""

from __future__ import annotations

import asyncio
import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.entities.clusters import Link, changes, groups, opposed, roots
from app.entities.digest import scope_digest
from app.entities.merges import MergeService
from app.errors import Conflict, Forbidden, InvalidInput, NotFound
from app.kernel.caller import Role
from app.kernel.graph import Tx
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.entities.test_graph import an_episode, take_in

MEMBERS = [f"e{i}" for i in range(7)]
member, count = st.sampled_from(MEMBERS), st.integers(0, 9)
links = st.lists(
    st.tuples(member, member, count, count)
    .filter(lambda t: t[0] != t[1])
    .map(lambda t: Link(*t)),
    max_size=9,
    unique_by=lambda link: (link.left, link.right),
)  # fmt: skip


# --- pure ---------------------------------------------------------------------------------------


@given(links, st.randoms())
def test_roots_do_not_depend_on_the_order_of_links(found: list[Link], rng: random.Random) -> None:
    plain = roots(MEMBERS, found)
    shuffled = list(found)
    rng.shuffle(shuffled)
    assert roots(MEMBERS, shuffled) == plain


@given(links)
def test_every_member_has_the_root_of_its_group(found: list[Link]) -> None:
    root = roots(MEMBERS, found)
    assert set(root) == set(MEMBERS)
    for group in groups(MEMBERS, found):
        assert len({root[member] for member in group}) == 1
        assert root[next(iter(group))] in group
    for link in found:
        assert root[link.left] == root[link.right]


def test_the_most_mentioned_is_the_root_and_ties_go_by_id() -> None:
    assert roots(["a", "b"], [Link("a", "b", 1, 5)]) == {"a": "b", "b": "b"}
    assert roots(["a", "b"], [Link("a", "b", 5, 5)]) == {"a": "a", "b": "a"}
    assert roots(["a", "b"], []) == {"a": "a", "b": "b"}


def test_a_rejected_pair_is_found_across_others() -> None:
    chain = [Link("a", "b", 0, 0), Link("b", "c", 0, 0)]
    assert opposed(["a", "b", "c"], chain, [("a", "c")]) == ("a", "c")
    assert opposed(["a", "b", "c"], chain[:1], [("a", "c")]) is None
    assert opposed(["a", "b"], chain[:1], [("a", "z"), ("y", "z")]) is None


def test_changes_name_only_who_moved() -> None:
    moved = changes({"a": "a", "b": "b"}, {"a": "a", "b": "a"})
    assert moved == [{"id": "b", "before": "b", "root": "a"}]


# --- in the graph -------------------------------------------------------------------------------


async def some(opened: Parts, writer: Principal, *names: str) -> list[str]:
    """Entities of these names, the first mentioned most."""
    found: list[str] = []
    for place, name in enumerate(names):
        for turn in range(len(names) - place):
            episode = await an_episode(opened, writer, f"{name}, turn {turn}.")
            resolved = await take_in(opened, writer.caller.home, episode, [(name, "organization")])
        found.append(resolved[0].entity_id)
    return found


async def curator_of(principal: MakePrincipal, writer: Principal) -> Principal:
    return await principal(writer.caller.home, role=Role.CURATOR, name="curator", kind="user")


async def merged(curator: Principal, left: str, right: str) -> str:
    """Proposed and accepted over HTTP."""
    made = await curator.http.post("/v1/merges", json={"left": left, "right": right})
    assert made.status_code == 201, made.text
    merge: str = made.json()["id"]
    done = await curator.http.post(f"/v1/merges/{merge}/accept")
    assert done.status_code == 200, done.text
    assert done.json()["status"] == "accepted"
    return merge


async def test_a_merge_and_its_undoing_leave_the_digest_as_it_was(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    curator = await curator_of(principal, writer)
    scope = writer.caller.home
    ids = await some(opened, writer, "Deutsche Bahn", "DB", "Bahn")
    before = await scope_digest(opened.graph, scope)
    merge = await merged(curator, ids[1], ids[0])
    assert await scope_digest(opened.graph, scope) != before
    undone = await curator.http.post(f"/v1/merges/{merge}/undo")
    assert undone.json()["status"] == "undone"
    assert await scope_digest(opened.graph, scope) == before


@pytest.mark.parametrize("seed", range(6))
async def test_any_walk_of_merges_undone_in_any_order_comes_back(
    opened: Parts, writer: Principal, principal: MakePrincipal, seed: int
) -> None:
    rng = random.Random(seed)
    curator = await curator_of(principal, writer)
    scope = writer.caller.home
    ids = await some(opened, writer, *(f"Firm {chr(65 + i)}x" for i in range(6)))
    digests = {frozenset[str](): await scope_digest(opened.graph, scope)}
    accepted: set[str] = set()
    pairs = list(combinations(ids, 2))
    for _ in range(14):
        if accepted and rng.random() < 0.45:
            merge = rng.choice(sorted(accepted))
            await opened.merges.decide(curator.caller, merge, "undo")
            accepted.remove(merge)
        else:
            left, right = rng.choice(pairs)
            try:
                row = await opened.merges.propose(curator.caller, left, right, None)
            except Conflict:
                continue
            merge = row["record"]["id"]
            await opened.merges.decide(curator.caller, merge, "accept")
            accepted.add(merge)
        now = await scope_digest(opened.graph, scope)
        assert digests.setdefault(frozenset(accepted), now) == now, "a function of what is accepted"
    for merge in rng.sample(sorted(accepted), len(accepted)):
        await opened.merges.decide(curator.caller, merge, "undo")
    assert await scope_digest(opened.graph, scope) == digests[frozenset()]


async def test_lookups_through_a_merged_id_still_work(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    curator = await curator_of(principal, writer)
    one, other = await some(opened, writer, "Deutsche Bahn", "DB")
    await merged(curator, other, one)
    for identifier in (one, other):
        seen = (await writer.http.get(f"/v1/entities/{identifier}")).json()
        assert seen["id"] == one, "the one mentioned most stands for both"
        assert seen["aliases"] == ["DB", "Deutsche Bahn"]
        assert seen["mentions"] == 3
        assert {member["id"] for member in seen["members"]} == {one, other}
    by_name = (await writer.http.get("/v1/entities", params={"name": "db"})).json()
    assert [item["id"] for item in by_name["items"]] == [one]
    listed = (await writer.http.get("/v1/entities")).json()
    assert [item["id"] for item in listed["items"]] == [one]
    episode = await an_episode(opened, writer, "DB again.")
    resolved = await take_in(opened, writer.caller.home, episode, [("DB", "organization")])
    assert resolved[0].entity_id == other, "what is said later stays with the name it was said of"


async def test_eight_decisions_at_once_are_one_decision(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    curator = await curator_of(principal, writer)
    one, other = await some(opened, writer, "Deutsche Bahn", "DB")
    made = await opened.merges.propose(curator.caller, one, other, "the same railway")
    results = await asyncio.gather(
        *(opened.merges.decide(curator.caller, made["record"]["id"], "accept") for _ in range(8)),
        return_exceptions=True,
    )
    assert sum(isinstance(result, dict) for result in results) == 1
    assert sum(isinstance(result, Conflict) for result in results) == 7


async def test_a_chain_accepted_at_once_has_one_root(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    curator = await curator_of(principal, writer)
    ids = await some(opened, writer, *(f"Firm {chr(65 + i)}x" for i in range(6)))
    proposed = [
        await opened.merges.propose(curator.caller, ids[i], ids[i + 1], None) for i in range(5)
    ]
    await asyncio.gather(
        *(opened.merges.decide(curator.caller, p["record"]["id"], "accept") for p in proposed)
    )
    seen = {(await writer.http.get(f"/v1/entities/{i}")).json()["id"] for i in ids}
    assert seen == {ids[0]}


async def test_roots_that_change_are_told_inside_the_transaction(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    curator = await curator_of(principal, writer)
    ids = await some(opened, writer, "Deutsche Bahn", "DB", "Bahn")
    told: list[list[str]] = []

    async def note(tx: Tx, changed: list[str]) -> None:
        told.append(changed)

    merges = MergeService(opened.graph, opened.scopes.policy, note)
    first = await merges.propose(curator.caller, ids[0], ids[1], None)
    await merges.decide(curator.caller, first["record"]["id"], "accept")
    second = await merges.propose(curator.caller, ids[2], ids[1], None)
    await merges.decide(curator.caller, second["record"]["id"], "accept")
    await merges.decide(curator.caller, first["record"]["id"], "undo")
    assert told[0] == [ids[1]]
    assert told[1] == [ids[2]]
    assert told[2] == sorted(ids[1:]), "both leave; the one mentioned more stands for them"

    async def refuse(tx: Tx, changed: list[str]) -> None:
        raise Conflict("what depends on it cannot follow")

    before = await scope_digest(opened.graph, writer.caller.home)
    with pytest.raises(Conflict):
        await MergeService(opened.graph, opened.scopes.policy, refuse).decide(
            curator.caller, second["record"]["id"], "undo"
        )
    assert await scope_digest(opened.graph, writer.caller.home) == before


async def test_what_a_curator_kept_apart_is_not_joined_by_others(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    curator = await curator_of(principal, writer)
    one, other, third = await some(opened, writer, "Acme Nord", "Acme Sued", "Acme")
    apart = await opened.merges.propose(curator.caller, one, other, None)
    await opened.merges.decide(curator.caller, apart["record"]["id"], "reject")
    await merged(curator, one, third)
    through = await opened.merges.propose(curator.caller, other, third, None)
    before = await scope_digest(opened.graph, writer.caller.home)
    with pytest.raises(Conflict, match="kept apart"):
        await opened.merges.decide(curator.caller, through["record"]["id"], "accept")
    assert await scope_digest(opened.graph, writer.caller.home) == before
    again = await opened.merges.propose(curator.caller, one, other, "on second thoughts")
    assert again["record"]["status"] == "pending"


async def test_a_status_allows_only_its_own_decisions(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    curator = await curator_of(principal, writer)
    one, other = await some(opened, writer, "Deutsche Bahn", "DB")
    row = await opened.merges.propose(curator.caller, one, other, None)
    merge = row["record"]["id"]
    with pytest.raises(Conflict, match="pending already"):
        await opened.merges.propose(curator.caller, other, one, None)
    with pytest.raises(Conflict, match="pending cannot"):
        await opened.merges.decide(curator.caller, merge, "undo")
    await opened.merges.decide(curator.caller, merge, "accept")
    for verb in ("accept", "reject"):
        with pytest.raises(Conflict, match="accepted cannot"):
            await opened.merges.decide(curator.caller, merge, verb)
    with pytest.raises(Conflict, match="one already"):
        await opened.merges.propose(curator.caller, one, other, None)
    with pytest.raises(InvalidInput):
        await opened.merges.propose(curator.caller, one, one, None)


async def test_only_a_curator_decides_and_others_see_nothing(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    one, other = await some(opened, writer, "Deutsche Bahn", "DB")
    made = await writer.http.post("/v1/merges", json={"left": one, "right": other})
    assert made.status_code == 201
    merge = made.json()["id"]
    assert (await writer.http.post(f"/v1/merges/{merge}/accept")).status_code == 403
    stranger = await principal(f"{tenant}/other", role=Role.CURATOR, name="stranger")
    denied = await stranger.http.post(f"/v1/merges/{merge}/accept")
    absent = await stranger.http.post(f"/v1/merges/{'0' * 32}/accept")
    assert denied.status_code == absent.status_code == 404
    assert denied.json()["detail"].replace(merge, "") == absent.json()["detail"].replace(
        "0" * 32, ""
    )
    with pytest.raises(NotFound):
        await opened.merges.propose(stranger.caller, one, other, None)
    assert (await stranger.http.get("/v1/merges")).json()["items"] == []
    both = await principal(f"{tenant}/other", role=Role.CURATOR, name="both")
    with pytest.raises((Forbidden, NotFound)):
        await opened.merges.decide(both.caller, merge, "accept")


async def test_entities_of_two_scopes_are_never_merged(
    opened: Parts, writer: Principal, admin: Principal
) -> None:
    (here,) = await some(opened, writer, "Acme")
    (there,) = await some(opened, admin, "Acme")
    refused = await admin.http.post("/v1/merges", json={"left": here, "right": there})
    assert refused.status_code == 422
    assert [e["field"] for e in refused.json()["errors"]] == ["right"]


async def test_each_step_is_audited(
    opened: Parts, writer: Principal, principal: MakePrincipal, admin: Principal
) -> None:
    curator = await curator_of(principal, writer)
    one, other = await some(opened, writer, "Deutsche Bahn", "DB")
    merge = await merged(curator, one, other)
    await curator.http.post(f"/v1/merges/{merge}/undo")
    shown = (await admin.http.get("/v1/audit", params={"limit": 50})).json()["items"]
    kinds = [event["kind"] for event in shown if event["kind"].startswith("merge.")]
    assert sorted(kinds) == ["merge.accept", "merge.propose", "merge.undo"]
