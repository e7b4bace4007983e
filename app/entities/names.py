"""Names of things, brought to keys under which the same name written differently meets.

The first key of a name is the canonical one, from which an entity's id follows; the others are
further ways in which the same thing is written. What a name says beside the name itself, such as
a legal form or "Frau", becomes a mark: two marks of one kind that differ keep two things apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from app.errors import InvalidInput
from app.extraction.given_names import gender_of

KEY_LENGTH = 200  # characters of a key; longer names are cut
SHORTEST_COMPACT = 4  # letters below which a name written together is too easily another word

FAMILIES = {
    "person": "person",
    "organization": "organization",
    "group": "organization",
    "place": "place",
    "event": "event",
    "incident": "event",
    "project": "thing",
    "product": "thing",
    "technology": "thing",
    "artifact": "thing",
    "concept": "thing",
    "decision": "decision",
    "lesson": "lesson",
    "source": "source",
    "collection": "collection",
}
COLLECTION = "collection"  # a table of data, which no text speaks of by its type
UNKNOWN = "unknown"
TYPES = (*FAMILIES, UNKNOWN)


def word_set(words: str) -> frozenset[str]:
    """The words of a line, to be looked up."""
    return frozenset(words.split())


def _same(words: str) -> dict[str, str]:
    return {word: word for word in words.split()}


_QUOTES = str.maketrans(dict.fromkeys("’‘ʼ´`＇", "'"))
_WIDE = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "æ": "ae", "œ": "oe", "ß": "ss"})
_STROKES = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "ð": "d", "þ": "th"})
_DOTTED = re.compile(r"\b(?:[^\W\d_]\.){2,}")  # I.B.M., e.V.
_TOKEN = re.compile(r"[^\W_]+(?:\.\d+)*(?:\+{1,2}|#)?")
_DOMAIN = re.compile(
    r"(?:https?://)?(?:www\.)?((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+"
    r"(?:com|org|net|dev|io|ch|de|at|fr|it|co|ai|app|cloud|eu|uk|us|info|li))/?\Z"
)
_ARTICLES = word_set("the a an der die das dem den des ein eine")
_MASCULINE = word_set("herr herrn mr mister sir")
_FEMININE = word_set("frau fraeulein mrs ms miss madam")
_ACADEMIC = word_set("dr prof professor professorin doktor mag dipl ing med phil rer nat hc rev")
_HONORIFICS = _MASCULINE | _FEMININE
_TITLES = _HONORIFICS | _ACADEMIC
_DEGREES = word_set("phd md msc bsc mba dphil")
# Legal forms by what they are; the second set may end a name that is no organisation's.
_FORMS = {
    **_same("gmbh mbh kg kgaa ohg gbr ug ev eg llc llp plc bv nv sarl srl pty"),
    **{"inc": "inc", "incorporated": "inc", "corp": "corp", "corporation": "corp", "ltd": "ltd"},
}
_LOOSE_FORMS = _same("ag se sa spa ab oy") | {"limited": "ltd"}
_FILLERS = word_set("co company and haftungsbeschraenkt")
_LEADS = frozenset(("firma", "fa"))


@dataclass(frozen=True, slots=True)
class Name:
    """A name read: `keys`, canonical first; `marks` such as `legal:gmbh`; `text` to be shown."""

    text: str
    keys: tuple[str, ...]
    marks: frozenset[str]

    @property
    def canonical(self) -> str:
        """The first key."""
        return self.keys[0]

    @property
    def tokens(self) -> list[str]:
        """The words of the canonical key."""
        return self.keys[0].split()


def family(kind: str) -> str:
    """The family of a type; things of one family may be the same thing."""
    return FAMILIES.get(kind, UNKNOWN)


def compatible(one: str, other: str) -> bool:
    """Whether one thing may have both types; `unknown` goes with any but a table of data."""
    first, second = family(one), family(other)
    if first != second and COLLECTION in (first, second):
        return False
    return first == second or UNKNOWN in (first, second)


def joint_type(one: str, other: str) -> str:
    """Of two types of one thing the one that says more: the first in `TYPES`."""
    return min(one, other, key=TYPES.index)


def clashes(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether two sets of marks differ in a kind of mark that both have."""
    mine = dict(mark.split(":", 1) for mark in one)
    theirs = dict(mark.split(":", 1) for mark in other)
    return any(theirs.get(kind, value) != value for kind, value in mine.items())


def name_keys(name: str, kind: str) -> tuple[str, ...]:
    """The keys of a name, canonical first; InvalidInput (field `name`) for an empty one."""
    return read_name(name, kind).keys


def prefix_key(text: str) -> str:
    """How the canonical key of a name begins that begins with this text."""
    folded = _folded(_trimmed(text)).translate(_WIDE)
    return " ".join(_words(folded))[:KEY_LENGTH]


@lru_cache(maxsize=16384)
def read_name(name: str, kind: str) -> Name:
    """Read a name under a type; InvalidInput (field `name`) where there is nothing to read."""
    text, whole = tidy(name), _trimmed(name)
    if not whole:
        raise InvalidInput("a name holds at least one letter", field="name")
    folded = _folded(_turned(whole) if family(kind) == "person" else whole)
    tokens = _without_article(_words(folded.translate(_WIDE)))
    if not tokens:
        return Name(text, (folded[:KEY_LENGTH],), frozenset())
    core, marks = _stripped(tokens, family(kind))
    domain = _DOMAIN.match(folded) if family(kind) in {"organization", UNKNOWN} else None
    if domain:
        marks = marks | {f"domain:{domain[1]}"}
        core = _words(domain[1])
    keys = [" ".join(core), *_variants(core, folded, family(kind))]
    if domain:
        keys.append(" ".join(core[:-1]))
    return Name(text, _distinct(keys), marks)


