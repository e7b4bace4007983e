"""Patterns that are searched only where a text has one of their words find what they found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.extraction import accounting, cues, moments, objects, typed
from app.extraction.prefilter import Cue, alternatives, bits_of, said, worded

MODULES = (accounting, cues, moments, objects, typed)
AT_THE_START = frozenset(["TAKEN_BACK"])  # may begin within a word where it is searched for
ROWS = sorted(Path(__file__).parents[1].rglob("*.jsonl"))
CUES = {name: cue for m in MODULES for name, cue in vars(m).items() if isinstance(cue, Cue)}


def _texts(row: object) -> Iterator[str]:
    if isinstance(row, str):
        yield row
    elif isinstance(row, dict | list):
        for part in row.values() if isinstance(row, dict) else row:
            yield from _texts(part)


TEXTS = {
    text: said(text)
    for path in ROWS
    for line in path.read_text(encoding="utf-8").splitlines()
    for text in _texts(json.loads(line))
    if " " in text
}


@pytest.mark.parametrize("name", CUES)
def test_each_match_has_a_word_by_which_it_is_found(name: str) -> None:
    cue = CUES[name]

    @settings(
        max_examples=40,
        database=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        deadline=None,
    )
    @given(st.from_regex(cue.pattern), st.sampled_from(["", "Nora ", "und ", "I "]))
    def found(text: str, before: str) -> None:
        whole = before + text
        looked = cue.pattern.match if name in AT_THE_START else cue.pattern.search
        if (plain := looked(whole)) is not None:
            filtered = cue.match if name in AT_THE_START else cue.search
            assert (again := filtered(whole, said(whole))) is not None, whole
            assert again.span() == plain.span()

    found()


@pytest.mark.parametrize("name", CUES)
def test_texts_of_the_sets_are_read_alike_without_it(name: str) -> None:
    cue = CUES[name]
    look = cue.pattern.match if name in AT_THE_START else cue.pattern.search
    for text, bits in TEXTS.items():
        assert bits & cue.bit or look(text) is None, text


def test_letters_that_the_engine_takes_for_others_are_looked_up_as_those() -> None:
    hedge = worded("perhaps|maybe|likely")
    for text in ("perhapſ", "maybe", "liKely", "LIKELY", "lıkely"):
        assert hedge.search(text) is not None
        assert hedge.search(text, said(text)) is not None


def test_a_text_without_the_words_is_not_searched() -> None:
    cue = worded(r"not yet|noch nicht|kein\w*")
    assert said("Nora lives in Kiel") & cue.bit == 0
    assert cue.search("noch nicht", said("Nora lives in Kiel")) is None
    assert list(cue.finditer("noch nicht", 0)) == []
    assert cue.sub(lambda m: "", "noch nicht", 0) == "noch nicht"
    assert cue.match("noch nicht", 0) is None
    assert said("Das ist keine Bank") & bits_of(cue) == cue.bit


def test_alternatives_are_parted_outside_of_groups_and_classes() -> None:
    assert alternatives(r"a|b(?:c|d)|[|]e|\|f|g(?:h(?:i|j)|k)") == [
        "a",
        "b(?:c|d)",
        "[|]e",
        r"\|f",
        "g(?:h(?:i|j)|k)",
    ]


@pytest.mark.parametrize(
    ("words", "by"),
    [
        ("maybe|in theory", ("maybe", "theory")),
        (r"rumou?r\w*", ("rumo*",)),
        ("any ?more", ("any*",)),
        (r"as\s+though", ("though",)),
        ("hop(?:e|es)", ("hop*",)),
        ("haha+", ("hah*",)),
    ],
)
def test_an_alternative_is_found_by_its_longest_word(words: str, by: tuple[str, ...]) -> None:
    assert worded(words).by == by


def test_what_goes_on_behind_its_words_is_found_by_how_they_begin() -> None:
    assert worded("caus|due to", after="").by == ("caus*", "due")


def test_an_alternative_without_a_word_is_refused() -> None:
    with pytest.raises(ValueError, match="no word"):
        worded(r"maybe|\d+|(?:a|b)")
