"""Notes, core blocks and patterns of failure over HTTP."""

from __future__ import annotations

from typing import Literal

from litestar import Controller, Response, delete, get, patch, post, put
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, FromQuery, JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED, HTTP_204_NO_CONTENT

from app.access.parameters import AsOf, KnownAt, Limit, OneScope, Within, aware
from app.errors import NotFound
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.notes.blocks import BlockService
from app.notes.holding import holds
from app.notes.model import namespace_of
from app.notes.schemas import (
    BadPatternIn,
    BadPatternOut,
    BadPatternsOut,
    BlockKind,
    CoreBlockIn,
    CoreBlockOut,
    CoreBlocksOut,
    NoteChangeIn,
    NoteIn,
    NoteOut,
    NoteReceiptOut,
    NoteReviewIn,
    NotesOut,
    NoteVersionOut,
    NoteVersionsOut,
)
from app.notes.service import NoteService

StandingName = Literal["held", "superseded", "quarantined", "rejected"]


class NoteController(Controller):
    """Free-text memories."""

    path = "/v1/notes"
    tags = ("Notes",)

    @post(
        "/",
        operation_id="writeNote",
        opt={"requires": Role.WRITER},
        status_code=HTTP_201_CREATED,
        responses={HTTP_200_OK: ResponseSpec(NoteReceiptOut, description="It was there already.")},
    )
    async def write(
        self,
        data: JSONBody[NoteIn],
        caller: NamedDependency[Caller],
        note_service: NamedDependency[NoteService],
    ) -> Response[NoteReceiptOut]:
        """Store a note; it ends those that it contradicts, or confirms the one that it repeats,
        with 200."""
        receipt = await note_service.write(caller, data.to_draft())
        again = receipt.status == "duplicate"
        shown = NoteReceiptOut.of(receipt)
        return Response(shown, status_code=HTTP_200_OK if again else HTTP_201_CREATED)

    @get("/", operation_id="listNotes", opt={"requires": Role.READER})
    async def list_notes(
        self,
        caller: NamedDependency[Caller],
        note_service: NamedDependency[NoteService],
        within: Within = None,
        namespace: FromQuery[str | None] = None,
        standing: FromQuery[StandingName | None] = None,
        as_of: AsOf = None,
        known_at: KnownAt = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> NotesOut:
        """Notes by id: those that hold at a moment, or all of one standing."""
        rows = await note_service.repository.page(
            caller.among(within),
            namespace=None if namespace is None else namespace_of(namespace),
            standing=standing,
            as_of=aware(as_of, "as_of") or now(),
            known_at=aware(known_at, "known_at") or now(),
            after=cursor or "",
            limit=limit + 1,
        )
        items = [NoteOut.of(row) for row in rows[:limit]]
        return NotesOut(items, items[-1].id if len(rows) > limit else None)

    @get("/{note_id:str}", operation_id="getNote", opt={"requires": Role.READER})
    async def read(
        self,
        note_id: FromPath[str],
        caller: NamedDependency[Caller],
        note_service: NamedDependency[NoteService],
        as_of: AsOf = None,
        known_at: KnownAt = None,
    ) -> NoteOut:
        """One note, held or former; of a moment only one that held then.

        Its text is the present one; `GET /v1/notes/{note_id}/versions` lists those before.
        """
        row = await note_service.get(caller, note_id)
        if as_of or known_at:
            world, ours = aware(as_of, "as_of") or now(), aware(known_at, "known_at") or now()
            if not holds(row["note"], world, ours):
                raise NotFound(f"note {note_id} did not hold at that moment")
        return NoteOut.of(row)

    @get("/{note_id:str}/versions", operation_id="listNoteVersions", opt={"requires": Role.READER})
    async def versions(
        self,
        note_id: FromPath[str],
        caller: NamedDependency[Caller],
        note_service: NamedDependency[NoteService],
    ) -> NoteVersionsOut:
        """The texts that a note had before, newest first."""
        await note_service.get(caller, note_id)
        rows = await note_service.repository.versions(note_id, caller.visible)
        return NoteVersionsOut([NoteVersionOut.of(row) for row in rows])

    @patch("/{note_id:str}", operation_id="changeNote", opt={"requires": Role.WRITER})
    async def change(
        self,
        note_id: FromPath[str],
        data: JSONBody[NoteChangeIn],
        caller: NamedDependency[Caller],
        note_service: NamedDependency[NoteService],
    ) -> NoteOut:
        """Set parts of a note; a new text makes a new version and is indexed anew."""
        return NoteOut.of(await note_service.change(caller, note_id, data.to_change()))

    @delete(
        "/{note_id:str}",
        operation_id="forgetNote",
        opt={"requires": Role.WRITER},
        status_code=HTTP_204_NO_CONTENT,
    )
    async def forget(
        self,
        note_id: FromPath[str],
        caller: NamedDependency[Caller],
        note_service: NamedDependency[NoteService],
    ) -> None:
        """Hide a note from every reading."""
        await note_service.forget(caller, note_id)

    @post(
        "/{note_id:str}/review",
        operation_id="reviewNote",
        opt={"requires": Role.CURATOR},
        status_code=HTTP_200_OK,
    )
    async def review(
        self,
        note_id: FromPath[str],
        data: JSONBody[NoteReviewIn],
        caller: NamedDependency[Caller],
        note_service: NamedDependency[NoteService],
    ) -> NoteOut:
        """Decide on a note that waits."""
        return NoteOut.of(await note_service.review(caller, note_id, data.decision, data.ends))


class CoreBlockController(Controller):
    """What stands in every bundle."""

    path = "/v1/core-blocks"
    tags = ("Notes",)

    @put("/{kind:str}", operation_id="putCoreBlock", opt={"requires": Role.CURATOR})
    async def put(
        self,
        kind: FromPath[BlockKind],
        data: JSONBody[CoreBlockIn],
        caller: NamedDependency[Caller],
        blocks: NamedDependency[BlockService],
    ) -> CoreBlockOut:
        """Set the block of that kind: identity, persona or redline; 409 for one that changes only
        as others attest."""
        return CoreBlockOut.of(await blocks.put(caller, data.scope, kind, data.content))

    @get("/{kind:str}", operation_id="getCoreBlock", opt={"requires": Role.READER})
    async def read(
        self,
        kind: FromPath[BlockKind],
        caller: NamedDependency[Caller],
        blocks: NamedDependency[BlockService],
        place: OneScope,
    ) -> CoreBlockOut:
        """The block of that kind in one scope."""
        caller.require(place, Role.READER)
        rows = await blocks.repository.blocks([place])
        found = next((row for row in rows if row["kind"] == kind), None)
        if found is None:
            raise NotFound(f"{place} has no block of the kind {kind}")
        return CoreBlockOut.of(found)

    @get("/", operation_id="listCoreBlocks", opt={"requires": Role.READER})
    async def list_blocks(
        self,
        caller: NamedDependency[Caller],
        blocks: NamedDependency[BlockService],
        within: Within = None,
    ) -> CoreBlocksOut:
        """Blocks of the scopes, the widest scope first."""
        rows = await blocks.repository.blocks(caller.among(within))
        return CoreBlocksOut([CoreBlockOut.of(row) for row in rows])


class BadPatternController(Controller):
    """What went wrong before."""

    path = "/v1/bad-patterns"
    tags = ("Notes",)

    @post(
        "/",
        operation_id="addBadPattern",
        opt={"requires": Role.WRITER},
        status_code=HTTP_201_CREATED,
    )
    async def add(
        self,
        data: JSONBody[BadPatternIn],
        caller: NamedDependency[Caller],
        blocks: NamedDependency[BlockService],
    ) -> BadPatternOut:
        """Record a failure; the same text again counts once more."""
        return BadPatternOut.of(await blocks.add_pattern(caller, data.to_pattern()))

    @get("/", operation_id="listBadPatterns", opt={"requires": Role.READER})
    async def list_patterns(
        self,
        caller: NamedDependency[Caller],
        blocks: NamedDependency[BlockService],
        within: Within = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> BadPatternsOut:
        """Patterns of failure by id."""
        rows = await blocks.repository.patterns(caller.among(within), cursor or "", limit + 1)
        items = [BadPatternOut.of(row) for row in rows[:limit]]
        return BadPatternsOut(items, items[-1].id if len(rows) > limit else None)
