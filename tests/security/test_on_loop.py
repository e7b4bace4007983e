"""Long texts are read beside the loop: what ran on it is told by name, not by time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
import pytest_asyncio

from app import worker
from app.asgi import create_app
from app.embeddings.tokens import encoding
from app.kernel.caller import Role
from app.settings import Settings
from tests.conftest import MakePrincipal, Principal
from tests.support.on_loop import on_this_thread

SIZE = 150_000  # characters; what runs where is the same for a million
LONG = 8_000  # characters that no function is given on the loop
Door = Callable[[Principal, str], Awaitable[httpx.Response]]
TEXTS = {
    "prose": "Read this. On Monday Orla Venn wrote a line. ",
    "links": "See [[Page {n}]] and #tag{n}, as the last part says of it.\n\n",
    "headings": "## Part {n}\n\nOrla Venn said so.\n\n",
}


@pytest_asyncio.fixture(loop_scope="session")
async def curator(principal: MakePrincipal, tenant: str) -> Principal:
    return await principal(f"{tenant}/dev", role=Role.ADMIN, name="orla-venn", kind="user")


def text_of(shape: str, size: int) -> str:
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(TEXTS[shape].format(n=len(parts)))
        length += len(parts[-1])
    return "".join(parts)[:size]


async def made(who: Principal, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = await who.http.post(path, json=body)
    assert answer.status_code in (200, 201, 202), answer.text[:300]
    return dict(answer.json())


async def new_page(who: Principal, text: str) -> httpx.Response:
    return await who.http.post("/v1/pages", json={"title": "Long", "content": text})


async def changed_page(who: Principal, text: str) -> httpx.Response:
    page = (await made(who, "/v1/pages", {"title": "Longer", "content": text}))["id"]
    return await who.http.patch(f"/v1/pages/{page}", json={"content": f"More. {text[:-10]}"})


async def renamed_page(who: Principal, text: str) -> httpx.Response:
    page = (await made(who, "/v1/pages", {"title": "Target", "content": "It is."}))["id"]
    await made(who, "/v1/pages", {"title": "Linking", "content": f"See [[Target]]. {text}"[:-20]})
    body = {"title": "Aim", "rewrite": True}
    return await who.http.post(f"/v1/pages/{page}/rename", json=body)


async def restored_page(who: Principal, text: str) -> httpx.Response:
    page = (await made(who, "/v1/pages", {"title": "Gone", "content": text}))["id"]
    await who.http.delete(f"/v1/pages/{page}")
    return await who.http.post(f"/v1/pages/{page}/restore", json={})


async def linked_mentions(who: Principal, text: str) -> httpx.Response:
    page = (await made(who, "/v1/pages", {"title": "Named", "content": "It is."}))["id"]
    said = {"title": "Saying", "content": f"Named is there. {text}"[:-20]}
    source = (await made(who, "/v1/pages", said))["id"]
    return await who.http.post(f"/v1/pages/{page}/unlinked-mentions", json={"source": source})


async def new_skill(who: Principal, text: str) -> httpx.Response:
    body: dict[str, Any] = {"name": "Long", "category": "analysis", "body": text[:39_000]}
    body |= {"description": text[:3_900], "params": {"of": text}}
    return await who.http.post("/v1/skills", json=body)


async def changed_skill(who: Principal, text: str) -> httpx.Response:
    body = {"name": "Longer", "category": "analysis", "body": "Do it."}
    skill = (await made(who, "/v1/skills", body))["id"]
    said = {"body": text[:39_000], "reason": "longer"}
    return await who.http.patch(f"/v1/skills/{skill}", json=said)


async def proposal(who: Principal, text: str) -> httpx.Response:
    body = {"name": "Proposed", "category": "analysis", "body": text[:39_000]}
    return await who.http.post("/v1/skill-proposals", json=body)


async def trace(who: Principal, text: str) -> httpx.Response:
    begun = (await made(who, "/v1/traces", {"task": text[:4_900]}))["id"]
    steps = [{"thought": text[:19_000], "observation": text[:19_000]}]
    await made(who, f"/v1/traces/{begun}/steps", {"steps": steps})
    body = {"outcome": "success", "result": text[:19_000]}
    return await who.http.post(f"/v1/traces/{begun}/complete", json=body)


async def segment(who: Principal, text: str) -> httpx.Response:
    begun = (await made(who, "/v1/segments", {"task": text[:4_900]}))["id"]
    body = {"reply": text[:90_000], "answer": text[:90_000]}
    return await who.http.post(f"/v1/segments/{begun}/end", json=body)


async def conversation(who: Principal, text: str) -> httpx.Response:
    said = {"messages": [{"role": "user", "content": text}, {"role": "user", "content": "And?"}]}
    await made(who, "/v1/conversations/long/messages", said)
    return await who.http.post("/v1/conversations/long/recall", json={"query": text[:19_000]})


async def turn(who: Principal, text: str) -> httpx.Response:
    said = {"messages": [{"role": "user", "content": text}], "session": "long-turn"}
    return await who.http.post("/v1/turns", json=said)


async def rows(who: Principal, text: str) -> httpx.Response:
    columns = [{"name": "said"}]
    await made(who, "/v1/tables", {"name": "long", "columns": columns, "description": text[:1_900]})
    await made(who, "/v1/tables/long/rows", {"rows": [{"said": text[:90_000]}]})
    about = {"filter": {"column": "said", "op": "contains", "value": text}}
    assert (await who.http.post("/v1/tables/long/query", json=about)).status_code == 200
    return await who.http.post("/v1/tables/long/rows/delete", json=about)


async def pool(who: Principal, text: str) -> httpx.Response:
    return await who.http.post("/v1/pools", json={"name": "long", "data": {"of": text}})


async def context(who: Principal, text: str) -> httpx.Response:
    return await who.http.post("/v1/contexts", json={"name": "said", "description": text[:1_900]})


async def step(who: Principal, text: str) -> httpx.Response:
    begun = await made(who, "/agent-memory/v1/conversations", {})
    body = {"conversationId": begun["id"], "reasoning": text, "actionTaken": text}
    return await who.http.post("/agent-memory/v1/reasoning/steps", json=body)


async def document(who: Principal, text: str) -> httpx.Response:
    base = (await made(who, "/v1/knowledge-bases", {"name": "long"}))["id"]
    body = {"knowledge_base": base, "name": "long.md", "text": text, "media": "text/markdown"}
    return await who.http.post("/v1/documents", json=body)


PAGES: list[Door] = [new_page, changed_page, renamed_page, restored_page, linked_mentions]
DOORS: list[Door] = [
    new_skill, changed_skill, proposal, trace, segment, conversation, turn, rows, pool, context,
    step, document,
]  # fmt: skip
CASES = [*((door, shape) for door in PAGES for shape in TEXTS), *((d, "prose") for d in DOORS)]


@pytest.mark.parametrize(
    ("door", "shape"), CASES, ids=lambda one: one if isinstance(one, str) else one.__name__
)
async def test_no_function_reads_a_long_text_on_the_loop(
    curator: Principal, door: Door, shape: str
) -> None:
    text = text_of(shape, SIZE)
    with on_this_thread(LONG) as ran:
        answer = await door(curator, text)
    assert answer.status_code < 300, answer.text[:300]
    assert not ran, sorted(ran)


Reading = tuple[str, dict[str, Any]]
READINGS: dict[str, Reading] = {
    "search": ("/v1/search", {"query": "Where does Orla Venn row?", "limit": 20}),
    "keyword": ("/v1/search", {"query": "Venn rows", "mode": "keyword", "form": "bundle"}),
    "turn": ("/v1/turns", {"session": "read", "query": "Orla Venn", "messages": [
        {"role": "user", "content": "Where does Orla Venn row?"}]}),
    "rag": ("/v1/rag/ask", {"query": "Where does Orla Venn row?"}),
    "rag context": ("/v1/rag/context", {"query": "Where does Orla Venn row?"}),
    "tiers": ("/v1/tiers/search", {"query": "Orla Venn rows"}),
    "context": ("/v1/tiers/context", {"query": "Where does Orla Venn row?"}),
    "recall": ("/v1/conversations/read/recall", {"query": "Where does Orla Venn row?"}),
    "mcp": ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "search", "arguments": {"query": "Orla Venn rows"}}}),
}  # fmt: skip


@pytest.mark.parametrize("name", READINGS)
async def test_no_function_reads_a_long_memory_on_the_loop(
    curator: Principal, drain: Callable[[], Awaitable[int]], name: str
) -> None:
    for n in range(3):
        text = f"Orla Venn rows at {n}. " + text_of("prose", SIZE)
        body = {"content": text, "session": "read"}
        assert (await curator.http.post("/v1/episodes", json=body)).status_code == 201
    await drain()
    path, asked = READINGS[name]
    with on_this_thread(LONG) as ran:
        answer = await curator.http.post(path, json=asked)
    assert answer.status_code < 300, answer.text[:300]
    assert not ran, sorted(ran)


async def test_processes_load_the_tokens_as_they_start(settings: Settings) -> None:
    encoding.cache_clear()
    async with create_app(settings).lifespan():
        assert encoding.cache_info().currsize == 1
    encoding.cache_clear()
    context: dict[str, Any] = {"settings": settings}
    await worker.startup(context)
    await worker.shutdown(context)
    assert encoding.cache_info().currsize == 1
