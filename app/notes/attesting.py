"""Edits of protected core blocks: proposed, attested by others, and applied with the last one.

Every step holds the lock of the scope from its first statement, so that of two steps at once the
second sees what the first one did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.access.parameters import principal_of
from app.errors import Forbidden, InvalidInput, NotFound, StateRefused
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest, new_id
from app.kernel.kind import Kind, S
from app.kernel.scope import parse_scope
from app.notes import keeping
from app.notes.attested import (
    BLOCK_EDIT,
    BLOCK_PROTECTION,
    BlockEdit,
    EditState,
    Guarding,
    Protection,
)
from app.notes.blocks import require_short
from app.sanitize.aside import sanitize_aside
from app.scopes.service import ScopeService


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a block is to be; None leaves text or protection as they are."""

    content: str | None = None
    quorum: int | None = None
    attesters: Sequence[str] | None = None
    release: bool = False


@dataclass(frozen=True, slots=True)
class Guarded:
    """A protected block with its protection, and the hash of both."""

    block: Row
    protection: Protection

    @property
    def hash(self) -> str:
        """What an edit has to begin with."""
        return self.protection.guarding.hash_of(self.block["content"])


class AttestingService:
    """Every operation on protections and edits; those of a scope that is not seen are not there."""

    def __init__(self, graph: Graph, scopes: ScopeService) -> None:
        self.graph = graph
        self._scopes = scopes

    async def protect(
        self, who: Caller, scope: str | None, kind: str, quorum: int, attesters: Sequence[str]
    ) -> Guarded:
        """Let a block change only as others attest from now on. NotFound for a block that is not
        there, StateRefused for one that is protected: its protection changes by an edit."""
        path = str(parse_scope(scope or who.home))
        who.require(path, Role.CURATOR)
        guarding = _guarding(who, quorum, attesters)

        async def work(tx: Tx) -> Guarded:
            block, held = await _locked(tx, path, kind)
            if held is not None:
                raise StateRefused("the block is protected: propose an edit", field="kind")
            made = BLOCK_PROTECTION.placed(
                Protection(
                    id="new",
                    scope=path,
                    block_kind=kind,
                    block=block["id"],
                    guarding=guarding,
                    protected_by=who.principal,
                    protected_at=now(),
                )
            )
            await keeping.add(tx, BLOCK_PROTECTION, made)
            await _tell(tx, who, "core-block.protect", path, made.id, block=kind, quorum=quorum)
            return Guarded(block, made)

        return await self.graph.write("blocks.protect", work)

    async def guarded(self, who: Caller, scope: str | None, kind: str) -> Guarded:
        """Return a block with its protection; NotFound where it has none."""
        path = who.require(str(parse_scope(scope or who.home)), Role.READER)
        found = await self.graph.rows(Q.blocks.block_of, scope=path, kind=kind)
        held = await self.graph.many(Q.blocks.protection, Protection, scope=path, kind=kind)
        if not found or not held:
            raise NotFound(f"{path} has no protected block of the kind {kind}", field="kind")
        return Guarded(found[0]["block"], held[0])

    async def propose(
        self, who: Caller, scope: str | None, kind: str, asked: Proposal
    ) -> BlockEdit:
        """Propose what a protected block is to be; others attest it, not who proposed it."""
        path = str(parse_scope(scope or who.home))
        who.require(path, Role.CURATOR)
        text = None if asked.content is None else await self._clean(asked.content, path)

        async def work(tx: Tx) -> BlockEdit:
            block, held = await _locked(tx, path, kind)
            if held is None:
                raise StateRefused("the block is not protected: set it", field="kind")
            made = _edit(who, Guarded(block, held), asked, text)
            await keeping.add(tx, BLOCK_EDIT, made)
            hashes = {"old_hash": made.old_hash, "new_hash": made.new_hash}
            await _tell(tx, who, "core-block.propose", path, made.id, block=kind, **hashes)
            return made

        return await self.graph.write("blocks.propose", work)

    async def attest(self, who: Caller, identifier: str, old_hash: str, new_hash: str) -> BlockEdit:
        """Attest an edit by both its hashes; the last one that is needed applies it.

        Raises NotFound, Forbidden for who proposed it or may not attest, InvalidInput for other
        hashes, StateRefused for an edit that is no longer open or whose block has changed since.
        """
        seen = await self.find(who, identifier)

        async def work(tx: Tx) -> BlockEdit:
            block, held = await _locked(tx, seen.scope, seen.block_kind)
            edit = await _found(tx, BLOCK_EDIT, identifier, seen.scope)
            if held is None:
                raise StateRefused("the block is not protected", field="edit")
            guarded = Guarded(block, held)
            _require_attester(who, guarded, edit)
            if edit.state is not EditState.OPEN:
                return _again(who, edit)
            if now() > edit.ends_at or guarded.hash != edit.old_hash or not edit.is_whole:
                stale = edit.model_copy(update={"state": EditState.STALE})
                await keeping.change(tx, BLOCK_EDIT, stale)
                return stale
            for name, given, own in (
                ("old_hash", old_hash, edit.old_hash),
                ("new_hash", new_hash, edit.new_hash),
            ):
                if given != own:
                    raise InvalidInput(f"{name} is not that of the edit", field=name)
            return await _attested(tx, who, guarded, edit)

        made = await self.graph.write("blocks.attest", work)
        if made.state is EditState.STALE:
            raise StateRefused("the block has changed since, or the time is over", field="edit")
        return made

    async def withdraw(self, who: Caller, identifier: str) -> BlockEdit:
        """Take back an edit that one proposed oneself; StateRefused once it is applied."""
        seen = await self.find(who, identifier)
        if seen.proposed_by != who.principal:
            raise Forbidden("who proposed an edit withdraws it", field="edit")

        async def work(tx: Tx) -> BlockEdit:
            await keeping.lock_scope(tx, seen.scope)
            edit = await _found(tx, BLOCK_EDIT, identifier, seen.scope)
            if edit.state is EditState.APPLIED:
                raise StateRefused("the edit is applied", field="edit")
            made = edit.model_copy(update={"state": EditState.WITHDRAWN})
            await keeping.change(tx, BLOCK_EDIT, made)
            await _tell(tx, who, "core-block.withdraw", edit.scope, edit.id)
            return made

        return await self.graph.write("blocks.withdraw", work)

    async def find(self, who: Caller, identifier: str) -> BlockEdit:
        """Return an edit in a scope that the caller sees; NotFound."""
        found = await self.graph.many(
            Q.blocks.edits, BlockEdit, ids=[identifier], scopes=who.visible
        )
        if not found:
            raise _missing(identifier)
        return found[0]

    async def page(
        self, who: Caller, scope: str | None, kind: str, after: str, limit: int
    ) -> list[BlockEdit]:
        """Return the edits of a block, by id, which is the order of their making."""
        path = who.require(str(parse_scope(scope or who.home)), Role.READER)
        return await self.graph.many(
            Q.blocks.edits_of, BlockEdit, scope=path, kind=kind, after=after, limit=limit
        )

    async def _clean(self, text: str, scope: str) -> str:
        require_short(text)
        clean = (await sanitize_aside(text, await self._scopes.policy(scope), "content")).text
        require_short(clean)
        return clean


