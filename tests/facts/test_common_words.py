"""Words found to be common: remembered for a while, for one scope, and not without end."""

from __future__ import annotations

import time

from app.facts.common_words import CommonWords

WORD = ("acme/dev", ("train",))
ELSEWHERE = ("beta/dev", ("train",))


def test_a_common_word_is_known_for_its_own_scope_alone() -> None:
    words = CommonWords()
    assert not words.holds(WORD)
    words.add([WORD])
    assert words.holds(WORD)
    assert not words.holds(ELSEWHERE)


def test_a_word_is_asked_for_again_once_its_time_is_over() -> None:
    words = CommonWords(kept_seconds=0.01)
    words.add([WORD])
    until = time.monotonic() + 5
    while words.holds(WORD) and time.monotonic() < until:
        time.sleep(0.005)
    assert not words.holds(WORD)


def test_no_more_words_are_kept_than_may_be() -> None:
    words = CommonWords(most=10)
    many = [("acme", (str(number),)) for number in range(1000)]
    words.add(many)
    assert sum(words.holds(word) for word in many) <= 10
    assert words.holds(many[-1])
