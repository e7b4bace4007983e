"""Rules for clauses with a full verb: what one uses, owns, eats, supplies, costs, holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.extraction.clauses import DO_NOT
from app.extraction.data import words
from app.extraction.drafts import Context, Draft
from app.extraction.frames import (
    AUXILIARIES,
    DETERMINERS,
    HABIT_DAY,
    PRONOUNS,
    Frame,
    Token,
    tokens,
)
from app.extraction.frames import frame as framed
from app.extraction.model import Mention
from app.extraction.objects import (
    BASES,
    FREQUENCY,
    amount,
    complement,
    contrast_words,
    items,
    literal,
    thing,
    until_stop,
)
from app.extraction.phrases import is_name, normal_noun
from app.extraction.rules.being import DATED_VERBS, old_amount, skip_place
from app.extraction.verbs import MERGED, PREPOSITIONS, Sense, english_name, readings, senses
from app.values.model import Kind, Value
from app.values.parse import parse_value

LIGHT = words("sets", "light")
PRICED = frozenset(["cost", "kosten"])
PARTS_BY_ARTICLE = ("a", "an", "the", "ein", "eine", "einen", "our", "its")
PLACE_NOUNS = words("sets", "place_nouns")
PLACE_NAME = {
    "büro": "office",
    "standort": "site",
    "filiale": "branch",
    "niederlassung": "branch",
    "werk": "plant",
    "lager": "warehouse",
    "laden": "shop",
    "labor": "lab",
}


def cleft(context: Context) -> list[Draft]:
    """`It's hazelnuts that I'm allergic to` is `I am allergic to hazelnuts`."""
    frame = context.frame
    if frame.language != "en" or frame.lemma != "be" or [t.lower for t in frame.subject] != ["it"]:
        return []
    position = next(
        (i for i, t in enumerate(frame.rest) if t.lower in ("that", "which", "who")), None
    )
    if not position:
        return []
    target = until_stop(frame.rest[:position], "en")
    if target and (is_hollow(target) or readings(target[0].lower, "en")):
        return []
    inner = _until_punctuation(frame.rest[position + 1 :])
    clause = replace(frame.clause, inherits=False)
    start, end = (inner[0].start, inner[-1].end) if inner else (0, 0)
    if not inner or not target:
        return []
    offset = clause.start
    part = replace(
        clause,
        text=clause.text[start - offset : end - offset],
        work=clause.work[start - offset : end - offset],
        start=start,
    )
    inside = framed(part)
    if inside is None:
        return []
    whole = replace(inside, clause=clause, rest=(*inside.rest, *target))
    return acts(replace(context, frame=whole))


def _until_punctuation(given: Sequence[Token]) -> list[Token]:
    kept: list[Token] = []
    for word in given:
        if word.text in ",;:":
            break
        kept.append(word)
    return kept


def frequency(context: Context) -> list[Draft]:
    """`We release firmware every two weeks`: how often is an attribute of who and what."""
    frame, clause = context.frame, context.clause
    found = FREQUENCY.search(clause.work)
    if found is None or frame.lemma in ("be", "sein", "cost", "kosten"):
        return []
    if clause.ends or clause.denies:
        return []
    if frame.lemma in PAYING and amount(list(frame.rest), context) is not None:
        return []
    cut = clause.start + found.start()
    if frame.subject and frame.subject[-1].end > cut:
        return []
    rest = [t for t in frame.rest if t.end <= cut]
    what = until_stop(rest, context.language)
    subject = context.subject("every:")
    if subject is None or len(rest) > len(what):
        return []
    value = parse_value(found[0], context.language)
    if value is None:
        return []
    name, value = _frequency_name(frame, what, context), _interval(found[0], value, context)
    contrast = clause.contrast
    old = None
    if contrast is not None and (was := FREQUENCY.search(contrast.old)):
        old = _interval(was[0], parse_value(was[0], context.language) or value, context)
    error = contrast is not None and contrast.is_error
    return [Draft(subject, name, value, "frequency", old=old, was_error=error)]


def _frequency_name(frame: Frame, what: Sequence[Token], context: Context) -> str:
    phrase = context.reader.phrase(what, context.language) if what else None
    noun = singular(phrase.text.lower(), context.language) if phrase else ""
    if frame.lemma in LIGHT and noun:
        return f"attribute:{noun} interval"
    lemma = english_name(frame.lemma) if context.language == "de" else frame.lemma
    return f"every:{lemma}:{noun}" if noun else f"every:{lemma}"


PAYING = frozenset(["pay", "earn", "zahlen", "bezahlen", "verdienen"])


def singular(noun: str, language: str) -> str:
    """An English noun without the ending of the plural."""
    if language == "en" and noun.endswith("s") and not noun.endswith(("ss", "us", "is")):
        return noun[:-3] + "y" if noun.endswith("ies") else noun[:-1]
    return noun


def _interval(text: str, value: Value, context: Context) -> Value:
    """`every 15 minutes` is the interval of 15 minutes."""
    lowered = text.lower()
    for lead in ("every ", "alle "):
        if lowered.startswith(lead):
            amount_ = parse_value(text[len(lead) :], context.language)
            if amount_ is not None and amount_.kind is Kind.QUANTITY:
                return amount_
    return value


def running(context: Context) -> list[Draft]:
    """`Eisvogel läuft wieder`, `The service is running again`: it is active."""
    frame = context.frame
    if frame.lemma not in ("laufen", "run", "funktionieren", "arbeiten", "work") or frame.past:
        return []
    left = [
        t
        for t in frame.rest
        if t.lower not in ("wieder", "again", "fine", "well", "normally", "rund", "normal")
    ]
    phrase = context.subject_phrase()
    if left or phrase is None or context.reader.person(frame.subject[0]) is not None:
        return []
    if phrase.indefinite:
        return []
    subject = context.named(phrase, "status")
    return [
        Draft(
            subject, "status", Value(Kind.STATE, "state:active", frame.lemma), "running", dated=True
        )
    ]


PREPOSITION_EN = {
    "mit": "with", "auf": "on", "bei": "at", "von": "from", "nach": "to", "an": "at", "für": "for",
    "über": "via", "aus": "from", "zu": "to", "um": "at", "durch": "through", "gegen": "against",
}  # fmt: skip
TASTES = {
    "like": "likes", "love": "likes", "enjoy": "likes", "adore": "likes", "hate": "dislikes",
    "prefer": "prefers", "dislike": "dislikes",
}  # fmt: skip
MOST_TASTE_WORDS = 8


def tastes(context: Context) -> list[Draft]:
    """`I like to do reviews on Tuesdays`, `She prefers working from home`: a doing as a whole."""
    frame = context.frame
    predicate = TASTES.get(frame.lemma)
    rest = _until_punctuation(frame.rest)
    if predicate is None or frame.past or not rest or len(rest) > MOST_TASTE_WORDS:
        return []
    to = rest[0].lower == "to" and len(rest) > 1
    if not to and not (rest[0].lower.endswith("ing") and len(rest[0].lower) > 4):
        return []
    subject = context.subject(predicate)
    if context.clause.denies and not DO_NOT.search(context.clause.text):
        return []
    value = literal(rest[1:] if to else rest, context)
    return [Draft(subject, predicate, value, "taste")] if subject and value else []


def _thing_subject(context: Context) -> bool:
    return context.frame.subject[0].lower in ("the", "our", "der", "die", "das", "unser", "unsere")


def acts(context: Context) -> list[Draft]:
    """A verb that the registry or the lexicon knows, with its object."""
    frame, language = context.frame, context.language
    if day := _on_day(context):
        return day
    found = _sense(frame, language) or _open_sense(frame, language)
    if found is None:
        return []
    sense, target, _, prepositional = found
    if len(target) > 1 and target[0].lower.endswith("ing"):
        return []  # a doing, which is no thing
    if _wishes_of_others(sense, target, frame.rest):
        return []
    if not prepositional and (numbers := _measured(context)):
        return numbers
    if by := _by(context):
        return by
    if not target or target[0].lower in PRONOUNS - {
        "the",
        "die",
        "der",
        "das",
        "einen",
        "eine",
        "ein",
        "my",
        "our",
    }:
        return []
    if target[0].text[0].isdigit() or target[0].lower in words("sets", "hollow"):
        return []
    if not sense.listed and _passing(context, target):
        return []
    if sense.swapped:
        return _swapped(context, sense, target)
    return _plain(context, sense, target)


def bought(context: Context) -> list[Draft]:
    """`We buy coffee from Rondo`: who supplies the coffee."""
    frame, language = context.frame, context.language
    if frame.lemma not in BUYING or frame.past or frame.participle:
        return []
    rest = list(frame.rest)
    what = complement(rest, language)[1] if rest and rest[0].lower not in SELLERS else []
    after = rest[len(what) :]
    if not what or not after or after[0].lower not in SELLERS:
        return []
    seller = complement(after, language)[1]
    phrase = context.reader.phrase(what, language)
    made = thing(seller, "supplied_by", context) if seller else None
    if phrase is None or made is None or not is_name(seller, "en"):
        return []
    subject = context.named(replace(phrase, owner=None), "supplied_by")
    old = _old(context, "supplied_by")
    return [Draft(subject, "supplied_by", made, "bought", old=old)]


BUYING = frozenset(["buy", "purchase", "source", "order", "get", "kaufen", "beziehen", "bestellen"])
SELLERS = frozenset(["from", "at", "bei", "beim", "von", "vom"])


def by_whom(context: Context) -> list[Draft]:
    """`The podcast is hosted by Lea`, `Der Chor wird von Ada geleitet`."""
    return _by(context) if _sense(context.frame, context.language) is None else []


def _by(context: Context) -> list[Draft]:
    frame, language = context.frame, context.language
    if not frame.participle or frame.auxiliary not in ("be", "sein", "werden"):
        return []
    preposition, target, _ = complement(frame.rest, language)
    if preposition not in ("by", "von", "durch") or not target:
        return []
    bare = [t for t in target if t.lower not in DETERMINERS[language]]
    subject = context.subject("by:")
    made = thing(target, "owned_by", context)
    if subject is None or made is None or not bare or subject.is_speaker:
        return []
    lemma = english_name(frame.lemma) if language == "de" else frame.lemma
    contrast = context.clause.contrast
    error = contrast is not None and contrast.is_error
    old = _old(context, "owned_by")
    if not frame.past:
        return [Draft(subject, f"by:{lemma}", made, "by", old=old, was_error=error)]
    name = f"done_by:{lemma}"
    return [Draft(subject, name, made, "by", old=old, was_error=error, event=True)]


def term(context: Context) -> list[Draft]:
    """`We keep backups for 30 days`, `They pay within 30 days`: how long, as one's own rule."""
    frame, language = context.frame, context.language
    if frame.past or frame.participle or frame.lemma in (*AUXILIARIES[language], "stay", "bleiben"):
        return []
    rest = list(frame.rest)
    position = next((i for i, t in enumerate(rest) if t.lower in TERMS), None)
    if position is None or position > 3:
        return []
    start = position + (
        2 if rest[position + 1 : position + 2] and rest[position + 1].lower == "von" else 1
    )
    found = amount(rest[start:], context)
    subject = context.subject("term:")
    if found is None or subject is None or found[0].unit not in ("s", "month"):
        return []
    phrase = context.reader.phrase(rest[:position], language) if position else None
    lemma = english_name(frame.lemma) if language == "de" else frame.lemma
    noun = singular(phrase.text.lower(), language) if phrase else ""
    old = old_amount(context, found[0])
    return [Draft(subject, f"term:{lemma}:{noun}".rstrip(":"), found[0], "term", old=old)]


