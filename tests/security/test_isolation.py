"""Whoever asks whatever, nothing of what lies out of sight comes back: random callers, operations
and ids over every route that reads, every root field of GraphQL, writes to what is another's, jobs,
and bodies that are streamed in and out; every text of each scope carries a word of its own. An
answer's head is looked at as its body is, and an id out of sight is as bad as a word.

`LOCI_ISOLATION_TRIALS` sets how many trials there are; 10,000 take eight minutes.
"""

from __future__ import annotations

import io
import os
import random
import re
import tarfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import orjson
import pytest
import zstandard
from graphql import GraphQLInputObjectType, GraphQLNonNull, get_named_type, is_required_argument
from graphql.type import GraphQLArgument, GraphQLObjectType

from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.graphql.test_reading import SCHEMA, selection

TRIALS = int(os.environ.get("LOCI_ISOLATION_TRIALS", "500"))
SCOPES = ("", "/a", "/b", "/a/user:u", "/a/team:t")
OK = range(200, 300)
NOT_OFFERED = 501  # what a protocol has and Loci does not do
STREAMED = 0.02  # share of the trials that stream a body; each runs a job
INTRUDER = "zqintrudermf"  # what is streamed to where its caller may not write
ASKED = (  # routes that read by POST, with what they need
    ("/v1/search", {"query": "harbour report cranes"}),
    ("/v1/search", {"query": "harbour report cranes", "form": "bundle"}),
    ("/v1/rag/ask", {"query": "Who counts the cranes of the harbour?"}),
    ("/v1/rag/retrieve", {"query": "harbour report cranes"}),
    ("/v1/rag/context", {"query": "harbour report cranes"}),
    ("/api/v1/ai/rag/query", {"query": "harbour report cranes"}),
    ("/api/v1/ai/rag/search", {"query": "harbour report cranes"}),
)
ERASABLE = {"erasure": True}
# Parameters of paths by the kind of what they name.
KINDS = {
    "episode_id": "episode", "memory_id": "episode", "session": "session", "note_id": "note",
    "page_id": "page", "node_id": "page", "skill_id": "skill", "proposal_id": "proposal",
    "base_id": "base", "document_id": "document", "entity_id": "entity", "fact_id": "fact",
    "job_id": "job", "query_id": "query", "community_id": "community", "merge_id": "merge",
    "receipt_id": "receipt", "conflict_id": "conflict",
}  # fmt: skip
# Reads that show nothing that lies in a scope, and exports, which are streamed.
UNTRIED = re.compile(r"/health/|/metrics|/schema|exports/")


@dataclass
class Place:
    """One scope, the word that all its texts carry, and the ids of what lies in it."""

    path: str
    token: str
    ids: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, answer: httpx.Response, *, key: str = "id") -> dict[str, Any]:
        assert answer.status_code in OK, (kind, answer.text)
        made: dict[str, Any] = answer.json()
        self.ids.setdefault(kind, []).append(made[key])
        return made


@dataclass
class World:
    """Two tenants, their admins, and callers of each role in one workspace and beside it."""

    places: list[Place]
    callers: list[Principal]
    documented: dict[str, Any]
    opened: Parts

    def hidden(self, who: Principal) -> list[Place]:
        seen = set(who.caller.visible)
        return [place for place in self.places if place.path not in seen]


