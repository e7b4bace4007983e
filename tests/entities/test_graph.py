"""Entities in the graph: concurrent writers, repeated passes, counts that stay derivable."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from app.entities.digest import scope_digest
from app.entities.following import follow_rules, touched_by
from app.entities.model import Context, Known, Resolved
from app.entities.repository import EntityRepository, combined, gaining, mention_rows
from app.entities.resolve import resolve
from app.episodes.model import Capture
from app.extraction.model import Mention, Span
from app.kernel.clock import now
from app.kernel.graph import Tx
from app.wiring import Parts
from tests.conftest import Principal

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)
Pairs = Sequence[tuple[str, str]]


def mentions_of(pairs: Pairs) -> list[Mention]:
    return [
        Mention(name, kind, Span(100 * i, 100 * i + len(name)))
        for i, (name, kind) in enumerate(pairs)
    ]


def ids_of(resolved: Sequence[Resolved]) -> list[str]:
    return [answer.entity_id for answer in resolved]


async def bearers(opened: Parts, scope: str, key: str) -> list[Known]:
    """Who bears a normalised name."""
    async with opened.graph.driver.session() as session:
        found = await session.run(
            "MATCH (:Alias {scope: $scope, key: $key})-[:NAMES]->(e:Entity) RETURN e.id AS id",
            scope=scope, key=key,
        )  # fmt: skip
        ids = [row["id"] for row in await found.data()]
    known = await EntityRepository(opened.graph).known(scope, ids)
    return [known[i] for i in sorted(known)]


async def an_episode(opened: Parts, writer: Principal, text: str, session: str = "s") -> str:
    receipt = await opened.episodes.capture(
        writer.caller, Capture(content=text, session=session, role="user")
    )
    assert receipt.id is not None
    return receipt.id


async def take_in(opened: Parts, scope: str, episode: str, pairs: Pairs) -> list[Resolved]:
    """What consolidation does with one episode's mentions."""
    rows = EntityRepository(opened.graph)
    resolved = resolve(mentions_of(pairs), scope, Context(AT))
    told = [r.row for r in resolved if r.row]

    async def work(tx: Tx) -> None:
        known = await rows.known(scope, ids_of(resolved), tx)
        await rows.upsert(tx, told, known)
        words = {r.key.split()[0] for r in resolved}
        await follow_rules(tx, scope, touched_by(gaining(told, known), words), AT)
        await rows.link_mentions(tx, [mention_rows(episode, resolved)])

    await opened.graph.write("test.take_in", work)
    return resolved


async def counts(opened: Parts, scope: str) -> dict[tuple[str, str], int]:
    """How many episodes mention both of two entities, by ids, as the neighbourhood tells it and as
    it follows from MENTIONS."""
    async with opened.graph.driver.session() as session:
        derived = await session.run(
            "MATCH (a:Entity {scope: $scope})<-[:MENTIONS]-(ep:Episode)-[:MENTIONS]->(b:Entity) "
            "WHERE a.id < b.id RETURN a.id AS a, b.id AS b, count(DISTINCT ep) AS n", scope=scope,
        )  # fmt: skip
        kept = {(r["a"], r["b"]): r["n"] for r in await derived.data()}
        roots = await session.run(
            "MATCH (e:Entity {scope: $scope}) RETURN e.id AS id, e.root AS root", scope=scope
        )
        root = {r["id"]: r["root"] for r in await roots.data()}
    shown: dict[tuple[str, str], int] = {}
    moments = {"as_of": now(), "known_at": now()}
    rows = EntityRepository(opened.graph)
    for row in await rows.hop(sorted(set(root.values())), scopes=[scope], fan=1000, **moments):
        if row["kind"] == "COOCCURS":
            shown[row["root"], row["other"]] = row["count"]
    summed: Counter[tuple[str, str]] = Counter()
    for (one, other), n in kept.items():
        if root[one] != root[other]:
            summed[root[one], root[other]] += n
            summed[root[other], root[one]] += n
    assert shown == summed
    return kept


async def test_a_name_is_found_again(opened: Parts, writer: Principal) -> None:
    scope = writer.caller.home
    first = await an_episode(opened, writer, "Müller Technik GmbH nutzt Rust.")
    one = await take_in(
        opened, scope, first, [("Müller Technik GmbH", "organization"), ("Rust", "technology")]
    )
    second = await an_episode(opened, writer, "Mueller Technik chose Go.")
    other = await take_in(
        opened, scope, second, [("Mueller Technik", "unknown"), ("Go", "technology")]
    )
    found = await bearers(opened, scope, "mueller technik")
    assert {bearer.root for bearer in found} == {one[0].entity_id}
    assert {b.id: b.aliases for b in found} == {
        one[0].entity_id: {"Müller Technik GmbH"},
        other[0].entity_id: {"Mueller Technik"},
    }
    assert {b.type for b in found} == {"organization", "unknown"}
    assert {b.keys[0] for b in found} == {"mueller technik"}


