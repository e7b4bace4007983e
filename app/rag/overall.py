"""Which questions are about everything, in English and German: pure.

A question is one where it asks for themes, a summary or what all of it is about, and nothing else
is said: a name, a number or any word that tells something makes it a question about that.
"""

from __future__ import annotations

import re
from collections import deque

from app.indexing.stop_words import STOP_WORDS

WORD = re.compile(r"[^\W_]+")
SMALL = re.compile(r"\d{1,2}")  # how many themes; a longer number is a year or an id


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What is asked for: each of these alone makes a question about everything.
THEMES = _set(
    "theme themes topic topics summary summaries summarise summarize summarised summarized "
    "overview gist hauptthema hauptthemen kernthema kernthemen thema themen themenfelder "
    "themenbereiche kernaussage kernaussagen hauptaussage hauptaussagen hauptpunkte kernpunkte "
    "schwerpunkt schwerpunkte zusammenfassung zusammenfassen überblick gesamtüberblick übersicht"
)
# What is so only where it is called the main one.
PARTS = _set(
    "subject subjects point points idea ideas areas message messages takeaway takeaways "
    "punkt punkte aussage aussagen inhalt inhalte idee ideen bereich bereiche erkenntnisse gedanken"
)
MAIN = _set(
    "main major key overall central common general principal important core essential overarching "
    "top zentral zentrale zentralen zentrales wichtig wichtige wichtigen wichtigste wichtigsten "
    "wesentlich wesentliche wesentlichen allgemeine allgemeinen übergreifende "
    "übergreifenden größten"
)
# What all of it is called.
WHOLE = _set(
    "everything document documents doc docs text texts file files data dataset corpus content "
    "contents material materials collection knowledge base bases library project workspace note "
    "notes memory memories stuff whole entire complete every dokument dokumente dokumenten daten "
    "datei dateien texte texten inhalts korpus sammlung wissen wissensbasis wissensbasen "
    "unterlagen projekt projekts notizen material ganze ganzen ganzes gesamte gesamten gesamtes"
)
# What asks or ties together without telling anything.
FRAME = _set(
    "s re ll give show tell list name write make provide create please short brief quick high "
    "level cover covers covered covering discuss discussed discusses mention mentioned appear "
    "appears occur occurs come comes found contain contains contained contents deal deals "
    "dealt treated addressed involve involved run across most want need like see know me it "
    "one two three four five six seven eight nine ten "
    "gib gebe geben zeig zeige zeigen nenne nennen erstelle erstellen schreib schreibe bitte kurz "
    "kurze kurzen kurzer kommt kommen kam behandelt behandeln besprochen vorkommen enthalten "
    "enthält gibt geht gehen handelt handeln drin stehen steht liste auf vor möchte brauche "
    "worum wovon worüber kannst könnt können eigentlich "
    "insgesamt generell überhaupt zwei drei vier fünf sechs sieben acht neun zehn"
)
# What asks for a person, a place, a time or a cause.
OTHER = _set(
    "who whom whose where when why wer wem wen wessen wann warum weshalb wieso woher wohin"
)
# What begins such a question, and what ends it, on a line of its own.
ASKS_ABOUT = (
    (re.compile(r"\bwhat(?: is| are|['’]s| does| do)\b"), re.compile(r"\babout\b")),
    (re.compile(r"\b(?:worum|um was)\b"), re.compile(r"\b(?:geht|ging)\b")),
    (re.compile(r"\b(?:wovon|von was|worüber)\b"), re.compile(r"\bhandel(?:t|n)\b")),
)
TOGETHER = (re.compile(r"\bfass(?:e|t|en)?\b"), re.compile(r"\bzusammen\b"))
NEUTRAL = STOP_WORDS | THEMES | PARTS | MAIN | WHOLE | FRAME


def is_overall(query: str) -> bool:
    """Whether a question is about everything rather than about something."""
    said = " ".join(query.casefold().split())
    words = frozenset(WORD.findall(said))
    if not OTHER.isdisjoint(words) or not _asks(said, words) or _abbreviates(query):
        return False
    apart = WORD.findall(_without(said, _around(said, TOGETHER)))
    return all(word in NEUTRAL or SMALL.fullmatch(word) for word in apart)


def _asks(said: str, words: frozenset[str]) -> bool:
    """Whether it asks for what questions about everything ask for."""
    if not words.isdisjoint(THEMES) or not (words.isdisjoint(PARTS) or words.isdisjoint(MAIN)):
        return True
    return any(_around(said, pair) for pair in (*ASKS_ABOUT, TOGETHER))


def _abbreviates(query: str) -> bool:
    """Whether a word is in capitals, as the names of things are: IT is not it."""
    return not query.isupper() and any(
        len(word) > 1 and word.isupper() for word in WORD.findall(query)
    )


def _around(said: str, pair: tuple[re.Pattern[str], re.Pattern[str]]) -> list[tuple[int, int]]:
    """Where the first of a pair stands, and the last of the other behind it; [] without both. Each
    is looked for once: a pattern of both would read the rest again for each that begins it."""
    first = pair[0].search(said)
    last = deque(pair[1].finditer(said, first.end()), 1) if first else ()
    return [first.span(), *(found.span() for found in last)] if first and last else []


def _without(said: str, places: list[tuple[int, int]]) -> str:
    """The text without what stands at some places."""
    for start, end in reversed(places):
        said = f"{said[:start]} {said[end:]}"
    return said
