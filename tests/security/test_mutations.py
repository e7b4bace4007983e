"""Valid requests with one thing changed: a number, a depth, an encoding. None of them makes a
server error, and no answer says what only the installation knows of itself."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest_asyncio
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from litestar import Litestar

from app.kernel.caller import Role
from bench.isolation import ids_of
from tests.agentmemory.conftest import bridged
from tests.conftest import MakePrincipal, Principal
from tests.security.doorways import Valid, beside, changes, client, doors, good

__all__ = ["bridged"]

JSON = {"content-type": "application/json"}
INTERNAL = re.compile(
    r"Traceback|site-packages|\.py\b|bolt://|redis://|neo4j|Neo\.|MATCH \(|<object| at 0x|"
    r"Exception|asyncio|pydantic|msgspec|litestar|codec can't|surrogates not allowed|NoneType",
    re.IGNORECASE,
)
NUMBERS = [
    "-1", "0", "-0.0", "0.5", "1e308", "-1e308", "1e400", "5e-324", "NaN", "Infinity", "true",
    str(2**31), str(-(2**31)), str(2**53 + 1), str(2**63 - 1), str(2**63), str(-(2**63) - 1),
    str(2**64), "9" * 400, "9" * 5_000, "1" + "0" * 30 + ".5", "00", "0x10", "1_000",
]  # fmt: skip
ODD = [
    '""', '" "', '"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ufeffa"',
    '"\\u202ea"', '"%00"', '"%ff%fe"', '"${jndi:x}"', '"\'"', '"a\\\\"', '"*"', '"a/../b"', '"/"',
    '"+"', '"AND OR"', '"[[x"', '"0001-01-01T00:00:00+14:00"', '"9999-12-31T23:59:60-14:00"',
    '"' + "a" * 40_000 + '"', '"' + "ﷺ" * 4_000 + '"', '"' + "a\\u0301" * 5_000 + '"',
    "null", "[]", "{}", "[null]", '{"": ""}',
]  # fmt: skip
DEPTHS = st.integers(1, 70)
ENCODINGS = ["utf-16", "utf-32", "latin-1", "utf-8-sig", "cp037", "utf-7"]
CHARSETS = ["utf-16", "latin-1", "x-none", "utf-8; charset=utf-16", '"', "\x7f"]
BROKEN = '"code":-32603'  # how the protocol of tools tells a server error
MARK = "\ue000"  # stands where the changed value goes


@dataclass(frozen=True)
class World:
    """Who asks, and what it may ask for."""

    who: Principal
    requests: list[Valid]


@pytest_asyncio.fixture(loop_scope="session")
async def world(principal: MakePrincipal, tenant: str) -> World:
    who = await principal(tenant, role=Role.ADMIN, name="m", kind="user")
    found = []
    for valid in valid_requests():
        answer = await who.http.request(valid.method, valid.path, json=valid.body)
        assert answer.status_code < 300, (valid, answer.text)
        found.append(valid)
        made = answer.json()
        if valid.method == "POST" and valid.path in ("/v1/notes", "/v1/pages", "/v1/skills"):
            changed = {"tags": ["a"]} if valid.path != "/v1/pages" else {"content": "Other."}
            found.append(Valid("PATCH", f"{valid.path}/{made['id']}", changed))
    return World(who, found)


@dataclass(frozen=True)
class Doors:
    """A client over every door, and what may be sent through them."""

    http: httpx.AsyncClient
    requests: list[Valid]


@pytest_asyncio.fixture(loop_scope="session")
async def kept(bridged: Litestar, principal: MakePrincipal, tenant: str) -> AsyncIterator[Doors]:
    """What agents keep, by every door, and what changes it."""
    who = await principal(tenant, role=Role.ADMIN, name="k", kind="user")
    async with client(bridged, who) as http:
        found = []
        for valid, told in doors(who, tenant):
            answer = await http.request(valid.method, valid.path, json=valid.body)
            assert answer.status_code < 300, (valid, answer.text)
            found += [valid, *changes(ids_of(told, answer.json() if answer.content else {}))]
        for valid in [*found, *beside(tenant)]:
            answer = await http.request(valid.method, valid.path, json=valid.body)
            assert good(answer) or answer.status_code == 409, (valid, answer.text)
        yield Doors(http, [*found, *beside(tenant)])


def valid_requests() -> Iterator[Valid]:
    """What writes and what asks, with most of its fields; ids are those of the last run."""
    said = {"speaker": "Ada", "said_at": "2026-05-14T10:00:00Z", "tags": ["a"]}
    episode = {"content": "Ada lives in Ulm.", "session": "s", "captured_at": said["said_at"]}
    yield Valid("POST", "/v1/episodes", {**episode, "speaker": "Ada", "tags": ["a"]})
    yield Valid("POST", "/v1/facts:remember", {"text": "Ada lives in Ulm.", **said})
    object_ = {"value": "Ulm"}
    statement = {
        "subject": {"name": "Ada", "type": "person"},
        "predicate": "lives_in",
        "object": object_,
        "valid_from": "2026-05-14T10:00:00Z",
    }
    yield Valid("POST", "/v1/facts:remember", {"statement": statement})
    note = {"content": "Wear gloves.", "importance": 0.5, "confidence": 0.5, "tags": ["a"]}
    yield Valid("POST", "/v1/notes", {**note, "valid_from": "2026-05-14T10:00:00Z"})
    yield Valid("POST", "/v1/pages", {"title": "Gloves", "content": "See [[Hats]]."})
    yield Valid("POST", "/v1/skills", {"name": "Knit", "category": "design", "body": "Loop."})
    yield Valid("POST", "/v1/knowledge-bases", {"name": "Wool"})
    document = {"knowledge_base": "Wool", "name": "a.md", "text": "# A\n\nb", "tags": ["a"]}
    yield Valid("POST", "/v1/documents", {**document, "media": "text/markdown"})
    search = {"query": "Where does Ada live?", "limit": 3, "token_budget": 500, "diversity": 0.5}
    yield Valid("POST", "/v1/search", {**search, "mode": "hybrid", "scopes": None})
    yield Valid("POST", "/api/v1/ai/rag/search", {"query": "Ada", "top_k": 3})
    graphql = 'query Q($n: Int) { search(input: {query: "Ada", first: $n}) { hits { id } } }'
    yield Valid("POST", "/graphql", {"query": graphql, "variables": {"n": 3}})


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to everything in a body, itself included."""
    yield at
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from places(inner, (*at, key))


