"""German clauses as subject, verb and what follows: the verb stands second."""

from __future__ import annotations

import re
from dataclasses import replace

from app.extraction.clauses import Clause
from app.extraction.data import words as words_of
from app.extraction.everyday import names_somebody
from app.extraction.inflect import Form, particles
from app.extraction.openings import has_noun_behind, is_adverb_de, without_adverb
from app.extraction.tokens import (
    AUXILIARIES,
    HABIT_DAY,
    PRONOUNS,
    Frame,
    Token,
    after_comma,
    noun_phrase_end,
    possible_subject,
    speakers_own,
    verb_shaped,
)
from app.extraction.verbs import PREPOSITIONS, readings

# Forms that say who speaks, also where the pronoun is left out.
FIRST_PERSON = frozenset(["habe", "bin", "fahre", "nehme", "arbeite", "wohne", "gehe", "mache"])


def german_frame(clause: Clause, words: list[Token], inherited: tuple[Token, ...]) -> Frame | None:
    words = _with_plain_first_person(words)
    position = _german_verb(words)
    if position is None:
        return _diary(clause, words) or _unlisted_german(clause, words)
    form = _finite(words[position], position)
    if form is None:
        return None
    before, after = after_comma(tuple(words[:position])), words[position + 1 :]
    subject, rest = _german_subject(clause, before, after, inherited)
    if not subject and not before:
        subject = _left_out(clause, words)
    subject = speakers_own(without_adverb(subject, "de"))
    if not possible_subject(subject, "de"):
        return None
    return framed(clause, subject, rest, form)


def _with_plain_first_person(words: list[Token]) -> list[Token]:
    """`ich wohn`, `hab`, as one speaks: with the ending that one writes."""
    found = list(words)
    for place, word in enumerate(words):
        beside = place == 0 or any(t.lower == "ich" for t in words[place - 1 : place + 2])
        small = word.text[0].islower() or place == 0
        open_ = beside and small and not readings(word.lower, "de")
        if open_ and any(not f.participle for f in readings(word.lower + "e", "de")):
            found[place] = replace(word, lower=word.lower + "e")
    return found


def _left_out(clause: Clause, words: list[Token]) -> tuple[Token, ...]:
    """The `ich` that a clause with a first person at its head leaves unsaid."""
    if not words or words[0].lower not in FIRST_PERSON or clause.inherits:
        return ()
    start = words[0].start
    clause.left += (words[0].text,)
    return (Token("ich", "ich", start, start),)


def _diary(clause: Clause, words: list[Token]) -> Frame | None:
    """`Mit Kaffee aufgehört`, `Netflix gekündigt`: who writes leaves out that he has done it. Read
    of verbs that tell that something stopped, of what has no article: `Der Laden geschlossen` is
    told of the shop."""
    last = words[-1]
    if clause.inherits or not 1 < len(words) <= MOST_DIARY or not last.text[0].islower():
        return None
    form = next((f for f in readings(last.lower, "de") if f.participle), None)
    first = words[0]
    if form is None or first.lower in PRONOUNS | {"der", "die", "das", "ein", "eine"}:
        return None
    if form.lemma not in DIARY_DE or first.start != clause.start + _indent(clause):
        return None
    clause.left += (first.text,)
    subject = (Token("ich", "ich", first.start, first.start),)
    return Frame(
        clause, subject, form.lemma, "haben", last.lower, past=True, rest=tuple(words[:-1])
    )


def _indent(clause: Clause) -> int:
    return len(clause.text) - len(clause.text.lstrip())


MOST_DIARY = 4  # words
DIARY_DE = words_of("ends", "diary_de")


def _unlisted_german(clause: Clause, words: list[Token]) -> Frame | None:
    """`Ich jongliere`, `Lara coacht die Jugend`: the second place is the verb's."""
    end = noun_phrase_end(words, "de")
    if not end or end + 1 > len(words) - 1 or not verb_shaped(words[end], "de"):
        return None
    if words[0].lower in PREPOSITIONS["de"]:
        return None  # `Bei Gewitter bellt der Hund`
    if end == 1 and is_adverb_de(words[0].lower):
        turned = _turned(words)
        return None if turned is None else _unlisted_german(clause, turned)
    subject, word = tuple(words[:end]), words[end].lower
    first = subject[0].lower
    if first in ("ich", "wir") and len(subject) == 1:
        lemma = word if word.endswith("en") else word + "n" if word.endswith("e") else ""
    else:
        lemma = lemma_of(word) if subject[-1].text[0].isupper() else ""
        if len(subject) == 1 and PLURAL_DE.search(first) and names_somebody(words[end + 1 :]):
            return None  # `Fragen beantwortet Frau Imhof`
    subject = speakers_own(without_adverb(subject, "de"))
    if not lemma or not possible_subject(subject, "de"):
        return None
    return Frame(clause, subject, lemma, "", "", past=False, rest=tuple(words[end + 1 :]))


def lemma_of(word: str) -> str:
    """The verb of a form of one other that no list has; empty where it is none."""
    root = word.removesuffix("et") if word.endswith(("tet", "det")) else word.removesuffix("t")
    return root + "en" if root != word else ""


PLURAL_DE = re.compile(r"[ens]$")


