"""Of texts that say the same the first is told."""

from __future__ import annotations

from app.contradiction.once import once

SAME = [
    "The kiln was repaired in May.",
    "the kiln was  repaired in May",
    "In May the kiln was repaired.",
]
OTHERS = [
    "The kiln was not repaired in May.", "The kiln was repaired in June.", "The kiln is repaired.",
    "Der Ofen wurde im Mai repariert.", "count: 3", "count: 4", "",
]  # fmt: skip


def test_the_first_of_what_says_the_same_is_told() -> None:
    firsts = once([OTHERS[0], *SAME, *OTHERS[1:], OTHERS[-1], SAME[1]])
    assert firsts[:4] == [0, 1, 1, 1]
    assert firsts[4:-2] == list(range(4, 10))
    assert firsts[-2:] == [9, 1]
    assert once([]) == []


def test_many_of_the_same_words_take_no_long_time() -> None:
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
    texts = [" ".join(words[n % 8 :] + words[: n % 8]) + f" {n // 8}" for n in range(400)]
    assert len(once(texts)) == 400
