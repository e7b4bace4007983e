"""What cosines mean, by model."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.embeddings.calibration import AS_IT_IS, BY_MODEL, LIKELIHOODS, Kinds, calibration

pytestmark = pytest.mark.one_python  # what the model says is no matter of Python

MODELS = (*BY_MODEL, "a model that nobody measured")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kinds", Kinds)
@given(
    st.lists(st.floats(-1, 1), min_size=2),
    st.tuples(*[st.sampled_from(("en", "de", "fr"))] * 2),
)
def test_what_is_closer_is_never_less_alike(
    model: str, kinds: Kinds, cosines: list[float], languages: tuple[str, str]
) -> None:
    means = calibration(model)
    told = [means.similarity(cosine, kinds, languages) for cosine in sorted(cosines)]
    assert all(low <= high for low, high in pairwise(told))
    least, most = (0.01, 0.99) if kinds in LIKELIHOODS else (0, 1)
    assert all(least <= share <= most for share in told)


def test_the_local_model_s_narrow_band_is_spread() -> None:
    local = calibration("multilingual-e5-small-int8")
    assert local.similarity(0.75) < 0.15  # two random texts
    assert local.similarity(0.825) == pytest.approx(0.5, abs=0.01)
    assert local.similarity(0.88) > 0.8


def test_the_same_cosine_says_least_in_german_and_most_between_languages() -> None:
    local = calibration("multilingual-e5-small-int8")
    pairs = (("de", "de"), ("en", "en"), ("en", "de"))
    for kinds in (Kinds.ANSWER, Kinds.TEXTS, Kinds.MATTER):
        german, english, mixed = (local.similarity(0.85, kinds, pair) for pair in pairs)
        assert german < english < mixed, kinds
        assert local.similarity(0.85, kinds, ("de", "en")) == mixed


def test_a_model_that_was_not_measured_keeps_its_cosines() -> None:
    unknown = calibration("a model that nobody measured")
    assert unknown is AS_IT_IS
    assert [unknown.similarity(c) for c in (-0.4, 0.5, 0.8, 1.0)] == [
        pytest.approx(share) for share in (0.01, 0.5, 0.8, 0.99)
    ]
