"""Literals parsed to canonical keys, however they are written."""

from __future__ import annotations

import pytest

from app.values.model import Kind
from app.values.money import comparable
from app.values.parse import parse_value


def key(text: str, language: str | None = None) -> str:
    value = parse_value(text, language)
    assert value is not None
    return value.key


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("100k", None, "number:100000"),
        ("100,000", None, "number:100000"),
        ("100.000", "de", "number:100000"),
        ("100.000", None, "number:100000"),
        ("100 000", None, "number:100000"),
        ("100'000", None, "number:100000"),
        ("100’000", "de", "number:100000"),
        ("24'000", None, "number:24000"),
        ("24,000", None, "number:24000"),
        ("1,5 Mio", "de", "number:1500000"),
        ("1.5 million", "en", "number:1500000"),
        ("2 Mrd.", "de", "number:2000000000"),
        ("2 billion", "en", "number:2000000000"),
        ("2 Billionen", "de", "number:2000000000000"),
        ("3.5", None, "number:3.5"),
        ("3,5", "de", "number:3.5"),
        ("35", None, "number:35"),
        ("1.500", "de", "number:1500"),
        ("1.500", "en", "number:1.5"),
        ("1,500", "en", "number:1500"),
        ("1,500", "de", "number:1.5"),
        ("1.234,56", "de", "number:1234.56"),
        ("1,234.56", "en", "number:1234.56"),
        ("1.234.567", None, "number:1234567"),
        ("-4", None, "number:-4"),
        ("zwölf", "de", "number:12"),
        ("twelve", "en", "number:12"),
        ("twenty-five", "en", "number:25"),
        ("fünfundzwanzig", "de", "number:25"),
        ("zweihundert", "de", "number:200"),
        ("dreitausendfünfhundert", "de", "number:3500"),
        ("two hundred and fifty", "en", "number:250"),
        ("once", "en", "number:1"),
        ("zweimal", "de", "number:2"),
        ("about 300", "en", "number:300"),
        ("ca. 300", "de", "number:300"),
        ("ca.300", "de", "number:300"),
        ("~300", None, "number:300"),
    ],
)
def test_numbers(text: str, language: str | None, expected: str) -> None:
    assert key(text, language) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("3 km", None, "quantity:m:3000"),
        ("3000 m", None, "quantity:m:3000"),
        ("3,5 kg", "de", "quantity:g:3500"),
        ("16 GB", None, "quantity:byte:16000000000"),
        ("16GB", None, "quantity:byte:16000000000"),
        ("20 %", None, "quantity:percent:20"),
        ("20 Prozent", "de", "quantity:percent:20"),
        ("21 °C", None, "quantity:celsius:21"),
        ("90 minutes", "en", "quantity:s:5400"),
        ("1,5 Stunden", "de", "quantity:s:5400"),
        ("two years", "en", "quantity:month:24"),
        ("24 Monate", "de", "quantity:month:24"),
        ("ein Jahr", "de", "quantity:month:12"),
        ("75 m²", "de", "quantity:m2:75"),
        ("75 Quadratmeter", "de", "quantity:m2:75"),
        ("27 employees", "en", "quantity:employee:27"),
        ("27 Mitarbeitern", "de", "quantity:employee:27"),
        ("etwa 27 Mitarbeiter", "de", "quantity:employee:27"),
        ("1.500 Mitarbeiter", None, "quantity:employee:1500"),
        ("three dogs", "en", "quantity:dog:3"),
        ("drei Hunde", "de", "quantity:dog:3"),
    ],
)
def test_quantities(text: str, language: str | None, expected: str) -> None:
    assert key(text, language) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CHF 24'000", "money:CHF:24000"),
        ("24000 CHF", "money:CHF:24000"),
        ("Fr. 24'000.-", "money:CHF:24000"),
        ("$ 5,000", "money:USD:5000"),
        ("$5k", "money:USD:5000"),
        ("5 Mio. €", "money:EUR:5000000"),
        ("€5m", "money:EUR:5000000"),
        ("8.000 Euro", "money:EUR:8000"),
        ("1.500 €", "money:EUR:1500"),
        ("12,50 €", "money:EUR:12.5"),
        ("£99.95", "money:GBP:99.95"),
        ("CHF 39/mo", "money:CHF/month:39"),
        ("39 CHF pro Monat", "money:CHF/month:39"),
        ("50 Rappen", "money:CHF:0.5"),
    ],
)
def test_money(text: str, expected: str) -> None:
    assert key(text) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("2026", None, "date:2026"),
        ("May 2026", "en", "date:2026-05"),
        ("Mai 2026", "de", "date:2026-05"),
        ("im März 2025", "de", "date:2025-03"),
        ("14. Mai", "de", "date:--05-14"),
        ("June 19", "en", "date:--06-19"),
        ("19th of June", "en", "date:--06-19"),
        ("14. Mai 2026", "de", "date:2026-05-14"),
        ("May 14, 2026", "en", "date:2026-05-14"),
        ("2026-05-14", None, "date:2026-05-14"),
        ("2026-05", None, "date:2026-05"),
        ("14.05.2026", "de", "date:2026-05-14"),
        ("05/14/2026", "en", "date:2026-05-14"),
        ("2026-05-14T10:30:00Z", None, "date:2026-05-14t10:30"),
        ("Q3 2026", None, "date:2026-q3"),
        ("Monday", "en", "date:w1"),
        ("am Montag", "de", "date:w1"),
        ("3 pm", "en", "date:t15:00"),
        ("05.06.", "de", "date:--06-05"),
        ("15 Uhr", "de", "date:t15:00"),
        ("15:00 Uhr", "de", "date:t15:00"),
    ],
)
def test_dates(text: str, language: str | None, expected: str) -> None:
    assert key(text, language) == expected


