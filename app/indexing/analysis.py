"""Text to search terms, in English and German.

The index stores our own terms in whitespace-separated properties, so that documents and questions
go through one analysis whatever the database's analyzers do.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import Stemmer
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from app.indexing.irregular import BASES
from app.indexing.stop_words import STOP_WORDS

LANGUAGES = {"en": "english", "de": "german"}  # code: name of the Snowball stemmer
DEFAULT_LANGUAGE = "en"
_DETECT_CHARS = 600  # enough to tell, and a bound for long texts

# A word, or words joined without a space: co-operate, 2024-05-03, 1,234.56, RFC-1149, someone@x.org
_TOKEN = re.compile(r"\w+(?:[-'’.,:/@_]\w+)*")
_PART = re.compile(r"[^\W_]+")
_CLITIC = re.compile(r"(?:n['’]t|['’](?:s|m|d|re|ve|ll))$")

_LONGEST = 64  # characters of a term; longer ones are no words, and are cut

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
    spoken = language or detect_language(text)
    known = spoken if spoken in LANGUAGES else DEFAULT_LANGUAGE
    return [_stem(known, word) for word in _words(text)]


def query_terms(text: str) -> list[tuple[str, ...]]:
    """For each word of a question its forms in either language, the words' repeats left out.

    Stop words are left out, unless there is nothing else.
    """
    words = dict.fromkeys(_words(text))
    telling = [word for word in words if word not in STOP_WORDS] or words
    return list(dict.fromkeys(map(_forms, telling)))


def telling_terms(text: str) -> list[tuple[str, ...]]:
    """The same without stop words, where there is nothing else too."""
    words = dict.fromkeys(word for word in _words(text) if word not in STOP_WORDS)
    return list(dict.fromkeys(map(_forms, words)))


def _words(text: str) -> Iterator[str]:
    """The folded words; of a joined token the joined form and the parts."""
    folded = text if text.isascii() else unicodedata.normalize("NFKC", text)
    for token in _TOKEN.findall(folded.casefold()):
        if token.isalnum():
            yield token[:_LONGEST]
        else:
            yield from _parts(_CLITIC.sub("", token))


def _parts(token: str) -> Iterator[str]:
    parts = _PART.findall(token)
    if len(parts) > 1:
        yield "".join(parts)[:_LONGEST]
    yield from (part[:_LONGEST] for part in parts)


def _forms(word: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_stem(language, word) for language in LANGUAGES))


@lru_cache(maxsize=1 << 16)
def _stem(language: str, word: str) -> str:
    return fold(_stemmer(language).stemWord(BASES[language].get(word, word)))


def _stemmer(language: str) -> Stemmer.Stemmer:
    stemmers: dict[str, Stemmer.Stemmer] = _threads.__dict__.setdefault("stemmers", {})
    if language not in stemmers:
        stemmers[language] = Stemmer.Stemmer(LANGUAGES[language])
    return stemmers[language]


def fold(word: str) -> str:
    """Without accents: é to e, ä to a."""
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFKD", word)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@lru_cache(maxsize=1)
def _identifier() -> LanguageIdentifier:
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=False)
    identifier.set_languages(list(LANGUAGES))
    return identifier