async def filled(opened: Parts, admin: Principal, place: Place) -> None:
    """Something of each kind in one scope."""
    token, scope = place.token, {"scope": place.path}
    said = {
        "content": f"{token.capitalize()} Berg lives in {token.capitalize()}burg. "
        f"The harbour report {token} counts the cranes again.",
        "session": f"s-{token}",
        "speaker": f"Speaker {token}",
        "tags": ["harbour", token],
    }
    http = admin.http
    made = place.add("episode", await http.post("/v1/episodes", json=said | scope))
    place.ids["session"] = [made["session_id"]]
    for name in ("Ada", "Ben", "Cleo", "Dora"):  # as many as make a community
        circle = {"content": f"{name} {token.capitalize()} works for {token.capitalize()} GmbH."}
        place.add("episode", await http.post("/v1/episodes", json=said | circle | scope))
    note = {"content": f"Cranes of the harbour {token} need oil.", "tags": [token]}
    place.add("note", await http.post("/v1/notes", json=note | scope))
    learning = {"content": f"The harbour {token} closes early.", "namespace": "learnings"}
    place.add("note", await http.post("/v1/notes", json=learning | scope))
    page = {"title": f"Harbour {token}", "content": f"Cranes: [[Dock {token}]] report {token}."}
    place.add("page", await http.post("/v1/pages", json=page | scope))
    dock = {"title": f"Dock {token}", "content": f"Back to [[Harbour {token}]]."}
    place.add("page", await http.post("/v1/pages", json=dock | scope))
    await with_skills(admin, place)
    block = {"content": f"Answers for the harbour {token}."}
    assert (await http.put("/v1/core-blocks/identity", json=block | scope)).status_code in OK
    proposal = {"name": f"Haul {token}", "category": "design"}
    place.add("proposal", await http.post("/v1/skill-proposals", json=proposal | scope))
    base = place.add(
        "base", await http.post("/v1/knowledge-bases", json={"name": f"B {token}"} | scope)
    )
    body = {"knowledge_base": base["id"], "name": f"{token}.txt", "text": f"Cranes {token}." * 9}
    taken = (await http.post("/v1/documents", json=body)).json()
    place.ids["document"], place.ids["job"] = [taken["document"]["id"]], [taken["job"]["id"]]
    assert await opened.runner.run(opened, taken["job"]["id"]) == "done"
    asked = await http.post(
        "/v1/rag/ask", json={"query": f"Who is {token}?", "scopes": [place.path]}
    )
    assert asked.status_code in OK, asked.text
    await opened.question_log.flush()
    await opened.consolidation.consolidate(place.path)
    await listed(http, place, fact="/v1/facts", entity="/v1/entities", query="/v1/rag/queries")
    pair = dict(zip(("left", "right"), place.ids["entity"], strict=False))
    place.add("merge", await http.post("/v1/merges", json=pair))
    passing = await http.post("/v1/notes", json={"content": f"Gone {token}."} | scope)
    gone = {"memory": passing.json()["id"]}
    place.add("receipt", await http.post("/v1/erasures", json=gone), key="receipt")
    started = await http.post("/v1/communities/refresh", json=scope)
    assert await opened.runner.run(opened, started.json()["job"]) == "done", started.text
    await listed(http, place, community="/v1/communities", conflict="/v1/skill-conflicts")


async def with_skills(admin: Principal, place: Place) -> None:
    """A skill with a version on trial, and another that needs it, and is needed by it."""
    http, token, scope = admin.http, place.token, {"scope": place.path}
    skill = {"name": f"Lift {token}", "category": "design", "body": f"Harbour cranes {token}."}
    one = place.add("skill", await http.post("/v1/skills", json=skill | scope))["id"]
    tried = {"body": f"Try {token}.", "change_type": "experimental"}
    assert (await http.patch(f"/v1/skills/{one}", json=tried)).status_code in OK
    versions = (await http.get(f"/v1/skills/{one}/versions")).json()["items"]
    (version,) = [each["version"] for each in versions if not each["is_active"]]
    started = await http.post(f"/v1/skills/{one}/experiment", json={"version": version})
    assert started.status_code in OK, started.text
    other = {"name": f"Hoist {token}", "category": "design", "body": f"Hoist {token}."}
    two = place.add("skill", await http.post("/v1/skills", json=other | scope))["id"]
    for source, target in ((one, two), (two, one)):
        link = {"target": target, "type": "requires"}
        assert (await http.post(f"/v1/skills/{source}/links", json=link)).status_code in OK
    scan = scope | {"dry_run": False}
    chore = await http.post("/v1/skill-chores/conflict-scan", json=scan)
    assert chore.status_code in OK, chore.text


async def listed(http: httpx.AsyncClient, place: Place, **paths: str) -> None:
    """Take the ids of what lists show of a scope."""
    for kind, path in paths.items():
        items = (await http.get(path, params={"scope": place.path})).json()["items"]
        assert items, f"no {kind} in {place.path}"
        place.ids[kind] = [item["id"] for item in items]


