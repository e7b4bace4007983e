"""Documents as callers see them: handed in, looked at, put away, deleted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from app.documents.bases import chunking_of
from app.documents.cleaning import clean_title
from app.documents.model import (
    ON_ITS_WAY,
    BaseState,
    Chunking,
    DocumentState,
    base_move,
    document_move,
    restored,
)
from app.documents.orders import DELETE, DROP_BASE, TAKE, Content, DocumentWish, Taken, told_of
from app.documents.record import rebuilt
from app.documents.repository import (
    DocumentRepository,
    document_key,
    leaving_key,
    lock_base,
    lock_document,
    settle_base,
    show_document,
)
from app.errors import AlreadyExists, InvalidInput, NotFound, StateRefused
from app.jobs.access import CURATED
from app.jobs.model import Job
from app.jobs.repository import new_row
from app.jobs.runner import Runner
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import new_id
from app.sanitize.labels import clean_tags
from app.sanitize.step import SANITIZER_VERSION
from app.scopes.service import ScopeService

OPEN = (BaseState.ACTIVE, BaseState.INDEXING, BaseState.ERROR)  # take documents
LIVE_JOBS = ("queued", "running")


@dataclass(frozen=True, slots=True)
class Parts:
    """What documents work with."""

    graph: Graph
    scopes: ScopeService
    runner: Runner


def cut_by(chunking: Chunking) -> str:
    """How a text was cut, as one value: another one means that it has to be cut anew."""
    return f"{chunking.strategy}:{chunking.size}:{chunking.overlap}"


class DocumentService:
    """Hands work to the worker, together with what makes it necessary."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.rows = DocumentRepository(parts.graph)

    async def take(self, who: Caller, wish: DocumentWish, content: Content) -> Taken:
        """Take a document in: a job of the worker reads and cuts it.

        The same bytes under the same name, said of the same, change nothing. Raises NotFound for
        the base, Forbidden, StateRefused where the base is paused or archived, InvalidInput.
        """
        base = await self.base_for(who, wish)
        named = await self._named(wish, base)
        row = self._row(who, base, named, content)
        job_row = new_row(
            TAKE,
            tenant=who.tenant,
            scope=base["scope"],
            args=_args(who, row, named, content),
            job_id=content.place,
        )

        async def work(tx: Tx) -> Taken:
            found = await tx.optional(Q.documents.open, document=row, at=now())
            if found is None:
                raise NotFound(f"there is no knowledge base {base['id']}", field="knowledge_base")
            stored: Row = found["document"]
            if not found["created"] and _same(stored, row, base):
                return Taken(stored, None, created=False)
            return await self._begin(tx, who, stored, job_row)

        taken = await self._parts.graph.write("documents.take", work)
        if taken.job is not None:
            await self._parts.runner.push(taken.job.turn)
        return Taken(taken.document, taken.job, created=taken.document["id"] == row["id"])

    async def base_for(self, who: Caller, wish: DocumentWish) -> Row:
        """The base that a document goes into; raises NotFound, Forbidden, StateRefused."""
        scopes = [who.require(wish.scope, Role.WRITER)] if wish.scope else who.visible
        base = await self.rows.find_base(wish.base, scopes)
        who.require(base["scope"], Role.WRITER)
        if BaseState(base["status"]) not in OPEN:
            raise StateRefused(f"the knowledge base is {base['status']}", field="knowledge_base")
        return base

    async def again(self, who: Caller, document: str, *, stored: bool = False) -> Taken:
        """Read a document again: an address is fetched anew, a stored text is cut anew; of an
        address, too, where only what is `stored` is to be cut.

        One that is on its way is read by the job that it has, which is returned. Raises NotFound,
        Forbidden, StateRefused where the document or its base is put away, or nothing is stored.
        """
        row = (await self.rows.document(document, who.visible))["document"]
        who.require(row["scope"], Role.WRITER)
        url = "" if stored else row.get("source_url") or ""
        content = Content(place=new_id(), url=url)
        wish = DocumentWish(
            row["base"], row["name"], title=row["title"], tags=tuple(row["tags"]),
            captured_at=row["captured_at"] if row["dated"] else None, role=row["role"],
            speaker=row.get("speaker") or "",
        )  # fmt: skip
        job_row = new_row(
            TAKE,
            tenant=who.tenant,
            scope=row["scope"],
            args={**_args(who, row, wish, content), "again": True},
            job_id=content.place,
        )

        async def work(tx: Tx) -> Taken:
            found = await lock_document(tx, document)
            if found is None:
                raise NotFound(f"there is no document {document}")
            under_way = await _under_way(tx, found)
            if under_way is not None:
                return Taken(found, under_way, created=False)
            _check_readable(found, fetched=bool(url))
            return await self._begin(tx, who, found, job_row)

        taken = await self._parts.graph.write("documents.again", work)
        if taken.job is not None:
            await self._parts.runner.push(taken.job.turn)
        return taken

    async def reindex(self, who: Caller, base: str) -> list[Taken]:
        """Cut the stored text of every document of a base anew, by the settings that it has now."""
        row = await self.rows.base(base, who.visible)
        who.require(row["scope"], Role.WRITER)
        found = await self.rows.documents_of(base, who.visible)
        return [
            await self.again(who, document["id"], stored=True)
            for document in found
            if document["status"] == DocumentState.INDEXED
        ]

    async def move(self, who: Caller, document: str, wanted: DocumentState) -> Row:
        """Put a document away, out of every search of the present, or bring it back.

        One that failed before it was put away comes back as failed. Raises NotFound, Forbidden,
        StateRefused while a job reads it, AlreadyExists where another one has got its name.
        """
        row = (await self.rows.document(document, who.visible))["document"]
        who.require(row["scope"], Role.WRITER)

        async def work(tx: Tx) -> Row:
            stored = await lock_document(tx, document)
            if stored is None:
                raise NotFound(f"there is no document {document}")
            changed = {"status": str(_moved(stored, wanted)), "updated_at": now()}
            if wanted is not DocumentState.ARCHIVED:  # one that was to be deleted gave it away
                changed["key"] = document_key(stored["base"], stored["name"])
            await tx.rows(Q.documents.set_document, id=document, properties=changed)
            await show_document(tx, document)
            event = audit.event(
                who, "document.move", stored["scope"], document=document, state=changed["status"]
            )
            await tx.rows(Q.documents.tell_document, id=document, audit=event)
            return {**stored, **changed}

        try:
            return await self._parts.graph.write("documents.move", work)
        except AlreadyExists:
            raise AlreadyExists(
                f"another document is called {row['name']} by now", field="name"
            ) from None

    async def delete(self, who: Caller, document: str) -> Job:
        """Delete a document with all that rests on it alone, in a job.

        No search of the present finds it from now on, what reads it ends without it, and its name
        is free: what is handed in under it is another document, which the job does not touch.
        Until the job runs it can be restored, and then stays.
        """
        row = (await self.rows.document(document, who.visible))["document"]
        who.require(row["scope"], Role.WRITER)
        args = {"document": document, "caller": told_of(who, Role.WRITER)}
        job_row = new_row(DELETE, tenant=who.tenant, scope=row["scope"], args=args)

        async def work(tx: Tx) -> Job:
            stored = await lock_document(tx, document)
            if stored is None:
                raise NotFound(f"there is no document {document}")
            changed = {
                "status": str(DocumentState.ARCHIVED),
                "key": leaving_key(document),
                "job": job_row["id"],
                "updated_at": now(),
            }
            await tx.rows(Q.documents.set_document, id=document, properties=changed)
            await show_document(tx, document)
            await settle_base(tx, stored["base"])
            return Job.of((await tx.one(Q.jobs.create, job=job_row))["job"])

        job = await self._parts.graph.write("documents.delete", work)
        await self._parts.runner.push(job.turn)
        return job

    async def drop_base(self, who: Caller, base: str) -> Job:
        """Delete a base with its documents, in a job; the role curator is needed."""
        row = await self.rows.base(base, who.visible)
        who.require(row["scope"], Role.CURATOR)
        args = {"base": base, "caller": told_of(who, Role.CURATOR)}
        return await self._parts.runner.submit(
            DROP_BASE, tenant=who.tenant, scope=row["scope"], args=args, access=CURATED
        )

    async def text(self, who: Caller, document: str) -> str:
        """The stored text of a document."""
        await self.rows.document(document, who.visible)
        return rebuilt(await self.rows.texts(document, who.visible))[0]

    async def _named(self, wish: DocumentWish, base: Row) -> DocumentWish:
        """The wish with every name as it may be stored."""
        policy = await self._parts.scopes.policy(base["scope"])
        name = clean_title(wish.name, policy)
        if not name:
            raise InvalidInput("a document has a name", field="name")
        title = clean_title(wish.title, policy)
        speaker = clean_title(wish.speaker, policy)
        return DocumentWish(
            base["id"],
            name,
            None,
            title,
            clean_tags(wish.tags, policy),
            wish.captured_at,
            wish.role,
            speaker,
        )

    def _row(self, who: Caller, base: Row, wish: DocumentWish, content: Content) -> Row:
        moment = now()
        default = "user" if who.kind == "user" and not content.url else "tool"
        row = {
            "id": new_id(),
            "key": document_key(base["id"], wish.name),
            "scope": base["scope"],
            "tenant": base["tenant"],
            "base": base["id"],
            "name": wish.name,
            "title": wish.title or wish.name,
            "tags": list(wish.tags),
            "status": str(DocumentState.PENDING),
            "media": content.media.value,
            "checksum": content.sha256,
            "size": content.size,
            "source_url": content.url or None,
            "author": who.principal,
            "role": wish.role or default,
            "speaker": wish.speaker or None,
            "captured_at": wish.captured_at or moment,
            "dated": wish.captured_at is not None,
            "updated_at": moment,
        }
        return {name: value for name, value in row.items() if value is not None}

    async def _begin(self, tx: Tx, who: Caller, stored: Row, job_row: Row) -> Taken:
        document_move(stored["status"], DocumentState.PENDING)
        changed = {"status": str(DocumentState.PENDING), "job": job_row["id"], "error": None}
        await tx.rows(Q.documents.set_document, id=stored["id"], properties=changed)
        if stored["status"] == DocumentState.ARCHIVED:
            await show_document(tx, stored["id"])
        base, _ = await lock_base(tx, stored["base"])
        if base["status"] != BaseState.INDEXING:
            state = base_move(base["status"], BaseState.INDEXING)
            await tx.rows(
                Q.documents.set_base,
                id=base["id"],
                properties={"status": str(state), "error": None},
            )
        args = {**orjson.loads(job_row["args"]), "document": stored["id"]}
        row = {**job_row, "args": orjson.dumps(args).decode()}
        job = Job.of((await tx.one(Q.jobs.create, job=row))["job"])
        event = audit.event(who, "document.take", stored["scope"], document=stored["id"])
        await tx.rows(Q.documents.tell_document, id=stored["id"], audit=event)
        return Taken({**stored, **changed}, job, created=False)


