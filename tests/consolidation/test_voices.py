"""Nobody says "I" in a document, unless it names its speaker."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.consolidation.voices import voiced
from app.extraction.extract import extract
from app.extraction.model import Utterance
from app.extraction.predicates import standard

TEXT = "I live in Berlin. Clara Voss lives in Hamburg."


@pytest.mark.parametrize(
    ("passage", "subjects"),
    [
        ({"work": "d1"}, ["Clara Voss"]),
        ({"work": "d1", "speaker": "Mia"}, ["I", "Clara Voss"]),
        ({"speaker": None}, ["I", "Clara Voss"]),
    ],
)
def test_what_i_say_in_a_document_is_nobodys(
    passage: dict[str, str | None], subjects: list[str]
) -> None:
    at = datetime(2026, 5, 1, tzinfo=UTC)
    found = extract(Utterance(text=TEXT, captured_at=at, role="user"), standard())
    told = voiced(passage, found)
    assert [s.subject.name for s in told.statements] == subjects