async def built(opened: Parts, principal: MakePrincipal, tenant: str) -> World:
    """The world of this test."""
    places, callers = [], []
    for number, name in enumerate((f"{tenant}p", f"{tenant}q")):
        admin = await principal(name, role=Role.ADMIN, name="boss", kind="user")
        callers.append(admin)
        rules = await admin.http.put("/v1/scopes/rules", params={"scope": name}, json=ERASABLE)
        assert rules.status_code in OK, rules.text
        for below in SCOPES[1:]:
            made = await admin.http.post("/v1/scopes", json={"scope": name + below})
            assert made.status_code in OK, made.text
        opened.keys.forget()
        for place, below in enumerate(SCOPES):
            places.append(Place(name + below, f"zq{'uvwxyz'[number]}{'abcdefgh'[place]}mf"))
            await filled(opened, admin, places[-1])
        for role in Role:
            of = await principal(
                f"{name}/a", role=role, name=role.label, kind="user", subtree=False
            )
            callers.append(of)
        agent = await principal(f"{name}/a/team:t", name="scout")
        callers.append(agent)
        held = f"/v1/skills/{places[-1].ids['skill'][0]}/agents/{agent.caller.principal}"
        assert (await admin.http.put(held, json={})).status_code in OK
        callers.append(await principal(f"{name}/b", role=Role.ADMIN, name="beside", kind="user"))
        callers.append(await principal(f"{name}/a/user:u", role=Role.ADMIN, name="u", kind="user"))
    await opened.indexing.drain()
    opened.keys.forget()
    fresh = [Principal(c.key, await opened.keys.resolve(c.key), c.http) for c in callers]
    documented = (await fresh[0].http.get("/schema/openapi.json")).json()
    return World(places, fresh, documented, opened)


@dataclass
class Trial:
    """One request: who asks, what, and whether it names something out of sight."""

    who: Principal
    method: str
    path: str
    operation: str
    params: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] | None = None
    foreign: bool = False


