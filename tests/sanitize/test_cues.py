"""Literals looked for at once are those that a text holds, whatever its length."""

from __future__ import annotations

import random

from app.sanitize.cues import Cues

ALPHABET = "abc d"


def drawn(rng: random.Random, length: int) -> str:
    return "".join(rng.choice(ALPHABET) for _ in range(length))


def test_what_is_held_is_what_is_in_the_text() -> None:
    rng = random.Random(7)  # order, not secrets
    for _ in range(300):
        literals = {drawn(rng, rng.randint(1, 7)) for _ in range(rng.randint(1, 40))}
        text = drawn(rng, rng.choice([0, 1, 2, 3, 40, 4000]))
        assert Cues(literals).held(text) == {one for one in literals if one in text}
