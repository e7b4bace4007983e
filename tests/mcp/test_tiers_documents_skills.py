"""Tools of tiers, of documents and knowledge bases, and of skills."""

from __future__ import annotations

import pytest

from app.mcp.service import PROFILES, TOOLS
from app.search.bundle import CLOSE, OPEN
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.mcp.conftest import Speak


async def test_a_key_goes_through_the_tiers(speak: Speak, writer: Principal) -> None:
    address, key = "/mcp?tools=tiers", {"key": "draught", "session_id": "quay"}
    listed, results = await speak(
        writer, address,
        ("tier_write", {**key, "value": "The draught is <9> metres."}),
        ("tier_read", key),
        ("tier_read", {"key": "beam"}),
        ("tier_read", {**key, "tier": "attic"}),
        ("tier_search", {"query": "The draught is <9> metres.", "session_id": "quay"}),
        ("tier_consolidate", {"session_id": "quay", "dry_run": True}),
        ("tier_consolidate", {"session_id": "quay"}),
        ("tier_context", {"query": "How deep is the water?"}),
        ("tier_stats", {}),
        ("tier_delete", {**key, "tier": "shared"}),
        ("tier_delete", {**key, "tier": "short_term"}),
        ("tier_read", key),
    )  # fmt: skip
    assert listed == TOOLS.keys() | PROFILES["tiers"].keys()
    kept, read, nothing, wrong, found, tried, done, context, stats, refused, _, gone = results
    assert kept.structured_content["tier"] == "short_term"
    text = read.content[0].text
    assert "&lt;9&gt;" in text[text.index(OPEN) : text.index(CLOSE)]
    assert (nothing.is_error, nothing.structured_content["found"]) == (False, False)
    assert wrong.structured_content["errors"][0]["field"] == "tier"
    assert [hit["untrusted"]["key"] for hit in found.structured_content["hits"]] == ["draught"]
    assert tried.structured_content["dry_run"]
    assert not done.structured_content["dry_run"]
    assert not context.is_error
    assert stats.structured_content["short_term"]["entries"] == 1
    assert refused.structured_content["code"] == "StateRefused"
    assert not gone.structured_content["found"]


async def test_a_document_is_handed_in_and_asked(
    speak: Speak, opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    answer = await writer.http.post("/v1/knowledge-bases", json={"name": "yard"})
    assert answer.is_success, answer.text
    given = {"name": "crane.txt", "knowledge_base": "yard", "text": "The crane <lifts> 60 tonnes."}
    address = "/mcp?tools=documents"
    listed, (added, again, wrong) = await speak(
        writer, address,
        ("add_document", given),
        ("add_document", given),
        ("add_document", {"name": "crane.txt", "knowledge_base": "yard"}),
    )  # fmt: skip
    assert listed == TOOLS.keys() | PROFILES["documents"].keys()
    assert wrong.structured_content["errors"][0]["field"] == "text"
    document = added.structured_content["document"]["id"]
    assert again.structured_content["document"]["id"] == document
    for receipt in (added, again):
        if job := receipt.structured_content["job"]:
            await opened.runner.run(opened, job["id"])
    await opened.indexing.drain()
    base = {"knowledge_base_ids": [answer.json()["id"]]}
    _, (documents, one, found, asked, graph) = await speak(
        writer, address,
        ("list_documents", {"knowledge_base": "yard"}),
        ("get_document", {"document": document}),
        ("search_documents", {"query": "What does the crane lift?", **base}),
        ("query_knowledge_base", {"query": "What does the crane lift?", **base}),
        ("search_knowledge_graph", {"query": "What does the crane lift?", **base}),
    )  # fmt: skip
    assert [each["id"] for each in documents.structured_content["items"]] == [document]
    assert one.structured_content["status"] == "indexed"
    text = found.content[0].text
    assert "&lt;lifts&gt; 60 tonnes" in text[text.index(OPEN) : text.index(CLOSE)]
    assert [asked.is_error, graph.is_error] == [False, False]
    _, (anew,) = await speak(writer, address, ("process_document", {"document": document}))
    assert not anew.is_error, anew
    stranger = await principal(f"{tenant}x/dev", name="stranger")
    _, (hidden, listing) = await speak(
        stranger, address, ("process_document", {"document": document}),
        ("list_documents", {}),
    )  # fmt: skip
    assert hidden.structured_content["code"] == "NotFound"
    assert listing.structured_content["items"] == []


async def test_a_skill_is_stored_read_and_judged(speak: Speak, writer: Principal) -> None:
    skill = {
        "name": "Moor a ship", "category": "operations", "description": "Two <lines> first.",
        "body": "Throw, then pull.",
    }  # fmt: skip
    address = "/mcp?tools=skills"
    listed, (made, again) = await speak(
        writer, address, ("create_skill", skill), ("create_skill", skill)
    )
    assert listed == TOOLS.keys() | PROFILES["skills"].keys()
    there = {"skill_id": made.structured_content["id"]}
    assert again.structured_content["id"] == there["skill_id"]
    _, (skills, wrong, context, once, twice, learnt) = await speak(
        writer, address,
        ("list_skills", {}),
        ("list_skills", {"category": "nothing"}),
        ("get_skill_context", there),
        ("record_skill_outcome", {**there, "success": True, "key": "k"}),
        ("record_skill_outcome", {**there, "success": True, "key": "k"}),
        ("list_learned", {}),
    )  # fmt: skip
    text = skills.content[0].text
    assert "&lt;lines&gt;" in text[text.index(OPEN) : text.index(CLOSE)]
    assert wrong.structured_content["errors"][0]["field"] == "category"
    assert context.structured_content["id"] == there["skill_id"]
    recorded = [each.structured_content["recorded"] for each in (once, twice)]
    assert recorded == [True, False]
    assert learnt.structured_content["items"] == []


def test_the_tools_that_every_client_has_are_twelve() -> None:
    assert len(TOOLS) == 12


@pytest.mark.parametrize("profile", ["tiers", "documents", "skills"])
def test_what_only_reads_says_so(profile: str) -> None:
    for tool in PROFILES[profile].values():
        annotations = tool.listed().annotations
        assert annotations is not None
        assert annotations.read_only_hint is tool.reads
