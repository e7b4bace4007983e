"""How predicates are told: a finite verb, what follows it, and a place for the object.

Those of the registry are in `predicates.toml`, those of open predicates follow from their verb or
noun, and may be told with another verb of the same meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from app.extraction.data import pairs
from app.extraction.phrases import ADJECTIVES_DE
from app.extraction.predicates import SLOT, Predicate
from app.extraction.rules.senses import PREPOSITION_EN
from app.extraction.verbs import PARTICIPLE_DE, PREPOSITIONS, german_verbs, readings
from app.facts.clause_words import PLURAL_NOUN
from app.facts.conjugation import english_participle, german_participle, lemma

NAMED = re.compile(r"(?:tion|ness|ity|name|ship|ism|ology)$")


@dataclass(frozen=True, slots=True)
class Form:
    """How a predicate is told: a verb, what follows it with the place of the object, and what the
    subject is put into (`The owner of {}`). `own`: in the words of the clause, so that the object
    keeps the preposition and the article that it has there."""

    verb: str
    rest: str
    past: bool = False
    finite: str = ""  # as it stands, of a verb that no list has
    about: str = ""
    own: bool = False


def is_participle(value: str, language: str) -> bool:
    """Whether a state is told by a participle: what was granted is granted."""
    if " " in value or value != value.lower():
        return False
    if any(form.participle for form in readings(value, language)):
        return True
    return bool((PARTICIPLE_DE if language == "de" else PARTICIPLE_EN).fullmatch(value))


PARTICIPLE_EN = re.compile(r"\w{3,}[^e]ed")


@cache
def form_of(predicate: Predicate, language: str) -> Form | None:
    """The form of a predicate, or None where that language has no word for it."""
    name = predicate.name
    prefix, _, rest = name.partition(":")
    made = MADE.get(prefix) if rest else None
    if made is not None:
        return made(rest, language)
    label = predicate.label_de if language == "de" else predicate.label_en
    if label and label not in (name, name.replace("_", " ")):
        return _labelled(label, language)
    return _open(name, language)


def _labelled(label: str, language: str) -> Form:
    first, _, rest = label.partition(" ")
    rest = rest if SLOT.search(rest) else f"{rest} {{}}".strip()
    known = lemma(first, language)
    if known is not None:
        return Form(known[0], rest, past=known[1])
    if language == "de":
        noun = first[0].isupper()
        return _attribute(label, language) if noun else Form("", rest, finite=first)
    return Form(_bare(first), rest) if first.endswith("s") else _attribute(label, language)


def _bare(finite: str) -> str:
    """The verb of a regular third person: teaches is teach."""
    for ending, other in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh")):
        if finite.endswith(ending):
            return finite.removesuffix(ending) + other
    return finite.removesuffix("s")


def verb_in(told: str, language: str) -> str | None:
    """A predicate's verb in a language; None where it is known in the other one only."""
    if language == "de":
        if told in CORE:
            return CORE[told]
        if told.endswith(("en", "ern", "eln")) and not readings(told, "en"):
            return told
        return next(iter(german_verbs(told)), None)
    known = lemma(told, "en")
    return known[0] if known is not None else told


CORE = {"be": "sein", "have": "haben"}


def head_of(name: str) -> str:
    """The verb in a predicate's name."""
    prefix, _, rest = name.partition(":")
    return (rest or prefix).partition(":")[0].removesuffix("_on_day").partition("_")[0]


def is_german(told: str) -> bool:
    """Return whether a word is a form of a German verb and of no English one."""
    return bool(readings(told, "de")) and not readings(told, "en")


def _by(rest: str, language: str, past: bool = False) -> Form | None:
    verb = verb_in(rest, language)
    if verb is None:
        return None
    if language == "de":
        return Form("werden", f"von {{}} {german_participle(verb)}", past=past)
    return Form("be", f"{english_participle(verb)} by {{}}", past=past)


def _done_by(rest: str, language: str) -> Form | None:
    return _by(rest, language, past=True)


def _measure(rest: str, language: str, past: bool = False) -> Form | None:
    """`last:s`, `have:room`, `take:ramipril`: the noun is told where the amount lacks it."""
    told, _, noun = rest.partition(":")
    verb = verb_in(told, language)
    if verb is None:
        return None
    return Form(verb, f"{{:{noun}}}" if noun else "{}", past=past)


def _did(told: str, language: str) -> Form | None:
    """What somebody did once."""
    verb = verb_in(told, language)
    return None if verb is None else Form(verb, "{}", past=True)


def _tally(rest: str, language: str) -> Form | None:
    return _measure(rest, language, past=True)


def _every(rest: str, language: str) -> Form | None:
    told, _, noun = rest.partition(":")
    verb = verb_in(told, language)
    if verb is None:
        return None
    lead = "alle" if language == "de" else "every"
    return Form(verb, f"{noun_in(noun, language)} {{|{lead}}}".strip())


def _term(rest: str, language: str) -> Form | None:
    told, _, noun = rest.partition(":")
    verb = verb_in(told, language)
    if verb is None:
        return None
    lead = "mit der Frist" if language == "de" else "with a term of"
    return Form(verb, f"{noun_in(noun, language)} {lead} {{}}".strip())


