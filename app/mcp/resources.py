"""Memories, pages, entities and skills by URI."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

import msgspec
from mcp.types import ReadResourceResult, ResourceTemplate, TextResourceContents

from app.entities.schemas import EntityOut
from app.errors import NotFound
from app.facts.sentences import ProfileOut, sentences_of
from app.facts.service import Moments
from app.kernel.caller import Caller
from app.mcp import telling
from app.mcp.services import Services
from app.pages.schemas import PageOut
from app.search.whole import memory_of
from app.skills.schemas import SkillOut

URI = re.compile(r"loci://(\w+)/([^/?#]{1,128})\Z")
PLAIN = "text/plain"
Read = Callable[[Services, Caller, str], Awaitable[msgspec.Struct]]


async def _memory(services: Services, caller: Caller, identifier: str) -> msgspec.Struct:
    return await memory_of(services.episode_rows, services.searches, caller, identifier, None)


async def _page(services: Services, caller: Caller, identifier: str) -> msgspec.Struct:
    return PageOut.of(await services.pages.page(caller.visible, identifier))


async def _entity(services: Services, caller: Caller, identifier: str) -> msgspec.Struct:
    moments = Moments.of(None, None)
    found = EntityOut.of(await services.entities.get(caller, identifier, moments.known_at))
    graph = services.entities.repository.graph
    said = await sentences_of(graph, found.id, caller.visible, moments)
    return ProfileOut.with_sentences(found, said)


async def _skill(services: Services, caller: Caller, identifier: str) -> msgspec.Struct:
    return SkillOut.of(await services.skills.skills.get(caller, identifier))


READS: dict[str, tuple[str, Read]] = {
    "memory": ("One memory of any kind, whole.", _memory),
    "page": ("One page with its text.", _page),
    "entity": ("A person or thing with the newest sentences about it.", _entity),
    "skill": ("One skill with its text.", _skill),
}


def templates() -> list[ResourceTemplate]:
    """How each kind is addressed."""
    return [
        ResourceTemplate(
            name=kind, uri_template=f"loci://{kind}/{{id}}", description=says, mime_type=PLAIN
        )
        for kind, (says, _) in READS.items()
    ]


async def read(services: Services, caller: Caller, uri: str) -> ReadResourceResult:
    """What a URI names, inside the untrusted zone; NotFound (`uri`) where it is not seen."""
    parts = URI.match(uri)
    if parts is None or parts[1] not in READS:
        raise NotFound(f"a URI has the form loci://KIND/ID, KIND one of {', '.join(READS)}")
    kind, identifier = parts[1], parts[2]
    value = await READS[kind][1](services, caller, identifier)
    text = telling.data(f"{kind.capitalize()} {identifier}.", value)
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=PLAIN, text=text)])