async def _attested(tx: Tx, who: Caller, guarded: Guarded, edit: BlockEdit) -> BlockEdit:
    at = now()
    made = edit.attested(who.principal, at)
    guarding = guarded.protection.guarding
    if len(made.attesters(guarding.attesters)) >= guarding.quorum:
        made = made.model_copy(update={"state": EditState.APPLIED})
        await _apply(tx, guarded, made)
    await keeping.change(tx, BLOCK_EDIT, made)
    told = {"old_hash": edit.old_hash, "new_hash": edit.new_hash, "state": made.state.value}
    await _tell(tx, who, "core-block.attest", edit.scope, edit.id, block=edit.block_kind, **told)
    return made


async def _apply(tx: Tx, guarded: Guarded, edit: BlockEdit) -> None:
    if edit.content != guarded.block["content"]:
        content = {
            "content": edit.content,
            "content_hash": digest(edit.content),
            "author": edit.proposed_by,
        }
        await tx.rows(Q.blocks.apply, id=edit.block, scope=edit.scope, content=content, at=now())
    held = guarded.protection
    if edit.released:
        await keeping.drop(tx, held.id)
    elif edit.guarding != held.guarding:
        made = held.model_copy(update={"guarding": edit.guarding})
        await keeping.change(tx, BLOCK_PROTECTION, made)


