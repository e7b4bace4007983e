"""What follows the verb: names, values and amounts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from app.extraction.clauses import Contrast
from app.extraction.cues import ADVERBS
from app.extraction.data import words as listed
from app.extraction.drafts import Context
from app.extraction.model import Mention
from app.extraction.phrases import Phrase, is_name, joined
from app.extraction.prefilter import Cue
from app.extraction.tokens import DETERMINERS, PRONOUNS, Token, noun_phrase_end, tokens
from app.extraction.verbs import MERGED, PREPOSITIONS
from app.values.model import Kind, Value
from app.values.parse import parse_value
from app.values.units import UNITS

STOPS = listed("sets", "stops")
KEPT_LINKS = listed("sets", "kept_links")
ABOUT = listed("sets", "about")
NO_UNITS = listed("sets", "no_units")
BASES = frozenset(base for base, _ in UNITS.values())
NUMERIC = (Kind.MONEY, Kind.QUANTITY, Kind.NUMBER)
PERIOD = re.compile(
    r"(?i)^\s*(?:(?:im|pro|per|an?|je|/|every|each)\s?(?:month|year|week|day|hour|quarter|monat|jahr|"
    r"woche|tag|stunde|quartal)|(?:monthly|yearly|weekly|daily|annually|monatlich|jährlich|"
    r"wöchentlich|täglich))\b"
)
FREQUENCY = Cue(
    r"(?i)\b(?:every\s+(?:(?:other|second|\d+|two|three|four|five|six|ten|few)\s+)?(?:second|"
    r"minute|"
    r"hour|day|night|week|month|quarter|year|morning|evening|weekday)s?|(?:once|twice|"
    r"three times|four "
    r"times|\d+ times|\d+x)\s+(?:an?|per|every|each)\s+(?:hour|day|week|month|quarter|year)|daily|"
    r"weekly|monthly|yearly|quarterly|hourly|biweekly|fortnightly|annually|"
    r"alle\s+(?:(?:\d+|zwei|drei|vier|fünf|sechs|zehn)\s+)?(?:Sekunden|Minuten|Stunden|"
    r"Tage|Wochen|Monate|Jahre)|jede[nrs]?\s+(?:(?:zweite[nrs]?|dritte[nrs]?)\s+)?(?:Sekunde|"
    r"Minute|Stunde|Tag|"
    r"Woche|Monat|Quartal|Jahr|Morgen|Abend|Nacht)|(?:ein|zwei|drei|vier|\d+)\s?mal\s+(?:im|pro|am|"
    r"in der|je|die)\s+(?:Stunde|Tag|Woche|Monat|Quartal|Jahr)|täglich|wöchentlich|monatlich|"
    r"jährlich|"
    r"stündlich|vierteljährlich|halbjährlich)\b",
    by="every once twice times x daily weekly monthly yearly quarterly hourly biweekly fortnightly "
    "annually alle jede* mal einmal zweimal dreimal viermal täglich wöchentlich monatlich jährlich "
    "stündlich vierteljährlich halbjährlich",
)


def until_stop(words: Sequence[Token], language: str, *, through: str = "") -> list[Token]:
    """The words of the first complement: up to punctuation, a conjunction with a verb behind it,
    or a preposition that is not part of a name."""
    kept: list[Token] = []
    for position, word in enumerate(words):
        if word.text in ',;:()–—"“”„!?.' or word.lower in STOPS:
            break
        if position and word.lower == "every":
            break  # how often, which is no part of what
        if word.lower in ("and", "und", "or", "oder", "&") and not _goes_on(words, position):
            break
        link = word.lower in PREPOSITIONS[language] and position > 0
        if link and word.lower not in KEPT_LINKS and word.lower not in through.split():
            break
        kept.append(word)
    while kept and kept[-1].lower in ("and", "und", "or", "oder", "of", "the", "a"):
        kept.pop()
    return kept


def _goes_on(words: Sequence[Token], position: int) -> bool:
    after = words[position + 1 :]
    return bool(after) and after[0].lower not in PRONOUNS - {"the", "die", "der", "das"}


def items(words: Sequence[Token]) -> Iterator[list[Token]]:
    """The members of a list: `A, B and C`."""
    member: list[Token] = []
    for word in words:
        if word.lower in ("and", "und", "or", "oder", "&", ","):
            if member:
                yield member
            member = []
        else:
            member.append(word)
    if member:
        yield member


def more_of(words: Sequence[Token], target: Sequence[Token]) -> Iterator[list[Token]]:
    """The further names of a list with commas: `uses React, Vue and Svelte`."""
    rest = [t for t in words if target and t.start > target[-1].start]
    if not rest or rest[0].text != "," or not any(t.lower in ("and", "und") for t in rest):
        return
    listed_ = list(items(rest))
    if all(len(i) <= 3 and i[0].text[0].isupper() and i[-1].text.isalnum() for i in listed_):
        yield from listed_


def amount(words: Sequence[Token], context: Context) -> tuple[Value, int] | None:
    """The number, with its unit or what it counts, at the head of the words, and how many words
    it takes."""
    language = context.language
    start = 0
    while start < len(words) and words[start].lower in ABOUT:
        start += 1
    if start == len(words) or not _is_number(words[start], context):
        return None
    best: tuple[Value, int] | None = None
    for end in range(start + 1, min(len(words), start + 5) + 1):
        if words[end - 1].text in ",;:()" or words[end - 1].lower in STOPS:
            break
        last = words[end - 1].lower
        begins = last in PREPOSITIONS[language] or last in DETERMINERS[language]
        if end > start + 1 and begins:
            break
        value = parse_value(_written(words[start:end], context), context.language)
        if value is None or value.kind not in NUMERIC:
            continue
        open_ = best is not None and (best[0].kind is Kind.NUMBER or _goes_with(best, words[:end]))
        if best is None or (open_ and _better(value, words[end - 1], context)):
            best = value, end
    return best


def rated(value: Value, after: Sequence[Token], context: Context) -> Value:
    """An amount of money with the period that stands behind it: `12 dollars per month`."""
    if value.kind is not Kind.MONEY or not after or "/" in (value.unit or ""):
        return value
    found = PERIOD.match(_written(after, context))
    if found is None:
        return value
    rate = parse_value(f"{value.text} {found[0].strip()}", context.language)
    return rate if rate is not None and rate.kind is Kind.MONEY else value


def _goes_with(best: tuple[Value, int], words: Sequence[Token]) -> bool:
    """Whether a further word belongs to what is counted: `20 wind turbines`."""
    before, last = words[-2].lower, words[-1].lower
    plural = last.endswith("s") and not before.endswith("s")
    return best[0].kind is Kind.QUANTITY and best[0].unit not in BASES and plural


def _is_number(word: Token, context: Context) -> bool:
    return any(c.isdigit() for c in word.text) or _is_number_word(word.lower, context.language)


@lru_cache(maxsize=1024)
def _is_number_word(word: str, language: str) -> bool:
    value = parse_value(word, language)
    return value is not None and value.kind is Kind.NUMBER


def _better(value: Value, last: Token, context: Context) -> bool:
    """Whether the word that was added is a unit or the name of what is counted."""
    if value.kind is not Kind.QUANTITY or value.unit in BASES:
        return True
    if context.language == "de":
        return last.text[0].isupper()
    comparing = last.lower.endswith("er") and value.unit not in (
        "user",
        "customer",
        "server",
        "member",
    )
    return not comparing and last.lower not in NO_UNITS and not last.lower.endswith("ed")


def _written(words: Sequence[Token], context: Context) -> str:
    start = context.clause.start
    return " ".join(context.clause.work[words[0].start - start : words[-1].end - start].split())


def literal(words: Sequence[Token], context: Context) -> Value | None:
    """The words as a value."""
    if not words:
        return None
    return parse_value(_strip_determiner(words, context), context.language)


def _strip_determiner(words: Sequence[Token], context: Context) -> str:
    items_ = list(words)
    if len(items_) > 1 and items_[0].lower in DETERMINERS[context.language]:
        items_ = items_[1:]
    return joined(items_)


def thing(words: Sequence[Token], predicate: str, context: Context) -> Mention | Value | None:
    """The words as the object of a predicate: a name or a value, as the registry has it."""
    row = context.registry.get(predicate)
    if len(words) == 1 and (who := context.reader.person(words[0])) is not None:
        return who
    if row.kind is not Kind.ENTITY:
        phrase = context.reader.phrase(words, context.language)
        if phrase is None and row.kind not in (Kind.DATE, *NUMERIC, None):
            return None
        return literal(words, context)
    phrase = context.reader.phrase(words, context.language)
    if phrase is None:
        return None
    if _unnamed(phrase, row.range, context.language):
        plain = (
            predicate in ("uses", "stored_in", "runs_on")
            and phrase.owner is None
            and len(phrase.head) <= 3
        )
        return literal(words, context) if plain and not phrase.definite else None
    fallback = next(iter(row.range)) if len(row.range) == 1 else "unknown"
    mention = context.reader.mention(phrase, fallback)
    if phrase.owner is not None and phrase.owner.name != "we" and not is_name(phrase.head, "en"):
        name = f"{phrase.owner.name}'s {mention.name}"
        return replace(mention, name=name, named=phrase.owner.named or mention.named)
    return mention


NAMED = frozenset(["technology", "place", "organization", "project"])


def _unnamed(phrase: Phrase, types: frozenset[str], language: str) -> bool:
    """Whether the words only describe what must have a name: `a new project`, `my influence`."""
    if language != "en" or not types & NAMED:
        return False
    return not any(c.isupper() or c.isdigit() for t in phrase.head for c in t.text)


def complement(words: Sequence[Token], language: str) -> tuple[str, list[Token], list[Token]]:
    """Preposition, the phrase that follows it (or the bare object), and the words after that."""
    if not words:
        return "", [], []
    first = words[0].lower
    if first in PREPOSITIONS[language]:
        preposition = MERGED.get(first, first) if language == "de" else first
        taken = _first_phrase(words[1:], language)
        return preposition, taken, list(words[1 + len(taken) :])
    skipped = _adverbs(words) if language == "de" else 0
    taken = _first_phrase(words[skipped:], language)
    return "", taken, list(words[skipped + len(taken) :])


def _adverbs(words: Sequence[Token]) -> int:
    """How many words stand before a determiner that a German noun phrase begins with."""
    for place, word in enumerate(words):
        if word.lower in DETERMINERS["de"]:
            return place
        if not word.text.isalpha() or not word.text[0].islower():
            return 0
    return 0


def _first_phrase(words: Sequence[Token], language: str) -> list[Token]:
    kept = until_stop(words, language)
    if language == "de":
        end = noun_phrase_end(kept, "de")
        if 0 < end < len(kept) and kept[end].lower in ("und", "oder"):
            return kept
        return kept[:end] if end else kept
    return kept


def contrast_words(contrast: Contrast | None, context: Context) -> list[Token]:
    """The old value that the clause names, without its preposition."""
    if contrast is None:
        return []
    clause = context.clause
    plain = ADVERBS.sub(lambda m: " " * len(m[0]), contrast.old)
    old = replace(clause, text=plain, work=plain, start=clause.start + contrast.start)
    words = tokens(old)
    while words and (words[0].lower in PREPOSITIONS[context.language]):
        words = words[1:]
    return until_stop(words, context.language)
