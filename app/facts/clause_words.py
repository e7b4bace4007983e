"""What a clause gives to the telling of its fact: articles and owners, prepositions, its verb, and
what an amount goes on with.

One predicate stands for many words: what lasts six hours "hält" or "dauert", and a date is when
something begins, meets or arrives. A fact is told in those of its own source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from app.extraction.data import words as listed
from app.extraction.inflect import particles
from app.extraction.moments import times
from app.extraction.tokens import DETERMINERS, HABIT_DAY
from app.extraction.verbs import MERGED, PARTICIPLE_DE, PREPOSITIONS, readings
from app.facts.conjugation import plural_form

WORD = re.compile(r"[^\W_](?:[^\W_]|[-./&+'’@#](?=[^\W_]))*[+#%]*")
GAP = 3  # words that a name leaves out between two of its own: Rückruf (von der) Verwaltung
STOPS = listed("sets", "stops") - {"than", "per", "pro", "via", "during", "während"}
NONE_DE = frozenset(["kein", "keine", "keinen", "keinem", "keiner"])
CLOSED = {
    "en": DETERMINERS["en"] | PREPOSITIONS["en"],
    "de": DETERMINERS["de"] | PREPOSITIONS["de"] | frozenset(MERGED) | NONE_DE,
}
# Owners and articles that begin an English noun phrase, as a sentence of the speaker has them.
OWNED = {"the": "the", "our": "our", "my": "the", "a": "a", "an": "an"}
OWN_EN = frozenset(["my"])
OWN_DE = re.compile(r"mein(?:e[nmrs]?)?", re.IGNORECASE)
ARTICLE_DE = re.compile(
    r"(?:der|die|das|den|ein(?:en?)?|(?:m|uns)(?:ein|er)(?:en?)?|diese[rsn]?|jede[rsn]?)",
    re.IGNORECASE,
)
NUMERAL_DE = frozenset(
    ["zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"]
)
# Words that stand for nothing without the one behind them.
DANGLING = frozenset(
    [
        *("every", "each", "the", "a", "an", "and", "or", "between", "from", "to", "at", "of"),
        *("und", "oder", "zwischen", "jede", "jeden", "der", "die", "das", "dem", "den", "von"),
        *("bis", "in", "um", "am", "im"),
    ]
)
NOUN_NEXT = re.compile(r"\s+(?:\d+\.?\s+)?[A-ZÄÖÜ][\w-]*|\s+\d[\d.:]*\d(?!\w)|\s+\d(?!\w)")
PARTS_OF_HOUR = frozenset(["viertel", "quarter", "half", "halb"])
HOUR = re.compile(r"\s+(?:nach|vor|past|to)\s+\w+")
RANGE = re.compile(r"\s+(?:bis|to|until|till|und|and)\s+\w+(?:\s+Uhr\b)?")
NEVER = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Place:
    """A range of characters of a clause, with the words that stand there."""

    start: int
    end: int
    text: str


def place_of(name: str, clause: str, language: str) -> Place | None:
    """Where a clause has a name: as it is, or with words between that the name leaves out."""
    if not name.strip():
        return None
    whole = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", clause, re.IGNORECASE)
    if whole is not None:
        return Place(whole.start(), whole.end(), name)
    wanted = [w[0].lower() for w in WORD.finditer(name)]
    said = list(WORD.finditer(clause))
    if not 1 < len(wanted) <= len(said):
        return None
    for first, word in enumerate(said):
        if word[0].lower() == wanted[0]:
            last = _followed(wanted, said, first, language)
            if last is not None:
                start, end = word.start(), said[last].end()
                return Place(start, end, " ".join(clause[start:end].split()))
    return None


def spelled(words: str, clause: str, language: str) -> str:
    """Words in the letters of a clause, which a state has lost: im Urlaub."""
    found = place_of(words, clause, language)
    return clause[found.start : found.end] if found is not None and found.start else words


def _followed(
    wanted: Sequence[str], said: Sequence[re.Match[str]], at: int, language: str
) -> int | None:
    """The place of the last word of a name whose first one stands at a place."""
    for word in wanted[1:]:
        nearby = range(at + 1, min(at + 2 + GAP, len(said)))
        found = next((i for i in nearby if said[i][0].lower() == word), None)
        if found is None or any(_parts(said[i][0], language) for i in range(at + 1, found)):
            return None
        at = found
    return at


def _parts(word: str, language: str) -> bool:
    """Whether a word is a verb, which parts what stands before it from what follows."""
    return word.islower() and (is_verb(word, language) or word in MODAL_DE)


MODAL_DE = listed("openings", "modals_de") | listed("openings", "modals_many_de")


# Subjects -----------------------------------------------------------------------------------


def as_said(name: str, clause: str, language: str) -> tuple[str, bool]:
    """A subject with the article or the owner that its clause gives it, and whether it is more
    than one."""
    owner, mark, owned = name.partition("'s ")
    own = bool(mark) and owner == "I"
    found = place_of(owned if own else name, clause, language)
    if found is None:
        return name, False
    before, after = clause[: found.start].split(), clause[found.end :].split()
    several = _several(before, after, language)
    article = before[-1] if before else ""
    if own and not (OWN_DE.fullmatch(article) if language == "de" else article.lower() in OWN_EN):
        return name, several
    if language == "en":
        counted = name.islower() and PLURAL_NOUN.search(name) is not None
        told = "my" if own else OWNED.get(article.lower(), "")
        return f"{told} {found.text}".lstrip(), several or counted
    if own:
        return f"{_nominative(article, several=several).capitalize()} {found.text}", several
    led = _led(before)
    weak = article == "den" and found.text.split()[0].endswith("en")  # den Kunden Wiegand
    if led is None or weak:
        return found.text, several
    words = " ".join(led)
    return f"{words[0].upper()}{words[1:]} {found.text}", several or led[0] in NUMERAL_DE


PLURAL_NOUN = re.compile(r"[^su'i]s$")


def _led(before: Sequence[str]) -> list[str] | None:
    """The article, with an adjective behind it, that begins a German subject: what begins its
    clause or stands behind the verb, in the nominative."""
    for size in (1, 2):
        if len(before) < size or not _adjective(before[-size + 1 :] if size > 1 else ()):
            return None
        article, ahead = before[-size].lower(), before[:-size][-1:]
        if ARTICLE_DE.fullmatch(article) or article in NUMERAL_DE:
            free = not ahead or is_verb(ahead[0], "de") or ahead[0] in ("noch", "auch", "sich")
            return [_nominative(article), *before[len(before) - size + 1 :]] if free else None
    return None


def _adjective(words: Sequence[str]) -> bool:
    return all(w.islower() and w.endswith(("e", "er", "es", "en")) for w in words)


def _nominative(article: str, *, several: bool = False) -> str:
    """An article or owner as the subject of a sentence has it."""
    lower = article.lower()
    if lower in ("den", "einen", "unseren"):
        return {"den": "der", "einen": "ein", "unseren": "unser"}[lower]
    if OWN_DE.fullmatch(lower):
        if several or lower in ("meine", "meiner"):
            return "meine"
        return "mein"
    return lower


def is_verb(word: str, language: str) -> bool:
    """Whether a word can be a finite form of a verb."""
    return any(not form.participle for form in readings(word.strip(".,;:!?"), language))


def _several(before: Sequence[str], after: Sequence[str], language: str) -> bool:
    """What the verb next to a name tells of its number; in German it may stand before the name."""
    inverted = before[-1:-4:-1] if language == "de" and not {"wir", "Wir"} & {*before} else []
    for word in (*inverted[:1], *after[:3], *inverted[1:]):
        told = plural_form(word.strip(".,;:!?"), language) if word.islower() or not before else None
        if told is not None:
            return told
    return False


# Objects ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Complement:
    """An object as its clause has it. `preposition` is the one before it, plain; `lead` what
    stands before it of prepositions, articles and owners; `tail` what an amount goes on with, and
    `before` what stands between it and the verb."""

    text: str
    preposition: str = ""
    lead: str = ""
    tail: str = ""
    before: str = ""


def complement_of(name: str, clause: str, language: str) -> Complement:
    """An object with what belongs to it in its clause."""
    owner, mark, owned = name.partition("'s ")
    own = bool(mark) and owner == "I"
    found = place_of(owned if own else name, clause, language)
    if found is None:
        return Complement(name, _preposition(name.split(), language))
    before = _leading(clause[: found.start].split(), language)
    text = _whole(found, clause)
    if not before and not clause[: found.start].strip() and _opens(text, language):
        text = text[0].lower() + text[1:]
    if own and language == "en":
        before = [w for w in before if w.lower() not in OWN_EN]
        text = name
    ahead = clause[: found.start].split()[-1:]
    if ahead and ahead[0].lower() in DEGREE and text.split()[0].lower() in MUCH:
        text = f"{ahead[0]} {text}"
    lead = " ".join(before)
    lead = lead[:1].lower() + lead[1:]
    preposition = _preposition([*before, *text.split()], language)
    tail = _tail(clause[found.end :], language)
    done = closing_participle(clause) if language == "de" else ""
    if done and tail.endswith(done):  # what rose to it is no more than that
        return Complement(text, preposition, lead, tail.removesuffix(done).rstrip())
    return Complement(text, preposition, lead, tail, _between(clause[: found.start].split()))


DEGREE = frozenset(["too", "so", "very", "zu", "sehr"])
MUCH = frozenset(
    ["much", "many", "little", "few", "viel", "viele", "vielen", "wenig", "wenige", "wenigen"]
)


def _opens(text: str, language: str) -> bool:
    """Whether the first word has its capital from the sentence that it begins."""
    first = text.split()[0]
    return first.lower() in CLOSED[language] or (language == "de" and bool(HABIT_DAY.match(first)))


def _whole(found: Place, clause: str) -> str:
    """The words, and what a last one that stands for nothing by itself belongs to."""
    last = found.text.split()[-1].lower()
    after = clause[found.end :]
    if last in DANGLING and (more := NOUN_NEXT.match(after)) is not None:
        return found.text + more[0]
    if last in PARTS_OF_HOUR and (more := HOUR.match(after)) is not None:
        return found.text + more[0]
    if found.text.lower().startswith(("von ", "from ", "zwischen ", "between ")):
        more = RANGE.match(after)
        return found.text + more[0] if more is not None else found.text
    return found.text


def _leading(before: Sequence[str], language: str) -> list[str]:
    """The last words of some that are prepositions, articles and owners."""
    cut = len(before)
    while cut and before[cut - 1].lower() in CLOSED[language]:
        cut -= 1
        if before[cut].lower() in PREPOSITIONS[language]:
            break
    return list(before[cut:])


def _preposition(words: Sequence[str], language: str) -> str:
    first = words[0].lower() if words else ""
    if first not in PREPOSITIONS[language] or len(words) < 2:
        return ""
    return MERGED.get(first, first) if language == "de" else first


def _between(before: Sequence[str]) -> str:
    """What stands between the verb and an amount that is no plain object: (is) in room (4)."""
    small = (i for i in range(len(before) - 1, -1, -1) if before[i].islower())
    at = next((i for i in small if any(is_verb(before[i], each) for each in CLOSED)), None)
    lead = before[at + 1 :] if at is not None else []
    if not 0 < len(lead) <= GAP or lead[0].lower() not in PREPOSITIONS["en"] | PREPOSITIONS["de"]:
        return ""
    return " ".join(lead)


MOST_TAIL = 5  # words
ENDS = re.compile(r"\s*[,;:()–—]|[.!?](?:\s|$)")
AGAINST = frozenset(
    [
        *("instead", "not", "rather", "more", "anymore", "either", "yet", "again"),
        *("nicht", "statt", "anstatt", "mehr", "wieder"),
    ]
)


def _tail(after: str, language: str) -> str:
    """What an amount goes on with, up to a sign, a time, and what it is set against."""
    stop = ENDS.search(after)
    text = times(after[: stop.start()] if stop else after, NEVER)[1]
    kept: list[str] = []
    for word in re.findall(r"\S+|\s{2,}", text[:200]):
        if not word.strip():  # a time was taken out
            if kept:
                break
            continue
        if word.lower() in STOPS | AGAINST or len(kept) == MOST_TAIL:
            break
        kept.append(word)
    if kept and kept[0].lower() in ("and", "und") and kept[1:2] not in (["a"], ["ein"]):
        return ""
    return " ".join(_closed(kept, language))


def _closed(kept: list[str], language: str) -> list[str]:
    """Without what only goes on: a preposition, an article, a conjunction at the end."""
    open_ = CLOSED[language] | {"and", "und", "or", "oder"}
    while kept and kept[-1].lower() in open_:
        kept = kept[:-1]
    return kept


# Verbs --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verbs:
    """The verbs that the words of a clause may be of, in their order: those of its finite words
    and, apart, of its participles. `words` are its words in small letters, without its nouns."""

    finite: tuple[str, ...] = ()
    participles: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


def verbs_of(clause: str, language: str) -> Verbs:
    """The verbs of a clause; in German with the particle that stands at its end."""
    said = [w[0] for w in WORD.finditer(clause)]
    finite: list[str] = []
    participles: list[str] = []
    particle = said[-1] if language == "de" and said and said[-1] in particles() else ""
    for place, word in enumerate(_without_clitics(said) if language == "en" else said):
        if place and word[0].isupper():
            continue
        for form in readings(word.lower(), language):
            if form.participle:
                participles.append(form.lemma)
            if form.past or not form.participle:
                finite += [particle + form.lemma, form.lemma] if particle else [form.lemma]
    small = tuple(w.lower() for w in said if w.islower() or w == said[0])
    return Verbs(tuple(dict.fromkeys(finite)), tuple(dict.fromkeys(participles)), small)


CLITIC = re.compile(r"(?:n['’]t|['’](?P<be>s|m|re)|['’](?:ve|ll|d))$")
IS = {"s": "is", "m": "am", "re": "are"}


def _without_clitics(said: Sequence[str]) -> list[str]:
    """The words with those apart that are written as one: isn't, I'm."""
    found = []
    for word in said:
        clitic = CLITIC.search(word)
        found.append(word[: clitic.start()] if clitic else word)
        if clitic and clitic["be"]:
            found.append(IS[clitic["be"]])
    return [word for word in found if word]


def closing_participle(clause: str) -> str:
    """The German participle at the end of a clause, up to a comma, as far as a list or its form
    tells."""
    words = clause.partition(",")[0].split()
    last = words[-1].strip(".;:!?") if words else ""
    if not last.islower():
        return ""
    known = any(form.participle for form in readings(last, "de"))
    return last if known or PARTICIPLE_DE.fullmatch(last.removeprefix("unter")) else ""
