"""Operations in sequences: what one answers, the next one asks for. The key that asks cannot be
revoked by what it asks, since its principal lives above the scope that it administers.

First it asks what `leading` has made something for; then it draws, with `TESTS_WALK_SEED`.
"""

from __future__ import annotations

import asyncio
import os
import random
import warnings

import httpx
import pytest
from litestar import Litestar

from app.access.service import NewKey, NewPrincipal, operator
from app.kernel.caller import Role
from app.kernel.scope import parse_scope
from app.wiring import Parts
from tests.conftest import MakePrincipal
from tests.fuzz.excused import EXCUSED
from tests.fuzz.lead import Lead
from tests.fuzz.leading import led
from tests.fuzz.sending import sender
from tests.fuzz.walk import PATHS, Walk

FEW = 4  # operations, of more than two hundred, that one walk may miss: others wrote meanwhile
ROUNDS = 6  # at most: a walk ends once it has reached what it has to
SEED = int(os.environ.get("TESTS_WALK_SEED", "13"))


async def irrevocable(opened: Parts, tenant: str, scope: str) -> str:
    """A key that administers a scope, of a principal that lives above it."""
    caller = operator(tenant, [])
    await opened.scopes.ensure([parse_scope(tenant), parse_scope(scope)], caller)
    walker = await opened.access.save_principal(
        caller, NewPrincipal("user", "walker", tenant, Role.READER)
    )
    caller = operator(tenant, [scope])
    await opened.access.grant(caller, walker["id"], scope, Role.ADMIN, subtree=True)
    minted, _ = await opened.access.mint_key(caller, NewKey(walker["id"], Role.ADMIN))
    return minted.text


async def worked(opened: Parts, http: httpx.AsyncClient, scope: str) -> None:
    """Do what a worker does between two rounds."""
    await opened.question_log.flush()
    await opened.indexing.drain()
    await opened.consolidation.consolidate(scope)
    for job in (await http.get("/v1/jobs", params={"status": "queued"})).json()["items"]:
        await opened.runner.run(opened, job["id"])


def test_every_operation_that_takes_an_id_has_a_link_into_it(app: Litestar) -> None:
    walk = Walk(lambda case: httpx.Response(500), "none", random.Random(0))
    walk.over(app.openapi_schema.to_schema())
    assert len(walk.takes_ids()) > 100
    assert [label for label in walk.takes_ids() if not walk.links_into(label)] == []
    known = {name for operation in walk.operations for name in walk.free(operation)}
    assert PATHS.keys() <= known
    assert EXCUSED.keys() <= {*walk.takes_ids()}


def missed(walk: Walk) -> list[str]:
    """The operations that take an id and were brought to no success with one that an answer gave,
    those left out that need not be."""
    return [one for one in walk.takes_ids() if one not in EXCUSED and not walk.reached[one]]


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_what_answers_name_can_be_read_changed_and_deleted(
    app: Litestar, opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    scope = f"{tenant}/work"
    key = await irrevocable(opened, tenant, scope)
    other = await principal(scope, name="other", role=Role.CURATOR)
    third = await principal(scope, name="third")
    send = sender(app, key, asyncio.get_running_loop())
    headers = {"Authorization": f"Bearer {key}"}
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://loci", headers=headers
    ) as http:
        document = (await http.get("/schema/openapi.json")).json()
        walk = Walk(send, scope, random.Random(SEED)).over(document)
        aims = await led(Lead(opened, http, f"user:{tenant}:walker", other, third, scope))
        await asyncio.to_thread(walk.aimed, aims)
        for _ in range(ROUNDS):
            for path, body in (("rules", {"erasure": True}), ("policy", {})):
                where = f"/v1/scopes/{path}"
                put = await http.put(where, params={"scope": scope}, json=body)
                assert put.is_success, put.text
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the generator's own
                await asyncio.to_thread(walk.round)
            await worked(opened, http, scope)
            if not missed(walk):
                break
        assert (await http.get("/v1/keys")).status_code == httpx.codes.OK  # it lives, as admin
    assert not walk.failures, f"{len(walk.failures)} failures\n\n" + "\n\n".join(
        walk.failures.values()
    )
    left = missed(walk)
    told = "\n".join(f"{label}: {dict(walk.answers[label])}" for label in left)
    assert len(left) <= FEW, f"make something that leads there, or excuse it with a reason\n{told}"
