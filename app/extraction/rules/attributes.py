"""Rules for attributes: `the N of X is Y`, `our N is called Y`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.extraction.data import words
from app.extraction.drafts import Context, Draft
from app.extraction.model import Mention, Span
from app.extraction.objects import (
    contrast_words,
    literal,
    thing,
    until_stop,
)
from app.extraction.phrases import (
    attribute,
    attribute_predicate,
    is_many,
    is_name,
    normal_noun,
)
from app.extraction.rules.amounts import amount_of, relative_clause
from app.extraction.rules.copula import BE, UNIQUE, is_be, with_old
from app.extraction.rules.roles import is_job, role
from app.extraction.tokens import DETERMINERS, PRONOUNS, Token
from app.values.model import Kind, Value


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
    return (
        [
            Draft(
                context.named(phrase, "color"), "color", value, "color", read=context.frame.rest[:1]
            )
        ]
        if value
        else []
    )


def called(context: Context) -> list[Draft]:
    """`Our default branch is called main`, `Meine Tochter heißt Enna`, `My name is Anna`."""
    frame, language = context.frame, context.language
    is_called = frame.participle in ("called", "named", "genannt") and frame.auxiliary in BE
    if not is_called and frame.lemma != "heißen":
        return []
    name = until_stop(frame.rest, language)
    if not name or (len(frame.subject) == 1 and frame.subject[0].lower in ("i", "ich")):
        return _own_name(context, name)
    return of_attribute(context, name, "called")


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
    return role(context, rest) or of_attribute(
        context, until_stop(rest, context.language), "attribute"
    )


def _of_relative(
    context: Context, relative: tuple[Mention, str, str], rest: list[Token]
) -> list[Draft]:
    """`The password manager we use is X`."""
    who, verb, noun = relative
    value = literal(until_stop(rest, context.language), context)
    if value is None or verb not in ("use", "have", "need", "run"):
        return []
    return [Draft(who, f"attribute:{noun}", value, "relative")]


COLOUR_NOUNS = ("color", "colour", "farbe", "colors", "colours", "farben")


ADVERBS_OF_DEGREE = frozenset(["very", "quite", "too", "so", "sehr", "ganz", "ziemlich", "zu"])


def of_attribute(context: Context, given: Sequence[Token], rule: str) -> list[Draft]:
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
        return [with_old(context, Draft(subject, "value", code, "value"), error)] if code else []
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
        or is_job(noun, language)
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
    return [with_old(context, Draft(possessor, predicate, target, rule), was)]


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
    held = agent or is_job(noun, language) or noun in words("nouns", "duties")
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
