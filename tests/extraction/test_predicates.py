"""The registry: what is known, what is assumed, and a workspace's own edits."""

from __future__ import annotations

from typing import Any

import pytest

from app.extraction.extract import extract
from app.extraction.model import Utterance
from app.extraction.predicates import InvalidPredicate, standard
from app.values.model import Kind

from .reading import SAID


def test_an_unknown_predicate_never_retires() -> None:
    assert not standard().get("hums_along_to").functional


@pytest.mark.parametrize(
    ("name", "functional"),
    [
        ("lives_in", True),
        ("located_in", True),
        ("status", True),
        ("uses", False),
        ("speaks", False),
        ("attribute:primary region", True),
        ("measure:weigh:g", True),
        ("every:release:firmware", True),
        ("relation:daughter", False),
        ("tally:order:sensor", False),
    ],
)
def test_functional(name: str, functional: bool) -> None:
    assert standard().get(name).functional is functional


def test_every_row_has_labels_in_both_languages() -> None:
    for row in standard():
        assert row.label_en, row.name
        assert row.label_de, row.name


def test_an_inverse_that_is_listed_points_back() -> None:
    known = standard()
    for row in known:
        if row.inverse in known.rows and row.inverse is not None:
            back = known.get(row.inverse).inverse
            assert back in (None, row.name), row.name


def test_an_override_changes_only_what_it_names() -> None:
    own = standard().with_overrides({"uses": {"functional": True}})
    assert own.get("uses").functional
    assert own.get("uses").label_de == "nutzt {}"
    assert not standard().get("uses").functional


def test_an_override_may_add_a_predicate() -> None:
    own = standard().with_overrides(
        {"docked_at": {"functional": True, "kind": "entity", "half_life": 30, "range": ["place"]}}
    )
    row = own.get("docked_at")
    assert (row.functional, row.kind, row.half_life) == (True, Kind.ENTITY, 30.0)


def test_exclusive_values() -> None:
    own = standard().with_overrides({"shift": {"exclusive": ["text:early", "text:late"]}})
    assert own.get("shift").excludes("text:early", "text:late")
    assert not own.get("shift").excludes("text:early", "text:night")
    assert standard().get("status").excludes("state:open", "state:closed")
    assert not standard().get("status").excludes("state:open", "state:open")


@pytest.mark.parametrize(
    ("rows", "field"),
    [
        ({"uses": {"functional": "yes"}}, "uses.functional"),
        ({"uses": {"half_life": 0}}, "uses.half_life"),
        ({"uses": {"half_life": True}}, "uses.half_life"),
        ({"uses": {"kind": "sound"}}, "uses.kind"),
        ({"uses": {"domain": ["animal"]}}, "uses.domain"),
        ({"uses": {"domain": "person"}}, "uses.domain"),
        ({"uses": {"exclusive": [1]}}, "uses.exclusive"),
        ({"uses": {"label_en": 5}}, "uses.label_en"),
        ({"uses": {"colour": "red"}}, "uses.colour"),
        ({"": {}}, ""),
        ({"9lives": {}}, "9lives"),
    ],
)
def test_a_bad_row_is_refused_by_field(rows: dict[str, Any], field: str) -> None:
    before = standard()
    with pytest.raises(InvalidPredicate) as refusal:
        before.with_overrides(rows)
    assert refusal.value.field == field
    assert standard() is before


def test_the_registry_of_the_workspace_is_used() -> None:
    own = standard().with_overrides({"uses": {"functional": True}})
    said = Utterance("We also use Linear.", SAID, None, "Nora Weiss")
    assert extract(said).statements
    assert not any(s.rest for s in extract(said).statements)
    assert [s.rest for s in extract(said, own).statements] == ["also"]
