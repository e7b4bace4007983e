"""Rules for clauses with `be`: dates, states, places, amounts, attributes and roles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from app.extraction.calendar import Lean
from app.extraction.data import pairs, words
from app.extraction.drafts import Context, Draft, Thing
from app.extraction.frames import DETERMINERS, PRONOUNS, Token
from app.extraction.model import Mention, Precision, Span
from app.extraction.moments import Role, When, times
from app.extraction.objects import (
    BASES,
    amount,
    contrast_words,
    literal,
    thing,
    until_stop,
)
from app.extraction.phrases import (
    POSSESSIVE_DE,
    Attribute,
    Phrase,
    attribute,
    attribute_predicate,
    is_many,
    is_name,
    masculine,
    normal_noun,
)
from app.extraction.verbs import readings
from app.values.dates import parse_date
from app.values.model import Kind, Value
from app.values.parse import parse_value
from app.values.states import parse_state

BE = ("be", "sein")
DATED_VERBS = {
    "en": words("sets", "dated_verbs_en"),
    "de": words("sets", "dated_verbs_de"),
}
ADJECTIVES = words("sets", "adjectives")
DUE = frozenset(["due", "fällig"])
SET = frozenset(["scheduled", "planned", "set", "angesetzt", "geplant", "terminiert"])
DATE_NOUNS = ("date", "termin", "datum", "tag", "day")
PERSONAL = words("sets", "personal")
COMPLETED = frozenset(  # states that one does not leave, so that "was" tells of reaching them
    [
        "completed",
        "resolved",
        "approved",
        "rejected",
        "cancelled",
        "released",
        "signed",
        "terminated",
        "archived",
        "paid",
        "sold",
        "delivered",
        "passed",
        "failed",
    ]
)
PERSONAL_PREDICATES = {
    "married": "marital_status",
    "single": "marital_status",
    "vegetarian": "diet",
}
NO_STATE = words("sets", "no_state")
PARTICIPLE_DE = re.compile(
    r"(?:ge\w{3,}|(?:be|ver|er|ent|zer|ab|an|auf|aus|ein|um|vor|zu)\w{4,})(?:t|en)$"
)
BETA = frozenset(
    [
        *("in beta", "in alpha", "in the works", "in review", "in production", "in testing"),
        *("in planning", "under investigation", "under discussion", "under repair"),
        *("under maintenance", "in planung", "in prüfung", "im test", "in wartung"),
        *("in reparatur", "in vorbereitung", "on ice", "auf eis"),
    ]
)


def is_be(context: Context) -> bool:
    """Whether the clause has `be` as its only verb."""
    frame = context.frame
    return frame.lemma in BE and not frame.participle


def date_value(when: When, context: Context, *, with_year: bool) -> Value | None:
    """The date that a time expression names, as a value."""
    text = when.point.text
    if not when.point.is_exact:
        moment = when.point.bind(Lean.FUTURE)
        if moment is None or moment.precision is not Precision.MONTH:
            return None
        return Value(Kind.DATE, f"date:{moment.at:%Y-%m}", text)
    if not with_year:
        plain = parse_date(text, context.language)
        if plain is not None and plain.month is not None:
            return Value(Kind.DATE, plain.key, text)
    moment = when.point.bind(
        Lean.FUTURE if "day" in text.lower() and not _digits(text) else Lean.NEAREST
    )
    return None if moment is None else Value(Kind.DATE, f"date:{moment.at:%Y-%m-%d}", text)


def _digits(text: str) -> bool:
    return any(c.isdigit() for c in text)


def _dates(context: Context) -> list[When]:
    return [w for w in context.clause.when if w.role is Role.AT]


def _old_date(context: Context, *, with_year: bool) -> Value | None:
    contrast = context.clause.contrast
    if contrast is None:
        return None
    found, _ = times(contrast.old, context.reader.utterance.captured_at)
    return date_value(found[0], context, with_year=with_year) if found else None


def _on_date(
    context: Context, subject: Mention, predicate: str, *, with_year: bool = True
) -> list[Draft]:
    when = _dates(context)
    value = date_value(when[0], context, with_year=with_year) if when else None
    if value is None:
        return []
    contrast = context.clause.contrast
    draft = Draft(
        subject,
        predicate,
        value,
        "date",
        old=_old_date(context, with_year=with_year),
        was_error=contrast is not None and contrast.is_error,
    )
    return [draft]


def birthday(context: Context) -> list[Draft]:
    """`X was born on ...`, `X hat am ... Geburtstag`, `my birthday is ...`."""
    frame = context.frame
    has_it = frame.lemma == "haben" and any(t.lower == "geburtstag" for t in frame.rest)
    born = frame.participle in ("born", "geboren") and not any(
        t.lower in ("in", "im") for t in frame.rest
    )
    if has_it or born:
        subject = context.subject("birthday")
        return _on_date(context, subject, "birthday", with_year=born) if subject else []
    if not is_be(context):
        return []
    phrase = context.subject_phrase()
    found = attribute(phrase, context.reader, context.language) if phrase else None
    if found is None or found.possessor is None:
        return []
    if attribute_predicate(found.noun, context.language) != "birthday":
        return []
    return _on_date(context, person(found.possessor), "birthday", with_year=False)


def person(mention: Mention) -> Mention:
    """The same, known to be a person."""
    return replace(mention, type="person") if mention.type == "unknown" else mention


def dated(context: Context) -> list[Draft]:
    """`The launch is on June 12`, `The auditor comes on Tuesday`."""
    frame = context.frame
    if frame.lemma not in (*BE, *DATED_VERBS[context.language], "move", "verschieben"):
        return []
    if frame.past or not any(w.point.is_exact for w in _dates(context)):
        return []
    left = [t.lower for t in until_stop(frame.rest, context.language) if t.text not in ",."]
    if any(word not in DUE | SET for word in left):
        return []
    phrase = context.subject_phrase()
    who = context.subject("date")
    if phrase is None:
        return (
            _on_date(context, who, "date")
            if who and frame.lemma not in BE and who.name != "we"
            else []
        )
    subject, predicate = _dated_subject(phrase, context)
    if any(word in DUE for word in left) and predicate == "date":
        predicate = "deadline"
    return _on_date(context, subject, predicate) if subject else []


def _dated_subject(phrase: Phrase, context: Context) -> tuple[Mention | None, str]:
    """`the launch date` and `the launch` are one; `the deadline of X` is X's."""
    found = attribute(phrase, context.reader, context.language)
    if found is not None and found.possessor is not None:
        predicate = attribute_predicate(found.noun, context.language)
        if context.registry.get(predicate).kind is Kind.DATE:
            return found.possessor, predicate
    head = phrase.head
    if len(head) > 1 and head[-1].lower in DATE_NOUNS:
        return context.named(replace(phrase, head=head[:-1], owner=None), "date"), "date"
    if head[-1].lower.endswith("termin") and len(head[-1].lower) > 7:
        mention = context.named(replace(phrase, owner=None), "date")
        return replace(mention, name=mention.name[: -len("termin")].rstrip("s-")), "date"
    return context.named(phrase, "date"), "date"


