"""The walk over a small graph, by hand; everything here is pure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.retrieval.asking import asks
from app.retrieval.graphs import GIVEN, PART, linked_of
from app.retrieval.joining import Called, called_of, joined
from app.retrieval.matrix import STRETCH, Linked, Walkable, build
from app.retrieval.model import Asked, Begin, Edge, Origin
from app.retrieval.service import beside, leading, stands, walk_all
from app.retrieval.walk import walk


def scope_of(**passages: tuple[dict[str, str], tuple[str, ...]]) -> Walkable:
    """A scope's graph of passages: what each is about, and what it names."""
    return build(
        {
            made: Linked(about, dict.fromkeys(names, 1.0))
            for made, (about, names) in passages.items()
        }
    )


FILM = scope_of(
    film=({"long mile": "title"}, ("ada roth", "lina wert", "orla")),
    director=({"ada roth": "title"}, ("bremen", "orla")),
    actor=({"lina wert": "title"}, ()),
    lake=({"lake": "title"}, ("orla",)),
    alone=({"alone": "title"}, ()),
)
QUESTION = "Where was the director of The Long Mile born?"


def walked(graph: Walkable, question: str, scores: dict[str, float]) -> dict[str, float]:
    begin = Begin(scores, {"director": 0.5}, {"director": "s", **dict.fromkeys(scores, "s")})
    return walk_all({"s": graph}, asks({"s": graph}, question), begin, 10).scores


def test_a_question_is_told_from_the_names_in_it() -> None:
    asked = asks({"s": FILM}, QUESTION)
    assert asked.names == {"s": ["long mile"]}
    assert asked.rest.split() == ["Where", "was", "the", "director", "of", "The", "born?"]
    assert asked.anchored
    assert not asks({"s": FILM}, "Who sailed the lake of Bremen?").anchored


def test_the_passage_that_answers_the_rest_comes_before_its_like() -> None:
    found = walked(FILM, QUESTION, {"film": 1.0})
    assert list(found)[:2] == ["film", "director"]
    assert found["director"] > found["actor"] > found.get("lake", 0.0)


def test_a_walk_loses_no_more_than_its_steps_cut() -> None:
    seeds = np.asarray([1, 0, 0, 0, 0], np.float32)
    trace = walk(FILM, seeds, np.ones(5, np.float32))
    assert 0.8 < float(trace.mass.sum()) <= 1.0001
    assert float(trace.mass[FILM.at["alone"]]) == 0


def test_a_shared_name_that_nobody_goes_by_leads_on_weakly() -> None:
    trace = walk(FILM, np.asarray([0, 0, 0, 1, 0], np.float32), np.ones(5, np.float32))
    place = FILM.at["director"]
    before = trace.before(place)
    assert before is not None
    assert before[1:3] in {(Edge.SHARES, "orla"), (Edge.NAMES, "ada roth")}
    assert float(trace.mass[place]) > 0


def test_a_path_tells_seed_edge_and_passage() -> None:
    begin = Begin({}, {}, {})
    found = walk_all({"s": FILM}, asks({"s": FILM}, QUESTION), begin, 10)
    path = found.paths.to("director")
    assert path is not None
    assert (path.origin, path.name) == (Origin.QUESTION, "long mile")
    assert [(s.passage, s.edge, s.name) for s in path.steps] == [
        ("film", None, None),
        ("director", Edge.NAMES, "ada roth"),
    ]
    assert found.paths.to("nobody") is None


def test_scopes_are_walked_apart() -> None:
    other = scope_of(theirs=({"ada roth": "title"}, ()))
    graphs = {"s": FILM, "t": other}
    begin = Begin({"film": 1.0}, {}, {"film": "s"})
    asked = Asked({"s": ["long mile"], "t": []}, "director born")
    assert "theirs" not in walk_all(graphs, asked, begin, 10).scores


def test_what_stands_in_no_graph_keeps_what_it_began_with() -> None:
    found = walked(FILM, QUESTION, {"film": 0.5, "elsewhere": 1.0})
    assert found["elsewhere"] > 0


def test_talk_is_no_anchor() -> None:
    talk = scope_of(turn=({}, ("orla",)), other=({}, ("orla",)))
    scopes = {"turn": "s"}
    assert not stands({"s": talk}, Begin({"turn": 1.0}, {}, scopes))
    assert stands({"s": FILM}, Begin({"film": 1.0}, {}, {"film": "s"}))


def test_one_name_of_many_owners_is_shared_between_them() -> None:
    graph = scope_of(
        one=({"mercury": "bare"}, ()),
        two=({"mercury": "bare"}, ()),
        three=({"mercury": "title"}, ()),
    )
    found = walked(graph, "What is Mercury?", {})
    assert next(iter(found)) == "three"
    assert found["one"] == pytest.approx(found["two"])


def test_an_empty_scope_has_an_empty_graph() -> None:
    graph = build({})
    assert graph.parts == []
    assert graph.bytes == 0


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        (("day", True, [3, 4], [], False, False), {"day": 1.0}),
        (("day", True, [], [3, 4], False, False), {"day": PART}),
        (("day", True, [], [3, 4], False, True), {"day": GIVEN}),
        (("day", True, [], [], False, True), {"day": GIVEN}),
        (("day", True, [], [], True, False), {"day": 1.0}),
        (("day", False, [3, 4], [], True, False), {"day": 1.0}),
        (("day", False, [], [3, 4], True, False), {"day": 1.0}),
        (("day", False, [3, 4], [], False, True), {"day": GIVEN}),
        (("day", True, [1, 2], [], False, False), {}),  # inside a longer name that somebody has
        (("day", True, [1, 2], [], False, True), {"day": GIVEN}),
        (("film", True, [8, 9], [], True, False), {}),  # what the passage is about
    ],
)
def test_a_name_weighs_by_how_the_text_has_it(
    name: tuple[Any, ...], weights: dict[str, float]
) -> None:
    longer = ("charlie day", True, [0, 2], [], True, False)
    row = {"about": [["film", "title"]], "names": [list(longer), list(name)]}
    row |= {"work": None, "number": None}
    assert linked_of(row).names == {"charlie day": 1.0} | weights


