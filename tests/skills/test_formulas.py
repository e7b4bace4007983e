"""Formulas of the skill graph, to the digit: the tables of seed 000 and 001."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from app.errors import InvalidInput
from app.skills import effectiveness as eff
from app.skills import learned, proposing, walk
from app.skills.cover import greedy, ratio
from app.skills.effectiveness import Tally, Trend
from app.skills.experiment import clamped, gets_variant, variant_wins
from app.skills.health import Vitals, grade, health, penalty
from app.skills.learned import Shown
from app.skills.priority import CODE_WEIGHTS, WEIGHTS, priority
from app.skills.proposing import Finding
from app.skills.vocabulary import Severity
from bench.skills import even, sizes_of

DAY = timedelta(days=1)
PRIORITIES = [
    (Severity.HIGH, 15, 0.9, 5.7, 7.6),
    (Severity.MEDIUM, 0, 0.5, 3.0, 3.0),
    (Severity.LOW, 120, 0.0, 3.0, 3.0),
    (Severity.CRITICAL, 0, None, 4.0, 8.0),
    (Severity.CRITICAL, 60, 1.0, 16.0, 32.0),
]


@pytest.mark.parametrize(("severity", "days", "similarity", "code", "document"), PRIORITIES)
def test_the_priority_of_a_conflict(
    severity: Severity, days: int, similarity: float | None, code: float, document: float
) -> None:
    assert priority(severity, days * DAY, similarity, CODE_WEIGHTS) == code
    assert priority(severity, days * DAY, similarity, WEIGHTS) == document


@pytest.mark.parametrize(
    ("vitals", "score", "letter"),
    [
        (Vitals(10, 1.0, 3.0, 1.0, 1.0, 0.0), 90.0, "A"),
        (Vitals(10, 1.0, 9.0, 1.0, 1.0, 0.0), 90.0, "A"),
        (Vitals(10, 0.8, 1.5, 0.5, 0.6, 0.1), 54.0, "F"),
        (Vitals(0, 1.0, 3.0, 1.0, 1.0, 0.0), 0.0, "F"),
        (Vitals(1, 0.0, 0.0, 0.0, 0.0, 1.0), 0.0, "F"),
    ],
)
def test_the_health_of_a_graph(vitals: Vitals, score: float, letter: str) -> None:
    found = health(vitals)
    assert (found.score, found.grade) == (score, letter)


@pytest.mark.parametrize(
    ("score", "letter"),
    [(90.0, "A"), (89.9, "B"), (80.0, "B"), (70.0, "C"), (60.0, "D"), (59.9, "F"), (0.0, "F")],
)
def test_grades(score: float, letter: str) -> None:
    assert grade(score) == letter


def test_open_conflicts_count_at_most_once_a_skill() -> None:
    assert [penalty(1, 10), penalty(20, 10), penalty(3, 0)] == [0.1, 1.0, 0.0]


@pytest.mark.parametrize(
    ("good", "bad", "expected"),
    [(0, 0, 0.5), (1, 0, 0.667), (0, 1, 0.333), (50, 2, 0.944), (7, 1, 0.8), (1, 7, 0.2)],
)
def test_the_score_of_outcomes(good: int, bad: int, expected: float) -> None:
    assert round(eff.score(Tally(good, bad)), 3) == expected


@pytest.mark.parametrize(
    ("cosines", "expected"),
    [([], 1.0), ([0.9], 0.667), ([0.9, 0.7], 0.5), ([0.69], 1.0), ([0.7], 0.667)],
)
def test_patterns_of_failure_weigh_from_a_cosine_of_seven_tenths(
    cosines: list[float], expected: float
) -> None:
    assert round(eff.failure_penalty(cosines), 3) == expected


@pytest.mark.parametrize(
    ("graph", "success", "learning", "expected"),
    [(None, None, None, 0.5), (1.0, 1.0, 1.0, 1.0), (0.5, 0.8, 0.5, 0.65), (0.9, 0.0, 1.0, 0.47)],
)
def test_the_effectiveness_of_a_skill(
    graph: float | None, success: float | None, learning: float | None, expected: float
) -> None:
    assert eff.skill_effectiveness(graph, success, learning) == expected


def test_a_version_is_rated_from_five_uses_on() -> None:
    assert eff.version_effectiveness(Tally(4, 0)) is None
    assert eff.version_effectiveness(Tally(4, 1)) == 0.8


@pytest.mark.parametrize(
    ("recent", "before", "expected"),
    [
        (Tally(11, 9), Tally(10, 10), Trend.IMPROVING),
        (Tally(9, 11), Tally(10, 10), Trend.DECLINING),
        (Tally(13, 12), Tally(10, 10), Trend.STABLE),
        (Tally(), Tally(10, 10), Trend.UNKNOWN),
        (Tally(1, 0), Tally(), Trend.UNKNOWN),
    ],
)
def test_the_trend_of_two_weeks(recent: Tally, before: Tally, expected: Trend) -> None:
    assert eff.trend(recent, before) is expected


@pytest.mark.parametrize(
    ("stored", "idle", "left"),
    [(0.5, 29 * DAY, 0.5), (0.5, 30 * DAY, 0.45), (0.5, None, 0.45), (0.02, None, 0.0)],
)
def test_what_is_not_used_loses_effect(stored: float, idle: timedelta | None, left: float) -> None:
    assert eff.idle_effectiveness(stored, idle) == left


def test_skills_used_together_stay_within_bounds() -> None:
    assert eff.co_use(0.5, success=True) == 0.55
    assert eff.co_use(0.5, success=False) == 0.45
    assert eff.co_use(1.0, success=True) == 1.0
    assert eff.co_use(0.1, success=False) == 0.1


def test_weak_skills_are_renewed_the_surer_the_weaker() -> None:
    assert not eff.is_weak(9, 0.1)
    assert not eff.is_weak(10, 0.4)
    assert eff.is_weak(10, 0.39)
    assert [eff.evolution_confidence(e) for e in (0.3, 0.0, 0.95)] == [0.6, 0.9, 0.0]


@pytest.mark.parametrize(
    ("share", "expected"), [(0.2, 0.2), (0.0, 0.01), (1.0, 0.99), (-3.0, 0.01), (0.5, 0.5)]
)
def test_a_variant_gets_a_share_within_bounds(share: float, expected: float) -> None:
    assert clamped(share) == expected


def test_units_are_split_by_the_share_and_stay_where_they_are() -> None:
    given = [gets_variant("x", f"unit {n}", 0.2) for n in range(2000)]
    assert given == [gets_variant("x", f"unit {n}", 0.2) for n in range(2000)]
    assert 0.17 < sum(given) / len(given) < 0.23


def test_a_variant_wins_only_if_it_is_strictly_better() -> None:
    assert variant_wins(Tally(3, 2), Tally(4, 1))
    assert not variant_wins(Tally(4, 1), Tally(4, 1))
    assert not variant_wins(Tally(3, 2), Tally(4, 0))
    assert not variant_wins(Tally(), Tally(9, 1))


@pytest.mark.parametrize(
    ("sources", "findings", "overlap", "expected"),
    [(3, 5, 0.7, 0.55), (3, 5, 0.1, 0.55), (3, 5, 0.9, 0.15), (9, 99, 0.0, 0.9), (0, 0, 1.0, 0.0)],
)
def test_how_sure_a_proposal_is(
    sources: int, findings: int, overlap: float, expected: float
) -> None:
    assert proposing.confidence(sources, findings, overlap) == expected


@pytest.mark.parametrize(
    ("cosine", "label"),
    [(0.92, "duplicate"), (0.91, "high"), (0.7, "high"), (0.5, "moderate"), (0.49, "none")],
)
def test_overlap_has_names(cosine: float, label: str) -> None:
    assert proposing.overlap_label(cosine) == label


@pytest.mark.parametrize(
    ("cosine", "same", "hint"),
    [
        (0.49, True, None),
        (0.5, True, "requires"),
        (0.8, True, "requires"),
        (0.81, True, "enhances"),
        (0.6, False, "composes"),
        (0.92, True, None),
    ],
)
def test_what_a_like_skill_may_be_to_a_new_one(cosine: float, same: bool, hint: str | None) -> None:
    assert proposing.dependency_hint(cosine, same_category=same) == hint


def test_findings_of_middling_likeness_become_proposals_of_their_own() -> None:
    found = [Finding("note", f"n{n}", s) for n, s in enumerate((0.39, 0.4, 0.5, 0.6, 0.7, 0.8))]
    found.append(Finding("skill", "s", 0.6))
    assert [f.id for f in proposing.sub_findings(found, 0)] == ["n4", "n3", "n2"]
    assert proposing.sub_findings(found, 3) == []
    assert proposing.sub_confidence(0.5) == 0.4


@pytest.mark.parametrize(
    ("importance", "shown", "expected"),
    [
        (0.6, Shown(5, 3), 0.5689),
        (0.6, Shown(10, 0), 0.28),
        (0.6, Shown(4, 4), 0.6),
    ],
)
def test_the_effective_importance_of_a_learning(
    importance: float, shown: Shown, expected: float
) -> None:
    assert learned.effective_importance(importance, shown) == expected


def test_the_effectiveness_of_a_learning_is_open_below_three_prompts() -> None:
    assert learned.effectiveness(Shown(2, 2)) is None
    assert learned.effectiveness(Shown(3, 1)) == pytest.approx(1 / 3)


def test_checks_move_learnings() -> None:
    assert learned.verified(0.5, 0.75) == (0.65, 0.85)
    assert learned.verified(0.95, 0.95) == (1.0, 1.0)
    assert learned.disproved() == (0.05, 0.1)


@pytest.mark.parametrize(
    ("days", "word"), [(0, "fresh"), (6.9, "fresh"), (7, "aging"), (29.9, "aging"), (30, "stale")]
)
def test_freshness(days: float, word: str) -> None:
    assert learned.freshness(days * DAY) == word


def test_the_compound_score() -> None:
    assert learned.compound_score(1.0, [1.0], 50) == 100.0
    assert learned.compound_score(0.0, [], 0) == 20.0
    assert learned.compound_score(0.5, [0.4, 0.6], 25) == 50.0


@pytest.mark.parametrize(
    ("importance", "confidence", "access", "shown", "may"),
    [
        (0.7, 0.7, 2, Shown(), True),
        (0.69, 0.7, 2, Shown(), False),
        (0.7, 0.69, 2, Shown(), False),
        (0.7, 0.7, 1, Shown(), False),
        (0.7, 0.7, 2, Shown(5, 2), True),
        (0.7, 0.7, 2, Shown(5, 1), False),
    ],
)
def test_what_may_be_shared(
    importance: float, confidence: float, access: int, shown: Shown, may: bool
) -> None:
    assert (learned.may_be_shared(importance, confidence, access, shown) is None) is may


def test_the_quality_of_what_is_shared() -> None:
    text = "# Title\n\n- one\n\n`code` " + "x" * 1000
    assert learned.structure(text[:1000], 3) == pytest.approx(0.3 + 0.2 + 0.3 + 0.09)
    built = learned.structure(text[:1000], 3)
    assert learned.quality_of(built, 9, 4.0, 10 * DAY) == 0.719
    assert learned.quality_of(0.3, 0, None, None) == round(0.09 + 0.025 + 0.125 + 0.16, 3)


@pytest.mark.parametrize(
    ("best", "mode"),
    [(0.65, "semantic"), (0.64, "semantic_fallback"), (0.5, "semantic_fallback"), (0.49, "none"),
     (None, "none")],
)  # fmt: skip
def test_the_ladder_of_answers(best: float | None, mode: str) -> None:
    assert learned.match_mode(best) == mode


def test_stop_words_go_before_the_cap() -> None:
    words = "how do the new api keys of an old client get rotated without downtime"
    stop = frozenset(["how", "do", "the", "new", "an", "of", "get", "without"])
    assert learned.keywords(words.split(), stop) == ["api", "keys", "old", "client", "rotated"]
    assert [learned.hits_needed(n) for n in (1, 2, 3, 4, 5)] == [1, 2, 2, 2, 3]


def test_learnings_are_ranked_by_likeness_and_importance() -> None:
    assert learned.rank(0.8, 1.0) == 0.8
    assert learned.rank(0.8, 0.0) == 0.4


def test_a_path_fades_with_its_length() -> None:
    assert walk.path_score(0.9, [0.8, 0.6]) == 0.525
    assert walk.path_score(0.9, [0.8]) == 0.72
    assert walk.path_score(0.9, []) == 0.9


def test_a_neighbour_in_a_chain() -> None:
    assert walk.chained(0.8, 1, described=True) == 0.78
    assert walk.chained(0.8, 2, described=False) == 0.56
    assert walk.chained(0.8, 0, described=False) == 0.8


@pytest.mark.parametrize(("room", "kept"), [(0, 0), (3, 1), (6, 1), (7, 2), (10, 2), (11, 3)])
def test_a_chain_keeps_to_its_budget_to_the_letter(room: int, kept: int) -> None:
    found = walk.fitting(["abc"] * 3, room)
    assert len(found) == kept
    assert len("\n".join(found)) <= room


def test_the_quality_of_a_node() -> None:
    assert walk.node_quality(0.8, 9, 4) == 0.54
    assert walk.density(6, 3) == 1.0
    assert walk.density(0, 1) == 0.0
    assert walk.mean_degree(3, 3) == 2.0


def test_a_team_is_covered_greedily() -> None:
    held = {
        "a": frozenset({"x", "y"}),
        "b": frozenset({"x", "y", "z"}),
        "c": frozenset({"q"}),
    }
    found = greedy(frozenset({"x", "y", "z", "q", "r"}), held)
    assert found.members == (("b", ("x", "y", "z")), ("c", ("q",)))
    assert found.missing == ("r",)
    assert ratio(frozenset({"x", "r"}), frozenset({"x"})) == 0.5
    assert ratio(frozenset(), frozenset()) == 1.0


def test_a_team_has_five_members_at_most() -> None:
    held = {str(n): frozenset({str(n)}) for n in range(9)}
    found = greedy(frozenset(held), held)
    assert len(found.members) == 5
    assert found.missing == ("5", "6", "7", "8")


def test_the_trend_looks_at_two_weeks() -> None:
    at = datetime(2026, 1, 15, tzinfo=UTC)
    assert eff.recent_span(at) == (
        datetime(2026, 1, 8, tzinfo=UTC),
        datetime(2026, 1, 1, tzinfo=UTC),
    )


def test_sizes_of_a_measurement_grow() -> None:
    assert sizes_of("100,2500, 5000") == (100, 2500, 5000)
    for odd in ("", "99", "200,100", "100,100", "many"):
        with pytest.raises(InvalidInput) as refused:
            sizes_of(odd)
        assert refused.value.field == "sizes"


def test_searches_are_even_within_fifteen_percent() -> None:
    assert even([1.0, 9.0, 1.0, 1.1, 1.1, 0.1])  # one hitch does not count
    assert not even([1.2, 1.2, 1.0, 1.0])
    assert not even([1.0, 1.0, 1.2, 1.2])
