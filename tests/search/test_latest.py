"""Later words above earlier ones: on the same matter, by the same speaker, for now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.indexing.analysis import analyse
from app.kernel.graph import Row
from app.search.latest import asks_of_the_past, latest_first
from tests.conftest import Principal
from tests.search.test_service import capture, ids, search

DAY = timedelta(days=1)
START = datetime(2026, 1, 1, tzinfo=UTC)
QUESTION = "How many pages of the atlas have I read?"


def said(text: str, day: int, **more: Any) -> Row:
    spoken = {"role": "user", "speaker": "Ann", "author": "agent:x", "kind": "episode"}
    made = {"id": f"{day}", "captured_at": START + day * DAY, "terms": " ".join(analyse(text))}
    return made | spoken | more


OLD = said("I have read 120 pages of the atlas.", 1)
NEW = said("By the way: 150 pages of my atlas are read now.", 9)


def order(question: str, *memories: Row, scores: list[float] | None = None) -> list[str]:
    given = scores or [1.0 - 0.1 * place for place in range(len(memories))]
    places, _ = latest_first(question, memories, given)
    return [memories[place]["id"] for place in places]


def test_the_later_word_comes_first_and_the_earlier_one_names_it() -> None:
    places, later = latest_first(QUESTION, [OLD, NEW], [1.0, 0.9])
    assert places == [1, 0]
    assert later == {OLD["id"]: [NEW["id"]]}
    assert latest_first(QUESTION, [NEW, OLD], [1.0, 0.9]) == ([0, 1], {})


@pytest.mark.parametrize(
    "other",
    [
        said("I have read 150 pages of the atlas.", 9, speaker="Ben"),
        said("I have read 150 pages of the atlas.", 9, role="assistant"),
        said("The atlas fell off the shelf.", 9),
        said("I have read 150 pages of the atlas.", 9, kind="note"),
        said("I have read 150 pages of the atlas.", 1),
    ],
)
def test_another_matter_another_voice_or_no_later_time_moves_nothing(other: Row) -> None:
    assert order(QUESTION, OLD, other) == [OLD["id"], other["id"]]


def test_a_far_weaker_hit_does_not_overtake() -> None:
    assert order(QUESTION, OLD, NEW, scores=[1.0, 0.39]) == ["1", "9"]
    assert order(QUESTION, OLD, NEW, scores=[1.0, 0.41]) == ["9", "1"]


@pytest.mark.parametrize(
    ("question", "past"),
    [
        ("How many pages of the atlas had I read before?", True),
        ("What was my previous record of pages in the atlas?", True),
        ("When did I read the pages of the atlas?", True),
        ("How many pages of the atlas did I read in 2023?", True),
        ("Wie viele Seiten im Atlas hatte ich damals gelesen?", True),
        ("Wo wohnte ich früher?", True),
        (QUESTION, False),
        ("How many pages of the atlas did I lead at first, how many now?", False),
        ("Wie viele Seiten im Atlas habe ich zuletzt gelesen?", False),
        ("Wo wohne ich jetzt?", False),
    ],
)
def test_a_question_about_the_past_keeps_the_order_of_scores(question: str, past: bool) -> None:
    assert asks_of_the_past(question) is past
    if past:
        assert order(question, OLD, NEW) == [OLD["id"], NEW["id"]]


def test_facts_and_notes_keep_their_places() -> None:
    fact = said("Ann read 150 pages of the atlas.", 5, kind="fact")
    assert order(QUESTION, OLD, fact, NEW) == [NEW["id"], fact["id"], OLD["id"]]


async def test_an_update_is_found_before_what_it_updates(writer: Principal) -> None:
    old = await capture(
        writer, "I have read 120 pages of the atlas.", captured_at="2026-01-01T00:00:00Z"
    )
    new = await capture(
        writer,
        "Something else, by the way: I have read 150 pages of the atlas so far, on the train.",
        session="t",
        captured_at="2026-02-01T00:00:00Z",
    )
    found = await search(writer, QUESTION, mode="keyword")
    assert ids(found) == [new, old]
    assert [hit["later"] for hit in found["hits"]] == [[], [new]]
    assert found["hits"][0]["score"] > found["hits"][1]["score"]
    assert ids(await search(writer, QUESTION, mode="keyword", limit=1)) == [new]