def stated(context: Context) -> list[Draft]:
    """`X is active`, `X has been completed`, `X ist behoben`, `X wurde storniert`."""
    frame = context.frame
    words_, dated_ = _state_words(context)
    if not words_:
        return []
    text = " ".join(words_)
    name = parse_state(text)
    if name is None and text in BETA:
        return _status(context, Value(Kind.TEXT, f"text:{text}", text), dated_)
    if name is None and _is_participle(text, context) and text not in NO_STATE:
        reached = dated_ or frame.lemma == "werden"
        return _status(context, Value(Kind.TEXT, f"text:{text}", text), reached)
    if name is None or name.startswith("not:") or text in ("there", "here", "well"):
        return []
    done = frame.auxiliary in ("have", "werden") or frame.lemma == "werden"
    if frame.past:
        dated_ = done or (name in COMPLETED and len(frame.rest) <= 1)
    return _status(context, Value(Kind.STATE, f"state:{name}", text), dated_)


def _is_participle(text: str, context: Context) -> bool:
    """A participle without a complement tells a state: `is frozen`, `ist beantragt`."""
    frame = context.frame
    if frame.participle:
        return not frame.rest
    plain = is_be(context) or frame.lemma == "werden"
    return context.language == "de" and plain and PARTICIPLE_DE.match(text) is not None


