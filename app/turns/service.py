"""Capture what was said since the last reply, then recall what else is known for the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.conversations.model import Conversation
from app.conversations.service import Appended, ConversationService
from app.episodes.model import Capture
from app.errors import LociError
from app.kernel.caller import Caller, Role
from app.questions.log import QuestionLog
from app.search.model import Found, SearchRequest
from app.search.service import SearchService
from app.search.telling import recorded
from app.turns.recalling import anything, unsearched


@dataclass(frozen=True, slots=True)
class Turn:
    """What became of what was said, and what was recalled; None where nothing was asked."""

    appended: Appended
    found: Found | None


@dataclass(frozen=True, slots=True)
class TurnService:
    """Holds no state of its own."""

    conversations: ConversationService
    searches: SearchService
    questions: QuestionLog

    async def opened(
        self, caller: Caller, session: str, scope: str | None
    ) -> tuple[Caller, Conversation]:
        """Return the conversation of a turn, and the caller as it sees that: in the scope that is
        named, else in the agent's home, or, where the settings of the home say so, where its
        conversations lie.

        Raises NotFound and Forbidden by the scope.
        """
        if scope is None and (await self.conversations.bounds_of(caller.home)).leaf:
            return await self.conversations.opened(caller, session, None)
        place = caller.require(scope or caller.home, Role.WRITER)
        return caller, self.conversations.blank(caller, session, place)

    async def take(
        self,
        caller: Caller,
        talk: Conversation,
        captures: Sequence[Capture | LociError],
        asked: SearchRequest | None,
        *,
        begins: bool = False,
    ) -> Turn:
        """Store the messages and let them into the buffer, then search without what is in it.

        What was stored stays where the search fails: sent again, it is there already.
        """
        appended = await self.conversations.append(caller, talk, captures, begins=begins)
        if asked is None:
            return Turn(appended, None)
        said = frozenset(one.id for one in appended.receipts if one.id is not None)
        filters = replace(asked.filters, left_out=said, talk=appended.talk.id)
        request = replace(asked, filters=filters)
        if not await anything(self.conversations.graph, filters):
            return Turn(appended, unsearched(request))
        found = await recorded(self.searches, self.questions, caller, request)
        return Turn(appended, found)