@pytest.mark.parametrize("text", ["30 February 2026", "31.04.2026", "2026-13-01"])
def test_days_that_do_not_exist_are_no_dates(text: str) -> None:
    value = parse_value(text)
    assert value is not None
    assert value.kind is not Kind.DATE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("active", "state:active"),
        ("Aktiv", "state:active"),
        ("is running", "state:active"),
        ("läuft", "state:active"),
        ("inactive", "state:inactive"),
        ("ist abgeschlossen", "state:completed"),
        ("has been completed", "state:completed"),
        ("fertig", "state:completed"),
        ("behoben", "state:resolved"),
        ("storniert", "state:cancelled"),
        ("cancelled", "state:cancelled"),
        ("besetzt", "state:unavailable"),
        ("not active", "state:not:active"),
        ("nicht mehr gültig", "state:not:valid"),
        ("yes", "boolean:true"),
        ("Nein", "boolean:false"),
        ("The Green Tea!", "text:green tea"),
        ("grüner Tee", "text:gruener tee"),
        ("a dog", "text:dog"),
        ("PostgreSQL 16", "text:postgresql 16"),
        ("1.2.3", "text:1 2 3"),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert key(text) == expected


@pytest.mark.parametrize("text", ["activewear", "Bewohner", "now", "niedrig", "hyperactive"])
def test_a_word_is_matched_as_a_whole(text: str) -> None:
    value = parse_value(text)
    assert value is not None
    assert value.kind is Kind.TEXT


@pytest.mark.parametrize("text", ["1" * 400, "1" * 400 + " kg", "x" * 5000, "1st"])
def test_what_is_no_number_is_a_text(text: str) -> None:
    value = parse_value(text)
    assert value is not None
    assert value.kind is Kind.TEXT


@pytest.mark.parametrize("text", ["", "  ", "...", "–"])
def test_nothing_is_no_value(text: str) -> None:
    assert parse_value(text) is None


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("money:EUR:80", "money:USD:90", False),
        ("money:USD/month:12", "money:USD/year:120", False),
        ("money:USD:12", "money:USD/month:15", True),
        ("money:USD:4000", "money:USD/year:48000", False),
        ("money:EUR/month:50", "money:EUR:600", False),
        ("money:USD:0", "money:USD/month:9", False),
        ("money:EUR:80", "money:EUR:90", True),
        ("money:EUR:80", "text:free", True),
    ],
)
def test_amounts_of_one_currency_and_period_compare(one: str, other: str, expected: bool) -> None:
    assert comparable(one, other) is expected
    assert comparable(other, one) is expected
