"""Pages at size: extraction, re-extraction, backlinks and unlinked mentions, as their number grows.

Titles are generated, or those of encyclopedia passages where a corpus is given; every page links to
others at random, some by slug and some with a text, and names a few without linking them.
"""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any

from app.kernel.caller import Caller
from app.kernel.cypher import Q
from app.pages.model import Change, Draft
from app.pages.naming import ascii_slug
from app.wiring import Parts
from bench.recall import Record
from bench.speed import Times

BATCH = 50  # pages written in one transaction
WORDS = (
    *("river", "harbour", "engine", "ledger", "signal", "orchard", "lantern", "quarry", "meadow"),
    *("bridge", "kettle", "archive", "garden", "compass", "vessel", "tunnel", "market", "forest"),
)
MENTIONED = 2  # pages that each page names in prose
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Size:
    """How many pages to make, how many links each has, and how often each read is timed."""

    pages: int
    links: int = 10
    samples: int = 100


@dataclass(frozen=True, slots=True)
class Course:
    """The titles and texts to write, and who hears how far it is."""

    pages: list[tuple[str, str]]
    tell: Tell


def texts(size: Size, passages: tuple[Record, ...], seed: int = 7) -> list[tuple[str, str]]:
    """Titles and Markdown of the pages; the same for the same arguments."""
    chance = random.Random(seed)
    real = {record.title: record.text for record in passages if record.title}
    titles = list(real)[: size.pages]
    for number in range(size.pages - len(titles)):
        titles.append(f"{' '.join(chance.sample(WORDS, 2)).title()} {number}")
    return [(title, _text(chance, titles, real.get(title), size)) for title in titles]


async def grow(opened: Parts, caller: Caller, size: Size, course: Course) -> dict[str, Any]:
    """Write the pages and measure at a tenth of them and at all; figures by step."""
    pages, tell = course.pages, course.tell
    told: dict[str, Any] = {}
    ids: list[str] = []
    for until in sorted({max(1, size.pages // 10), size.pages}):
        tell(f"writing up to {until} pages")
        written = await _written(opened, caller, pages[len(ids) : until], ids)
        tell("reading")
        told[f"{until} pages"] = {**written, **await measure(opened, caller, ids, size)}
    return told


async def measure(opened: Parts, caller: Caller, ids: list[str], size: Size) -> dict[str, Any]:
    """Milliseconds of what is done with one page of many."""
    chance = random.Random(len(ids))
    sample = [chance.choice(ids) for _ in range(size.samples)]
    reads, seen = opened.page_reads, caller.visible

    async def edit(page: str) -> None:
        stored = (await reads.page(seen, page))["page"]
        text = f"{stored['content']}\n\nMore of [[{stored['title']}]] and [[Nowhere {page}]].\n"
        await opened.pages.change(caller, page, Change(content=text))

    found = {
        "backlinks": await _timed(lambda p: reads.backlinks(seen, p, None, 20), sample),
        "unlinked_mentions": await _timed(lambda p: _unlinked(opened, caller, p), sample),
        "re_extraction": await _timed(lambda p: opened.pages.extract_links(caller, p), sample),
        "link_graph_depth_2": await _timed(lambda p: reads.link_graph(seen, p, 2), sample[:25]),
        "edit": await _timed(edit, sample[:25]),
    }
    return {name: asdict(times) for name, times in found.items()}


async def _written(
    opened: Parts, caller: Caller, pages: list[tuple[str, str]], ids: list[str]
) -> dict[str, Any]:
    """Write pages; the rates of texts with what they link to, and of their edges and passages."""
    start = time.perf_counter()
    for at in range(0, len(pages), BATCH):
        drafts = [Draft(text, title=title) for title, text in pages[at : at + BATCH]]
        receipts = await opened.pages.write_many(caller, drafts, settle=False)
        ids.extend(receipt.id for receipt in receipts)
    written = time.perf_counter()
    await opened.due_pages.sweep()
    done = time.perf_counter()
    row = await opened.graph.one(Q.evals.page_links, scope=caller.home)
    return {
        "links": row["links"],
        "written_pages_per_second": round(len(pages) / (written - start), 1),
        "linked_and_cut_pages_per_second": round(len(pages) / (done - written), 1),
    }


async def _unlinked(opened: Parts, caller: Caller, page: str) -> None:
    await opened.page_neighbours.unlinked(caller, page)


async def _timed(work: Callable[[str], Awaitable[Any]], sample: list[str]) -> Times:
    for page in sample[:3]:
        await work(page)
    samples = []
    for page in sample:
        start = time.perf_counter()
        await work(page)
        samples.append((time.perf_counter() - start) * 1000)
    return Times.of(samples)


def _text(chance: random.Random, titles: list[str], real: str | None, size: Size) -> str:
    words = real or " ".join(chance.choice(WORDS) for _ in range(80)).capitalize() + "."
    linked = [_link(chance, chance.choice(titles)) for _ in range(size.links)]
    named = [chance.choice(titles) for _ in range(MENTIONED)]
    return f"{words}\n\nSee {', '.join(linked)}.\n\nNot far from {' and '.join(named)}.\n"


def _link(chance: random.Random, title: str) -> str:
    kind = chance.random()
    if kind < 0.1 and ascii_slug(title):
        return f"[[{ascii_slug(title)}]]"
    return f"[[{title}|there]]" if kind < 0.3 else f"[[{title}]]"
