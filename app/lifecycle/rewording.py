"""Facts told anew: by what is left of their sources, and as the sentences of today."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from app.consolidation.apart import read
from app.consolidation.derive import render
from app.extraction.model import Mention, Mode, Statement
from app.extraction.predicates import Registry
from app.facts.record import OPEN_END, Thing, Triple
from app.facts.repository import Terms
from app.indexing.entry import Facts, entry
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.values.model import Value

PAGE = 100  # facts of one transaction


class RewordingService:
    """Tells facts anew that an older version told in other words."""

    def __init__(self, graph: Graph, terms_of: Callable[[str], Awaitable[Terms]]) -> None:
        self._graph = graph
        self._terms_of = terms_of

    async def sweep(self) -> int:
        """Tell every fact anew that a migration marked; how many were told otherwise."""
        done = 0
        while rows := await self._graph.rows(Q.lifecycle.unworded, limit=PAGE):
            ids = [row["id"] for row in rows]
            terms = {scope: await self._terms_of(scope) for scope in {r["scope"] for r in rows}}
            done += await self._tell(ids, terms)
        return done

    async def _tell(self, ids: list[str], terms: dict[str, Terms]) -> int:
        async def work(tx: Tx) -> int:
            await tx.rows(Q.lifecycle.worded, ids=ids)
            support = await tx.rows(Q.lifecycle.best_support, facts=ids)
            made = [reworded(row, terms[row["fact"]["scope"]].registry) for row in support]
            words = [row for row in made if row is not None]
            if words:
                await tx.rows(Q.lifecycle.reword, rows=words)
                await tx.rows(Q.condensed.close, facts=[row["id"] for row in words], at=now())
            return len(words)

        return await self._graph.write("lifecycle.reword", work)


def reworded(row: Row, registry: Registry) -> Row | None:
    """The row of `lifecycle.reword` for a row of `lifecycle.best_support`.

    None where the words stay as they are.
    """
    fact, claim = row["fact"], row["claim"]
    if fact["predicate"] == OPEN_END:
        subject, value = row["subject_name"] or "", fact["object_text"]
        clause = row["episode"]["content"][claim["start"] : claim["end"]]
    else:
        subject, value, clause = _ends(row, registry)
    triple = Triple(
        scope=fact["scope"],
        tenant="",
        subject=Thing("entity", "", subject),
        predicate=fact["predicate"],
        object=Thing(fact["object_kind"], fact["object_key"], value),
        negated=fact["negated"],
        qualifier=fact.get("qualifier") or "",
    )
    language = claim.get("language") or row["episode"].get("language") or "en"
    statement = render(triple, registry.get(fact["predicate"]), language, clause)
    before = tuple(fact[name] for name in ("statement", "subject_text", "object_text"))
    if (statement, subject, value) == before:
        return None
    return {
        "id": fact["id"],
        "properties": {
            "statement": statement,
            "content": statement,
            "subject_text": subject,
            "object_text": value,
            **_terms(fact, statement, language),
        },
    }


def _terms(fact: Row, statement: str, language: str) -> dict[str, Any]:
    facts = Facts(
        memory_id=fact["id"],
        scope=fact["scope"],
        kind="fact",
        captured_at=fact["valid_from"],
        ingested_at=fact["valid_from"],
    )
    made = entry(facts, statement, language)
    return {name: made[name] for name in ("language", "terms", "about_terms")}


def _ends(row: Row, registry: Registry) -> tuple[str, str, str]:
    """Subject and object as the claim's own text has them, and that text; failing that, their
    names now."""
    fact = row["fact"]
    for statement in read(row["episode"], registry).extracted.statements:
        if statement.span.start != row["claim"]["start"]:
            continue
        if statement.predicate != fact["predicate"]:
            continue
        for end, negated in _objects(statement):
            if negated == fact["negated"] and _same(end, fact, row["object_name"]):
                return statement.subject.name, _text(end), statement.text
    plain = fact["object_key"].partition(":")[2]
    return row["subject_name"] or "", row["object_name"] or plain, ""


def _objects(statement: Statement) -> list[tuple[Mention | Value, bool]]:
    said = (statement.object, statement.mode in (Mode.END, Mode.DENY))
    return [said] if statement.replaces is None else [said, (statement.replaces, True)]


def _same(end: Mention | Value, fact: Row, object_name: str | None) -> bool:
    """Whether an end is the fact's object; of a mention it is enough that it is an entity, since
    one place of a text makes one claim about a fact."""
    if isinstance(end, Mention):
        return object_name is not None
    return bool(end.key == fact["object_key"])


def _text(end: Mention | Value) -> str:
    return end.name if isinstance(end, Mention) else end.text
