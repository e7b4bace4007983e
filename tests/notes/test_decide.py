"""What a new note does to others: contradiction before repetition, tiers, and cosines."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.contradiction.repetition import adds_nothing
from app.embeddings.calibration import AS_IT_IS, calibration
from app.errors import InvalidInput
from app.facts.claim import Tier
from app.kernel.clock import FOREVER
from app.notes.decide import decide, waiting
from app.notes.model import Candidate, Incoming, Namespace, Standing, namespace_of

JANUARY, FEBRUARY = (datetime(2026, month, 1, tzinfo=UTC) for month in (1, 2))
AT = AS_IT_IS
OLD = Candidate(
    id="old",
    content="The budget of Vega is CHF 5'000.",
    language="en",
    tier=Tier.AGENT,
    author="agent:a",
    valid_from=JANUARY,
    valid_to=FOREVER,
    standing=Standing.HELD,
    confirmations=2,
    cosine=0.99,
)
NEW = Incoming(
    content="The budget of Vega is CHF 8'000.",
    namespace=Namespace.KNOWLEDGE,
    language="en",
    tier=Tier.AGENT,
    author="agent:a",
    valid_from=FEBRUARY,
)


def test_a_near_duplicate_that_contradicts_is_a_contradiction() -> None:
    decision = decide(NEW, [OLD], AT)
    assert decision.ends == (OLD,)
    assert decision.duplicate is None


def test_words_alone_lead_to_a_contradiction_without_any_vector() -> None:
    assert decide(NEW, [replace(OLD, cosine=None)], AT).ends


def test_words_lead_to_a_contradiction_whatever_the_cosine() -> None:
    assert decide(NEW, [replace(OLD, cosine=0.5, worded=True)], AT).ends


def test_below_the_candidates_cosine_nothing_is_contradicted() -> None:
    assert decide(NEW, [replace(OLD, cosine=0.79)], AT).ends == ()


@pytest.mark.parametrize("similarity", [0.9, 0.999])
def test_similarity_alone_ends_nothing(similarity: float) -> None:
    new = replace(NEW, content="The budget of Vega was discussed on the phone with the bank.")
    decision = decide(new, [replace(OLD, cosine=similarity)], AT)
    assert (decision.ends, decision.contradicts, decision.duplicate) == ((), (), None)


@pytest.mark.parametrize("namespace", [Namespace.METHODS, Namespace.PROJECT_STATE])
def test_methods_and_project_state_contradict_nothing(namespace: Namespace) -> None:
    assert decide(replace(NEW, namespace=namespace), [OLD], AT).ends == ()


def test_a_lower_tier_waits_and_a_higher_one_ends() -> None:
    user = replace(OLD, tier=Tier.USER, author="user:u")
    low = decide(NEW, [user], AT)
    assert (low.standing, low.contradicts, low.ends) == (Standing.QUARANTINED, (user,), ())
    high = decide(replace(NEW, tier=Tier.USER, author="user:u"), [OLD], AT)
    assert (high.standing, high.ends) == (Standing.HELD, (OLD,))


def test_one_that_may_not_be_ended_is_enough_to_wait() -> None:
    other = replace(OLD, id="other", author="agent:b")
    decision = decide(NEW, [OLD, other], AT)
    assert (decision.standing, decision.contradicts) == (Standing.QUARANTINED, (other,))


def test_a_note_of_the_past_comes_before_the_one_that_took_its_place() -> None:
    decision = decide(replace(NEW, valid_from=JANUARY), [replace(OLD, valid_from=FEBRUARY)], AT)
    assert decision.standing is Standing.SUPERSEDED
    assert decision.before is not None
    assert decision.before.id == "old"


def test_a_repetition_confirms_and_a_higher_tier_takes_over() -> None:
    same = replace(NEW, content="The budget of Vega is 5000 CHF.")
    assert decide(same, [OLD], AT).duplicate == OLD
    user = decide(replace(same, tier=Tier.USER, author="user:u"), [OLD], AT)
    assert (user.ends, user.confirmations) == ((OLD,), 3)


def test_below_the_duplicate_s_cosine_only_the_same_text_repeats() -> None:
    old = replace(OLD, cosine=0.89)
    assert (
        decide(replace(NEW, content="The budget of Vega is 5000 CHF."), [old], AT).duplicate is None
    )
    assert decide(replace(NEW, content=OLD.content), [old], AT).duplicate == old


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("Anna lives in Berlin.", "Anna lives in Berlin", "en"),
        ("Anna lives in Berlin and works at Acme.", "Anna lives in Berlin.", "en"),
        ("Das Budget beträgt 5000 Euro.", "Das Budget beträgt 5'000 Euro.", "de"),
    ],
)
def test_what_says_no_more_is_a_repetition(old: str, new: str, language: str) -> None:
    assert adds_nothing(old, new, language)


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("Anna lives in Berlin.", "Anna lives in Berlin with Tom.", "en"),
        ("The rent is 900 euros.", "The rent is 900 euros since 2021.", "en"),
        ("Anna lives in Berlin.", "Anna does not live in Berlin.", "en"),
        ("Anna lives in Berlin.", "Anna plans to live in Berlin.", "en"),
        ("Das Budget ist genehmigt.", "Das Budget ist vom Vorstand genehmigt.", "de"),
    ],
)
def test_what_adds_something_is_kept(old: str, new: str, language: str) -> None:
    assert not adds_nothing(old, new, language)


def test_the_local_model_s_narrow_band_is_no_candidate_and_no_repetition() -> None:
    local = calibration("multilingual-e5-small-int8")
    assert decide(NEW, [replace(OLD, cosine=0.82)], local).ends == ()
    assert decide(NEW, [replace(OLD, cosine=0.87)], local).ends
    repeated = replace(NEW, content="The budget of Vega is 5000 CHF.")
    assert decide(repeated, [replace(OLD, cosine=0.95)], local).duplicate is None
    assert decide(repeated, [replace(OLD, cosine=0.99)], local).duplicate


def test_namespaces_have_aliases_and_no_others() -> None:
    assert namespace_of("status") is Namespace.PROJECT_STATE
    assert namespace_of(" Knowledge ") is Namespace.KNOWLEDGE
    with pytest.raises(InvalidInput, match="namespace is one of"):
        namespace_of("gossip")


# --- notes that were read out of turns --------------------------------------------------------

READ = replace(NEW, read_out=True)


@pytest.mark.parametrize(
    "old",
    [
        OLD,
        replace(OLD, author="agent:b"),
        replace(OLD, read_out=True),
        replace(OLD, tier=Tier.EXTERNAL),
        replace(OLD, tier=Tier.USER, author="user:u"),
    ],
)
def test_a_note_out_of_a_turn_waits_and_ends_nothing(old: Candidate) -> None:
    decision = decide(READ, [old], AT)
    assert (decision.standing, decision.contradicts) == (Standing.QUARANTINED, (old,))
    assert (decision.ends, decision.before, decision.reopens) == ((), None, ())
    assert decision.reason


def test_a_note_out_of_a_turn_holds_no_later_one_back() -> None:
    later = replace(OLD, author="agent:b", valid_from=FEBRUARY)
    assert decide(replace(NEW, valid_from=JANUARY, tier=Tier.USER), [later], AT).contradicts
    past = replace(READ, valid_from=JANUARY, tier=Tier.USER)
    assert decide(past, [later], AT).standing is Standing.QUARANTINED


@pytest.mark.parametrize("tier", [Tier.AGENT, Tier.EXTERNAL])
def test_a_note_out_of_a_turn_that_repeats_takes_no_ones_place(tier: Tier) -> None:
    old = replace(OLD, tier=tier)
    decision = decide(replace(READ, content=OLD.content), [old], AT)
    assert (decision.duplicate, decision.ends) == (old, ())


def test_what_waits_for_trust_keeps_what_it_stands_against() -> None:
    decision = waiting(decide(NEW, [OLD], AT), "no trust")
    assert (decision.standing, decision.contradicts) == (Standing.QUARANTINED, (OLD,))
    assert (decision.ends, decision.reason) == ((), "no trust")


def test_a_written_note_is_no_repetition_of_one_out_of_a_turn() -> None:
    old = replace(OLD, read_out=True)
    decision = decide(replace(NEW, content=OLD.content), [old], AT)
    assert (decision.standing, decision.duplicate, decision.ends) == (Standing.HELD, None, ())


@pytest.mark.parametrize("at", [JANUARY, FEBRUARY])
@pytest.mark.parametrize("author", ["agent:a", "agent:b"])
def test_a_written_note_waits_for_none_out_of_a_turn(author: str, at: datetime) -> None:
    old = replace(OLD, read_out=True, author=author, valid_from=at)
    new = replace(NEW, valid_from=JANUARY if at == FEBRUARY else FEBRUARY)
    decision = decide(new, [old], AT)
    may = author == "agent:a" and at == JANUARY
    assert (decision.standing, decision.before) == (Standing.HELD, None)
    assert (decision.ends, decision.contradicts) == (((old,), ()) if may else ((), (old,)))


def test_a_written_note_that_waits_stands_against_both() -> None:
    other = replace(OLD, id="other", author="agent:b")
    old = replace(OLD, read_out=True)
    decision = decide(NEW, [old, other], AT)
    assert (decision.standing, decision.contradicts) == (Standing.QUARANTINED, (other, old))
