"""A fact as one sentence: subject, predicate and object in the language of the source.

A predicate's form is a finite verb and what follows it, with a place for the object; those of the
registry are in `predicates.toml`, those of open predicates follow from their verb or noun. The verb
is conjugated for the subject and the tense. A sentence has no full stop: it stands in lists and
beside other sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from app.extraction.data import pairs
from app.extraction.phrases import ADJECTIVES_DE
from app.extraction.predicates import SLOT, Predicate
from app.extraction.rules.senses import PREPOSITION_EN
from app.extraction.rules.states import PARTICIPLE_DE
from app.extraction.tokens import DETERMINERS
from app.extraction.verbs import MERGED, PREPOSITIONS, german_verbs, readings
from app.facts.conjugation import (
    Person,
    english,
    english_participle,
    german,
    german_participle,
    lemma,
    plural_form,
)

I_EN, I_DE = ("i", "ich", "me"), "ich"
WE = ("we", "wir", "us", "uns")
NAMED = re.compile(r"(?:tion|ness|ity|name|ship|ism|ology)$")


@dataclass(frozen=True, slots=True)
class Said:
    """A fact to be told. `kind` and `key` are those of its object; `several` tells that the
    subject is more than one, `past` that it was so, `done` is the participle of what is done to the
    subject and not by it."""

    subject: str
    object: str
    kind: str = "entity"
    key: str = ""
    negated: bool = False
    past: bool = False
    several: bool = False
    done: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """How a predicate is told: a verb, what follows it with the place of the object, and what the
    subject is put into (`The owner of {}`)."""

    verb: str
    rest: str
    past: bool = False
    finite: str = ""  # as it stands, of a verb that no list has
    about: str = ""


def sentence(said: Said, predicate: Predicate, language: str) -> str:
    """The fact in one sentence of that language; English stands in where the words are English."""
    german_only = predicate.label_en in ("", predicate.name) or ":" in predicate.name
    if language != "de" and german_only and _german_word(_head(predicate.name)):
        language = "de"
    if predicate.name == "status" and _is_participle(said.object, language):
        german_ = language == "de"
        return _german(said, Form("sein", "{}")) if german_ else _english(said, Form("be", "{}"))
    form = _form(predicate, "de") if language == "de" else None
    if form is not None:
        form = _passive(form, said.done, "de")
        return _german(replace(said, past=said.past or form.past), form)
    form = _form(predicate, "en") or Form("have", f"{predicate.name} {{}}")
    form = _passive(form, said.done, "en")
    return _english(replace(said, past=said.past or form.past), form)


def done(predicate: str, clause: str, language: str) -> str:
    """The participle by which a clause says of its subject that it is done to it how often a
    predicate tells; empty where the subject does it itself."""
    prefix, _, rest = predicate.partition(":")
    told = frozenset(re.findall(r"[^\W\d_]+", clause.lower()))
    if prefix != "every" or not rest or told.isdisjoint(DONE[language]):
        return ""
    verb = rest.partition(":")[0]
    if language == "de":
        forms = (german_participle(one) for one in (verb, *german_verbs(verb)) if one[-1:] == "n")
    else:
        forms = (english_participle(one) for one in (_verb(verb, "en"),) if one)
    return next((form for form in forms if form in told), "")


DONE = {
    "en": frozenset(["is", "are", "was", "were", "be", "been", "being", "gets", "get"]),
    "de": frozenset(["wird", "werden", "wurde", "wurden"]),
}


def _passive(form: Form, participle: str, language: str) -> Form:
    if not participle:
        return form
    if language == "de":
        return replace(form, verb="werden", rest=f"{form.rest} {participle}")
    return replace(form, verb="be", rest=f"{participle} {form.rest}")


def is_bare(predicate: str) -> bool:
    """Whether a predicate has lost its verb: all that was read of it is that something is done."""
    return predicate in ("every:werden", "every:be")


def _is_participle(value: str, language: str) -> bool:
    """Whether a state is told by a participle: what was granted is granted."""
    if " " in value or value != value.lower():
        return False
    if any(form.participle for form in readings(value, language)):
        return True
    return bool((PARTICIPLE_DE if language == "de" else PARTICIPLE_EN).fullmatch(value))


PARTICIPLE_EN = re.compile(r"\w{3,}[^e]ed")


def as_said(name: str, clause: str, language: str) -> tuple[str, bool]:
    """A subject with the article that its clause gives it, and whether it is more than one."""
    found = _found(name, clause)
    if found is None:
        return name, False
    before, after = clause[: found.start()].split(), clause[found.end() :].split()
    several = _several(before, after, language)
    article = before[-1] if before else ""
    if language == "en":
        counted = name.islower() and PLURAL_NOUN.search(name) is not None
        told = OWNED.get(article.lower(), "")
        return f"{told} {name}".lstrip(), several or counted
    opens = len(before) == 1 and article in NOMINATIVE and after
    if opens and (plural_form(after[0], "de") is not None or lemma(after[0], "de")):
        return f"{article} {name}", several
    return name, several


def object_as_said(name: str, clause: str, language: str) -> str:
    """An object with its article; in German, where a preposition decides the case, with both."""
    found = _found(name, clause)
    if found is None:
        return name
    before = clause[: found.start()].split()[-2:]
    article, ahead = before[-1].lower() if before else "", before[0].lower() if before else ""
    if language == "en":
        return f"{OWNED[article]} {name}" if article in OWNED else name
    if article in MERGED:
        return f"{article} {name}"
    if len(before) > 1 and ahead in PREPOSITIONS["de"] and article in DETERMINERS["de"]:
        return f"{ahead} {article} {name}"
    return f"{article} {name}" if ACCUSATIVE.fullmatch(article) else name


def _found(name: str, clause: str) -> re.Match[str] | None:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", clause, re.IGNORECASE)


def _several(before: list[str], after: list[str], language: str) -> bool:
    """What the verb next to a name tells of its number; in German it may stand before the name."""
    inverted = before[-1:-3:-1] if language == "de" and not {"wir", "Wir"} & {*before} else []
    for word in (*after[:3], *inverted):
        told = plural_form(word.strip(".,;:!?"), language)
        if told is not None:
            return told
    return False


OWNED = {"the": "the", "our": "the", "my": "the", "a": "a", "an": "an"}
NOMINATIVE = frozenset(["Der", "Die", "Das", "Ein", "Eine"])
ACCUSATIVE = re.compile(r"k?ein(?:e|en)?|den|die|das")


# Forms --------------------------------------------------------------------------------------


@cache
def _form(predicate: Predicate, language: str) -> Form | None:
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


def _verb(told: str, language: str) -> str | None:
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


def _head(name: str) -> str:
    """The verb in a predicate's name."""
    prefix, _, rest = name.partition(":")
    return (rest or prefix).partition(":")[0].removesuffix("_on_day").partition("_")[0]


