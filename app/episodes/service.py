"""Capture: from what was said to one immutable episode, synchronously and failing closed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from app.access.repository import AccessRepository
from app.episodes import hints, record, signing
from app.episodes.labels import clean_labels
from app.episodes.model import Capture, Receipt, role_of
from app.episodes.record import Cleaned
from app.episodes.repository import Beside, EpisodeRepository
from app.errors import LociError, NotFound, SystemRoleRefused
from app.jobs.queue import Wakeup
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.graph import Row
from app.kernel.scope import parse_scope
from app.sanitize.aside import aside, sanitize_aside
from app.sanitize.privacy import named
from app.scopes.service import ScopeService
from app.scopes.sessions import session_id

WAIT_STEP = 0.02  # seconds between two looks at the index
WAIT_LIMIT = 20.0  # seconds
WAITING = {"pending", "raw", "in_progress"}  # states of the index and of consolidation


@dataclass(frozen=True, slots=True)
class Parts:
    """What capture works with."""

    episodes: EpisodeRepository
    access: AccessRepository
    scopes: ScopeService
    wakeup: Wakeup


class EpisodeService:
    """Captures, and what becomes of each."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def capture(self, caller: Caller, capture: Capture) -> Receipt:
        """Store one capture; raises what was wrong with it after auditing the refusal."""
        cleaned = await self._clean(caller, capture)
        return (await self._store(caller, [(0, cleaned)]))[0]

    async def capture_batch(
        self,
        caller: Caller,
        captures: Sequence[Capture | LociError],
        beside: Beside | None = None,
    ) -> list[Receipt]:
        """Store what can be stored, in one transaction with what is written `beside` it; a bad
        item, and an error that stands in the place of one, gets a receipt that says why."""
        receipts: list[Receipt] = []
        kept: list[tuple[int, Cleaned]] = []
        for index, capture in enumerate(captures):
            if isinstance(capture, LociError):
                receipts.append(_refused(index, capture))
                continue
            try:
                kept.append((index, await self._clean(caller, capture)))
            except LociError as error:
                if error.status >= 500:
                    raise
                receipts.append(_refused(index, error))
        if kept:
            receipts.extend(await self._store(caller, kept, beside))
        return sorted(receipts, key=lambda receipt: receipt.index)

    async def get(self, caller: Caller, episode_id: str) -> Row:
        """One episode with session and provenance; NotFound where absent or not visible."""
        rows = await self._parts.episodes.get([episode_id], caller.visible)
        if not rows:
            raise NotFound(f"there is no episode {episode_id}")
        return rows[0]

    async def near_duplicates(self, caller: Caller, ids: Sequence[str | None]) -> dict[str, str]:
        """What episodes nearly repeat, by episode, as far as it is known and the caller sees it."""
        asked = [identifier for identifier in ids if identifier]
        return await self._parts.episodes.near_duplicates(asked, caller.visible)

    async def wait(self, ids: list[str], aim: str) -> bool:
        """Wait until these episodes are `indexed` or `consolidated`, at most 20 s; whether they
        are. What could not be is waited for no longer."""
        deadline = asyncio.get_running_loop().time() + WAIT_LIMIT
        while asyncio.get_running_loop().time() < deadline:
            states = [row[aim] for row in await self._parts.episodes.states(ids)]
            if not any(state in WAITING for state in states):
                return aim == "indexed" or all(state == "consolidated" for state in states)
            await asyncio.sleep(WAIT_STEP)
        return False

    async def waits(self, id: str, aim: str) -> bool:
        """Whether an episode is still to be `indexed` or `consolidated`."""
        states = await self._parts.episodes.states([id])
        return any(state[aim] in WAITING for state in states)

    async def _clean(self, caller: Caller, capture: Capture) -> Cleaned:
        scope = capture.scope or caller.home
        capture = replace(capture, role=role_of(capture.role, caller.kind, capture.speaker))
        try:
            caller.require(str(parse_scope(scope)), Role.WRITER)
            if capture.role == "system":
                raise SystemRoleRefused(field="role")
            signature = await self._verified(caller, capture, scope)
            policy = await self._parts.scopes.policy(scope)
            text = await sanitize_aside(capture.content, policy, "content")
            labelled = clean_labels(await self._hinted(caller, capture), policy)
        except LociError as error:
            await self._audit_refusal(caller, capture, scope, error)
            raise
        return Cleaned(labelled, scope, text, signature)

    async def _hinted(self, caller: Caller, capture: Capture) -> Capture:
        """The capture with its hint as far as that counts: not on a word of more weight.

        Raises NotFound, naming `supersedes`, alike for what there is not, what is not live, what
        the caller does not see and what lies where he does not write.
        """
        if capture.supersedes is None:
            return capture
        writable = [scope for scope in caller.visible if caller.may(scope, Role.WRITER)]
        older = await self._parts.episodes.superseded(capture.supersedes, writable)
        if older is None:
            raise NotFound(f"there is no memory {capture.supersedes}", field="supersedes")
        counts = hints.weight(capture.role, caller.kind) >= hints.weight_of(older)
        return capture if counts else replace(capture, supersedes=None)

    async def _verified(self, caller: Caller, capture: Capture, scope: str) -> str:
        if capture.signature is None:
            return "absent"
        public_key = await self._parts.episodes.public_key(caller.principal)
        return signing.verify(capture, scope, public_key, now())

    async def _audit_refusal(
        self, caller: Caller, capture: Capture, scope: str, error: LociError
    ) -> None:
        if error.status >= 500:
            return
        seen = scope in caller.roles
        event = audit.refusal(
            caller, error.code, scope if seen else caller.home, action="capture", field=error.field
        )
        # A session that the caller cannot see is not tied to the event: it would tell of itself.
        session = session_id(scope, capture.session) if seen else ""
        await self._parts.access.write_audit(event, actor=caller.principal, session=session)
        error.audited = True

    async def _store(
        self, caller: Caller, kept: list[tuple[int, Cleaned]], beside: Beside | None = None
    ) -> list[Receipt]:
        moment = now()
        # One microsecond apart, so that a batch keeps its order where events have equal times.
        texts = [cleaned.text.text for _, cleaned in kept]
        rows = await aside(
            texts,
            lambda: [
                record.to_row(caller, index, cleaned, moment + timedelta(microseconds=place))
                for place, (index, cleaned) in enumerate(kept)
            ],
        )
        captured = await self._parts.episodes.capture(rows, beside)
        answers = {row["index"]: row for row in captured}
        self._parts.wakeup.set()
        return [
            _receipt(cleaned, answers[index], row)
            for (index, cleaned), row in zip(kept, rows, strict=True)
        ]


def _receipt(cleaned: Cleaned, answer: Row, row: dict[str, Any]) -> Receipt:
    return Receipt(
        index=answer["index"],
        status="accepted" if answer["accepted"] else "duplicate",
        id=answer["id"],
        session_id=row["session"]["id"],
        scope=cleaned.scope,
        content_hash=answer["content_hash"],
        captured_at=answer["captured_at"],
        ingested_at=answer["ingested_at"],
        redactions=len(cleaned.text.redactions),
        markers=tuple(cleaned.text.marker_ids),
        privacy=named(answer["privacy"]),  # of a duplicate what is stored: it writes nothing
        supersedes=row["episode"].get("supersedes") if answer["accepted"] else None,
    )


def _refused(index: int, error: LociError) -> Receipt:
    return Receipt(
        index=index, status="refused", error=error.code, detail=error.detail, field=error.field
    )
