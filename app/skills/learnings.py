"""Learnings over the notes of that namespace: asked, checked, shared upward, and clustered."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.embeddings.calibration import Kinds
from app.embeddings.model import Role as Vector
from app.errors import AlreadyExists, Conflict, NotFound, StateRefused
from app.indexing.analysis import analyse
from app.indexing.stop_words import STOP_WORDS
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.ids import digest
from app.kernel.scope import parse_scope
from app.notes.model import Draft, Namespace, Original
from app.notes.service import NoteService
from app.sanitize.privacy import named
from app.skills.category import inferred
from app.skills.draft import SkillDraft
from app.skills.finding import Finder, Like
from app.skills.learned import (
    FALLBACK,
    MatchMode,
    Shown,
    compound_score,
    disproved,
    effective_importance,
    effectiveness,
    freshness,
    hits_needed,
    keywords,
    match_mode,
    may_be_shared,
    quality,
    rank,
    verified,
)
from app.skills.proposals import ProposalService, Proposed
from app.skills.service import Parts
from app.skills.suggesting import about, place
from app.skills.vocabulary import Category

PAGE = 500
NOTE = "note"
SAME = 0.92  # similarity from which a shared note says the same (seed 000)
CLUSTER_LEAST, CLUSTER_SIZE, NEIGHBOURS = 0.70, 3, 8
WIDE = 6  # over-fetch: the index does not know namespaces


@dataclass(frozen=True, slots=True)
class Learnt:
    """A learning with what its use tells; `quality` is how good it would be to share now."""

    note: Row
    effective: float
    rate: float | None
    fresh: str
    quality: float
    similarity: float | None = None
    rank: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """Learnings for a question, and the step of the ladder that found them."""

    mode: MatchMode
    items: list[Learnt]


@dataclass(frozen=True, slots=True)
class Standing:
    """How a scope's learnings are, as one score of 0 to 100."""

    active: int
    categories: int
    score: float
    fresh: int
    aging: int
    stale: int


@dataclass(frozen=True, slots=True)
class Shared:
    """The shared note that a learning became; `quality` is what it had when it was shared."""

    note: str
    scope: str
    quality: float
    made: bool