def _state_words(context: Context) -> tuple[list[str], bool]:
    """The words that may name a state, and whether reaching it is what the clause tells."""
    frame, language = context.frame, context.language
    core = until_stop(frame.rest, language, through="in on under im am")
    if core and core[0].lower in ("in", "im", "on", "under", "out", "up", "off", "am"):
        taken = _longest_state(core)
    else:
        taken = until_stop(frame.rest, language)
    if frame.participle and frame.auxiliary in ("be", "sein", "werden"):
        if taken and frame.rest[0].text not in ",":
            return [], False
        return [frame.participle], True
    if frame.auxiliary in ("have", "haben") and not taken and not frame.rest:
        return [_past_form(context)], True
    if frame.lemma not in (*BE, "become", "werden", "stay", "remain", "bleiben"):
        return [], False
    words_ = [t.lower for t in taken]
    if len(words_) > 1 and words_[0] in DETERMINERS[language]:
        words_ = words_[1:]
    extra = frame.rest[len(taken) :]
    if extra and extra[0].lower in ("and", "und", "or", "oder"):
        return [], False
    return words_, False


def _longest_state(core: list[Token]) -> list[Token]:
    """`in beta` of `in beta on the old gateway`."""
    for end in range(len(core), 1, -1):
        text = " ".join(t.lower for t in core[:end])
        if text in BETA or parse_state(text) is not None:
            return core[:end]
    return core


def _past_form(context: Context) -> str:
    frame = context.frame
    return frame.participle or next(
        (t for t in (frame.lemma + "d", frame.lemma + "ed") if parse_state(t)), frame.lemma
    )


def _status(context: Context, value: Value, dated_: bool) -> list[Draft]:
    who = context.reader.person(context.frame.subject[0]) if context.frame.subject else None
    name = value.key.removeprefix("state:")
    predicate = PERSONAL_PREDICATES.get(name, "status")
    if who is not None and len(context.frame.subject) == 1:
        if who.name == "we" or predicate == "status":
            return []
        return [Draft(who, predicate, value, "state", dated=dated_)]
    phrase = context.subject_phrase()
    if phrase is None:
        return []
    found = attribute(phrase, context.reader, context.language)
    if (
        found is not None
        and found.noun in ("status", "state", "stand", "zustand")
        and found.possessor
    ):
        return [Draft(found.possessor, "status", value, "state", dated=dated_)]
    subject = context.named(phrase, predicate)
    if subject.type == "person" and predicate == "status":
        return []
    old = contrast_words(context.clause.contrast, context)
    return [
        _with_old(context, Draft(subject, predicate, value, "state", dated=dated_), _state_of(old))
    ]


def _state_of(old: Sequence[Token]) -> Value | None:
    text = " ".join(t.text for t in old)
    name = parse_state(text) if text else None
    return Value(Kind.STATE, f"state:{name}", text) if name else None


def _with_old(context: Context, draft: Draft, old: Thing | None) -> Draft:
    contrast = context.clause.contrast
    return replace(draft, old=old, was_error=contrast is not None and contrast.is_error)


