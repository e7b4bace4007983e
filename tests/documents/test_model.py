"""A knowledge base names the model that its scope is searched by, whatever that is by now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.embeddings.e5 import E5Embedder
from app.embeddings.provider import provider_of
from app.portability.exporter import export_package
from app.portability.service import selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.reembedding.test_switch import post, run
from tests.retrieval.test_sources import lines_of

OTHER = "another-model"  # by which the second test model, of the first one's name, is told apart


async def models(who: Principal) -> dict[str, str]:
    """What each base says of its model, by its scope; the same by every way to read one."""
    listed = (await who.http.get("/v1/knowledge-bases")).json()["items"]
    query = "{ knowledgeBases { nodes { id scope embeddingModel } } }"
    answer = (await who.http.post("/graphql", json={"query": query})).json()
    nodes = {node["id"]: node for node in answer["data"]["knowledgeBases"]["nodes"]}
    for base in listed:
        one = (await who.http.get(f"/v1/knowledge-bases/{base['id']}")).json()
        single = f'{{ knowledgeBase(id: "{base["id"]}") {{ embeddingModel }} }}'
        seen = (await who.http.post("/graphql", json={"query": single})).json()["data"]
        told = {
            base["embedding_model"],
            one["embedding_model"],
            nodes[base["id"]]["embeddingModel"],
            seen["knowledgeBase"]["embeddingModel"],
        }
        assert len(told) == 1, told
    return {base["scope"]: base["embedding_model"] for base in listed}


async def name_second(opened: Parts, model: str) -> None:
    await opened.graph.raw(
        "MATCH (v:VectorSpace {setting: 'wide'}) SET v.model = $model", model=model
    )


async def test_a_base_names_its_scope_s_model_over_a_switch_and_back(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, tmp_path: Path
) -> None:
    dev, leaf = f"{tenant}/dev", f"{tenant}/dev/user:ann"
    await principal(leaf, name="ann", kind="user")

    async def make(scope: str) -> dict[str, Any]:
        answer = await admin.http.post("/v1/knowledge-bases", json={"name": "B", "scope": scope})
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    first = opened.embedder.info.name
    for scope in (tenant, dev):
        assert (await make(scope))["embedding_model"] == first
    try:
        begun = await post(admin, "prepare", 202, scope=dev, model="wide")
        await run(opened, admin, begun["job"])
        await name_second(opened, OTHER)
        assert set((await models(admin)).values()) == {first}  # filled is not searched
        await post(admin, "switch", 200, scope=dev)
        assert (await make(leaf))["embedding_model"] == OTHER
        assert await models(admin) == {tenant: first, dev: OTHER, leaf: OTHER}
        await export_package(opened.graph, tmp_path / "p", await selection(opened.graph, dev))
        lines = lines_of(tmp_path / "p" / "knowledge_bases.jsonl")
        assert {line["embedding_model"] for line in lines} == {OTHER}
        await post(admin, "rollback", 200, scope=dev)
        assert set((await models(admin)).values()) == {first}
    finally:
        await name_second(opened, first)
        await post(admin, "finish", 202, scope=dev)


async def test_a_base_may_be_made_with_its_scope_s_own_model_alone(
    opened: Parts, writer: Principal
) -> None:
    own = {"embedding_model": opened.embedder.info.name, "embedding_provider": "hash"}
    path = "/api/v1/ai/rag/knowledge_bases"
    for name in own:
        answer = await writer.http.post(path, json={"name": "Other", **own, name: "openai"})
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"][0]["field"] == name
        assert "searched by hash of hash" in answer.text
    assert (await writer.http.get("/v1/knowledge-bases")).json()["items"] == []
    made = await writer.http.post(path, json={"name": "Own", **own})
    assert made.status_code == 201, made.text
    assert {name: made.json()["data"][name] for name in own} == own


@pytest.mark.parametrize(
    ("model", "version", "provider"),
    [
        (E5Embedder.info.name, E5Embedder.info.version, "e5"),
        ("text-embedding-3-small", "openai", "openai"),
        ("voyage-3.5", "voyage", "voyage"),
        ("hash", "1", "hash"),
    ],
)
def test_the_provider_follows_from_what_is_stored_of_a_model(
    model: str, version: str, provider: str
) -> None:
    assert provider_of(model, version) == provider
