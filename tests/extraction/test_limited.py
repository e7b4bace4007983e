"""What is said under a condition, from hearsay, as a bound or as a guess ends nothing, and neither
does what denies that something stopped."""

from __future__ import annotations

import pytest

from app.extraction.model import Mode
from app.extraction.predicates import standard
from app.values.money import comparable
from bench.updates import meeting, possible

from .limited_pairs import COUNTED, COUNTED_LATER, LOOKED_AT, PARTLY_READ, UPDATES
from .reading import LATER, SAID, brief, statements

PAIRS = [pair for kinds in (LOOKED_AT, COUNTED) for pairs in kinds.values() for pair in pairs]
PAIRS += COUNTED_LATER


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_is_limited_ends_nothing(first: str, second: str) -> None:
    held = statements(first, SAID)
    assert held
    assert meeting(held, statements(second, LATER), standard()) == []


@pytest.mark.parametrize(("first", "second"), UPDATES)
def test_what_goes_on_with_a_reason_or_a_sentence_of_its_own_ends(first: str, second: str) -> None:
    assert meeting(statements(first, SAID), statements(second, LATER), standard())


def test_what_is_read_in_part_is_a_possible_change() -> None:
    """These should end, and stay here until they do."""
    for first, second in PARTLY_READ:
        sides = statements(first, SAID), statements(second, LATER)
        assert possible(*sides, standard())
        assert not meeting(*sides, standard())


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("The office is in Linz (Tom told me).", "Tom told me)"),
        ("The office is in Linz now, Tom says, and the phone is off.", "Tom says"),
        ("The office is in Linz, just kidding: it's in Graz.", "just kidding … it's in Graz"),
        ("The office is in Linz, so I heard.", "so I heard"),
        ("Das Büro ist in Linz, das habe ich gelesen.", "das habe ich gelesen"),
        ("I stopped taking ramipril but started again.", "started again"),
        ("I stopped taking ramipril and started again.", "started again"),
    ],
)
def test_what_limits_is_left_over(text: str, rest: str) -> None:
    first, *_ = statements(text)
    assert first.rest == rest


@pytest.mark.parametrize(
    "text",
    [
        "I work at Bosch now, and if it goes well I'll buy a house.",
        "I quit Siemens, but my badge still works.",
        "The firmware is now written in Rust, the last C module went out on Sunday.",
        "We don't use Slack any more, all internal talk is on our own server.",
        "Karla reports to Ines now, as of last week.",
        "Lindwerk hat jetzt rund 150 Mitarbeiter.",
        "The rent rose to about 890 euros.",
    ],
)
def test_what_could_be_a_sentence_of_its_own_limits_nothing(text: str) -> None:
    first, *_ = statements(text)
    assert not first.rest


@pytest.mark.parametrize(
    "text",
    [
        "I didn't stop taking ramipril.",
        "I have never ceased using Vim.",
        "We've not stopped using Slack.",
        "Ich habe nie bei Siemens gekündigt.",
        "We don't merely use Slack.",
        "Wir nutzen nicht einfach nur Slack.",
    ],
)
def test_a_denied_end_is_none(text: str) -> None:
    assert [brief(s) for s in statements(text) if s.mode in (Mode.END, Mode.DENY)] == []


@pytest.mark.parametrize(
    ("one", "other", "may_replace"),
    [
        ("quantity:g:20000", "quantity:g:19958.06428", False),
        ("quantity:g:20000", "quantity:g:19500", True),
        ("quantity:g:20000", "quantity:g:22679.6185", True),
        ("quantity:g:45359.237", "quantity:g:45812.82937", True),
        ("quantity:employee:120", "quantity:employee:121", True),
    ],
)
def test_one_measure_in_two_units_holds_side_by_side(
    one: str, other: str, may_replace: bool
) -> None:
    assert comparable(one, other) is comparable(other, one) is may_replace
