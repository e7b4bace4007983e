"""Hits that a newer hit may have changed: by another amount or place, or a word of change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from app.facts.possible import Newer, PossibleChange
from app.indexing.analysis import analyse
from app.kernel.graph import Row
from app.search.amounts import amounts
from app.search.restating import joined, restated
from tests.conftest import MakePrincipal, Principal
from tests.search.test_latest import DAY, START
from tests.search.test_service import capture, search


def said(text: str, day: int, **more: Any) -> Row:
    language = more.pop("language", "en")
    made = {
        "id": f"m{day}", "scope": "t/dev", "kind": "episode", "role": "user", "speaker": None,
        "author": "agent:x", "content": text, "language": language, "title": None,
        "captured_at": START + day * DAY, "terms": " ".join(analyse(text, language)),
    }  # fmt: skip
    return made | more


def told(question: str, *memories: Row) -> dict[str, list[str]]:
    """The words that may have changed each hit, by its id."""
    found = restated(question, memories)
    return {id: [n.words for one in told for n in one.newer] for id, told in found.items()}


@pytest.mark.parametrize(
    ("question", "old", "new", "language"),
    [
        ("How many model trains do I own?", "I own three model trains.",
         "My model trains? I own five model trains.", "en"),
        ("How long have I kept bees?", "I have kept bees for 2 years.",
         "I've kept bees for 3 years, time flies.", "en"),
        ("What time does my ferry leave?", "My ferry leaves at 7:15 am.",
         "From this week on the ferry leaves at 8:40 am.", "en"),
        ("How often do I water the orchid?", "I water the orchid every two weeks.",
         "I water the orchid every week.", "en"),
        ("How often do I play the cello?", "I play the cello twice a week.",
         "I play the cello daily.", "en"),
        ("What does the studio rent cost?", "The studio rent costs €800.",
         "The studio rent costs €950.", "en"),
        ("On which day is choir practice?", "Choir practice is on Tuesdays.",
         "Choir practice is on Thursdays.", "en"),
        ("Where do I keep the drill?", "I keep the drill in the cellar.",
         "I keep the drill under my desk.", "en"),
        ("Which bakery do I buy bread from?",
         "I buy rye sourdough bread from the bakery on Mill Street.",
         "I switched: the rye sourdough bread that I buy is from another bakery.", "en"),
        ("Wie viele Bienenstöcke habe ich?", "Ich habe drei Bienenstöcke.",
         "Ich habe jetzt fünf Bienenstöcke.", "de"),
        ("Wie oft gieße ich die Orchidee?", "Ich gieße die Orchidee jede Woche.",
         "Ich gieße die Orchidee täglich.", "de"),
        ("Wo steht mein Fahrrad?", "Mein Fahrrad steht im Keller.",
         "Mein Fahrrad steht bei Tante Erna.", "de"),
        ("Wann fährt meine Fähre?", "Meine Fähre fährt um 7.15 Uhr.",
         "Die Fähre fährt um 8.40 Uhr.", "de"),
    ],
)  # fmt: skip
def test_the_older_hit_names_the_newer_words(
    question: str, old: str, new: str, language: str
) -> None:
    older, newer = said(old, 1, language=language), said(new, 9, language=language)
    found = told(question, newer, older)
    assert list(found) == ["m1"]
    assert found["m1"][0] in new
    assert told(question, older, newer) == found, "whatever stands first"


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        # the same amount, of the same thing
        ("How many model trains do I own?", "I own three model trains.",
         "I own 3 model trains, as you know."),
        # another thing
        ("How many model trains do I own?", "I own three model trains.",
         "The model railway club has four members who own boats."),
        # when, and not how long
        ("How long have I kept bees?", "I have kept bees for 2 years.",
         "I told you that I kept bees 3 years ago."),
        # years and dates
        ("How many trains did the museum buy?", "The museum bought 3 trains in 1998.",
         "The museum bought 3 trains on 7/22."),
        # what was asked for is past
        ("How many model trains did I own before?", "I own three model trains.",
         "I own five model trains."),
    ],
)  # fmt: skip
def test_what_is_no_change_of_it_is_not_told(question: str, old: str, new: str) -> None:
    assert told(question, said(old, 1), said(new, 9)) == {}


@pytest.mark.parametrize(
    "other",
    [{"role": "assistant"}, {"author": "agent:y"}, {"speaker": "Ben"}, {"scope": "t/other"},
     {"kind": "note"}, {"captured_at": START + DAY}],
)  # fmt: skip
def test_others_words_change_nothing(other: dict[str, Any]) -> None:
    question, old = "How many model trains do I own?", said("I own three model trains.", 1)
    assert told(question, old, said("I own five model trains.", 9)) != {}
    assert told(question, old, said("I own five model trains.", 9, **other)) == {}


def test_of_several_the_newest_comes_first_and_words_are_cut() -> None:
    question = "How many model trains do I own?"
    tail = "and so on " * 200
    memories = [
        said("I own three model trains.", 1),
        said("I own four model trains.", 5),
        said(
            f"I own five model trains {tail}.", 3, content=f"I own five model trains, {tail[:400]}."
        ),
    ]
    found = restated(question, memories)
    assert [n.passage for n in found["m1"][0].newer] == ["m5", "m3"]
    assert all(len(n.words) <= 240 for one in found.values() for t in one for n in t.newer)
    assert found["m1"][0].fact is None


def test_a_text_that_a_fact_names_already_is_named_once() -> None:
    at = START
    known = PossibleChange("f", "x", "en", (Newer("b", at, passage="m5"),))
    two = (Newer("b", at, passage="m5"), Newer("c", at, passage="m3"))
    found = PossibleChange(None, "a", "en", two)
    assert [n.passage for c in joined([known], [found], {}) for n in c.newer] == ["m5", "m3"]
    assert joined([known], [replace(found, newer=found.newer[:1])], {}) == (known,)
    by_fact = PossibleChange("f", "x", "en", (Newer("b", at, fact="g"),))
    assert joined([by_fact], [found], {"m5": {"stated": ["g"]}}) == (
        by_fact,
        replace(found, newer=found.newer[1:]),
    )


def test_amounts_are_read_with_what_they_count() -> None:
    low, high = amounts("I spent 10-12 hours", "en")
    assert (low.value, high.value, low.kind) == (10.0, 12.0, "count")
    assert low.like(high)
    assert [a.kind for a in amounts("It costs $5 and 20 % more on Mondays at 8:30 pm", "en")] == [
        "money", "percent", "weekday", "clock",
    ]  # fmt: skip
    assert list(amounts("in 1999, 3 years ago, on 7/22", "en")) == []


async def test_a_search_tells_it_with_the_newer_hit(
    writer: Principal, principal: MakePrincipal, tenant: str, drain: Callable[[], Awaitable[int]]
) -> None:
    old = await capture(writer, "I own three model trains.", captured_at="2026-01-05T10:00:00Z")
    new = await capture(writer, "I own five model trains.", captured_at="2026-02-05T10:00:00Z")
    apart = await principal(f"{tenant}/apart", name="other")
    await capture(apart, "I own nine model trains.", captured_at="2026-03-05T10:00:00Z")
    await drain()
    found = await search(writer, "How many model trains do I own?", form="both")
    hits = {hit["id"]: hit for hit in found["hits"]}
    assert hits[new]["possible_changes"] == []
    (entry,) = hits[old]["possible_changes"]
    assert (entry["older"], entry["fact"], entry["passage"]) == (None, None, new)
    assert entry["since"] == "2026-02-05T10:00:00Z"
    assert entry["untrusted"] == {
        "statement": "I own five model trains.",
        "older": "I own three model trains.",
    }
    inside = found["bundle"].split("<recalled-memory-context>")[1]
    assert "possibly changed on 2026-02-05: “I own five model trains.”" in inside
    earlier = await search(writer, "How many model trains do I own?", as_of="2026-01-20T00:00:00Z")
    assert [hit["possible_changes"] for hit in earlier["hits"]] == [[]]
