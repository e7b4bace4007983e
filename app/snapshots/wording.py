"""The summary of a day in a model's words: what is asked, and what of the answer stands. Pure.

The model sees the sentences of the page as numbered data. Of what it says only sentences are kept
that name their lines and are borne out by them, as memories are by their turns: no number, name,
date or denial that stands nowhere in them. They bring no markup and no marker, are in the language
of the day, and are sanitised.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.consolidation.guards import Unborne, need_borne, speakers_of
from app.consolidation.window import Turn
from app.errors import LociError
from app.indexing.analysis import detect_language
from app.kernel.ids import digest
from app.llm.citing import Spoken, Task, cited
from app.llm.model import Question
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import sanitize
from app.snapshots.days import Said
from app.snapshots.markdown import one_line

VERSION = "1"
LEAST_LINES = 3  # that are worth a summary
FEWEST, MOST = 2, 6  # sentences of one
LOOKED_AT = 24  # sentences of an answer
LONGEST = 300  # characters of a sentence
SPEAKER = 80  # characters of a speaker's name that are sent
LANGUAGES = {"de": "German", "en": "English"}
MARKUP = re.compile(r"[<>`|{}]|\]\s?[(\[]|://|\bwww\.")

INSTRUCTIONS = (
    "The numbered lines are sentences that were said in one place on one day, some with who said "
    "them. Tell in two to six short plain sentences what was said, from them and from nothing "
    "else, in {language}, without headings, lists and links."
)


@dataclass(frozen=True, slots=True)
class Words:
    """What a model said of lines: `key` tells which were sent; no text where nothing stood."""

    key: str
    text: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Sent:
    """The lines of a page as a model is shown them."""

    lines: tuple[Said, ...]
    language: str
    question: Question

    @property
    def key(self) -> str:
        """Return what tells the content: of the same one nobody is asked twice."""
        return digest("day words", VERSION, self.question.digest)[:32]


def sent(lines: Sequence[Said], policy: SanitizePolicy) -> Sent | None:
    """Return what a model is asked of the lines of a page; None where that are too few."""
    clean = tuple(one for line in lines if (one := _cleaned(line, policy)) is not None)
    if len(clean) < LEAST_LINES:
        return None
    language = _language(clean)
    name = LANGUAGES.get(language, "the language of most of them")
    task = Task("day_summary", VERSION, INSTRUCTIONS.format(language=name))
    told = [f"{one.speaker}: {one.text}" if one.speaker else one.text for one in clean]
    return Sent(clean, language, task.over(told))


def kept(spoken: Spoken, asked: Sent, policy: SanitizePolicy) -> str:
    """Return the sentences of an answer that stand; none where those are too few for a summary."""
    turns = [
        Turn(str(n), {"content": one.text, "speaker": one.speaker, "captured_at": one.at})
        for n, one in enumerate(asked.lines)
    ]
    found: dict[str, None] = {}
    for said in cited(spoken, len(turns))[:LOOKED_AT]:
        text = _clean(said.text, policy) if len(said.text) <= LONGEST else None
        if text and _stands(text, [turns[place] for place in said.lines], asked.language):
            found.setdefault(text)
    return " ".join([*found][:MOST]) if len(found) >= FEWEST else ""


def _stands(text: str, turns: Sequence[Turn], language: str) -> bool:
    if MARKUP.search(text):
        return False
    try:
        spoken = need_borne(text, turns, speakers_of(turns))
    except Unborne:
        return False
    return spoken == language or language not in LANGUAGES


def _language(lines: Sequence[Said]) -> str:
    """The language of most lines."""
    counts = Counter((one.language or detect_language(one.text))[:2].lower() for one in lines)
    return max(sorted(counts), key=counts.__getitem__)


def _cleaned(line: Said, policy: SanitizePolicy) -> Said | None:
    """A line as it may be sent today; None where it holds a marker or may not be stored."""
    speaker = _clean(one_line(line.speaker)[:SPEAKER], policy) if line.speaker.strip() else ""
    text = _clean(line.text, policy)
    return None if text is None or speaker is None else replace(line, speaker=speaker, text=text)


def _clean(text: str, policy: SanitizePolicy) -> str | None:
    """A text as it may be stored; None where it holds a marker or is refused."""
    try:
        done = sanitize(text, policy)
    except LociError:
        return None
    return None if done.marker_ids else one_line(done.text)