def put(body: Any, at: tuple[Any, ...], raw: str) -> str:
    """The body as text with `raw` at a place, whatever that makes of it."""
    if not at:
        return raw
    copy = json.loads(json.dumps(body))
    inside = copy
    for key in at[:-1]:
        inside = inside[key]
    inside[at[-1]] = MARK
    return json.dumps(copy, ensure_ascii=False).replace(f'"{MARK}"', raw)


@st.composite
def mutated(draw: st.DrawFn, body: dict[str, Any]) -> tuple[bytes, dict[str, str]]:
    """The bytes of a body of which one thing was changed, and the headers that go with it."""
    at = draw(st.sampled_from(list(places(body))))
    kind = draw(st.sampled_from(["number", "odd", "deep", "key", "encoding", "charset", "cut"]))
    text = json.dumps(body)
    if kind in ("number", "odd"):
        text = put(body, at, draw(st.sampled_from(NUMBERS if kind == "number" else ODD)))
    elif kind == "deep":
        depth, pair = draw(DEPTHS), draw(st.sampled_from([("[", "]"), ('{"a":', "}")]))
        text = put(body, at, pair[0] * depth + "1" + pair[1] * depth)
    elif kind == "key":
        text = text[:-1] + f", {draw(st.sampled_from(ODD[:20]))}: 1, {text[1:-1]}}}"
    elif kind == "encoding":
        wide = text.replace("Ada", "Åda")
        return wide.encode(draw(st.sampled_from(ENCODINGS))), JSON
    elif kind == "charset":
        charset = draw(st.sampled_from(CHARSETS))
        return text.encode(), {"content-type": f"application/json; charset={charset}"}
    else:
        cut = draw(st.integers(0, len(text)))
        text = text[:cut] + draw(st.sampled_from(["", "\x00", "}", "\\", '"']))
    return text.encode("utf-8", "surrogatepass"), JSON


