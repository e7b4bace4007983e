"""Whom an erasure of a person means, and what is about him: his words and what others said.

A text of somebody else that names him goes whole: what is left of a sentence without its name may
still tell who was meant. Names that another person of the same scope goes by as well tell of
nobody by themselves and are not looked for in texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from app.entities.model import alias_id
from app.entities.names import family, name_keys
from app.errors import InvalidInput
from app.kernel.caller import Caller, Role
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.kind import SEPARATORS, spaced
from app.lifecycle.model import Target

MOST = 100_000  # memories that one look at a person takes in
PERSONS = ("person", "unknown")  # what an entity may be taken for that is erased as a person
SHORT = 3  # characters; a shorter name is found in too many words


async def person_of(graph: Graph, caller: Caller, target: Target) -> Target:
    """The target with the entities, names and scopes that it means, as far as the caller
    administers them; as it was where the entity is gone already.

    Raises InvalidInput for an entity that is no person, and for a full name that somebody else
    goes by as well.
    """
    if target.is_named:
        return await _named(graph, caller, target)
    found = await graph.optional(Q.erasure.person, id=target.value, scopes=caller.visible)
    if found is None:
        return target
    if not any(family(kind) in PERSONS for kind in found["types"]):
        raise InvalidInput("the entity is no person", field="person")
    root = target.scope or found["scope"]
    scopes = _below(caller, root)
    names, entities = await _unmistakable(graph, found, scopes)
    return replace(
        target, scope=root, names=tuple(names), entities=tuple(entities), scopes=tuple(scopes)
    )


async def _named(graph: Graph, caller: Caller, target: Target) -> Target:
    """Somebody by his full name: whom a single text names is no entity (decision 0065)."""
    name, root = " ".join(target.value.split()), target.scope or caller.home
    scopes = _below(caller, root)
    anybody = {"entities": [], "names": [name], "scope": ""}
    _, entities = await _unmistakable(graph, anybody, scopes)
    rows = [await graph.optional(Q.erasure.person, id=one, scopes=scopes) for one in entities]
    ids = {*chain.from_iterable(row["entities"] for row in rows if row)}
    called = {name, *chain.from_iterable(row["names"] for row in rows if row)}
    known = {"entities": sorted(ids), "names": sorted(called), "scope": ""}
    names, entities = await _unmistakable(graph, known, scopes)
    if name not in names or await _is_no_person(graph, name, scopes):
        raise InvalidInput(
            "somebody or something else goes by this name as well: give the id of an entity",
            field="person",
        )
    return replace(
        target,
        value=name,
        scope=root,
        names=tuple(names),
        entities=tuple(entities),
        scopes=tuple(scopes),
    )


async def _is_no_person(graph: Graph, name: str, scopes: list[str]) -> bool:
    keys = [key for kind in ("organization", "place") for key in name_keys(name, kind)]
    found = await _namesakes(graph, {name: keys}, scopes)
    return any(family(row["type"]) not in PERSONS for row in found)


async def _namesakes(
    graph: Graph, keys: Mapping[str, Iterable[str]], scopes: list[str]
) -> list[Row]:
    """Who goes by some names, each with its keys, in some scopes."""
    rows = [
        {"name": name, "scope": scope, "alias": alias_id(scope, key)}
        for scope in scopes
        for name, each in keys.items()
        for key in each
    ]
    return await graph.rows(Q.erasure.namesakes, rows=rows)


def _below(caller: Caller, root: str) -> list[str]:
    """A scope and those below it that the caller administers."""
    return [
        scope
        for scope in caller.visible
        if (scope == root or scope.startswith(f"{root}/")) and caller.may(scope, Role.ADMIN)
    ]


async def about(graph: Graph, target: Target, limit: int = MOST) -> list[str]:
    """Ids of everything that is about the person of a resolved target."""
    rows = await graph.rows(
        Q.erasure.about,
        entities=list(target.entities),
        scopes=list(target.scopes),
        names=sorted({*target.names, *_plain(target.names)}),  # labels are read without hyphens
        principal=target.principal or "",
        limit=MOST,
    )
    named = naming(target.names)
    found = {r["id"] for r in rows if r["text"] is None or (named and named.search(r["text"]))}
    return sorted(found)[:limit]


def naming(names: Sequence[str]) -> re.Pattern[str] | None:
    """What finds one of some names as words of their own, those with a hyphen also without it; None
    for no names."""
    every = {*names, *_plain(names)}
    texts = "|".join(re.escape(name) for name in sorted(every, key=lambda n: (-len(n), n)))
    return re.compile(rf"(?<!\w)(?:{texts})(?:['’]?s)?(?!\w)", re.IGNORECASE) if texts else None


def spellings(names: Sequence[str]) -> list[str]:
    """Names as texts write them and as keys and tags do: `Thomas Weber`, `Thomas-Weber`."""
    every = {name.replace(" ", mark) for name in _plain(names) for mark in (" ", *SEPARATORS)}
    return sorted({*names, *every})


def _plain(names: Sequence[str]) -> list[str]:
    """Names without hyphens and dots, as far as anything is left of them."""
    return [plain for name in names if len(plain := spaced(name)) >= SHORT]


async def _unmistakable(graph: Graph, found: Row, scopes: list[str]) -> tuple[list[str], list[str]]:
    """The names that nobody else goes by, and the person's entities in all scopes: those that go
    by one of his full names."""
    own = set(found["entities"])
    keys = {name: name_keys(name, "person") for name in found["names"] if len(name) >= SHORT}
    others: dict[str, set[str]] = {}
    entities = set(own)
    for row in await _namesakes(graph, keys, scopes):
        if row["id"] in own:
            continue
        if (
            row["scope"] != found["scope"]
            and family(row["type"]) in PERSONS
            and " " in row["name"]
            and row["key"] in keys[row["name"]]
        ):
            entities.add(row["id"])
        else:
            others.setdefault(row["name"], set()).add(row["id"])
    names = [name for name in keys if not others.get(name, set()) - entities]
    return names, sorted(entities)
