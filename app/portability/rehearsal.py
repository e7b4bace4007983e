"""An import that writes nothing: what would be taken, what refused, and what is lost."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import ExitStack
from typing import Any

from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.ids import new_id
from app.portability.importer import chunks
from app.portability.kind import Reject, Rules
from app.portability.package import Package, PackedFile
from app.portability.prepare import prepare_chunk
from app.portability.progress import Mark
from app.portability.service import Order, Run, Store, opened, rules_of

SHOWN = 20  # rejects


async def rehearse(store: Store, order: Order) -> dict[str, Any]:
    """Read and check everything that an import would, and write nothing.

    Returns counts by kind, the first rejects, and of another program's file its format and what
    is lost by field. What is there already counts as accepted, since the graph is not asked for
    it. Raises what opening the package raises.
    """
    with ExitStack() as stack:
        package = await asyncio.to_thread(stack.enter_context, opened(order))
        run = Run(new_id(), now(), {})
        rules = await rules_of(store.graph, package, order, run)
        rows = await store.graph.rows(Q.portability.known_policies)
        policies = {row["path"]: row["policy"] for row in rows}
        return await asyncio.to_thread(_read, package, rules, policies)


def _read(package: Package, rules: Rules, policies: dict[str, str]) -> dict[str, Any]:
    kinds: dict[str, Counter[str]] = {}
    shown: list[Reject] = []
    for file in package.files:
        tally = kinds.setdefault(file.kind.name, Counter(accepted=0, rejected=0))
        for reject in _file(file, tally, rules, policies):
            if len(shown) < SHOWN:
                shown.append(package.where(reject) if package.where else reject)
    return {
        "dry_run": True,
        "kinds": {name: dict(tally) for name, tally in kinds.items()},
        "rejects": [reject.to_json() for reject in shown],
        **(package.told or {}),
    }


def _file(
    file: PackedFile, tally: Counter[str], rules: Rules, policies: dict[str, str]
) -> list[Reject]:
    """Count one file; its first rejects."""
    found: list[Reject] = []
    with file.path.open("rb") as source:
        for chunk in chunks(source, file, Mark()):
            done = prepare_chunk(chunk, rules, policies)
            tally["accepted"] += len(done.rows)
            tally["rejected"] += len(done.rejects)
            found += done.rejects[: SHOWN - len(found)]
    return found
