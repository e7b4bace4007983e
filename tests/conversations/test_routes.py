"""Buffers over HTTP: bounds, what leaves, what is held back from every door, and for whom."""

from __future__ import annotations

from typing import Any

import pytest

from app.kernel.caller import Role
from app.kernel.cypher import Q
from app.kinds import KINDS
from app.turns.recalling import NOTHING
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.conversations.conftest import (
    URL,
    append,
    buffer,
    clear,
    ids,
    lines,
    message,
    search,
    told,
    window,
)


async def test_the_eleventh_message_moves_the_oldest_to_mid_term(writer: Principal) -> None:
    said = lines(11)
    done = await append(writer, "talk", *said[:10])
    assert (done["buffered"], done["left"]) == (10, [])
    assert done["scope"].endswith("/agent:scout"), "an agent's own leaf"
    assert await buffer(writer, "talk") == said[:10]
    assert await search(writer, "crate lamps") == []
    first = ids(done)[0]
    done = await append(writer, "talk", said[10])
    assert (done["buffered"], done["left"]) == (10, [first])
    assert await buffer(writer, "talk") == said[1:]
    assert await search(writer, "crate lamps") == [said[0]]
    assert await window(writer, "talk") == said
    figures = await told(writer, f"{URL}/talk")
    assert (figures["messages"], figures["buffered"], figures["buffer_most"]) == (11, 10, 10)
    assert (figures["mid_term"], figures["waiting"]) == (1, 1)


async def test_messages_come_back_as_they_were_said(writer: Principal) -> None:
    at = "2026-05-02T08:00:00Z"
    done = await append(
        writer,
        "talk",
        message("Which lamp?", speaker="Nele", at=at),
        message("The green one.", role="assistant"),
        message("ok"),
        message("ok"),
        message("Obey.", role="system"),
        message("   "),
        {"content": "x", "role": "poet"},
    )
    statuses = [receipt["status"] for receipt in done["receipts"]]
    assert statuses == ["accepted"] * 4 + ["refused"] * 3, "equal texts are two messages"
    read = (await told(writer, f"{URL}/talk/messages"))["messages"]
    assert [one["role"] for one in read] == ["user", "assistant", "user", "user"]
    assert (read[0]["at"], read[0]["untrusted"]["speaker"]) == (at, "Nele")
    assert [one["id"] for one in read] == ids(done)[:4]


async def test_more_than_a_buffer_at_once_and_the_bounds_of_a_window(writer: Principal) -> None:
    said = lines(60)
    done = await append(writer, "talk", *said)
    assert done["left"] == ids(done)[:50]
    assert await buffer(writer, "talk") == said[50:]
    assert await window(writer, "talk") == said[10:]
    assert await window(writer, "talk", limit=3) == said[57:]
    for limit in (0, 51):
        answer = await writer.http.get(f"{URL}/talk/window", params={"limit": limit})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == "limit"


async def test_a_conversation_that_begins_has_an_empty_buffer(writer: Principal) -> None:
    said = lines(3)
    await append(writer, "talk", *said)
    assert await clear(writer, "talk") == 3
    assert await clear(writer, "talk") == 0
    assert (await buffer(writer, "talk"), await window(writer, "talk")) == ([], [])
    assert sorted(await search(writer, "crate lamps")) == said, "mid-term memory stays"
    await append(writer, "talk", "The next talk is of ropes.")
    done = await append(writer, "talk", "And of sails.", begins=True)
    assert len(done["left"]) == 1
    assert await buffer(writer, "talk") == ["And of sails."]
    assert await buffer(writer, "unheard") == []
    assert (await told(writer, f"{URL}/unheard"))["messages"] == 0


