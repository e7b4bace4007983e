"""How much a hint weighs that one memory is said in the place of another: pure.

A lower word does not outweigh a higher one, as in belief: a user's own word stands above his words
as an agent quotes them, those above tools, and tools above what an agent says itself.
"""

from __future__ import annotations

from app.kernel.graph import Row

USER, QUOTED, TOOL, AGENT, EXTERNAL = 4, 3, 2, 1, 0
# By the number of the tier that a note holds, a decision of a curator counting as a user's word.
OF_TIERS = {0: EXTERNAL, 1: AGENT, 2: TOOL, 3: USER, 4: USER, 5: QUOTED}


def weight(role: str, kind: str) -> int:
    """The weight of what is said in a role, handed in by a principal of a kind."""
    if role == "user":
        return USER if kind == "user" else QUOTED
    return TOOL if role == "tool" else AGENT


def weight_of(memory: Row) -> int:
    """The weight of a stored episode or note, as `episodes.superseded` gives it."""
    if memory["tier"] is not None:
        return OF_TIERS[memory["tier"]]
    return weight(memory["role"], memory["author"].partition(":")[0])
