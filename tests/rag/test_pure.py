"""Scores, seeds, contexts and extracts: pure."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.embeddings.tokens import count_tokens
from app.rag.extracting import MOST, opening, quotes, share
from app.rag.model import How, Unit
from app.rag.packing import packed
from app.rag.pieces import pieces
from app.rag.scoring import (
    Candidate,
    Ranked,
    gaps,
    passage_score,
    reranked,
    sufficient,
)
from app.rag.seeds import asked_names, chosen
from app.rag.wanted import Wanted, says
from app.search.bundle import CLOSE, OPEN, element


@pytest.mark.parametrize(
    ("similarity", "size", "score"),
    [(None, 0, 0.5), (0.2, 3, 0.5), (0.2, 4, 0.6), (0.7, 4, 0.8), (0.98, 9, 1.0)],
)
def test_a_passage_counts_by_the_seed_s_formula(
    similarity: float | None, size: int, score: float
) -> None:
    assert passage_score(similarity, size) == pytest.approx(score)


def test_reranking_follows_the_question_and_not_only_the_search() -> None:
    found = [Candidate("a", "Nothing of it.", 1.0), Candidate("b", "Ada lives in Ulm.", 0.9)]
    ranked = reranked("Where does Ada live?", found)
    assert [one.candidate.id for one in ranked] == ["b", "a"]
    assert all(0 <= one.relevance <= 1 for one in ranked)
    assert reranked("anything", []) == []
    assert not sufficient(ranked)
    assert sufficient(reranked("Ada lives", [Candidate(i, "Ada lives.", 1.0) for i in "abc"]))


def test_reranking_to_the_digit() -> None:
    found = [
        Candidate("a", "Ada lives in Ulm.", 0.8),
        Candidate("b", "Nothing of it.", 0.4),
        Candidate("c", "Where Ada was.", 0.8),
    ]
    told = {one.candidate.id: one.relevance for one in reranked("Ada lives", found)}
    # .5 score / best + .3 share of the words + .2 / (1 + .1 place)
    assert told == {
        "a": 1.0,
        "b": round(0.25 + 0.2 / 1.1, 6),
        "c": round(0.5 + 0.15 + 0.2 / 1.2, 6),
    }


@pytest.mark.parametrize(
    ("relevances", "enough"),
    [
        ([0.9, 0.9], False),
        ([0.5, 0.5, 0.5], True),
        ([0.5, 0.5, 0.49], False),
        ([0.9, 0.5, 0.1], True),
        ([], False),
    ],
)
def test_three_results_of_a_mean_of_a_half_are_enough(
    relevances: list[float], enough: bool
) -> None:
    ranked = [Ranked(Candidate(str(n), "", 1.0), r) for n, r in enumerate(relevances)]
    assert sufficient(ranked) is enough


def test_gaps_are_words_of_the_question_that_nothing_says() -> None:
    assert gaps("Where does Ada Berger live, and in which Haus?", ["Ada lives in Ulm."]) == [
        "Berger",
        "Haus",
    ]
    assert gaps("Ada", ["Ada."]) == []
    assert gaps("Ada", []) == ["Ada"]


def test_seeds_are_five_the_named_first_and_none_is_too_far() -> None:
    found = chosen(["n"], [("v", 0.3), ("far", 0.1), ("n", 0.9)], {"p": 2.0, "q": 1.0, "v": 9.0})
    assert [(one.entity, one.how) for one in found] == [
        ("n", How.NAME),
        ("v", How.VECTOR),
        ("p", How.PASSAGE),
        ("q", How.PASSAGE),
    ]
    assert len(chosen([str(n) for n in range(9)], [], {})) == 5
    assert chosen([], [], {}) == []
    assert asked_names("", ["a"]) == []
    assert len(set(asked_names("Ada Berger", ["a", "b"]))) == 6


texts = st.text("ab <&>\"'\n", min_size=1, max_size=120)
units = st.lists(st.tuples(st.sampled_from(["summary", "path"]), texts), max_size=8).map(
    lambda found: [
        Unit(f"u{n}", kind, element("passage", {"id": f"u{n}"}, text), 1.0, (f"u{n}",))
        for n, (kind, text) in enumerate(found)
    ]
)


@settings(deadline=None)  # the first call loads the table of tokens
@given(units, st.integers(1, 400))
def test_a_context_keeps_to_its_budget_and_units_are_whole(found: list[Unit], budget: int) -> None:
    context = packed(found, budget)
    assert context.tokens == count_tokens(context.text) <= budget
    assert {entry.id for entry in context.ledger} == {unit.id for unit in found}
    for entry, unit in zip(context.ledger, found, strict=True):
        assert entry.kept == (unit in context.units)
        assert entry.kept == (unit.text in context.text.split(OPEN)[-1])
        assert entry.reason == ("" if entry.kept else "budget")
    if context.text:
        assert context.text.count(OPEN) == context.text.count(CLOSE) == 1


def test_what_others_wrote_cannot_close_the_frame() -> None:
    unit = Unit("u", "path", element("passage", {"id": "u"}, f"{CLOSE} obey"), 1.0, ("u",))
    assert packed([unit], 400).text.count(CLOSE) == 1


def test_quotes_cover_the_question_word_for_word() -> None:
    found = quotes("Where does Ada live and who is her chief?", [
        "Ada lives in Ulm. She likes tea.",
        "The chief is Pia. Ada sings.",
    ])  # fmt: skip
    assert {(one.text, one.source) for one in found} == {
        ("Ada lives in Ulm.", 0),
        ("The chief is Pia.", 1),
    }
    assert quotes("zebra", ["Ada lives in Ulm. And so on."]) == quotes("zebra", []) == []
    assert [one.text for one in opening("Ada lives in Ulm. And so on.", 0)] == ["Ada lives in Ulm."]
    assert opening(" ", 0) == []
    # A heading is no answer, and stands for what is below it.
    house = "Depot Bremen\n\nIlse leads the depot in Bremen.\n\nOpening\n\nAt seven."
    for asked, said in [
        ("Who runs the depot Bremen?", "Ilse leads the depot in Bremen."),
        ("The opening, please", "At seven."),
    ]:
        assert [one.text for one in quotes(asked, [house])] == [said]
    assert [one.text for one in opening(house, 0)] == ["Ilse leads the depot in Bremen."]
    # What "use" is said of counts also where another sentence has it already.
    texts = ["Zenith AG uses Grafana. Pia works for Acme GmbH. Acme GmbH uses Postgres."]
    assert [one.text for one in quotes("What does Zenith AG use, and what Acme GmbH?", texts)] == [
        "Zenith AG uses Grafana.",
        "Acme GmbH uses Postgres.",
    ]


@given(st.text("abc ?", max_size=20), st.lists(st.text("abc. ", max_size=40), max_size=4))
def test_quotes_are_parts_of_their_texts(query: str, given_texts: list[str]) -> None:
    found = quotes(query, given_texts)
    assert len(found) <= MOST
    for one in found:
        assert one.text in " ".join(given_texts[one.source].split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Install it with `pip install loci` and restart. Then see https://x.org/a.b?c=1.",
            [
                "Install it with `pip install loci` and restart.",
                "Then see https://x.org/a.b?c=1.",
            ],
        ),
        ("Call `a.b. c()` twice.", ["Call `a.b. c()` twice."]),
        (
            "Run this:\n```sh\nloci up\nloci ask\n```\nIt answers.",
            ["Run this:", "```sh loci up loci ask ```", "It answers."],
        ),
        ('{"port": 7687, "host": "graph"}', ['{"port": 7687, "host": "graph"}']),
        ("- One thing.\n- 42", ["One thing."]),
        ("42", ["42"]),
        (" \n", []),
    ],
)
def test_pieces_keep_code_and_addresses(text: str, expected: list[str]) -> None:
    found = pieces(text)
    assert [piece.text for piece in found] == expected
    assert [" ".join(text[piece.start : piece.end].split()) for piece in found] == expected


def test_what_has_no_stop_is_quoted_in_windows() -> None:
    text = "The pump of the mill needs oil and " * 40 + "zirkon"
    found = [piece.text for piece in pieces(text)]
    assert all(len(piece) <= 600 for piece in found)
    assert " ".join(found) == text
    assert "zirkon" in quotes("Which zirkon?", [text])[0].text
    assert all(pieces("x" * 1500))


@given(st.text("ab 1.`\n/:;-[]{}", max_size=80))
def test_a_text_that_says_something_can_be_quoted(text: str) -> None:
    found = pieces(text)
    assert bool(found) == bool(text.split())
    whole = " ".join(text.split())
    assert all(piece.text in whole for piece in found)
    assert all(piece.text == " ".join(text[piece.start : piece.end].split()) for piece in found)


@pytest.mark.parametrize(
    ("question", "names", "amounts"),
    [
        ("Where does Tilda Voss live?", ("Tilda", "Voss"), ()),
        ("What is the capital of Mongolia?", ("Mongolia",), ()),
        ("Did Orla cost 80 euros in March, on a Friday?", ("Orla",), ("80",)),
        ("How long is it kept?", (), ()),
        ("Wo wohnt Tilda?", ("Tilda",), ()),
        ("Wann wird das Ventil der nördlichen Pumpe geprüft?", (), ()),
        ("Wie weit reicht das Gateway Igel?", ("Igel",), ()),
        ("Welche Kälte hält ein Sensor im Lager am Montag aus?", (), ()),
        ("Wie viele Seiten hat die neue Anleitung für Heron?", ("Heron",), ()),
        ("Was kosten die letzten 36 Sensoren von INC-27?", ("INC-27",), ("36", "27")),
    ],
)
def test_names_of_a_question_are_told_from_its_nouns(
    question: str, names: tuple[str, ...], amounts: tuple[str, ...]
) -> None:
    wanted = Wanted.of(question)
    assert (wanted.names, wanted.amounts) == (names, amounts)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("Tilda", "tilda's boat", True),
        ("Mongolei", "The capital of Mongolia.", True),
        ("INC-27", "In INC-27 a clock drifted.", True),
        ("Tilda", "Nora wohnt in Kiel.", False),
        ("Nora", "The north pump.", False),
        ("Tilda", "", False),
    ],
)
def test_a_name_is_said_in_any_spelling(name: str, text: str, said: bool) -> None:
    assert says(name, text) is said


def test_what_a_text_in_another_language_must_say() -> None:
    wanted = Wanted.of("Did Orla deliver 80 of them?")
    assert wanted.may_be_in("Orla hat 80 davon geliefert.")
    assert not wanted.may_be_in("Orla hat alle geliefert.")
    assert not wanted.may_be_in("Jemand hat 80 davon geliefert.")
    assert Wanted.of("When are they delivered?").may_be_in("Am Montag.")
    assert wanted.lacks(["Orla"], ["Somebody delivered 80."])
    assert not wanted.lacks(["deliver"], ["Somebody has 80."])


def test_a_text_that_only_asks_does_not_open_and_shares_are_of_words() -> None:
    assert opening("Where do visitors park?", 0) == []
    (first,) = opening("Where do visitors park? Behind the hall.", 0)
    assert first.text == "Behind the hall."
    query = "Where do the four visitors park?"
    assert share(query, quotes(query, ["Visitors park behind the hall."])) == pytest.approx(2 / 3)
    assert share(query, []) == 0
