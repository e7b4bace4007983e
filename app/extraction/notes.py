"""Notes without a verb: `Dentist: 12 March, 9 am`, `Budget for the play: 1,800 pounds`."""

from __future__ import annotations

import re

from app.extraction.clauses import AUX, Clause, Sentence, judged
from app.extraction.cues import CONDITION, CORRECTION, EXAMPLE, HEDGE
from app.extraction.data import words
from app.extraction.everyday import SPEAKERS
from app.extraction.given_names import is_given_name
from app.extraction.tokens import PERSONAL, Frame, Token, tokens
from app.extraction.verbs import readings
from app.values.wording import fold

NOTE = re.compile(r"(?P<topic>[A-ZÄÖÜ][^:.,;!?\"„“()\n]{2,60}):\s+(?P<value>\S[^:;!?\"„“\n]{0,80})")
# What a note tells is a date, an hour, an amount or where: something that is counted or named.
COUNTED = re.compile(r"\d")
MOST_TOPIC = 6  # words
MOST_VALUE = 10


def noted(sentence: Sentence) -> Frame | None:
    """The frame of a sentence that is a topic, a colon and what there is of it, with a number."""
    found = NOTE.fullmatch(sentence.text.rstrip(" .!")) if ":" in sentence.text else None
    if found is None or COUNTED.search(found["value"]) is None:
        return None
    bits = sentence.said
    sure, text, _ = judged(sentence.text, bits)
    if text is None:
        return None
    if any(cue.search(sentence.text, bits) for cue in (CONDITION, CORRECTION, HEDGE)):
        return None
    clause = Clause(sentence.text, sentence.text, sentence.start, sentence.language, sure)
    topic = [t for t in tokens(clause) if t.end <= sentence.start + found.end("topic")]
    value = [t for t in tokens(clause) if t.start >= sentence.start + found.start("value")]
    if not (_is_topic(topic, sentence.language) and 0 < len(value) <= MOST_VALUE):
        return None
    if any(t.lower in PERSONAL or _may_be_verb(t, sentence.language) for t in value):
        return None
    return Frame(clause, tuple(topic), "be", "", "", past=False, rest=tuple(value), standing=True)


def _may_be_verb(word: Token, language: str) -> bool:
    return word.text.islower() and word.text != "am" and bool(readings(word.text, language))


def _is_topic(topic: list[Token], language: str) -> bool:
    """Whether words before a colon tell what the note is of, and not who speaks or what kind of
    text follows."""
    if not 0 < len(topic) <= MOST_TOPIC or any(t.lower in AUX[language] | PERSONAL for t in topic):
        return False
    first = topic[0]
    if first.lower in SPEAKERS or EXAMPLE.match(" ".join(t.text for t in topic)):
        return False
    alone = len(topic) == 1
    return not (alone and (first.lower in NO_TOPICS or is_given_name(fold(first.text))))


NO_TOPICS = words("names", "headings") | words("names", "oneself") | words("names", "machines")
