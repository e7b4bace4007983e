"""A memory and the turns it rests on take one place among the hits. Pure.

A memory says in one sentence what its turns say, so both are found by one question. Turns are
ranked by what was found of them and of the memories that rest on them; shown is the memory, with
its turns as evidence. Decision 0063 tells how the share was chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.indexing.fusion import best

SHARE = 0.4  # of the score of its best memory, which counts for a turn beside its own

Rests = Mapping[str, Sequence[str]]  # the turns of each memory


def grouped(
    scores: Mapping[str, float], memories: Mapping[str, float], rests: Rests
) -> dict[str, float]:
    """Return the scores with each memory in the place of its best turn, and without those turns.

    `memories` are scores of memories that were looked for by themselves; where memories are among
    the `scores`, each counts for its turns as it is.
    """
    if not rests:
        return dict(scores)
    held = {memory: SHARE * score for memory, score in memories.items() if memory in rests}
    held |= {memory: scores[memory] for memory in rests if memory in scores}
    of_turn: dict[str, list[str]] = {}
    for memory in held:
        for turn in rests[memory]:
            of_turn.setdefault(turn, []).append(memory)
    raised = {one: score for one, score in scores.items() if one not in held}
    for turn, found in of_turn.items():
        raised[turn] = raised.get(turn, 0.0) + max(held[memory] for memory in found)
    shown: set[str] = set()
    kept: dict[str, float] = {}
    for one in best(raised):
        if one in shown:
            continue
        hit = _told(of_turn.get(one, ()), held, rests, shown) or one
        kept[hit] = raised[one]
        shown.update(rests.get(hit, (one,)))
    return kept


def _told(
    found: Sequence[str], held: Mapping[str, float], rests: Rests, shown: set[str]
) -> str | None:
    """The memory that tells most of what is not shown yet; of several the best found."""
    if not found:
        return None
    return max(found, key=lambda m: (len(set(rests[m]) - shown), held[m], m))