def placed(context: Context) -> list[Draft]:
    """`Our warehouse is in Hamburg`, `Silas is in the on-call rota`."""
    frame, language = context.frame, context.language
    if (
        not is_be(context)
        or not frame.rest
        or frame.rest[0].lower not in ("in", "im", "on", "at", "auf")
    ):
        return []
    if frame.rest[0].lower in ("on", "at", "auf"):
        on = until_stop(frame.rest[1:], language)
        return _stored(context, on) or _member(context, frame.rest[1:])
    place = until_stop(frame.rest[1:], language, through="im in des der")
    if found := _stored(context, place):
        return found
    if found := _member(context, place):
        return found
    if not place or frame.rest[0].lower == "im" or not place[0].text[0].isupper():
        return []
    return _located(context, until_stop(frame.rest[1:], language))


def _stored(context: Context, place: Sequence[Token]) -> list[Draft]:
    """`The archive is on S3`."""
    if not place or context.frame.subject[-1].lower not in words("sets", "data_nouns"):
        return []
    subject, target = context.subject("stored_in"), thing(place, "stored_in", context)
    if subject is None or target is None:
        return []
    old = contrast_words(context.clause.contrast, context)
    was = thing(old, "stored_in", context) if old else None
    return [_with_old(context, Draft(subject, "stored_in", target, "stored"), was)]


def _member(context: Context, place: Sequence[Token]) -> list[Draft]:
    if not place:
        return []
    taken = until_stop(place, context.language)
    groups = words("nouns", f"groups_{context.language}")
    last = taken[-1].lower if taken else ""
    if last not in groups and not any(
        last.endswith("-" + g) or last.endswith(g) for g in groups if len(g) > 4
    ):
        return []
    subject = context.subject("member_of")
    target = thing(taken, "member_of", context)
    if subject is None or target is None or subject.name == "we":
        return []
    if any(t.lower == "'s" for t in context.frame.subject):
        return []
    return [Draft(person(subject), "member_of", target, "member")]


def _located(context: Context, place: Sequence[Token]) -> list[Draft]:
    phrase = context.subject_phrase()
    target = thing(place, "located_in", context)
    if (
        phrase is None
        or target is None
        or not is_name([t for t in place if t.lower != "the"], "en")
    ):
        return []
    old = (
        thing(contrast_words(context.clause.contrast, context), "located_in", context)
        if context.clause.contrast
        else None
    )
    found = attribute(phrase, context.reader, context.language)
    if found is not None and found.possessor is not None:
        predicate = attribute_predicate(found.noun, context.language)
        if context.registry.get(predicate).range == frozenset(["place"]):
            return [_with_old(context, Draft(found.possessor, predicate, target, "place"), old)]
    if not phrase.definite and context.reader.mention(phrase).type not in ("organization", "group"):
        return []
    subject = context.named(phrase, "located_in")
    if subject.type == "person":
        return []
    return [_with_old(context, Draft(subject, "located_in", target, "place"), old)]


def coloured(context: Context) -> list[Draft]:
    """`The case of the Heron is green`: the colour is the case's."""
    given = [t for t in context.frame.rest if t.lower not in ADVERBS_OF_DEGREE]
    if not is_be(context) or not given or given[0].lower not in words("sets", "colours"):
        return []
    phrase = context.subject_phrase()
    rest = until_stop(given, context.language)
    if phrase is None or len(rest) != 1 or phrase.head[-1].lower.endswith(COLOUR_NOUNS):
        return []
    value = literal(rest, context)
    return [Draft(context.named(phrase, "color"), "color", value, "color")] if value else []


def called(context: Context) -> list[Draft]:
    """`Our default branch is called main`, `Meine Tochter heißt Enna`, `My name is Anna`."""
    frame, language = context.frame, context.language
    is_called = frame.participle in ("called", "named", "genannt") and frame.auxiliary in BE
    if not is_called and frame.lemma != "heißen":
        return []
    name = until_stop(frame.rest, language)
    if not name or (len(frame.subject) == 1 and frame.subject[0].lower in ("i", "ich")):
        return _own_name(context, name)
    return _of_attribute(context, name, "called")