def _attribute(noun: str, language: str) -> Form:
    if language == "de":
        return Form("haben", f"{{}} als {noun_in(noun, language)}")
    return Form("be", "{}", about=noun)


MADE: dict[str, Callable[[str, str], Form | None]] = {
    "by": _by,
    "done_by": _done_by,
    "did": _did,
    "measure": _measure,
    "tally": _tally,
    "every": _every,
    "term": _term,
    "attribute": _attribute,
    "relation": _attribute,
}


def _open(name: str, language: str) -> Form | None:
    """A predicate that no list has: a verb with what follows it, or a noun."""
    if name.endswith("_on_day"):
        verb = verb_in(name.removesuffix("_on_day"), language)
        return None if verb is None else Form(verb, "{on}")
    first, *more = name.replace("_", " ").split()
    if first == "has" and len(more) > 1 and more[-1] in PREPOSITIONS["en"]:
        return _having(more, language)
    if first in ("is", "was") and language == "de" and more and PARTICIPLE_DE.fullmatch(more[0]):
        slot = " ".join((*more[1:], "{}", more[0]))  # wird mit {} geheizt
        return Form("werden", slot, past=first == "was")
    if first in ("is", "was", "has", "be", "have"):
        return None if language == "de" else _labelled(" ".join((first, *more)), "en")
    if more and more[-1] == "of" and not readings(first, "en"):
        return Form("be", f"{' '.join((first, *more))} {{}}") if language == "en" else None
    if _is_noun(first, more):
        return _attribute(" ".join((first, *more)), language)
    return _verbal(first, more, language)


def _is_noun(first: str, more: list[str]) -> bool:
    """Whether a free predicate is a noun, as `nickname` and `favourite food` are."""
    if readings(first, "en") or readings(first, "de"):
        return False
    if more:
        return more[0] not in PREPOSITIONS["en"] and more[-1] not in PREPOSITIONS["en"]
    return NAMED.search(first) is not None


def _verbal(first: str, more: list[str], language: str) -> Form | None:
    known = lemma(first, "en")
    infinitive, past = known if known is not None else (first, False)
    if past or (more and first.endswith("ed")):  # based in, owned by; bought
        if language == "de":
            return None
        slot = " ".join((*more, "{}"))
        return Form("be", f"{first} {slot}") if more else Form(infinitive, slot, past=True)
    if language == "en":
        regular = known is None and first.endswith("s")
        return Form(_bare(first) if regular else infinitive, " ".join((*more, "{}")))
    whole = next(iter(german_verbs(" ".join((infinitive, *more)))), None)
    if whole is not None:
        verb, *rest = whole.split()
        return Form(verb, " ".join((*rest, "{}")))
    german_verb = verb_in(infinitive, "de")
    if german_verb is None or not set(more) <= set(PREPOSITION_DE):
        return None
    return Form(german_verb, " ".join((*(PREPOSITION_DE[w] for w in more), "{}")))


PREPOSITION_DE = {"in": "in"} | {e: d for d, e in reversed(PREPOSITION_EN.items())}


def _having(more: list[str], language: str) -> Form | None:
    """`has_contract_with`."""
    noun, preposition = " ".join(more[:-1]), more[-1]
    if language == "en":
        return Form("have", f"{indefinite(noun)} {preposition} {{}}")
    if preposition not in PREPOSITION_DE:
        return None
    return Form("haben", f"{noun_in(noun, 'de')} {PREPOSITION_DE[preposition]} {{}}")


def noun_in(noun: str, language: str) -> str:
    """A noun of a predicate's name in a language: German ones with their capital."""
    if language != "de" or not noun:
        return noun
    *adjectives, last = _translated().get(noun, noun).split() or [""]
    last = _translated().get(last, last)
    return " ".join([*(_inflected(a, last) for a in adjectives), last[:1].upper() + last[1:]])


def _inflected(adjective: str, noun: str) -> str:
    stem = _adjectives().get(adjective)
    return adjective if stem is None else stem + ("e" if FEMININE.search(noun) else "en")


FEMININE = re.compile(r"(?:ung|heit|keit|schaft|ion|tät|ei|e|in|ik|ur)$")


@cache
def _adjectives() -> dict[str, str]:
    return {english_: german_ for german_, english_ in ADJECTIVES_DE.items()}


@cache
def _translated() -> dict[str, str]:
    """English nouns to the first German one."""
    table = pairs("nouns", "translations")
    return {english_: german_ for german_, english_ in reversed(table.items())}


def first_word(text: str) -> str:
    """Return the first word of a text in lower case."""
    return text.partition(" ")[0].lower()


def indefinite(text: str) -> str:
    """A lower-case noun of one thing takes an article; a name and several things do not."""
    first = first_word(text)
    if not first or text[0] != text[0].lower() or not first[0].isalpha():
        return text
    if first in ("a", "an", "the") or PLURAL_NOUN.search(text.split()[-1]):
        return text
    return f"{'an' if first[0] in 'aeiou' else 'a'} {text}"
