from __future__ import annotations

from datetime import date

import pytest

from app.indexing.dates import date_terms, day_terms


@pytest.mark.parametrize(
    "written",
    [
        "2023-10-13", "13.10.2023", "13. 10. 2023", "13 October 2023", "October 13, 2023",
        "13th of October, 2023", "Oct 13th 2023", "13. Oktober 2023", "am 13. Okt. 2023",
    ],
)  # fmt: skip
def test_a_day_is_one_term_however_it_is_written(written: str) -> None:
    assert date_terms(f"What did she show on {written}?") == ["@20231013", "@202310"]


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("in July 2023", ["@202307"]),
        ("im März 2024", ["@202403"]),
        ("2024-03", ["@202403"]),
        ("during May", ["@05"]),
        ("im Jänner", ["@01"]),
        ("in 2021", ["@2021"]),
        ("since 2021 and in July 2023", ["@202307", "@2021"]),
        ("What may I eat?", []),
        ("room 13.45, invoice 2023-99-01, 45 October 2023", []),
        ("", []),
    ],
)
def test_what_a_question_names(question: str, terms: list[str]) -> None:
    assert date_terms(question) == terms


def test_a_day_answers_to_all_its_dates() -> None:
    terms = day_terms(date(2023, 10, 13))
    assert terms == ["@20231013", "@202310", "@2023", "@10"]
    for question in ("on 13 October 2023", "in October 2023", "in 2023", "last October"):
        assert set(date_terms(question)) & set(terms)
    assert not set(date_terms("on 14 October 2022")) & set(terms)