def _own_name(context: Context, name: Sequence[Token]) -> list[Draft]:
    subject = context.subject("name")
    if subject is None or not name or not name[0].text[0].isupper():
        return []
    value = literal(name, context)
    return [Draft(subject, "name", value, "name")] if value else []


def described(context: Context) -> list[Draft]:
    """`The N of X is Y`, `X is the N of Y`, `X is our N`, `X is a teacher`, amounts."""
    frame = context.frame
    verb_of_value = frame.lemma in ("betragen", "lauten", "liegen") and context.language == "de"
    becomes = frame.lemma in ("become", "werden") and not frame.participle
    if not is_be(context) and not verb_of_value and not becomes:
        return []
    rest = list(frame.rest)
    if becomes:
        return [replace(d, dated=True) for d in role(context, rest)]
    if (relative := relative_clause(context)) is not None:
        return _of_relative(context, relative, rest)
    if verb_of_value and frame.lemma == "liegen":
        if not rest or rest[0].lower != "bei":
            return []
        rest = rest[1:]
    if found := amount_of(context, rest):
        return found
    if verb_of_value:
        return []
    first = rest[0].lower if rest else ""
    if not rest or first in PRONOUNS - DETERMINERS[context.language]:
        return []
    return role(context, rest) or _of_attribute(
        context, until_stop(rest, context.language), "attribute"
    )


def relative_clause(context: Context) -> tuple[Mention, str, str] | None:
    """`The uptime we promise (in the contract)`: who, the verb, and the noun."""
    items = context.frame.subject
    for position, word in enumerate(items):
        who = context.reader.person(word)
        if position == 0 or who is None or position + 1 >= len(items):
            continue
        form = next(iter(readings(items[position + 1].lower, context.language)), None)
        nouns = [t for t in items[:position] if t.lower not in ("the", "that", "which", ",")]
        if form is not None and nouns:
            return who, form.lemma, " ".join(t.lower for t in nouns)
    return None


def _of_relative(
    context: Context, relative: tuple[Mention, str, str], rest: list[Token]
) -> list[Draft]:
    """`The password manager we use is X`."""
    who, verb, noun = relative
    value = literal(until_stop(rest, context.language), context)
    if value is None or verb not in ("use", "have", "need", "run"):
        return []
    return [Draft(who, f"attribute:{noun}", value, "relative")]


def skip_place(rest: list[Token], context: Context) -> list[Token]:
    """Past `in Bremerhaven` between the verb and the amount."""
    for position, token in enumerate(rest[:5]):
        if token.text in ",;:":
            break
        if amount(rest[position : position + 1], context) is not None:
            lead = rest[:position]
            if not lead or lead[0].lower in ("in", "im", "at", "mit", "with", "bei", "for", "für"):
                return rest[position:]
            return rest
    return rest


def amount_of(context: Context, rest: list[Token]) -> list[Draft]:
    """The subject, or an attribute of it, is an amount."""
    rest = skip_place(rest, context)
    found = amount(rest, context)
    phrase = context.subject_phrase()
    who = context.subject("age")
    if found is None:
        return []
    value, taken = found
    after = rest[taken].lower if taken < len(rest) else ""
    if after in words("sets", "comparatives") or after == "of":
        return []
    if value.number == 1 and value.unit not in BASES and value.kind is Kind.QUANTITY:
        return []
    if (
        len(context.frame.subject) == 1
        and who is not None
        and context.reader.person(context.frame.subject[0])
    ):
        return _age(context, who, value, after)
    if phrase is None:
        return []
    old = old_amount(context, value)
    target, predicate = amount_target(phrase, value, context, adjective=after in ADJECTIVES)
    if target is None:
        return []
    if context.registry.get(predicate).kind is Kind.TEXT:
        return []
    contrast = context.clause.contrast
    error = contrast is not None and contrast.is_error
    return [Draft(target, predicate, value, "amount", old=old, was_error=error)]


