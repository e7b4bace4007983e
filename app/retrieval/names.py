"""Names that passages go by, and where texts name them: pure.

A key is a name's folded words, joined by spaces. A text names a key where the words stand in it one
after the other, beginning like a name. Of overlapping names the longest counts, from the left.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.extraction.mentions import Rules
from app.indexing.stop_words import STOP_WORDS
from app.kernel.ids import digest

LONGEST = 12  # words of a key; a longer title is not named in running text
SUBJECT_WORDS = 8
GIVEN_WORDS = 6  # of a name that a given triple holds; a longer one is a clause
OPENING = 300  # characters in which a text says what it is about
ARTICLES = frozenset(("the", "a", "an", "der", "die", "das"))
_MONTHS = """
january february march april may june july august september october november december
januar februar märz mai juni juli oktober dezember
"""
MONTHS = frozenset(_MONTHS.split())
# Stop words, and pronouns that the text index takes for telling.
_PRONOUNS = frozenset(
    ("i", "it", "he", "she", "we", "they", "you", "us", "this", "er", "es", "wir")
)
EMPTY = STOP_WORDS | _PRONOUNS
NO_NAMES = EMPTY | MONTHS | {"american", "english", "french", "german", "british", "italian"}

_RULES = Rules()
_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"(?<=\w)['’´`][sS]?\b")
_BESIDE = re.compile(r"[ -]|\. ")  # between the words of one name
_OPENING = re.compile(r"[.!?:;\"“„]\s*$")  # before the first word of a sentence
_NAME = r"[A-ZÄÖÜ][\w.'’-]*(?:\s+(?:(?:of|the|de|von|van|la)\s+)*[A-ZÄÖÜ0-9][\w.'’-]*)*"
_SUBJECT = re.compile(
    r"^[\W_]*(.+?)\W*?(?:[(\[,;:]"
    r"|\b(?:is|was|are|were|may|has|refers?|born|or|and|ist|war|sind|waren|wurde|oder|und)\b)"
)
_ALIAS = re.compile(
    r"(?:\b(?:known|credited|billed|referred to|stylized|abbreviated)\b(?: [a-z]+){0,2}? as"
    r"|\bnicknamed|\bcalled|,?\s\bor|\b(?:bekannt als|genannt))\s*(?:simply )?[\"'“„]*"
    rf"((?:the )?{_NAME})"
)
_BORN = re.compile(rf"\b(?:born(?: as)?|geboren als|eigentlich)\s+({_NAME})")
_SAYS_WHAT = re.compile(
    r"[^.!?]{0,240}?\b(?:is|are|was|were|ist|sind|war|waren)\s+"
    r"(?:an?|the|one|eine?r?|der|die|das)\b"
)
_TOLD = re.compile(r"\W*(?:[(\[]|(?:born|or|geboren|oder)\b)")  # after a subject
_SENTENCE = re.compile(r"(?<=[a-zäöüß)\]])\. (?=[A-ZÄÖÜ])")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text: folded, where it stands, whether it begins like a name, and whether it
    stands beside another that does."""

    folded: str
    start: int
    end: int
    proper: bool
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Naming:
    """A key that stands in a text, by the places of its words; `stop` is exclusive."""

    key: str
    first: int
    stop: int


def words(text: str) -> list[Word]:
    """The words of a text; a possessive ending is no word."""
    plain = _POSSESSIVE.sub(lambda found: " " * len(found[0]), text)
    found = list(_WORD.finditer(plain))
    beside = [_beside(plain, *pair) for pair in pairwise(found)]
    before = [False, *(b and not _opens(plain, m) for b, m in zip(beside, found, strict=False))]
    return [
        Word(
            _folded(match[0]), match.start(), match.end(), not match[0][0].islower(), left or right
        )
        for match, left, right in zip(found, before, [*beside, False], strict=False)
    ]


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()


def _beside(text: str, one: re.Match[str], other: re.Match[str]) -> bool:
    """Whether two words stand beside each other and are both capitalised."""
    capital = one[0][0].isupper() and other[0][0].isupper()
    return capital and bool(_BESIDE.fullmatch(text[one.end() : other.start()]))


def _opens(text: str, word: re.Match[str]) -> bool:
    """Whether a word begins a sentence, and may be capitalised for that."""
    return not word.start() or bool(_OPENING.search(text[max(0, word.start() - 3) : word.start()]))


def key_of(text: str) -> str:
    """A name as a key: folded words without a leading article; empty where nothing is left.

    A name of stop words alone keeps its article, and is no key where it is one word.
    """
    folded = [word.folded for word in words(text)]
    bare = folded[1:] if len(folded) > 1 and folded[0] in ARTICLES else folded
    kept = folded if all(word in EMPTY for word in bare) else bare
    if len(kept) > LONGEST or (len(kept) == 1 and (kept[0] in EMPTY or kept[0].isdigit())):
        return ""
    return " ".join(kept)


def title_keys(title: str) -> dict[str, str]:
    """Every key that a title answers to, with the kind: `title`, `bare` (without its bracket),
    `short` (before the comma)."""
    bare = _without_bracket(title)
    kinds = {key_of(title): "title"}
    kinds.setdefault(key_of(bare), "bare")
    if "," in bare:
        kinds.setdefault(key_of(bare.split(",", 1)[0]), "short")
    kinds.pop("", None)
    return kinds


