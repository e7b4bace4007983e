"""Clauses that tell how things stand, where no frame reads them: what may be or is done, and what
there is somewhere. They are kept in the open reading alone, so that they end nothing."""

from __future__ import annotations

from dataclasses import replace

from app.extraction.clauses import Clause
from app.extraction.data import words as words_of
from app.extraction.everyday import is_of_everyday
from app.extraction.given_names import is_given_name
from app.extraction.inflect import Form
from app.extraction.phrases import TITLES
from app.extraction.tokens import (
    AUXILIARIES,
    DETERMINERS,
    PRONOUNS,
    Frame,
    Token,
    noun_phrase_end,
)
from app.extraction.verbs import PREPOSITIONS, readings
from app.values.wording import fold

MODALS = {
    "en": {"can": "can"},
    "de": {"kann": "können", "können": "können", "darf": "dürfen", "dürfen": "dürfen"},
}
UNABLE = {
    "en": frozenset(["can", "ca", "cannot"]),
    "de": frozenset(["kann", "können", "darf", "dürfen"]),
}
PLACED = {"en": frozenset(["in", "at", "on"]), "de": frozenset(["in", "an", "auf", "im", "am"])}
MOST_SUBJECT = 6  # words


def standing_frame(clause: Clause, words: list[Token]) -> Frame | None:
    """The frame of such a clause; None where it is none."""
    if clause.inherits or len(words) < 3:
        return None
    if clause.duty:
        return _duty(clause, words)
    if clause.denies and (unable := _may_not(clause, words)) is not None:
        return unable
    if clause.language == "en":
        return _there_is(clause, words) or _is_so(clause, words) or _may(clause, words)
    return _may(clause, words) or _somewhere(clause, words)


def _may_not(clause: Clause, words: list[Token]) -> Frame | None:
    """`I can't eat gluten`, `Gluten darf ich nicht essen`: what somebody of every day cannot or may
    not do he does not do, as far as that tells. The modal is left over, so that it ends nothing."""
    language = clause.language
    place = next((i for i, t in enumerate(words) if t.lower in UNABLE[language]), 0)
    if not place or place > MOST_SUBJECT or len(words) < place + 3:
        return None
    before, after = words[:place], words[place + 1 :]
    if language == "de":
        verb, rest = after[-1], after[:-1]
        if not is_of_everyday(before, "de") and is_of_everyday(after[:1], "de"):
            before, rest = after[:1], [*before, *rest[1:]]
    else:
        verb, rest = after[0], after[1:]
    forms = [f for f in readings(verb.lower, language) if _is_plain(verb, f, language)]
    if not (forms and rest and is_of_everyday(before, language)):
        return None
    closed = words_of("sets", f"mental_{language}") | words_of("sets", "vague")
    if forms[0].lemma in closed or forms[0].lemma in AUXILIARIES[language]:
        return None  # `I can't believe it`
    limited = replace(clause, left=(*clause.left, words[place].text))
    return Frame(limited, tuple(before), forms[0].lemma, "", "", past=False, rest=tuple(rest))


def _is_plain(verb: Token, form: Form, language: str) -> bool:
    """Whether a form is the infinitive."""
    plain = form.plural if language == "de" else not form.past and verb.lower == form.lemma
    return plain and not form.participle


def _may(clause: Clause, words: list[Token]) -> Frame | None:
    """`Prescriptions can be ordered by phone`, `Rezepte können telefonisch bestellt werden`."""
    if clause.denies or clause.ends:
        return None
    for place, word in enumerate(words[1 : MOST_SUBJECT + 1], start=1):
        lemma = MODALS[clause.language].get(word.lower)
        if lemma and _subject_like(words[:place], clause.language):
            if not _is_done(words[place + 1 :], clause.language):
                return None  # what may be so is an opinion more often than a rule
            return _frame(clause, words[:place], lemma, words[place + 1 :])
    return None


def _duty(clause: Clause, words: list[Token]) -> Frame | None:
    """`Refunds have to be approved by Ida`, `Anträge müssen vom Vorstand genehmigt werden`,
    `Größere Bestellungen muss Frau Wolf freigeben`."""
    if clause.denies or clause.ends:
        return None
    for place, word in enumerate(words):
        lemma = DUTIES[clause.language].get(word.lower)
        if not lemma or not place:
            continue
        before, after = words[:place], words[place + 1 :]
        end = noun_phrase_end(after, "de") if _is_named(after, clause.language) else 0
        if end:
            return _frame(clause, after[:end], lemma, [*before, *after[end:]])
        if _subject_like(before, clause.language):
            return _frame(clause, before, lemma, after)
    return None


