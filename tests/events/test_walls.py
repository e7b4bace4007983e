"""Whatever is written by whom and where: each listener has the events that a small rule lets it
have, and no other, once and in order."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import httpx
import pytest

from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.feed import told
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.events.conftest import stream

KINDS = ("job.done", "fact.opened", "memory_pool_key_write", "key.mint", "principal.save")
OPEN = KINDS[:3]
LEAVES = ("dev", "ops", "lab")
COUNT = 60


def may(event: dict[str, Any], who: Principal, wanted: dict[str, Any]) -> bool:
    """The rule: an open kind, of a scope that the key sees and asks for, told to it or to all."""
    readers = event["readers"]
    return (
        event["kind"] in OPEN
        and event["scope"] in who.caller.roles
        and (readers is None or who.caller.principal in readers)
        and event["scope"] in wanted.get("scopes", [event["scope"]])
        and any(event["kind"].startswith(kind) for kind in wanted.get("kinds", [""]))
    )


@pytest.mark.parametrize("seed", range(3))
async def test_listeners_have_what_they_may_and_nothing_else(
    opened: Parts, principal: MakePrincipal, tenant: str, address: str, seed: int
) -> None:
    chance = random.Random(seed)
    places = [f"{tenant}/{leaf}" for leaf in LEAVES]
    abroad = await principal(f"{tenant}x/dev", name="abroad")
    folk = [await principal(scope, name=scope[-3:]) for scope in places]
    folk.append(await principal(tenant, role=Role.ADMIN, name="lead", kind="user"))
    folk.append(abroad)
    scopes = [tenant, *places, f"{tenant}x/dev", f"{tenant}x"]
    names = [who.caller.principal for who in folk]
    made = []
    for number in range(COUNT):
        readers = chance.choice([None, None, chance.sample(names, chance.randint(0, 3))])
        kind, scope = chance.choice(KINDS), chance.choice(scopes)
        made.append(told(kind, scope, f"e{number}", now(), readers=readers, n=number))
        await opened.graph.rows(Q.events.put, rows=made[-1:])
    for scope in scopes:
        end = told("job.end", scope, "end", now())
        await opened.graph.rows(Q.events.put, rows=[end])
    for who in folk:
        wanted: dict[str, Any] = {}
        if chance.random() < 0.5:
            seen = sorted(who.caller.roles)
            wanted["scopes"] = chance.sample(seen, chance.randint(1, len(seen)))
        if chance.random() < 0.5:
            wanted["kinds"] = ["job", *chance.sample(["fact", "memory_pool_key_write"], 1)]
        ends = len(wanted.get("scopes", who.caller.roles))
        heard: list[str] = []
        async with stream(address, who, "0.0", **wanted) as reader:
            while heard.count("end") < ends:
                event = await reader.next()
                # What the audit trail holds of making the scopes is told as well.
                if event["event"] in (*OPEN, "job.end"):
                    heard.append(event["target"])
        rule = [event["target"] for event in made if may(event, who, wanted)]
        assert [target for target in heard if target != "end"] == rule, (seed, who.caller.name)


async def test_streams_beyond_the_most_are_told_to_wait_and_one_that_ends_makes_room(
    writer: Principal, address: str, opened: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.events.routes.MOST", opened.events.listening + 2)
    async with stream(address, writer, kinds="goal"):
        async with stream(address, writer, kinds="goal"):
            answer = await writer.http.get("/v1/events")
            assert (answer.status_code, answer.json()["code"]) == (429, "RateLimited")
            assert int(answer.headers["retry-after"]) >= 1
        async with httpx.AsyncClient(headers=writer.http.headers) as client:
            for _ in range(200):
                async with client.stream("GET", f"{address}/v1/events") as answer:
                    if answer.status_code == 200:
                        return
                await asyncio.sleep(0.05)
    pytest.fail("nobody was let in once a stream had ended")