def _without_bracket(title: str) -> str:
    bare = title.rstrip()
    opening = bare.rfind("(")
    if opening < 0 or not bare.endswith(")") or ")" in bare[opening:-1]:
        return title
    return bare[:opening].rstrip()


def heading_keys(path: Sequence[str]) -> dict[str, str]:
    """What the innermost heading of a passage says that it is about (`heading`): a name of several
    words, since those of one stand above every text."""
    key = key_of(path[-1]) if path else ""
    return {key: "heading"} if " " in key else {}


def opening_keys(text: str, title: str = "") -> dict[str, str]:
    """What the first sentence of a text is about: its `subject`, and further names (`alias`).

    Without a title it must say what its subject is ("X was a …"), or it may be talk; with one, a
    subject that has no word of the title must be told as one.
    """
    head = text[:OPENING]
    says_what = bool(_SAYS_WHAT.match(head))
    if not title and not says_what:
        return {}
    keys = {}
    found = _SUBJECT.match(head)
    if found is not None and (subject := _subject(found[1])):
        told = says_what or bool(_TOLD.match(head, found.end(1)))
        if not title or _is_of(subject, title, told=told):
            keys[subject] = "subject"
    sentence = _SENTENCE.split(head, maxsplit=1)[0]
    for pattern in (_ALIAS, _BORN):
        for alias in pattern.finditer(sentence):
            key = key_of(alias[1])
            if " " in key and MONTHS.isdisjoint(key.split()):
                keys.setdefault(key, "alias")
    return keys


def _is_of(subject: str, title: str, *, told: bool) -> bool:
    """Whether a text of this title is about a subject: a later part of one, or one that tells the
    time or the field first (In 1975, …), opens with something else."""
    own = subject.split()
    titled = {word.folded for word in words(title)} - EMPTY
    return not titled.isdisjoint(own) or (told and own[0] not in EMPTY)


def _subject(text: str) -> str:
    telling = [word for word in words(text) if word.folded not in ARTICLES]
    if not 0 < len(telling) <= SUBJECT_WORDS or not telling[0].proper:
        return ""
    key = key_of(text)
    return "" if is_no_name(key) else key


def is_no_name(key: str) -> bool:
    """One word that is hardly ever a name."""
    return " " not in key and (len(key) < 3 or key in NO_NAMES)


def written(text: str, language: str) -> set[str]:
    """Keys of what a text writes like a name, whether or not anything goes by it."""
    keys = (key_of(mention.name) for mention in _RULES.mentions(text, language))
    return {key for key in keys if key and not is_no_name(key)}


def given_keys(triples: Iterable[tuple[str, str, str]]) -> set[str]:
    """Keys of what given triples (subject, predicate, object) are about."""
    keys = (key_of(end) for subject, _, object_ in triples for end in (subject, object_))
    return {key for key in keys if key and not _is_clause(key) and not is_no_name(key)}


def _is_clause(key: str) -> bool:
    return key.count(" ") >= GIVEN_WORDS


def name_id(scope: str, key: str) -> str:
    """The id of a name's node, which belongs to one scope."""
    return digest("name", scope, key)[:32]


def phrases(text: Sequence[Word]) -> Iterator[Naming]:
    """Every run of words that may be a key: it begins like a name, and is no part of one word."""
    for first, word in enumerate(text):
        if word.proper:
            yield from _runs(text, first)


def _runs(text: Sequence[Word], first: int) -> Iterator[Naming]:
    run: list[str] = []
    for stop in range(first + 1, min(len(text), first + LONGEST) + 1):
        run.append(text[stop - 1].folded)
        if len(run) == 1 and text[first].joined:
            continue
        if any(word not in EMPTY for word in run) or _titled(text[first:stop]):
            yield Naming(" ".join(run), first, stop)


def _titled(run: Sequence[Word]) -> bool:
    """Whether stop words are written as a title is: The Who."""
    return len(run) > 1 and all(word.proper for word in run)


def pieces(text: Sequence[Word]) -> Iterator[Naming]:
    """Every word that may be a key, but stands in the text as a part of a longer name."""
    for first, word in enumerate(text):
        if word.proper and word.joined and word.folded not in EMPTY:
            yield Naming(word.folded, first, first + 1)


def namings(text: Sequence[Word], known: Container[str]) -> dict[str, list[int]]:
    """For each known key its places in the text, as first, stop, first, stop, …"""
    return _places(phrases(text), known)


def partings(text: Sequence[Word], known: Container[str]) -> dict[str, list[int]]:
    """The same for known keys of one word, where it is a part of a longer name."""
    return _places(pieces(text), known)


def _places(namings: Iterable[Naming], known: Container[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for naming in namings:
        if naming.key in known:
            found.setdefault(naming.key, []).extend((naming.first, naming.stop))
    return found


def longest(found: Iterable[tuple[str, Sequence[int]]]) -> dict[str, list[tuple[int, int]]]:
    """Of places as `namings` gives them, those of each key that count: from the left, the longest
    first, and none inside another."""
    spans = sorted(
        (first, -stop, key)
        for key, places in found
        for first, stop in zip(places[::2], places[1::2], strict=True)
    )
    kept: dict[str, list[tuple[int, int]]] = {}
    reached = 0
    for first, stop, key in spans:
        if first >= reached:
            kept.setdefault(key, []).append((first, -stop))
            reached = -stop
    return kept