TERMS = frozenset(["for", "within", "für", "innerhalb", "binnen"])


def _wishes_of_others(sense: Sense, target: Sequence[Token], rest: Sequence[Token]) -> bool:
    """`I want my kids to learn`: not the kids are wanted."""
    after = rest[len(target)].lower if len(target) < len(rest) else ""
    return sense.predicate in ("wants", "likes") and after == "to"


def _passing(context: Context, target: Sequence[Token]) -> bool:
    """Whether a verb without a listed meaning tells of the moment only."""
    frame = context.frame
    if context.clause.ends:
        return False
    going_on = frame.language == "en" and any(
        t.lower in ("'m", "'re", "is", "are", "am", "been") for t in tokens(context.clause)
    )
    capital = any(c.isupper() for t in target for c in t.text)
    light = frame.lemma == "take" and target[0].lower != "the" and not capital
    return going_on or light or is_hollow(target)


def is_hollow(target: Sequence[Token]) -> bool:
    """Whether the words hold one that points to what was said elsewhere."""
    return any(t.lower in words("sets", "hollow") for t in target)


def _plain(context: Context, sense: Sense, target: Sequence[Token]) -> list[Draft]:
    subject = context.subject(sense.predicate)
    if subject is None:
        return []
    row = context.registry.get(sense.predicate)
    if sense.predicate == "member_of" and not _group(target):
        return []
    if row.kind is Kind.TEXT and is_hollow(target):
        return []
    members = [list(target)] if row.functional else list(items(target))
    if not sense.listed and context.frame.past and not context.clause.denies:
        return []
    if row.kind is Kind.ENTITY and not sense.listed and not is_name(target, "en"):
        return []
    old = _old(context, sense.predicate)
    contrast = context.clause.contrast
    drafts = []
    for member in members:
        made = thing(member, sense.predicate, context)
        if made is None or (
            row.kind is Kind.ENTITY and row.range & {"place"} and not _place_like(member)
        ):
            continue
        draft = Draft(
            subject,
            sense.predicate,
            made,
            "verb" if sense.listed else "other_verb",
            confidence=0.85 if sense.listed else 0.75,
            old=old,
            was_error=contrast is not None and contrast.is_error,
        )
        drafts.append(draft)
    return drafts