async def test_another_scope_knows_nothing_of_it(
    opened: Parts, writer: Principal, admin: Principal
) -> None:
    scope = writer.caller.home
    episode = await an_episode(opened, writer, "Rust.")
    await take_in(opened, scope, episode, [("Rust", "technology")])
    (rust,) = await bearers(opened, scope, "rust")
    assert await EntityRepository(opened.graph).known(f"{scope}/user:anna", [rust.id]) == {}


async def test_eight_writers_of_one_name_make_one_entity(opened: Parts, writer: Principal) -> None:
    scope = writer.caller.home
    rows = EntityRepository(opened.graph)
    pairs = [
        ("DGIA", "organization"), ("DGIA e.V.", "group"), ("Thomas Müller", "person"),
        ("Rust", "technology"), ("Zürich", "place"),
    ]  # fmt: skip
    for turn in range(10):
        named = [(f"{name} {chr(65 + turn)}x", kind) for name, kind in pairs]
        resolved = resolve(mentions_of(named), scope, Context(AT))

        async def work(tx: Tx, made: list[Resolved] = resolved) -> None:
            await rows.upsert(tx, [r.row for r in reversed(made) if r.row])

        await asyncio.gather(*(opened.graph.write("test.mint", work) for _ in range(8)))
        known = await rows.known(scope, ids_of(resolved))
        assert set(known) == set(ids_of(resolved))
    async with opened.graph.driver.session() as session:
        found = await session.run(
            "MATCH (e:Entity {scope: $scope}) RETURN count(e) AS n, count(DISTINCT e.id) AS ids",
            scope=scope,
        )
        row = await found.single(strict=True)
    assert row["n"] == row["ids"] == 50


async def test_races_of_many_episodes_count_each_pair_once(
    opened: Parts, writer: Principal
) -> None:
    scope = writer.caller.home
    names = [("Anna Weber", "person"), ("Acme", "organization"), ("Rust", "technology")]
    episodes = [await an_episode(opened, writer, f"Turn {i}.") for i in range(8)]
    await asyncio.gather(*(take_in(opened, scope, e, names) for e in episodes))
    assert set((await counts(opened, scope)).values()) == {8}


async def test_a_second_pass_changes_nothing(opened: Parts, writer: Principal) -> None:
    scope = writer.caller.home
    pairs = [
        [("Thomas Weber", "person"), ("Weber", "person"), ("Acme GmbH", "organization")],
        [("Acme", "unknown"), ("Zürich", "place"), ("Thomas Weber", "person")],
        [("Rust", "technology"), ("Zurich", "unknown")],
    ]
    episodes = [await an_episode(opened, writer, f"Turn {i}.") for i in range(3)]
    for episode, said in zip(episodes, pairs, strict=True):
        await take_in(opened, scope, episode, said)
    before = await scope_digest(opened.graph, scope)
    stored = await counts(opened, scope)
    for episode, said in zip(episodes, pairs, strict=True):
        await take_in(opened, scope, episode, said)
    assert await scope_digest(opened.graph, scope) == before
    assert await counts(opened, scope) == stored
    assert sorted(stored.values()) == [1, 1, 1, 1, 1]


async def test_what_an_episode_mentioned_is_taken_back(opened: Parts, writer: Principal) -> None:
    scope = writer.caller.home
    rows = EntityRepository(opened.graph)
    first = await an_episode(opened, writer, "One.")
    second = await an_episode(opened, writer, "Two.")
    await take_in(opened, scope, first, [("Anna Weber", "person"), ("Rust", "technology")])
    before = await counts(opened, scope)
    await take_in(
        opened, scope, second,
        [("Anna Weber", "person"), ("Rust", "technology"), ("Go", "technology")],
    )  # fmt: skip
    gone = await opened.graph.write("test", lambda tx: rows.unlink_mentions(tx, [second]))
    assert await counts(opened, scope) == before
    assert sorted(row["mention_count"] for row in gone) == [0, 1, 1]


async def test_mentions_never_leave_the_scope(
    opened: Parts, writer: Principal, admin: Principal
) -> None:
    scope = writer.caller.home
    episode = await an_episode(opened, writer, "Rust.")
    await take_in(opened, scope, episode, [("Rust", "technology")])
    foreign = await opened.episodes.capture(
        admin.caller, Capture(content="Rust.", session="s", role="user")
    )
    rows = EntityRepository(opened.graph)
    resolved = resolve(mentions_of([("Rust", "technology")]), scope, Context(AT))
    assert foreign.id is not None
    await opened.graph.write(
        "test", lambda tx: rows.link_mentions(tx, [mention_rows(str(foreign.id), resolved)])
    )
    (bearer,) = await bearers(opened, scope, "rust")
    async with opened.graph.driver.session() as session:
        query = "MATCH (e:Entity {id: $id})<-[m:MENTIONS]-() RETURN count(m) AS n"
        found = await (await session.run(query, id=bearer.id)).single(strict=True)
    assert found["n"] == 1


