"""Tasks begun and ended by the turns of conversations, one conversation at a time.

A conversation keeps the number of the last message that was followed, under its own lock, and the
id of a task follows from the message that began it: a pass that is killed or run twice makes each
task once, and a message that is sent again tells nothing new.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.autonomy.ledger import PAGE, of_loci
from app.autonomy.receipt import Receipt
from app.conversations.kind import CONVERSATION
from app.conversations.model import Conversation
from app.errors import NotFound
from app.jobs.apart import apart
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.ids import id_at
from app.learning.following import Following, Said
from app.learning.kind import SEGMENT
from app.learning.model import Segment
from app.learning.pen import Pen
from app.learning.segments import SegmentService

MESSAGES = 200  # of a conversation in one transaction


class TurnFollower:
    """Follows what was said since the last pass; a task that a client began is the client's."""

    def __init__(self, segments: SegmentService) -> None:
        self.segments = segments
        self.graph = segments.graph

    async def run(self, scopes: Sequence[str] | None, receipt: Receipt) -> Receipt:
        """Follow the conversations of some scopes, or of all; the receipt names the tasks."""
        after = ""
        while rows := await self.graph.rows(
            Q.learning.unfollowed, scopes=scopes, after=after, limit=PAGE
        ):
            for row in rows:
                with apart("learning.follow", row["id"]):
                    while await self._one(row["id"], row["scope"], receipt):
                        pass
            after = rows[-1]["id"]
        return receipt

    async def _one(self, identifier: str, scope: str, receipt: Receipt) -> bool:
        """Follow the next messages of a conversation; whether there may be more."""

        async def work(tx: Tx) -> tuple[list[Segment], bool]:
            found = await tx.many(
                Q.conversations.follow, Conversation, id=identifier, scope=scope, at=receipt.at
            )
            if not found or found[0].followed >= found[0].said:
                return [], False
            try:
                pen = await Pen.take(tx, of_loci(scope, receipt.id), scope, receipt.id)
            except NotFound:
                return [], False  # its scope was deleted meanwhile
            return await self._followed(pen, found[0], dry_run=receipt.dry_run)

        done, more = await self.graph.write("learning.follow", work)
        for segment in done:
            receipt.add(segment)
        return more

    async def _followed(
        self, pen: Pen, talk: Conversation, *, dry_run: bool
    ) -> tuple[list[Segment], bool]:
        rows = await pen.tx.rows(
            Q.learning.said_since,
            id=talk.id,
            scope=talk.scope,
            after=talk.followed,
            limit=MESSAGES,
        )
        limits = await self.segments.bounds(talk.scope)
        more = len(rows) == MESSAGES
        last = rows[-1]["seq"] if more else talk.said
        if not dry_run:
            moved = talk.model_copy(update={"followed": last})
            await pen.tx.rows(Q.kinds.change, rows=[CONVERSATION.row(moved)])
        held = await self._open(pen, talk)
        if not limits.turns or (held is not None and held.turn is None):
            return [], more and not dry_run
        following = Following(lambda said, words: _begun(talk, said, words), limits.idle, held)
        following.take([_said(row) for row in rows if row["content"] is not None], talk.began)
        if dry_run:
            return [*(one for one, _ in following.ended), *_changed(held, following)], False
        return await self._written(pen, held, following), more

    async def _written(self, pen: Pen, held: Segment | None, following: Following) -> list[Segment]:
        done = [
            await self.segments.settle(pen, segment, at, new=_new(held, segment))
            for segment, at in following.ended
        ]
        for segment in _changed(held, following):
            (pen.make if _new(held, segment) else pen.change)(SEGMENT, segment)
            done.append(segment)
        if done:
            await pen.write("task_segment.follow", segments=len(done))
        return done

    async def _open(self, pen: Pen, talk: Conversation) -> Segment | None:
        found = await pen.tx.many(
            Q.learning.open_of,
            Segment,
            scope=talk.scope,
            agent=talk.agent,
            session=talk.conversation,
            at=pen.at,
        )
        clients = [one for one in found if one.turn is None]
        return next(iter((*clients, *found)), None)


def _new(held: Segment | None, segment: Segment) -> bool:
    return held is None or segment.id != held.id


def _changed(held: Segment | None, following: Following) -> list[Segment]:
    """The task that goes on, where that is new or something was told of it."""
    goes_on = following.open
    return [] if goes_on is None or goes_on == held else [goes_on]


def _begun(talk: Conversation, said: Said, words: str) -> Segment:
    made = Segment(
        id=id_at(said.at, said.seq, "turn-segment", talk.id, said.episode),
        scope=talk.scope,
        task=words,
        session_key=talk.conversation,
        agent=talk.agent,
        turn=said.episode,
        started_at=said.at,
        changed_at=said.at,
    )
    evidence = made.evidence.model_copy(update={"turns": 1})
    return made.model_copy(update={"evidence": evidence})


def _said(row: Row) -> Said:
    return Said(row["seq"], row["episode"], row["role"], row["content"], row["at"])
