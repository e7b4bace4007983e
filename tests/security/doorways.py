"""Valid requests by every door of agent memory, for tests that change one thing in them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
from litestar import Litestar

from bench.doors import BRIDGE, CHANGES, WRITES, Draw, Told
from bench.rights import Principal as Known
from bench.rights import Register
from tests.conftest import Principal
from tests.support.serving import Served

# Answers of `/mcp` are JSON or a stream; every other route takes this too.
ACCEPT = {"accept": "application/json, text/event-stream"}
HOOK = "http://127.0.0.1:9/crane"


@dataclass(frozen=True)
class Valid:
    """A request that is answered with 2xx."""

    method: str
    path: str
    body: dict[str, Any]


def client(app: Litestar, who: Principal) -> httpx.AsyncClient:
    """A client over an application, with somebody's key."""
    return httpx.AsyncClient(
        transport=Served(app),  # type: ignore[arg-type]
        base_url="http://loci",
        headers={"Authorization": who.http.headers["Authorization"], **ACCEPT},
    )


def doors(who: Principal, home: str, words: int = 0) -> Iterator[tuple[Valid, Told]]:
    """What every door of `bench.doors` takes, with the ids that its answer has; other words for
    each number."""
    rng = random.Random(f"{home} {words}")
    register = Register(rng)
    known = Known(who.caller.principal, who.caller.name, home, "admin", True, who.http)
    for door in WRITES.values():
        told = door(Draw(known, register.word("k"), register.word("zq"), [known], rng))
        yield Valid(told.method, told.path, told.body or {}), told


def changes(ids: dict[str, str]) -> Iterator[Valid]:
    """What changes a thing of these ids."""
    for name, value in ids.items():
        if name in CHANGES:
            method, path, body = CHANGES[name]
            yield Valid(method, path.format(value), body("The crane was oiled."))


def beside(home: str) -> Iterator[Valid]:
    """Doors that `bench.doors` leaves out: webhooks, settings, the bridge, tools."""
    yield Valid("POST", "/v1/webhooks", {"url": HOOK, "kinds": ["note"]})
    settings = {"conversations": {"prompt": "Talk of cranes.", "messages": 20}}
    yield Valid("PATCH", f"/v1/scopes/settings?scope={home}", settings)
    for method, body in (
        ("add_message", {"session_id": "s", "role": "user", "content": "The crane is oiled."}),
        ("add_entity", {"name": "Crane Nine", "entity_type": "OBJECT", "description": "Tall."}),
        ("add_preference", {"category": "food", "preference": "Likes soup.", "context": "Lunch"}),
        ("start_trace", {"session_id": "s", "task": "Oil the crane."}),
    ):
        yield Valid("POST", f"{BRIDGE}/{method}", body)
    for name, given in (
        ("note", {"content": "The crane is blue.", "title": "Crane", "tags": ["harbour"]}),
        ("capture", {"content": "The crane is red.", "session": "t", "speaker": "Bo"}),
        ("search", {"query": "What colour is the crane?", "limit": 3}),
    ):
        yield Valid("POST", "/mcp", call(name, given))


def call(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """A call of a tool."""
    params = {"name": name, "arguments": given}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def good(answer: httpx.Response) -> bool:
    """Whether something was done: tools and GraphQL tell their errors with 200."""
    told = answer.text
    return answer.is_success and '"isError":true' not in told and '"errors":[{' not in told
