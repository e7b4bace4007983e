"""Tools of episodes, upkeep, the graph, shared knowledge, knowledge bases and learnings."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import MCPError

from app.kernel.caller import Role
from app.mcp.service import PROFILES, TOOLS
from app.search.bundle import CLOSE, OPEN
from app.search.whole import AT_ONCE, BODY, VERBOSE
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.mcp.conftest import Connect, Speak

LONG = "The <lock> of the lower basin was rebuilt in oak. " * 60


def zoned(result: Any) -> str:
    """The recalled part of a text."""
    text: str = result.content[0].text
    return text[text.index(OPEN) : text.index(CLOSE)]


async def test_several_things_are_captured_read_and_counted(
    speak: Speak, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    address = "/mcp?tools=episodes"
    said = [
        {"content": LONG, "session": "basin"},
        {"content": "", "session": "basin"},
        {"content": "The sluice is shut on Sundays.", "session": "basin"},
    ]
    listed, (stored, again, nobody) = await speak(
        writer, address,
        ("batch_capture", {"episodes": said}),
        ("batch_capture", {"episodes": said}),
        ("session_manifest", {"session": "no such session"}),
    )  # fmt: skip
    assert listed == TOOLS.keys() | PROFILES["episodes"].keys()
    receipts = stored.structured_content["receipts"]
    assert [one["status"] for one in receipts] == ["accepted", "refused", "accepted"]
    assert again.structured_content["duplicates"] == 2
    assert nobody.structured_content["errors"][0]["field"] == "session"
    long, short = receipts[0]["id"], receipts[2]["id"]
    many = [f"memory-{n}" for n in range(AT_ONCE + 1)]
    _, (manifest, cut, more, whole, refused) = await speak(
        writer, address,
        ("session_manifest", {"session": "basin"}),
        ("read_memory", {"ids": [long, short, long, "none"]}),
        ("read_memory", {"ids": [long], "verbose": True}),
        ("read_memory", {"ids": [long], "full": True}),
        ("read_memory", {"ids": many}),
    )  # fmt: skip
    assert manifest.structured_content["episodes"] == 2
    assert "basin" in zoned(manifest)
    shown = cut.structured_content
    assert [one["id"] for one in shown["items"]] == [long, short]
    assert shown["missing"] == ["none"]
    assert "&lt;lock&gt;" in zoned(cut)
    sizes = [len(r.structured_content["items"][0]["untrusted"]["text"]) for r in (cut, more, whole)]
    assert sizes == [BODY, VERBOSE, len(LONG)]
    assert refused.structured_content["errors"][0]["field"] == "ids"
    other = await principal(f"{tenant}/aside", name="passer")
    _, (hidden, lost) = await speak(
        other, address, ("read_memory", {"ids": [long]}), ("pin", {"id": long})
    )
    assert hidden.structured_content["missing"] == [long]
    assert lost.structured_content["code"] == "NotFound"


async def test_a_memory_is_pinned_forgotten_and_shown_again(
    speak: Speak, writer: Principal
) -> None:
    answer = await writer.http.post("/v1/notes", json={"content": "The weir wants new boards."})
    memory = {"id": answer.json()["id"]}
    calls = [(name, memory) for name in ("pin", "pin", "unpin", "forget", "unforget", "unforget")]
    _, results = await speak(writer, "/mcp?tools=episodes", *calls)
    kept = [result.structured_content for result in results]
    assert [one["is_pinned"] for one in kept] == [True, True, False, False, False, False]
    assert [one["forgotten"] for one in kept] == [False, False, False, True, False, False]
    assert [one["changed"] for one in kept] == [True, False, True, True, True, False]


async def test_upkeep_is_a_curator_s(
    speak: Speak, writer: Principal, principal: MakePrincipal, tenant: str, opened: Parts
) -> None:
    address, scope = "/mcp?tools=upkeep", f"{tenant}/dev"
    curator = await principal(scope, role=Role.CURATOR, name="warden")
    await writer.http.post(
        "/v1/episodes", json={"content": "The mill stands still.", "session": "m"}
    )
    listed, (begun, reading, holds, nowhere) = await speak(
        curator, address,
        ("consolidate", {"again": "all"}),
        ("consolidation_status", {}),
        ("server_status", {}),
        ("consolidate", {"scope": f"{tenant}/aside"}),
    )  # fmt: skip
    assert listed == TOOLS.keys() | PROFILES["upkeep"].keys()
    assert begun.structured_content["scope"] == scope
    told = reading.structured_content["scopes"]
    assert {one["scope"]: one["raw"] + one["consolidated"] for one in told}[scope] == 1
    assert holds.structured_content["census"]["Episode"] == 1
    assert nowhere.structured_content["code"] == "NotFound"
    await opened.runner.run(opened, begun.structured_content["job"])
    _, (page, rest, wrong) = await speak(
        curator, address,
        ("audit_history", {"kind": "consolidate", "limit": 1}),
        ("audit_history", {"limit": 1}),
        ("audit_history", {"cursor": "no cursor"}),
    )  # fmt: skip
    (event,) = page.structured_content["items"]
    assert (event["kind"], event["scope"]) == ("consolidate", scope)
    assert rest.structured_content["next"]
    assert wrong.structured_content["errors"][0]["field"] == "cursor"
    listed, (refused,) = await speak(writer, address, ("audit_history", {}))
    assert refused.structured_content["code"] == "Forbidden"
    assert listed & PROFILES["upkeep"].keys() == {"consolidation_status", "server_status"}


async def test_the_graph_is_walked_and_counted(speak: Speak, writer: Principal) -> None:
    async def page(title: str, content: str) -> str:
        answer = await writer.http.post("/v1/pages", json={"title": title, "content": content})
        assert answer.is_success, answer.text
        identifier: str = answer.json()["id"]
        return identifier

    await page("Lower <Basin>", "It is deep.")
    upper = await page("Upper Basin", "It drains into [[Lower <Basin>]].")
    _, (around, others, counts, found, plain, none) = await speak(
        writer, "/mcp?tools=graph,documents",
        ("get_graph_neighbors", {"node_id": upper, "relation_type": "references"}),
        ("get_graph_neighbors", {"node_id": upper, "relation_type": "employs"}),
        ("get_graph_statistics", {"relation_type": "references"}),
        ("search_knowledge_graph", {"query": "Upper Basin", "relation_type": "references"}),
        ("search_knowledge_graph", {"query": "Upper Basin"}),
        ("get_graph_neighbors", {"node_id": "none"}),
    )  # fmt: skip
    assert len(around.structured_content["edges"]) == 1
    assert "Lower &lt;Basin&gt;" in zoned(around)
    assert others.structured_content["edges"] == []
    assert counts.structured_content["relations"] == {"references": 1}
    edges = found.structured_content["relations"]["edges"]
    assert [edge["type"] for edge in edges] == ["references"]
    assert plain.structured_content["relations"] is None
    assert none.structured_content["code"] == "NotFound"


async def test_a_relation_is_looked_for_in_the_scopes_that_are_named(
    speak: Speak, admin: Principal, principal: MakePrincipal, tenant: str
) -> None:
    for place in ("dev", "ops"):
        await principal(f"{tenant}/{place}")  # which makes the scope
    for title, content in (("Lower Lock", "It is deep."), ("Upper Lock", "Into [[Lower Lock]].")):
        body = {"title": title, "content": content, "scope": f"{tenant}/dev"}
        answer = await admin.http.post("/v1/pages", json=body)
        assert answer.is_success, answer.text
    asked = {"query": "Upper Lock", "relation_type": "references"}
    _, (here, there, nowhere, unseen, based) = await speak(
        admin, "/mcp?tools=documents",
        ("search_knowledge_graph", {**asked, "scopes": [f"{tenant}/dev"]}),
        ("search_knowledge_graph", {**asked, "scopes": [f"{tenant}/ops"]}),
        ("search_knowledge_graph", {**asked, "scopes": []}),
        ("search_knowledge_graph", {**asked, "scopes": [f"{tenant}x/dev"]}),
        ("search_knowledge_graph", {**asked, "knowledge_base_ids": ["any"]}),
    )  # fmt: skip
    assert len(here.structured_content["relations"]["edges"]) == 1
    for empty in (there, nowhere):
        assert empty.structured_content["relations"]["nodes"] == []
        assert empty.structured_content["relations"]["edges"] == []
    assert unseen.structured_content["code"] == "NotFound"
    assert based.structured_content["errors"][0]["field"] == "relation_type"


async def test_knowledge_is_shared_and_found(
    speak: Speak, writer: Principal, principal: MakePrincipal, tenant: str, opened: Parts
) -> None:
    address, given = "/mcp?tools=knowledge", {"content": "Barges <wait> above the third lock."}
    _, (first, second) = await speak(
        writer, address, ("create_knowledge", given), ("create_knowledge", given)
    )
    note = first.structured_content["id"]
    assert second.structured_content["status"] == "duplicate"
    await opened.indexing.drain()
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="bargee")
    query = {"query": "Where do barges wait?"}
    listed, (found,) = await speak(reader, address, ("search_knowledge", query))
    assert "create_knowledge" not in listed
    assert note in [hit["id"] for hit in found.structured_content["hits"]]
    assert "&lt;wait&gt;" in zoned(found)
    stranger = await principal(f"{tenant}x/dev", name="elsewhere")
    _, (nothing,) = await speak(stranger, address, ("search_knowledge", query))
    assert nothing.structured_content["hits"] == []


async def test_bases_are_made_and_listed_and_learnings_asked(
    speak: Speak, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    wish = {"name": "lockside <9>"}
    learnt = {"content": "Grease the gate hinges before the frost.", "namespace": "learnings"}
    answer = await writer.http.post("/v1/notes", json=learnt)
    assert answer.is_success, answer.text
    question = {"query": "Grease the gate hinges before the frost."}
    _, (made, taken, bases, learnings, skills) = await speak(
        writer, "/mcp?tools=documents,skills",
        ("create_knowledge_base", wish),
        ("create_knowledge_base", wish),
        ("list_knowledge_bases", {"limit": 1}),
        ("query_learnings", question),
        ("discover_skills", {"description": "open the gate"}),
    )  # fmt: skip
    base = made.structured_content["id"]
    assert taken.structured_content["code"] == "AlreadyExists"
    assert [one["id"] for one in bases.structured_content["items"]] == [base]
    assert "lockside &lt;9&gt;" in zoned(bases)
    assert [one["id"] for one in learnings.structured_content["items"]] == [answer.json()["id"]]
    assert "Grease the gate" in zoned(learnings)
    assert skills.structured_content["items"] == []
    stranger = await principal(f"{tenant}x/dev", name="elsewhere")
    _, (none,) = await speak(stranger, "/mcp?tools=documents", ("list_knowledge_bases", {}))
    assert none.structured_content["items"] == []


@pytest.mark.parametrize(
    ("tools", "name", "said"),
    [
        ("", "pin", r"profile episodes: connect to `/mcp\?tools=episodes`"),
        ("pools,data", "goal_list", r"`loci mcp --tools pools,data,goals`"),
        ("", "no_such_tool", "there is no tool no_such_tool"),
    ],
)
async def test_a_tool_that_is_not_switched_on_says_with_which_profile_it_is(
    connect: Connect, writer: Principal, tools: str, name: str, said: str
) -> None:
    async with connect(writer, "auto", tools) as client:
        with pytest.raises(MCPError, match=said):
            await client.call_tool(name, {})
