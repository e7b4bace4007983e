"""Core blocks, which every prompt has, and patterns of failure."""

from __future__ import annotations

from dataclasses import dataclass

from app.errors import TooLarge
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.graph import Row
from app.kernel.scope import parse_scope
from app.notes.kind import BLOCK, PATTERN, BlockRecord, PatternRecord
from app.notes.repository import BlockRepository
from app.sanitize.aside import sanitize_aside
from app.scopes.service import ScopeService

KINDS = ("identity", "persona", "redline")
LONGEST = 4_000  # characters of a block: every prompt pays for it


@dataclass(frozen=True, slots=True)
class Pattern:
    """Something that went wrong before, and why."""

    content: str
    scope: str | None = None
    reason: str | None = None


class BlockService:
    """Blocks of a scope, one of each kind; a curator sets them."""

    def __init__(self, repository: BlockRepository, scopes: ScopeService) -> None:
        self.repository = repository
        self._scopes = scopes

    async def put(self, who: Caller, scope: str | None, kind: str, content: str) -> Row:
        """Set a block; TooLarge over 4,000 characters: nothing is cut silently."""
        path = str(parse_scope(scope or who.home))
        who.require(path, Role.CURATOR)
        require_short(content)
        text = await self._clean(content, path, "content")
        require_short(text)
        fields: Row = {"scope": path, "kind": kind, "content": text, "author": who.principal}
        block = BLOCK.node(BlockRecord.model_construct(**fields), now())
        event = audit.event(
            who, "core-block.put", path, block=kind, content_hash=block["content_hash"]
        )
        return await self.repository.put(block, event)

    async def add_pattern(self, who: Caller, pattern: Pattern) -> Row:
        """Record a failure; the same text in the same scope counts once more."""
        path = str(parse_scope(pattern.scope or who.home))
        who.require(path, Role.WRITER)
        text = await self._clean(pattern.content, path, "content")
        reason = pattern.reason and await self._clean(pattern.reason, path, "reason")
        fields: Row = {"scope": path, "content": text, "author": who.principal}
        record = PatternRecord.model_construct(**fields, reason=reason or "")
        row = PATTERN.node(record, now())
        event = audit.event(who, "bad-pattern.add", path, content_hash=row["content_hash"])
        return await self.repository.add_pattern(row, event)

    async def _clean(self, text: str, scope: str, field: str) -> str:
        policy = await self._scopes.policy(scope)
        return (await sanitize_aside(text, policy, field)).text


def require_short(text: str) -> None:
    """Raise TooLarge where a block's text is longer than LONGEST."""
    if len(text) > LONGEST:
        raise TooLarge(f"a core block has at most {LONGEST} characters", field="content")