def _group(target: Sequence[Token]) -> bool:
    groups = words("nouns", "groups_en") | words("nouns", "groups_de")
    return any(t.text[0].isupper() for t in target[1:] or target) or target[-1].lower in groups


def _place_like(member: Sequence[Token]) -> bool:
    bare = [t for t in member if t.lower not in ("the", "der", "die", "den", "dem")]
    return bool(bare) and bare[0].text[0].isupper()


def _old(context: Context, predicate: str) -> Mention | Value | None:
    old = contrast_words(context.clause.contrast, context)
    return thing(old, predicate, context) if old else None


def comes(context: Context) -> list[Draft]:
    """`Our batteries come from Batterol`: who supplies them; `The order came from Tannsee`."""
    frame, language = context.frame, context.language
    if frame.lemma not in ("come", "kommen", "stammen") or frame.participle:
        return []
    preposition, target, _ = complement(frame.rest, language)
    if preposition not in ("from", "von") or not target:
        return []
    bare = [t for t in target if t.lower not in ("the", "der", "dem", "den")]
    if not bare or not is_name(bare, "en"):
        return []
    phrase = context.subject_phrase()
    if phrase is None or not (phrase.definite or len(phrase.head) > 1):
        return []
    predicate = "came_from" if frame.past else "supplied_by"
    subject = context.named(phrase, predicate)
    made = thing(target, predicate, context)
    if made is None or (language == "en" and is_name(phrase.head, "en") and not frame.past):
        return []
    contrast = context.clause.contrast
    error = contrast is not None and contrast.is_error
    old = _old(context, predicate)
    return [Draft(subject, predicate, made, "comes", old=old, was_error=error, event=frame.past)]