def wrong(status: int, text: str) -> bool:
    """Whether an answer is a server error, or tells of the inside."""
    return status >= 500 or (status >= 400 and INTERNAL.search(text) is not None)


FEW: dict[str, Any] = {
    "deadline": None,
    "derandomize": True,
    "database": None,
    "phases": [Phase.generate],
    "suppress_health_check": list(HealthCheck),
}


@settings(max_examples=40, **FEW)
@given(data=st.data())
async def test_a_valid_body_with_one_thing_changed_breaks_nothing(
    world: World, data: st.DataObject
) -> None:
    for valid in world.requests:  # each of them in every example: none is drawn too seldom
        content, headers = data.draw(mutated(valid.body))
        answer = await world.who.http.request(
            valid.method, valid.path, content=content, headers=headers
        )
        assert not wrong(answer.status_code, answer.text), (valid, content[:300], answer.text)


@settings(max_examples=12, **FEW)
@given(data=st.data())
async def test_a_changed_body_breaks_no_door_of_agent_memory(
    kept: Doors, data: st.DataObject
) -> None:
    for valid in kept.requests:
        content, headers = data.draw(mutated(valid.body))
        answer = await kept.http.request(valid.method, valid.path, content=content, headers=headers)
        told = answer.text
        assert not wrong(answer.status_code, told), (valid, content[:300], told)
        assert BROKEN not in told, (valid, content[:300], told)


SEGMENTS = ["%00", "%ff", "%ed%a0%80", "..%2f..", "%2e%2e", "a" * 5_000, "%F0%9F%98%80", "%", "%0a"]
LISTS = ["episodes", "facts", "notes", "pages", "skills", "jobs", "entities", "documents"]
NAMES = ["limit", "cursor", "scope", "as_of", "known_at", "status", "namespace", "%00", "a%5b0%5d"]


@settings(max_examples=150, **FEW)
@given(
    of=st.sampled_from(LISTS),
    segment=st.sampled_from(["", *SEGMENTS]),
    query=st.lists(
        st.tuples(st.sampled_from(NAMES), st.sampled_from([*SEGMENTS, *NUMBERS])), max_size=2
    ),
)
async def test_no_encoding_of_an_address_breaks_anything(
    admin: Principal, of: str, segment: str, query: list[tuple[str, str]]
) -> None:
    path = f"/v1/{of}" + (f"/{segment}" if segment else "")
    asked = "&".join(f"{name}={value}" for name, value in query)
    answer = await admin.http.get(f"{path}?{asked}" if asked else path)
    assert not wrong(answer.status_code, answer.text), (path, asked[:300], answer.text)


@settings(max_examples=60, **FEW)
@given(
    name=st.sampled_from(["idempotency-key", "accept", "content-type", "if-match", "traceparent"]),
    value=st.sampled_from(
        [b"", b"\xff\xfe", b"a" * 7_000, b"*/*;q=9", b"\xc3", b"a\tb", b"text/x"]
    ),
)
async def test_no_header_breaks_anything(admin: Principal, name: str, value: bytes) -> None:
    content = json.dumps({"content": "Ada lives in Ulm.", "session": "s"}).encode()
    headers: list[tuple[bytes, bytes]] = [(name.encode(), value)]
    if name != "content-type":
        headers.append((b"content-type", b"application/json"))
    answer = await admin.http.post("/v1/episodes", content=content, headers=headers)
    assert not wrong(answer.status_code, answer.text), (name, value[:50], answer.text)
