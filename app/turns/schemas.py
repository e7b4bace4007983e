"""Wire types of turns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

import msgspec
from pydantic import Field, StringConstraints, WrapValidator

from app.episodes.model import Capture
from app.episodes.schemas import BATCH_LIMIT, EpisodeIn, ReceiptOut
from app.errors import LociError
from app.kernel.wire import Moment, ShortText, TagName, WireModel, each
from app.search.bundle import LONGEST, SNIPPET
from app.search.schemas import LIMIT_DEFAULT, LIMIT_MOST, QUERY_MOST, FoundOut, SearchIn
from app.turns.service import Turn

BUDGET = 2000  # tokens of what is recalled, unless more or less is asked for


class MessageIn(WireModel):
    """One message of a conversation."""

    content: Annotated[str, StringConstraints(min_length=1)] = Field(description="What was said.")
    role: Literal["user", "assistant", "tool", "system"] = Field(
        "user", description="Who spoke; `system` is refused."
    )
    speaker: ShortText | None = Field(None, description="Name of the person or agent who spoke.")
    captured_at: Moment | None = Field(
        None, description="When it was said; a given moment makes equal texts distinct."
    )


class TurnIn(WireModel):
    """What was said since the last reply, and how much may be recalled for the next one."""

    messages: Annotated[
        tuple[Annotated[MessageIn, WrapValidator(each)], ...],
        Field(min_length=1, max_length=BATCH_LIMIT),
    ]
    session: ShortText = Field(description="Your own name of the conversation.")
    scope: str | None = Field(None, description="Scope path to write to; the key's home if unset.")
    tags: tuple[TagName, ...] = Field((), max_length=32, description="Labels to filter by.")
    query: (
        Annotated[
            str, StringConstraints(min_length=1, max_length=QUERY_MOST, strip_whitespace=True)
        ]
        | None
    ) = Field(None, description="What to recall; the last message of a user if unset.")
    scopes: tuple[str, ...] | None = Field(
        None, description="Scopes to read; all visible if unset."
    )
    token_budget: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        BUDGET, description="Most tokens (o200k) of all hits together."
    )
    limit: Annotated[int, Field(ge=0, le=LIMIT_MOST)] = LIMIT_DEFAULT
    snippet: Annotated[int, Field(ge=60, le=LONGEST)] | None = Field(
        None, description=f"Most characters of a hit in the bundle; {SNIPPET} if unset."
    )

    def to_captures(self) -> list[Capture | LociError]:
        """The captures that this describes, and in the place of a bad one what is wrong with it."""
        return [
            item if isinstance(item, LociError) else self._episode(item).to_capture("http")
            for item in self._read()
        ]

    def to_search(self) -> SearchIn | None:
        """What is recalled; None where no user said anything and nothing is asked."""
        query = self.query or self._last_of_user()
        if not query:
            return None
        return SearchIn(
            query=query,
            form="both",
            scopes=self.scopes,
            token_budget=self.token_budget,
            limit=self.limit,
            snippet=self.snippet,
        )

    def _read(self) -> Iterable[MessageIn | LociError]:
        return self.messages

    def _episode(self, message: MessageIn) -> EpisodeIn:
        return EpisodeIn(**dict(message), session=self.session, scope=self.scope, tags=self.tags)

    def _last_of_user(self) -> str:
        """The end of the last message of a user that says something, as long as a query may be."""
        said = [
            item.content.strip()
            for item in self._read()
            if isinstance(item, MessageIn) and item.role == "user"
        ]
        return next((text for text in reversed(said) if text), "")[-QUERY_MOST:].strip()


class TakenOut(msgspec.Struct, frozen=True):
    """What became of each message, and what is recalled beside them: `recalled.bundle` is ready for
    the prompt of the next reply. Null where no user said anything and nothing was asked."""

    receipts: list[ReceiptOut]
    recalled: FoundOut | None

    @classmethod
    def of(cls, turn: Turn, asked: SearchIn | None) -> TakenOut:
        """The wire form of a turn."""
        recalled = None
        if turn.found is not None and asked is not None:
            recalled = FoundOut.of(turn.found, asked)
        return cls([ReceiptOut.of(receipt) for receipt in turn.receipts], recalled)
