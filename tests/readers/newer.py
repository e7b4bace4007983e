"""The pure readers of what is asked, packed, weighed and imported, by a name."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from graphql import GraphQLError

from app.agentmemory.names import known_as, shown, told_type, type_of
from app.consolidation.assertion import statement_of
from app.consolidation.window import zoned as zoned_turn
from app.conversations.namespaces import namespace_of, sorted_out
from app.conversations.noise import is_useful, rewritten
from app.embeddings.hashing import HashEmbedder
from app.embeddings.tokens import count_tokens, token_spans
from app.embeddings.windows import split_windows
from app.entities.lone import own_keys
from app.episodes.record import content_hash
from app.errors import LociError
from app.evals.jsonl import moment
from app.evals.own_questions import folded
from app.events.model import Place
from app.graphql.limits import check_text
from app.graphql.service import parsed
from app.indexing.entry import Facts, entry
from app.kernel.kind import spaced
from app.kernel.reach import checked_url, networks
from app.learning.wording import assessment_of, continuation_of, likeness
from app.llm.citing import Said as OfModel
from app.llm.citing import Spoken
from app.llm.model import estimated
from app.mcp.relaying import updated
from app.mcp.telling import zoned
from app.notes.blocks import require_short
from app.notes.candidates import text_query
from app.notes.model import Namespace
from app.pages.model import Change, Draft
from app.pages.naming import is_slug_of, name_id
from app.pages.record import followed, named
from app.pages.rewriting import linked
from app.pages.rewriting import rewritten as rewritten_links
from app.pools.data import parse_path
from app.portability.bundle import file_name
from app.portability.foreign import (
    chatgpt,
    chats,
    claude,
    cogx,
    graphiti,
    langgraph,
    letta,
    mem0,
    scripts,
)  # fmt: skip
from app.portability.foreign.model import Reading
from app.portability.foreign.tables import read as read_row
from app.portability.foreign.values import parts
from app.portability.kind import rerooted
from app.questions.record import fingerprint
from app.rag.extracting import bare_of, opening, quotes, share
from app.rag.model import Unit
from app.rag.overall import is_overall
from app.rag.packing import packed as packed_units
from app.rag.quoting import quoted
from app.rag.rewording import rewording
from app.rag.scoring import Candidate, gaps, reranked
from app.rag.seeds import asked_names
from app.rag.wanted import Wanted, says
from app.retrieval.service import beside
from app.sanitize.policy import SanitizePolicy
from app.sanitize.tree import sanitize_tree
from app.search.bundle import snippet
from app.search.latest import latest_first
from app.search.model import Hit
from app.search.naming import Naming
from app.search.relevance import Asked
from app.skills.discovery import failure_hash
from app.skills.finding import text_query as skills_query
from app.skills.knowledge import titles
from app.skills.manifest import keywords
from app.skills.vocabulary import Status, word
from app.snapshots.days import Said as SaidThatDay
from app.snapshots.markdown import one_line
from app.snapshots.wording import kept as kept_of_day
from app.snapshots.wording import sent as sent_of_day
from app.tables.filters import Reader as Filters
from app.tables.linking import spoken
from app.tables.suggesting import labels, suggest
from app.tables.values import ColumnType
from app.tiers.packing import Item, Section, compressed
from app.tiers.packing import packed as packed_context
from app.turns.rewriting import by_keywords, is_borne_out, points_back
from app.working.model import Part
from app.working.values import packed as packed_value

DRAFT = Draft(content="")
PAGE = {"title": "Page", "aliases": [], "slug": "page", "id": "p", "formers": []}
RENAMED = {**PAGE, "title": "New"}
AT = datetime(2026, 5, 14, tzinfo=UTC)
QUESTION = "Where does Anna Berg work, and since when does Siemens use Postgres 16?"
ASKED = Asked.of(QUESTION)
WANTED = Wanted.of(QUESTION)
POLICY = SanitizePolicy()
TOKENS = 400  # of a window
LONGEST = 4_000  # characters of a question
Reader = Callable[[str], Any]


def _hit(text: str) -> Hit:
    memory: dict[str, Any] = {
        "id": "h", "kind": "episode", "scope": "t", "content": text, "language": "de",
        "speaker": None, "title": None, "terms": "anna berg", "captured_at": AT, "role": "user",
        "pinned": False, "about_terms": "", "tags": [], "author": "a",
    }  # fmt: skip
    return Hit("h", 1, 1.0, {}, memory, (0, len(text)), 0, relevance=0.9)


def _later(text: str, day: int) -> dict[str, Any]:
    return {**_hit(text).memory, "id": str(day), "captured_at": AT + timedelta(days=day)}


def _imported(read: Callable[..., Any], make: Callable[[str], dict[str, Any]]) -> Reader:
    """What a reader of another program's files makes of an item with the text in it."""

    def run(text: str) -> None:
        with suppress(LociError):
            list(read(Reading("other", "t", AT.isoformat()), None, make(text)))

    return run


