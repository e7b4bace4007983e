"""What a question names, however it spells it; everything here is pure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.indexing.spelling import form_of, respelled, slips
from app.retrieval.asking import SPELLED, Reading, asks, meant
from app.retrieval.matrix import OFTEN, Linked, Walkable, build

TITLES = (
    "josé álvarez", "müller", "simon garfunkel", "world war ii", "j k rowling", "saint louis",
    "gdańsk", "tromsø", "teutberga", "william shakespeare", "shakespeare", "angela merkel",
    "of mice and men", "henry vii", "henry viii", "long mile", "bay", "law", "p e x", "ape",
    "anna klein", "dukes of orla", "the who", "exies", "parse",
)  # fmt: skip


def scope(*keys: str) -> dict[str, Walkable]:
    return {"s": build({key: Linked({key: "title"}, {}) for key in keys})}


GRAPHS = scope(*TITLES)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who is older, Jose Alvarez or Muller?", ["josé álvarez", "müller"]),
        ("Ist Mueller älter als José Álvarez?", ["müller", "josé álvarez"]),
        (
            "Was Jose\u0301 A\u0301lvarez in Gdansk and Tromso?",
            ["josé álvarez", "gdańsk", "tromsø"],
        ),
        ("Did Simon and Garfunkel sing of World War 2?", ["simon garfunkel", "world war ii"]),
        ("Was JK Rowling in St. Louis?", ["j k rowling", "saint louis"]),
        ("Wer sind Angela Merkels Eltern?", ["angela merkel"]),
        ("Who were the Dukes of Orla?", ["dukes of orla"]),
        ("Where was Willam Shakespeare born?", ["william shakespeare"]),
        ("Who was Teutbrega?", ["teutberga"]),
        ("Who was Henry VIII?", ["henry viii"]),
        ("Who made A.P.E.X. first?", ["p e x"]),
        ("Who was Bey?", []),
        ("Which band was first, The Exies or The Who?", ["exies", "the who"]),
        ("Who heard The Exies Live?", []),  # a part of a longer name is none by itself
    ],
)
def test_a_name_is_known_in_another_spelling(question: str, names: list[str]) -> None:
    assert asks(GRAPHS, question).names["s"] == names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("where is the long mile", ["long mile"]),
        ("Where is the long mile?", ["long mile"]),
        ("WHO MADE THE LONG MILE?", ["long mile"]),
        ("who wrote of mice and men", ["of mice and men"]),
        ("who is the father-in-law of anna klein", ["anna klein"]),
        ("who is the who", []),
        ("who is jose alvarez", ["josé álvarez"]),
        ("wer ist angela merkels mutter", ["angela merkel"]),
        ("where was willam shakespeare born", ["william shakespeare"]),
        ("Who sailed the bay of Bremen?", []),
    ],
)
def test_a_question_without_capitals_names_what_it_would_with_them(
    question: str, names: list[str]
) -> None:
    assert asks(GRAPHS, question).names["s"] == names


@pytest.mark.parametrize(
    ("question", "surely"),
    [
        ("Who is older, Jose Alvarez or Muller?", True),
        ("Ist Mueller älter?", True),
        ("What wrote Muller?", True),
        ("where is the long mile", True),  # several words are meant as one name
        ("Muller wrote what?", False),  # what begins a sentence may be any word
        ("who is muller", False),  # where nothing is written as a name, one word may be any
        ("Who was Bey?", False),
        ("When did The Exies meet?", True),
        # What a name may leave out makes no second word of it.
        ("parse and create files", False),
        ("did Simon and Garfunkel meet", True),
    ],
)
def test_a_name_is_surely_meant_where_it_is_written_as_one(question: str, surely: bool) -> None:
    asked = asks(GRAPHS, question)
    assert asked.surely is surely
    # What is not among the best passages for the whole question is no name here.
    assert not meant(GRAPHS, asked, set()).surely


def test_a_common_word_is_no_name_with_or_without_capitals() -> None:
    texts = {str(n): Linked({}, {"born": 1.0}) for n in range(OFTEN + 1)}
    films = {"film": Linked({"born": "bare"}, {}), "other": Linked({"noose": "title"}, {})}
    graphs = {"s": build(texts | films)}
    assert asks(graphs, "where was noose born").names["s"] == ["noose"]
    assert asks(graphs, "Which tool reads what was Born?").names["s"] == []


def test_a_name_is_meant_where_its_passage_was_found_for_the_whole_question() -> None:
    graphs = {"s": build({"book": Linked({"noose": "title"}, {}), "knot": Linked({}, {})})}
    asked = asks(graphs, "Who tied the Noose?")
    assert meant(graphs, asked, {"book", "knot"}) == asked
    assert meant(graphs, asked, {"knot"}).names == {"s": []}


def test_the_rest_is_what_a_question_says_beside_its_names() -> None:
    asked = asks(GRAPHS, "Where was Willam Shakespeare born?")
    assert asked.rest.split() == ["Where", "was", "born?"]
    assert asked.cover == pytest.approx(2 / 3)


def test_an_exact_name_is_not_cut_by_a_looser_one() -> None:
    found = asks(scope("flash gordon", "flash gordon conquers orla"), "Flash Gordon Conqures Orla?")
    assert found.names["s"] == ["flash gordon conquers orla"]
    found = asks(scope("gordon conquers", "flash gordan"), "Who saw Flash Gordon Conquers?")
    assert found.names["s"] == ["gordon conquers"]


def test_a_text_is_no_question_and_names_what_stands_in_it() -> None:
    text = "word " * SPELLED + "Jose Alvarez and William Shakespeare"
    assert asks(GRAPHS, text).names["s"] == ["william shakespeare"]


@pytest.mark.parametrize(
    ("key", "form"),
    [
        ("ada roth", "ada roth"),
        ("ælfwine of deira", "alfwine of deira"),
        ("straße und goethe", "strasse gothe"),
        ("henry viii", "henry 8"),
        ("malcolm x", "malcolm x"),
        ("and justice", "and justice"),
        ("u s open", "us open"),
        ("", ""),
    ],
)
def test_a_form_leaves_out_what_writers_do_differently(key: str, form: str) -> None:
    assert form_of(key.replace("ß", "ss")) == form


@given(st.lists(st.text("abäøüe ", min_size=1, max_size=8).map(lambda t: " ".join(t.split()))))
def test_a_key_is_found_by_its_form(keys: list[str]) -> None:
    found = respelled(keys)
    for key in keys:
        assert form_of(key) == key or key in found[form_of(key)]


def test_slips_are_one_change_away() -> None:
    found = slips("orla")
    assert {"rola", "ola", "orlas", "orna", "olra"} <= found
    assert found.isdisjoint({"orla", "lora", "or", "oralas"})


@given(st.text(max_size=120))
def test_any_question_is_read(text: str) -> None:
    asked = asks(GRAPHS, text)
    assert set(asked.names["s"]) <= set(TITLES)
    assert 0 <= asked.cover <= 1


@given(
    st.lists(st.sampled_from([*TITLES, "josé", "long", "who", "merkel of orla"]), max_size=5),
    st.sampled_from(
        [
            "Who is older, Jose Alvarez or Muller?",
            "Did Simon and Garfunkel sing of World War 2?",
            "where was willam shakespear born",
            "Who was Teutbrega, and what is the long mile?",
            "What did they say?",
        ]
    ),
)
def test_a_scope_that_is_passed_over_has_no_name_of_the_question(
    keys: list[str], question: str
) -> None:
    graphs = {key: build({key: Linked({key: "title"}, {})}) for key in keys}
    found = asks(graphs, question)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Reading, "may_name", lambda *_: True)
        assert asks(graphs, question) == found