def tidy(name: str) -> str:
    """A name as it is shown: one line, no quotes around it, no possessive at its end."""
    text = _trimmed(name)
    article, _, rest = text.partition(" ")
    return rest if article in _ARTICLES and rest else text


def gender(name: Name) -> str | None:
    """`m` or `f` as the title says or, failing that, the given name; None where neither does."""
    for mark in name.marks:
        if mark.startswith("honorific:"):
            return mark[-1]
    tokens = name.tokens
    return gender_of(tokens[0]) if len(tokens) > 1 else None


def _trimmed(name: str) -> str:
    text = " ".join(unicodedata.normalize("NFKC", name).translate(_QUOTES).split())
    return text.removesuffix("'s").strip(" \"'“”„«»()[]{},;:!?").removesuffix("'s")


def _distinct(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key[:KEY_LENGTH] for key in keys if key))


def _turned(text: str) -> str:
    """`Weber, Thomas` as `Thomas Weber`."""
    last, comma, first = text.partition(",")
    if not comma or "," in first or not first.strip() or first.strip().casefold() in _DEGREES:
        return text
    return f"{first.strip()} {last.strip()}"


def _folded(text: str) -> str:
    return _DOTTED.sub(lambda m: m[0].replace(".", ""), text.casefold())


def _plain(text: str) -> str:
    """Letters without their accents; scripts that are not Latin stay as they are."""
    return "".join(_bare(char) for char in text.translate(_STROKES))


def _bare(char: str) -> str:
    base = unicodedata.normalize("NFD", char)[0]
    return base if base.isascii() else char


def words(text: str) -> list[str]:
    """The words of a text as keys have them, none left out; empty for none."""
    return _words(_folded(_trimmed(text)).translate(_WIDE))


def _words(text: str) -> list[str]:
    spoken = _plain(text.replace("'", "").replace("&", " and "))
    tokens = ["and" if token == "und" else token for token in _TOKEN.findall(spoken)]
    return _joined_initials(tokens)


def _joined_initials(tokens: list[str]) -> list[str]:
    """`j r r tolkien` as `jrr tolkien`: single letters in a row are one abbreviation."""
    joined: list[str] = []
    open_run = False
    for token in tokens:
        single = len(token) == 1 and token.isalpha()
        if single and open_run:
            joined[-1] += token
        else:
            joined.append(token)
        open_run = single
    return joined


def _without_article(tokens: list[str]) -> list[str]:
    strip = len(tokens) > 1 and tokens[0] in _ARTICLES and tokens[1] != "and"
    return tokens[1:] if strip else tokens


def _stripped(tokens: list[str], kind: str) -> tuple[list[str], frozenset[str]]:
    if kind == "person":
        return _person(tokens, _TITLES)
    if kind == "organization":
        lead = tokens[1:] if len(tokens) > 1 and tokens[0] in _LEADS else tokens
        return _organization(lead, _FORMS | _LOOSE_FORMS)
    if kind == UNKNOWN:
        core, marks = _organization(tokens, _FORMS)
        return (core, marks) if marks else _person(tokens, _HONORIFICS)
    return tokens, frozenset()


def _person(tokens: list[str], titles: frozenset[str]) -> tuple[list[str], frozenset[str]]:
    start, end = 0, len(tokens)
    while start < end - 1 and tokens[start] in titles:
        start += 1
    while end > start + 1 and tokens[end - 1] in _DEGREES:
        end -= 1
    said = set(tokens[:start])
    sex = "m" if said & _MASCULINE else "f" if said & _FEMININE else None
    return tokens[start:end], frozenset((f"honorific:{sex}",)) if sex else frozenset()


def _organization(tokens: list[str], forms: dict[str, str]) -> tuple[list[str], frozenset[str]]:
    end = len(tokens)
    found: list[str] = []
    while end > 1 and (tokens[end - 1] in forms or _is_filler(tokens[end - 1], found, forms)):
        if tokens[end - 1] in forms:
            found.insert(0, forms[tokens[end - 1]])
        end -= 1
    marks = frozenset((f"legal:{'+'.join(found)}",)) if found else frozenset()
    return tokens[:end], marks


def _is_filler(token: str, found: list[str], forms: dict[str, str]) -> bool:
    # "Acme Co" and "Acme Company" are Acme where it is known to be an organisation, or where a
    # form follows; "Tina and Co" keeps nothing but its first word, as it would be spoken.
    return token in _FILLERS and (bool(found) or "ag" in forms)


def _variants(core: list[str], folded: str, kind: str) -> Iterable[str]:
    if kind == "person":
        return
    if kind in {"organization", "thing", UNKNOWN}:
        compact = "".join(core)
        if len(core) > 1 and len(compact) >= SHORTEST_COMPACT:
            yield compact
    # Zürich is also written Zurich; a person's name is not changed by that much.
    narrow = _stripped(_without_article(_words(folded)), kind)[0]
    yield " ".join(narrow)
