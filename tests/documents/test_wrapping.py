"""Lines that were broken to fit a width are one again, and nothing else is."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.wrapping import unwrapped

PROSE = (
    "The option removes the home directory of the user together with its mail, and it leaves every "
    "file that lies elsewhere; those have to be looked for and taken away by hand. Der Befehl "
    "entfernt das Verzeichnis des Benutzers samt seiner Post und lässt alles andere liegen."
)


@pytest.mark.parametrize("width", [60, 72, 100])
@pytest.mark.parametrize("indent", ["", "       "])
def test_a_paragraph_of_broken_lines_is_one_line(width: int, indent: str) -> None:
    text = textwrap.fill(PROSE, width, initial_indent=indent, subsequent_indent=indent)
    assert unwrapped(f"TITLE\n\n{text}\n\nEnd.") == f"TITLE\n\n{indent}{PROSE}\n\nEnd."


def test_items_keep_apart_and_each_is_one_line() -> None:
    items = [
        textwrap.fill(PROSE, 72, initial_indent=lead, subsequent_indent="   ")
        for lead in ("1. ", "2. ")
    ]
    assert unwrapped("\n".join(items)) == f"1. {PROSE}\n2. {PROSE}"


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        (["Es verwaltet dort die Liste aller Umleitungen und Ein\u2010", "träge."], "Einträge."),
        (["It prints the names of the files of a package, as dpkg-", "query."], "dpkg-query."),
        (["Der Verein kümmert sich seit Jahren um alle Haus-", "und Hoftiere."], "Haus- und"),
    ],
)  # fmt: skip
def test_divided_words_are_whole(lines: list[str], joined: str) -> None:
    assert joined in unwrapped("\n".join(lines))


@pytest.mark.parametrize(
    "text",
    [
        "Erika Mustermann\nMusterstr. 1\n12345 Musterstadt",
        "2026-01-02 10:00:01 worker-1 started the job of indexing the documents of a base\n"
        "2026-01-02 10:00:02 worker-1 ended it\n2026-01-02 10:00:03 worker-2 is idle and waits",
        "name,amount,when\nAda Berger of the depot in Bremen has this many,12,2026-01-01\nPia,1,x",
        "def first(pump: Pump) -> Valve:  # as its manual has it\n    return valve(pump)",
        "| name of the part that is meant      | what it costs     |\n| pump and housing | 12 |",
        "Whose woods these are I think I know.\nHis house is in the village though;",
        "The first sentence is a paragraph of its own, as its author broke it.\nThe second is one.",
    ],
    ids=["address", "log", "csv", "code", "table", "poem", "paragraphs"],
)
def test_what_is_no_broken_paragraph_stays(text: str) -> None:
    assert unwrapped(text) == text


@given(st.text("ab c.-\n", max_size=200))
def test_no_word_is_lost_and_a_second_time_changes_nothing(text: str) -> None:
    once = unwrapped(text)
    assert "".join(once.split()) == "".join(text.split())
    assert unwrapped(once) == once
