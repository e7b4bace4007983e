"""The cascade, without a graph."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest

from app.entities.model import Context, Known, Resolved
from app.entities.names import read_name
from app.entities.resolve import lookup_keys, resolve, with_new
from app.extraction.model import Mention, Span

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)
SCOPE = "acme/dev"


def mention(name: str, kind: str, start: int = 0, *, speaker: bool = False) -> Mention:
    return Mention(name, kind, Span(start, start + len(name)), speaker)


def said(*pairs: tuple[str, str], known: dict[str, list[Known]] | None = None) -> list[Resolved]:
    mentions = [mention(name, kind, 100 * i) for i, (name, kind) in enumerate(pairs)]
    return resolve(mentions, known or {}, SCOPE, Context(AT))


def ids(resolved: list[Resolved]) -> list[str]:
    return [answer.entity_id for answer in resolved]


def after(
    *pairs: tuple[str, str], known: dict[str, list[Known]] | None = None
) -> Mapping[str, Sequence[Known]]:
    """What is known after one episode has said this."""
    return with_new(known or {}, said(*pairs, known=known))


def person(name: str, identifier: str, **more: object) -> Known:
    read = read_name(name, "person")
    return Known(  # type: ignore[arg-type]
        identifier, identifier, "person", read.keys, frozenset({name}), read.marks, **more
    )


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
    found = resolve([me, other], {}, SCOPE, Context(AT, speaker="Thomas Weber"))
    assert found[0].entity_id != found[1].entity_id


def test_the_same_name_twice_is_one_entity() -> None:
    one, other = said(("client Thomas", "person"), ("Client Thomas", "person"))
    assert one.entity_id == other.entity_id


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
    plain = {a.mention: a.entity_id for a in resolve(mentions, {}, SCOPE, Context(AT))}
    random.Random(seed).shuffle(mentions)
    shuffled = resolve(mentions, {}, SCOPE, Context(AT))
    assert {a.mention: a.entity_id for a in shuffled} == plain
    rows = {a.row["id"]: a.row for a in shuffled if a.row}
    assert len(rows) == sum(a.row is not None for a in shuffled) == len(set(plain.values()))


# --- exact name or alias ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("Müller Technik GmbH", "Mueller Technik", "organization"),
        ("Zürich", "Zurich", "place"),
        ("Node.js", "NodeJS", "technology"),
        ("DGIA", "DGIA", "organization"),
        ("Dr. Maria Fischer", "Maria Fischer", "person"),
    ],
)
def test_a_name_that_is_known_is_not_minted_again(first: str, second: str, kind: str) -> None:
    known = after((first, kind))
    assert ids(said((second, kind), known=known)) == ids(said((first, kind)))
    backwards = after((second, kind))
    assert ids(said((first, kind), known=backwards)) == ids(said((second, kind)))


def test_an_unknown_type_goes_with_any() -> None:
    known = after(("Aionforge", "project"))
    assert ids(said(("Aionforge", "unknown"), known=known)) == ids(said(("Aionforge", "project")))


def test_namesakes_of_another_type_stay_apart() -> None:
    known = after(("Mercedes", "person"))
    (company,) = said(("Mercedes", "organization"), known=known)
    assert company.entity_id not in {k.id for found in known.values() for k in found}


def test_types_of_one_family_meet() -> None:
    known = after(("Vega", "project"))
    assert ids(said(("Vega", "product"), known=known)) == ids(said(("Vega", "project")))


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("Acme GmbH", "Acme AG", "organization"),
        ("Herr Weber", "Frau Weber", "person"),
        ("Mr. Kim Lee", "Mrs. Kim Lee", "person"),
        ("acme-shop.ch", "acme-shop.de", "organization"),
    ],
)
def test_attributes_keep_namesakes_apart(one: str, other: str, kind: str) -> None:
    known = after((one, kind))
    (second,) = said((other, kind), known=known)
    assert second.entity_id not in {k.id for found in known.values() for k in found}
    known = after((other, kind), known=known)
    assert ids(said((one, kind), known=known)) == ids(said((one, kind)))
    assert ids(said((other, kind), known=known)) == [second.entity_id]


def test_surnames_with_a_title_have_the_same_ids_in_any_order() -> None:
    here = after(("Frau Weber", "person"), known=after(("Herr Weber", "person")))
    there = after(("Herr Weber", "person"), known=after(("Frau Weber", "person")))
    assert {k.id for k in here["weber"]} == {k.id for k in there["weber"]}


def test_a_name_of_two_bearers_is_neither_without_context() -> None:
    known = after(("Acme AG", "organization"), known=after(("Acme GmbH", "organization")))
    (bare,) = said(("Acme", "organization"), known=known)
    assert bare.entity_id not in {k.id for k in known["acme"]}
    again = with_new(known, [bare])
    (second,) = said(("Acme", "organization"), known=again)
    assert second.entity_id == bare.entity_id, "one entity stands for the open question"
    assert ids(said(("Acme AG", "organization"), known=again)) == ids(
        said(("Acme AG", "organization"), known=known)
    )
    (third,) = said(("Acme KG", "organization"), known=again)
    assert third.entity_id not in {k.id for k in again["acme"]}


def test_context_decides_between_bearers() -> None:
    known = after(("Acme AG", "organization"), known=after(("Acme GmbH", "organization")))
    limited = ids(said(("Acme GmbH", "organization"), known=known))[0]
    near = Context(AT, near=frozenset({limited}))
    (found,) = resolve([mention("Acme", "organization")], known, SCOPE, near)
    assert found.entity_id == limited
    together = said(("Acme GmbH", "organization"), ("Acme", "organization"), known=known)
    assert ids(together) == [limited, limited]


def test_company_kept_decides_between_bearers() -> None:
    zurich = person("Zürich Kreis", "z")
    one = person("Kim", "k1", companions=frozenset({"z"}))
    other = person("Kim", "k2", companions=frozenset({"q"}))
    known = {"kim": [one, other], zurich.keys[0]: [zurich]}
    found = said(("Kim", "person"), ("Zürich Kreis", "person"), known=known)
    assert ids(found) == ["k1", "z"]
    assert ids(said(("Kim", "person"), known=known))[0] not in {"k1", "k2"}


def test_bearers_of_one_cluster_are_one() -> None:
    one = person("Kim Lee", "k1")
    other = Known("k2", "k1", "person", ("kimmy", "kim lee"), frozenset({"Kimmy"}), frozenset())
    known = {"kim lee": [one, other]}
    assert ids(said(("Kim Lee", "person"), known=known)) == ["k1"], "its own name, not the root"


def test_the_speaker_is_found_by_name_and_we_is_the_group() -> None:
    context = Context(AT, speaker="Anna Weber", group="Acme Robotics")
    mentions = [
        mention("I", "person", 0, speaker=True),
        mention("my", "person", 9, speaker=True),
        mention("we", "group", 20, speaker=True),
        mention("Wir", "unknown", 30, speaker=True),
        mention("us", "group", 40),
        mention("US", "place", 50),
        mention("US", "unknown", 60),
    ]
    found = resolve(mentions, {}, SCOPE, context)
    anna = ids(said(("Anna Weber", "person")))[0]
    acme = ids(said(("Acme Robotics GmbH", "organization")))[0]
    assert ids(found)[:5] == [anna, anna, acme, acme, acme]
    assert found[5].entity_id == found[6].entity_id not in {anna, acme}
    assert found[0].row is not None
    assert found[0].row["entity"]["canonical_name"] == "Anna Weber"
    assert lookup_keys(mentions, context) == ["acme robotics", "acmerobotics", "anna weber", "us"]


# --- what is written ----------------------------------------------------------------------------


def test_scopes_never_share_an_entity() -> None:
    one = resolve([mention("Rust", "technology")], {}, "acme/dev", Context(AT))
    other = resolve([mention("Rust", "technology")], {}, "acme/ops", Context(AT))
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
    again = said(("Müller Technik GmbH", "organization"), known=with_new({}, [answer]))
    assert again[0].row is not None
    assert again[0].row["names"] == [], "names that are there are not written again"


def test_a_pass_taken_again_keeps_to_what_it_found() -> None:
    first = said(("Acme", "organization"))
    known = with_new({}, first)
    known = after(("Acme GmbH", "organization"), known=known)
    known = after(("Acme AG", "organization"), known=known)
    acme = mention("Acme", "organization")
    (fresh,) = resolve([acme], known, SCOPE, Context(AT))
    assert fresh.entity_id != first[0].entity_id, "by now the name has two bearers"
    before = {(0, 4): first[0].entity_id}
    (again,) = resolve([acme], known, SCOPE, Context(AT, before=before))
    assert again.entity_id == first[0].entity_id
