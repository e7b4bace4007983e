"""The two tools that connectors of ChatGPT ask for, in the shape that they read.

Both answer one JSON text and the same as a value. A client may hand a model the text as it is, or
what it has read in it: so the one zone of `search` goes around all results within that text, and
the one of `fetch` is in `text` itself, with no other field that holds words of others.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from pydantic import Field

from app.kernel.caller import Caller
from app.kernel.wire import ShortText, WireModel, model_of
from app.mcp import telling
from app.mcp.schemas import RELEVANT, Question
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.sanitize.hidden import shown
from app.search.bundle import CLOSE, NOTICE, OPEN, element
from app.search.model import Hit
from app.search.schemas import SearchIn
from app.search.telling import recorded
from app.search.whole import memory_of

TITLE = 100  # characters
NO_TAGS = str.maketrans("<>", "‹›")  # a title can neither close the zone nor open one
NOTHING = "Nothing is known of that."


class SoughtIn(WireModel):
    """A question."""

    query: Question = Field(description="The question, as plain text.")


class FetchIn(WireModel):
    """One result."""

    id: Annotated[ShortText, Field(description="`id` of a result of `search`.")]


class ResultOut(msgspec.Struct, frozen=True):
    """A memory that was found, by the beginning of its words."""

    id: str
    title: str
    url: str


class ResultsOut(msgspec.Struct, frozen=True):
    """What was found, the best first. `notice` opens the zone that `end` closes."""

    notice: str
    results: list[ResultOut]
    end: str


class FetchedOut(msgspec.Struct, frozen=True):
    """One memory, whole; `text` is inside the zone, everything else is said by Loci."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]


async def search(services: Services, caller: Caller, asked: SoughtIn) -> Told:
    """Memories for a question, as relevant as the tool of that name that agents have asks for."""
    data = model_of(SearchIn, {"query": asked.query, "min_score": RELEVANT})
    found = await recorded(services.searches, services.questions, caller, data.to_request(caller))
    results = [ResultOut(hit.id, _title(hit), _url(hit.id)) for hit in found.hits]
    notice, end = (f"{NOTICE} {OPEN}", CLOSE) if results else (NOTHING, "")
    return _told(ResultsOut(notice, results, end))


async def fetch(services: Services, caller: Caller, asked: FetchIn) -> Told:
    """One memory, whole; NotFound where it is absent or not visible."""
    found = await memory_of(services.episode_rows, services.searches, caller, asked.id, None)
    said = found.untrusted
    attributes = {
        "speaker": said["speaker"] or "",
        "tags": " ".join(said["tags"]),
        "possibly-changed": "; ".join(
            one["untrusted"]["statement"] for one in found.possible_changes
        ),
    }
    kind = found.kind.replace("_", " ").capitalize()
    return _told(
        FetchedOut(
            found.id,
            f"{kind} {found.id}",
            telling.zoned(f"{kind}:", [element("memory", attributes, said["text"])]),
            _url(found.id),
            {"kind": found.kind, "scope": found.scope, "flags": " ".join(found.flags)},
        )
    )


def _title(hit: Hit) -> str:
    """The title of a memory, or how its words begin, on one line."""
    start, end = hit.span
    memory = hit.memory
    words = memory["title"] or memory["content"][start : min(end, start + 4 * TITLE)]
    line = shown(" ".join(words.split()).translate(NO_TAGS))
    return line if len(line) <= TITLE else f"{line[: TITLE - 1].rstrip()}…"


def _url(memory: str) -> str:
    """By which address the same server reads it: without one a client cites nothing."""
    return f"loci://memory/{memory}"


def _told(value: msgspec.Struct) -> Told:
    return Told(value, msgspec.json.encode(value).decode())


CONNECTOR = (
    Tool(
        name="search",
        title="Search memory",
        description="Find what was said, written or learnt, by words and by meaning. Each result "
        "has the id by which `fetch` reads it whole.",
        takes=SoughtIn,
        gives=ResultsOut,
        run=search,
    ),
    Tool(
        name="fetch",
        title="Read a memory",
        description="Read one result of `search` by its id, whole.",
        takes=FetchIn,
        gives=FetchedOut,
        run=fetch,
    ),
)