class LearningService:
    """Learnings are notes: their counters and vectors are those that every memory has."""

    def __init__(self, parts: Parts, notes: NoteService, proposals: ProposalService) -> None:
        self._graph = parts.graph
        self._notes = notes
        self._proposals = proposals
        self._finder = Finder(parts.graph, parts.spaces)

    async def ask(self, scopes: list[str], question: str, limit: int) -> Answer:
        """Learnings by the ladder: alike from .65, else from .5, else by words, else none; the
        step that answered is told. Ranked by likeness and effective importance."""
        asked = await self._finder.asked(question, scopes)
        near = await self._finder.near(asked, (NOTE,), WIDE * limit, Kinds.ANSWER)
        alike = {n.id: n.similarity or 0.0 for n in near if (n.similarity or 0.0) >= FALLBACK}
        found = [learnt(row, alike[row["id"]]) for row in await self._notes_of(scopes, alike)]
        mode = match_mode(max((item.similarity or 0.0 for item in found), default=None))
        if mode is MatchMode.SEMANTIC:
            found = [item for item in found if match_mode(item.similarity) is MatchMode.SEMANTIC]
        if mode is MatchMode.NONE:
            found = await self._by_words(scopes, question, limit)
            mode = MatchMode.KEYWORD if found else MatchMode.NONE
        found.sort(key=lambda item: (-item.rank, item.note["id"]))
        return Answer(mode, found[:limit])

    async def get(self, who: Caller, note: str) -> Learnt:
        """One learning; NotFound where absent, no learning, or not visible."""
        row = await self._graph.optional(Q.skills.learning, id=note, scopes=who.visible)
        if row is None:
            raise NotFound(f"there is no learning {note}")
        return learnt(row["note"])

    async def check(self, who: Caller, note: str, *, holds: bool) -> Learnt:
        """Verify or disprove a learning. The word of each principal counts once, whoever else
        speaks between; whoever changes his mind is heard again.

        Raises NotFound, Forbidden without the right to write to its scope.
        """
        stored = (await self.get(who, note)).note
        scope = who.require(stored["scope"], Role.WRITER)
        word = "verified" if holds else "disproved"

        async def work(tx: Tx) -> None:
            row = await tx.optional(Q.skills.lock_learning, id=note, scope=scope)
            if row is None:
                raise NotFound(f"there is no learning {note}")
            properties = _checked(row["note"], who.principal, word)
            if properties is not None:
                await tx.one(
                    Q.skills.check_learning,
                    id=note,
                    scope=scope,
                    properties=properties,
                    audit=audit.event(who, f"learning.{word}", scope),
                )

        await self._graph.write("skills.check", work)
        return await self.get(who, note)

    async def standing(self, scopes: list[str]) -> Standing:
        """The compound score of learnings, and how fresh they are."""
        at = now()
        found = [learnt(row) async for row in self._all(scopes)]
        told = {category_of(item.note) for item in found} - {None}
        rates = [item.rate for item in found if item.rate is not None]
        ages = Counter(str(freshness(at - _touched(item.note))) for item in found)
        return Standing(
            active=len(found),
            categories=len(told),
            score=compound_score(len(told) / len(Category), rates, len(found)),
            fresh=ages["fresh"],
            aging=ages["aging"],
            stale=ages["stale"],
        )

    async def share(self, who: Caller, note: str, target: str) -> Shared:
        """Copy a learning that has proved itself to a wider scope, as knowledge.

        Only upward; the same again returns what was made. Raises StateRefused (field `scope`)
        where the target is not wider, Conflict (field `learning`) where the learning has not
        proved itself, AlreadyExists where the target has a note that says the same, naming it,
        Forbidden without the curator's role there.
        """
        found = await self.get(who, note)
        stored = found.note
        path = str(parse_scope(target))
        if path not in {str(a) for a in parse_scope(stored["scope"]).ancestors}:
            raise StateRefused(
                f"what {stored['scope']} has learnt is shared upward only", field="scope"
            )
        who.require(path, Role.CURATOR)
        known = next((copy for copy in stored["shared"] if copy["scope"] == path), None)
        if known is not None:
            then = found.quality if known["quality"] is None else known["quality"]
            return Shared(known["note"], path, then, made=False)
        shown = Shown(stored["injected"], stored["useful"])
        access = stored["recalled"] + stored["injected"]
        reason = may_be_shared(stored["importance"], stored["confidence"], access, shown)
        if reason is not None:
            raise Conflict(f"the learning is not shared: {reason}", field="learning")
        await self._require_new(path, stored["content"])
        copy = await self._copied(who, found, path)
        return Shared(copy, path, found.quality, made=True)

    async def propose(
        self, who: Caller, scope: str, *, dry_run: bool = True
    ) -> list[tuple[str, tuple[str, ...]]]:
        """Clusters of three or more learnings that are alike (from .70), each as a proposal of a
        skill, made once and never approved by itself; one that has grown gives its open proposal
        what is new. Name and ids of each."""
        who.require(scope, Role.CURATOR)
        notes = {row["id"]: row async for row in self._all([scope])}
        known = await self._proposals.suggested(scope, "learnings")
        told = []
        for cluster in _clusters(notes, await self._pairs(scope, list(notes))):
            found = place(about(known, cluster), cluster, CLUSTER_SIZE)
            if found is None:
                continue
            proposed = _proposed(scope, [notes[i] for i in found.notes])
            if proposed is None:
                continue
            told.append((proposed.draft.name, found.notes))
            known = [row for row in known if row["id"] != found.proposal]
            if not dry_run:
                await self._proposals.suggest(who, found.proposal, proposed)
        return told

    # --- parts ---------------------------------------------------------------------------------

    async def _all(self, scopes: list[str]) -> AsyncIterator[Row]:
        after = ""
        while rows := await self._graph.rows(
            Q.skills.learnings, scopes=scopes, after=after, limit=PAGE
        ):
            for row in rows:
                yield row["note"]
            after = rows[-1]["note"]["id"]
            if len(rows) < PAGE:
                return

    async def _notes_of(self, scopes: list[str], ids: Mapping[str, object]) -> list[Row]:
        rows = await self._graph.rows(Q.skills.learnings_by_id, ids=list(ids), scopes=scopes)
        return [row["note"] for row in rows]

    async def _by_words(self, scopes: list[str], question: str, limit: int) -> list[Learnt]:
        words = keywords(_tokens(question), STOP_WORDS)
        if not words:
            return []
        near = await self._finder.worded(" ".join(words), scopes, (NOTE,), WIDE * limit)
        found = []
        for note in await self._notes_of(scopes, {n.id: None for n in near}):
            terms = set(analyse(f"{note['title'] or ''} {note['content']}"))
            hits = sum(bool(set(analyse(word)) & terms) for word in words)
            if hits >= hits_needed(len(words)):
                found.append(learnt(note, None, share=hits / len(words)))
        return found

    async def _require_new(self, scope: str, text: str) -> None:
        stored = await self._finder.asked(text, [scope], Vector.DOCUMENT)
        near = await self._finder.near(stored, (NOTE,), NEIGHBOURS, Kinds.TEXTS)
        if near and (near[0].similarity or 0.0) >= SAME:
            raise AlreadyExists(
                f"the note {near[0].id} says the same (similarity {near[0].similarity:.2f})",
                field="learning",
            )

    async def _copied(self, who: Caller, found: Learnt, scope: str) -> str:
        stored = found.note
        private = (await self._notes.get(who, stored["id"]))["note"]["privacy"]
        draft = Draft(
            content=stored["content"],
            namespace=Namespace.KNOWLEDGE,
            scope=scope,
            title=stored["title"],
            importance=stored["importance"],
            confidence=stored["confidence"],
            tags=tuple(stored["tags"]),
            privacy=named(private),
        )
        original = Original(stored["id"], stored["scope"], found.quality, only_adds=True)
        receipt = await self._notes.write(who, draft, original=original)
        if receipt.status == "duplicate":  # somebody else's, which does not go with the learning
            raise AlreadyExists(f"the note {receipt.id} says the same", field="learning")
        return receipt.id

    async def _pairs(self, scope: str, ids: list[str]) -> list[tuple[str, str]]:
        pairs = []
        for start in range(0, len(ids), PAGE):
            like = Like(NOTE, Kinds.TEXTS, CLUSTER_LEAST, NEIGHBOURS)
            found = await self._finder.pairs(scope, ids[start : start + PAGE], like)
            pairs += [(pair.left, pair.right) for pair in found]
        return pairs