def _chatgpt(text: str) -> dict[str, Any]:
    message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [text]}}
    return {"mapping": {"a": {"id": "a", "message": message, "parent": None}}, "current_node": "a"}


def _said(text: str) -> dict[str, Any]:
    return {"id": "a", "role": "user", "content": text, "session": text, "metadata": {"a": text}}


def _units(text: str) -> Any:
    number = count()
    lines = text.splitlines()[:50] or [text]
    units = [Unit(f"u{next(number)}", "path", line, 1.0, ()) for line in lines]
    return packed_units(units, 1000)


def _asserted(text: str) -> Any:
    with suppress(LociError):
        return statement_of(
            '{"subject": {"name": "a"}, "predicate": "b", "object": {"value": "c"}}', text, "en"
        )
    return None


def _settled(reader: Reader) -> Reader:
    def read(text: str) -> Any:
        with suppress(LociError, ValueError, GraphQLError):
            return reader(text)
        return None

    return read


def _contains(text: str) -> Any:
    test = Filters({"a": ColumnType.TEXT}).read({"column": "a", "op": "contains", "value": text})
    return test({"a": text})


def _summary(text: str) -> Any:
    """A day whose speaker is the text, and an answer of it whole and in pieces."""
    lines = [SaidThatDay(AT, text, text, text[:300]), *[SaidThatDay(AT, "", "", QUESTION)] * 3]
    asked = sent_of_day(lines, POLICY)
    texts = [text, *(text[n : n + 300] for n in range(0, len(text), 300))]
    spoken = Spoken(sentences=[OfModel(text=each, lines=[1, 2]) for each in texts])
    return asked and kept_of_day(spoken, asked, POLICY)


