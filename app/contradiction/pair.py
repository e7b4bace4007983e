"""Two readings side by side: what they share and what each has alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from app.contradiction.reading import Reading, Word
from app.contradiction.stems import covers


@dataclass(frozen=True)
class Pair:
    """An earlier and a later statement in one language."""

    old: Reading
    new: Reading

    @property
    def language(self) -> str:
        return self.new.language

    @cached_property
    def only_old(self) -> tuple[Word, ...]:
        return _missing(self.old.words, self.new.words)

    @cached_property
    def only_new(self) -> tuple[Word, ...]:
        return _missing(self.new.words, self.old.words)

    @property
    def same_mood(self) -> bool:
        """Whether both are held in one way: a plan does not contradict what is."""
        return self.old.moods == self.new.moods and "condition" not in self.old.moods

    @property
    def plain(self) -> bool:
        """Whether both are affirmed of something named, in one mood."""
        return (
            self.same_mood
            and not self.old.denials
            and not self.new.denials
            and not self.old.indefinite
            and not self.new.indefinite
        )

    def covered(self, general: Iterable[Word], special: Iterable[Word]) -> bool:
        """Whether each word of the first has one in the second that it holds of."""
        keys = [word.key for word in special]
        return all(any(covers(word.key, k, self.language) for k in keys) for word in general)


def _missing(words: tuple[Word, ...], others: tuple[Word, ...]) -> tuple[Word, ...]:
    left = Counter(word.key for word in others)
    missing = []
    for word in words:
        if left[word.key]:
            left[word.key] -= 1
        else:
            missing.append(word)
    return tuple(missing)


def written(words: Iterable[Word]) -> str:
    return " ".join(word.text for word in words)
