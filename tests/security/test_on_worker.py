"""Long texts are read beside the worker's loop too: no pass and no job of one tenant's texts holds
up what all tenants wait for. What ran on the loop is told by name, not by time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from itertools import islice, product
from typing import Any

import pytest
import pytest_asyncio

from app.communities.tasks import COMMUNITIES
from app.entities.repair import REPAIR
from app.facts.tasks import REKEY, RESETTLE
from app.kernel.caller import Role
from app.kernel.ids import new_id
from app.lifecycle.condensing import CONDENSE
from app.lifecycle.tasks import DUPLICATES, REFRESH, REWORD, ROT
from app.pages.tasks import RELINK
from app.snapshots.tasks import DAYS, SNAPSHOTS
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.security.test_on_loop import LONG, TEXTS, made
from tests.support.on_loop import on_this_thread

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
NAMES = 2_100  # more than a list on the loop may have
SHAPES = {
    "prose": "".join(TEXTS.values()),
    "names": "With {name} came rain.\n",
    "statements": "{name} lives in Bremen.\n",
}
SYLLABLES = ("ba", "do", "fe", "gu", "ka", "lo", "mi", "nu", "ra", "so", "te", "vi")
# What goes over a scope's texts again, by the task's name.
AGAIN = (
    CONDENSE, COMMUNITIES, REPAIR, RELINK, DUPLICATES, ROT, REFRESH, REWORD, REKEY, RESETTLE,
    SNAPSHOTS, DAYS,
)  # fmt: skip
Ran = dict[str, set[str]]


@pytest_asyncio.fixture(loop_scope="session")
async def curator(principal: MakePrincipal, tenant: str) -> Principal:
    return await principal(tenant, role=Role.ADMIN, name="tilda-rook", kind="user")


def names() -> Iterator[str]:
    """Names of people, of which few read alike."""
    for parts in islice(product(SYLLABLES, repeat=4), 0, None, 7):
        yield f"{''.join(parts[:2]).capitalize()} {''.join(parts[2:]).capitalize()}son"


def text_of(shape: str) -> str:
    """A long text: running words with links and headings, names of whom nothing else is said, or
    facts of as many people."""
    several = NAMES if shape != "prose" else NAMES // 10
    told = islice(enumerate(names()), several)
    return "".join(SHAPES[shape].format(n=n, name=name) for n, name in told)


@contextmanager
def noted(ran: Ran, name: str) -> Iterator[None]:
    """Note what a piece of work calls on the loop with something long."""
    with on_this_thread(LONG) as found:
        yield
    if found:
        ran[name] = found


async def indexed(opened: Parts) -> None:
    """Cut the pages and index the texts that wait."""
    await opened.due_pages.sweep()
    await opened.indexing.drain()


async def job(opened: Parts, ran: Ran, name: str, job: str) -> None:
    """Do a job that waits."""
    with noted(ran, name):
        state = await opened.runner.run(opened, job)
    assert state == "done", (name, state)


async def read(opened: Parts, who: Principal, shape: str, ran: Ran) -> None:
    """Capture a text, running words a second time as well, and have it read, indexed, linked and
    condensed, as the worker does."""
    scope, text = f"{who.caller.tenant}/dev", text_of(shape)
    await made(who, "/v1/scopes", {"scope": scope})
    for session in ("s", "t") if shape == "prose" else ("s",):
        said = {"content": text, "session": session, "title": "Long", "scope": scope}
        await made(who, "/v1/episodes", said)
        passes: dict[str, Callable[[], Awaitable[Any]]] = {
            "consolidation": lambda: opened.consolidation.consolidate(scope),
            "index": lambda: indexed(opened),
            "links": lambda: opened.linking.link((scope, who.caller.tenant)),
            "condensing": lambda: opened.condensing.condense(scope),
        }
        for name, work in passes.items():
            with noted(ran, name):
                await work()


@pytest.mark.parametrize("shape", SHAPES)
async def test_no_pass_and_no_job_reads_a_long_text_on_the_loop(
    opened: Parts, curator: Principal, shape: str
) -> None:
    text, tenant = text_of(shape), curator.caller.tenant
    ran: Ran = {}
    scope = f"{tenant}/dev"
    await read(opened, curator, shape, ran)
    page = {"title": f"Long {shape}", "content": text, "scope": scope}
    await made(curator, "/v1/pages", page)
    base = (await made(curator, "/v1/knowledge-bases", {"name": "long", "scope": scope}))["id"]
    document = {"knowledge_base": base, "name": "long.md", "text": text, "media": "text/markdown"}
    taken = await made(curator, "/v1/documents", document)
    await job(opened, ran, "document", taken["job"]["id"])
    with noted(ran, "index of pages and documents"):
        await indexed(opened)
    for task in AGAIN:
        args = {"scope": scope, "scopes": [scope], "predicate": "lives_in"}
        waiting = await opened.jobs.create(
            task, tenant=tenant, scope=scope, args=args, job_id=new_id()
        )
        await job(opened, ran, task, waiting.id)
    export = (await made(curator, "/v1/exports", {}))["id"]
    await job(opened, ran, "export", export)
    package = (await curator.http.get(f"/v1/exports/{export}")).content
    answer = await curator.http.post(
        "/v1/imports",
        params={"scope": f"{tenant}/in"},
        content=package,
        headers={"content-type": "application/zstd"},
    )
    assert answer.status_code == 202, answer.text
    await job(opened, ran, "import", answer.json()["id"])
    rules = {"erasure": True}
    await curator.http.put("/v1/scopes/rules", params={"scope": tenant}, json=rules)
    body = {"author": curator.caller.principal, "scope": scope}
    answer = await curator.http.post("/v1/erasures", json=body)
    assert answer.status_code == 202, answer.text
    await job(opened, ran, "erasure", answer.json()["job"])
    assert not ran, "\n".join(f"{name}: {sorted(found)}" for name, found in ran.items())
