"""Changes, errors, roles, records of refusal, idempotency, rates: as over the HTTP routes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx
import pytest
from litestar import Litestar

from app.asgi import graphql_service
from app.graphql.service import Request
from app.kernel.caller import Role
from tests.conftest import MakePrincipal
from tests.graphql.conftest import Client, World
from tests.support.statements import Statements

CAPTURE = "mutation C($i: EpisodeInput!) { captureEpisode(input: $i) { id status episode { id } } }"
REVIEW = "mutation R($id: ID!) { %s(id: $id) { verdict status fact { id status } } }"


async def test_what_is_written_is_read_back(world: World) -> None:
    who = world.curator
    said = {"content": "Pia has a cat.", "session": "talk", "tags": ["pets"]}
    found = (await who.ask(CAPTURE, i=said))["captureEpisode"]
    assert found["status"] == "accepted"
    assert found["episode"]["id"] == found["id"]
    shown = await who.get(f"/v1/episodes/{found['id']}")
    assert shown["untrusted"]["tags"] == ["pets"]
    assert shown["provenance"]["transport"] == "graphql"
    again = (await who.ask(CAPTURE, i=said))["captureEpisode"]
    assert (again["status"], again["id"]) == ("duplicate", found["id"])


async def test_a_page_a_note_and_a_skill(world: World) -> None:
    who = world.curator
    page = await who.ask(
        "mutation W($i: PageInput!) { writePage(input: $i) { id version page { slug } } }",
        i={"title": "Cat", "content": "It sleeps."},
    )
    changed = await who.ask(
        """mutation C($id: ID!, $i: PageChangeInput!) { changePage(id: $id, input: $i) {
             status version page { untrusted { content } versions { nodes { version } } } } }""",
        id=page["writePage"]["id"],
        i={"content": "It runs.", "version": 1},
    )
    assert changed["changePage"]["page"] == {
        "untrusted": {"content": "It runs."},
        "versions": {"nodes": [{"version": 1}]},
    }
    note = await who.ask(
        """mutation N($i: NoteInput!) { writeNote(input: $i) {
             note { entryType untrusted { tags } } } }""",
        i={"content": "Cats like fish.", "entryType": "insight", "tags": ["pets"]},
    )
    assert note["writeNote"]["note"] == {"entryType": "insight", "untrusted": {"tags": ["pets"]}}
    skill = await who.ask(
        """mutation { createSkill(input: {
             name: "Feed", category: "testing", params: {cups: 2, of: ["fish", null]} }) {
               slug untrusted { params } } }"""
    )
    assert skill["createSkill"]["untrusted"]["params"] == {"cups": 2, "of": ["fish", None]}


async def test_a_fact_is_remembered_superseded_and_forgotten(world: World) -> None:
    who = world.curator
    statement = {
        "subject": {"name": "Tom Falk", "type": "person"},
        "predicate": "lives_in",
        "object": {"name": "Jena", "type": "place"},
        "validFrom": "2020-01-01T00:00:00+02:00",
    }
    remembered = await who.ask(
        """mutation R($i: RememberInput!) { rememberFact(input: $i) {
             status facts { id intervals { validFrom } subject { name } } } }""",
        i={"statement": statement},
    )
    (fact,) = remembered["rememberFact"]["facts"]
    assert fact["intervals"][0]["validFrom"] == "2019-12-31T22:00:00Z"
    assert fact["subject"]["name"] == "Tom Falk"
    superseded = await who.ask(
        """mutation S($i: SupersedeInput!) { supersedeFact(input: $i) {
             facts { untrusted { object } } superseded } }""",
        i={"fact": fact["id"], "object": {"name": "Gera", "type": "place"}},
    )
    assert superseded["supersedeFact"]["facts"][0]["untrusted"]["object"] == "Gera"
    query = "query Q($id: ID!) { fact(id: $id) { supersededBy { untrusted { object } } } }"
    told = await who.ask(query, id=fact["id"])
    assert told["fact"]["supersededBy"] == [{"untrusted": {"object": "Gera"}}]
    gone = "mutation F($i: ForgetInput!) { forgetFacts(input: $i) { forgotten } }"
    assert (await who.ask(gone, i={"id": fact["id"]}))["forgetFacts"] == {"forgotten": 1}
    assert (await who.ask(gone, i={"id": fact["id"]}))["forgetFacts"] == {"forgotten": 0}
    _, error = await who.wrong(f'{{ fact(id: "{fact["id"]}") {{ id }} }}')
    assert error["extensions"]["code"] == "NotFound"


async def test_the_quarantine_is_decided(world: World) -> None:
    who, waits = world.curator, world.ids["waiting"]
    rejected = await who.ask(REVIEW % "rejectFact", id=waits)
    assert rejected["rejectFact"]["verdict"] == "reject"
    assert rejected["rejectFact"]["fact"] == {"id": waits, "status": "quarantined"}
    shown = await who.get(f"/v1/facts/{waits}/history")
    assert [each["verdict"] for each in shown["reviews"]] == ["reject"]
    undone = await who.ask(REVIEW % "undoReview", id=waits)
    assert undone["undoReview"]["status"] == "quarantined"
    both = (
        "mutation K($id: ID!, $i: KeepBothInput!) { keepBothFacts(id: $id, input: $i) { status } }"
    )
    span = {"validFrom": "2020-01-01T00:00:00Z", "validTo": "2019-01-01T00:00:00Z"}
    given = {"other": world.ids["fact"], "valid": span, "otherValid": span}
    status, error = await who.wrong(both, id=waits, i=given)
    assert status == 422
    assert error["extensions"]["field"] == "valid.validTo"
    status, error = await world.agent.wrong(REVIEW % "acceptFact", id=waits)
    assert (status, error["message"]) == (403, "this key needs the role curator")


async def test_feedback_counts_once(world: World) -> None:
    text = "mutation F($i: FeedbackInput!) { giveFeedback(input: $i) { recorded useful } }"
    given = {"memory": world.ids["note"], "verdict": "useful"}
    first = (await world.curator.ask(text, i=given))["giveFeedback"]
    second = (await world.curator.ask(text, i=given))["giveFeedback"]
    assert (first["recorded"], second["recorded"]) == (True, False)
    assert first["useful"] == second["useful"] == 1


BAD: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    (CAPTURE, {"content": "", "session": "s"}, "/v1/episodes", {"content": "", "session": "s"}),
    (
        CAPTURE,
        {"content": "x", "session": "s", "scope": "No Path"},
        "/v1/episodes",
        {"content": "x", "session": "s", "scope": "No Path"},
    ),
    (
        CAPTURE,
        {"content": "x", "session": "s", "modelFamily": ""},
        "/v1/episodes",
        {"content": "x", "session": "s", "model_family": ""},
    ),
    (
        "mutation R($i: RememberInput!) { rememberFact(input: $i) { status } }",
        {"statement": {"subject": {"name": ""}, "predicate": "p", "object": {"value": "v"}}},
        "/v1/facts:remember",
        {"statement": {"subject": {"name": ""}, "predicate": "p", "object": {"value": "v"}}},
    ),
    (
        "mutation N($i: NoteInput!) { writeNote(input: $i) { id } }",
        {"content": "tiny", "namespace": "nowhere"},
        "/v1/notes",
        {"content": "tiny", "namespace": "nowhere"},
    ),
    (
        "mutation W($i: PageInput!) { writePage(input: $i) { id } }",
        {"content": "no title"},
        "/v1/pages",
        {"content": "no title"},
    ),
]


@pytest.mark.parametrize(("text", "given", "route", "body"), BAD)
async def test_what_is_wrong_is_told_as_the_route_tells_it(
    world: World, text: str, given: dict[str, Any], route: str, body: dict[str, Any]
) -> None:
    answer = await world.curator.http.post(route, json=body)
    problem = answer.json()
    status, error = await world.curator.wrong(text, i=given)
    told = error["extensions"]
    assert (status, told["status"], told["code"]) == (422, problem["status"], problem["code"])
    assert error["message"] in problem["detail"]
    named = problem["errors"][0]["field"].rpartition(".")[2]
    words = {"model_family": "modelFamily", "scope": "scopes"}
    assert told["field"].rpartition(".")[2] == words.get(named, named)


async def test_a_failed_change_changes_nothing_and_can_be_sent_again(world: World) -> None:
    who = world.curator
    body = {"query": CAPTURE, "variables": {"i": {"content": "x", "session": "s", "scope": "a/b"}}}
    headers = {"idempotency-key": "gql-failed"}
    for _ in range(2):
        answer = await who.http.post("/graphql", json=body, headers=headers)
        assert answer.status_code == 200  # as clients of application/json expect
        assert answer.json()["errors"][0]["extensions"]["code"] == "NotFound"
        assert "idempotency-replayed" not in answer.headers


async def test_a_key_makes_a_change_once(world: World) -> None:
    who = world.curator
    body = {"query": CAPTURE, "variables": {"i": {"content": "Once.", "session": "once"}}}
    headers = {"idempotency-key": "gql-once"}
    first = await who.http.post("/graphql", json=body, headers=headers)
    second = await who.http.post("/graphql", json=body, headers=headers)
    assert first.json() == second.json()
    assert second.headers["idempotency-replayed"] == "true"
    body["variables"] = {"i": {"content": "Twice.", "session": "once"}}
    other = await who.http.post("/graphql", json=body, headers=headers)
    assert other.json()["code"] == "IdempotencyMismatch"


async def test_a_request_changes_one_thing(world: World) -> None:
    undo = 'undoReview(id: "x") { status }'
    status, error = await world.curator.wrong(f"mutation {{ a: {undo} b: {undo} }}")
    assert (status, error["extensions"]["code"]) == (422, "QueryRefused")


async def test_a_refusal_is_on_record(world: World) -> None:
    await world.agent.wrong(REVIEW % "acceptFact", id=world.ids["waiting"])
    await world.agent.wrong('{ episodes(scopes: ["other/place"]) { nodes { id } } }')
    found = (await world.curator.get("/v1/audit", kind="refused", limit=50))["items"]
    mine = [each for each in found if each["payload"].get("route") == "/graphql"]
    assert {each["payload"]["code"] for each in mine} >= {"Forbidden", "NotFound"}


async def test_each_field_at_the_root_is_a_request(world: World) -> None:
    caller = replace(world.curator.caller, key="gql-rate", rate_per_minute=3)
    asking = graphql_service(world.opened)
    one = 'page(id: "p") { id }'
    text = "{" + " ".join(f"a{n}: {one}" for n in range(6)) + "}"
    with Statements() as ran:
        answer = await asking.answer(caller, Request(text))
    assert answer.status == 429
    assert answer.body.errors[0]["extensions"]["retryAfter"] >= 1
    assert ran.names == []


@pytest.mark.parametrize(
    ("text", "status", "reason"),
    [
        ("{ nothing }", 422, "Cannot query field 'nothing'"),
        ("{ page(id: ", 422, "Syntax Error"),
        ("query A { __typename } query B { __typename }", 422, "name the operation"),
        ("subscription { page(id: 1) { id } }", 422, ""),
        ("{ pages(first: 101) { nodes { id } } }", 422, "first is a number from 1 to 100"),
        ("{ pages(first: \"2\") { nodes { id } } }", 422, "Int cannot represent"),
        ("{ facts(subject: \"nobody\") { nodes { id } } }", 404, "there is no entity nobody"),
        ("{ chunks: document(id: \"x\") { id } pages(after: \"x\") { nodes { id } } }", 200,
         "there is no document x"),
        ("{ episodes(after: \"x\") { nodes { id } } }", 422, "was not made by this API"),
        ("{ entities(type: \"ghost\") { nodes { id } } }", 422, "type is one of"),
    ],
)  # fmt: skip
async def test_errors_have_a_code_a_status_and_a_reason(
    world: World, text: str, status: int, reason: str
) -> None:
    answered, error = await world.curator.wrong(text)
    assert answered == status
    assert reason in error["message"]
    assert {"code", "title", "status"} <= set(error["extensions"])


async def test_nothing_runs_where_a_limit_is_broken(world: World) -> None:
    hop = "neighbours { nodes { entity { "
    text = '{ entity(id: "e") { ' + hop * 6 + "id" + " } } }" * 6 + " } }"
    with Statements() as ran:
        answer = await graphql_service(world.opened).answer(world.curator.caller, Request(text))
    assert answer.body.errors[0]["extensions"]["code"] == "QueryRefused"
    assert ran.names == []


async def test_what_is_no_operation_is_a_problem(world: World, app: Litestar) -> None:
    http = world.curator.http
    batch = await http.post("/graphql", json=[{"query": "{ __typename }"}] * 2)
    assert (batch.status_code, batch.json()["code"]) == (422, "InvalidInput")
    assert "a list of them is not taken" in batch.json()["detail"]
    extra = await http.post("/graphql", json={"query": "{ __typename }", "id": 1})
    assert extra.json()["errors"][0]["field"] == "id"
    assert (await http.post("/graphql", content=b"{")).status_code == 400
    unnamed = await http.post("/graphql", json={"query": "{ __typename }", "operationName": ""})
    assert unnamed.json() == {"data": {"__typename": "Query"}}
    plain = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://loci")
    async with plain:
        assert (await plain.post("/graphql", json={"query": "{ __typename }"})).status_code == 401


async def test_a_reader_reads_and_writes_nothing(world: World, principal: MakePrincipal) -> None:
    reader = await principal(world.scope, role=Role.READER, name="lens")
    lens = Client(reader.http, reader.caller)
    assert (await lens.ask("{ pages { nodes { id } } }"))["pages"]["nodes"]
    status, error = await lens.wrong(CAPTURE, i={"content": "x", "session": "s"})
    assert (status, error["message"]) == (403, "this key needs the role writer")


async def test_the_page_comes_from_here_alone(app: Litestar) -> None:
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://loci")
    async with client as http:
        page = await http.get("/graphql", headers={"accept": "text/html"})
        assert page.headers["content-type"].startswith("text/html")
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert "//" not in page.text
        named = [piece.split('"')[0] for piece in page.text.split('="/graphql/')[1:]]
        assert len(named) == 6
        for name in named:
            assert (await http.get(f"/graphql/{name}")).status_code == 200, name
        for name in ("schema.graphql", "LICENSE", "..%2Fschema.graphql", "apps.py"):
            assert (await http.get(f"/graphql/{name}")).status_code == 404, name


MERGES = """mutation M($id: ID!) { %sMerge(id: $id) {
  status decidedBy changes leftEntity { id } rightEntity { id } } }"""


async def test_a_merge_is_proposed_decided_and_undone(world: World) -> None:
    who = world.curator
    statement = {"predicate": "knows", "object": {"name": "Ole Petersen", "type": "person"}}
    said = await who.post(
        "/v1/facts:remember",
        statement={"subject": {"name": "Olaf Petersson", "type": "person"}, **statement},
    )
    fact = await who.get(f"/v1/facts/{said['facts'][0]['id']}")
    text = "mutation P($i: MergeInput!) { proposeMerge(input: $i) { id status evidence } }"
    given = {"left": fact["subject"], "right": fact["object_id"], "reason": "one man"}
    made = (await who.ask(text, i=given))["proposeMerge"]
    assert (made["status"], made["evidence"]) == ("pending", {"by_hand": "one man"})
    _, error = await who.wrong(text, i=given)
    route = (await who.http.post("/v1/merges", json=given)).json()
    assert (error["extensions"]["code"], error["message"]) == (route["code"], route["detail"])
    status, _ = await world.agent.wrong(MERGES % "accept", id=made["id"])
    assert status == 403
    one = (await who.ask(MERGES % "accept", id=made["id"]))["acceptMerge"]
    assert (one["status"], one["decidedBy"]) == ("accepted", who.caller.principal)
    assert one["leftEntity"] == one["rightEntity"]
    two = (await who.ask(MERGES % "undo", id=made["id"]))["undoMerge"]
    assert two["leftEntity"] != two["rightEntity"]
    await who.ask(text, i=given)
    assert (await who.ask(MERGES % "reject", id=made["id"]))["rejectMerge"]["status"] == "rejected"
    assert (await who.get(f"/v1/merges/{made['id']}"))["status"] == "rejected"


async def test_a_skill_is_proposed_and_becomes_one(world: World) -> None:
    who = world.curator
    text = """mutation P($i: SkillProposalInput!) { proposeSkill(input: $i) {
      id status untrusted { params } } }"""
    given = {"name": "Bleed the radiator", "category": "automation", "params": {"turns": [1, None]}}
    made = (await who.ask(text, i=given))["proposeSkill"]
    assert (made["status"], made["untrusted"]["params"]) == ("draft", {"turns": [1, None]})
    move = """mutation S($id: ID!, $i: ProposalStepInput!) { moveSkillProposal(id: $id, input: $i) {
      status skillId skill { slug untrusted { params } } } }"""
    _, error = await who.wrong(move, id=made["id"], i={"status": "created"})
    assert (error["extensions"]["code"], error["extensions"]["field"]) == ("StateRefused", "status")
    for status in ("submitted", "approved", "created"):
        moved = await who.ask(move, id=made["id"], i={"status": status})
    shown = moved["moveSkillProposal"]
    assert (shown["status"], shown["skill"]["slug"]) == ("created", "bleed-the-radiator")
    assert shown["skill"]["untrusted"]["params"] == {"turns": [1, None]}


async def test_a_learning_is_verified_disproved_and_shared(world: World) -> None:
    who = world.admin
    text = "A gate that is painted in the frost peels before the summer has come."
    body = {"namespace": "learnings", "importance": 0.7, "confidence": 0.8}
    note = (await who.post("/v1/notes", content=text, **body))["id"]
    check = """mutation C($id: ID!, $i: LearningCheckInput!) { checkLearning(id: $id, input: $i) {
      importance confidence checked checkedBy checkedAt quality shared { noteId } } }"""
    held = (await who.ask(check, id=note, i={"holds": True}))["checkLearning"]
    assert (held["importance"], held["confidence"], held["checked"]) == (0.85, 0.9, "verified")
    share = """mutation S($id: ID!, $i: ShareInput!) { shareLearning(id: $id, input: $i) {
      noteId scope quality made note { namespace } } }"""
    tenant = world.scope.partition("/")[0]
    status, error = await who.wrong(share, id=note, i={"scope": tenant})
    assert (status, error["extensions"]["code"]) == (403, "Forbidden")  # a reader there
    failed = (await who.ask(check, id=note, i={"holds": False}))["checkLearning"]
    assert (failed["checked"], failed["checkedBy"]) == ("disproved", who.caller.principal)
    route = await who.get(f"/v1/learnings/{note}")
    assert (failed["confidence"], failed["quality"]) == (route["confidence"], route["quality"])


async def test_a_shared_learning_tells_how_good_it_was(
    world: World, principal: MakePrincipal
) -> None:
    wide = await principal(
        f"{world.scope.partition('/')[0]}", role=Role.CURATOR, name="wide", subtree=True
    )
    who = Client(wide.http, wide.caller)
    text = "A boiler that knocks at night wants its water changed before it wants a plumber."
    body = {"namespace": "learnings", "importance": 0.8, "confidence": 0.9, "scope": world.scope}
    note = (await who.post("/v1/notes", content=text, **body))["id"]
    await world.opened.graph.raw("MATCH (n:Note {id: $id}) SET n.recalled = 2", id=note)
    share = """mutation S($id: ID!, $i: ShareInput!) { shareLearning(id: $id, input: $i) {
      noteId scope quality made note { namespace scope } } }"""
    tenant = world.scope.partition("/")[0]
    done = (await who.ask(share, id=note, i={"scope": tenant}))["shareLearning"]
    assert (done["made"], done["note"]) == (True, {"namespace": "knowledge", "scope": tenant})
    read = f'{{ learning(id: "{note}") {{ quality shared {{ noteId scope quality }} }} }}'
    told = (await who.ask(read))["learning"]
    copy = {"noteId": done["noteId"], "scope": tenant, "quality": done["quality"]}
    assert told == {"quality": done["quality"], "shared": [copy]}
    again = (await who.ask(share, id=note, i={"scope": tenant}))["shareLearning"]
    assert (again["made"], again["noteId"]) == (False, done["noteId"])


JOB = "mutation J($id: ID!) { %sJob(id: $id) { id state task scope } }"


async def test_a_job_is_cancelled_and_run_again_as_over_the_route(
    world: World, principal: MakePrincipal
) -> None:
    who = world.curator
    body = {"knowledge_base": world.ids["base"], "name": "valves", "text": "The valve is green."}
    job = (await who.post("/v1/documents", **body))["job"]["id"]
    reader = await principal(world.scope, role=Role.READER, name="looker")
    status, error = await Client(reader.http, reader.caller).wrong(JOB % "cancel", id=job)
    assert (status, error["message"]) == (403, "this key needs the role writer")
    for verb in ("cancel", "rerun"):
        status, error = await world.stranger.wrong(JOB % verb, id=job)
        assert (status, error["extensions"]["code"]) == (404, "NotFound")
    assert (await who.ask(f'{{ job(id: "{job}") {{ state }} }}'))["job"]["state"] == "queued"
    stopped = (await who.ask(JOB % "cancel", id=job))["cancelJob"]
    assert (stopped["id"], stopped["state"], stopped["scope"]) == (job, "cancelled", world.scope)
    again = (await who.ask(JOB % "rerun", id=job))["rerunJob"]
    assert again["state"] == "queued"
    assert await world.opened.runner.run(world.opened, job) == "done"
    for verb in ("cancel", "rerun"):
        status, error = await who.wrong(JOB % verb, id=job)
        route = await who.http.post(f"/v1/jobs/{job}/{verb}")
        problem = (route.status_code, route.json()["code"], route.json()["detail"])
        assert (status, error["extensions"]["code"], error["message"]) == problem
    kinds = [each["kind"] for each in (await who.get("/v1/audit", limit=100))["items"]]
    assert (kinds.count("job.cancel"), kinds.count("job.rerun")) == (1, 1)


KEEP = "mutation K($id: ID!) { %sMemory(id: $id) { id changed forgotten isPinned } }"


async def test_a_memory_is_pinned_forgotten_and_shown_again(world: World) -> None:
    who = world.curator
    note = (await who.post("/v1/notes", content="The rake leans on the fence."))["id"]
    steps = [
        ("pin", True, False, True),
        ("pin", False, False, True),
        ("unpin", True, False, False),
        ("forget", True, True, False),
        ("unforget", True, False, False),
    ]
    for verb, changed, forgotten, pinned in steps:
        kept = (await who.ask(KEEP % verb, id=note))[f"{verb}Memory"]
        assert kept == {
            "id": note, "changed": changed, "forgotten": forgotten, "isPinned": pinned,
        }  # fmt: skip
    for verb in ("pin", "unpin", "forget", "unforget"):
        status, error = await world.stranger.wrong(KEEP % verb, id=note)
        assert (status, error["extensions"]["code"]) == (404, "NotFound")
    assert (await who.ask(f'{{ note(id: "{note}") {{ isPinned }} }}'))["note"] == {
        "isPinned": False
    }