def _swapped(context: Context, sense: Sense, target: Sequence[Token]) -> list[Draft]:
    """`Priya leads the team`: said of the team."""
    if _object_first(context, target):
        return _exchanged(context, sense, target)
    phrase = context.reader.phrase(target, context.language)
    agent = context.subject("name")
    named = phrase is not None and is_name(phrase.head, "en")
    if (
        phrase is None
        or agent is None
        or not (phrase.definite or named or _bare_duty(context, target))
    ):
        return []
    if context.frame.participle:
        return []
    subject = context.named(phrase, sense.predicate)
    row = context.registry.get(sense.predicate)
    fallback = next(iter(row.range)) if len(row.range) == 1 else "unknown"
    who = replace(agent, type=fallback) if agent.type == "unknown" else agent
    return [Draft(subject, sense.predicate, who, "verb_swapped")]


Found = tuple[Sense, list[Token], list[Token], bool]


def _object_first(context: Context, target: Sequence[Token]) -> bool:
    """`Die Brötchen liefert Bäckerei Thiel`: in German the object may lead."""
    if context.language != "de" or target[0].lower in DETERMINERS["de"]:
        return False
    led = context.frame.subject[0].lower in ("das", "die", "den", "unser", "unsere", "unseren")
    names = [t for t in target if t.text[0].isupper()]
    return led and (len(names) > 1 or context.frame.lemma == "leiten")


