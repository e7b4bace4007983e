"""Skills and their versions: sanitised, stored as data, never executed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from app.episodes.record import tag_rows
from app.errors import AlreadyExists, Conflict, Forbidden, InvalidInput, NotFound
from app.indexing.spaces import Spaces
from app.jobs.queue import Wakeup
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest, new_id
from app.kernel.scope import parse_scope
from app.lifecycle.model import tombstone_id
from app.sanitize.aside import aside
from app.scopes.service import ScopeService
from app.skills import record, transitions
from app.skills.category import inferred
from app.skills.draft import SkillChange, SkillDraft, cleaned_aside, cleaned_change, texts_of
from app.skills.versioning import FIRST, free_slug, slug_of
from app.skills.vocabulary import ChangeType, Status
from app.skills.writing import (
    SHOWN,
    ZEROED,
    activated,
    added,
    draft_of,
    locked,
    merged,
    own_of,
    reindexed,
    set_properties,
    version_named,
)

_TRIES = 8  # rounds against others that take the same slug


@dataclass(frozen=True, slots=True)
class Parts:
    """What the services of the skill graph work with."""

    graph: Graph
    scopes: ScopeService
    spaces: Spaces
    wakeup: Wakeup


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which skills a listing shows, from which id on, and how many."""

    scopes: list[str]
    category: str | None = None
    status: str | None = None
    after: str = ""
    limit: int = 50