EMBEDDER = HashEmbedder(64, TOKENS)
NEWER: dict[str, Reader] = {
    "rag.is_overall": is_overall,
    "rag.is_overall_asked": lambda t: is_overall(f"what is {t} about"),
    "rag.wanted": Wanted.of,
    "rag.wanted_de": lambda t: Wanted.of(f"Wer ist der und was ist mit dem {t}"),
    "rag.lacks": lambda t: WANTED.lacks(["berg"], [t, t]),
    "rag.may_be_in": lambda t: (WANTED.named_in(t), WANTED.may_be_in(t)),
    "rag.says": lambda t: says("Mongolia", t),
    "rag.quotes": lambda t: share(QUESTION, quotes(QUESTION, [t, t])),
    "rag.bare_of": lambda t: bare_of(t, [t], quotes(QUESTION, [t])),
    "rag.opening": lambda t: opening(t, 0),
    "rag.quoted": lambda t: quoted(QUESTION, [_hit(t), _hit(t)], ["berg"]),
    "rag.reranked": lambda t: reranked(QUESTION, [Candidate("a", t, 1.0)]),
    "rag.gaps": lambda t: (gaps(QUESTION, [t]), gaps(t, [QUESTION])),
    "rag.asked_names": lambda t: asked_names(t, ["t"]),
    "rag.rewording": lambda t: rewording(t, ["berg"]),
    "rag.packed": _units,
    "search.asked": Asked.of,
    "search.naming": Naming.of,
    "search.within": ASKED.within,
    "search.spots": ASKED.spots,
    "search.snippet": lambda t: snippet(t, (0, len(t)), ASKED),
    "tiers.compressed": lambda t: compressed(t, ASKED),
    "tiers.packed": lambda t: packed_context({Section.FACTS: [Item("a", "t", t)]}, ASKED, 2000),
    "conversations.is_useful": is_useful,
    "conversations.answers": lambda t: (is_useful("Yes.", t), is_useful("yes " + t, QUESTION)),
    "conversations.rewritten": rewritten,
    "turns.by_keywords": lambda t: (by_keywords("And it?", [t]), by_keywords(t, [QUESTION])),
    "turns.is_borne_out": lambda t: (is_borne_out(t, QUESTION, [t]), points_back(t)),
    "conversations.sorted_out": sorted_out,
    "conversations.namespace_of": namespace_of,
    "kernel.spaced": spaced,
    "learning.continuation_of": lambda t: continuation_of(t, t),
    "learning.assessment_of": assessment_of,
    "learning.likeness": lambda t: likeness(t, t),
    "tables.labels": labels,
    "tables.suggest": lambda t: suggest([(str(n), t) for n in range(3)], []),
    "tables.spoken": lambda t: [list(one.runs()) for one in spoken({"a": t})],
    "tables.contains": _contains,
    "embeddings.count_tokens": count_tokens,
    "embeddings.token_spans": lambda t: split_windows(t, token_spans(t), TOKENS),
    "embeddings.windows": EMBEDDER.windows,
    "working.packed": _settled(lambda t: packed_value({"a": t}, Part.KEYS, POLICY)),
    "sanitize.tree": _settled(lambda t: sanitize_tree({"a": [t]}, POLICY, "a")),
    "graphql.parsed": _settled(parsed),
    "graphql.check_text": _settled(check_text),
    "agentmemory.names": lambda t: (known_as(t), shown(t), type_of(t), told_type(t)),
    "mcp.zoned": lambda t: zoned(t, [t]),
    "mcp.updated": _settled(updated),
    "consolidation.zoned": zoned_turn,
    "consolidation.statement_of": _asserted,
    "notes.text_query": lambda t: text_query(t, "en", "t", Namespace.KNOWLEDGE),
    "episodes.content_hash": content_hash,
    "questions.fingerprint": lambda t: fingerprint("t", t),
    "evals.folded": folded,
    "snapshots.one_line": one_line,
    "snapshots.kept": _summary,
    "portability.file_name": lambda t: file_name(t, "0" * 36),
    "portability.rerooted": _settled(lambda t: rerooted(t, "t")),
    "foreign.parts": lambda t: parts([{"type": "text", "text": t}, t]),
    "foreign.chats": _imported(chats.read_messages, _said),
    "foreign.chatgpt": _imported(chatgpt.read_chatgpt, _chatgpt),
    "foreign.claude": _imported(
        claude.read_claude, lambda t: {"uuid": "a", "name": t, "chat_messages": [{"text": t}]}
    ),
    "foreign.scripts": scripts.turns,
    "foreign.mem0": _imported(mem0.read, lambda t: {"id": "a", "memory": t, "metadata": {"a": t}}),
    "foreign.letta": _imported(
        letta.read, lambda t: {"blocks": [{"label": t, "value": t}], "messages": [_said(t)]}
    ),
    "foreign.langgraph": _imported(
        langgraph.read, lambda t: {"namespace": ["a"], "key": "b", "value": {"text": t}}
    ),
    "foreign.graphiti": _imported(graphiti.read, lambda t: {"uuid": "a", "name": t, "content": t}),
    "foreign.cogx": _imported(cogx.read, lambda t: {"id": "a", "content": t, "text": t}),
    "foreign.tables": _imported(read_row, _said),
    "entities.own_keys": lambda t: own_keys(t, t, [t]),
    "indexing.entry": lambda t: entry(Facts("m", "t", "note", AT, AT, title=t), t),
    "kernel.networks": _settled(networks),
    "kernel.checked_url": _settled(checked_url),
    "events.place": _settled(Place.of),
    "evals.moment": _settled(moment),
    "llm.estimated": estimated,
    "notes.require_short": _settled(require_short),
    "pages.is_slug_of": lambda t: (is_slug_of(t, t), name_id("t", t)),
    "pages.named": _settled(lambda t: (named(DRAFT, t), followed({"content": t}, Change(), t))),
    "pages.linked": lambda t: linked(t, [(0, 1), (len(t) // 2, len(t) // 2 + 1)], "Anna"),
    "pages.rewritten": lambda t: rewritten_links(
        t, frozenset(["Page"]), PAGE, {**PAGE, "title": "New"}
    ),
    "pools.parse_path": _settled(parse_path),
    "retrieval.beside": lambda t: beside(t, {"anna"}),
    "search.latest_first": lambda t: latest_first(QUESTION, [_later(t, n) for n in (1, 2)], [2, 1]),
    "skills.titles": lambda t: titles("t", t),
    "skills.keywords": lambda t: keywords(t, t),
    "skills.text_query": lambda t: skills_query(t, ["t"], ("skill",)),
    "skills.word": _settled(lambda t: word(Status, t, "status")),
    "skills.failure_hash": lambda t: failure_hash("t", "m", t),
}