def _exchanged(context: Context, sense: Sense, target: Sequence[Token]) -> list[Draft]:
    phrase = context.subject_phrase()
    made = thing(target, sense.predicate, context)
    if phrase is None or made is None:
        return []
    return [Draft(context.named(phrase, sense.predicate), sense.predicate, made, "verb_swapped")]


NO_OFFICE = frozenset(["a", "an", "ein", "eine", "einen", "every", "each", "on", "in"])


def _bare_duty(context: Context, target: Sequence[Token]) -> bool:
    """`Camille runs purchasing at Verdelo`: a name runs what has no article."""
    first = context.frame.subject[0].lower
    pronoun = first in PRONOUNS or target[0].lower in NO_OFFICE
    return (
        not pronoun
        and is_name(context.frame.subject, "en")
        and not any(t.lower.endswith("er") for t in context.frame.rest[:1])
    )


def _sense(frame: Frame, language: str) -> Found | None:
    table = senses(language)
    lemma, words_ = frame.lemma, list(frame.rest)
    middle = ""
    if frame.participle and frame.auxiliary in ("be", "sein", "werden"):
        lemma, middle = frame.auxiliary, frame.participle
        return _prepositional(table, lemma, middle, words_, language)
    if frame.lemma in ("be", "sein"):
        return _copular(table, lemma, words_, language)
    found = _prepositional(table, lemma, "", words_, language)
    if found is not None:
        return found
    sense = table.get((lemma, "", ""))
    if sense is None or (words_ and words_[0].lower in PREPOSITIONS[language]):
        return None
    _, target, after = complement(words_, language)
    return sense, target, after, False


def _open_sense(frame: Frame, language: str) -> Found | None:
    """A verb that no list gives a meaning: it names its predicate itself."""
    if frame.participle or frame.past or frame.lemma in words("sets", "vague"):
        return None
    if frame.lemma in (
        "be",
        "have",
        "do",
        "sein",
        "haben",
        "werden",
        "heißen",
        "betragen",
        "liegen",
    ):
        return None
    preposition, target, after = complement(frame.rest, language)
    name = english_name(frame.lemma) if language == "de" else frame.lemma
    if preposition:
        if preposition in ("as", "als", "about", "of", "like") or not is_name(target, "en"):
            return None
        name = f"{name}_{PREPOSITION_EN.get(preposition, preposition)}"
    return Sense(name.replace(" ", "_"), listed=False), target, after, bool(preposition)


def _copular(
    table: dict[tuple[str, str, str], Sense], lemma: str, words_: list[Token], language: str
) -> Found | None:
    """`is allergic to`, `ist Mitglied in`, `is from`."""
    if language == "de" and words_ and len(words_) > 2:  # ist gegen Nüsse allergisch
        last = words_[-1].lower
        found = _prepositional(table, lemma, last, words_[:-1], language)
        if found is not None:
            return found
    for size in (2, 1, 0):
        middle = " ".join(t.lower for t in words_[:size])
        found = _prepositional(table, lemma, middle, words_[size:], language)
        if found is not None:
            return found
    return None


def _prepositional(
    table: dict[tuple[str, str, str], Sense],
    lemma: str,
    middle: str,
    words_: list[Token],
    language: str,
) -> Found | None:
    """The sense with the first preposition that fits, past a direct object of one's own."""
    for position, word in enumerate(words_[:5]):
        if word.text in ",;:":
            break
        if word.lower not in PREPOSITIONS[language]:
            continue
        if position and not _skippable(words_[:position], language):
            break
        preposition = MERGED.get(word.lower, word.lower) if language == "de" else word.lower
        sense = table.get((lemma, middle, preposition))
        if sense is not None:
            _, target, after = complement(words_[position:], language)
            return sense, target, after, True
    return None