def _age(context: Context, who: Mention, value: Value, after: str) -> list[Draft]:
    years = value.kind is Kind.QUANTITY and value.unit == "month" and after in ("old", "alt")
    if who.name == "we" or not (years or (value.kind is Kind.NUMBER and (value.number or 0) > 3)):
        return []
    number = (value.number or 0) / 12 if years else value.number or 0
    if not 3 < number < 120:
        return []
    age = Value(Kind.NUMBER, f"number:{number:g}", value.text, number)
    return [Draft(who, "age", age, "age")]


TITLES = frozenset(["Herr", "Frau", "Mr", "Mrs", "Ms", "Mr.", "Mrs.", "Ms.", "Dr.", "Dr"])
AGENT = re.compile(r"(?:er|or|ist|ian|wife|man|woman|nurse|erin|orin|istin|mann|frau)$")
COLOUR_NOUNS = ("color", "colour", "farbe", "colors", "colours", "farben")
UNIQUE = frozenset(["default", "main", "primary", "preferred", "favorite", "current", "only"])
ADVERBS_OF_DEGREE = frozenset(["very", "quite", "too", "so", "sehr", "ganz", "ziemlich", "zu"])


def amount_target(
    phrase: Phrase, value: Value, context: Context, *, adjective: bool = False
) -> tuple[Mention | None, str]:
    """Whose amount it is and under which predicate: `the rent of X`, `our budget`, `the cable`."""
    unit = (value.unit or "number").partition("/")[0]
    found = None if adjective else attribute(phrase, context.reader, context.language)
    if found is not None and found.possessor is not None:
        return found.possessor, attribute_predicate(found.noun, context.language)
    if phrase.indefinite:
        return None, ""
    mention = context.named(replace(phrase, owner=phrase.owner), "measure:be")
    if value.kind is Kind.NUMBER and not phrase.definite:
        return None, ""
    return mention, f"measure:be:{unit}"


def old_amount(context: Context, new: Value) -> Value | None:
    """The old amount; a bare number has the unit of the new one: 5 minutes instead of 15."""
    contrast = context.clause.contrast
    old = contrast_words(contrast, context)
    return _like(old, new, context)


def _like(old: Sequence[Token], new: Value, context: Context) -> Value | None:
    if not old:
        return None
    text = " ".join(t.text for t in old)
    value = parse_value(text, context.language)
    if value is not None and value.kind is new.kind:
        return value
    unit = new.text.split(maxsplit=1)[1:]
    value = parse_value(" ".join([text, *unit]), context.language)
    return value if value is not None and value.kind is new.kind else None


like = _like


def role(context: Context, rest: list[Token]) -> list[Draft]:
    """`X is the project manager of Heron`, `X is our customer`, `X is a teacher`."""
    language = context.language
    words_ = until_stop(rest, language, through="of for von vom für des der at bei im in")
    if words_ and words_[0].lower in words("sets", "hollow"):
        return []
    phrase = context.reader.phrase(words_, language)
    if phrase is None:
        return []
    found = attribute(phrase, context.reader, language)
    if found is None:
        return []
    subject = context.subject("name")
    if subject is None or subject.name == "we":
        return []
    noun = found.head_word if language == "en" else masculine(found.head_word)
    if found.possessor is not None:
        return _relation(context, subject, found, noun) or _duty(
            context, subject, found, phrase, noun
        )
    return _duty(context, subject, found, phrase, noun)


def _relation(context: Context, subject: Mention, found: Attribute, noun: str) -> list[Draft]:
    known = pairs("nouns", f"relations_{context.language}").get(noun)
    if (
        known is None
        or found.possessor is None
        or context.frame.subject[0].lower in DETERMINERS[context.language]
    ):
        return []
    return [Draft(subject, known, found.possessor, "relation")]


