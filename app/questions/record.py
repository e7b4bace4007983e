"""Questions as rows of the graph: pure."""

from __future__ import annotations

from collections.abc import Sequence

from app.kernel.graph import Row
from app.kernel.ids import digest
from app.kernel.stopwatch import told
from app.questions.model import SHOWN_MOST, Question, Searched


def fingerprint(tenant: str, text: str) -> str:
    """One value for equal questions of a tenant, whatever their case and spacing."""
    return digest("question", tenant, " ".join(text.casefold().split()))


def quality(similarities: Sequence[float]) -> float | None:
    """Mean similarity times 100 (annex 2.a, query quality); None where nothing has one."""
    if not similarities:
        return None
    return round(100 * sum(similarities) / len(similarities), 2)


def question_row(question: Question, words: str | None) -> Row:
    """A `RagQuery`; `words` is the text that is kept, None where it is not.

    What it showed is kept beside words only: an erasure finds by it which words to take.
    """
    asked, outcome = question.asked, question.outcome
    score = quality(outcome.similarities)
    return {
        "id": question.id,
        "scope": question.scope,
        "scopes": list(question.scopes),
        "tenant": question.tenant,
        "principal": question.principal,
        "fingerprint": fingerprint(question.tenant, asked.text),
        "words": words,
        "shown": None if words is None else list(outcome.ids[:SHOWN_MOST]),
        "door": asked.door.value,
        "strategy": asked.mode,
        "top_k": asked.top_k,
        "threshold": asked.threshold,
        "knowledge_base_ids": sorted(set(asked.bases)),
        "status": question.status.value,
        "error": question.error,
        "results": len(outcome.ids),
        "floored": outcome.floored,
        "avg_score": None if score is None else round(score / 100, 4),
        "quality": score,
        "ms": float(told(question.milliseconds)),
        "asked_at": question.at,
    }


def search_rows(question: Question) -> list[Row]:
    """A `HybridSearchResult` for each search of a question."""
    return [
        _search_row(question, place, one) for place, one in enumerate(question.outcome.searches)
    ]


def _search_row(question: Question, place: int, one: Searched) -> Row:
    return {
        "id": f"{question.id}~{place}",
        "scope": question.scope,
        "scopes": list(question.scopes),
        "tenant": question.tenant,
        "asked_mode": one.asked_mode,
        "mode": one.mode,
        "fusion": one.fusion,
        "without": one.without,
        "candidates": one.candidates,
        "results": len(one.ids),
        "floored": one.floored,
        "ms": float(told(one.milliseconds)),
        "asked_at": question.at,
    }
