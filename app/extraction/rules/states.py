"""Rules for states: active, completed, booked, married."""

from __future__ import annotations

from collections.abc import Sequence

from app.extraction.data import words
from app.extraction.drafts import Context, Draft
from app.extraction.model import Mention
from app.extraction.objects import (
    contrast_words,
    thing,
    until_stop,
)
from app.extraction.phrases import (
    attribute,
    is_name,
)
from app.extraction.rules.copula import BE, is_be, person, with_old
from app.extraction.tokens import DETERMINERS, Token
from app.extraction.verbs import PARTICIPLE_DE, PREPOSITIONS
from app.values.model import Kind, Value
from app.values.states import parse_state
from app.values.wording import normal_text

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
    "vegan": "diet",
}


BY = {"en": frozenset(["by"]), "de": frozenset(["von", "vom", "durch"])}
NO_STATE = words("sets", "no_state")


BETA = frozenset(
    [
        *("in beta", "in alpha", "in the works", "in review", "in production", "in testing"),
        *("in planning", "under investigation", "under discussion", "under repair"),
        *("under maintenance", "in planung", "in prüfung", "im test", "in wartung"),
        *("in reparatur", "in vorbereitung", "on ice", "auf eis"),
    ]
)


# What two are to each other, as said of either with the other's name.
PAIR = {
    "married": "",
    "verheiratet": "",
    "engaged": "engaged to",
    "together": "together with",
    "a couple": "a couple with",
    "verlobt": "verlobt mit",
    "zusammen": "zusammen mit",
    "ein paar": "ein Paar mit",
}


def paired(context: Context) -> list[Draft]:
    """`Wes and Tanya are married`, `Lena und Korbinian sind ein Paar`."""
    frame, subject = context.frame, context.frame.subject
    place = next((i for i, t in enumerate(subject) if t.lower in ("and", "und")), 0)
    said = " ".join(t.lower for t in frame.rest) or frame.participle
    if not 0 < place < len(subject) - 1 or said not in PAIR or frame.past:
        return []
    first, second = (
        context.reader.phrase(part, context.language)
        for part in (subject[:place], subject[place + 1 :])
    )
    if first is None or second is None:
        return []
    one, other = (context.named(each, "married_to") for each in (first, second))
    if not (one.named and other.named):
        return []
    words_ = PAIR[said]
    if not words_:
        return [Draft(one, "married_to", other, "paired", read=frame.rest)]
    text = f"{words_} {other.name}"
    value = Value(Kind.TEXT, f"text:{normal_text(text)}", text)
    return [Draft(one, "is", value, "paired", confidence=0.5, read=(*frame.rest, *subject))]


def wed(context: Context) -> list[Draft]:
    """`Omar got married (to Ana)`, `Omar hat geheiratet`: he is married from then on. Of whom one
    says that he married somebody one rather tells his life: `Reagan married Wyman in 1940`."""
    frame, language, clause = context.frame, context.language, context.clause
    if not (frame.past or frame.auxiliary) or clause.ends or clause.denies or clause.past:
        return []
    rest = list(frame.rest)
    if frame.lemma == "get" and rest and rest[0].lower == "married":
        rest = rest[1:]
        rest = rest[1:] if rest and rest[0].lower == "to" else rest
    elif rest or frame.lemma not in ("marry", "heiraten") or frame.auxiliary in ("be", "werden"):
        return []
    who = context.subject("marital_status")
    if who is None or who.name == "we" or (rest and not is_name(rest, "en")):
        return []
    who = person(who)
    read = frame.rest
    value = Value(Kind.STATE, "state:married", "verheiratet" if language == "de" else "married")
    made = [Draft(who, "marital_status", value, "wed", dated=True, read=read)]
    partner = thing(rest, "married_to", context) if rest else None
    if isinstance(partner, Mention):
        made.append(Draft(who, "married_to", partner, "wed", dated=True, read=read))
    return made


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
    done = frame.auxiliary in ("have", "werden") or frame.lemma in ("werden", "become")
    if not (frame.past or done):
        dated_ = False  # closed today is the day's state, where was closed today is a change
    elif frame.past:
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
    if not frame.past and any(t.lower in BY[language] for t in frame.rest):
        return [], False  # who does it is told, not what became of it
    core = until_stop(frame.rest, language, through="in on under im am")
    if core and core[0].lower in ("in", "im", "on", "under", "out", "up", "off", "am"):
        taken = _longest_state(core)
    else:
        taken = until_stop(frame.rest, language)
    if frame.participle and frame.auxiliary in ("be", "sein", "werden"):
        known = parse_state(frame.participle) is not None
        if taken and frame.rest[0].text not in "," and not known:
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
        if end < len(core) and core[end].lower not in PREPOSITIONS["en"] | PREPOSITIONS["de"]:
            continue  # in the works council
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
        with_old(context, Draft(subject, predicate, value, "state", dated=dated_), _state_of(old))
    ]


def _state_of(old: Sequence[Token]) -> Value | None:
    text = " ".join(t.text for t in old)
    name = parse_state(text) if text else None
    return Value(Kind.STATE, f"state:{name}", text) if name else None
