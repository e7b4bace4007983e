"""Values that are one, that cannot both be, and that can."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.values.compare import incompatible, same_value
from app.values.numbers import parse_number, plain
from app.values.parse import parse_value
from app.values.states import CLASSES, EXCLUSIONS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("100k", "100,000"),
        ("24'000", "24,000"),
        ("CHF 24'000", "24000 CHF"),
        ("3 km", "3000 m"),
        ("12 months", "one year"),
        ("27 employees", "27 Mitarbeiter"),
        ("three", "drei"),
        ("active", "aktiv"),
        ("done", "erledigt"),
        ("Müller", "mueller"),
        ("the green tea", "Green tea"),
        ("14. Mai 2026", "May 14, 2026"),
    ],
)
def test_one_value_in_two_forms(one: str, other: str) -> None:
    assert same_value(parse_value(one), parse_value(other))
    assert not incompatible(parse_value(one), parse_value(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5000", "8000"),
        ("3.5", "35"),
        ("CHF 5000", "CHF 8000"),
        ("3 km", "4000 m"),
        ("27 employees", "30 employees"),
        ("May 2026", "June 2026"),
        ("Q3 2026", "May 2026"),
        ("2025", "14 May 2026"),
        ("Monday", "Tuesday"),
        ("3 pm", "16 Uhr"),
        ("active", "completed"),
        ("aktiv", "geschlossen"),
        ("open", "resolved"),
        ("pending", "rejected"),
        ("enabled", "disabled"),
        ("active", "not active"),
        ("yes", "no"),
        ("green tea", "coffee"),
    ],
)
def test_values_that_exclude_each_other(one: str, other: str) -> None:
    assert incompatible(parse_value(one), parse_value(other))
    assert incompatible(parse_value(other), parse_value(one))


# The pairs of seed 003.
STATES = {
    "active": "inactive completed done closed archived cancelled",
    "open": "closed resolved done completed",
    "pending": "approved rejected done cancelled",
    "enabled": "disabled",
    "true": "false",
    "yes": "no",
    "aktiv": "inaktiv abgeschlossen fertig geschlossen",
    "offen": "geschlossen erledigt fertig",
}


@pytest.mark.parametrize(
    ("one", "other"), [(one, other) for one, line in STATES.items() for other in line.split()]
)
def test_each_pair_of_states_excludes_the_other(one: str, other: str) -> None:
    assert incompatible(parse_value(one), parse_value(other))
    assert incompatible(parse_value(other), parse_value(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("May 2026", "14. Mai 2026"),
        ("2026", "May 2026"),
        ("Q2 2026", "14 May 2026"),
        ("14 May", "2026"),
        ("27 employees", "3 offices"),
        ("3 km", "3 kg"),
        ("CHF 39/mo", "CHF 468"),
        ("active", "in progress"),
        ("completed", "archived"),
        ("not active", "completed"),
        ("tea", "green tea"),
        ("yes", "active"),
    ],
)
def test_values_that_can_both_be(one: str, other: str) -> None:
    assert not incompatible(parse_value(one), parse_value(other))
    assert not incompatible(parse_value(other), parse_value(one))


def test_nothing_known_excludes_nothing() -> None:
    assert not incompatible(None, parse_value("active"))
    assert not same_value(None, None)


def test_every_exclusion_names_a_class_and_is_mutual() -> None:
    for name, others in EXCLUSIONS.items():
        assert others <= CLASSES.keys()
        assert name not in others
        assert all(name in EXCLUSIONS[other] for other in others)


@given(st.integers(min_value=0, max_value=10**12))
def test_thousands_may_be_written_in_any_way(number: int) -> None:
    english = f"{number:,}"
    assert parse_number(english, "en") == number
    assert parse_number(english.replace(",", "."), "de") == number
    assert parse_number(english.replace(",", "'"), None) == number
    assert plain(float(number)) == str(number)
