"""A summary in a model's words: what it is asked, and what of its answer is kept. Pure.

The model sees the lines of the outline as numbered data. Of what it says only sentences are kept
that name their lines, and bring no number and no name of the community that those lines do not
have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import orjson

from app.kernel.ids import digest
from app.llm.citing import Cited, Spoken, Task, cited
from app.llm.model import Question

VERSION = "1"
MOST = 5  # sentences
LONGEST = 400  # characters of one
NUMBER = re.compile(r"\d+")

TASK = Task(
    "summary",
    VERSION,
    "Say in at most five short sentences what the numbered lines are about together, from them and "
    "from nothing else, in the language of most of them.",
)


def words_key(lines: Sequence[str]) -> str:
    """What words were made of: they are shown only while it is the same."""
    return digest("summary words", VERSION, *lines)[:32]


def question(lines: Sequence[str]) -> Question:
    """What a model is asked of the lines of a summary."""
    return TASK.over(lines)


def kept(spoken: Spoken, lines: Sequence[str], names: Sequence[str]) -> tuple[Cited, ...]:
    """The sentences that rest on the lines that they cite; `names` are those of the community."""
    found = []
    for said in cited(spoken, len(lines)):
        held = " ".join(lines[place] for place in said.lines)
        if len(said.text) <= LONGEST and _borne(said.text, held, names):
            found.append(said)
    return tuple(found[:MOST])


def packed(words: Sequence[Cited]) -> str:
    """Words as they are stored."""
    return orjson.dumps([[one.text, one.lines] for one in words]).decode()


def opened(stored: str | None) -> tuple[Cited, ...]:
    """Stored words."""
    if stored is None:
        return ()
    return tuple(Cited(text, tuple(lines)) for text, lines in orjson.loads(stored))


def _borne(text: str, held: str, names: Sequence[str]) -> bool:
    numbers = set(NUMBER.findall(text)) <= set(NUMBER.findall(held))
    said, known = text.casefold(), held.casefold()
    return numbers and not any(
        name.casefold() in said and name.casefold() not in known for name in names if name
    )