def _german_word(told: str) -> bool:
    return bool(readings(told, "de")) and not readings(told, "en")


def _by(rest: str, language: str, past: bool = False) -> Form | None:
    verb = _verb(rest, language)
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
    verb = _verb(told, language)
    if verb is None:
        return None
    return Form(verb, f"{{:{noun}}}" if noun else "{}", past=past)


def _tally(rest: str, language: str) -> Form | None:
    return _measure(rest, language, past=True)


def _every(rest: str, language: str) -> Form | None:
    told, _, noun = rest.partition(":")
    verb = _verb(told, language)
    if verb is None:
        return None
    lead = "alle" if language == "de" else "every"
    return Form(verb, f"{_noun(noun, language)} {{|{lead}}}".strip())


def _term(rest: str, language: str) -> Form | None:
    told, _, noun = rest.partition(":")
    verb = _verb(told, language)
    if verb is None:
        return None
    lead = "mit der Frist" if language == "de" else "with a term of"
    return Form(verb, f"{_noun(noun, language)} {lead} {{}}".strip())


def _attribute(noun: str, language: str) -> Form:
    if language == "de":
        return Form("haben", f"{{}} als {_noun(noun, language)}")
    return Form("be", "{}", about=noun)


MADE: dict[str, Callable[[str, str], Form | None]] = {
    "by": _by,
    "done_by": _done_by,
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
        verb = _verb(name.removesuffix("_on_day"), language)
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
    german_verb = _verb(infinitive, "de")
    if german_verb is None or not set(more) <= set(PREPOSITION_DE):
        return None
    return Form(german_verb, " ".join((*(PREPOSITION_DE[w] for w in more), "{}")))


PREPOSITION_DE = {"in": "in"} | {e: d for d, e in reversed(PREPOSITION_EN.items())}


def _having(more: list[str], language: str) -> Form | None:
    """`has_contract_with`."""
    noun, preposition = " ".join(more[:-1]), more[-1]
    if language == "en":
        return Form("have", f"{_indefinite(noun)} {preposition} {{}}")
    if preposition not in PREPOSITION_DE:
        return None
    return Form("haben", f"{_noun(noun, 'de')} {PREPOSITION_DE[preposition]} {{}}")


def _noun(noun: str, language: str) -> str:
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


# Sentences ----------------------------------------------------------------------------------


def _english(said: Said, form: Form) -> str:
    subject, person = _subject(said, "en")
    if form.about:
        subject, person = _possessed(said, form.about)
    rest = ROLE.sub(r"\1", OURS.sub(_ours, _filled(form.rest, said, "en")))
    if form.verb == "be" or form.finite:
        verb = form.finite or english("be", person, past=said.past)
        return _spaced(subject, verb, "not" if said.negated else "", rest)
    if not said.negated:
        return _spaced(subject, english(form.verb, person, past=said.past), rest)
    return _spaced(subject, english("do", person, past=said.past), "not", form.verb, rest)


def _possessed(said: Said, noun: str) -> tuple[str, Person]:
    person = Person.MANY if PLURAL_NOUN.search(noun) else Person.ONE
    lower = said.subject.lower()
    if lower in I_EN:
        return f"My {noun}", person
    return (f"Our {noun}" if lower in WE else f"The {noun} of {said.subject}"), person


# What one is by a role has no article: the role of head of sales.
ROLE = re.compile(r"^(the role of )(?:the|an?) ")
# One of several that somebody has: "a customer of ours".
OURS = re.compile(r"^(an? [\w -]+ of )(us|me)$")


def _ours(found: re.Match[str]) -> str:
    return found.group(1) + {"us": "ours", "me": "mine"}[found.group(2)]


PLURAL_NOUN = re.compile(r"[^su'i]s$")


def _german(said: Said, form: Form) -> str:
    subject, person = _subject(said, "de")
    rest = _reflexive(_filled(form.rest, said, "de", form.verb), said)
    verb, particle = form.finite, ""
    if not verb:
        verb, particle = german(form.verb, person, past=said.past)
    if not said.negated:
        return _spaced(subject, verb, KEIN.sub(r"\1", rest), particle)
    if KEIN.match(rest):
        return _spaced(subject, verb, rest, particle)
    if EIN.match(rest):
        return _spaced(subject, verb, f"k{rest}", particle)
    object_, behind = _split(form, rest, said)
    return _spaced(subject, verb, object_, "nicht", behind, particle)


def _split(form: Form, rest: str, said: Said) -> tuple[str, str]:
    """What stands before "nicht" and what behind: an object before it, all else behind."""
    direct = form.verb not in COPULAR and said.kind in ("entity", "text", "")
    if form.rest == "{}":
        return (rest, "") if direct else ("", rest)
    if form.rest.startswith("{} "):
        tail = form.rest.removeprefix("{}")
        return rest.removesuffix(tail), tail
    head = REFLEXIVE.match(rest)
    return (head[0], rest[head.end() :]) if head else ("", rest)


KEIN = re.compile(r"k(ein(?:en|em|er|es|e)?\s)")
EIN = re.compile(r"ein(?:en|e)?\s")
NOMINATIVE_VERBS = frozenset(["sein", "heißen", "lauten", "werden", "bleiben"])
# Before what these say, and not behind it, stands "nicht".
COPULAR = frozenset(["sein", "heißen", "kosten", "wiegen", "lauten", "gehören", "betragen"])
REFLEXIVE = re.compile(r"(?:sich|mich|uns)\b")


def _reflexive(rest: str, said: Said) -> str:
    own = {I_DE: "mich", "i": "mich", "we": "uns", "wir": "uns"}.get(said.subject.lower())
    return re.sub(r"^sich\b", own, rest) if own else rest


def _subject(said: Said, language: str) -> tuple[str, Person]:
    lower = said.subject.lower()
    if lower in I_EN:
        return ("Ich" if language == "de" else "I"), Person.FIRST
    if lower in WE:
        return ("Wir" if language == "de" else "We"), Person.MANY
    person = Person.MANY if said.several else Person.ONE
    return _opened(_told(said.subject, language)), person


def _opened(subject: str) -> str:
    """A capital for the article and the owner that begin a sentence, and for nothing else."""
    return subject[0].upper() + subject[1:] if OPENS.match(subject) else subject


OPENS = re.compile(r"(?:the|an?|my|our)\s")


def _told(name: str, language: str) -> str:
    """A name with its owner: I's sister is my sister, and Noras Schwester in German."""
    owner, mark, owned = name.partition("'s ")
    if not mark:
        return name
    if owner == "I":
        return f"my {owned}" if language == "en" else f"{owned} von mir"
    if language == "de" and owner[-1] not in "sßxz":
        return f"{owner}s {owned}"
    return name


def _filled(rest: str, said: Said, language: str, verb: str = "") -> str:
    slot = SLOT.search(rest)
    if slot is None:
        return rest
    text, what = _object(said, language), slot["what"] or ""
    before = rest[: slot.start()]
    if what == "on":
        text = _dated(text, said.key, language)
    elif what == "a":
        text = _indefinite(text)
    elif what in ("|every", "|alle"):
        text = f"{what[1:]} {text}" if said.kind == "quantity" else text
    elif what.startswith(":"):
        text = _measured(text, what[1:], said, language)
    elif what:
        text = _counted(text, what[1:], said)
    elif language == "de":
        before, text = _cased(before, text, said, verb)
    return f"{before}{text}{rest[slot.end() :]}"


def _cased(before: str, text: str, said: Said, verb: str) -> tuple[str, str]:
    """A German object in the case that the form asks for, as far as its own words tell."""
    own, _, bare = text.partition(" ")
    asked = before.split()[-1] if before.split() else ""
    if verb in ("sein", "werden") and own in PREPOSITIONS["de"] and not asked:
        return before, text  # what it is, or how it is done: mit Kies bedeckt
    if own in PREPOSITIONS["de"] and bare:  # as the clause has it: im Bett, von der Stadt
        plain = MERGED.get(own, own)
        if plain == asked or said.kind == "date" or {plain, asked} <= PLACING:
            head = before.rstrip()
            return head.removesuffix(asked) if asked in PREPOSITIONS["de"] else before, text
        return before, DETERMINED.sub("", bare)
    if asked in PREPOSITIONS["de"] or verb in NOMINATIVE_VERBS or verb == "gehören":
        text = DETERMINED.sub("", text)
    if said.kind == "entity" and not (verb in NOMINATIVE_VERBS and not asked):
        text = re.sub(r"^Herr\b", "Herrn", text)
    return before, "mich" if text == "mir" and not asked and verb != "gehören" else text


PLACING = frozenset(["in", "bei", "auf", "an"])
DETERMINED = re.compile(r"^(?:der|die|das|den|dem|k?ein(?:e|en|em|er)?)\s")


def _object(said: Said, language: str) -> str:
    lower = said.object.lower()
    if said.kind == "entity" and lower in (*I_EN, *WE):
        own = lower in WE
        return ("uns" if own else "mir") if language == "de" else ("us" if own else "me")
    return _told(" ".join(said.object.split()), language)


def _first(text: str) -> str:
    return text.partition(" ")[0].lower()


def _dated(text: str, key: str, language: str) -> str:
    """A date with its preposition: on June 12, in May 2026, am 12. Mai, im Mai 2026."""
    first = _first(text)
    if language == "de" and first in ("der", "den", "dem", "die", "das"):
        text = text.partition(" ")[2] or text
        first = _first(text)
    if first in PREPOSITIONS[language] or BY_ITSELF.match(text):
        return text
    year = re.fullmatch(r"date:\d{4}", key) is not None
    month = re.fullmatch(r"date:(?:\d{4})?-{1,2}\d\d", key) is not None
    time = key.startswith("date:t")
    if language == "de":
        return text if year else f"{'im' if month else 'um' if time else 'am'} {text}"
    return f"{'in' if year or month else 'at' if time else 'on'} {text}"


BY_ITSELF = re.compile(
    r"(?i)(?:next|this|last|every|each|today|tomorrow|tonight|yesterday|now|daily|weekly|once|twice"
    r"|nächste|diese|letzte|kommende|jede|heute|morgen|übermorgen|gestern|täglich|jährlich"
    r"|\w+(?:tag|och|abend|mittag|nacht|morgen)s\b)"
)


def _indefinite(text: str) -> str:
    """A lower-case noun of one thing takes an article; a name and several things do not."""
    first = _first(text)
    if not first or text[0] != text[0].lower() or not first[0].isalpha():
        return text
    if first in ("a", "an", "the") or PLURAL_NOUN.search(text.split()[-1]):
        return text
    return f"{'an' if first[0] in 'aeiou' else 'a'} {text}"


def _counted(text: str, noun: str, said: Said) -> str:
    """A bare number with its unit; what has a unit is left as it is said."""
    worded = any(len(w) > 1 and w[0].isalpha() for w in text.split()[1:])
    return text if worded or said.kind != "number" else f"{text} {noun}"


def _measured(text: str, noun: str, said: Said, language: str) -> str:
    """An amount with what it is an amount of: 98 percent availability, 5 mg of ramipril."""
    unit = said.key.split(":")[1] if said.key.count(":") > 1 else ""
    if noun in (unit, "number") or noun in text.lower():
        return text
    of = " of " if unit not in ("", "percent") and language == "en" else " "
    return f"{text}{of}{_noun(noun, language)}"


def _spaced(*parts: str) -> str:
    """The parts with one blank between them, and none before a mark."""
    return re.sub(r"\s+([.,;:!?]|'s\b)", r"\1", " ".join(" ".join(parts).split()))
