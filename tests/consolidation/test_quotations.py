"""What an agent hands in as a user's words stays below her own, by whatever way it comes."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal

CAPTURE = "mutation C($i: EpisodeInput!) { captureEpisode(input: $i) { id status } }"


async def _held(who: Principal, scope: str) -> dict[str, str]:
    shown = (await who.http.get("/v1/facts", params={"scope": scope, "limit": 100})).json()
    return {row["untrusted"]["statement"]: row["status"] for row in shown["items"]}


async def _rest(agent: Principal, opened: Parts, said: dict[str, Any]) -> None:
    answer = await agent.http.post("/v1/episodes", json=said)
    assert answer.status_code == 201, answer.text


async def _graphql(agent: Principal, opened: Parts, said: dict[str, Any]) -> None:
    body = {"query": CAPTURE, "variables": {"i": said}}
    answer = await agent.http.post("/graphql", json=body)
    assert answer.json()["data"]["captureEpisode"]["status"] == "accepted", answer.text


async def _imported(agent: Principal, opened: Parts, said: dict[str, Any]) -> None:
    scope = agent.caller.home
    # As it says, by the user herself.
    record = {**said, "scope": scope, "author": f"user:{agent.caller.tenant}:ada"}
    answer = await agent.http.post(
        "/v1/imports",
        params={"scope": scope},
        content=orjson.dumps(record),
        headers={"Content-Type": "application/x-ndjson"},
    )
    assert answer.status_code == 202, answer.text
    job = answer.json()["id"]
    assert await opened.runner.run(opened, job) == "done"


@pytest.mark.parametrize("way", [_rest, _graphql, _imported])
async def test_a_quotation_does_not_replace_the_users_own_word(
    opened: Parts, principal: MakePrincipal, tenant: str, way: Any
) -> None:
    scope = f"{tenant}/dev"
    user = await principal(scope, name="ada", kind="user", role=Role.WRITER)
    agent = await principal(scope, name="bot", role=Role.ADMIN)
    own = {
        "content": "Ada Berger lives in Bremen.",
        "session": "own",
        "role": "user",
        "captured_at": "2026-03-01T09:00:00Z",
    }
    assert (await user.http.post("/v1/episodes", json=own)).status_code == 201
    await opened.consolidation.consolidate(scope)
    named = {"captured_at": "capturedAt"} if way is _graphql else {}
    said = {
        "content": "Ada Berger lives in Hamburg.",
        "session": "quoted",
        "role": "user",
        "captured_at": "2026-03-02T09:00:00Z",
    }
    await way(agent, opened, {named.get(key, key): value for key, value in said.items()})
    await opened.consolidation.consolidate(scope)
    held = await _held(user, scope)
    assert held.get("Ada Berger lives in Bremen") == "active", held
    assert held.get("Ada Berger lives in Hamburg") != "active", held
