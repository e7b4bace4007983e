"""What the two search indexes hold of a memory: its facets, its terms, its times.

Every kind that can be recalled carries these properties and the umbrella label `Searchable`, so
one vector index and one text index serve them all, and the filter is inside both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from app.indexing.analysis import analyse, detect_language
from app.indexing.dates import day_terms
from app.kernel.clock import FOREVER

LIVE = "live"
# Every property that the search indexes have of a node, and what their passes keep there: it
# follows from the memory, and no package holds it.
ENTRY = frozenset(
    (
        "memory_id", "kind", "session", "role", "live", "captured_at", "captured_key",
        "ingested_key", "expired_key", "facets", "language", "terms", "about_terms",
        "context_terms", "index_state", "index_rev", "index_error", "embedding", "embed_hash",
        "embedding_b", "embed_hash_b", "embedding_c", "embed_hash_c", "flags", "judged_by",
        "judged_hash",
    )
)  # fmt: skip
PASSAGES = ("episode", "chunk")  # kinds whose names stand in the retrieval graph


@dataclass(frozen=True, slots=True)
class Facts:
    """What an index entry says of its memory besides the text."""

    memory_id: str
    scope: str
    kind: str
    captured_at: datetime
    ingested_at: datetime
    session: str = ""
    role: str = ""
    speaker: str = ""
    title: str = ""
    tags: tuple[str, ...] = ()
    expired_at: datetime = FOREVER


def quoted(token: str) -> str:
    """Return one exact token of a query of the text index, whatever it holds."""
    return '"' + token.replace("\\", "\\\\").replace('"', '\\"') + '"'


def time_key(moment: datetime) -> str:
    """A moment as one token whose order as text is its order in time."""
    return moment.astimezone(UTC).strftime("%Y%m%d%H%M%S%f").rjust(20, "0")


def key_time(key: str) -> datetime:
    """The moment of a token that `time_key` made; ValueError for any other text."""
    return datetime.fromisoformat(f"{key[:8]}T{key[8:14]}.{key[14:]}+00:00")


def facets(facts: Facts) -> list[str]:
    """The tokens that a text query may require; a letter names the kind of each."""
    tokens = [f"k={facts.kind}"]
    if facts.role:
        tokens.append(f"r={facts.role}")
    if facts.session:
        tokens.append(f"m={facts.session}")
    tokens.extend(f"t={tag}" for tag in facts.tags)
    if facts.expired_at >= FOREVER:
        tokens.append(LIVE)
    return tokens


def entry(facts: Facts, text: str, language: str | None = None) -> dict[str, Any]:
    """Properties that make a node searchable by its text at once; the vector comes later."""
    spoken = language or detect_language(text)
    linking = {"link_state": "pending"} if facts.kind in PASSAGES else {}
    return linking | {
        "memory_id": facts.memory_id,
        "scope": facts.scope,
        "tenant": facts.scope.partition("/")[0],
        "kind": facts.kind,
        "session": facts.session,
        "role": facts.role,
        "live": facts.expired_at >= FOREVER,
        "captured_at": facts.captured_at,
        "ingested_at": facts.ingested_at,
        "expired_at": facts.expired_at,
        "captured_key": time_key(facts.captured_at),
        "ingested_key": time_key(facts.ingested_at),
        "expired_key": time_key(facts.expired_at),
        "facets": facets(facts),
        "language": spoken,
        "terms": joined(analyse(text, spoken)),
        "about_terms": about_terms(facts, spoken),
        "context_terms": "",
        "index_state": "pending",
        "index_rev": 1,
    }


def about_terms(facts: Facts, language: str) -> str:
    """What the text is about beside its words: who spoke, its title, and the day."""
    named = " ".join(part for part in (facts.speaker, facts.title) if part)
    return joined([*analyse(named, language), *day_terms(facts.captured_at.date())])


def day_of(moment: datetime) -> dict[str, str]:
    """What the entry of a nameless memory, as facts are, says of its moment: key and day terms."""
    return {"captured_key": time_key(moment), "about_terms": joined(day_terms(moment.date()))}


def joined(terms: Iterable[str]) -> str:
    """Terms as the whitespace analyzer takes them."""
    return " ".join(terms)
