"""What is learnt in every scope of the world: of tasks that have ended, of what agents were told,
and of facts for which enough people stand."""

from __future__ import annotations

import random

from bench.rights import Item, Register
from tests.security.keeping import ask, item
from tests.security.worlds import Person, World

ALIKE = 3  # tasks that make an intent
PROTOCOL = "/agent-memory/v1"
PASSED = {"checks": [{"kind": "test", "passed": True}]}


async def taught(world: World, who: Person) -> list[Item]:
    """Let somebody end tasks, let a conversation go, tell the agent-memory protocol of an entity,
    and have a fact copied to where all of the tenant see it."""
    register = Register(random.Random(who.home))
    return [
        *await _tasks(who, register.word("zq")),
        await _left(who, register.word("zq")),
        *await _told(world, who, register.word("zq")),
        *await _promoted(world, who, register.word("g")),
    ]


async def learnt(world: World, who: Person) -> list[Item]:
    """Find the intent of tasks that are alike, which takes their vectors, and write down what was
    learnt."""
    boss, scope = world.boss(who.home), {"scope": who.home}
    found = await ask(boss, "POST", "/v1/intents/find", scope | {"dry_run": False})
    await ask(boss, "POST", "/v1/learned/collect", scope | {"dry_run": False})
    intents = (await boss.http.get("/v1/intents", params=scope)).json()["items"]
    entries = (await boss.http.get("/v1/learned", params=scope)).json()["items"]
    assert intents, f"no intent in {who.home}"
    assert entries, f"nothing was learnt in {who.home}"
    return [
        *(item("intent", who, one["id"], intent=one["id"], batch=found["receipt"])
          for one in intents),
        *(item("learned", who, one["id"], learned=one["id"]) for one in entries),
    ]  # fmt: skip


async def logged(world: World) -> list[Item]:
    """Write the log of what passes over the memory have changed."""
    await world.opened.learning.refresh()
    made = []
    for place in world.places:
        boss = world.boss(place.path)
        answer = await boss.http.get("/v1/learning-log", params={"scope": place.path})
        entries = answer.json()["items"]
        assert entries, f"no entry of {place.path}"
        made += [
            Item("logged", one["id"], one["id"], place.path, boss.id, {"logged": one["id"]})
            for one in entries
        ]
    return made


async def _tasks(who: Person, mark: str) -> list[Item]:
    """Tasks of one session that are alike and have ended."""
    made = []
    for _ in range(ALIKE):
        task = {"task": f"Paint the harbour crane {mark} again.", "session": mark}
        segment = (await ask(who, "POST", "/v1/segments", task))["id"]
        await ask(who, "POST", f"/v1/segments/{segment}/end", PASSED)
        made.append(item("ended task", who, mark, segment=segment, about=segment))
    return made


async def _left(who: Person, mark: str) -> Item:
    """A message that has left its buffer."""
    path = f"/v1/conversations/{mark}/messages"
    said = {"role": "user", "content": f"The crane {mark} lifts crates."}
    made = await ask(who, "POST", path, {"messages": [said]})
    await ask(who, "DELETE", path)
    leaf = f"{who.home}/agent:{who.name}"
    return Item("left", mark, mark, leaf, who.id, {"episode_id": made["receipts"][0]["id"]})


async def _told(world: World, who: Person, mark: str) -> list[Item]:
    """An entity of which messages tell, a note that was made of them, a step that touched it."""
    name = f"{mark.capitalize()} Olsen"
    entity = await ask(who, "POST", f"{PROTOCOL}/entities", {"name": name, "type": "person"})
    said = {"role": "user", "content": f"{name} works for {mark.capitalize()} GmbH."}
    await ask(who, "POST", f"{PROTOCOL}/conversations/{mark}/messages", said)
    await world.opened.consolidation.consolidate(who.home)
    note = await ask(who, "POST", "/v1/notes", {"content": f"{name} likes the berth."})
    await _derived(world, who, note["id"], mark)
    step = {"conversationId": mark, "reasoning": f"Who is {mark}?"}
    made = await ask(who, "POST", f"{PROTOCOL}/reasoning/steps", step)
    used = {"stepId": made["id"], "toolName": "look", "output": f'{{"entity": "{entity["id"]}"}}'}
    await ask(who, "POST", f"{PROTOCOL}/reasoning/tool-calls", used)
    plain = entity["id"].replace("-", "")
    ids = {"talk": mark, "entity": entity["id"], "entity_id": plain, "node_id": plain}
    return [
        Item("told", mark, mark, who.home, who.id, ids, words=frozenset({"talk"})),
        item("derived note", who, mark, note_id=note["id"], memory_id=note["id"]),
    ]


async def _derived(world: World, who: Person, note: str, mark: str) -> None:
    """Let a note be one that was made of messages, as sorting makes them of a conversation's."""
    rows = await world.opened.graph.raw(
        "MATCH (n:Note {id: $note}) MATCH (m:TranscriptMessage {scope: $scope}) "
        "MATCH (p:Passage {id: m.refers}) WHERE toLower(p.content) CONTAINS $mark "
        "MERGE (n)-[:DERIVED_FROM]->(p) RETURN p.id AS id",
        note=note,
        scope=who.home,
        mark=mark,
    )
    assert rows, f"no message of {mark}"


async def _promoted(world: World, who: Person, name: str) -> list[Item]:
    """A fact for which two stand, and its copy in the tenant's scope: that holds no word of the
    workspace's own, since all are told of it."""
    boss, scope = world.boss(who.home), {"scope": who.home}
    if who.home == boss.home:
        return []
    subject = {"name": f"{name.capitalize()} GmbH", "type": "organization"}
    statement = {"subject": subject, "predicate": "based_in", "object": {"name": "Ulm"}}
    made = await ask(who, "POST", "/v1/facts:remember", {"statement": statement})
    fact = made["facts"][0]["id"]
    for one in (who, boss):
        await ask(one, "POST", f"/v1/facts/{fact}/attest")
    await ask(boss, "POST", "/v1/promotions", scope)
    (done,) = (await boss.http.get("/v1/promotions", params=scope)).json()["items"]
    copy = Item("copy", done["copy"], name, boss.home, boss.id, {"fact_id": done["copy"]})
    return [item("promotion", who, done["id"], promotion=done["id"], fact_id=fact), copy]
