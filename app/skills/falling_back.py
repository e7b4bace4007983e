"""What a skill says once an author's versions of it are to go."""

from __future__ import annotations

from app.errors import NotFound
from app.kernel.caller import Caller
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.skills.vocabulary import ChangeType
from app.skills.writing import activated, locked


async def fall_back(tx: Tx, who: Caller, skill: str, author: str) -> None:
    """Bring the newest version by anybody else into use; NotFound where there is none."""
    row = await locked(tx, who, skill)
    rows = await tx.rows(Q.skills.versions, id=skill, scopes=[row["scope"]])
    chosen = newest([r["version"] for r in rows if r["version"]["author"] != author])
    if chosen is None:
        raise NotFound(f"the skill {skill} has no version by anybody else")
    await activated(tx, who, row, chosen, "skill.activate")


def newest(versions: list[Row]) -> Row | None:
    """The first of some versions, the newest first; one that was only tried comes last."""
    plain = [v for v in versions if v["change_type"] != ChangeType.EXPERIMENTAL]
    return next(iter(plain or versions), None)
