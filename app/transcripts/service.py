"""Transcripts: opened, added to, read, found again by their episodes, taken out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import orjson

from app.episodes.model import Capture
from app.episodes.service import EpisodeService
from app.errors import InvalidInput, LociError
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import new_id
from app.kernel.kind import Kind, Stored
from app.sanitize.aside import aside
from app.sanitize.labels import clean_label, require_plain
from app.sanitize.normalise import visible
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import sanitize
from app.sanitize.tree import sanitize_tree
from app.scopes.service import ScopeService
from app.transcripts.kind import TRANSCRIPT, TRANSCRIPT_MESSAGE
from app.transcripts.model import (
    LONGEST_NAME,
    Apart,
    Transcript,
    TranscriptMessage,
    Voice,
    later,
)

OURS = "loci_"  # how the names in metadata begin that Loci writes
FORM = "form"  # what the sanitising step changed where it found nothing: line ends, invisible signs
STEP = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Draft:
    """A message as a client hands it in."""

    voice: Voice
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Said:
    """A message with its words."""

    message: TranscriptMessage
    text: str

    @classmethod
    def of(cls, row: Row) -> Said:
        """Read a row of a query."""
        return cls(TranscriptMessage.of(row["message"]), row["text"])


@dataclass(frozen=True, slots=True)
class Counted:
    """A transcript and how many messages it has."""

    transcript: Transcript
    messages: int


@dataclass(slots=True)
class Entering:
    """Takes messages into a transcript, in the transaction that captures their words."""

    caller: Caller
    transcript: Transcript
    items: list[Said]
    made: list[Said] = field(default_factory=list)

    async def before(self, tx: Tx) -> None:
        """Lock the transcript, which is made where it is not there yet."""
        row = await tx.one(Q.transcripts.hold, properties=TRANSCRIPT.row(self.transcript), at=now())
        self.transcript = Transcript.of(row["transcript"])

    async def behind(self, tx: Tx, captured: list[Row]) -> None:
        """Number the messages and write them; InvalidInput where one was not captured."""
        ids = [str(row["id"]) for row in captured]
        if len(ids) != sum(said.message.apart is None for said in self.items):
            raise InvalidInput("a message was refused, and so were all", field="messages")
        self.made = self._numbered(iter(ids))
        rows = [TRANSCRIPT_MESSAGE.new(said.message) for said in self.made]
        await tx.rows(Q.kinds.change, rows=[TRANSCRIPT.row(self.transcript)])
        await tx.rows(Q.kinds.restore, rows=rows)
        await _tell(tx, self.caller, "transcript.append", self.transcript, messages=len(rows))

    def _numbered(self, ids: Iterable[str]) -> list[Said]:
        made, taken, held = [], iter(ids), self.transcript
        number, at = held.said, held.said_at
        for said in self.items:
            number, at = number + 1, later(said.message.said_at, at)
            memory = next(taken) if said.message.apart is None else None
            update = {"number": number, "said_at": at, "memory": memory}
            made.append(Said(said.message.model_copy(update=update), said.text))
        update = {"said": number, "said_at": at, "changed_at": max(at, held.changed_at)}
        self.transcript = held.model_copy(update=update)
        return made


class TranscriptService:
    """Every operation on the caller's own transcripts, which lie in its home scope: nobody else
    sees one, whatever his role. `bytes` is the most of metadata as JSON."""

    def __init__(
        self, graph: Graph, scopes: ScopeService, episodes: EpisodeService, most_bytes: int
    ) -> None:
        self.graph = graph
        self._scopes = scopes
        self._episodes = episodes
        self._bytes = most_bytes
        self._last = datetime.min.replace(tzinfo=now().tzinfo)

    def blank(self, caller: Caller, name: str) -> Transcript:
        """Return a transcript in which nothing was said yet; InvalidInput for a bad name."""
        plain = visible(name).strip()
        if not 0 < len(plain) <= LONGEST_NAME:
            raise InvalidInput(f"a conversation's name has 1 to {LONGEST_NAME} characters")
        at = now()
        return TRANSCRIPT.placed(
            Transcript(
                id="new",
                scope=caller.home,
                agent=caller.principal,
                conversation=plain,
                began_at=at,
                changed_at=at,
                said_at=at,
            )
        )

    async def seen(self, caller: Caller, name: str, ids: Sequence[str] = ()) -> Transcript:
        """Return the transcript of one of some ids, or of a name; one of which nothing is known is
        empty."""
        blank = self.blank(caller, name)
        found = await self.find(caller, [*ids, blank.id])
        return found or blank

    async def find(self, caller: Caller, ids: Sequence[str]) -> Transcript | None:
        """Return the first transcript of some ids that is there."""
        rows = await self.graph.many(
            Q.transcripts.find,
            Transcript,
            ids=list(dict.fromkeys(ids)),
            agent=caller.principal,
            scopes=[caller.home],
        )
        return rows[0] if rows else None

    async def begin(
        self, caller: Caller, name: str, user: str | None, metadata: dict[str, Any]
    ) -> Transcript:
        """Make a transcript; one that is there stays as it is."""
        policy = await self._policy(caller)
        require_plain(name, "conversation", policy)
        clean = await aside(metadata, lambda: self._metadata(metadata, policy, "metadata"))
        blank = self.blank(caller, name)
        whose = clean_label(user, "userId", policy)
        made = blank.model_copy(update={"user": whose, "metadata": clean})

        async def work(tx: Tx) -> Transcript:
            row = await tx.one(Q.transcripts.hold, properties=TRANSCRIPT.row(made), at=now())
            await _tell(tx, caller, "transcript.begin", made)
            return Transcript.of(row["transcript"])

        return await self.graph.write("transcripts.begin", work)

    async def describe(
        self, caller: Caller, transcript: Transcript, user: str | None, metadata: Row | None
    ) -> Transcript:
        """Give a transcript another user, or metadata in the place of what it has; None leaves it.

        Raises Forbidden, and InvalidInput (`userId`, `metadata`) for what may not be stored.
        """
        policy = await self._policy(caller)
        given: Row = {} if user is None else {"user": clean_label(user, "userId", policy)}
        if metadata is not None:
            given["metadata"] = await aside(
                metadata, lambda: self._metadata(metadata, policy, "metadata")
            )

        async def work(tx: Tx) -> Transcript:
            row = await tx.one(Q.transcripts.hold, properties=TRANSCRIPT.row(transcript), at=now())
            held = Transcript.of(row["transcript"])
            if held.model_copy(update=given) == held:
                return held
            at = max(now(), held.changed_at)
            made = held.model_copy(update={**given, "changed_at": at})
            await tx.rows(Q.kinds.change, rows=[TRANSCRIPT.row(made)])
            await _tell(tx, caller, "transcript.describe", made, fields=sorted(given))
            return made

        return await self.graph.write("transcripts.describe", work)

    async def append(
        self, caller: Caller, transcript: Transcript, drafts: Sequence[Draft]
    ) -> list[Said]:
        """Keep messages in their order, all or none; equal ones are messages of their own.

        Raises Forbidden, and what the sanitising step raises, with the place of the message.
        """
        policy = await self._policy(caller)
        if not transcript.said:
            require_plain(transcript.conversation, "conversation", policy)
        fields = [f"messages.{at}." if len(drafts) > 1 else "" for at in range(len(drafts))]
        moments = [self._moment() for _ in drafts]

        def said() -> list[Said]:
            given = zip(zip(drafts, moments, strict=True), fields, strict=True)
            return [self._item(transcript, each, policy, field) for each, field in given]

        items = await aside([(draft.text, draft.metadata) for draft in drafts], said)
        entering = Entering(caller, transcript, items)
        pairs = zip(items, drafts, strict=True)
        captures = [_capture(i.message, d) for i, d in pairs if i.message.apart is None]
        if captures:
            await self._captured(caller, captures, entering)
        else:
            await self.graph.write("transcripts.append", lambda tx: _apart(tx, entering))
        return entering.made

    async def messages(self, transcript: Transcript, limit: int) -> list[Said]:
        """Return the last messages in the order in which they came."""
        rows = await self.graph.rows(
            Q.transcripts.messages, id=transcript.id, scope=transcript.scope, limit=limit
        )
        return [Said.of(row) for row in rows[::-1]]

    async def page(
        self, caller: Caller, user: str | None, before: tuple[datetime, str], limit: int
    ) -> list[Counted]:
        """Return transcripts that began before a moment and an id, the newest first."""
        rows = await self.graph.rows(
            Q.transcripts.page,
            agent=caller.principal,
            scopes=[caller.home],
            user=user,
            before_at=before[0],
            before_id=before[1],
            limit=limit,
        )
        return [Counted(Transcript.of(row["transcript"]), row["messages"]) for row in rows]

    async def of_episodes(self, caller: Caller, ids: Sequence[str]) -> dict[str, Said]:
        """Return the caller's messages whose words some episodes hold, by episode."""
        rows = await self.graph.rows(
            Q.transcripts.of_episodes,
            ids=list(ids),
            agent=caller.principal,
            scopes=[caller.home],
        )
        return {row["message"]["memory"]: Said.of(row) for row in rows}

    async def message(self, caller: Caller, ids: Sequence[str]) -> TranscriptMessage | None:
        """Return the caller's message of one of some ids."""
        rows = await self.graph.many(
            Q.transcripts.by_id,
            TranscriptMessage,
            ids=list(ids),
            agent=caller.principal,
            scopes=[caller.home],
        )
        return rows[0] if rows else None

    async def every(self, transcript: Transcript) -> list[TranscriptMessage]:
        """Return all messages, those whose episode is forgotten too."""
        return await self.graph.many(
            Q.transcripts.every_message,
            TranscriptMessage,
            id=transcript.id,
            scope=transcript.scope,
        )

    async def drop(self, caller: Caller, gone: Sequence[TranscriptMessage | Transcript]) -> int:
        """Take messages and transcripts out, whose episodes are another's business; how many of
        them were there."""
        caller.require(caller.home, Role.WRITER)
        ids = [one.id for one in gone]

        async def work(tx: Tx) -> int:
            locked = await tx.rows(Q.kinds.lock, ids=ids, at=now())
            there = [row["row"]["id"] for row in locked]
            await tx.rows(Q.kinds.drop, ids=there)
            event = audit.event(caller, "transcript.drop", caller.home, ids=there)
            await tx.rows(Q.transcripts.tell, events=[event] if there else [])
            return len(there)

        return await self.graph.write("transcripts.drop", work)

    async def note(self, caller: Caller, kind: Kind[Any], value: Stored, told: str) -> None:
        """Keep what is noted beside another memory, in place of what was noted there before."""
        caller.require(value.scope, Role.WRITER)
        placed = kind.placed(value)

        async def work(tx: Tx) -> None:
            there = await tx.rows(Q.kinds.lock, ids=[placed.id], at=now())
            query = Q.kinds.change if there else Q.kinds.restore
            rows = [kind.row(placed)] if there else [kind.new(placed)]
            await tx.rows(query, rows=rows)
            event = audit.event(caller, told, value.scope, memory=value.refers())
            await tx.rows(Q.transcripts.tell, events=[{**event, "target": value.refers()}])

        await self.graph.write("transcripts.note", work)

    # --- within -------------------------------------------------------------------------------

    async def _policy(self, caller: Caller) -> SanitizePolicy:
        caller.require(caller.home, Role.WRITER)
        return await self._scopes.policy(caller.home)

    def _item(
        self,
        transcript: Transcript,
        given: tuple[Draft, datetime],
        policy: SanitizePolicy,
        field: str,
    ) -> Said:
        draft, at = given
        text, changes = _clean(draft.text, policy, f"{field}content")
        apart = Apart.SYSTEM if draft.voice is Voice.SYSTEM else None
        if not text.strip():
            apart = apart or Apart.EMPTY
        message = TranscriptMessage(
            id="new",
            scope=transcript.scope,
            agent=transcript.agent,
            conversation=transcript.conversation,
            key=new_id(),
            number=0,
            voice=draft.voice,
            said_at=at,
            apart=apart,
            words=text if apart else None,
            metadata=self._metadata(draft.metadata, policy, f"{field}metadata"),
            changes=changes,
        )
        return Said(TRANSCRIPT_MESSAGE.placed(message), text)

    def _moment(self) -> datetime:
        """Return a moment that no other message of this process has: it keeps equal texts apart."""
        self._last = max(now(), self._last + STEP)
        return self._last

    def _metadata(
        self, given: dict[str, Any], policy: SanitizePolicy, field: str
    ) -> dict[str, Any]:
        own = {name: value for name, value in given.items() if not name.startswith(OURS)}
        self._require_small(own, field)
        clean: dict[str, Any] = sanitize_tree(own, policy, field)
        self._require_small(clean, field)
        return clean

    def _require_small(self, metadata: dict[str, Any], field: str) -> None:
        try:
            size = len(orjson.dumps(metadata))
        except TypeError:
            raise InvalidInput(f"{field} holds what JSON cannot say", field=field) from None
        if size > self._bytes:
            raise InvalidInput(f"{field} has at most {self._bytes} bytes", field=field)

    async def _captured(self, caller: Caller, captures: list[Capture], entering: Entering) -> None:
        receipts = await self._episodes.capture_batch(caller, captures, entering)
        if not entering.made:
            why = next((receipt for receipt in receipts if receipt.error), None)
            raise InvalidInput(why.detail or "" if why else "", field="content")


async def _apart(tx: Tx, entering: Entering) -> None:
    await entering.before(tx)
    await entering.behind(tx, [])


def _clean(text: str, policy: SanitizePolicy, field: str) -> tuple[str, tuple[str, ...]]:
    if not text.strip():
        return text, ()
    try:
        clean = sanitize(text, policy)
    except LociError as error:
        error.field = field
        raise
    if clean.text == text:
        return text, ()
    return clean.text, tuple(sorted({*clean.marker_ids, *clean.pii})) or (FORM,)


def _capture(message: TranscriptMessage, draft: Draft) -> Capture:
    return Capture(
        content=draft.text,
        session=message.conversation,
        role=draft.voice.value,
        scope=message.scope,
        captured_at=message.said_at,
        origin="agent-memory",
    )


async def _tell(tx: Tx, caller: Caller, kind: str, transcript: Transcript, **payload: Any) -> None:
    event = audit.event(caller, kind, transcript.scope, conversation=transcript.id, **payload)
    await tx.rows(Q.transcripts.tell, events=[{**event, "target": transcript.id}])