def _duty(
    context: Context, subject: Mention, found: Attribute, phrase: Phrase, noun: str
) -> list[Draft]:
    """A role of one person in something, or a job."""
    language = context.language
    is_job = _is_job(noun, language)
    is_duty = _is_duty(noun, language) or noun.rpartition("-")[2] in words("nouns", "duties")
    kin = words("nouns", "kin")
    predicate = attribute_predicate(found.noun, language)
    listed = predicate in context.registry.rows
    named = found.possessor is not None and (
        found.possessor.name[0].isupper() or found.possessor.name == "we"
    )
    who = person(subject) if is_job or is_duty else subject
    if found.possessor is not None and named and (is_job or is_duty or listed or noun in kin):
        name = f"relation:{noun}" if noun in kin and not listed else predicate
        return [Draft(found.possessor, name, _as_object(who, name, context), "role")]
    if is_duty and phrase.definite and found.possessor is None:
        group = context.reader.group(Span(phrase.head[0].start, phrase.head[-1].end))
        return [Draft(group, f"attribute:{found.noun}", who, "duty")]
    if is_job:
        value = Value(Kind.TEXT, f"text:{role_key(phrase.text, language)}", phrase.text)
        return [Draft(who, "has_role", value, "job")]
    inner = any(t.lower == "the" for t in phrase.head) or language == "de"
    if found.possessor is not None and is_duty and not is_job and inner:
        return [Draft(found.possessor, predicate, _as_object(who, predicate, context), "role")]
    becoming = context.clause.newer or context.frame.lemma in ("become", "werden")
    titled = phrase.head[0].text in TITLES or context.subject_phrase() is None
    plain = language == "de" or phrase.head[-1].text.islower()
    owned = context.frame.subject[0].lower in ("our", "the") or POSSESSIVE_DE.match(
        context.frame.subject[0].text
    )
    becoming = becoming and plain and not owned and (not titled or subject.is_speaker)
    if becoming and found.possessor is None and AGENT.search(noun) and not phrase.definite:
        value = Value(Kind.TEXT, f"text:{role_key(phrase.text, language)}", phrase.text)
        return [Draft(person(subject), "has_role", value, "job")]
    single = found.possessor is not None and phrase.owner is not None and not is_many(found.noun)
    if single and found.possessor is not None and _owned_single(found, predicate, listed):
        return [Draft(found.possessor, predicate, _as_object(who, predicate, context), "of")]
    return []


def _is_duty(noun: str, language: str) -> bool:
    duties = words("nouns", "duties")
    if noun in duties:
        return True
    return language == "de" and any(noun.endswith(duty) for duty in duties if len(duty) > 6)


def _owned_single(found: Attribute, predicate: str, listed: bool) -> bool:
    """`X is our bank` names a single thing; `X is my rock` is a way of speaking."""
    if listed or found.noun.split()[0] in UNIQUE:
        return True
    return found.possessor is not None and not found.possessor.is_speaker


def role_key(text: str, language: str) -> str:
    """A role in one form."""
    value = parse_value(text, language)
    return value.key.partition(":")[2] if value else text.lower()


def _as_object(subject: Mention, predicate: str, context: Context) -> Mention | Value:
    row = context.registry.get(predicate)
    if row.kind is Kind.ENTITY or predicate.startswith("relation:") or subject.type == "person":
        return subject
    value = parse_value(subject.name, context.language)
    return value if value is not None and not subject.is_speaker else subject


def _is_job(noun: str, language: str) -> bool:
    jobs = words("nouns", f"jobs_{language}")
    if noun in jobs or noun.rpartition("-")[2] in jobs:
        return True
    return language == "de" and any(noun.endswith(job) for job in jobs if len(job) > 4)


