"""A later text that dates itself before a fact began tells nothing of what holds now.

The cases are in two halves; the reading of dates was made with the first one in view alone.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from app.facts.dated import begun_at, lies_before
from app.wiring import Parts
from tests.conftest import Principal
from tests.consolidation.conftest import Said, take_in

SPOKEN = datetime(2026, 6, 15, 9, tzinfo=UTC)
MAY = datetime(2026, 5, 1, tzinfo=UTC)

# (half, language, a sentence that was said in June 2026, whether all of it is before May)
CASES = [
    ("a", "en", "Ragna moved to Ulm in January 2026.", True),
    ("a", "en", "Ragna has lived in Ulm since January.", True),
    ("a", "en", "Ragna moved to Ulm last week.", False),
    ("a", "de", "Ragna ist im Januar 2026 nach Ulm gezogen.", True),
    ("a", "de", "Ragna wohnt seit Januar in Ulm.", True),
    ("a", "de", "Ragna ist gestern nach Ulm gezogen.", False),
    ("a", "en", "Ragna has lived in Ulm for 3 years.", False),
    ("b", "de", "Ragna wohnt seit 3 Jahren in Ulm.", False),
    ("b", "en", "From January until April 2026 Ragna worked in Ulm.", True),
    ("b", "en", "Ragna left Bonn, and moves to Ulm in January.", False),
    ("b", "en", "Ragna lived in Ulm in 2025.", True),
    ("b", "en", "Ragna left Bonn for good.", False),
    ("b", "de", "Bis März 2026 hat Ragna in Ulm gearbeitet.", True),
    ("b", "de", "Ragna zieht im Januar nach Ulm.", False),
    ("b", "de", "2025 hat Ragna in Ulm gewohnt.", True),
    ("b", "de", "Seit Juni wohnt Ragna in Ulm.", False),
]

MISSED = {"2025 hat Ragna in Ulm gewohnt."}  # a year without a word before it is read as a number


@pytest.mark.parametrize("half", ["a", "b"])
def test_what_is_dated_before_something_began(half: str) -> None:
    found = {s: lies_before(s, SPOKEN, MAY, lang) for h, lang, s, _ in CASES if h == half}
    expected = {s: early and s not in MISSED for h, _, s, early in CASES if h == half}
    assert found == expected


@pytest.mark.parametrize(
    ("sentence", "began"),
    [
        ("Ragna has lived in Bonn since May 2026.", MAY),
        ("Seit Mai 2026 wohnt Ragna in Bonn.", MAY),
        ("Ragna lives in Bonn.", None),
        ("The room for June is booked.", None),
    ],
)
def test_when_something_began(sentence: str, began: datetime | None) -> None:
    assert begun_at(sentence, SPOKEN) == began


# (what is held, a later text, the word that tells the fact, whether it may have changed that)
HELD = [
    ("Opa nimmt seit Mai 2025 75 Mikrogramm L-Thyroxin.",
     "Der Doktor hat L-Thyroxin bei Opa im Januar 2025 auf 50 gesetzt.", "75", False),
    ("Opa nimmt seit Mai 2025 75 Mikrogramm L-Thyroxin.",
     "Der Doktor hat L-Thyroxin bei Opa im Januar 2026 auf 100 hochgesetzt.", "75", True),
    ("Opa nimmt 75 Mikrogramm L-Thyroxin.",
     "Der Doktor hat L-Thyroxin bei Opa im Januar 2025 auf 50 gesetzt.", "75", True),
    ("Ragna has worked for Tindal Ltd since May 2025.",
     "They let Ragna down at Tindal in January 2025.", "Tindal", False),
    ("Ragna has worked for Tindal Ltd since May 2025.",
     "They let Ragna go at Tindal in January 2026, I hear.", "Tindal", True),
]  # fmt: skip


@pytest.mark.parametrize(("held", "later", "word", "tells"), HELD)
async def test_a_later_text_of_earlier_times_is_no_hint(
    opened: Parts, writer: Principal, held: str, later: str, word: str, tells: bool
) -> None:
    await take_in(opened, {"one": writer.caller}, [Said(0, held), Said(30, later)])
    items = (await writer.http.get("/v1/facts")).json()["items"]
    found = [one for one in items if word in one["untrusted"]["statement"]]
    assert found
    assert any(one["possible_changes"] for one in found) == tells, found


async def test_a_statement_with_an_earlier_date_is_no_hint(writer: Principal, drain: Any) -> None:
    for home, since in (("Bonn", "2026-05-01"), ("Ulm", "2026-01-01")):
        statement = {
            "subject": {"name": "Solveig Tamm", "type": "person"},
            "predicate": "lives_in",
            "object": {"name": home, "type": "place"},
            "valid_from": f"{since}T00:00:00Z",
        }
        answer = await writer.http.post("/v1/facts:remember", json={"statement": statement})
        assert answer.status_code == 200, answer.text
    await drain()
    items = (await writer.http.get("/v1/facts")).json()["items"]
    assert [(i["untrusted"]["object"], i["possible_changes"]) for i in items] == [("Bonn", [])]
    body = {"query": "Where does Solveig Tamm live?"}
    hits = (await writer.http.post("/v1/search", json=body)).json()["hits"]
    told = {hit["untrusted"]["text"]: hit["possible_changes"] for hit in hits}
    assert any("Bonn" in text for text in told)
    assert not any(told.values()), told
    then = {"as_of": "2026-02-01T00:00:00Z"}
    items = (await writer.http.get("/v1/facts", params=then)).json()["items"]
    assert [i["untrusted"]["object"] for i in items] == ["Ulm"], "it tells of what held then"
