"""Capture what was said since the last reply, then recall what else is known for the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.episodes.model import Capture, Receipt
from app.episodes.service import EpisodeService
from app.errors import LociError
from app.kernel.caller import Caller
from app.questions.log import QuestionLog
from app.search.model import Found, SearchRequest
from app.search.service import SearchService
from app.search.telling import recorded


@dataclass(frozen=True, slots=True)
class Turn:
    """What became of what was said, and what was recalled; None where nothing was asked."""

    receipts: list[Receipt]
    found: Found | None


@dataclass(frozen=True, slots=True)
class TurnService:
    """Holds no state of its own."""

    capturing: EpisodeService
    searches: SearchService
    questions: QuestionLog

    async def take(
        self,
        caller: Caller,
        captures: Sequence[Capture | LociError],
        asked: SearchRequest | None,
    ) -> Turn:
        """Store the messages, then search without them.

        What was stored stays where the search fails: sent again, it is there already.
        """
        receipts = await self.capturing.capture_batch(caller, captures)
        if asked is None:
            return Turn(receipts, None)
        said = frozenset(receipt.id for receipt in receipts if receipt.id is not None)
        request = replace(asked, filters=replace(asked.filters, left_out=said))
        found = await recorded(self.searches, self.questions, caller, request)
        return Turn(receipts, found)
