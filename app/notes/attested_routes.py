"""Protection of core blocks, and edits that others attest, over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import Controller, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK
from pydantic import Field, StringConstraints

from app.access.parameters import Limit
from app.kernel.caller import Caller, Role
from app.kernel.wire import ShortText, WireModel
from app.notes.attested import NAMED, BlockEdit, Hash, Quorum
from app.notes.attesting import AttestingService, Guarded, Proposal
from app.notes.schemas import BlockKind

Attesting = NamedDependency[AttestingService]
InScope = Annotated[
    str | None, QueryParameter(name="scope", description="Scope path; the key's home if unset.")
]
Attesters = Annotated[tuple[ShortText, ...], Field(max_length=NAMED)]


class ProtectionIn(WireModel):
    """Who attests changes of a block."""

    quorum: Quorum = Field(1, description="How many others attest a change.")
    attesters: Attesters = Field(
        (), description="Who may, by id or by the name of an agent; any curator if empty."
    )
    scope: str | None = Field(None, description="Scope path; the key's home if unset.")


class BlockEditIn(WireModel):
    """What a protected block is to be; what is left out stays."""

    content: Annotated[str, StringConstraints(min_length=1)] | None = Field(
        None, description="The text; at most 4,000 characters."
    )
    quorum: Quorum | None = None
    attesters: Attesters | None = None
    release: bool = Field(False, description="Let the block be set again without attestation.")
    scope: str | None = Field(None, description="Scope path; the key's home if unset.")

    def to_proposal(self) -> Proposal:
        """Return the proposal that this describes."""
        return Proposal(self.content, self.quorum, self.attesters, self.release)


class AttestIn(WireModel):
    """The change that is attested, by both its hashes."""

    old_hash: Hash
    new_hash: Hash


class ProtectionOut(msgspec.Struct, frozen=True):
    """The protection of a block; `hash` is over its text, quorum and attesters."""

    id: str
    scope: str
    kind: str
    quorum: int
    attesters: list[str]
    protected_by: str
    protected_at: datetime
    hash: str

    @classmethod
    def of(cls, found: Guarded) -> ProtectionOut:
        """Return the wire form of a protection."""
        held = found.protection
        return cls(
            held.id,
            held.scope,
            held.block_kind,
            held.guarding.quorum,
            list(held.guarding.attesters),
            held.protected_by,
            held.protected_at,
            found.hash,
        )


class AttestationOut(msgspec.Struct, frozen=True):
    """Who attested, and when."""

    by: str
    at: datetime


class BlockEditOut(msgspec.Struct, frozen=True):
    """An edit: what it is bound to, and who attested it so far."""

    id: str
    scope: str
    kind: str
    state: str
    quorum: int
    attesters: list[str]
    release: bool
    old_hash: str
    new_hash: str
    proposed_by: str
    proposed_at: datetime
    ends_at: datetime
    attestations: list[AttestationOut]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, edit: BlockEdit) -> BlockEditOut:
        """Return the wire form of an edit."""
        return cls(
            id=edit.id,
            scope=edit.scope,
            kind=edit.block_kind,
            state=edit.state.value,
            quorum=edit.guarding.quorum,
            attesters=list(edit.guarding.attesters),
            release=edit.released,
            old_hash=edit.old_hash,
            new_hash=edit.new_hash,
            proposed_by=edit.proposed_by,
            proposed_at=edit.proposed_at,
            ends_at=edit.ends_at,
            attestations=[AttestationOut(one.by, one.at) for one in edit.attestations],
            untrusted={"content": edit.content},
        )


class BlockEditsOut(msgspec.Struct, frozen=True):
    """A page of edits; `next` continues it."""

    items: list[BlockEditOut]
    next: str | None


class ProtectionController(Controller):
    """Core blocks that change only as others attest."""

    path = "/v1/core-blocks/{kind:str}"
    tags = ("Notes",)

    @put("/protection", operation_id="protectCoreBlock", opt={"requires": Role.CURATOR})
    async def protect(
        self,
        kind: FromPath[BlockKind],
        data: JSONBody[ProtectionIn],
        caller: NamedDependency[Caller],
        attesting: Attesting,
    ) -> ProtectionOut:
        """Let a block change only as others attest. From then on its protection changes by an edit
        as well."""
        made = await attesting.protect(caller, data.scope, kind, data.quorum, data.attesters)
        return ProtectionOut.of(made)

    @get("/protection", operation_id="getCoreBlockProtection", opt={"requires": Role.READER})
    async def read(
        self,
        kind: FromPath[BlockKind],
        caller: NamedDependency[Caller],
        attesting: Attesting,
        scope_path: InScope = None,
    ) -> ProtectionOut:
        """The protection of a block; not found where it has none."""
        return ProtectionOut.of(await attesting.guarded(caller, scope_path, kind))

    @post("/edits", operation_id="proposeCoreBlockEdit", opt={"requires": Role.CURATOR})
    async def propose(
        self,
        kind: FromPath[BlockKind],
        data: JSONBody[BlockEditIn],
        caller: NamedDependency[Caller],
        attesting: Attesting,
    ) -> BlockEditOut:
        """Propose what a protected block is to be; it may be attested for a week."""
        made = await attesting.propose(caller, data.scope, kind, data.to_proposal())
        return BlockEditOut.of(made)

    @get("/edits", operation_id="listCoreBlockEdits", opt={"requires": Role.READER})
    async def edits(
        self,
        kind: FromPath[BlockKind],
        caller: NamedDependency[Caller],
        attesting: Attesting,
        scope_path: InScope = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> BlockEditsOut:
        """Edits of a block, oldest first."""
        found = await attesting.page(caller, scope_path, kind, cursor or "", limit + 1)
        items = [BlockEditOut.of(one) for one in found[:limit]]
        return BlockEditsOut(items, items[-1].id if len(found) > limit else None)


class BlockEditController(Controller):
    """Edits of core blocks by their ids."""

    path = "/v1/core-block-edits/{edit:str}"
    tags = ("Notes",)

    @get("/", operation_id="getCoreBlockEdit", opt={"requires": Role.READER})
    async def read(
        self, edit: FromPath[str], caller: NamedDependency[Caller], attesting: Attesting
    ) -> BlockEditOut:
        """One edit with its attestations."""
        return BlockEditOut.of(await attesting.find(caller, edit))

    @post(
        "/attest",
        operation_id="attestCoreBlockEdit",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def attest(
        self,
        edit: FromPath[str],
        data: JSONBody[AttestIn],
        caller: NamedDependency[Caller],
        attesting: Attesting,
    ) -> BlockEditOut:
        """Attest an edit, which somebody else proposed, by the hashes of both sides; with the last
        one that is needed the block changes."""
        made = await attesting.attest(caller, edit, data.old_hash, data.new_hash)
        return BlockEditOut.of(made)

    @post(
        "/withdraw",
        operation_id="withdrawCoreBlockEdit",
        opt={"requires": Role.CURATOR},
        status_code=HTTP_200_OK,
    )
    async def withdraw(
        self, edit: FromPath[str], caller: NamedDependency[Caller], attesting: Attesting
    ) -> BlockEditOut:
        """Take back an edit that one proposed oneself."""
        return BlockEditOut.of(await attesting.withdraw(caller, edit))