async def _under_way(tx: Tx, stored: Row) -> Job | None:
    """The job that reads a document, or is about to."""
    if stored["status"] not in ON_ITS_WAY:
        return None
    row = await tx.optional(Q.jobs.get, id=stored["job"], scopes=[stored["scope"]])
    if row is None or row["job"].get("cancel_requested") or row["job"]["state"] not in LIVE_JOBS:
        return None
    return Job.of(row["job"])


def _check_readable(stored: Row, *, fetched: bool) -> None:
    """StateRefused where a document cannot be read again as it stands; one that is `fetched` needs
    no text that is stored."""
    if stored["status"] == DocumentState.ARCHIVED:
        raise StateRefused("the document is archived: restore it first")
    if not fetched and not stored["chunks"]:
        raise StateRefused("nothing is stored of this document: hand its file in again")


def _moved(stored: Row, wanted: DocumentState) -> DocumentState:
    """The state that a document gets which is put away or brought back; StateRefused."""
    if stored["status"] in ON_ITS_WAY:
        raise StateRefused(
            f"the document is being read: wait for its job {stored['job']}, or cancel it"
        )
    if wanted is not DocumentState.ARCHIVED and stored["status"] == DocumentState.ARCHIVED:
        wanted = restored(stored["version"], stored.get("error"))
    return document_move(stored["status"], wanted)


def _args(who: Caller, row: Row, wish: DocumentWish, content: Content) -> dict[str, Any]:
    return {
        "document": row["id"],
        "file": content.file,
        "media": content.media.value,
        "size": content.size,
        "sha256": content.sha256,
        "url": content.url,
        "title": wish.title,
        "told": {name: row.get(name) for name in ("tags", "role", "speaker", "dated", "author")},
        "captured_at": row["captured_at"],
        "caller": told_of(who),  # what was handed in is read, as every capture is
    }


def _same(stored: Row, row: Row, base: Row) -> bool:
    """Whether a document holds just what is handed in, cut as it would be now."""
    if stored["status"] != DocumentState.INDEXED or not row["checksum"]:
        return False
    names = ["checksum", "tags", "role", "dated"] + (["captured_at"] if row["dated"] else [])
    retitled = row["title"] not in (stored["title"], row["name"])
    return (
        all(stored.get(name) == row.get(name) for name in names)
        and stored.get("speaker") == row.get("speaker")
        and not retitled
        and stored.get("cut_by") == cut_by(chunking_of(base))
        and stored.get("sanitizer") == SANITIZER_VERSION
    )
