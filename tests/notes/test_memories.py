"""Which memories of a window are new, which are held already, and which no longer are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from app.notes.memories import Memory, Place, Stored, memory_id, plan, row, sentence_hash

AT = datetime(2026, 3, 2, tzinfo=UTC)
PLACE = Place("acme/dev", "acme", AT, "scripted")


def memory(text: str, *turns: str, **more: Any) -> Memory:
    known = {"kind": "fact", "language": "en", "said_at": AT, "session": "s", **more}
    return Memory(text=text, turns=turns or ("e1",), **known)


def stored(name: str, text: str, *turns: str) -> Stored:
    return Stored(name, text, "en", sentence_hash(text), frozenset(turns or ("e1",)))


def test_a_sentence_is_one_memory_however_often_it_is_said() -> None:
    told = [memory("Ada lives in Bremen.", "e2"), memory("ada lives in Bremen", "e3")]
    made = plan(told, [stored("old", "Ada lives in Bremen.")], ["e2", "e3"], PLACE)
    assert (made.made, made.rests, made.ends) == ({}, {"old": ("e2", "e3")}, ())


def test_over_one_turn_what_says_the_same_is_one() -> None:
    held = [stored("old", "Ada lives in the city of Bremen.")]
    same = memory("Ada lives in Bremen, the city.", "e1")
    assert plan([same], held, ["e2"], PLACE).made == {}
    other = memory("Ada lives in Bremen, the city.", "e2")
    assert len(plan([other], held, ["e2"], PLACE).made) == 1
    denied = memory("Ada does not live in the city of Bremen.", "e1")
    assert len(plan([denied], held, ["e2"], PLACE).made) == 1


def test_what_a_new_reading_does_not_find_ends_and_what_rests_on_more_stays() -> None:
    held = [
        stored("gone", "Ada owns a boat."),
        stored("wide", "Ada met Tom in Kiel.", "e1", "e9"),
        stored("kept", "Ada lives in Bremen."),
    ]
    made = plan([memory("Ada lives in Bremen.")], held, ["e1"], PLACE)
    assert (made.made, made.ends) == ({}, ("gone",))


def test_a_change_is_only_a_possible_one() -> None:
    new = memory("Ada lives in Kiel.", "e2", relation="updates", of="old")
    held = [stored("old", "Ada lives in Bremen.")]
    made = plan([new], held, ["e2"], PLACE)
    identifier = memory_id(PLACE.scope, new)
    assert made.changes == (("old", identifier, "updates"),)
    assert made.ends == ()
    properties = row(identifier, new, PLACE)
    assert (properties["standing"], properties["live"], properties["tier"]) == ("held", True, 1)