def _skippable(words_: Sequence[Token], language: str) -> bool:
    """`meinen Code` in `ich schreibe meinen Code in Vim`."""
    first = words_[0].lower
    return first in ("my", "our", "all", "most") or first.startswith(
        ("mein", "unser", "alle", "uns", "sich")
    )


def _on_day(context: Context) -> list[Draft]:
    """`Freitags arbeite ich`, `I work on Fridays`: the days of a habit."""
    frame, language = context.frame, context.language
    if frame.past:
        return []
    day = next((t for t in frame.rest if HABIT_DAY.match(t.text)), None)
    others = [
        t
        for t in frame.rest
        if t is not day and t.lower not in ("on", "am", "von", "zu", "hause", "aus", ",")
    ]
    if frame.lemma in ("like", "love", "mögen", "stay", "bleiben", "be", "sein"):
        return []
    if day is None or until_stop(others, language):
        return []
    value = parse_value(day.lower if language == "de" else day.text, language)
    subject = context.subject("name")
    if subject is None or value is None or value.kind is not Kind.DATE:
        return []
    lemma = english_name(frame.lemma) if language == "de" else frame.lemma
    lemma = {"arbeiten": "work"}.get(lemma, lemma)
    return [Draft(subject, f"{lemma}_on_day", value, "habit")]


def _measured(context: Context) -> list[Draft]:
    frame, language = context.frame, context.language
    rest = skip_place(list(frame.rest), context)
    found = amount(rest, context)
    if found is None or frame.participle:
        return []
    value, taken = found
    lemma = english_name(frame.lemma) if language == "de" else frame.lemma
    return measured(context, lemma, value, rest[taken:])


def measured(context: Context, lemma: str, value: Value, after: Sequence[Token]) -> list[Draft]:
    """A verb with an amount: an attribute of the subject, or for deeds what was done once."""
    subject = context.subject("measure:")
    if subject is None:
        return []
    unit = value.unit or _noun_after(after, context)
    contrast = context.clause.contrast
    error = contrast is not None and contrast.is_error
    old = old_amount(context, value)
    if lemma in PRICED and value.kind is Kind.MONEY:
        if _per_unit(after):
            return []
        return [Draft(subject, "price", value, "price", old=old, was_error=error)]
    event = context.frame.past and lemma in words("verbs", "events")
    if event:
        return [Draft(subject, f"tally:{lemma}:{unit}", value, "tally", old=old, event=True)]
    if lemma not in words("verbs", "stative") and value.unit not in BASES:
        return []
    if value.number == 1 and value.unit not in BASES and value.kind is not Kind.MONEY:
        return []
    if after and after[0].lower in words("sets", "comparatives"):
        return []
    if lemma in words("verbs", "events") and not _lasting(lemma):
        return []
    name = _measure_name(lemma, value, after, context)
    return [Draft(subject, name, value, "measure", old=old, was_error=error)]


def _lasting(lemma: str) -> bool:
    return lemma in words("verbs", "stative") or lemma == "take"


def _per_unit(after: Sequence[Token]) -> bool:
    return bool(after) and after[0].lower in ("more", "mehr", "less", "weniger", "extra")


def _measure_name(lemma: str, value: Value, after: Sequence[Token], context: Context) -> str:
    noun = _noun_after(after, context)
    if lemma == "have" and value.unit == "employee":
        return "headcount"
    if (
        lemma == "have"
        and value.unit == "person"
        and context.frame.subject[0].lower not in ("i", "ich")
    ):
        return "headcount"
    if value.unit == "percent" and noun:
        return f"measure:{lemma}:{noun}"
    if value.kind is Kind.NUMBER:
        return f"measure:{lemma}:{noun}" if noun else f"measure:{lemma}"
    unit = (value.unit or "").partition("/")[0]
    return f"measure:{lemma}:{unit}"


def _noun_after(after: Sequence[Token], context: Context) -> str:
    kept = until_stop(after, context.language)
    return " ".join(t.lower for t in kept[:2]) if kept else ""


