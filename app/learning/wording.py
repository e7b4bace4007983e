"""What a message says of the task before it, by its words: English and German. Pure.

Each test is a search for plain words, in time that grows with the text alone.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from app.learning.scoring import Assessment, Continuation

LIKE = 0.85  # cosine of the words of two texts from which one says the other again
LOOKED = 4000  # characters of a message that are looked at: the first and the last ones
WORD = re.compile(r"\w+")


def _any_of(*phrases: str) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(phrases) + r")\b", re.IGNORECASE)


CORRECTION = _any_of(
    r"that(?:'s| is| was) (?:wrong|not (?:right|correct|it|what))",
    r"(?:this|it) is (?:still )?(?:wrong|broken)", r"not what i (?:asked|meant|wanted)",
    r"still (?:fails|failing|broken|wrong|does ?n[o']t work)", r"(?:does ?n[o']t|did ?n[o']t) work",
    r"you (?:misunderstood|forgot|missed)", r"i (?:meant|said)", r"try again", r"undo that",
    r"(?:das|es) (?:ist|war) (?:immer noch |leider )?(?:falsch|nicht (?:richtig|korrekt|das))",
    r"stimmt (?:so )?nicht", r"(?:geht|funktioniert|klappt) (?:immer noch |so |leider )?nicht",
    r"so nicht", r"(?:ich )?meinte", r"hast du (?:falsch verstanden|vergessen|übersehen)",
    r"nochmals? versuchen", r"immer noch (?:kaputt|falsch)",
)  # fmt: skip
DENIAL = re.compile(r"\A\W*(?:no|nope|nein|nee|falsch|wrong)\b", re.IGNORECASE)
POLITE_DENIAL = re.compile(
    r"\A\W*(?:no|nein)\W+(?:thanks|thank you|danke|that'?s all|das war alles)\b", re.IGNORECASE
)
THANKS = _any_of(
    r"thanks?", r"thank you", r"thx", r"perfect", r"great", r"excellent", r"awesome",
    r"works now", r"danke(?:schön)?", r"vielen dank", r"perfekt", r"super", r"prima", r"klasse",
    r"(?:geht|klappt|funktioniert|läuft) jetzt",
)  # fmt: skip
NEW_TASK = re.compile(
    r"\A\W*(?:now|next|another|also|separately|new task|als nächstes|jetzt|nun|außerdem|"
    r"neue aufgabe|noch etwas|eine andere)\b",
    re.IGNORECASE,
)
FAILURE = _any_of(
    r"(?:could|can|was) ?n[o']t(?: able)?", r"cannot", r"can't", r"couldn't", r"unable to",
    r"failed to", r"i failed", r"gave up", r"no luck", r"konnte (?:\w+ ){0,3}nicht",
    r"kann (?:\w+ ){0,3}nicht", r"fehlgeschlagen", r"gescheitert", r"nicht gelungen",
    r"ist mir nicht möglich",
)  # fmt: skip
HEDGING = _any_of(
    r"might", r"maybe", r"perhaps", r"probably", r"should (?:now )?work", r"i think", r"not sure",
    r"vielleicht", r"vermutlich", r"wahrscheinlich", r"eventuell", r"sollte (?:jetzt )?(?:gehen|"
    r"funktionieren|klappen)", r"ich glaube", r"nicht sicher", r"möglicherweise",
)  # fmt: skip
CLARIFYING = _any_of(
    r"could you (?:clarify|tell me|share|specify)", r"can you (?:clarify|specify|confirm)",
    r"do you mean", r"which (?:one|of)", r"what do you mean",
    r"i need more (?:information|details)",
    r"kannst du (?:mir sagen|präzisieren|bestätigen)", r"könnten sie (?:mir sagen|präzisieren)",
    r"meinst du", r"meinen sie", r"welche[rsnm]? (?:von|meinst)", r"ich brauche mehr",
)  # fmt: skip
DONE = _any_of(
    r"done", r"fixed", r"completed", r"finished", r"resolved", r"is ready", r"all tests pass",
    r"successfully", r"erledigt", r"fertig", r"behoben", r"abgeschlossen", r"gelöst",
    r"erfolgreich",     r"alle tests laufen",
)  # fmt: skip


def continuation_of(task: str, reply: str) -> Continuation:
    """Return what a user's next message says of the task before it."""
    text = _looked(reply)
    denied = DENIAL.search(text) and not POLITE_DENIAL.search(text)
    if denied or CORRECTION.search(text):
        return Continuation.CORRECTION
    if THANKS.search(text):
        return Continuation.THANKS
    if likeness(task, reply) >= LIKE:
        return Continuation.REPHRASE
    return Continuation.NEW_TASK if NEW_TASK.search(text) else Continuation.OTHER


def assessment_of(answer: str) -> Assessment:
    """Return what an agent's last message says of its own work."""
    text = _looked(answer)
    if FAILURE.search(text):
        return Assessment.FAILURE
    if HEDGING.search(text):
        return Assessment.HEDGING
    if CLARIFYING.search(text):
        return Assessment.CLARIFYING
    if text.rstrip().endswith("?"):
        return Assessment.QUESTION
    return Assessment.DONE if DONE.search(text) else Assessment.OTHER


def likeness(left: str, right: str) -> float:
    """Return the cosine of the counts of two texts' words, 0 to 1; 0 where one has no word."""
    one, other = _words(left), _words(right)
    if not one or not other:
        return 0.0
    shared = sum(one[word] * other[word] for word in one.keys() & other.keys())
    return shared / (_length(one.values()) * _length(other.values()))


def _words(text: str) -> Counter[str]:
    return Counter(word.lower() for word in WORD.findall(_looked(text)))


def _length(counts: Iterable[int]) -> float:
    return math.sqrt(sum(count * count for count in counts))


def _looked(text: str) -> str:
    return text if len(text) <= LOOKED else f"{text[: LOOKED // 2]} {text[-LOOKED // 2 :]}"
