"""What quotes an erased memory outside the memories: answers, jobs, files, caches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.lifecycle.caches import clear_caches
from app.sanitize.aside import aside
from app.snapshots.model import NO_TEXT

MANY = 200  # ids beyond which a tenant's kept answers all go: looking for each would take longer
ERASE = "lifecycle.erase"
KEEP = (ERASE,)

Drop = Callable[[str], None]  # removes the files of a job


@dataclass(frozen=True, slots=True)
class Residue:
    """`exports` and `imports` are the tasks whose files lie in the spool; `drop` removes them."""

    graph: Graph
    exports: str
    imports: str
    drop: Drop

    async def clear(self, receipt: Row) -> dict[str, int]:
        """Clear everything that may show what a receipt names; counts by kind."""
        named = [receipt["ids"], receipt["quoted"], receipt["hashes"]]
        needles = await aside(named, lambda: _needles(receipt))
        whole = receipt["kind"] == "scope"  # its receipt names scopes, not each thing in them
        tenant = receipt["tenant"]
        answers = await self.graph.one(
            Q.lifecycle.drop_answers,
            tenant=tenant,
            needles=needles if len(needles) <= MANY and not whole else None,
        )
        jobs = await self.graph.one(
            Q.lifecycle.clear_jobs,
            tenant=tenant,
            needles=needles[:MANY],
            paths=receipt["scopes"] if whole else [],
            keep=list(KEEP),
        )
        files = await self._files(tenant, set(receipt["scopes"]))
        scopes = list(receipt["scopes"])
        taken = await self.graph.one(Q.snapshots.drop_all, scopes=scopes, at=now(), no_text=NO_TEXT)
        shots = {"snapshots": taken["snapshots"]} if taken["snapshots"] else {}
        clear_caches()
        return {"answers": answers["answers"], "jobs": jobs["jobs"], "files": files, **shots}

    async def _files(self, tenant: str, scopes: set[str]) -> int:
        tasks = [self.exports, self.imports]
        rows = await self.graph.rows(Q.lifecycle.spooled, tenant=tenant, tasks=tasks, at=now())
        found = [row for row in rows if self._may_hold(row, scopes)]
        for row in found:
            self.drop(row["id"])
        return len(found)

    def _may_hold(self, row: Mapping[str, Any], scopes: set[str]) -> bool:
        """An export of one of the scopes; an upload that was given up, into one of them."""
        if row["task"] == self.exports:
            taken = set(orjson.loads(row["args"]).get("scopes", [row["scope"]]))
            return bool(taken & scopes) or not taken
        target = row["scope"]
        given_up = row["state"] in ("dead", "cancelled")
        return given_up and any(s == target or s.startswith(f"{target}/") for s in scopes)


def _needles(receipt: Row) -> list[str]:
    """Ids, quotations and hashes, as they are written, by which a receipt's things are found."""
    plain = {text.partition(":")[2] for text in receipt["hashes"]}
    return sorted({*receipt["ids"], *receipt["quoted"], *plain})