def lasting(context: Context) -> list[Draft]:
    """An amount with a verb that has no sense of its own: `hält 18 Monate`, `We employ 30`."""
    frame, language = context.frame, context.language
    if frame.lemma in ("be", "sein", "have", "haben", "werden", "betragen", "liegen"):
        return []
    if frame.participle or frame.lemma in DATED_VERBS[language]:
        return []
    rest = skip_place(list(frame.rest), context)
    if frame.lemma in ("consist", "bestehen") and rest and rest[0].lower in ("of", "aus"):
        made_of = amount(rest[1:], context)
        return measured(context, "have", made_of[0], rest[1 + made_of[1] :]) if made_of else []
    found = amount(rest, context)
    if found is None:
        return []
    value, taken = found
    lemma = english_name(frame.lemma) if language == "de" else frame.lemma
    if lemma not in words("verbs", "stative") and not (
        context.frame.past and lemma in words("verbs", "events")
    ):
        return []
    return measured(context, lemma, value, rest[taken:])


def having(context: Context) -> list[Draft]:
    """`X has 23 employees`, `We have an office in Leipzig`, `X has an ESP32`."""
    frame, language = context.frame, context.language
    if frame.lemma not in ("have", "haben") or frame.auxiliary:
        return []
    rest = list(frame.rest)
    if found := amount(skip_place(rest, context), context):
        return measured(context, "have", found[0], skip_place(rest, context)[found[1] :])
    core = until_stop(rest, language)
    after = rest[len(core) :]
    if place := _place_of(context, core, after):
        return place
    if with_whom := _with(context, core, after):
        return with_whom
    return _possession(context, core) or _part(context, core)


def _place_of(context: Context, core: Sequence[Token], after: Sequence[Token]) -> list[Draft]:
    if not core or core[-1].lower not in PLACE_NOUNS or not after or after[0].lower != "in":
        return []
    subject = context.subject("has_office_in")
    place = until_stop(after[1:], context.language)
    if context.language == "de":
        place = complement(place, "de")[1]
    if subject is None or not place or not place[0].text[0].isupper():
        return []
    noun = PLACE_NAME.get(core[-1].lower, core[-1].lower)
    predicate = "has_office_in" if noun == "office" else f"has_{noun}_in"
    made = thing(place, "has_office_in", context)
    return [Draft(subject, predicate, made, "place_of")] if made else []


def _with(context: Context, core: Sequence[Token], after: Sequence[Token]) -> list[Draft]:
    """`We have a contract with Optiva`."""
    if not core or not after or after[0].lower not in ("with", "mit") or context.frame.past:
        return []
    partner = complement(after[1:], context.language)[1]
    subject = context.subject("partner_of")
    phrase = context.reader.phrase(core, context.language)
    if phrase is None or subject is None or not partner or not is_name(partner, "en"):
        return []
    noun = normal_noun(phrase.text, context.language).replace(" ", "_")
    made = thing(partner, "partner_of", context)
    return [Draft(subject, f"has_{noun}_with", made, "with")] if made else []


def _possession(context: Context, core: Sequence[Token]) -> list[Draft]:
    """`I have a dog`: what people say that they have."""
    subject = context.subject("has")
    if not core or subject is None or context.frame.past:
        return []
    if core[-1].lower not in words("sets", "possessions") or len(core) > 3:
        return []
    value = literal(core, context)
    return [Draft(subject, "has", value, "possession")] if value else []


def _part(context: Context, core: Sequence[Token]) -> list[Draft]:
    """Only what is named: `has an ESP32`, not `has a good time`."""
    if not core:
        return []
    bare = [t for t in core if t.lower not in PARTS_BY_ARTICLE]
    subject = context.subject("has_part")
    if subject is None or not bare or context.frame.past:
        return []
    named = is_name(bare, "en") if context.language == "en" else _technical(bare)
    if not named:
        return []
    made = thing(core, "has_part", context)
    if made is None:
        return []
    old = _old(context, "has_part")
    contrast = context.clause.contrast
    error = contrast is not None and contrast.is_error
    return [Draft(subject, "has_part", made, "has", confidence=0.75, old=old, was_error=error)]


def _technical(bare: Sequence[Token]) -> bool:
    """In German every noun has a capital: only one with a digit or two capitals is a name."""
    text = bare[-1].text
    return any(c.isdigit() for c in text) or sum(c.isupper() for c in text) > 1
