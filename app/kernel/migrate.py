"""Schema migrations: the files of `cypher/schema`, in order, each recorded as a SchemaVersion.

Every statement is idempotent (`IF NOT EXISTS`), so a migration that a crash cut short runs again.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files

from app.errors import RuntimeFailure
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.kernel.vocab import PROPERTIES, Label, Rel

NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.cypher\Z")
# What changes stored nodes; all else makes or drops an index or a constraint.
OF_STORED = re.compile(r"(CYPHER \d+\s+)?MATCH\b")


@dataclass(frozen=True, slots=True)
class Migration:
    """One file: its number, its statements, and a hash that tells if it was changed later."""

    version: int
    name: str
    statements: tuple[str, ...]
    checksum: str


def migrations() -> list[Migration]:
    """All migrations in order; a gap or a doubled number is an error."""
    found = []
    for entry in files("cypher").joinpath("schema").iterdir():
        match = NAME.match(entry.name)
        if match:
            found.append(_read(int(match[1]), entry.name, entry.read_text(encoding="utf-8")))
    found.sort(key=lambda m: m.version)
    if [m.version for m in found] != list(range(1, len(found) + 1)):
        raise RuntimeFailure("the files of cypher/schema are not numbered 0001, 0002, … in a row")
    return found


def _read(version: int, name: str, text: str) -> Migration:
    code = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    statements = tuple(s.strip() for s in code.split(";\n") if s.strip())
    checksum = hashlib.sha256(text.encode()).hexdigest()
    return Migration(version, name, tuple(s.rstrip(";") for s in statements), checksum)


async def migrate(graph: Graph) -> list[str]:
    """Apply what is missing, wait for the indexes, and return the names of what was applied.

    Raises RuntimeFailure where the store was made by a newer Loci.
    """
    known = migrations()
    await graph.raw(known[0].statements[_constraint(known[0])])
    applied = {row["version"] for row in await graph.rows(Q.schema.versions)}
    if applied and max(applied) > known[-1].version:
        raise RuntimeFailure(
            f"the graph has schema version {max(applied)}, this Loci knows {known[-1].version}: "
            "start the newer version that made it"
        )
    is_new, done = not applied, []
    for migration in known:
        if migration.version not in applied:
            for statement in migration.statements:
                if not (is_new and OF_STORED.match(statement)):  # nothing is stored yet
                    await graph.raw(statement)
            done.append(migration)
            # Each change of the schema lets all that was planned be planned anew, so what begins
            # with an empty store is recorded at its end; cut short, it is made again.
            if not is_new:
                await _record(graph, [migration])
    if is_new:
        await _record(graph, done)
    await _name(graph)
    await graph.raw("CALL db.awaitIndexes(600)")
    return [migration.name for migration in done]


async def _record(graph: Graph, applied: list[Migration]) -> None:
    """Keep that these were applied."""
    rows = [{"version": m.version, "name": m.name, "checksum": m.checksum} for m in applied]
    await graph.rows(Q.schema.record, rows=rows, at=now())


async def _name(graph: Graph) -> None:
    """Create what the vocabulary names and the store does not know yet: a statement that mentions
    an unknown name is planned anew, a second and more for a large one, when the name is used."""
    await graph.rows(Q.schema.create_labels, names=[*Label])
    await graph.rows(Q.schema.create_types, names=[*Rel])
    await graph.rows(Q.schema.create_properties, names=sorted(PROPERTIES))


def _constraint(first: Migration) -> int:
    """Where the constraint behind SchemaVersion stands: it must exist before the first MERGE."""
    return next(i for i, s in enumerate(first.statements) if "SchemaVersion" in s)