class SkillService:
    """Skills as callers see them."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self._graph = parts.graph

    async def create(self, who: Caller, draft: SkillDraft) -> tuple[Row, bool]:
        """Store a skill under a slug of its name; the same one again changes nothing.

        Returns the row and whether it is new. Raises NotFound or Forbidden by the scope,
        InvalidInput for what its policy refuses, AlreadyExists (field `name`) where the scope has
        another skill of that name, or the same one with another text, category, status or tags.
        """
        scope = str(parse_scope(draft.scope or who.home))
        who.require(scope, Role.WRITER)
        clean = await self._cleaned(draft, scope)
        slug = slug_of(clean.name)
        known = await self._graph.optional(
            Q.skills.by_key, key=record.skill_key(scope, slug), scope=scope
        )
        if known is not None:
            return await self._again(who, clean, known["skill"]), False
        try:
            made = await self._store(who, clean, (scope, slug, None))
        except AlreadyExists:  # meanwhile, and may be the same
            taken = await self._graph.optional(
                Q.skills.by_key, key=record.skill_key(scope, slug), scope=scope
            )
            if taken is None:
                raise _taken(scope) from None
            return await self._again(who, clean, taken["skill"]), False
        return await self.get(who, made), True

    async def create_beside(
        self,
        who: Caller,
        draft: SkillDraft,
        identity: str | None = None,
        origin: Row | None = None,
    ) -> Row:
        """The same under the next free slug: a name that is taken gets a counter. With an
        `identity` it is made once. A copy is tied to its `origin` as it is made."""
        scope = str(parse_scope(draft.scope or who.home))
        who.require(scope, Role.WRITER)
        if identity is not None:
            known = await self._graph.optional(Q.skills.get, id=identity, scopes=[scope])
            if known is not None:
                return await self.get(who, identity)
        clean = await self._cleaned(draft, scope)
        wanted = slug_of(clean.name)
        for _ in range(_TRIES):
            rows = await self._graph.rows(Q.skills.slugs, scope=scope, prefix=wanted)
            slug = free_slug(wanted, {row["slug"] for row in rows})
            try:
                made = await self._store(who, clean, (scope, slug, identity), origin)
                return await self.get(who, made)
            except AlreadyExists:
                await asyncio.sleep(0)  # somebody took it meanwhile
        raise Conflict("too many others take this name at this moment; try again", field="name")

    async def get(self, who: Caller, skill: str) -> Row:
        """One skill; NotFound where absent or not visible."""
        row = await self._graph.optional(Q.skills.get, id=skill, scopes=who.visible)
        if row is None:
            raise NotFound(f"there is no skill {skill}")
        return row

    async def page(self, wanted: Wanted) -> list[Row]:
        """Skills by id."""
        return await self._graph.rows(
            Q.skills.page,
            scopes=wanted.scopes,
            category=wanted.category,
            status=wanted.status,
            after=wanted.after,
            limit=wanted.limit,
        )

    async def versions(self, who: Caller, skill: str) -> list[Row]:
        """Its versions, newest first; NotFound for the skill."""
        await self.get(who, skill)
        rows = await self._graph.rows(Q.skills.versions, id=skill, scopes=who.visible)
        return [row["version"] for row in rows]

    async def change(self, who: Caller, skill: str, change: SkillChange) -> Row:
        """Set what the change names. A new body, other parameters or conditions make a version of
        the change's type, which is in use at once unless it is experimental; what says the same
        makes none.

        Another name moves the slug with it. Raises NotFound, Forbidden where neither author nor
        curator asks, StateRefused for an archived skill, InvalidInput for what the policy refuses,
        AlreadyExists (field `name`) where another skill of the scope has the name.
        """
        stored = (await self.get(who, skill))["skill"]
        require_author(who, stored)
        _require_open(stored)
        clean = await self._cleaned_change(change, stored)

        async def work(tx: Tx) -> None:
            await self._changed(tx, who, skill, clean)

        try:
            await self._graph.write("skills.change", work)
        except AlreadyExists:
            raise _taken(stored["scope"]) from None
        self.parts.wakeup.set()
        return await self.get(who, skill)

    async def set_status(self, who: Caller, skill: str, status: Status) -> Row:
        """Move a skill on in its life; StateRefused (field `status`) for a step there is not."""
        stored = (await self.get(who, skill))["skill"]
        require_author(who, stored)

        async def work(tx: Tx) -> None:
            row = await locked(tx, who, skill)
            before, at = Status(row["status"]), now()
            transitions.step(transitions.SKILL, before, status)
            properties = {
                **record.liveness(status, row["facets"]),
                **record.moved(before, status, at),
                "status": str(status),
                "updated_at": at,
            }
            if status is Status.ARCHIVED:
                properties["skill_key"] = record.released_key(skill)
            event = audit.event(who, "skill.status", row["scope"], status=str(status))
            await set_properties(tx, row, properties, event)

        await self._graph.write("skills.status", work)
        self.parts.wakeup.set()
        return await self.get(who, skill)

    async def activate(self, who: Caller, skill: str, version: str) -> Row:
        """Bring one version into use; all its siblings are not from then on."""
        stored = (await self.get(who, skill))["skill"]
        require_author(who, stored)
        _require_open(stored)

        async def work(tx: Tx) -> None:
            row = await locked(tx, who, skill)
            known = await version_named(tx, row, version)
            await activated(tx, who, row, known, "skill.activate")

        await self._graph.write("skills.activate", work)
        self.parts.wakeup.set()
        return await self.get(who, skill)

    async def clone(self, who: Caller, skill: str, scope: str) -> Row:
        """Copy a skill to another scope; the copy keeps which version it was taken from.

        One version is copied to a scope once: asked again, the copy that is in use there is
        returned. Raises as `create_beside` does, and NotFound for a skill that is gone.
        """
        origin = (await self.get(who, skill))["skill"]
        target = str(parse_scope(scope))
        draft = replace(draft_of(origin), scope=target, status=Status.ACTIVE)
        for turn in count():
            identity = digest("clone", skill, origin["version"], target, str(turn))[:32]
            if not await self._put_aside(identity, target):
                break
        return await self.create_beside(who, draft, identity, origin)

    # --- writing -------------------------------------------------------------------------------

    async def _cleaned(self, draft: SkillDraft, scope: str) -> SkillDraft:
        policy = await self.parts.scopes.policy(scope)
        clean = await cleaned_aside(draft, policy)
        if not clean.name.strip():
            raise InvalidInput("nothing is left of the name", field="name")
        told = clean.category or inferred(f"{clean.name}\n{clean.description}")
        if told is None:
            raise InvalidInput(
                "name a category: none could be inferred from name and description",
                field="category",
            )
        return replace(clean, category=told)

    async def _again(self, who: Caller, draft: SkillDraft, known: Row) -> Row:
        given = own_of(draft) | {
            "status": str(draft.status),
            "body_hash": record.body_hash(draft.text),
            "name": known["name"],  # written otherwise it is the same
        }
        differ = sorted(name for name, value in given.items() if value != known[name])
        if differ:
            raise _taken(known["scope"], f", with another {' and '.join(differ)}")
        return await self.get(who, known["id"])

    async def _put_aside(self, identity: str, scope: str) -> bool:
        """Return whether a skill of that id was archived, hidden or erased."""
        known = await self._graph.optional(Q.skills.any_by_id, id=identity, scopes=[scope])
        if known is not None:
            return not known["in_use"]
        return bool(await self._graph.rows(Q.lifecycle.buried, ids=[tombstone_id(identity)]))

    async def _store(
        self,
        who: Caller,
        draft: SkillDraft,
        place: tuple[str, str, str | None],
        origin: Row | None = None,
    ) -> str:
        """Write a skill at its scope and slug under its id, if it has one; of a copy whoever is
        first writes it, and the origin stays locked until both are tied."""
        scope, slug, identity = place
        stamp = record.Stamp(identity or new_id(), slug, scope, who.tenant, who.principal, now())
        first = record.first_version(FIRST)
        skill, version = await aside(
            texts_of(draft.text),
            lambda: (
                record.skill_row(draft, stamp, FIRST),
                record.version_row(stamp.id, draft.text, stamp, first),
            ),
        )
        row = {
            "skill": skill,
            "version": version,
            "tags": tag_rows(scope, draft.tags),
            "audit": audit.event(who, "skill.save", scope, skill=stamp.id, version=FIRST),
        }

        async def work(tx: Tx) -> None:
            if origin is not None:
                await locked(tx, who, origin["id"])
                if await tx.optional(Q.skills.any_by_id, id=stamp.id, scopes=[scope]) is not None:
                    return  # another has made it meanwhile
            await tx.one(Q.skills.create, **row)
            if origin is not None:
                await tx.one(
                    Q.skills.clone,
                    id=stamp.id,
                    origin=origin["id"],
                    scopes=[scope, origin["scope"]],
                    version=origin["version"],
                    at=stamp.at,
                )

        await self._graph.write("skills.store", work)
        self.parts.wakeup.set()
        return stamp.id

    async def _cleaned_change(self, change: SkillChange, stored: Row) -> SkillChange:
        policy = await self.parts.scopes.policy(stored["scope"])
        whole = merged(change, record.text_of(stored))
        given = [change.description or "", change.reason, *texts_of(whole)]
        return await aside(given, lambda: cleaned_change(change, whole, policy))

    async def _changed(self, tx: Tx, who: Caller, skill: str, change: SkillChange) -> None:
        row = await locked(tx, who, skill)
        _require_open(row)
        text = merged(change, record.text_of(row))
        anew = record.body_hash(text) != row["body_hash"]
        in_use = anew and change.change_type is not ChangeType.EXPERIMENTAL
        shown = replace(
            draft_of(row),
            name=change.name or row["name"],
            description=row["description"] if change.description is None else change.description,
            text=text if in_use else record.text_of(row),
            category=change.category or draft_of(row).category,
            tags=row["tags"] if change.tags is None else change.tags,
        )
        index = await aside(texts_of(shown.text), lambda: reindexed(row, shown))
        properties = own_of(shown) | index | await _named(tx, row, shown.name)
        made: dict[str, Any] = {}
        if anew:
            made = await added(tx, who, row, text, change)
        if in_use:
            properties |= record.text_row(text) | {"version": made["version"]} | ZEROED
            await tx.one(Q.skills.activate, id=skill, scope=row["scope"], version=made["version"])
        fields = sorted(k for k, v in properties.items() if k in SHOWN and row.get(k) != v)
        if not fields and not anew:
            return
        properties["updated_at"] = now()
        tags = None if change.tags is None else tag_rows(row["scope"], change.tags)
        told = {"fields": fields} | ({"version": made["version"]} if made else {})
        await tx.one(
            Q.skills.change,
            id=skill,
            scope=row["scope"],
            properties=properties,
            tags=tags,
            audit=audit.event(who, "skill.save", row["scope"], **told),
        )


def require_author(who: Caller, stored: Row) -> None:
    """Forbidden unless the author or a curator asks."""
    who.require(stored["scope"], Role.WRITER)
    if stored["author"] != who.principal and not who.may(stored["scope"], Role.CURATOR):
        raise Forbidden("only its author or a curator changes a skill")


async def _named(tx: Tx, row: Row, name: str) -> Row:
    """The slug and key of a new name; nothing where it reads like the old one."""
    slug = slug_of(name)
    if slug == slug_of(row["name"]):
        return {}
    key = record.skill_key(row["scope"], slug)
    if await tx.optional(Q.skills.by_key, key=key, scope=row["scope"]) is not None:
        raise _taken(row["scope"])
    return {"slug": slug, "skill_key": key}


def _taken(scope: str, how: str = "") -> AlreadyExists:
    return AlreadyExists(f"{scope} has a skill of that name{how}", field="name")


def _require_open(stored: Row) -> None:
    if stored["status"] == Status.ARCHIVED:
        transitions.step(transitions.SKILL, Status.ARCHIVED, Status.ACTIVE)
