"""What the doors ask of erasure: a preview, an erasure at once or as a job, its receipts and their
check."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from app.access.keys import asked_by
from app.episodes.repository import EpisodeRepository
from app.errors import Forbidden, NotFound
from app.jobs.access import ADMINISTERED, Access
from app.jobs.runner import Runner
from app.jobs.spool import Spool
from app.kernel.caller import Caller, Role
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.kernel.ids import new_id
from app.kernel.scope import parse_scope
from app.lifecycle.erasure import ErasureService, Order, new_receipt
from app.lifecycle.model import Target
from app.lifecycle.people import person_of
from app.lifecycle.tasks import CHECK, ERASE, packed, words_of
from app.scopes.sessions import session_id

LAST = "~"  # after every id


@dataclass(frozen=True, slots=True)
class Queued:
    """An erasure that a job carries out, under a receipt that will be there once it begins."""

    receipt: str
    job: str


class ErasureRequests:
    """The order of steps that every door keeps to; each checks what the caller may do."""

    def __init__(
        self, erasure: ErasureService, episodes: EpisodeRepository, runner: Runner, spool: Spool
    ) -> None:
        self._erasure = erasure
        self._episodes = episodes
        self._runner = runner
        self._spool = spool

    async def preview(self, caller: Caller, target: Target) -> dict[str, Any]:
        """What an erasure would take. Raises NotFound, and Forbidden without the admin's role."""
        found = await self._resolved(caller, target)
        caller.require(await self._erasure.place(caller, found), Role.ADMIN)
        return await self._erasure.preview(caller, found)

    async def erase(self, caller: Caller, target: Target) -> Row | Queued:
        """Erase a memory at once, anything else as a job; what is gone already gives its receipt.

        Raises NotFound, Forbidden without the admin's role, SwitchedOff where the rules of the
        scope do not allow erasure.
        """
        found = await self._resolved(caller, target)
        if known := await self._finished(caller, found):
            return known
        scope = await self._erasure.check(caller, found)
        order = Order(caller, found, new_receipt())
        if found.kind == "memory":
            return await self._erasure.erase(order)
        job = await self._runner.submit(
            ERASE, tenant=caller.tenant, scope=scope, args=packed(order), access=ADMINISTERED
        )
        return Queued(order.receipt, job.id)

    async def receipts(
        self, caller: Caller, within: Iterable[str] | None, after: str | None, limit: int
    ) -> list[Row]:
        """Receipts of scopes that the caller administers, newest first; `after` is an id."""
        rows = await self._erasure.graph.rows(
            Q.lifecycle.list_receipts,
            scopes=administered(caller, within),
            after=after or LAST,
            limit=limit,
        )
        return [row["receipt"] for row in rows]

    async def receipt(self, caller: Caller, receipt: str) -> Row:
        """One receipt; NotFound where absent, or of a scope that the caller does not administer."""
        row = await self._erasure.graph.optional(
            Q.lifecycle.get_receipt, id=receipt, scopes=administered(caller)
        )
        if row is None:
            raise NotFound(f"there is no receipt {receipt}")
        found: Row = row["receipt"]
        return found

    async def check_gone(self, caller: Caller, receipt: str, text: str | None) -> Queued:
        """Look, as a job, whether anything still holds what a receipt names, or a text.

        The text lies in a file until the job is done: in the graph it would be found there. Raises
        NotFound as `receipt` does, and Forbidden for a text where the caller does not administer
        the whole tenant: which words other scopes hold is not for the admin of one.
        """
        found = await self.receipt(caller, receipt)
        if text and not caller.governs(caller.tenant):
            raise Forbidden("a text is looked for in all of the tenant, by its admin", field="text")
        job = new_id()
        if text:
            await asyncio.to_thread(words_of(self._spool, job).write_text, text, "utf-8")
        await self._runner.submit(
            CHECK,
            tenant=caller.tenant,
            scope=found["scope"],
            args={"receipt": receipt, "words": bool(text), "caller": asked_by(caller)},
            job_id=job,
            access=Access(Role.ADMIN, caller.principal),
        )
        return Queued(receipt, job)

    async def _resolved(self, caller: Caller, target: Target) -> Target:
        """A session by its id, however it was named; a person with all that he goes by, an author
        with the leaf that is his own."""
        if target.kind == "person":
            return await person_of(self._erasure.graph, caller, target)
        if target.kind == "author":
            return of_author(caller, target)
        if target.kind != "session":
            return target
        scope = caller.require(target.scope or caller.home, Role.READER)
        ids = [target.value, session_id(scope, target.value)]
        row = await self._episodes.session(ids, [scope])
        value = row["session"]["id"] if row else session_id(scope, target.value)
        return replace(target, value=value, scope=scope)

    async def _finished(self, caller: Caller, target: Target) -> Row | None:
        """The receipt of what is gone already; an erasure that was cut short is finished first."""
        if await self._erasure.exists(caller, target):
            return None
        known = await self._erasure.find_receipt(caller, target)
        if known is None:
            raise NotFound("there is nothing to erase")
        caller.require(known["scope"], Role.ADMIN)
        return known if known["state"] == "done" else await self._erasure.finish(known["id"])


def of_author(caller: Caller, target: Target) -> Target:
    """The target with the leaf below its scope that is the author's own, where the caller
    administers that."""
    path = parse_scope(target.scope or caller.home)
    kind, _, name = target.value.partition(":")
    leaf = f"{path}/{kind}:{name.rpartition(':')[2]}"
    if path.leaf or not caller.may(leaf, Role.ADMIN):
        return target
    return replace(target, scopes=(str(path), leaf))


def administered(caller: Caller, within: Iterable[str] | None = None) -> list[str]:
    """The scopes to read receipts of; NotFound where one that is named is not visible."""
    return [scope for scope in caller.among(within) if caller.may(scope, Role.ADMIN)]
