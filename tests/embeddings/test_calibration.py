"""What cosines mean, by model."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.embeddings.calibration import BY_MODEL, DOCUMENTED, calibration

MODELS = (*BY_MODEL, "a model that nobody measured")


@pytest.mark.parametrize("model", MODELS)
@given(st.lists(st.floats(-1, 1), min_size=2))
def test_what_is_closer_is_never_less_like_an_answer(model: str, cosines: list[float]) -> None:
    told = [calibration(model).similarity(cosine) for cosine in sorted(cosines)]
    assert all(low <= high for low, high in pairwise(told))
    assert all(0.01 <= share <= 0.99 for share in told)


def test_the_local_model_s_narrow_band_is_spread() -> None:
    local = calibration("multilingual-e5-small-int8")
    assert local.similarity(0.75) < 0.15  # two random texts
    assert local.similarity(0.825) == pytest.approx(0.5, abs=0.01)
    assert local.similarity(0.88) > 0.8


def test_a_model_that_was_not_measured_keeps_its_cosines() -> None:
    unknown = calibration("a model that nobody measured")
    assert unknown is DOCUMENTED
    assert [unknown.similarity(c) for c in (-0.4, 0.5, 0.8, 1.0)] == [
        pytest.approx(share) for share in (0.01, 0.5, 0.8, 0.99)
    ]