def test_a_name_inside_a_longer_one_draws_less() -> None:
    graph = build(
        {
            "film": Linked({"film": "title"}, {"day": PART, "night": 1.0}),
            "day": Linked({"day": "title"}, {}),
            "night": Linked({"night": "title"}, {}),
        }
    )
    found = walked(graph, "What is Film?", {})
    assert found["night"] == pytest.approx(found["day"] / PART)


def test_the_best_of_the_legs_is_taken_as_named_where_it_is_far_ahead() -> None:
    scopes = {"film": "s", "lake": "s"}
    assert leading(Begin({"film": 0.9, "lake": 0.7}, {}, scopes)) == "film"
    assert leading(Begin({"film": 0.9, "lake": 0.85}, {}, scopes)) is None
    assert leading(Begin({"film": 0.9}, {}, scopes)) is None
    rest, cover = beside("which lake did the director see", {"director", "see"})
    assert rest.split() == ["which", "lake", "did", "the"]
    assert 0 < cover < 1


def test_a_walk_begins_at_what_leads() -> None:
    scores, scopes = {"film": 0.6, "lake": 0.5, "alone": 0.5}, dict.fromkeys(FILM.at, "s")
    asked = asks({"s": FILM}, "where was that director born")
    plain = walk_all({"s": FILM}, asked, Begin(scores, {}, scopes), 10).scores
    led = walk_all({"s": FILM}, asked, Begin(scores, {}, scopes, "film", 0.2), 10).scores
    assert led["film"] / sum(led.values()) > plain["film"] / sum(plain.values())


def entity(root: str, kind: str, *aliases: str) -> Called:
    return called_of({"root": root, "type": kind, "aliases": list(aliases)})


@pytest.mark.parametrize(
    ("called", "about"),
    [
        ([entity("e", "organization", "Nordlicht GmbH", "Nordlicht")], {"nordlicht": "alias"}),
        (
            [entity("e", "organization", "Nordlicht GmbH"), entity("e", "organization", "NL")],
            {},
        ),
        (
            [entity("e", "organization", "Nordlicht GmbH"), entity("e", "group", "North Light")],
            {"north light": "alias"},
        ),
        ([entity("e", "person", "Nordlicht GmbH", "Nordlicht")], {}),
        (
            [
                entity("e", "place", "Nordlicht GmbH", "Nordlicht"),
                entity("f", "place", "Nordlicht"),
            ],
            {},
        ),
        ([], {}),
    ],
)
def test_what_one_thing_is_called_leads_to_what_is_about_it(
    called: list[Called], about: dict[str, str]
) -> None:
    plain = {"p": Linked({"nordlicht gmbh": "title"}, {"nordlicht": 1.0, "ada roth": 1.0})}
    made = joined(plain, called)["p"]
    assert made.about == {"nordlicht gmbh": "title"} | about
    assert set(made.names) == {"nordlicht", "ada roth"} - about.keys()


# A text in two parts: the second says where its director was born, the first what it is about.
CUT = build(
    {
        "film": Linked({"long mile": "title"}, {"ada roth": 1.0}),
        "ada 2": Linked({"ada roth": "title"}, {"bremen": 1.0}, "ada", 1),
        "ada 1": Linked({"ada roth": "title"}, {"orla": 1.0}, "ada", 0),
        "bremen": Linked({"bremen": "title"}, {}),
    }
)


def cut_walk(match: dict[str, float]) -> Any:
    scopes = dict.fromkeys(("film", *match), "s")
    begin = Begin({"film": 1.0}, match, scopes)
    return walk_all({"s": CUT}, asks({"s": CUT}, QUESTION), begin, 10)


def test_the_parts_of_a_text_are_one_place() -> None:
    assert [list(place) for place in CUT.parts] == [["film"], ["ada 1", "ada 2"], ["bremen"]]
    assert CUT.at["ada 1"] == CUT.at["ada 2"]
    long = build({str(n): Linked({"long": "title"}, {}, "w", n) for n in range(20)})
    assert [len(place) for place in long.parts] == [STRETCH, STRETCH, 20 - 2 * STRETCH]


def test_the_part_that_answers_best_stands_for_the_text() -> None:
    whole = walked(FILM, QUESTION, {"film": 1.0})["director"]
    found = cut_walk({"ada 2": 0.5}).scores
    assert list(found)[:2] == ["film", "ada 2"]
    assert "ada 1" not in found
    assert found["ada 2"] > whole  # the other names of that film lead elsewhere
    both = cut_walk({"ada 1": 0.2, "ada 2": 0.5}).scores
    assert both["ada 2"] == pytest.approx(found["ada 2"])
    assert 0 < both["ada 1"] < both["ada 2"] / 2
    assert list(cut_walk({}).scores)[:2] == ["film", "ada 1"]


def test_a_way_leads_over_the_part_that_holds_the_name() -> None:
    path = cut_walk({"ada 1": 0.5}).paths.to("bremen")
    assert [step.passage for step in path.steps][-2:] == ["ada 2", "bremen"]
