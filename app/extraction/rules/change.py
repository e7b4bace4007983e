"""Rules for what changed: moves, amounts that rose or fell, one thing in place of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.extraction.data import words as listed
from app.extraction.drafts import Context, Draft, is_kin
from app.extraction.model import Mention
from app.extraction.objects import amount, literal, thing, until_stop
from app.extraction.openings import is_first_name
from app.extraction.phrases import attribute, attribute_predicate, is_name, joined
from app.extraction.rules.amounts import amount_target, like, relative_clause
from app.extraction.rules.copula import person
from app.extraction.rules.ends import of_habit, office_ended
from app.extraction.rules.places import is_where
from app.extraction.tokens import Token
from app.extraction.verbs import CHANGES, MOVES, REPLACES, SWITCHES
from app.values.model import Value
from app.values.places import spots

FROM = {"en": ("from",), "de": ("von", "vom", "aus")}
TO = {"en": ("to", "into", "onto"), "de": ("nach", "zu", "zum", "zur", "auf", "in", "ins")}


def legs(words: Sequence[Token], language: str) -> tuple[list[Token], list[Token]]:
    """What stands after `from` and what stands after `to`."""
    return _after(words, FROM[language], language), _after(words, TO[language], language)


def _after(words: Sequence[Token], marks: tuple[str, ...], language: str) -> list[Token]:
    for position, word in enumerate(words):
        if word.text in ",;:":
            break
        if word.lower in marks and position + 1 < len(words):
            return until_stop(words[position + 1 :], language, through="")
    return []


def moved(context: Context) -> list[Draft]:
    """`I moved from Bremen to Oldenburg`, `Das Lager zieht von Hamburg nach Bremerhaven um`."""
    frame, language = context.frame, context.language
    if frame.lemma not in MOVES[language]:
        return []
    before, after = legs(frame.rest, language)
    if _patient(context, ("back",)):
        return []
    if not after or not is_name([t for t in after if t.lower != "the"], "en"):
        return []
    subject = context.subject("name")
    if subject is None:
        return []
    if any(t.lower in ("auf", "ins") for t in frame.rest) or not is_where(after, context):
        return []
    predicate = _residence(subject, context)
    if predicate != "stored_in" and not _between_places(before, after, subject, context):
        return []
    place, old = thing(after, predicate, context), None
    if before and is_name(before, "en"):
        old = thing(before, predicate, context)
    if place is None:
        return []
    who = person(subject) if predicate == "lives_in" else subject
    also = ["headquarters_in"] if who.type == "organization" and predicate == "located_in" else []
    back = tuple(t for t in frame.rest if t.lower in ("back", "zurück"))
    return [
        Draft(who, name, place, "moved", old=old, dated=True, read=(*before, *back))
        for name in (predicate, *also)
    ]


def _between_places(
    before: Sequence[Token], after: Sequence[Token], subject: Mention, context: Context
) -> bool:
    """Whether a move goes to a place and not to a tool or a firm (`from Trello to Linear`, `zu
    Hetzner`). In English a list has one of its ends; who has a name and is said to have moved
    somewhere has moved house."""
    if context.language == "de":
        mark = [t.lower for t in context.frame.rest if t.end < after[0].start][-1]
        return mark not in ("zu", "zum", "zur") or bool(spots(joined(after)))
    if not before and (subject.is_speaker or subject.named):
        return True
    return any(spots(joined(end)) for end in (before, after) if end)


def _residence(subject: Mention, context: Context) -> str:
    """People live, data is stored, all else is located."""
    if context.frame.subject[-1].lower in listed("sets", "data_nouns"):
        return "stored_in"
    if subject.name == "we" or subject.type in ("organization", "group"):
        return "located_in"
    phrase = context.subject_phrase()
    if phrase is not None and is_kin(phrase):
        return "lives_in"
    if subject.is_speaker or subject.type == "person":
        lives = phrase is None or subject.name.count("'s ") == 0
        return "lives_in" if lives and not _determined(context) else "located_in"
    return "located_in" if _determined(context) else "lives_in"


def _determined(context: Context) -> bool:
    first = context.frame.subject[0].lower
    return first in ("the", "our", "my", "its", "their", "this", "der", "die", "das") or (
        first.startswith(("unser", "mein"))
    )


def amount_changed(context: Context) -> list[Draft]:
    """`The price rose from 79 to 89 euros`, `Verdelo raised the order to 650 sensors`."""
    frame, language = context.frame, context.language
    if frame.lemma not in CHANGES[language]:
        return []
    words = list(frame.rest)
    if words and words[0].lower in ("up", "down", "back") and language == "en":
        words = words[1:]
    position = next((i for i, t in enumerate(words) if t.lower in (*TO[language], "by")), None)
    if position is None or words[position].lower == "by":
        return []
    found = amount(words[position + 1 :], context)
    if found is None:
        return []
    value = found[0]
    start = next((i for i, t in enumerate(words) if t.lower in FROM[language]), None)
    old = _old_leg(words, start, value, context)
    patient = words[: min(position, start if start is not None else position)]
    found_ = _by_agent(context, patient, value, old) if patient else _of_itself(context, value, old)
    taken = frame.rest[: len(frame.rest) - len(words) + position + 1]
    return [replace(draft, read=taken) for draft in found_]


def _old_leg(words: list[Token], start: int | None, value: Value, context: Context) -> Value | None:
    if start is None:
        return None
    leg: list[Token] = []
    for word in words[start + 1 :]:
        if word.lower in TO[context.language]:
            break
        leg.append(word)
    return like(leg, value, context)


def _of_itself(context: Context, value: Value, old: Value | None) -> list[Draft]:
    relative = relative_clause(context)
    if relative is not None:
        return [
            Draft(
                relative[0],
                f"measure:{relative[1]}:{relative[2]}",
                value,
                "amount_changed",
                old=old,
                dated=True,
            )
        ]
    phrase = context.subject_phrase()
    if phrase is None:
        return []
    target, predicate = amount_target(phrase, value, context)
    if target is None:
        return []
    return [Draft(target, predicate, value, "amount_changed", old=old, dated=True)]


def _by_agent(
    context: Context, patient: Sequence[Token], value: Value, old: Value | None
) -> list[Draft]:
    """`We raised the price of the Moosling`: the price is whose it is, not ours."""
    phrase = context.reader.phrase(
        until_stop(patient, context.language, through="of for von für des der"), context.language
    )
    agent = context.subject("attribute:")
    if phrase is None or agent is None:
        return []
    found = attribute(phrase, context.reader, context.language)
    if found is None:
        return []
    if found.possessor is None and found.noun in ("order", "bestellung"):
        return [
            Draft(agent, f"tally:order:{value.unit}", value, "amount_changed", old=old, event=True)
        ]
    target = found.possessor or agent
    if found.possessor is None and phrase.owner is None and agent.name != "we":
        return [
            Draft(agent, f"attribute:{found.noun}", value, "amount_changed", old=old, dated=True)
        ]
    predicate = attribute_predicate(found.noun, context.language)
    return [Draft(target, predicate, value, "amount_changed", old=old, dated=True)]


def switched(context: Context) -> list[Draft]:
    """`We switched from Slack to Matrix`, `Wir sind auf Rust umgestiegen`, `X changed to Y`."""
    frame, language = context.frame, context.language
    if frame.lemma not in SWITCHES[language]:
        return []
    before, after = legs(frame.rest, language)
    if not after:
        return []
    if patient := _patient(context):
        if (who := _whom(context, patient)) is not None:
            return _person_switched(context, who, before, patient)
        return _patient_switched(context, patient, before, after)
    phrase = context.subject_phrase()
    found = attribute(phrase, context.reader, language) if phrase else None
    subject: Mention | None
    if found is not None and found.possessor is not None:
        predicate, subject = attribute_predicate(found.noun, language), found.possessor
    elif is_name(_without_version(after), "en") and not _moves_in_with(after, context):
        predicate, subject = "uses", context.subject("uses")
    else:
        return []
    if subject is None or (
        phrase is not None and phrase.definite and predicate == "uses" and found is None
    ):
        return []
    new = thing(after, predicate, context)
    old = thing(before, predicate, context) if before else None
    if new is None or (frame.lemma in ("change", "move", "convert") and old is None):
        return []
    return [Draft(subject, predicate, new, "switched", old=old, dated=True, read=tuple(before))]


def _moves_in_with(after: Sequence[Token], context: Context) -> bool:
    """`Tom ist zu Lena umgezogen`."""
    moves = context.frame.lemma in MOVES[context.language]
    return moves and is_first_name(after[0].text, context.language)


def _without_version(words: Sequence[Token]) -> list[Token]:
    """`the React 19` as React."""
    name = [t for t in words if t.lower not in ("the", "der", "die", "das")]
    return [t for t in name if not t.text[0].isdigit()]


def _patient(context: Context, passed: tuple[str, ...] = ()) -> list[Token]:
    """What is moved: `our provider` in `we changed our provider from A to B`."""
    taken: list[Token] = []
    for word in context.frame.rest:
        if word.lower in (*FROM[context.language], *TO[context.language]) or word.text in ",;:":
            break
        if word.lower not in passed:
            taken.append(word)
    return taken if taken and taken[0].lower not in ("over", "all", "completely") else []


def _whom(context: Context, patient: list[Token]) -> Mention | None:
    """The person who is moved from one thing to another, as the speaker or by a name."""
    if len(patient) == 1 and (who := context.reader.person(patient[0])) is not None:
        return who
    found = thing(patient, "managed_by", context) if is_name(patient, "en") else None
    return found if isinstance(found, Mention) else None


def _person_switched(
    context: Context, who: Mention, before: list[Token], patient: list[Token]
) -> list[Draft]:
    """`They have switched me from warfarin to apixaban`: what he had is over; what he has now has a
    name, and nobody says what it is to him."""
    old = thing(before, "uses", context) or literal(before, context) if before else None
    if old is None:
        return []
    after = tuple(t for t in context.frame.rest if t not in before)
    return [of_habit(who, old, (*patient, *after))]


def _patient_switched(
    context: Context, patient: list[Token], before: list[Token], after: list[Token]
) -> list[Draft]:
    phrase = context.reader.phrase(patient, context.language)
    found = attribute(phrase, context.reader, context.language) if phrase else None
    if phrase is None or found is None or not phrase.definite:
        return []
    if found.possessor is not None:
        subject, predicate = found.possessor, attribute_predicate(found.noun, context.language)
    else:
        data = found.head_word in listed("sets", "data_nouns")
        predicate = "stored_in" if data else "runs_on"
        subject = context.named(phrase, predicate)
    new, old = thing(after, predicate, context), None
    if before:
        old = thing(before, predicate, context)
    if new is None or old is None:
        return []
    read = tuple(patient)
    return [Draft(subject, predicate, new, "switched", old=old, dated=True, read=read)]


def replaced(context: Context) -> list[Draft]:
    """`Redmine replaces Jira`, `We replaced Jira with Redmine`, `Silas replaces Marta as N`."""
    frame, language = context.frame, context.language
    if frame.lemma not in REPLACES[language]:
        return []
    words = list(frame.rest)
    first = until_stop(words, language)
    link = words[len(first)].lower if len(first) < len(words) else ""
    second = until_stop(words[len(first) + 1 :], language)
    if frame.participle and frame.auxiliary in ("be", "werden", "sein"):
        return _passive_replacement(context, words)
    if link in ("with", "by", "durch", "mit") and second:
        return _exchange(context, first, second)
    if link in ("as", "als") and second:
        return _successor(context, first, words[len(first) + 1 :])
    if frame.subject and first and is_name(first, "en") and is_name(frame.subject, "en"):
        return _in_use(context, list(frame.subject), first)
    return []


def _passive_replacement(context: Context, words: Sequence[Token]) -> list[Draft]:
    by = next((i for i, t in enumerate(words) if t.lower in ("by", "with", "durch", "von")), None)
    if by is None:
        return []
    new = until_stop(words[by + 1 :], context.language)
    if not is_name(new, "en") or not is_name(context.frame.subject, "en"):
        return []
    return _in_use(context, new, list(context.frame.subject))


def _exchange(context: Context, old: list[Token], new: list[Token]) -> list[Draft]:
    subject = context.subject("uses")
    if subject is None or not is_name(new, "en") or not is_name(old, "en"):
        return []
    return _uses(context, subject, new, old)


def _in_use(context: Context, new: list[Token], old: list[Token]) -> list[Draft]:
    span = context.reader.phrase(new, context.language)
    if span is None or (context.frame.past and not _recent(context)):
        return []
    return _uses(context, context.reader.group(context.reader.mention(span).span), new, old)


def _recent(context: Context) -> bool:
    """Whether the clause tells when, and so of a change here and not of history."""
    clause = context.clause
    return context.frame.auxiliary == "have" or clause.newer or bool(clause.when)


def _uses(
    context: Context, subject: Mention, new: Sequence[Token], old: Sequence[Token]
) -> list[Draft]:
    target, former = thing(new, "uses", context), thing(old, "uses", context)
    if target is None or former is None:
        return []
    return [Draft(subject, "uses", target, "replaced", old=former, dated=True)]


def _successor(context: Context, old: list[Token], office: list[Token]) -> list[Draft]:
    language = context.language
    words = until_stop(office, language, through="of for von für des der bei at")
    phrase = context.reader.phrase(words, language)
    found = attribute(phrase, context.reader, language) if phrase else None
    subject = context.subject("managed_by")
    former = thing(old, "managed_by", context)
    if found is None or subject is None or former is None or phrase is None:
        return []
    new = person(subject)
    holder = found.possessor or context.reader.group(context.reader.mention(phrase).span)
    predicate = (
        attribute_predicate(found.noun, language) if found.possessor else f"attribute:{found.noun}"
    )
    read = tuple(words)
    made = [Draft(holder, predicate, new, "successor", old=former, dated=True, read=read)]
    if isinstance(former, Mention):
        made.append(office_ended(former, found.possessor, phrase.text, read))
    return made