async def test_every_door_holds_back_what_is_in_a_buffer(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    said = "Gisbert Holm works for Acme GmbH, and his cellar key hangs behind the clock."
    await append(writer, "talk", said, scope=scope)
    await opened.consolidation.consolidate(scope)
    other = await principal(scope, name="other")
    query = "Where does the cellar key of Gisbert Holm hang?"

    async def found(who: Principal) -> dict[str, bool]:
        graphql = (
            "query($q: String!) { search(input: {query: $q}) { hits { untrusted { text } } } }"
        )
        asked: dict[str, tuple[str, dict[str, Any]]] = {
            "search": ("/v1/search", {"query": query}),
            "bundle": ("/v1/search", {"query": query, "form": "bundle"}),
            "context": ("/v1/rag/context", {"query": query}),
            "retrieve": ("/v1/rag/retrieve", {"query": query}),
            "graphql": ("/graphql", {"query": graphql, "variables": {"q": query}}),
            "turn": (
                "/v1/turns",
                {"session": "talk", "messages": [{"content": query}], "scope": scope},
            ),
        }
        shown = {}
        for door, (url, body) in asked.items():
            answer = await who.http.post(url, json=body)
            assert answer.status_code == 200, f"{door} {answer.text}"
            shown[door] = "behind the clock" in answer.text
        return shown

    doors = ["search", "bundle", "context", "retrieve", "graphql", "turn"]
    assert await found(writer) == dict.fromkeys(doors, False)
    assert await found(other) == dict.fromkeys(doors, True), "the scope is shared, not the buffer"
    await clear(writer, "talk")
    assert await found(writer) == dict.fromkeys(doors, True), "it left the buffer"


async def test_another_conversation_recalls_what_this_one_has_in_mind(writer: Principal) -> None:
    await append(writer, "one", "The spare fuse is in the blue tin.")
    recalled = await recall(writer, "two", query="Where is the spare fuse?")
    assert [hit["untrusted"]["text"] for hit in recalled["hits"]] == [
        "The spare fuse is in the blue tin."
    ]
    assert (await recall(writer, "one", query="Where is the spare fuse?"))["hits"] == []


async def test_a_buffer_that_rests_is_recalled(opened: Parts, writer: Principal) -> None:
    await append(writer, "talk", "The spare fuse is in the blue tin.")
    assert await search(writer, "spare fuse") == []
    await opened.graph.raw(
        "MATCH (c:Conversation {agent: $who}) SET c.open_until = datetime() - duration('PT1S')",
        who=writer.caller.principal,
    )
    assert await search(writer, "spare fuse") == ["The spare fuse is in the blue tin."]
    assert await buffer(writer, "talk") == ["The spare fuse is in the blue tin."]


async def test_an_agent_never_finds_the_mid_term_memory_of_another(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    other = await principal(f"{tenant}/dev", name="other")
    done = await append(writer, "talk", *lines(12))
    assert len(await search(writer, "crate lamps")) == 2
    assert await search(other, "crate lamps") == []
    assert await buffer(other, "talk") == []
    assert await buffer(other, done["id"]) == []
    assert (await told(other, f"{URL}/talk"))["messages"] == 0
    for url in ("messages", "window"):
        answer = await other.http.get(f"{URL}/talk/{url}", params={"scope": done["scope"]})
        assert answer.status_code == 404
    body = {"messages": [message("x")], "scope": done["scope"]}
    assert (await other.http.post(f"{URL}/talk/messages", json=body)).status_code == 404
    curator = await principal(tenant, role=Role.ADMIN, name="boss", kind="user")
    assert await buffer(curator, "talk", scope=done["scope"]) == [], "not even an admin"
    mine = await append(other, "talk", "Mine is another talk.")
    assert mine["id"] != done["id"]


async def test_a_reader_appends_nothing(principal: MakePrincipal, tenant: str) -> None:
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="eye")
    answer = await reader.http.post(f"{URL}/t/messages", json={"messages": [message("x")]})
    assert answer.status_code == 403
    assert (await reader.http.get(f"{URL}/t/messages")).status_code == 200
    bad: list[dict[str, Any]] = [{}, {"messages": []}, {"messages": [message("x")], "more": 1}]
    for body in bad:
        assert (await reader.http.post(f"{URL}/t/messages", json=body)).status_code in (422, 403)


async def test_a_name_that_tells_too_much_is_refused(writer: Principal) -> None:
    body = {"messages": [message("x")]}
    answer = await writer.http.post(f"{URL}/nele@example.org/messages", json=body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "conversation")
    assert (await told(writer, f"{URL}/nele@example.org"))["messages"] == 0


async def test_turns_use_the_buffer(writer: Principal) -> None:
    said = lines(11)
    for place in range(10):
        turn = await take(writer, said[place])
        assert turn["conversation"]["buffered"] == place + 1
        assert turn["recalled"]["hits"] == []
    turn = await take(writer, said[10])
    assert len(turn["conversation"]["left"]) == 1
    assert [hit["id"] for hit in turn["recalled"]["hits"]] == turn["conversation"]["left"]
    assert await buffer(writer, "talk") == said[1:], "found at home, where turns are written"
    again = await take(writer, said[10])
    assert again["conversation"]["left"] == [], "handed in again it is there already"
    again = await take(writer, said[0])
    assert await buffer(writer, "talk") == [*said[2:], said[0]], "said again, it is in mind again"
    assert said[0] not in str(again["recalled"])
    turn = await take(writer, "A new day.", begins=True)
    assert (turn["conversation"]["buffered"], len(turn["conversation"]["left"])) == (1, 10)


async def test_nothing_is_searched_where_nothing_is_held(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    await append(writer, "talk", "Is there a spare fuse?")
    answer = await recall(writer, "talk")
    assert (answer["searched"], answer["relevant"], answer["text"]) == (False, False, NOTHING)
    turn = await take(writer, "Is there a spare fuse at all?", scope=answer_scope(writer))
    assert turn["recalled"]["milliseconds"] == {}
    assert turn["recalled"]["count"] == 0
    other = await principal(f"{tenant}/dev", name="other")
    shared = {"content": "The heron nests in the reeds.", "session": "s"}
    assert (await other.http.post("/v1/episodes", json=shared)).status_code == 201
    answer = await recall(writer, "talk")
    assert (answer["searched"], answer["relevant"], answer["text"]) == (True, False, NOTHING)


def test_whatever_is_recalled_is_looked_for_before_a_search() -> None:
    labels = [kind.label.value for kind in KINDS if kind.recalled]
    assert labels
    assert [label for label in labels if f"(n:{label})" not in Q.conversations.anything.text] == []


async def test_who_holds_contexts_alone_is_searched_for(writer: Principal) -> None:
    await append(writer, "talk", "Where is the spare fuse?")
    made = await writer.http.post("/v1/contexts", json={"name": "Cellar", "type": "knowledge_base"})
    entry = {"key": "fuse", "content": "The spare fuse is in the blue tin."}
    answer = await writer.http.post(f"/v1/contexts/{made.json()['id']}/entries", json=entry)
    assert answer.is_success, answer.text
    assert (await recall(writer, "talk"))["searched"]


async def test_what_is_recalled_for_a_message(writer: Principal) -> None:
    long = "The spare fuse number {} is in the blue tin on the shelf. " + "It is old. " * 40
    for place in range(12):
        body = {"content": long.format(place), "session": "before"}
        assert (await writer.http.post("/v1/episodes", json=body)).status_code == 201
    await append(
        writer,
        "talk",
        "The boiler fuse blew in May.",
        message("Shall I look for one?", role="assistant"),
        "ok",
        "My bicycle has a flat tyre.",
        "thanks",
        message("Noted.", role="assistant"),
        "Where is the spare fuse number 3?",
    )
    answer = await recall(writer, "talk")
    assert (answer["searched"], answer["relevant"]) == (True, True)
    assert len(answer["hits"]) == 8
    assert all(len(hit["untrusted"]["text"]) <= 200 for hit in answer["hits"])
    assert answer["text"].startswith("8 memories recalled")
    assert [one["untrusted"]["content"] for one in answer["buffer"]] == [
        "The boiler fuse blew in May.",
        "My bicycle has a flat tyre.",
        "Where is the spare fuse number 3?",
    ]
    assert len((await recall(writer, "talk", hits=2))["hits"]) == 2
    cut = await recall(writer, "talk", query="Hm. " * 75 + "Where is the spare fuse?")
    assert cut["hits"] == [], "300 characters are looked at"


async def recall(who: Principal, talk: str, **body: Any) -> dict[str, Any]:
    """What is recalled for a message."""
    answer = await who.http.post(f"{URL}/{talk}/recall", json=body)
    assert answer.status_code == 200, answer.text
    done: dict[str, Any] = answer.json()
    return done


async def take(who: Principal, content: str, **more: Any) -> dict[str, Any]:
    """A turn of one message."""
    body = {"session": "talk", "messages": [message(content)], **more}
    answer = await who.http.post("/v1/turns", json=body)
    assert answer.status_code == 200, answer.text
    done: dict[str, Any] = answer.json()
    return done


def answer_scope(who: Principal) -> str:
    return f"{who.caller.home}/agent:{who.caller.name}"


@pytest.mark.parametrize("hits", [0, 51])
async def test_bad_bounds_are_named(writer: Principal, hits: int) -> None:
    answer = await writer.http.post(f"{URL}/talk/recall", json={"hits": hits})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "hits")


@pytest.mark.parametrize("name", ["x" * 401, "%E2%80%8B", "%20%E2%80%8B"])
async def test_a_name_of_which_nothing_is_seen_or_too_much_is_refused(
    writer: Principal, name: str
) -> None:
    body = {"messages": [message("The crane is red.")]}
    answers = [
        await writer.http.post(f"{URL}/{name}/messages", json=body),
        await writer.http.get(f"{URL}/{name}/messages"),
        await writer.http.delete(f"{URL}/{name}/messages"),
    ]
    for answer in answers:
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"][0]["field"] == "conversation"


async def test_clearing_what_nobody_said_makes_nothing(opened: Parts, writer: Principal) -> None:
    assert await clear(writer, "anna@example.com") == 0
    rows = await opened.graph.raw(
        "MATCH (c:Conversation {agent: $agent}) RETURN c.id", agent=writer.caller.principal
    )
    assert rows == []
