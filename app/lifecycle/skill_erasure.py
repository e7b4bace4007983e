"""Skills under an erasure: versions, uses, conflicts and proposals go with them.

A proposal that only points at what goes says nothing of it. One that nobody has decided on and that
follows from learnings goes all the same, since the next look at what is left makes it anew; any
other one loses the id.

An author's versions of skills that are somebody else's go by themselves: the skill stays, and says
what it said before.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Set

import orjson

from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.lifecycle.model import Closure, Removed
from app.pages.linking import settle_pages

FOLLOWS = ("learnings", "gap", "dependency")  # origins of proposals that a job makes
# Lets a skill (its id) say what it said before an author's versions: another one comes into use.
FallBack = Callable[[Tx, Caller, str, str], Awaitable[None]]
OPEN = ("research", "draft", "submitted", "under_review", "expired", "rejected")


async def erase_skills(tx: Tx, closure: Closure, removed: Removed) -> None:
    """Take the skills of a closure out, its ids out of proposals, and let links to them wait."""
    gone = frozenset(closure.ids)
    rows = await tx.rows(Q.erasure.citing, ids=sorted(gone), scopes=sorted(closure.scopes))
    cited = [row["proposal"] for row in rows if row["proposal"]["id"] not in closure.skills]
    ids = sorted({*closure.skills, *(p["id"] for p in cited if follows(p, gone))})
    changed = [without(p, gone) for p in cited if p["id"] not in ids]
    if changed:
        await tx.rows(Q.erasure.cite, rows=changed)
    removed.ids += [p["id"] for p in cited]
    if ids:
        await _drop(tx, ids, removed)


async def _drop(tx: Tx, ids: list[str], removed: Removed) -> None:
    linking = await tx.rows(Q.erasure.pages_naming, ids=ids)
    await tx.rows(Q.erasure.name_skills, ids=ids)
    removed.add(await tx.one(Q.erasure.drop_skills, ids=ids))
    for tenant in sorted({row["tenant"] for row in linking}):
        pages = [row["id"] for row in linking if row["tenant"] == tenant]
        await settle_pages(tx, tenant, pages, now())


async def erase_versions(tx: Tx, rows: list[Row], removed: Removed) -> None:
    """Take versions out; skills of which one was in use have fallen back already.

    `rows` are those of `erasure.versions_by`.
    """
    ids = [row["id"] for row in rows]
    skills = sorted({row["skill"] for row in rows if row["in_use"]})
    removed.add(await tx.one(Q.erasure.drop_versions, ids=ids, skills=skills))
    removed.hashes += [f"skill_versions:{row['hash']}" for row in rows]
    removed.scopes |= {row["scope"] for row in rows}


def follows(proposal: Row, gone: Set[str]) -> bool:
    """Whether an open proposal was made by a job out of something that goes."""
    made = proposal["origin"] in FOLLOWS and proposal["status"] in OPEN
    return made and not gone.isdisjoint(proposal["sources"])


def without(proposal: Row, gone: Set[str]) -> Row:
    """What is left of a proposal's sources and findings."""
    findings = [f for f in orjson.loads(proposal["findings"]) if f["id"] not in gone]
    return {
        "id": proposal["id"],
        "sources": [source for source in proposal["sources"] if source not in gone],
        "findings": orjson.dumps(findings).decode(),
    }