def _checked(note: Row, principal: str, word: str) -> Row | None:
    """What a word changes of a learning; None where its principal said so last."""
    first = {note["checked_by"]: note["checked"]} if note["checked_by"] else {}
    said = first | {who: told for told, who in (each.split(" ", 1) for each in note["checks"])}
    if said.get(principal) == word:
        return None
    holds = word == "verified"
    pair = verified(note["importance"], note["confidence"]) if holds else disproved()
    return {
        "importance": pair[0],
        "confidence": pair[1],
        "checked": word,
        "checked_by": principal,
        "checked_at": now(),
        "checks": [f"{told} {who}" for who, told in (said | {principal: word}).items()],
    }


def learnt(note: Row, similarity: float | None = None, share: float = 0.0) -> Learnt:
    """The learning of a row, and how alike it is to a question; `share` is that of its words."""
    shown = Shown(note["injected"], note["useful"])
    effective = effective_importance(note["importance"], shown)
    fresh = str(freshness(now() - _touched(note)))
    order = rank(share if similarity is None else similarity, effective)
    idle = None if note["last_access"] is None else now() - note["last_access"]
    good = quality(note["content"], len(note["tags"]), shown, idle)
    return Learnt(note, effective, effectiveness(shown), fresh, good, similarity, order)


def _touched(note: Row) -> datetime:
    moments = (note["ingested_at"], note["updated_at"], note["last_access"])
    latest: datetime = max(moment for moment in moments if moment)
    return latest


def _tokens(question: str) -> list[str]:
    return [word.strip(".,;:!?()[]\"'").lower() for word in question.split()]


def category_of(note: Row) -> Category | None:
    """What a learning is about: a tag that names a category, else by its words."""
    named = next((tag for tag in note["tags"] if tag in set(Category)), None)
    return Category(named) if named else inferred(f"{note['title'] or ''}\n{note['content']}")


def _clusters(notes: Mapping[str, Row], pairs: Sequence[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Connected learnings, three or more, in the order of their first ids."""
    root = {note: note for note in notes}

    def find(note: str) -> str:
        while root[note] != note:
            root[note] = root[root[note]]
            note = root[note]
        return note

    for left, right in pairs:
        if left in root and right in root:
            one, other = sorted((find(left), find(right)))
            root[other] = one
    groups: dict[str, list[str]] = {}
    for note in sorted(notes):
        groups.setdefault(find(note), []).append(note)
    return [tuple(group) for _, group in sorted(groups.items()) if len(group) >= CLUSTER_SIZE]


def _proposed(scope: str, notes: Sequence[Row]) -> Proposed | None:
    """What a cluster suggests, named after its commonest tag, else its category. It points at the
    learnings and quotes none, so that erasing one leaves nothing here."""
    tags = Counter(tag for note in notes for tag in note["tags"])
    kinds = Counter(str(c) for note in notes if (c := category_of(note)) is not None)
    category = Category(kinds.most_common(1)[0][0]) if kinds else None
    if category is None:
        return None
    label = min(tags, key=lambda t: (-tags[t], t)) if tags else str(category).replace("_", " ")
    return Proposed(
        SkillDraft(
            name=f"{label.capitalize()}: what was learnt",
            description=f"Learnt {len(notes)} times about {label}.",
            category=category,
            tags=tuple(sorted(tags)[:8]),
            scope=scope,
        ),
        origin="learnings",
        seed=digest("cluster", notes[0]["id"]),
        effectiveness=_seeded(notes),
        sources=tuple(note["id"] for note in notes),
    )


def _seeded(notes: Sequence[Row]) -> float:
    """Useful over shown, where any was shown; else their mean importance."""
    shown = sum(int(note["injected"]) for note in notes)
    if shown:
        return round(min(sum(int(note["useful"]) for note in notes) / shown, 1.0), 4)
    return round(sum(float(note["importance"]) for note in notes) / len(notes), 4)
