"""What tools say in words of what they did."""

from __future__ import annotations

import pytest

from app.mcp.telling import waited


@pytest.mark.parametrize(
    ("wanted", "reached", "says"),
    [
        (None, None, ""),
        ("indexed", "indexed", " It is indexed."),
        ("indexed", None, " It is not indexed yet, and will be."),
        ("consolidated", None, " It is not consolidated yet, and will be."),
    ],
)
def test_a_wait_that_ran_out_is_told(wanted: str | None, reached: str | None, says: str) -> None:
    assert waited("It is", wanted, reached) == says
