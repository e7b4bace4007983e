"""Kinds of questions, as seed 001 tells them apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.search.classes import QueryClass, query_class

CASES = {
    '"machine learning" recently': QueryClass.QUOTE,
    "„Kündigungsfrist“ im Mietvertrag": QueryClass.QUOTE,
    "docs/2026-plan.md": QueryClass.QUOTE,
    "what does settings.toml hold": QueryClass.QUOTE,
    "data-model run-time query-plan write-path": QueryClass.QUOTE,
    "why did prices rise in 2008": QueryClass.TEMPORAL,
    "what happened last week": QueryClass.TEMPORAL,
    "budget as of March": QueryClass.TEMPORAL,
    "Was war letzte Woche los?": QueryClass.TEMPORAL,
    "Seit wem gehört ihr das": QueryClass.TEMPORAL,
    "Ada Lovelace": QueryClass.ENTITY,
    "France": QueryClass.ENTITY,
    "Project Apollo": QueryClass.ENTITY,
    "Who?": QueryClass.FACTUAL,
    "who is Ada Lovelace": QueryClass.FACTUAL,
    "Quantum Entanglement Breakthrough": QueryClass.FACTUAL,
    "a well-known name": QueryClass.FACTUAL,
    "errors that result in data loss": QueryClass.MULTI_HOP,
    "Are both directors of the same age?": QueryClass.MULTI_HOP,
    "Warum fiel die Lieferung aus?": QueryClass.MULTI_HOP,
    "Wem gehört das Lager?": QueryClass.FACTUAL,
    "": QueryClass.FACTUAL,
}


@pytest.mark.parametrize(("question", "expected"), CASES.items())
def test_the_first_rule_that_matches_counts(question: str, expected: QueryClass) -> None:
    assert query_class(question) is expected


@given(st.text(max_size=200))
def test_every_text_is_of_one_class(question: str) -> None:
    assert query_class(question) in QueryClass
