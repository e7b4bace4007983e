"""What stands first in a sentence. Its capital letter tells nothing, so that the word itself, what
follows it, the list of given names and the rest of the text tell whether it is a name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from app.extraction.data import words
from app.extraction.given_names import is_given_name
from app.extraction.segment import LONGEST
from app.extraction.tokens import DETERMINERS, NO_VERBS, PRONOUNS, Token
from app.extraction.verbs import PREPOSITIONS, forms, readings
from app.values.places import spots
from app.values.wording import fold

# What may be a name by its letters, without the signs at its ends.
LETTERS = re.compile(r"\w+(?:['’&.+-]+\w+)*")
WORD_PARTS = re.compile(r"\w+")
ASKED = re.compile(rf"[^.!?\n]{{0,{LONGEST}}}\?")
INFLECTED_DE = re.compile(r"(?:[^aeiou]t|[ei]t|te|ten|st)$")
# Endings that only adverbs have …
ADVERB_DE = re.compile(
    r"(?:weise|lich|mäßig|zeitig|fristig|ständig|ings|falls|mals|halber|wärts|einander|maßen|stens|"
    r"dessen|montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|abends|morgens)$"
)
# … those of adjectives, which nouns have as well (Fisch, Honig) …
ADJECTIVE_DE = re.compile(r"(?:ig|isch|sam|bar|los|haft)$")
# … and of adjectives that agree with a noun: Herzlichen Glückwunsch.
AGREEING_DE = re.compile(r"(?:lich|ig|isch|sam|bar|los|haft|st)e[nrms]?$")
FOLLOWING = re.compile(r" (?P<first>\w+)(?: (?P<second>\w+))?(?: (?P<third>\w+))?")
AND = re.compile(r" (?:und|&) (?P<next>\w+)(?P<more> [A-ZÄÖÜ]\w*)?")
ARTICLE_DE = re.compile(
    r"(?i)\b(?:der|die|das|den|dem|des|eine?[nmrs]?|keine?[nmrs]?|[mds]eine?[nmrs]?|"
    r"unse?re?[nmrs]?|zum|zur|beim|im|am|vom|ins|ans|diese[nmrs]?|jede[nmrs]?|"
    r"zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|viele|einige|mehrere|alle|\d+\.?)\s$"
)
# Who alone can be the subject after a verb, so that what stands before it is none.
NOMINATIVE_DE = frozenset(["ich", "du", "er", "wir", "man"])


@dataclass(frozen=True, slots=True)
class Within:
    """What a text has within its sentences, where a capital tells something: pairs of words with a
    capital side by side, and German nouns, by the article before them."""

    pairs: frozenset[tuple[str, str]]
    nouns: frozenset[str]


def begins_sentence(text: str, start: int) -> bool:
    """Whether a sentence starts at a place, without a search of all before it."""
    at = start
    while at and text[at - 1].isspace():
        at -= 1
    if not at or "\n" in text[at:start] or text[at - 1] in '.!?:;…"“„(':
        return True
    return text[at - 1] in "-*•" and at < start


@lru_cache(maxsize=2)
def written(text: str) -> frozenset[str]:
    """The words of a text as they are written, parts of joined ones among them."""
    found: set[str] = set()
    for match in LETTERS.finditer(text):
        found.add(match[0])
        found.update(WORD_PARTS.findall(match[0]))
    return frozenset(found)


@lru_cache(maxsize=2)
def within(text: str) -> Within:
    """What the sentences of a text have inside."""
    pairs: set[tuple[str, str]] = set()
    nouns: set[str] = set()
    last, last_end = "", -1
    for match in LETTERS.finditer(text):
        word, start = match[0], match.start()
        if not word[0].isupper():
            last_end = -1
            continue
        if last_end == start - 1 and text[last_end] == " ":
            pairs.add((last, word))
        inside = not begins_sentence(text, start)
        if inside and ARTICLE_DE.search(text, max(0, start - 9), start):
            nouns.add(word)
        last, last_end = word, match.end() if inside else -1
    return Within(frozenset(pairs), frozenset(nouns))


def is_closed(word: str, language: str) -> bool:
    """Whether a word in lower case is of a closed class: an adverb, a pronoun, a greeting."""
    return word in _closed(language) or (language == "en" and _is_adverb_en(word))


def _is_adverb_en(word: str) -> bool:
    """Whether an English word is an adverb on -ly: no name (Emily) and no noun (family)."""
    if not word.endswith("ly") or len(word) < 5:
        return False
    return word not in words("openings", "no_adverbs_en") and not is_given_name(word)


@cache
def _closed(language: str) -> frozenset[str]:
    parts = ("adverbs", "joining", "calls")
    found = words("names", "openers") | words("sets", "pronouns") | words("sets", "no_one")
    if language == "de":
        found |= words("openings", "modals_de") | words("openings", "modals_many_de")
        found |= words("sets", "adverbs_de")
    return found.union(*(words("openings", f"{part}_{language}") for part in parts))


def is_first_name(word: str, language: str) -> bool:
    """Whether a word is a given name, and none of a closed class as well."""
    return is_given_name(fold(word)) and not is_closed(word.lower(), language)


def is_known_name(word: str, language: str) -> bool:
    """Whether a list has the word as a name: a given one, a country or a large city."""
    if is_mass(word.lower(), language):
        return False
    if is_first_name(word, language):
        return True
    if is_closed(word.lower(), language) or readings(word, language):
        return False
    return any(spot.edge is None or spot.edge > LARGE for spot in spots(word))


def is_mass(word: str, language: str) -> bool:
    """Whether a word in lower case is a noun that stands without an article, and so at the head of
    a sentence: Coffee, Milch; in German also one that a list has as a name: Handy, Tage."""
    return word in words("openings", f"mass_{language}")


def has_noun_behind(name: str, noun: str) -> bool:
    """Whether a German noun without an article follows a given name, and is none of it: `trinkt
    Nora Kaffee`, `Sag Karl Bescheid`."""
    return is_mass(noun.lower(), "de") and is_first_name(name, "de")


def is_place(one: str, other: str) -> bool:
    """Whether two words are the name of a place: New York."""
    listed = bool(spots(f"{one} {other}"))
    return listed and not any(one.lower() in DETERMINERS[each] for each in ("en", "de"))


LARGE = 2.6  # kilometres from the middle of a city to its edge, of some 50,000 people


def without_adverb(subject: tuple[Token, ...], language: str) -> tuple[Token, ...]:
    """The words of a subject without an adverb before them (`Unfortunately Nora`, `Luckily my
    dog`); none where the adverb says that it is not so, or not yet."""
    if len(subject) < 2:
        return subject
    word, after = subject[0].lower, subject[1]
    named = after.text[0].isupper() and after.lower not in PRONOUNS
    if not named and (language == "de" or after.lower not in DETERMINERS["en"]):
        return subject
    if language == "en" and word in words("openings", "unreal_en"):
        return ()
    listed = word in words("openings", f"adverbs_{language}")
    return subject[1:] if listed or (language == "en" and _is_adverb_en(word)) else subject


def is_adverb_de(word: str) -> bool:
    """Whether a word in lower case is a German adverb, by list or by shape."""
    return word in words("openings", "adverbs_de") or (
        ADVERB_DE.search(word) is not None and not is_given_name(fold(word))
    )


def orders(word: str, language: str) -> bool:
    """Whether a word in lower case may be a verb that orders or asks: Call, Frag, Gib."""
    if language == "en":
        known = any(f.lemma == word and not f.past for f in readings(word, "en"))
        return known or word in words("openings", "orders_en")
    return word in _imperatives_de() or any(
        not f.plural and not f.participle for f in readings(word, "de")
    )


@cache
def _imperatives_de() -> frozenset[str]:
    plain = {
        form.removesuffix("e")
        for form, meant in forms("de").items()
        if form.endswith("e") and any(not (m.past or m.participle or m.plural) for m in meant)
    }
    listed = {verb.removesuffix("n").removesuffix("e") for verb in words("openings", "orders_de")}
    found = {*plain, *listed, *(f"{stem}e" for stem in listed)}
    return words("openings", "imperatives_de") | {form for form in found if len(form) > 2}


def opens(head: str, rest: str, text: str, end: int, language: str) -> bool:
    """Whether the first word of a sentence, with a capital after it, is none of the name that
    `rest` begins: an adverb, a verb, a call. `end` is where `rest` ends in the text."""
    word, named = head.lower(), rest.split(" ", 1)[0]
    if (head, named) in within(text).pairs or is_place(head, named):
        return False
    if word in NAMES_TOO:  # Will Holt; in a question it was taken for a verb before
        return False
    first, closed = is_first_name(named, language), is_closed(word, language)
    order = orders(word, language)
    if TITLE_ENDS.match(text, end) and not (first and (closed or order)):
        return False
    if closed:
        return True
    if is_first_name(head, language):
        return False
    called = " " not in rest and text.startswith("!", end)  # Bye Jon!
    if called or order:
        return True
    if language == "de":
        asked = INFLECTED_DE.search(word) and ASKED.match(text[end : end + LONGEST + 1])
        before = first and (_is_adjective_de(word) or is_adverb_de(word))
        return bool(asked or AGREEING_DE.search(word) or before)
    told = MADE_EN.search(word) is not None or word in words("openings", "adjectives_en")
    return first and told


def _is_adjective_de(word: str) -> bool:
    return ENDING_DE.sub("", word) in words("openings", "adjectives_de")


ENDING_DE = re.compile(r"e[nmrs]?$")


# Verbs that stand first in a question, and given names.
NAMES_TOO = frozenset(["can", "may", "will"])
# A heading, a title or a cell of a table, where each word may have its capital.
TITLE_ENDS = re.compile(r"\s*(?:\n|$|[\"”“»()\]<|])")
# English words that are made from others and go before the name of one person.
MADE_EN = re.compile(r"(?:ing|ed|ist|ish|ful|ous|less|able|ese|[^l]ian|ean|ican)$")


def is_german_name(name: str, text: str, start: int) -> bool:
    """Whether a German sentence begins with a name, by what comes after it: a verb that goes with
    one, and nobody else who could be its subject."""
    word, end = name.lower(), start + len(name)
    if len(name) < 3 or is_closed(word, "de") or is_mass(word, "de"):
        return False
    first = is_known_name(name, "de")
    signed = any(c.isupper() or c.isdigit() for c in name[1:])
    if text.startswith(",", end):
        return first or signed
    if (joined := AND.match(text, end)) is not None:
        other = joined["next"]
        if other[0].islower():  # Sven und ich, Saela und der Gast, but: Frank und frei
            determined = other in DETERMINERS["de"] and not _is_common(name, text)
            return determined or (first and other in PRONOUNS)
        return first or signed or joined["more"] is not None or is_known_name(other, "de")
    follows = FOLLOWING.match(text, end)
    if follows is None:
        return False
    if first and follows["first"] in PREPOSITIONS["de"]:  # Kiel im Februar
        return True
    if first and readings(follows["first"], "de"):  # Norwegen haben wir gesehen
        return True
    if not _goes_with_one(follows):
        return False
    if first or signed:
        return True
    return not (_is_common(name, text) or (follows["second"] or "").lower() in NOMINATIVE_DE)


def _is_common(name: str, text: str) -> bool:
    """Whether a word that no list has as a name is a common one by its shape or by the text."""
    word = name.lower()
    if is_adverb_de(word) or word in words("openings", "adjectives_de") or is_verb_de(word):
        return True
    common = word in written(text) or name in within(text).nouns
    return common or ADJECTIVE_DE.search(word) is not None


def leaves_first(word: str) -> bool:
    """Whether a German word at the head of a sentence leaves the place of the first to the next
    one: `Ausgerechnet Karl hat`, `Aber Karl hat`."""
    return word in JOINING_DE or is_adverb_de(word)


def asks(word: str) -> bool:
    """Whether a German word in lower case, at the head of a question, has its subject behind it."""
    if word in words("openings", "adverbs_de") or word in words("openings", "calls_de"):
        return False
    if word in words("openings", "modals_de") or word in words("openings", "modals_many_de"):
        return True
    return any(not f.participle for f in readings(word, "de")) or bool(INFLECTED_DE.search(word))


def speaks_to(word: str, text: str, end: int) -> bool:
    """Whether a German imperative has a person behind it: `Frag Karl`, and before another object
    `Gib Karl das Buch`."""
    if word not in _imperatives_de() and word not in words("openings", "persons_de"):
        return False
    return word in words("openings", "persons_de") or BEFORE_OBJECT.match(text, end) is not None


BEFORE_OBJECT = re.compile(r" (?:de[mn]|das|die|eine?[nmr]?|meine?[nmr]?|unse?re?[nmr]?) ")
JOINING_DE = frozenset(["und", "aber", "denn", "oder", "doch", "dass", "weil", "wenn", "als", "ob"])


def beside_adjective(before: str) -> bool:
    """Whether an article or an adjective ends what stands before a word: `neues Handy`."""
    if ARTICLE_DE.search(before):
        return True
    last = LAST.search(before)
    if last is None or is_closed(last[1], "de"):
        return False
    return ENDED_DE.search(last[1]) is not None and not readings(last[1], "de")


LAST = re.compile(r"(?:^|\s)([a-zäöüß]+)\s$")
ENDED_DE = re.compile(r"(?<!t)e[nrsm]?$")


def is_verb_de(word: str) -> bool:
    """Whether a word at the head of a sentence may be a German verb: Hab, Stimmt, Essen."""
    return word in _imperatives_de() or bool(readings(word, "de"))


def _goes_with_one(follows: re.Match[str]) -> bool:
    """Whether the first word is a verb of one subject."""
    verb, after = follows["first"], follows["second"] or ""
    if not verb[0].islower() or verb in NO_VERBS:
        return False
    if verb in words("openings", "modals_de"):
        return True
    said = verb[:-1] if verb in CLIPPED_DE else verb
    if found := [f for f in readings(said, "de") if not f.participle]:
        return not all(f.plural for f in found) and not verb.endswith("en")
    if is_closed(verb, "de") or not VERB_SHAPED.match(verb):
        return False
    return not (verb.startswith("ge") and bool(readings(after, "de")))  # Ernst gemeint war das


CLIPPED_DE = frozenset(["hats", "ists", "wars", "machts", "meints"])  # Karl hats gesehen
VERB_SHAPED = re.compile(r"[a-zäöüß]{2,}(?:t|te)$")