def _is_named(words: list[Token], language: str) -> bool:
    """Whether German words begin with somebody by a title or name: (muss) Frau Wolf."""
    if language == "en" or not words:
        return False
    first = words[0].text
    return TITLES.match(first) is not None or is_given_name(fold(first))


DUTIES = {
    "en": {"must": "must", "have": "have", "has": "have", "need": "need", "needs": "need"},
    "de": {"muss": "müssen", "müssen": "müssen"},
}


def _is_so(clause: Clause, words: list[Token]) -> Frame | None:
    """`Judo training is on Tuesdays`, `Planning enquiries are handled by Moira Stead`: the subject
    looks like a doing, and what is said of it like a place, a time or what is done with it."""
    for place, word in enumerate(words[1 : MOST_SUBJECT + 1], start=1):
        if word.lower in ("is", "are") and place + 1 < len(words):
            follows = words[place + 1].lower
            told = _participle(follows) or follows in PREPOSITIONS["en"]
            if told and _subject_like(words[:place], "en"):
                return _frame(clause, words[:place], "be", words[place + 1 :])
            return None
    return None


def _there_is(clause: Clause, words: list[Token]) -> Frame | None:
    """`There's a bull in the top field`: of the field it is said."""
    if words[0].lower != "there" or words[1].lower not in ("is", "are", "'s"):
        return None
    place = _place(words, 3, "en")
    return None if place is None else _frame(clause, words[place + 1 :], "contain", words[2:place])


def _somewhere(clause: Clause, words: list[Token]) -> Frame | None:
    """`Auf dem Hof werden Schafe gehalten`, `Im Garten gibt es einen Teich`: of the place."""
    first, second = (w.lower.replace("’", "'") for w in words[:2])
    if first in GIVES or f"{first} {second}" in GIVES:
        rest = words[1 if first in GIVES else 2 :]
        if not rest or rest[0].lower not in PLACED["de"]:
            return None
        end = 1 + _until_thing(rest[1:])
        return _frame(clause, rest[1:end], "enthalten", rest[end:]) if end > 1 else None
    if words[0].lower not in PLACED["de"]:
        return None
    end = 1 + noun_phrase_end(words[1:], "de")
    verb = words[end : end + 1]
    if end < 2 or not verb or verb[0].lower not in ("werden", "wird", "gibt"):
        return None
    rest = words[end + 1 :]
    if verb[0].lower == "gibt":
        given = rest and rest[0].lower == "es"
        return _frame(clause, words[1:end], "enthalten", rest[1:]) if given else None
    return _frame(clause, words[1:end], "werden", rest)


GIVES = frozenset(["gibt's", "gibts", "es gibt", "gibt es"])


def _until_thing(words: list[Token]) -> int:
    """How many words are the place that German words begin with, before what there is: an article
    or its last noun parts them, `Café Zimtstern Brunch`."""
    end = noun_phrase_end(words, "de")
    if end < len(words) or end < 2:
        return end if end < len(words) else 0
    return end - 1


def _place(words: list[Token], first: int, language: str) -> int | None:
    """Where the last place of a clause begins that a noun phrase with an article tells."""
    for place in range(len(words) - 2, first, -1):
        if words[place].lower in PLACED[language]:
            after = words[place + 1]
            named = after.lower in DETERMINERS[language] or after.text[0].isupper()
            return place if named else None
    return None


def _frame(clause: Clause, subject: list[Token], lemma: str, rest: list[Token]) -> Frame:
    return Frame(clause, tuple(subject), lemma, "", "", past=False, rest=tuple(rest), standing=True)


def _subject_like(subject: list[Token], language: str) -> bool:
    """Whether words are one noun phrase: no sign, no preposition and no verb stand among them."""
    closed = PREPOSITIONS[language] | (PRONOUNS - DETERMINERS[language])
    return all(w.text[0].isalnum() and w.lower not in closed for w in subject)


def _is_done(rest: list[Token], language: str) -> bool:
    """Whether a passive follows the modal: `be ordered`, `bestellt werden`."""
    if language == "de":
        return len(rest) > 1 and rest[-1].lower == "werden"
    return len(rest) > 1 and rest[0].lower == "be" and _participle(rest[1].lower)


def _participle(word: str) -> bool:
    return word.endswith("ed") or any(f.participle and f.past for f in readings(word, "en"))