def _edit(who: Caller, guarded: Guarded, asked: Proposal, text: str | None) -> BlockEdit:
    held, content = guarded.protection.guarding, text or guarded.block["content"]
    quorum = held.quorum if asked.quorum is None else asked.quorum
    named = held.attesters if asked.attesters is None else asked.attesters
    guarding = _guarding(who, quorum, named)
    new_hash = guarding.hash_of(content, released=asked.release)
    if new_hash == guarded.hash:
        raise InvalidInput("the edit changes nothing", field="content")
    return BlockEdit(
        id=new_id(),
        scope=guarded.protection.scope,
        block_kind=guarded.protection.block_kind,
        block=guarded.block["id"],
        content=content,
        guarding=guarding,
        released=asked.release,
        old_hash=guarded.hash,
        new_hash=new_hash,
        proposed_by=who.principal,
        proposed_at=now(),
    )


def _guarding(who: Caller, quorum: int, attesters: Sequence[str]) -> Guarding:
    named = sorted({principal_of(who, one, "attesters") for one in attesters if one})
    if named and len(named) < quorum:
        raise InvalidInput(f"{len(named)} attesters reach no quorum of {quorum}", field="quorum")
    return Guarding(quorum=quorum, attesters=tuple(named))


def _require_attester(who: Caller, guarded: Guarded, edit: BlockEdit) -> None:
    if who.principal == edit.proposed_by:
        raise Forbidden("somebody else attests an edit", field="edit")
    named = guarded.protection.guarding.attesters
    if named and who.principal not in named:
        raise Forbidden("the block names who attests its edits", field="edit")
    if not named:
        who.require(edit.scope, Role.CURATOR)


def _again(who: Caller, edit: BlockEdit) -> BlockEdit:
    """The edit where this principal has attested it already; StateRefused else."""
    if edit.state is EditState.APPLIED and any(
        one.by == who.principal for one in edit.attestations
    ):
        return edit
    raise StateRefused(f"the edit is {edit.state}", field="edit")


async def _locked(tx: Tx, scope: str, kind: str) -> tuple[Row, Protection | None]:
    """The block of a kind and its protection, with the lock of the scope held; NotFound."""
    await keeping.lock_scope(tx, scope)
    found = await tx.rows(Q.blocks.block_of, scope=scope, kind=kind)
    if not found:
        raise NotFound(f"{scope} has no block of the kind {kind}", field="kind")
    held = await tx.many(Q.blocks.protection, Protection, scope=scope, kind=kind)
    return found[0]["block"], held[0] if held else None


async def _found(tx: Tx, kind: Kind[S], identifier: str, scope: str) -> S:
    found = await tx.many(Q.blocks.edits, kind.struct, ids=[identifier], scopes=[scope])
    if not found:
        raise _missing(identifier)
    return found[0]


async def _tell(tx: Tx, who: Caller, kind: str, scope: str, target: str, **payload: Any) -> None:
    event = audit.event(who, kind, scope, **payload)
    await keeping.tell(tx, event, target)


def _missing(identifier: str) -> NotFound:
    return NotFound(f"there is no edit {identifier}", field="edit")
