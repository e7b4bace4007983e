"""Whom a list of facts is about."""

from __future__ import annotations

from app.entities.service import EntityService, Sought
from app.errors import NotFound
from app.facts.service import FactService
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.ids import ID

MOST = 100  # entities of one name


async def subjects_of(
    caller: Caller,
    services: tuple[FactService, EntityService],
    subject: str | None,
    scopes: list[str],
) -> list[str] | None:
    """Ids of the entity of an id, or of all in the scopes that bear a name, with what each was
    merged with; None where nobody was named. NotFound for who is not there or not visible."""
    if subject is None:
        return None
    believing, knowing = services
    rows = await knowing.page(Sought(scopes=scopes, known_at=now(), name=subject, limit=MOST))
    if rows:
        return [member["id"] for row in rows for member in row["members"]]
    if not ID.match(subject):
        raise NotFound(f"there is no entity {subject}")
    return await believing.cluster(caller, subject)