def _of_attribute(context: Context, given: Sequence[Token], rule: str) -> list[Draft]:
    """The subject is an attribute of something, and what follows is its value."""
    language = context.language
    phrase = context.subject_phrase()
    if phrase is None or not given or given[0].lower in PRONOUNS - DETERMINERS[language]:
        return []
    found = attribute(phrase, context.reader, language)
    if found is None or (phrase.indefinite and rule != "called"):
        return []
    noun = normal_noun(found.head_word, language)
    if found.possessor is None and phrase.definite and _is_code(given):
        code = literal(given, context)
        error = literal(contrast_words(context.clause.contrast, context), context)
        subject = context.named(phrase, "value")
        return [_with_old(context, Draft(subject, "value", code, "value"), error)] if code else []
    if found.possessor is None:
        if not phrase.definite or not (_is_unique(found.noun) or _office(noun, given, context)):
            return []
        span = Span(phrase.head[0].start, phrase.head[-1].end)
        found = replace(found, possessor=context.reader.group(span))
    if given[0].lower in DETERMINERS[language] and not given[0].lower.startswith(
        ("a", "ein", "the", "d")
    ):
        return []
    predicate = attribute_predicate(found.noun, language)
    named = (
        noun in words("nouns", "jobs_en")
        or _is_job(noun, language)
        or noun in words("nouns", "duties")
    )
    kin = noun in words("nouns", "kin")
    if (kin or is_many(found.noun)) and predicate not in context.registry.rows:
        predicate = f"relation:{found.noun}"
    if rule == "attribute" and not _valued(given, predicate, context, named or kin):
        return []
    target = _value_of(given, predicate, context, named or kin)
    if target is None:
        return []
    old = contrast_words(context.clause.contrast, context)
    was = _value_of(old, predicate, context, named or kin) if old else None
    possessor = found.possessor
    if possessor is None:
        return []
    return [_with_old(context, Draft(possessor, predicate, target, rule), was)]


def _is_code(given: Sequence[Token]) -> bool:
    """`E42`, `db-1`: a lone word with a letter and a digit in it."""
    text = given[0].text
    return len(given) == 1 and any(c.isdigit() for c in text) and any(c.isalpha() for c in text)


def _is_unique(noun: str) -> bool:
    return " " in noun and noun.split()[0] in UNIQUE


def _office(noun: str, given: Sequence[Token], context: Context) -> bool:
    """`The keynote speaker is Dr. Amin`: an office that one has, and a name."""
    language = context.language
    agent = noun.endswith(("er", "or", "ist")) and len(noun) > 4
    held = agent or _is_job(noun, language) or noun in words("nouns", "duties")
    named = is_name(given, "en") and (language == "en" or len(given) > 1)
    return held and named and given[0].lower not in DETERMINERS[language]


def _valued(given: Sequence[Token], predicate: str, context: Context, named: bool) -> bool:
    """Whether what follows can be a value, and not an adjective that merely describes."""
    if predicate in context.registry.rows:
        return len(given) <= 6
    if given[0].lower in ("a", "an") or given[0].lower.startswith("ein"):
        return False  # "X is a Y" tells a kind, not a value
    if given[0].lower.endswith(("ing", "ly")) and given[0].text[0].islower():
        return False
    if any(c.isupper() or c.isdigit() for t in given for c in t.text):
        return len(given) <= 6 and not all(_describes(t) for t in given)
    if len(given) > 1:
        return len(given) <= 6 and _categorical(predicate)
    word = given[0]
    if any(c.isdigit() or c in "-_./" for c in word.text):
        return True
    return not named and _categorical(predicate)


def _describes(word: Token) -> bool:
    return word.lower in ADVERBS_OF_DEGREE


def _categorical(predicate: str) -> bool:
    """Whether a lone small word can be the value: of a default branch, not of a house."""
    parts = predicate.partition(":")[2].split()
    if not parts:
        return False
    return (len(parts) > 1 and parts[0] in UNIQUE) or parts[-1] in words("sets", "abstract")


def _value_of(
    given: Sequence[Token], predicate: str, context: Context, named: bool
) -> Mention | Value | None:
    row = context.registry.get(predicate)
    if row.kind is Kind.ENTITY:
        return thing(given, predicate, context)
    phrase = context.reader.phrase(given, context.language)
    if named and phrase is not None and is_name(phrase.head, "en"):
        return context.reader.mention(phrase, "person")
    if phrase is None:
        return None
    return literal(given, context)
