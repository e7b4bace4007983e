"""Rules for what stopped: who quit, left, retired, moved out, took over from whom."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from app.extraction.data import lexicon, words
from app.extraction.drafts import HABITS, Context, Draft, Thing, is_kin
from app.extraction.inflect import english
from app.extraction.model import ANYTHING, Mention
from app.extraction.objects import literal, thing, until_stop
from app.extraction.phrases import (
    Attribute,
    Phrase,
    attribute,
    attribute_predicate,
    is_name,
    normal_noun,
)
from app.extraction.predicates import EVENT_PREFIX, HABIT
from app.extraction.rules.copula import person
from app.extraction.rules.roles import is_duty, is_job
from app.extraction.rules.states import stated
from app.extraction.tokens import DETERMINERS, Frame, Token
from app.extraction.verbs import PREPOSITIONS, REPLACES, open_name, readings
from app.values.model import Kind, Value
from app.values.parse import parse_value
from app.values.states import parse_state
from app.values.wording import normal_text

AS = {"en": "as", "de": "als"}
SOURCE = frozenset(
    ["at", "from", "with", "of", "out", "in", "bei", "beim", "von", "vom", "aus", "mit", "im"]
)
WITH = frozenset(["with", "mit"])
# Verbs that tell of going, with or without a particle.
GOING = words("ends", "going")
PLACES = frozenset(["place", "job", "seat", "role", "spot", "post"])
HANDS = {
    "en": frozenset(["hand", "pass", "give", "sell"]),
    "de": frozenset(["abgeben", "übergeben", "weitergeben", "weiterreichen", "verkaufen"]),
}
# Who leaves at an hour comes back the next day: `um zehn verlassen`.
AT_AN_HOUR = re.compile(
    r"(?i)\b(?:um|gegen|kurz vor|kurz nach) "
    r"(?:eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)\b"
)
FOR_GOOD = re.compile(r"(?i)\b(?:for good|for ever|forever|once and for all|endgültig|für immer)\b")
SELF = frozenset(["sich", "mich", "uns"])


@dataclass(frozen=True, slots=True)
class End:
    """What a verb that something stopped may end: without an object, and with one."""

    alone: tuple[str, ...]
    of: tuple[str, ...]
    is_vague: bool = False


@cache
def ends(language: str) -> dict[str, End]:
    """The verbs, with their particle or noun, to what they end."""
    table = lexicon()["ends"]
    found: dict[str, End] = {}
    for line in table[language].strip().split("\n"):
        verbs, _, classes = line.partition(":")
        alone, _, of = classes.partition("/")
        end = End(_predicates(alone.replace("?", "")), _predicates(of), "?" in alone)
        found.update(dict.fromkeys((v.strip() for v in verbs.split(",")), end))
    return found


def _predicates(classes: str) -> tuple[str, ...]:
    table: dict[str, str] = lexicon()["ends"]["classes"]
    return tuple(p for name in classes.split() for p in table[name].split())


def ended(context: Context) -> list[Draft]:
    """`I quit coffee`, `Our CTO resigned`, `Anna hat Siemens verlassen`, `Wir sind ausgezogen`."""
    clause = context.clause
    if clause.ends or clause.denies or not _may_end(context.frame, context.language):
        return []
    found = _end_of(context) if _is_done(context) else None
    if found is None:
        return []
    end, rest = found
    rest, office = _office(rest, context)
    rest, taker = _taker(rest, context)
    stopped = _stopped(rest, end, context)
    if stopped is None:
        return []
    by_hand = "studies_at" not in end.of and not taker and _by_hand(stopped, context)
    if by_hand or AT_AN_HOUR.search(context.clause.text):
        stopped = replace(stopped, is_sure=False)
    if stopped.thing is None and "lives_in" in stopped.fits and _of_oneself(context):
        stopped = replace(stopped, is_sure=False)  # ich habe mich ausgezogen
    used = (*stopped.read, *taker, *(t for t in context.frame.rest if t not in found[1]))
    return [
        replace(draft, read=(*draft.read, *used)) for draft in _drafts(context, stopped, office)
    ]


def _may_end(frame: Frame, language: str) -> bool:
    """Whether the table of ends has the verb, or its auxiliary, at the head of a row."""
    begun = _first_words(language)
    return frame.lemma in begun or frame.auxiliary in begun


@cache
def _first_words(language: str) -> frozenset[str]:
    return frozenset(key.split(" ", 1)[0] for key in ends(language))


@dataclass(frozen=True, slots=True)
class Stopped:
    """What is said to have stopped (None: it is not said), what it may be, and its words."""

    thing: Thing | None
    fits: tuple[str, ...]
    read: tuple[Token, ...]
    is_sure: bool = True


def _of_oneself(context: Context) -> bool:
    """Whether the verb is reflexive, by which some mean another thing."""
    return any(t.lower in SELF for t in context.frame.rest)


def _is_done(context: Context) -> bool:
    """Whether the clause tells of what happened; `quit` has one form for now and then."""
    frame = context.frame
    if frame.past or frame.auxiliary in ("have", "haben", "sein", "be", "werden"):
        return True
    one_form = not any(f.past for _, f in english(frame.lemma))
    return context.language == "en" and one_form and frame.lemma not in ("be", "have")


def _end_of(context: Context) -> tuple[End, list[Token]] | None:
    """The entry of the verb with the words that belong to it, and the words left."""
    frame, table = context.frame, ends(context.language)
    rest = [t for t in frame.rest if t.lower not in SELF]
    lemma = frame.lemma
    if frame.participle and frame.auxiliary in ("be", "sein", "werden") and not _acts(context):
        lemma = f"{frame.auxiliary} {frame.participle}"
    for size in range(min(4, len(rest)), -1, -1):
        for some in (rest[:size], rest[len(rest) - size :]):
            key = " ".join([lemma, *(t.lower for t in some)])
            if key in table:
                return table[key], [t for t in rest if t not in some]
    return None


def _acts(context: Context) -> bool:
    """Whether `sein` only makes the perfect: `ist ausgezogen`."""
    return context.language == "de" and context.frame.auxiliary == "sein"


def _office(rest: list[Token], context: Context) -> tuple[list[Token], Phrase | None]:
    """The words without `as CEO (of X)`, and that office."""
    mark = AS[context.language]
    place = next((i for i, t in enumerate(rest) if t.lower == mark), None)
    if place is None:
        return rest, None
    taken = until_stop(rest[place + 1 :], context.language, through="of for von für des der")
    phrase = context.reader.phrase(taken, context.language) if taken else None
    return ([*rest[:place], *rest[place + 1 + len(taken) :]] if phrase else rest), phrase


def _taker(rest: list[Token], context: Context) -> tuple[list[Token], list[Token]]:
    """The words without whom a thing was handed to, and those: `to Sam Reed`, `an Herrn Lohse`."""
    if _gives_up(context) or context.frame.lemma not in HANDS[context.language]:
        return rest, []
    marks = ("to", "on") if context.language == "en" else ("an",)
    place = next((i for i, t in enumerate(rest) if t.lower in marks), None)
    if place is None:
        return rest, []
    name = until_stop(rest[place + 1 :], context.language)
    if not name or not is_name([t for t in name if not t.text.islower()], "en"):
        return rest, []
    end = place + 1 + len(name)
    return [*rest[:place], *rest[end:]], rest[place:end]


def _gives_up(context: Context) -> bool:
    """Whether something is given up, by whatever preposition: `gave up on Word`."""
    frame = context.frame
    return frame.lemma == "give" and any(t.lower == "up" for t in frame.rest)


def _stopped(rest: Sequence[Token], end: End, context: Context) -> Stopped | None:
    """What stopped; a word for a post or a home stands for all that is one."""
    place = 0
    before = SOURCE | {"on"} if _gives_up(context) else SOURCE
    if context.frame.lemma in GOING:
        before = before - WITH  # in whose company, and not what was left
    while place < len(rest) and rest[place].lower in before:
        place += 1
    given = until_stop(rest[place:], context.language)
    stage = given and place and _is_stage(given, context)
    if not given or stage or given[0].lower in PREPOSITIONS[context.language]:
        alone = end.alone
        if end.of == _predicates("site") and FOR_GOOD.search(context.clause.text):
            alone = _predicates("firm")  # closed for a day is a state
        is_sure = not end.is_vague or FOR_GOOD.search(context.clause.text) is not None
        return Stopped(None, alone, (), is_sure=is_sure) if alone else None
    nouns = {given[-1].lower, normal_noun(given[-1].text, context.language)}
    for kind in ("job", "home", "contract"):
        may = set(_predicates(kind)) & {*end.alone, *end.of}
        if may and nouns & words("ends", f"nouns_{kind}"):
            if (which := _which(given, context)) is not None:
                fits = (*_predicates(kind), *(OWNING if kind == "contract" else ()))
                return Stopped(which, fits, tuple(given))
            after = rest[place + len(given) :]
            inner = _stopped(after, end, context) if after else None
            if inner is None or not isinstance(inner.thing, Mention):
                fits = tuple(p for p in _predicates(kind) if p not in BY_NAME)
                # Who left the house comes home in the evening.
                is_vague = kind == "home" and end.is_vague
                is_sure = not is_vague or FOR_GOOD.search(context.clause.text) is not None
                return Stopped(None, fits, tuple(given), is_sure=is_sure)
            return Stopped(inner.thing, _predicates(kind), (*given, *inner.read))
    if end.of == _predicates("site"):
        return _site(given, rest[place + len(given) :], context)
    if not end.of:
        return None
    named = [t for t in given if t.lower not in DETERMINERS[context.language]]
    is_one = named and is_name(named, "en")
    found: Thing | None
    if is_one and (context.language == "en" or len(given) == len(named)):
        found = thing(given, "uses", context)
    else:
        found = literal(given, context)
    return Stopped(found, end.of, tuple(given)) if found is not None else None


# What one has a contract for only where it is named: who uses Slack and cancels some subscription
# may go on using it.
BY_NAME = frozenset(["uses", "supplied_by", "buys_from"])
OWNING = ("have", "haben")


def _which(given: Sequence[Token], context: Context) -> Thing | None:
    """What tells which one it is, where words stand before its noun: `our Trello subscription`, `my
    gym membership`; nothing where any is meant (`my old job`)."""
    language = context.language
    said = [t for t in given[:-1] if t.lower not in DETERMINERS[language] | ANY_ONE]
    if not said:
        return None
    names = [t for t in said if t.text[0].isupper()]
    if language == "en" and len(names) == len(said):
        return thing(names, "uses", context)
    return literal([*said, given[-1]], context)


ANY_ONE = frozenset(["old", "own", "whole", "entire", "current"]) | frozenset(
    ["alte", "alten", "alter", "altes", "eigene", "eigenen"]
)


def _is_stage(given: Sequence[Token], context: Context) -> bool:
    """Whether words tell how far one came, and not what one left: `at chapter three`, `on day 90`;
    in English a place with a number has a capital: `at Studio 54`."""
    if len(given) < 2 or (context.language == "en" and given[-2].text[0].isupper()):
        return False
    value = parse_value(given[-1].text, context.language)
    return value is not None and value.kind is Kind.NUMBER


def _by_hand(stopped: Stopped, context: Context) -> bool:
    """Whether the verb may as well tell what a hand did to one thing: `dropped the phone`, `hat den
    Hut abgesetzt`, where `dropped sugar` and `hat Ramipril abgesetzt` give something up."""
    language = context.language
    if not stopped.read or context.frame.lemma not in words("ends", f"by_hand_{language}"):
        return False
    first, last = stopped.read[0], stopped.read[-1]
    is_doing = language == "de" and first.lower == "das" and last.text.endswith("en")  # das Rauchen
    return first.lower in DETERMINERS[language] and not is_doing


def _site(given: Sequence[Token], after: Sequence[Token], context: Context) -> Stopped | None:
    """`our office in Graz`, `our Graz office`: a place that one has no more."""
    if given[-1].lower not in words("sets", "place_nouns"):
        return None
    inside = [t for t in given[:-1] if t.text[0].isupper()]
    behind = until_stop(after[1:], context.language) if after and after[0].lower == "in" else []
    place = inside or behind
    found = thing(place, "has_office_in", context) if place else None
    if found is None:
        return None
    return Stopped(found, _predicates("site"), (*given, *behind))


def _drafts(context: Context, stopped: Stopped, office: Phrase | None) -> list[Draft]:
    if held := _of_office_holder(context, office, stopped):
        return held
    fits = stopped.fits
    if "married_to" in fits and not stopped.thing and (both := _pair(context)):
        return both + _single(both[0].subject, context)
    subject = context.subject(fits[0].removeprefix("~"))
    if subject is None:
        return []
    if (patient := _patient(context)) is not None:
        subject, stopped = patient, replace(stopped, is_sure=True)
    if led := _led(subject, stopped, context):
        return led
    if (verb := _doing(stopped, context)) is not None:
        return _stopped_doing(subject, verb, stopped)
    what = stopped.thing or ANYTHING
    doubt = "" if stopped.is_sure else context.frame.lemma
    made = [_draft(subject, what, fits, doubt=doubt)]
    if fits == _predicates("service"):
        made += stated(context)
    body = _body(stopped, context) if "works_for" in fits else None
    if body is not None and subject.named and not subject.is_speaker:
        made.append(_of_the_other(body, subject))
    if "married_to" in fits:
        made += _single(subject, context)
    return made


def _led(who: Mention, stopped: Stopped, context: Context) -> list[Draft]:
    """`hat die Leitung der Kommission abgegeben`, `gave up the chair of the board`: what is led has
    somebody else from then on, or nobody."""
    phrase = context.reader.phrase(stopped.read, context.language) if stopped.read else None
    found = attribute(phrase, context.reader, context.language) if phrase is not None else None
    if found is None or found.possessor is None or found.possessor.is_speaker:
        return []
    predicate = attribute_predicate(found.noun.lower(), context.language)
    if predicate not in LED or FOR_A_WHILE.search(context.clause.text):
        return []
    return [Draft(found.possessor, predicate, person(who), "ended", dated=True, ends=True)]


FOR_A_WHILE = re.compile(r"(?i)\b(?:temporarily|vorübergehend|zeitweise|kurz|für|for)\b")
LED = frozenset(["led_by", "managed_by", "chaired_by"])


def _patient(context: Context) -> Mention | None:
    """Who takes a medicine no more that a doctor stopped: the speaker whose doctor it is, or to
    whom he did it, if he names nobody else (`bei meiner Mutter`)."""
    frame, clause = context.frame, context.clause
    if frame.lemma not in PRESCRIBED or frame.subject[-1].lower not in words("nouns", "healers"):
        return None
    given = {t.lower for t in frame.rest}
    own = given & SPEAKERS_OWN or frame.subject[0].lower.startswith(("my", "mein"))
    others = given & {"her", "him", "ihr", "ihm", "ihnen", "them"}
    named = [t for t in frame.rest if t.lower in ("bei", "for", "für")]
    if not own or others or named:
        return None
    at = clause.start + len(clause.text) - len(clause.text.lstrip())
    return context.reader.person(Token("ich", "ich", at, at))


PRESCRIBED = frozenset(["absetzen", "streichen", "discontinue", "stop"])
SPEAKERS_OWN = frozenset(["mir", "me"])


def taken_off(context: Context) -> list[Draft]:
    """`My doctor took me off metformin`: who was taken off it has it no more."""
    frame = context.frame
    mark = next((i for i, t in enumerate(frame.rest) if t.lower == "off"), 0)
    if frame.lemma != "take" or not mark or context.clause.ends or context.clause.denies:
        return []
    if not _is_done(context) or frame.subject[-1].lower not in (*words("nouns", "healers"), "they"):
        return []
    patient, given = list(frame.rest[:mark]), until_stop(frame.rest[mark + 1 :], "en")
    who = context.reader.person(patient[0]) if len(patient) == 1 else None
    if who is None and is_name(patient, "en"):
        found = thing(patient, "managed_by", context)
        who = found if isinstance(found, Mention) else None
    what = literal(given, context) if given else None
    if who is None or what is None or given[0].lower in DETERMINERS["en"]:
        return []  # `took me off the list`
    fits = (*_predicates("habit"), "measure:")
    return [_draft(who, what, fits, read=(*frame.rest[: mark + 1], *given, *frame.subject))]


def _doing(stopped: Stopped, context: Context) -> str | None:
    """The verb of a doing that stopped, as a noun: `mit dem Rauchen`, `das Rauchen`."""
    if context.language != "de" or not stopped.read or not set(HABITS) & set(stopped.fits):
        return None
    last = stopped.read[-1]
    forms = readings(last.lower, "de") if last.text[0].isupper() else ()
    is_one = len(stopped.read) == 1 or stopped.read[0].lower in ("dem", "das")
    verb = next((f.lemma for f in forms if f.plural and f.lemma == last.lower), None)
    return verb if verb and is_one and len(stopped.read) <= 2 else None


def _stopped_doing(who: Mention, verb: str, stopped: Stopped) -> list[Draft]:
    """That somebody does no more what a verb tells, whatever he did it to."""
    value = Value(Kind.TEXT, f"text:{verb}", verb)
    name = open_name(verb)
    made = [_draft(who, value, (HABIT,), read=stopped.read)]
    if name in words("ends", "doings"):
        made.append(_draft(who, ANYTHING, (name,), read=stopped.read))
    return made


def _single(who: Mention, context: Context) -> list[Draft]:
    """Who was divorced is single."""
    if not {context.frame.lemma, context.frame.participle} & {"divorce", "divorced", "scheiden"}:
        return []
    value = Value(Kind.STATE, "state:single", "divorced")
    return [Draft(who, "marital_status", value, "ended", dated=True)]


def _body(stopped: Stopped, context: Context) -> Mention | None:
    """What was left, as a name."""
    if stopped.thing is None or isinstance(stopped.thing, Mention):
        return stopped.thing
    phrase = context.reader.phrase(stopped.read, context.language)
    return context.reader.mention(phrase) if phrase is not None else None


def _draft(subject: Mention, what: Thing, fits: tuple[str, ...], **more: Any) -> Draft:
    """An end that leaves open what ended."""
    name = fits[0].removeprefix("~")
    return Draft(subject, name, what, "ended", dated=True, ends=True, fits=fits, **more)


def _of_the_other(body: Mention, who: Mention) -> Draft:
    """Who left X holds no office there: the singer of X is no longer who left."""
    return _draft(body, who, _predicates("holder"))


def _pair(context: Context) -> list[Draft]:
    """`Lena und Korbinian haben sich getrennt`: what the one is to the other is over."""
    subject = context.frame.subject
    place = next((i for i, t in enumerate(subject) if t.lower in ("and", "und")), 0)
    parts = (subject[:place], subject[place + 1 :])
    if not all(parts):
        return []
    phrases = [context.reader.phrase(part, context.language) for part in parts]
    one, other = (context.named(p, "married_to") if p else None for p in phrases)
    if one is None or other is None or not (one.named and other.named):
        return []
    return [_draft(one, other, _predicates("partner"), read=subject)]


def _of_office_holder(context: Context, office: Phrase | None, stopped: Stopped) -> list[Draft]:
    """`Ruth resigned as CEO of Corvus`, `Our CTO resigned`: the office has no holder. Who gave up
    a thing or a habit holds it still: `Our CTO quit coffee`."""
    if office is not None:
        found = attribute(office, context.reader, context.language)
        who = context.subject("works_for")
        if found is None or who is None:
            return []
        who = person(who)
        group = context.reader.group(context.reader.mention(office).span)
        predicate = attribute_predicate(found.noun, context.language)
        role = Value(Kind.TEXT, f"text:{_role_key(found.noun, context)}", found.noun)
        fits = _predicates("office")
        return [
            Draft(
                found.possessor or group,
                predicate,
                who,
                "ended",
                dated=True,
                ends=True,
                read=office.head,
            ),
            _draft(who, role, fits),
        ]
    phrase = context.subject_phrase()
    if phrase is None or phrase.owner is None or not _is_of_job(stopped):
        return []
    found = attribute(phrase, context.reader, context.language)
    if found is None or found.possessor is None or is_kin(phrase):
        return []
    predicate = attribute_predicate(found.noun, context.language)
    return [
        Draft(
            found.possessor,
            predicate,
            ANYTHING,
            "ended",
            dated=True,
            ends=True,
            fits=(predicate,),
            doubt="" if stopped.is_sure else context.frame.lemma,
        )
    ]


def _is_of_job(stopped: Stopped) -> bool:
    """Whether what stopped is a job: a body that is named, or nothing is, and none of one's habits
    can be meant."""
    if stopped.thing is None:
        return not {"works_for", "married_to"}.isdisjoint(stopped.fits) or not stopped.read
    return False  # `Our CTO left Berlin`, `quit Facebook`: what is named need not be ours


def of_habit(who: Mention, what: Thing, read: Any) -> Draft:
    """What somebody was taken off."""
    return _draft(who, what, _predicates("habit"), read=tuple(read))


def office_ended(former: Mention, office: Mention | None, said: str, read: Any) -> Draft:
    """Who is succeeded holds the office no more, of whom it is where that is said."""
    text = said if office is None or office.name in said else f"{said} {office.name}"
    value = Value(Kind.TEXT, f"text:{normal_text(text)}", text)
    return _draft(former, value, _predicates("office"), read=tuple(read))


def _role_key(noun: str, context: Context) -> str:
    value = parse_value(noun, context.language)
    return value.key.partition(":")[2] if value else noun.lower()


def brought(context: Context) -> list[Draft]:
    """`I closed the ticket`, `Wir haben das Projekt abgeschlossen`: the state of what is told of
    is that which the participle names."""
    frame, language = context.frame, context.language
    if not frame.past or (frame.participle and frame.auxiliary in ("be", "sein", "werden")):
        return []
    if context.clause.ends or context.clause.denies or not frame.rest:
        return []
    given = until_stop(frame.rest, language, through="of for von für des der")
    name = next((s for p in _participles(context) if (s := parse_state(p))), None)
    phrase = context.reader.phrase(given, language) if given else None
    if name is None or name in ("single", "married") or phrase is None or phrase.indefinite:
        return []
    if language == "en" and not (phrase.definite or is_name(phrase.head, "en")):
        return []
    subject = context.named(phrase, "status")
    text = next(p for p in _participles(context) if parse_state(p) == name)
    value = Value(Kind.STATE, f"state:{name}", text)
    return [Draft(subject, "status", value, "brought", dated=True, read=tuple(given))]


def _participles(context: Context) -> list[str]:
    """The participles of the verb of the clause."""
    if context.frame.participle:
        return [context.frame.participle]
    return _all_participles(context.frame.lemma, context.language)


def _all_participles(lemma: str, language: str) -> list[str]:
    from_en = (lemma + "ed", lemma + "d", lemma[:-1] + "ied", lemma + lemma[-1] + "ed")
    return [w for w in from_en if any(f.lemma == lemma for f in readings(w, language))]


def took_over(context: Context) -> list[Draft]:
    """`Jan took over as CEO of Corvus from Ruth`, `Jan wurde zum Leiter von X ernannt`."""
    frame, language = context.frame, context.language
    rest = list(frame.rest)
    verbs = words("ends", f"appointed_{language}")
    key = frame.lemma
    if key == "take" and rest and rest[0].lower == "over":
        key, rest = "take_over", rest[1:]
    if key not in verbs or context.clause.ends or context.clause.denies:
        return []
    if not _is_done(context) and not context.clause.when:
        return []
    former = _led_from(rest, context)
    if former:  # `took over from Ruth as CEO of Corvus`
        rest = [*rest[len(former) :], *rest[: len(former)]]
    if rest and rest[0].lower in ("as", "als", "zum", "zur", "to", "die", "den", "das", "the"):
        rest = rest[1:]
    taken = until_stop(rest, language, through="of for at von für des der bei")
    phrase = context.reader.phrase(taken, language) if taken else None
    who = context.subject("works_for")
    found = attribute(phrase, context.reader, language) if phrase else None
    if phrase is None or who is None or found is None:
        return []
    said_as = any(t.lower in (AS[language], "zum", "zur") for t in frame.rest)
    if (
        key in ("take_over", "übernehmen")
        and not said_as
        and not _is_office(found.head_word, language)
    ):
        return _duty(context, taken, rest[len(taken) :])
    after = rest[len(taken) :]
    old, old_words = _from_whom(after, context)
    predicate = attribute_predicate(found.noun, language)
    read = (*taken, *old_words, *(t for t in frame.rest if t not in rest))
    if found.possessor is None:
        role = Value(Kind.TEXT, f"text:{_role_key(found.noun, context)}", found.noun)
        made = [Draft(person(who), "has_role", role, "took_over", dated=True, read=read)]
        if isinstance(old, Mention):
            made.append(office_ended(old, None, phrase.text, read))
        if context.reader.utterance.speaker:  # of whom it is said is not: of ours, most likely
            group = context.reader.group(context.reader.mention(phrase).span)
            made.append(
                Draft(group, predicate, person(who), "took_over", dated=True, doubt=phrase.text)
            )
        return made
    made = [
        Draft(found.possessor, predicate, person(who), "took_over", old=old, dated=True, read=read)
    ]
    if isinstance(old, Mention):
        made.append(office_ended(old, found.possessor, phrase.text, read))
    return made


def _led_from(rest: Sequence[Token], context: Context) -> list[Token]:
    """The words that tell from whom, where an office follows them."""
    if not rest or rest[0].lower not in ("from", "von", "vom"):
        return []
    name = until_stop(rest[1:], context.language)
    after = rest[1 + len(name) :]
    said_as = bool(after) and after[0].lower == AS[context.language]
    return [rest[0], *name] if name and said_as else []


def takes_place(context: Context) -> list[Draft]:
    """`Farah takes Bill's place as site manager at Quarry Heights`: Bill holds it no more."""
    frame, language = context.frame, context.language
    mark = next((i for i, t in enumerate(frame.rest) if t.lower == "'s"), 0)
    after = frame.rest[mark + 1 :]
    if frame.lemma != "take" or not mark or context.clause.ends or context.clause.denies:
        return []
    if len(after) < 3 or after[0].lower not in PLACES or after[1].lower != AS["en"]:
        return []
    taken = until_stop(after[2:], language, through="of for at")
    phrase = context.reader.phrase(taken, language)
    former = thing(frame.rest[:mark], "managed_by", context)
    if phrase is None or not isinstance(former, Mention):
        return []
    found = attribute(phrase, context.reader, language)
    return _succeeded(context, former, phrase, found, (*after[:2], *taken, frame.rest[mark]))


def relieved(context: Context) -> list[Draft]:
    """`Harald Finke wurde von Mira Okoro als Kassenwart abgelöst`, `Ruth was succeeded by Jan as
    CEO of Corvus`: who holds the office now, and that the other does no more."""
    frame, language = context.frame, context.language
    if not frame.participle or frame.auxiliary not in ("be", "werden", "sein"):
        return []
    if frame.lemma not in REPLACES[language] or context.clause.ends or context.clause.denies:
        return []
    rest, office = _office(list(frame.rest), context)
    by = rest[0].lower if rest else ""
    name = until_stop(rest[1:], language)
    former = context.subject("managed_by")
    if office is None or by not in ("by", "von", "durch") or not name or former is None:
        return []
    new = thing(name, "managed_by", context)
    if not isinstance(new, Mention) or not is_name(name, "en"):
        return []
    found = attribute(office, context.reader, language)
    read = (*rest[: 1 + len(name)], *office.head, *(t for t in frame.rest if t not in rest))
    former, new = person(former), person(new)
    if found is not None and found.possessor is not None:
        predicate = attribute_predicate(found.noun, language)
        made = [
            Draft(found.possessor, predicate, new, "took_over", old=former, dated=True, read=read)
        ]
        return [*made, office_ended(former, found.possessor, office.text, read)]
    noun = found.noun if found is not None else office.text
    role = Value(Kind.TEXT, f"text:{_role_key(noun, context)}", noun)
    return [
        Draft(new, "has_role", role, "took_over", dated=True, read=read),
        office_ended(former, None, office.text, read),
    ]


def _succeeded(
    context: Context, former: Mention, phrase: Phrase, found: Attribute | None, read: Any
) -> list[Draft]:
    holder = found.possessor if found is not None else None
    made = [office_ended(former, holder, phrase.text, read)]
    new = context.subject("works_for")
    if found is not None and holder is not None and new is not None:
        predicate = attribute_predicate(found.noun, context.language)
        made.append(Draft(holder, predicate, person(new), "took_over", old=former, dated=True))
    return made


def _duty(context: Context, taken: list[Token], after: list[Token]) -> list[Draft]:
    """`Mei took over the pipeline from Yusuf`: it is no longer with Yusuf."""
    words_ = [*taken, *after]
    cut = next((i for i, t in enumerate(words_) if t.lower in ("from", "von", "vom")), None)
    if not cut:
        return []
    taken, after = words_[:cut], words_[cut:]
    old, words_ = _from_whom(after, context)
    what = thing(taken, "uses", context) or literal(taken, context)
    if not isinstance(old, Mention) or what is None:
        return []
    read = (*taken, *words_, *context.frame.rest[:1])
    made = [of_habit(old, what, read)]
    who = context.subject("works_for")
    if who is not None:
        text = " ".join(t.text for t in taken)
        value = Value(Kind.TEXT, f"text:{normal_text(text)}", text)
        made.append(
            Draft(who, f"{EVENT_PREFIX}take_over", value, "took_over", event=True, read=read)
        )
    return made


def _from_whom(after: Sequence[Token], context: Context) -> tuple[Thing | None, list[Token]]:
    if not after or after[0].lower not in ("from", "von", "vom"):
        return None, []
    name = until_stop(after[1:], context.language)
    return (thing(name, "managed_by", context), name) if name else (None, [])


def _is_office(noun: str, language: str) -> bool:
    normal = normal_noun(noun, language)
    return any(is_job(n, language) or is_duty(n, language) for n in (noun, normal))
