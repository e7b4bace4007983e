"""What links to entities and skills, and the pages that an entity has, over HTTP."""

from __future__ import annotations

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery

from app.access.parameters import Limit
from app.entities.schemas import EntityOut
from app.entities.service import EntityService
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.pages.reading import PageReader
from app.pages.schemas import LinkedPageOut, PageOut, PagesOut

READS = {"requires": Role.READER}


class EntityPageController(Controller):
    """Pages around an entity."""

    path = "/v1/entities/{entity_id:str}"
    tags = ("Entities",)

    @get("/pages", operation_id="listEntityPages", opt=READS)
    async def pages(
        self,
        entity_id: FromPath[str],
        caller: NamedDependency[Caller],
        knowing: NamedDependency[EntityService],
        page_reads: NamedDependency[PageReader],
    ) -> PagesOut:
        """Pages of the entity's scope that go by one of its names, by id: what is written on it."""
        entity = EntityOut.of(await knowing.get(caller, entity_id, now()))
        names = [entity.name, *entity.aliases]
        rows = await page_reads.bearing([entity.scope], caller.tenant, names)
        return PagesOut([PageOut.of(row) for row in rows], None)

    @get("/backlinks", operation_id="listEntityBacklinks", opt=READS)
    async def backlinks(
        self,
        entity_id: FromPath[str],
        caller: NamedDependency[Caller],
        knowing: NamedDependency[EntityService],
        page_reads: NamedDependency[PageReader],
        cursor: FromQuery[str | None] = None,
        limit: Limit = 20,
    ) -> LinkedPageOut:
        """Pages that link to an entity, or to one that was merged into it, the newest first."""
        row = await knowing.get(caller, entity_id, now())
        ids = sorted({row["entity"]["id"], *(member["id"] for member in row["members"])})
        rows = await page_reads.naming(caller.visible, ids, cursor, limit + 1)
        return LinkedPageOut.of(rows, limit)


class SkillPageController(Controller):
    """Pages around a skill."""

    path = "/v1/skills/{skill_id:str}"
    tags = ("Skills",)

    @get("/backlinks", operation_id="listSkillBacklinks", opt=READS)
    async def backlinks(
        self,
        skill_id: FromPath[str],
        caller: NamedDependency[Caller],
        page_reads: NamedDependency[PageReader],
        cursor: FromQuery[str | None] = None,
        limit: Limit = 20,
    ) -> LinkedPageOut:
        """Pages that link to a skill, the newest first."""
        await page_reads.skill(caller.visible, skill_id)
        rows = await page_reads.naming(caller.visible, [skill_id], cursor, limit + 1)
        return LinkedPageOut.of(rows, limit)
