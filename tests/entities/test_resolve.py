"""The cascade, without a graph."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.entities.model import Context, Resolved, entity_id
from app.entities.resolve import resolve
from app.extraction.mentions import Rules
from app.extraction.model import Mention, Span

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)
SCOPE = "acme/dev"


def mention(name: str, kind: str, start: int = 0, *, speaker: bool = False) -> Mention:
    return Mention(name, kind, Span(start, start + len(name)), speaker)


def said(*pairs: tuple[str, str]) -> list[Resolved]:
    mentions = [mention(name, kind, 100 * i) for i, (name, kind) in enumerate(pairs)]
    return resolve(mentions, SCOPE, Context(AT))


def ids(resolved: list[Resolved]) -> list[str]:
    return [answer.entity_id for answer in resolved]


# --- inside one episode -------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["Weber", "Thomas", "Herr Weber", "Weber's"])
def test_a_part_of_a_full_name_is_that_person(part: str) -> None:
    one, other = said(("Thomas Weber", "person"), (part, "person"))
    assert one.entity_id == other.entity_id
    assert one.row is not None
    assert other.row is None
    assert one.row["entity"]["aliases"] == ["Thomas Weber"], "a part of a name is no alias"


@pytest.mark.parametrize("part", ["Frau Weber", "Mrs. Weber", "Anna"])
def test_another_title_or_name_is_another_person(part: str) -> None:
    one, other = said(("Thomas Weber", "person"), (part, "person"))
    assert one.entity_id != other.entity_id


def test_a_part_of_two_full_names_is_neither() -> None:
    found = ids(said(("Thomas Weber", "person"), ("Jan Weber", "person"), ("Weber", "person")))
    assert len(set(found)) == 3


def test_the_speaker_is_not_what_a_part_of_his_name_means() -> None:
    me = mention("ich", "person", 0, speaker=True)
    other = mention("Weber", "person", 40)
    found = resolve([me, other], SCOPE, Context(AT, speaker="Thomas Weber"))
    assert found[0].entity_id != found[1].entity_id


def test_the_same_name_twice_is_one_entity() -> None:
    one, other = said(("client Thomas", "person"), ("Client Thomas", "person"))
    assert one.entity_id == other.entity_id


def test_a_name_found_at_several_places_is_one_person() -> None:
    text = "Our client Thomas called. I told the client Thomas to wait, and Thomas waited."
    found = Rules().mentions(text, "en")
    assert [(m.name, m.type) for m in found] == [("Thomas", "person")] * 3
    assert len(set(ids(resolve(found, SCOPE, Context(AT))))) == 1


def test_a_type_said_once_holds_for_the_episode() -> None:
    one, other = said(("Aionforge", "unknown"), ("Aionforge", "project"))
    assert one.entity_id == other.entity_id
    assert one.row is not None
    assert one.row["entity"]["type"] == "project"


@pytest.mark.parametrize("seed", range(40))
def test_the_order_of_mentions_does_not_matter(seed: int) -> None:
    pairs = [
        ("Thomas Weber", "person"), ("Weber", "person"), ("Thomas", "unknown"),
        ("Herr Weber", "person"), ("Frau Weber", "person"), ("Acme GmbH", "organization"),
        ("Acme", "unknown"), ("Acme AG", "organization"), ("Zürich", "place"),
        ("Zurich", "unknown"), ("Rust", "technology"), ("Rust", "unknown"), ("Rust", "place"),
    ]  # fmt: skip
    mentions = [mention(name, kind, 100 * i) for i, (name, kind) in enumerate(pairs)]
    plain = {a.mention: a.entity_id for a in resolve(mentions, SCOPE, Context(AT))}
    random.Random(seed).shuffle(mentions)
    shuffled = resolve(mentions, SCOPE, Context(AT))
    assert {a.mention: a.entity_id for a in shuffled} == plain
    rows = {a.row["id"]: a.row for a in shuffled if a.row}
    assert len(rows) == sum(a.row is not None for a in shuffled) == len(set(plain.values()))


# --- what a name stands for ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("Müller Technik", "Mueller Technik", "organization"),
        ("DGIA", "DGIA", "organization"),
        ("Dr. Maria Fischer", "Maria Fischer", "person"),
        ("Vega", "vega", "project"),
    ],
)
def test_a_name_stands_for_the_same_in_every_episode(first: str, second: str, kind: str) -> None:
    assert ids(said((second, kind))) == ids(said((first, kind)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Mercedes", "person"), ("Mercedes", "organization")),
        (("Aionforge", "project"), ("Aionforge", "unknown")),
        (("Acme GmbH", "organization"), ("Acme AG", "organization")),
        (("Acme GmbH", "organization"), ("Acme", "organization")),
        (("Herr Weber", "person"), ("Frau Weber", "person")),
        (("Mr. Kim Lee", "person"), ("Mrs. Kim Lee", "person")),
        (("acme-shop.ch", "organization"), ("acme-shop.de", "organization")),
    ],
)
def test_what_another_episode_says_is_left_to_the_rules(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    assert ids(said(one)) != ids(said(other))


def test_types_of_one_family_meet() -> None:
    assert ids(said(("Vega", "project"))) == ids(said(("Vega", "product")))


@pytest.mark.parametrize(
    "pairs",
    [
        [("Zürich", "place"), ("Zurich", "place")],
        [("Node.js", "technology"), ("NodeJS", "unknown")],
        [("Acme GmbH", "organization"), ("Acme", "unknown")],
        [("Mr. Kim Lee", "person"), ("Kim Lee", "person")],
    ],
)
def test_inside_an_episode_a_name_is_what_is_named_there(pairs: list[tuple[str, str]]) -> None:
    assert len(set(ids(said(*pairs)))) == 1


@pytest.mark.parametrize(
    "pairs",
    [
        [("Acme GmbH", "organization"), ("Acme AG", "organization"), ("Acme", "organization")],
        [("Rust", "technology"), ("Rust", "place"), ("Rust", "unknown")],
        [("Acme", "organization"), ("Acme GmbH", "unknown"), ("Acme AG", "unknown")],
    ],
)
def test_a_name_of_two_bearers_in_an_episode_stands_for_itself(
    pairs: list[tuple[str, str]],
) -> None:
    found = ids(said(*pairs))
    assert len(set(found)) == 3
    alone = [ids(said(pair))[0] for pair in pairs]
    assert found == alone, "and is the same as in an episode of its own"


def test_marks_are_part_of_what_an_entity_is() -> None:
    plain, marked = said(("Acme", "organization"), ("Acme GmbH", "unknown"))
    assert plain.row is not None
    assert marked.row is not None
    assert plain.row["entity"]["marks"] == []
    assert marked.row["entity"]["marks"] == ["legal:gmbh"]
    assert marked.entity_id == entity_id(SCOPE, "unknown", "acme", "legal:gmbh")


def test_the_speaker_is_found_by_name_and_we_is_of_the_speaker() -> None:
    context = Context(AT, speaker="Anna Weber")
    mentions = [
        mention("I", "person", 0, speaker=True),
        mention("my", "person", 9, speaker=True),
        mention("we", "group", 20, speaker=True),
        mention("Wir", "unknown", 30, speaker=True),
        mention("us", "group", 40),
        mention("US", "place", 50),
        mention("US", "unknown", 60),
    ]
    found = resolve(mentions, SCOPE, context)
    anna = ids(said(("Anna Weber", "person")))[0]
    assert ids(found)[:2] == [anna, anna]
    assert len(set(ids(found)[2:5])) == 1
    assert found[5].entity_id == found[6].entity_id not in {anna, found[2].entity_id}
    assert found[0].row is not None
    assert found[0].row["entity"]["canonical_name"] == "Anna Weber"
    assert [answer.key for answer in found[1:3]] == ["anna weber", "we of anna weber"]
    other = resolve(mentions[2:3], SCOPE, Context(AT, speaker="Bo Lind"))
    assert other[0].entity_id != found[2].entity_id
    unsaid = [resolve(mentions[2:3], SCOPE, Context(AT, place=p))[0].entity_id for p in ("a", "b")]
    assert len({*unsaid, found[2].entity_id}) == 3


def test_a_phrase_without_a_name_means_something_in_its_place_alone() -> None:
    film = replace(mention("the film", "artifact"), named=False)
    named = mention("Film", "artifact", 30)
    here, there = Context(AT, place="one"), Context(AT, place="two")
    one, name = resolve([film, named], SCOPE, here)
    assert (one.key, name.key) == ("film one", "film")
    assert resolve([film], SCOPE, here)[0].entity_id == one.entity_id
    assert resolve([film], SCOPE, there)[0].entity_id != one.entity_id
    assert resolve([named], SCOPE, there)[0].entity_id == name.entity_id


# --- what is written ----------------------------------------------------------------------------


def test_scopes_never_share_an_entity() -> None:
    one = resolve([mention("Rust", "technology")], "acme/dev", Context(AT))
    other = resolve([mention("Rust", "technology")], "acme/ops", Context(AT))
    assert one[0].entity_id != other[0].entity_id


def test_a_row_holds_all_that_is_written() -> None:
    (answer,) = said(("Müller Technik GmbH", "organization"))
    assert answer.row is not None
    entity = answer.row["entity"]
    assert entity["canonical_name"] == "Müller Technik GmbH"
    assert entity["canonical_key"] == "mueller technik"
    assert entity["root"] == entity["id"] == answer.entity_id
    assert entity["marks"] == ["legal:gmbh"]
    assert {n["key"] for n in answer.row["names"]} == set(entity["keys"])
