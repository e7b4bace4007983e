"""What was so at a time, and what changed before something was said, ends nothing that is held."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import permutations

import pytest

from app.kernel.clock import FOREVER
from tests.facts.meeting import EARLIER, LATER, ended, held, possible, settled

PASSED = [
    ("The server is up.", "The server was down on Monday."),
    ("I work for Bosch.", "I worked for Siemens on Monday."),
    ("I live in Kiel.", "I lived in Bonn last week."),
    ("Our CEO is Ruth Adler.", "Our CEO was Tom Keller yesterday."),
    ("The team meets in Room 4.", "The team met in Room 6 on Monday."),
    ("Lindwerk has 120 employees.", "Lindwerk had 100 employees on June 15."),
    ("Der Laden ist geöffnet.", "Der Laden war gestern geschlossen."),
    ("Anna leitet den Chor.", "Tom leitete gestern den Chor."),
    ("The server is up.", "The server was down this morning."),
]
# A state that was so, or a change that was made: nobody knows from these words.
EITHER = [
    ("The shop is open.", "The shop was closed yesterday."),
    ("Ticket 12 is open.", "Ticket 12 was closed yesterday."),
    ("The door is locked.", "The door was unlocked on Monday."),
    ("The shop is open.", "The shop was not open yesterday."),
]
LONG_AGO = [
    ("I live in Berlin.", "I moved to Vienna in 2009."),
    ("Ich wohne in Kiel.", "Ich bin vor zehn Jahren nach Bonn gezogen."),
    ("Our office is in Graz.", "In 2012 the office moved to Linz."),
    ("I'm married to Tom.", "I got married to Paul in 1999."),
    ("I'm a teacher.", "I became a nurse in 1999."),
    ("I use Emacs.", "I switched from Emacs to Vim in 2012."),
    ("I live in Leeds.", "I moved to York last month."),
    ("The launch is on June 30.", "The launch had slipped to July 14 in the first draft."),
    ("Das Büro ist in Graz.", "Das Büro war nach Linz umgezogen."),
]
NOW = FOREVER.replace(year=9998)


@pytest.mark.parametrize(("earlier", "later"), PASSED)
def test_what_was_so_at_a_time_holds_for_that_time_alone(earlier: str, later: str) -> None:
    assert ended(earlier, later) == set()
    both = settled((earlier, EARLIER), (later, LATER))
    assert held(both, NOW) == held(settled((earlier, EARLIER)), NOW)
    days = [datetime(2026, 6, day, 8, tzinfo=UTC) for day in (15, 22, 23, 24)]
    assert any(len(held(both, day)) == 2 for day in days)


@pytest.mark.parametrize(("earlier", "later"), EITHER)
def test_what_may_have_been_done_then_is_a_possible_change(earlier: str, later: str) -> None:
    assert ended(earlier, later) == set()
    assert possible(earlier, later)


@pytest.mark.parametrize(("earlier", "later"), LONG_AGO)
def test_a_change_before_what_was_said_is_a_possible_one(earlier: str, later: str) -> None:
    assert ended(earlier, later) == set()
    assert possible(earlier, later)


def test_a_change_holds_until_something_else_was_said() -> None:
    found = settled(("I live in Berlin.", EARLIER), ("I moved to Vienna in 2009.", LATER))
    assert held(found, datetime(2015, 1, 1, tzinfo=UTC)) == {"Nora Weiss|lives_in|entity:vienna"}
    assert held(found, datetime(2026, 6, 12, tzinfo=UTC)) == {"Nora Weiss|lives_in|entity:berlin"}


@pytest.mark.parametrize(
    "told",
    [
        "I moved to Vienna in 2009. In 2012 I moved to Berlin.",
        "In 2012 I moved to Berlin. I moved to Vienna in 2009.",
        "I moved to Vienna in 2009. I live in Berlin.",
    ],
)
def test_of_changes_in_a_row_the_last_holds(told: str) -> None:
    found = settled((told, LATER))
    assert held(found, datetime(2010, 1, 1, tzinfo=UTC)) == {"Nora Weiss|lives_in|entity:vienna"}
    assert held(found, NOW) == {"Nora Weiss|lives_in|entity:berlin"}
    assert not {pair for one in found.values() for pair in one.possible}


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I live in Bruges.", "I moved to Ghent on June 20."),
        ("I live in Bruges.", "I moved to Ghent in June."),
        ("I live in Bruges.", "I moved to Ghent this year."),
        ("The office is in Graz.", "The office moved to Linz yesterday."),
        ("Ich wohne in Lübeck.", "Ich bin letzte Woche nach Rostock gezogen."),
    ],
)
def test_a_change_after_what_was_said_ends_it(earlier: str, later: str) -> None:
    assert ended(earlier, later)


@pytest.mark.parametrize(
    ("first", "change", "second"),
    [
        (datetime(2026, 5, 30, 9, tzinfo=UTC), "I moved to Ghent in May.", "2026-05-31"),
        (datetime(2026, 5, 30, 9, tzinfo=UTC), "Ich bin im Mai nach Gent gezogen.", "2026-05-31"),
        (
            datetime(2024, 2, 28, 9, tzinfo=UTC),
            "Ich bin im Februar nach Gent gezogen.",
            "2024-02-29",
        ),
    ],
)
def test_a_month_lasts_to_its_last_day_and_a_year_too(
    first: datetime, change: str, second: str
) -> None:
    """So a change in it may have come after what was said in it."""
    said = "I live in Kiel." if change.startswith("I ") else "Ich wohne in Kiel."
    told = datetime.fromisoformat(f"{second}T20:00:00Z")
    (place,) = held(settled((said, first), (change, told)), NOW)
    assert place.endswith(("ghent", "gent"))


def test_a_change_on_the_day_of_a_word_ends_it() -> None:
    """Nobody knows which was first on that day, and the later word tells of a change."""
    day = datetime(2026, 6, 23, 9, tzinfo=UTC)
    found = settled(("The office is in Graz.", day), ("The office moved to Linz yesterday.", LATER))
    assert held(found, NOW) == {"office|located_in|entity:linz"}


def test_a_past_form_leans_to_the_past() -> None:
    found = settled(("I moved to Vienna in December.", LATER))
    assert held(found, datetime(2026, 1, 1, tzinfo=UTC)) == {"Nora Weiss|lives_in|entity:vienna"}


def test_order_of_arrival_changes_nothing() -> None:
    told = [
        ("I live in Berlin.", EARLIER),
        ("I moved to Vienna in 2009.", LATER),
        ("I lived in Graz last week.", LATER.replace(hour=10)),
    ]
    found = [settled(*order) for order in permutations(told)]
    moments = [datetime(y, 6, 18, tzinfo=UTC) for y in (2010, 2026)] + [NOW]
    assert len({str([sorted(held(one, m)) for m in moments]) for one in found}) == 1
