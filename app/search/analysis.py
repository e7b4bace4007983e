"""Text to search terms, in English and German, and a user's words to a Lucene query.

The index stores our own terms in whitespace-separated properties, so that documents and questions
go through one analysis whatever the database's analyzers do.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache

import Stemmer
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from app.search.irregular import BASES

LANGUAGES = {"en": "english", "de": "german"}  # code: name of the Snowball stemmer
DEFAULT_LANGUAGE = "en"
_DETECT_CHARS = 2000  # enough to tell, and a bound for long texts

# A word, or words joined without a space: co-operate, 2024-05-03, 1,234.56, RFC-1149, someone@x.org
_TOKEN = re.compile(r"\w+(?:[-'’.,:/@_]\w+)*")
_PART = re.compile(r"[^\W_]+")
_CLITIC = re.compile(r"(?:n['’]t|['’](?:s|m|d|re|ve|ll))$")

# Words that say nothing about what a text is about. Words that are also names, months or
# abbreviations in common use (may, will, it, us) are left in.
STOP_WORDS = frozenset(
    [
        "a",
        "about",
        "after",
        "again",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "but",
        "by",
        "ca",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "done",
        "for",
        "from",
        "get",
        "gets",
        "getting",
        "got",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "hers",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it's",
        "its",
        "just",
        "let",
        "me",
        "more",
        "most",
        "my",
        "no",
        "nor",
        "not",
        "of",
        "off",
        "on",
        "once",
        "only",
        "or",
        "other",
        "our",
        "ours",
        "out",
        "over",
        "own",
        "same",
        "she",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "theirs",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "to",
        "too",
        "under",
        "until",
        "up",
        "very",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "whose",
        "why",
        "with",
        "would",
        "you",
        "your",
        "yours",
        "yourself",
        "aber",
        "alle",
        "allem",
        "allen",
        "aller",
        "alles",
        "als",
        "also",
        "am",
        "an",
        "andere",
        "anderen",
        "auch",
        "auf",
        "aus",
        "bei",
        "beim",
        "bin",
        "bis",
        "bist",
        "da",
        "damit",
        "dann",
        "das",
        "dass",
        "dein",
        "deine",
        "dem",
        "den",
        "denn",
        "der",
        "des",
        "dich",
        "die",
        "dies",
        "diese",
        "diesem",
        "diesen",
        "dieser",
        "dieses",
        "dir",
        "doch",
        "dort",
        "du",
        "durch",
        "ein",
        "eine",
        "einem",
        "einen",
        "einer",
        "eines",
        "er",
        "es",
        "etwas",
        "euch",
        "euer",
        "eure",
        "für",
        "gegen",
        "gewesen",
        "hab",
        "habe",
        "haben",
        "hat",
        "hatte",
        "hatten",
        "hier",
        "hin",
        "hinter",
        "ich",
        "ihm",
        "ihn",
        "ihnen",
        "ihr",
        "ihre",
        "ihrem",
        "ihren",
        "ihrer",
        "im",
        "in",
        "indem",
        "ins",
        "ist",
        "ja",
        "jede",
        "jedem",
        "jeden",
        "jeder",
        "jedes",
        "jener",
        "jetzt",
        "kann",
        "kein",
        "keine",
        "keinem",
        "keinen",
        "keiner",
        "können",
        "könnte",
        "machen",
        "mal",
        "man",
        "mein",
        "meine",
        "meinem",
        "meinen",
        "meiner",
        "mich",
        "mir",
        "mit",
        "nach",
        "nicht",
        "nichts",
        "noch",
        "nun",
        "nur",
        "ob",
        "oder",
        "ohne",
        "sehr",
        "sein",
        "seine",
        "seinem",
        "seinen",
        "seiner",
        "seit",
        "sich",
        "sie",
        "sind",
        "so",
        "solche",
        "soll",
        "sollte",
        "sondern",
        "sonst",
        "über",
        "um",
        "und",
        "uns",
        "unser",
        "unsere",
        "unter",
        "viel",
        "vom",
        "von",
        "vor",
        "war",
        "waren",
        "warst",
        "was",
        "weg",
        "weil",
        "welche",
        "welchem",
        "welchen",
        "welcher",
        "welches",
        "wenn",
        "wer",
        "werde",
        "werden",
        "wie",
        "wieder",
        "wir",
        "wird",
        "wirst",
        "wo",
        "wollen",
        "wollte",
        "während",
        "wurde",
        "wurden",
        "würde",
        "würden",
        "zu",
        "zum",
        "zur",
        "zwar",
        "zwischen",
    ]
)


_threads = threading.local()  # a Snowball stemmer is not safe to share between threads


def detect_language(text: str) -> str:
    """`en` or `de`, whichever the text looks more like; `en` where there is nothing to go by."""
    sample = text[:_DETECT_CHARS]
    if not any(character.isalpha() for character in sample):
        return DEFAULT_LANGUAGE
    return str(_identifier().classify(sample)[0])


def analyse(text: str, language: str | None = None) -> list[str]:
    """The terms of a stored text in order, repeats included, stemmed in its language.

    Case, accents and the spellings ae/ä, oe/ö, ue/ü, ss/ß are folded. Words joined by a hyphen or
    the like give the joined form and the parts. Numbers, dates and ids stay as they are.
    """
    stem = _stems(language or detect_language(text))
    return [stem(word) for group in _words(text) for word in group]


def query_terms(text: str) -> list[tuple[str, ...]]:
    """For each word of a question its forms in either language, the words' repeats left out.

    Stop words are left out, unless there is nothing else.
    """
    words = list(dict.fromkeys(word for group in _words(text) for word in group))
    telling = [word for word in words if word not in STOP_WORDS] or words
    stems = [_stems(language) for language in LANGUAGES]
    return list(dict.fromkeys(tuple(dict.fromkeys(s(word) for s in stems)) for word in telling))


def _words(text: str) -> Iterator[list[str]]:
    """Each token's folded forms: itself, or the joined form and the parts."""
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text).casefold()):
        token = _CLITIC.sub("", match.group())
        parts = _PART.findall(token)
        if len(parts) > 1:
            yield ["".join(parts), *parts]
        elif parts:
            yield parts


def _stems(language: str) -> Callable[[str], str]:
    cache: dict[str, Callable[[str], str]] = _threads.__dict__.setdefault("stems", {})
    if language not in cache:
        known = language if language in LANGUAGES else DEFAULT_LANGUAGE
        stemmer, bases = Stemmer.Stemmer(LANGUAGES[known]), BASES[known]
        cache[language] = lambda word: fold(stemmer.stemWord(bases.get(word, word)))
    return cache[language]


def fold(word: str) -> str:
    """Without accents: é to e, ä to a."""
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFKD", word)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@lru_cache(maxsize=1)
def _identifier() -> LanguageIdentifier:
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(LANGUAGES))
    return identifier
