"""How finely an answer tells its times."""

from __future__ import annotations

import pytest

from app.kernel.stopwatch import told, told_steps


@pytest.mark.parametrize(
    ("took", "said"), [(0.0, 0), (0.004, 5), (4.999, 5), (5.0, 5), (5.001, 10), (1234.5, 1235)]
)
def test_a_time_is_told_in_steps_of_five(took: float, said: int) -> None:
    assert told(took) == said


def test_only_the_time_of_the_embedding_is_told_as_it_was() -> None:
    assert told_steps({"embed": 7.23456, "vector": 7.23456}) == {"embed": 7.235, "vector": 10}
