"""What is stored of a memory's judgement: its flags, by which numbers, on which text. Pure.

A judgement stays with its text. Vectors of a model without numbers change nothing of it, and a text
that changes under such a model has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.kernel.graph import Row
from app.kernel.ids import digest
from app.sanitize.suspicion import FLAG, Judge

# What people wrote; facts are told in our own words, and flagged as what they rest on.
JUDGED = frozenset(["episode", "chunk", "note", "skill"])
Range = tuple[Sequence[float], int, int]  # a vector, and of which characters of the text it is


def is_unjudged(judge: Judge, memory: Row) -> bool:
    """Whether a memory's text has not been judged by these numbers."""
    judgement = (memory["judged_by"], memory["judged_hash"])
    return memory["kind"] in JUDGED and judgement != (judge.name, digest(memory["content"]))


def kept(memory: Row) -> Row:
    """The judgement that a memory has, as far as it is on the text that it has now; all of it is
    None where there is none."""
    if memory["judged_hash"] != digest(memory["content"]):
        return {"flags": None, "judged_by": None, "judged_hash": None}
    names = ("judged_by", "judged_hash")
    return {"flags": memory["flags"] or None} | {name: memory[name] for name in names}


def judgement(judge: Judge, content: str, ranges: Iterable[Range]) -> Row:
    """The judgement on a text: it is flagged where one of its ranges is suspicious. Words are
    counted in what it says itself, not in the turns before it that a vector may take in."""
    suspects = any(judge.suspects(vector, content[start:end]) for vector, start, end in ranges)
    return {
        "flags": [FLAG] if suspects else None,
        "judged_by": judge.name,
        "judged_hash": digest(content),
    }