def _turned(words: list[Token]) -> list[Token] | None:
    """The words of a clause that an adverb begins, the subject first (`Nachts holt Lara ihn`)."""
    adverb, verb, after = words[0], words[1], words[2:]
    end = noun_phrase_end(after, "de")
    if not end or adverb.lower in UNREAL or is_adverb_de(after[0].lower):
        return None
    return [*after[:end], verb, *_in_order([adverb], after[end:])]


def _german_verb(words: list[Token]) -> int | None:
    for position, word in enumerate(words):
        if _finite(word, position) is not None:
            return position
    return None


def _finite(word: Token, position: int) -> Form | None:
    if word.text[0].isupper() and position > 0:
        return None
    forms = [f for f in readings(word.lower, "de") if not f.participle]
    return min(forms, key=lambda f: (f.past, f.plural)) if forms else None


def _german_subject(
    clause: Clause, before: tuple[Token, ...], after: list[Token], inherited: tuple[Token, ...]
) -> tuple[tuple[Token, ...], list[Token]]:
    if len(before) == 1 and before[0].lower in UNREAL:
        return (), after
    if before and after and after[0].lower in ("ich", "wir", "er"):
        return (after[0],), _in_order(list(before), after[1:])
    if before and not is_adverbial(before):
        return before, after
    if not before and clause.inherits:
        return inherited, after
    if not before and not _fronted(clause):
        return (), after  # a verb at the head: a question, an order or a condition
    end = noun_phrase_end(after, "de")
    if end == 2 and has_noun_behind(after[0].text, after[1].text):
        end = 1
    if len(before) == 1 and is_adverb_de(before[0].lower) and end < len(after):
        return tuple(after[:end]), _in_order(list(before), after[end:])
    front = list(before) if before else []
    return tuple(after[:end]), front + after[end:]


def _in_order(before: list[Token], after: list[Token]) -> list[Token]:
    """What stands around a verb and its pronoun, the object first: `Bargeld akzeptieren wir gern`,
    `Abends trinke ich ein Bier`. A comma parts them, so that they are not read as one phrase; where
    nothing else follows what closes the verb stands behind all: `Das Amt habe ich abgegeben`."""
    if not after:
        return before
    comma = Token(",", ",", before[-1].end, before[-1].end)
    core, tail = _until_comma(after)
    if len(core) == 1 and _closes(core[0]):
        return [*before, *core, *tail]
    object_first = not is_adverbial(tuple(before)) and not noun_phrase_end(after, "de")
    return [*before, comma, *after] if object_first else [*after, comma, *before]


def _closes(word: Token) -> bool:
    """Whether a word may close the bracket of a German verb: a participle, or what a verb parts
    with."""
    if not word.text[0].islower():
        return False
    return word.lower in particles() or any(f.participle for f in readings(word.lower, "de"))


def _fronted(clause: Clause) -> bool:
    """Whether something was taken out before the verb, so that the subject follows it."""
    blanked = len(clause.work) - len(clause.work.lstrip())
    return blanked > 0 and clause.text[:blanked].strip() != ""


def is_adverbial(before: tuple[Token, ...]) -> bool:
    first = before[0].lower
    if len(before) == 1 and (first in ADVERBS_DE or _small(before[0]) or is_adverb_de(first)):
        return True
    if first in PREPOSITIONS["de"] or first in ("den", "einen", "meinen", "unseren", "dort", "da"):
        return True
    return len(before) == 1 and (
        HABIT_DAY.match(before[0].text) is not None or first in ("hier", "damit", "außerdem")
    )


ADVERBS_DE = words_of("sets", "adverbs_de")
UNREAL = words_of("openings", "unreal_de")


def _small(word: Token) -> bool:
    """A German subject is a noun with a capital, or a pronoun."""
    return word.text[0].islower() and word.lower not in PRONOUNS


def framed(clause: Clause, subject: tuple[Token, ...], rest: list[Token], form: Form) -> Frame:
    lemma, auxiliary, participle, past = form.lemma, "", "", form.past
    core, tail = _until_comma(rest)
    last = core[-1] if core else None
    if last is not None and lemma in AUXILIARIES["de"]:
        found = next((f for f in readings(last.lower, "de") if f.participle or f.plural), None)
        if found is None and lemma == "haben" and (weak := WEAK_PARTICIPLE.fullmatch(last.text)):
            found = Form(weak["stem"] + "en", participle=True)  # of a verb that no list has
        if last.lower == "worden" and len(core) > 1:
            core = core[:-1]
            last = core[-1]
            found = next((f for f in readings(last.lower, "de") if f.participle), None)
            lemma = "werden"
        if found is not None and last.text[0].islower() and found.participle:
            auxiliary, lemma, participle = lemma, found.lemma, last.lower
            past = past or auxiliary == "haben"
            core = core[:-1]
    elif last is not None and last.lower in particles() and last.text[0].islower():
        lemma, core = last.lower + lemma, core[:-1]
    return Frame(clause, subject, lemma, auxiliary, participle, past, tuple(core + tail))


WEAK_PARTICIPLE = re.compile(r"ge(?P<stem>[a-zäöüß]{2,}[^aeiouäöüeit])t")


def _until_comma(words: list[Token]) -> tuple[list[Token], list[Token]]:
    for position, word in enumerate(words):
        if word.text in ",;(–":
            return words[:position], words[position:]
    return words, []