async def test_names_keep_being_added_under_a_race(opened: Parts, writer: Principal) -> None:
    scope = writer.caller.home
    rows = EntityRepository(opened.graph)
    spellings = ["Acme GmbH", "ACME", "Acme", "acme", "The Acme", "Acme Gmbh"]

    async def mint(name: str) -> None:
        resolved = resolve(mentions_of([(name, "organization")]), scope, Context(AT))
        await opened.graph.write(
            "test", lambda tx: rows.upsert(tx, [r.row for r in resolved if r.row])
        )

    await asyncio.gather(*(mint(name) for name in spellings))
    found = {bearer.marks: bearer.aliases for bearer in await bearers(opened, scope, "acme")}
    assert found == {
        frozenset(): {"ACME", "Acme", "The Acme", "acme"},
        frozenset({"legal:gmbh"}): {"Acme GmbH", "Acme Gmbh"},
    }


async def test_episodes_of_one_transaction_are_written_as_one(
    opened: Parts, writer: Principal
) -> None:
    scope = writer.caller.home
    rows = EntityRepository(opened.graph)
    said = [[("Vega", "product")], [("VEGA", "project")], [("the Vega", "artifact")]]
    written = [
        r.row for pairs in said for r in resolve(mentions_of(pairs), scope, Context(AT)) if r.row
    ]
    for order in (written, written[::-1]):
        (row,) = combined(order)
        assert row["entity"]["aliases"] == ["VEGA", "Vega"], "articles are no part of a name"
        assert row["entity"]["type"] == "project"
    await opened.graph.write("test", lambda tx: rows.upsert(tx, written))
    (bearer,) = await bearers(opened, scope, "vega")
    assert (bearer.aliases, bearer.type) == ({"VEGA", "Vega"}, "project")
    assert gaining(written, {bearer.id: bearer}) == []


async def test_what_gains_nothing_is_locked_and_what_is_gone_is_written_again(
    opened: Parts, writer: Principal
) -> None:
    scope = writer.caller.home
    rows = EntityRepository(opened.graph)
    context = Context(AT)
    mentions = mentions_of([("Rust", "technology"), ("Oslo", "place")])
    episode = await an_episode(opened, writer, "Rust in Oslo.")
    await take_in(opened, scope, episode, [("Rust", "technology"), ("Oslo", "place")])
    before = await scope_digest(opened.graph, scope)
    resolved = resolve(mentions, scope, context)
    known = await rows.known(scope, ids_of(resolved))
    told = [r.row for r in resolved if r.row]

    roots = await opened.graph.write("test", lambda tx: rows.upsert(tx, told, known))
    assert roots == {r.entity_id: r.entity_id for r in resolved}
    assert await scope_digest(opened.graph, scope) == before

    async with opened.graph.driver.session() as session:
        await session.run("MATCH (e:Entity {id: $id}) DETACH DELETE e", id=resolved[1].entity_id)
    roots = await opened.graph.write("test", lambda tx: rows.upsert(tx, told, known))
    assert roots == {r.entity_id: r.entity_id for r in resolved}
    assert [bearer.id for bearer in await bearers(opened, scope, "oslo")] == [resolved[1].entity_id]
    async with opened.graph.driver.session() as session:
        found = await session.run(
            "MATCH (e:Entity {id: $id}) RETURN e.type AS type", id=resolved[1].entity_id
        )
        assert (await found.single(strict=True))["type"] == "place"


async def test_a_first_reading_counts_what_the_slow_way_counts(
    opened: Parts, writer: Principal
) -> None:
    scope = writer.caller.home
    rows = EntityRepository(opened.graph)
    said = [["Rust", "Oslo", "Go"], ["Rust", "Go", "Go"], ["Oslo"]]
    episodes = [await an_episode(opened, writer, f"{words}", session="w") for words in said]
    written = []
    for episode, words in zip(episodes, said, strict=True):
        pairs = [(word, "unknown") for word in words]
        resolved = resolve(mentions_of(pairs), scope, Context(AT))
        await opened.graph.write(
            "test", lambda tx, made=resolved: rows.upsert(tx, [r.row for r in made if r.row])
        )
        written.append(mention_rows(episode, resolved))
    await opened.graph.write("test", lambda tx: rows.link_mentions(tx, written, set()))
    fast = await scope_digest(opened.graph, scope)
    await opened.graph.write("test", lambda tx: rows.unlink_mentions(tx, episodes))
    assert await scope_digest(opened.graph, scope) != fast
    await opened.graph.write("test", lambda tx: rows.link_mentions(tx, written))
    assert await scope_digest(opened.graph, scope) == fast
