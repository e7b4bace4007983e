"""Transitions as tables, names and numbers of versions, and the detectors."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest

from app.errors import InvalidInput, StateRefused
from app.skills import detectors, transitions
from app.skills.advice import Known, advise
from app.skills.category import inferred
from app.skills.cycles import Edge, circles, weakest
from app.skills.detectors import Broken, Drift, Seen
from app.skills.effectiveness import Trend
from app.skills.finding import Pair
from app.skills.proposals import is_due
from app.skills.suggesting import Place, about, place
from app.skills.versioning import free_slug, next_version, slug_of
from app.skills.vocabulary import (
    Category,
    ChangeType,
    ConflictStatus,
    ConflictType,
    Finding,
    ProposalStatus,
    Severity,
    Status,
    word,
)

AT = datetime(2026, 6, 1, tzinfo=UTC)
DAY = timedelta(days=1)
TABLES: list[tuple[Any, str]] = [
    (
        transitions.SKILL,
        "draft>active draft>archived active>deprecated deprecated>active deprecated>archived",
    ),
    (
        transitions.CONFLICT,
        "detected>acknowledged detected>resolved detected>dismissed acknowledged>resolved "
        "acknowledged>dismissed",
    ),
    (
        transitions.PROPOSAL,
        "research>draft research>rejected draft>submitted draft>rejected submitted>under_review "
        "submitted>approved submitted>rejected submitted>expired under_review>approved "
        "under_review>rejected under_review>expired approved>created approved>rejected",
    ),
]


@pytest.mark.parametrize(("table", "allowed"), TABLES)
def test_every_step_is_allowed_or_refused_by_name(table: Any, allowed: str) -> None:
    steps = {tuple(pair.split(">")) for pair in allowed.split()}
    for now in table:
        for then in table:
            if (now, then) in steps:
                assert transitions.step(table, now, then) is then
            else:
                with pytest.raises(StateRefused, match=f"after {now} comes") as refused:
                    transitions.step(table, now, then)
                assert (refused.value.status, refused.value.field) == (409, "status")


def test_the_lists_of_the_seed() -> None:
    assert [len(kind) for kind in (Category, Status, ConflictType, ConflictStatus)] == [21, 4, 5, 4]
    assert [len(kind) for kind in (Severity, ChangeType, ProposalStatus)] == [4, 5, 8]
    assert set(ConflictType) == set(detectors.TYPE_OF.values())


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (Status, "inactive", Status.DEPRECATED),
        (ChangeType, "manual", ChangeType.MINOR),
        (ChangeType, "ab_test", ChangeType.EXPERIMENTAL),
        (ConflictType, "circular_dependency", ConflictType.DEPENDENCY),
        (ConflictStatus, "auto_resolved", ConflictStatus.RESOLVED),
        (ProposalStatus, " Proposed ", ProposalStatus.SUBMITTED),
        (Category, "Testing", Category.TESTING),
    ],
)
def test_names_of_the_code_are_aliases(kind: Any, text: str, expected: str) -> None:
    assert word(kind, text, "x") is expected


def test_an_unknown_word_names_its_field() -> None:
    with pytest.raises(InvalidInput, match="category is one of code_generation") as refused:
        word(Category, "sales", "category")
    assert refused.value.field == "category"


@pytest.mark.parametrize(
    ("change", "number"),
    [
        (ChangeType.MAJOR, "2.0.0"),
        (ChangeType.MINOR, "1.3.0"),
        (ChangeType.PATCH, "1.2.4"),
        (ChangeType.HOTFIX, "1.2.4"),
        (ChangeType.EXPERIMENTAL, "1.2.4-exp.1"),
    ],
)
def test_numbers_of_versions(change: ChangeType, number: str) -> None:
    assert next_version({"1.2.3"}, "1.2.3", change) == number


def test_a_number_that_is_taken_is_passed_over() -> None:
    assert next_version({"1.2.4", "1.2.5"}, "1.2.3", ChangeType.PATCH) == "1.2.6"
    assert next_version({"1.2.4-exp.1"}, "1.2.3", ChangeType.EXPERIMENTAL) == "1.2.4-exp.2"
    assert next_version(set(), "1.2.4-exp.1", ChangeType.PATCH) == "1.2.5"
    assert next_version(set(), "odd", ChangeType.MINOR) == "1.1.0"


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Deploy to Kubernetes!", "deploy-to-kubernetes"), ("Überblick", "uberblick"),
     ("C", "c"), ("C++", "c-plus-plus"), ("C# and F#", "c-sharp-and-f-sharp"),
     ("a+b = #5", "a-b-5"), ("Größe", "grosse"), ("x" * 80, "x" * 80)],
)  # fmt: skip
def test_names_become_slugs(name: str, slug: str) -> None:
    assert slug_of(name) == slug


def test_names_that_no_latin_letters_tell_apart_have_slugs_of_their_own() -> None:
    names = ["日本", "日本語", "部署 Kubernetes", "Kubernetes", "が", "か", "की", "कि", "🚀", "🎉",
             "x" * 81, "x" * 82]  # fmt: skip
    slugs = [slug_of(name) for name in names]
    assert len(set(slugs)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug) for slug in slugs)
    assert max(map(len, slugs)) <= 80
    assert slug_of("日本!") == slug_of(" 日本 ")


def test_a_slug_that_is_taken_gets_a_counter() -> None:
    assert free_slug("deploy", set()) == "deploy"
    assert free_slug("deploy", {"deploy", "deploy-2"}) == "deploy-3"


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Deploying a release to Kubernetes", Category.DEPLOYMENT),
        ("Write pytest fixtures", Category.TESTING),
        ("Sicherheit: secrets rotieren", Category.SECURITY),
        ("zzz", None),
    ],
)
def test_a_category_is_inferred_from_words(text: str, category: Category | None) -> None:
    assert inferred(text) is category


def seen(skill: str, **more: Any) -> Seen:
    given = {"name": skill, "category": "testing", "text": skill, "made_at": AT} | more
    return Seen(skill, **given)


ONE, TWO = seen("a"), seen("b")


@pytest.mark.parametrize(
    ("cosine", "other", "finding", "severity"),
    [
        (0.92, TWO, Finding.DUPLICATE, Severity.CRITICAL),
        (0.919, TWO, Finding.OVERLAPPING, Severity.MEDIUM),
        (0.70, TWO, Finding.OVERLAPPING, Severity.MEDIUM),
        (0.95, seen("b", category="design"), Finding.DUPLICATE, Severity.CRITICAL),
        (0.80, seen("b", category="design"), None, None),
        (0.699, TWO, None, None),
    ],
)
def test_likeness_is_judged(cosine: float, other: Seen, finding: Any, severity: Any) -> None:
    found = detectors.alike([Pair("a", "b", cosine)], {"a": ONE, "b": other})
    assert [(f.finding, f.severity) for f in found] == ([(finding, severity)] if finding else [])


def test_a_pair_is_told_once_in_whatever_order() -> None:
    skills = {"a": ONE, "b": TWO}
    pairs = [Pair("a", "b", 0.95), Pair("b", "a", 0.94), Pair("a", "a", 1.0), Pair("a", "x", 1.0)]
    found = [detectors.alike(order, skills) for order in permutations(pairs)]
    assert all(len(f) == 1 and f[0].similarity == 0.95 for f in found)
    assert len({f[0].identity("s") for f in found}) == 1


def test_skills_that_tell_the_opposite_contradict() -> None:
    skills = {
        "a": seen("a", text="Always restart the server after the update."),
        "b": seen("b", text="Do not restart the server after the update.", made_at=AT + DAY),
    }
    (found,) = detectors.alike([Pair("a", "b", 0.9)], skills)
    assert (found.type, found.severity) == (ConflictType.CONTRADICTION, Severity.HIGH)


@pytest.mark.parametrize(
    ("one", "other"), [("Create Network", "Delete Network"), ("Deploy v1", "Deploy v2")]
)
def test_names_that_begin_alike_are_no_drift_and_no_contradiction(one: str, other: str) -> None:
    skills = {"a": seen("a", name=one, text=one), "b": seen("b", name=other, text=other)}
    found = detectors.alike([Pair("a", "b", 0.8)], skills)
    assert {f.finding for f in found} == {Finding.OVERLAPPING}
    assert detectors.same_names(skills.values()) == []


def test_names_that_say_the_same_are_told_once() -> None:
    apart = ["C", "C++", "C#", "日本", "中国"]
    assert detectors.same_names(seen(str(n), name=name) for n, name in enumerate(apart)) == []
    found = detectors.same_names([seen("a", name="Run tests"), seen("b", name="run-tests")])
    assert [(f.skills, f.detail) for f in found] == [(("a", "b"), "run-tests")]


def test_drift_follows_the_lineage() -> None:
    found = detectors.drifted(
        [Drift("c", "o", "1.0.0", "1.1.0"), Drift("d", "o", "1.1.0", "1.1.0")]
    )
    assert [(f.skills, f.detail) for f in found] == [(("c", "o"), "1.0.0 -> 1.1.0")]


def test_a_broken_dependency_is_worse_when_its_skill_is_gone() -> None:
    found = detectors.broken([Broken("a", "b", "deprecated"), Broken("a", "c", "archived")])
    assert [f.severity for f in found] == [Severity.MEDIUM, Severity.HIGH]


@pytest.mark.parametrize(
    ("skill", "findings"),
    [
        (seen("a", made_at=AT - 31 * DAY), {Finding.STALE, Finding.ORPHAN}),
        (seen("a", made_at=AT - 30 * DAY), set()),
        (seen("a", made_at=AT - 200 * DAY, used_at=AT - 91 * DAY, agents=1), {Finding.STALE}),
        (seen("a", made_at=AT - 200 * DAY, used_at=AT - 90 * DAY, edges=1), set()),
        (seen("a", made_at=AT - 200 * DAY, uses=5, edges=1), set()),
    ],
)
def test_stale_and_orphaned_skills(skill: Seen, findings: set[Finding]) -> None:
    assert {f.finding for f in detectors.alone([skill], AT)} == findings


def test_circles_are_found_once_and_broken_at_the_weakest_edge() -> None:
    edges = [Edge("b", "c"), Edge("c", "a"), Edge("a", "b"), Edge("c", "d"), Edge("d", "e")]
    assert circles(edges) == [("a", "b", "c")]
    strengths = {("a", "b"): 0.9, ("b", "c"): 0.5, ("c", "a"): 0.8}
    assert weakest(("a", "b", "c"), strengths) == ("b", "c")
    assert [f.severity for f in detectors.circular(edges)] == [Severity.HIGH]


def test_a_path_of_ten_is_no_circle_any_more() -> None:
    ring = [Edge(f"{n:02}", f"{(n + 1) % 9:02}") for n in range(9)]
    assert len(circles(ring)) == 1
    ring = [Edge(f"{n:02}", f"{(n + 1) % 10:02}") for n in range(10)]
    assert circles(ring) == []


def test_a_skill_that_leans_on_itself_is_a_circle() -> None:
    assert circles([Edge("a", "a"), Edge("a", "b")]) == [("a",)]


def proposal(name: str, status: str, *sources: str) -> dict[str, Any]:
    return {"id": name, "status": status, "sources": list(sources)}


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ([], Place(None, ("a", "b", "c", "d"))),
        ([proposal("p", "draft", "a", "b", "c")], Place("p", ("a", "b", "c", "d"))),
        ([proposal("p", "under_review", "x")], Place("p", ("a", "b", "c", "d"))),
        ([proposal("p", "rejected", "a")], Place(None, ("b", "c", "d"))),
        ([proposal("p", "rejected", "a", "b")], None),
        ([proposal("p", "created", "a", "b"), proposal("q", "draft", "c")], Place("q", ("c", "d"))),
        ([proposal("p", "expired", "a", "b", "c", "d"), proposal("q", "draft")], None),
    ],
)
def test_learnings_go_to_the_open_proposal_and_not_to_one_decided_on(
    known: list[dict[str, Any]], expected: Place | None
) -> None:
    assert place(known, ["a", "b", "c", "d"], 3) == expected


def test_a_proposal_is_about_learnings_that_share_a_source() -> None:
    rows = [proposal("p", "draft", "a"), proposal("q", "draft", "z")]
    assert about(rows, ["a", "b"]) == rows[:1]


@pytest.mark.parametrize(
    ("status", "days", "due"),
    [("submitted", 0, True), ("under_review", -1, True), ("submitted", 1, False),
     ("approved", -1, False), ("rejected", -1, False)],
)  # fmt: skip
def test_only_what_waits_for_a_review_expires(status: str, days: int, due: bool) -> None:
    assert is_due({"status": status, "due_at": AT + days * DAY}, AT) is due


def test_advice_names_what_is_wrong_and_nothing_else() -> None:
    good = Known("d" * 50, "body", 1, 1, 20, 0.9, Trend.STABLE, 1, 2, 0)
    assert advise(good) == []
    bad = Known("d", "", 0, 0, 20, 0.2, Trend.DECLINING, 0, 5, 2)
    assert [a.about for a in advise(bad)] == [
        "body", "body", "conflicts", "body", "description", "preconditions", "postconditions",
        "agents", "dependencies",
    ]  # fmt: skip
