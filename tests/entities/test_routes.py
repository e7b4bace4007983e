"""Entities over HTTP."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.kernel.caller import Role
from app.lifecycle.invariants import broken
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.entities.test_graph import an_episode, take_in
from tests.entities.test_merges import curator_of, merged


async def a_world(opened: Parts, writer: Principal) -> dict[str, str]:
    """Anna and Acme twice, Acme and Rust once, Rust and Zürich once; ids of the roots by name."""
    said = [
        [("Anna Weber", "person"), ("Acme GmbH", "organization")],
        [("Anna Weber", "person"), ("Acme", "unknown")],
        [("Acme", "organization"), ("Rust", "technology")],
        [("Rust", "technology"), ("Zürich", "place")],
    ]
    ids: dict[str, str] = {}
    for turn, pairs in enumerate(said):
        episode = await an_episode(opened, writer, f"Turn {turn}.")
        for answer in await take_in(opened, writer.caller.home, episode, pairs):
            ids.setdefault(answer.mention.name.removesuffix(" GmbH"), answer.entity_id)
    return ids


async def test_an_entity_is_found_by_any_spelling(opened: Parts, writer: Principal) -> None:
    ids = await a_world(opened, writer)
    for name in ("acme", "ACME GmbH", "Acme AG"):
        found = (await writer.http.get("/v1/entities", params={"name": name})).json()["items"]
        assert [item["id"] for item in found] == [ids["Acme"]]
    zurich = (await writer.http.get("/v1/entities", params={"name": "Zurich"})).json()["items"]
    assert [item["name"] for item in zurich] == ["Zürich"]
    none = await writer.http.get("/v1/entities", params={"name": "Zurich", "type": "person"})
    assert none.json()["items"] == []


async def test_an_entity_says_what_is_known(opened: Parts, writer: Principal) -> None:
    ids = await a_world(opened, writer)
    seen = (await writer.http.get(f"/v1/entities/{ids['Acme']}")).json()
    assert (seen["name"], seen["type"], seen["mentions"]) == ("Acme GmbH", "organization", 3)
    assert seen["aliases"] == ["Acme", "Acme GmbH"]
    assert seen["expired_at"] is None
    assert {(m["name"], m["type"], m["mentions"]) for m in seen["members"]} == {
        ("Acme GmbH", "organization", 1), ("Acme", "organization", 1), ("Acme", "unknown", 1),
    }  # fmt: skip


async def test_pages_go_on_where_the_last_one_ended(opened: Parts, writer: Principal) -> None:
    ids = await a_world(opened, writer)
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(10):
        params = {"limit": "3"} | ({"cursor": cursor} if cursor else {})
        page = (await writer.http.get("/v1/entities", params=params)).json()
        seen += [item["id"] for item in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == sorted(ids.values())


@pytest.mark.parametrize(("prefix", "names"), [("Zür", ["Zürich"]), ("zue", ["Zürich"]), ("q", [])])
async def test_a_prefix_finds_canonical_names(
    opened: Parts, writer: Principal, prefix: str, names: list[str]
) -> None:
    await a_world(opened, writer)
    found = (await writer.http.get("/v1/entities", params={"prefix": prefix})).json()["items"]
    assert [item["name"] for item in found] == names


async def test_types_narrow_a_list(opened: Parts, writer: Principal) -> None:
    await a_world(opened, writer)
    found = (await writer.http.get("/v1/entities", params={"type": "person"})).json()["items"]
    assert [item["name"] for item in found] == ["Anna Weber"]


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"type": "animal"}, "type"),
        ({"name": "a", "prefix": "a"}, "prefix"),
        ({"known_at": "2026-01-01T00:00:00"}, "known_at"),
        ({"limit": "0"}, "limit"),
        ({"name": " ' "}, "name"),
    ],
)
async def test_a_bad_question_names_its_field(
    writer: Principal, params: dict[str, str], field: str
) -> None:
    answer = await writer.http.get("/v1/entities", params=params)
    assert answer.status_code in {400, 422}
    assert field in answer.text


async def test_neighbours_by_steps(opened: Parts, writer: Principal) -> None:
    ids = await a_world(opened, writer)
    path = f"/v1/entities/{ids['Anna Weber']}/neighbours"
    one = (await writer.http.get(path)).json()
    assert {e["id"]: e["distance"] for e in one["entities"]} == {
        ids["Anna Weber"]: 0, ids["Acme"]: 1,
    }  # fmt: skip
    (edge,) = one["edges"]
    assert (edge["kind"], edge["count"], edge["predicate"]) == ("COOCCURS", 2, None)
    three = (await writer.http.get(path, params={"depth": 3})).json()
    assert {e["name"]: e["distance"] for e in three["entities"]} == {
        "Anna Weber": 0, "Acme GmbH": 1, "Rust": 2, "Zürich": 3,
    }  # fmt: skip
    assert len(three["edges"]) == 3
    assert three["truncated"] is False
    assert (await writer.http.get(path, params={"depth": 4})).status_code in {400, 422}


async def test_neighbours_of_a_cluster_are_those_of_its_members(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    ids = await a_world(opened, writer)
    curator = await curator_of(principal, writer)
    await merged(curator, ids["Rust"], ids["Acme"])
    seen = (await writer.http.get(f"/v1/entities/{ids['Rust']}/neighbours")).json()
    assert seen["id"] == ids["Rust"]
    assert {e["name"] for e in seen["entities"]} == {"Rust", "Anna Weber", "Zürich"}


ANNA, ACME = ("Anna Weber", "person"), ("Acme GmbH", "organization")


async def joined(writer: Principal, entity: str, **params: str) -> list[str]:
    """What an entity is shown to be mentioned with."""
    answer = await writer.http.get(f"/v1/entities/{entity}/neighbours", params=params)
    assert answer.status_code == 200, answer.text
    shown = answer.json()
    names = {each["id"]: each["name"] for each in shown["entities"]}
    assert len(shown["edges"]) == len(names) - 1
    return sorted(name for key, name in names.items() if key != shown["id"])


async def test_a_forgotten_text_joins_nothing(opened: Parts, writer: Principal) -> None:
    episode = await an_episode(opened, writer, "Both.")
    anna, _ = await take_in(opened, writer.caller.home, episode, [ANNA, ACME])
    assert await joined(writer, anna.entity_id) == ["Acme GmbH"]
    for verb, names in (("forget", []), ("unforget", ["Acme GmbH"])):
        done = await writer.http.post(f"/v1/memories/{episode}/{verb}")
        assert done.is_success, done.text
        assert await joined(writer, anna.entity_id) == names


async def test_a_text_joins_from_when_it_was_known(opened: Parts, writer: Principal) -> None:
    scope = writer.caller.home
    for said in (ANNA, ACME):
        await take_in(opened, scope, await an_episode(opened, writer, said[0]), [said])
    before = datetime.now(UTC).isoformat()
    both = await an_episode(opened, writer, "Both.")
    anna, _ = await take_in(opened, scope, both, [ANNA, ACME])
    assert await joined(writer, anna.entity_id, known_at=before) == []
    assert await joined(writer, anna.entity_id) == ["Acme GmbH"]


async def test_before_it_was_known_there_is_nothing(opened: Parts, writer: Principal) -> None:
    ids = await a_world(opened, writer)
    early = {"known_at": "2025-12-31T00:00:00Z"}
    for path in (f"/v1/entities/{ids['Acme']}", f"/v1/entities/{ids['Acme']}/neighbours"):
        assert (await writer.http.get(path, params=early)).status_code == 404
    assert (await writer.http.get("/v1/entities", params=early)).json()["items"] == []


async def test_a_large_neighbourhood_is_cut_and_says_so(opened: Parts, writer: Principal) -> None:
    scope = writer.caller.home
    first = ""
    for turn in range(11):
        episode = await an_episode(opened, writer, f"Turn {turn}.")
        names = [("Hub", "product")] + [(f"Thing {turn}x{i}", "product") for i in range(23)]
        first = (await take_in(opened, scope, episode, names))[0].entity_id
    seen = (await writer.http.get(f"/v1/entities/{first}/neighbours", params={"depth": 3})).json()
    assert len(seen["entities"]) <= 200
    assert len(seen["entities"]) > 50


async def test_what_is_not_seen_looks_absent(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    ids = await a_world(opened, writer)
    stranger = await principal(f"{tenant}/other", role=Role.ADMIN, name="stranger")
    for path in (f"/v1/entities/{ids['Acme']}", f"/v1/entities/{ids['Acme']}/neighbours"):
        answer = await stranger.http.get(path)
        absent = await stranger.http.get(path.replace(ids["Acme"], "0" * 32))
        assert answer.status_code == absent.status_code == 404
    change = await stranger.http.patch(f"/v1/entities/{ids['Acme']}", json={"type": "product"})
    assert change.status_code == 404
    assert (await stranger.http.get("/v1/entities", params={"name": "acme"})).json()["items"] == []


# --- by hand ------------------------------------------------------------------------------------


async def test_a_curator_names_types_and_describes(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    ids = await a_world(opened, writer)
    curator = await curator_of(principal, writer)
    path = f"/v1/entities/{ids['Rust']}"
    body = {
        "aliases": ["Rust", "Rust-Lang"],
        "attributes": {"first_release": 2015, "site": "rust-lang.org"},
        "type": "concept",
    }
    changed = (await curator.http.patch(path, json=body)).json()
    assert changed["aliases"] == ["Rust", "Rust-Lang"]
    assert changed["attributes"] == {"first_release": 2015, "site": "rust-lang.org"}
    assert (changed["type"], changed["kinds"]) == ("concept", ["Concept"])
    dropped = await curator.http.patch(path, json={"attributes": {"site": None}})
    assert dropped.json()["attributes"] == {"first_release": 2015}
    episode = await an_episode(opened, writer, "rust lang")
    scope = writer.caller.home
    (found,) = await take_in(opened, scope, episode, [("rust lang", "technology")])
    meant = (await writer.http.get(f"/v1/entities/{found.entity_id}")).json()
    assert meant["id"] == ids["Rust"], "a name given by hand leads there"
    assert (await writer.http.get(path)).json()["type"] == "concept", "what was set by hand stays"
    less = (await curator.http.patch(path, json={"aliases": ["Rust"], "type": "decision"})).json()
    assert (less["aliases"], less["kinds"]) == (["Rust"], ["Decision"])
    meant = (await writer.http.get(f"/v1/entities/{found.entity_id}")).json()
    assert meant["id"] == found.entity_id, "a name taken away leads nowhere"


async def test_a_name_that_is_taken_away_is_gone_unless_another_bears_it(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    ids = await a_world(opened, writer)
    curator = await curator_of(principal, writer)
    scope = writer.caller.home
    path = f"/v1/entities/{ids['Rust']}"
    other = next(name for name in ids if name != "Rust")
    for one, names in ((path, ["Rust", "Ferris", "Oxide"]), (f"/v1/entities/{ids[other]}", None)):
        stored = (await curator.http.get(one)).json()["aliases"]
        body = {"aliases": names or [*stored, "Oxide"]}
        assert (await curator.http.patch(one, json=body)).is_success

    async def keys() -> set[str]:
        rows = await opened.graph.raw(
            "MATCH (a:Alias {scope: $s}) RETURN DISTINCT a.key AS key", s=scope
        )
        return {row["key"] for row in rows}

    assert {"ferris", "oxide"} <= await keys()
    assert (await curator.http.patch(path, json={"aliases": ["Rust"]})).is_success
    left = await keys()
    assert "ferris" not in left
    assert "oxide" in left, "somebody else goes by it"
    assert await broken(opened.graph, scope.partition("/")[0]) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"type": "animal"}, "type"),
        ({"aliases": ["Something Else"]}, "aliases"),
        ({"aliases": []}, "aliases"),
        ({"attributes": {"a": [1]}}, "attributes"),
        ({"color": "red"}, "color"),
    ],
)
async def test_a_bad_change_names_its_field_and_changes_nothing(
    opened: Parts,
    writer: Principal,
    principal: MakePrincipal,
    body: dict[str, object],
    field: str,
) -> None:
    ids = await a_world(opened, writer)
    curator = await curator_of(principal, writer)
    before = (await writer.http.get(f"/v1/entities/{ids['Rust']}")).json()
    answer = await curator.http.patch(f"/v1/entities/{ids['Rust']}", json=body)
    assert answer.status_code in {400, 422}
    assert field in answer.text
    assert (await writer.http.get(f"/v1/entities/{ids['Rust']}")).json() == before


async def test_a_writer_changes_nothing_by_hand(opened: Parts, writer: Principal) -> None:
    ids = await a_world(opened, writer)
    answer = await writer.http.patch(f"/v1/entities/{ids['Rust']}", json={"type": "concept"})
    assert answer.status_code == 403


async def test_attributes_pass_the_sanitising_step(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    ids = await a_world(opened, writer)
    curator = await curator_of(principal, writer)
    body = {"attributes": {"contact": "write to anna@example.com"}}
    changed = (await curator.http.patch(f"/v1/entities/{ids['Rust']}", json=body)).json()
    assert "anna@example.com" not in changed["attributes"]["contact"]


async def test_a_moment_before_now_is_asked_with_a_zone(opened: Parts, writer: Principal) -> None:
    ids = await a_world(opened, writer)
    moment = datetime.now(UTC).isoformat()
    path = f"/v1/entities/{ids['Acme']}/neighbours"
    seen = await writer.http.get(path, params={"as_of": moment, "known_at": moment})
    assert seen.status_code == 200