class Trials:
    """Draws requests."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.rng = world, random.Random(seed)
        self.reads = [
            (path, operation)
            for path, methods in world.documented["paths"].items()
            for method, operation in methods.items()
            if method == "get" and not path.startswith(("/health", "/schema", "/metrics"))
        ]
        self.writes = [
            (path, method, operation)
            for path, methods in world.documented["paths"].items()
            for method, operation in methods.items()
            if method != "get" and any(f"{{{name}}}" in path for name in KINDS)
        ]

    def draw(self) -> Trial:
        who = self.rng.choice(self.world.callers)
        kind = self.rng.random()
        if kind < 0.6:
            return self._read(who)
        if kind < 0.75:
            path, body = self.rng.choice(ASKED)
            return Trial(who, "POST", path, path, body=body | self._scopes())
        if kind < 0.9:
            return self._write(who)
        return self._graphql(who)

    def _scopes(self) -> dict[str, Any]:
        if self.rng.random() < 0.5:
            return {}
        some = self.rng.sample(self.world.places, self.rng.randint(1, 3))
        return {"scopes": [place.path for place in some]}

    def _path(self, who: Principal, path: str, among: list[Place]) -> tuple[str, bool]:
        """A path with ids from some scopes, and whether one of them is out of sight."""
        seen, foreign = set(who.caller.visible), False
        for name in re.findall(r"{(\w+)}", path):
            place = self.rng.choice(among)
            ids = place.ids.get(KINDS.get(name, ""), [])
            if ids:
                foreign = foreign or place.path not in seen
            value = self.rng.choice(ids) if ids else self._other(path, name)
            path = path.replace(f"{{{name}}}", value)
        return path, foreign

    def _other(self, path: str, name: str) -> str:
        version = "1" if "/pages/" in path else "1.0.0"
        known = {"version": version, "kind": "identity", "name": "works_for"}
        return known.get(name, self.rng.choice(self.world.callers).caller.principal)

    def _read(self, who: Principal) -> Trial:
        template, operation = self.rng.choice(self.reads)
        path, foreign = self._path(who, template, self.world.places)
        params = {}
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "query" and (
                parameter.get("required") or self.rng.random() < 0.3
            ):
                params[parameter["name"]] = self._value(parameter)
        return Trial(
            who, "GET", path, template, {k: v for k, v in params.items() if v}, None, foreign
        )

    def _value(self, parameter: dict[str, Any]) -> Any:
        name, place = parameter["name"], self.rng.choice(self.world.places)
        if name in ("scope", "scopes", "team"):
            return place.path
        if name == "unit":
            return "task"
        if name in ("query", "question", "topic", "description", "task", "q"):
            return "harbour report cranes"
        if name in ("entity", "about", "subject", "source"):
            return self.rng.choice(place.ids["entity"])
        if name in ("knowledge_base", "base"):
            return self.rng.choice(place.ids["base"])
        if name in ("limit", "k"):
            return 50
        return None

    def _write(self, who: Principal) -> Trial:
        template, method, operation = self.rng.choice(self.writes)
        hidden = self.world.hidden(who)
        path, foreign = self._path(who, template, hidden)
        bodied = "requestBody" in operation
        body = self.rng.choice([{}, {"content": "mine"}, {"title": "mine"}]) if bodied else None
        return Trial(who, method.upper(), path, f"{method} {template}", {}, body, foreign)

    def _graphql(self, who: Principal) -> Trial:
        root = SCHEMA.query_type
        assert root is not None
        name = self.rng.choice(sorted(root.fields))
        found = root.fields[name]
        given = ", ".join(
            f"{key}: {value}"
            for key, argument in found.args.items()
            if (value := self._argument(name, key, argument)) is not None
        )
        kind = get_named_type(found.type)
        below = f" {selection(kind)}" if isinstance(kind, GraphQLObjectType) else ""
        query = f"{{ {name}{f'({given})' if given else ''}{below} }}"
        return Trial(who, "POST", "/graphql", f"graphql {name}", body={"query": query})

    def _argument(self, field_: str, name: str, argument: GraphQLArgument) -> str | None:
        place = self.rng.choice(self.world.places)
        kind = get_named_type(argument.type)
        if name == "id":
            own = {"skillProposal": "proposal", "knowledgeBase": "base", "learning": "note"}
            ids = place.ids.get(own.get(field_, field_)) or place.ids["episode"]
            return f'"{self.rng.choice(ids)}"'
        if name in ("scope", "scopes") and self.rng.random() < 0.5:
            return f'["{place.path}"]' if name == "scopes" else f'"{place.path}"'
        if isinstance(kind, GraphQLInputObjectType):
            fields = {
                key: '"harbour report cranes"'
                for key, inner in kind.fields.items()
                if key in ("query", "question") or isinstance(inner.type, GraphQLNonNull)
            }
            return "{" + ", ".join(f"{k}: {v}" for k, v in fields.items()) + "}"
        if is_required_argument(argument):
            return f'"{place.path}"' if "scope" in name.lower() else '"harbour report"'
        return None


def whole(answer: httpx.Response) -> str:
    """An answer with its head."""
    return f"{answer.status_code} {answer.headers.multi_items()}\n{answer.text}"


def leaks(world: World, trial: Trial, text: str) -> Iterator[str]:
    """Words and ids of scopes out of sight that stand in an answer, and not in the question."""
    asked = f"{trial.path} {trial.params} {trial.body}"
    folded = text.casefold()
    for place in world.hidden(trial.who):
        if place.token in folded and place.token not in asked:
            yield place.path
        for kind, ids in place.ids.items():
            yield from (f"{place.path}: {kind} {i}" for i in ids if i in text and i not in asked)


async def streamed(world: World, who: Principal, rng: random.Random) -> list[str]:
    """What went wrong with one body that is streamed, in or out."""
    return await rng.choice((exported, imported, uploaded))(world, who, rng)


async def exported(world: World, who: Principal, rng: random.Random) -> list[str]:
    """An export of some scopes, fetched by its owner and by somebody else."""
    scopes = [place.path for place in rng.sample(world.places, rng.randint(1, 2))]
    trial = Trial(who, "POST", "/v1/exports", "export stream", body={"scopes": scopes})
    asked = await who.http.post(trial.path, json=trial.body)
    wrong = [f"{leak} in {trial}" for leak in leaks(world, trial, whole(asked))]
    if asked.status_code not in OK:
        return wrong
    if set(scopes) - set(who.caller.visible):
        wrong.append(f"an export of {scopes} for {who.caller.name}")
    job = asked.json()["id"]
    assert await world.opened.runner.run(world.opened, job) == "done"
    packed = b""
    async with who.http.stream("GET", f"/v1/exports/{job}") as answer:
        head = str(answer.headers.multi_items())
        async for part in answer.aiter_bytes(1000):
            packed += part
    wrong += [f"{leak} in a package" for leak in leaks(world, trial, head + archive_text(packed))]
    other = rng.choice(world.callers)
    if other.caller.principal != who.caller.principal:
        answer = await other.http.get(f"/v1/exports/{job}")
        if answer.status_code in OK:
            wrong.append(f"the export of {who.caller.name} for {other.caller.name}")
        wrong += [
            f"{leak} for another's export"
            for leak in leaks(world, Trial(other, "GET", job, "export"), whole(answer))
        ]
    return wrong


async def imported(world: World, who: Principal, rng: random.Random) -> list[str]:
    """Lines for scopes out of sight, some with the id of what is there, streamed in pieces."""
    hidden = world.hidden(who)
    records = []
    for place in rng.sample(hidden, min(3, len(hidden))):
        record = {
            "scope": place.path, "session": "s", "role": "user", "content": f"{INTRUDER} was here.",
            "captured_at": "2026-03-02T09:00:00Z",
        }  # fmt: skip
        known = {"id": rng.choice(place.ids["episode"])} if rng.random() < 0.5 else {}
        records.append(record | known)

    async def pieces() -> AsyncIterator[bytes]:
        body = b"".join(orjson.dumps(record) + b"\n" for record in records)
        for at in range(0, len(body), 97):
            yield body[at : at + 97]

    into = rng.choice(hidden).path if hidden and rng.random() < 0.3 else None
    trial = Trial(who, "POST", "/v1/imports", "import stream", {"scope": into}, {"of": records})
    answer = await who.http.post(
        trial.path,
        params={"scope": into} if into else {},
        content=pieces(),
        headers={"content-type": "application/x-ndjson"},
    )
    told = whole(answer)
    if answer.status_code in OK:
        if into:
            return [f"an import into {into} by {who.caller.name}"]
        job = answer.json()["id"]
        await world.opened.runner.run(world.opened, job)
        told += whole(await who.http.get(f"/v1/jobs/{job}"))
    return [f"{leak} in an import's answers" for leak in leaks(world, trial, told)]


async def uploaded(world: World, who: Principal, rng: random.Random) -> list[str]:
    """A file for a knowledge base out of sight."""
    hidden = [place for place in world.hidden(who) if place.ids.get("base")]
    if not hidden:
        return []
    base = rng.choice(rng.choice(hidden).ids["base"])
    answer = await who.http.post(
        "/v1/documents:upload",
        data={"knowledge_base": base},
        files={"file": ("note.txt", f"{INTRUDER} was here.".encode(), "text/plain")},
    )
    trial = Trial(who, "POST", "/v1/documents:upload", "upload stream", body={"base": base})
    wrong = [f"{leak} in an upload's answer" for leak in leaks(world, trial, whole(answer))]
    if answer.status_code in OK and any(r.get("document") for r in answer.json()["receipts"]):
        wrong.append(f"an upload into {base} by {who.caller.name}: {answer.text}")
    return wrong


async def intruders(world: World) -> list[str]:
    """What of the streams lies where its caller may not write, as the admins of all see it."""
    found = []
    for boss in (who for who in world.callers if who.caller.name == "boss"):
        for path in ("/v1/episodes", "/v1/documents"):
            shown = await boss.http.get(path, params={"limit": 200})
            found += [path for _ in range(shown.text.count(INTRUDER))]
    return found


async def package_of(world: World, who: Principal) -> str:
    """The names and texts of everything in an export that a caller asks for."""
    asked = await who.http.post("/v1/exports", json={})
    if asked.status_code not in OK:
        return ""
    job = asked.json()["id"]
    assert await world.opened.runner.run(world.opened, job) == "done"
    archive = await who.http.get(f"/v1/exports/{job}")
    assert archive.status_code == 200, archive.text
    return archive_text(archive.content)


def archive_text(packed: bytes) -> str:
    """Every file of a package as text."""
    with (
        zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed)) as stream,
        tarfile.open(fileobj=io.BytesIO(stream.read())) as archive,
    ):
        parts = [archive.extractfile(member) for member in archive.getmembers()]
        return "\n".join(part.read().decode("utf-8", "replace") for part in parts if part)


@pytest.mark.slow
@pytest.mark.timeout(1800)
async def test_nothing_out_of_sight_comes_back(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    world = await built(opened, principal, tenant)
    trials = Trials(world, TRIALS)
    reached: Counter[str] = Counter()
    wrong: list[str] = []
    for _ in range(TRIALS):
        if trials.rng.random() < STREAMED:
            wrong += await streamed(world, trials.rng.choice(world.callers), trials.rng)
            continue
        trial = trials.draw()
        answer = await trial.who.http.request(
            trial.method, trial.path, params=trial.params, json=trial.body
        )
        told = f"{trial.who.caller.name} {trial.method} {trial.path} {trial.params} {trial.body}"
        wrong += [f"{place} in {told}" for place in leaks(world, trial, whole(answer))]
        if answer.status_code >= 500 and answer.status_code != NOT_OFFERED:
            wrong.append(f"{answer.status_code} {told}")
        if answer.status_code in OK:
            reached[trial.operation] += 1
            if trial.foreign:
                wrong.append(f"{answer.status_code} for what is out of sight: {told}")
    for who in world.callers:
        text = await package_of(world, who)
        trial = Trial(who, "POST", "/v1/exports", "exports")
        wrong += [f"{place} in a package" for place in leaks(world, trial, text)]
    wrong += await intruders(world)
    assert wrong == []
    if TRIALS >= 10_000:
        asked = {path for path, _ in trials.reads if not UNTRIED.search(path)}
        assert asked - reached.keys() == set()
