"""Knowledge bases: made, changed, paused, put away."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from typing import Any

from app.documents.cleaning import clean_title
from app.documents.model import BaseState, Chunking, Strategy, base_move
from app.documents.orders import BaseWish
from app.documents.repository import DocumentRepository, base_key, lock_base, show_document
from app.embeddings.provider import provider_of
from app.errors import AlreadyExists, InvalidInput
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import new_id
from app.kernel.scope import parse_scope
from app.sanitize.policy import SanitizePolicy
from app.scopes.service import ScopeService


def chunking_of(base: Row) -> Chunking:
    """How the documents of a base are cut."""
    strategy = Strategy(base["chunking_strategy"])
    return Chunking(strategy, base["chunk_size"], base["chunk_overlap"])


class BaseService:
    """Knowledge bases as callers see them, each with the model that its scope is searched by."""

    def __init__(self, graph: Graph, scopes: ScopeService) -> None:
        self.rows = DocumentRepository(graph)
        self._graph = graph
        self._scopes = scopes

    async def create(self, who: Caller, wish: BaseWish) -> Row:
        """A new base; AlreadyExists for a name that is taken in its scope."""
        row, created = await self.ensure(who, wish)
        if not created:
            raise _taken(wish.name)
        return row

    async def ensure(self, who: Caller, wish: BaseWish) -> tuple[Row, bool]:
        """The base of that name in that scope, and whether it is new.

        Raises NotFound or Forbidden by the scope, InvalidInput for a name or sizes that cannot be,
        and for an embedding model that is not the scope's.
        """
        scope = who.require(str(parse_scope(wish.scope or who.home)), Role.WRITER)
        chunking = _chosen(Chunking(), asdict(wish))
        policy = await self._scopes.policy(scope)
        name = _named(wish.name, policy)
        moment = now()
        base = {
            "id": new_id(),
            "key": base_key(scope, name),
            "scope": scope,
            "tenant": who.tenant,
            "name": name,
            "description": clean_title(wish.description, policy),
            "status": str(BaseState.ACTIVE),
            **_stored(chunking),
            "created_by": who.principal,
            "created_at": moment,
            "updated_at": moment,
        }
        event = audit.event(who, "knowledge_base.create", scope, base=base["id"])

        async def work(tx: Tx) -> Row:
            row = await tx.one(Q.documents.create_base, base=base, audit=event)
            _check_embedding(wish, row["base"]["embedding"])
            return row

        row = await self._graph.write("documents.create_base", work)
        return row["base"], bool(row["created"])

    async def get(self, who: Caller, base: str) -> tuple[Row, list[Row]]:
        """A base with its statistics by state of its documents; NotFound."""
        row = await self.rows.base(base, who.visible)
        return row, await self.rows.statistics(base, who.visible)

    async def change(self, who: Caller, base: str, wish: dict[str, Any]) -> Row:
        """Set name, description or chunking; documents are cut anew when they are taken in again,
        or all at once by `reindex`.

        Raises NotFound, Forbidden, InvalidInput, AlreadyExists for a name that is taken.
        """
        row = await self.rows.base(base, who.visible)
        who.require(row["scope"], Role.WRITER)
        policy = await self._scopes.policy(row["scope"])
        properties: Row = _stored(_chosen(chunking_of(row), wish))
        if wish.get("description") is not None:
            properties["description"] = clean_title(wish["description"], policy)
        if wish.get("name"):
            properties["name"] = _named(wish["name"], policy)
            properties["key"] = base_key(row["scope"], properties["name"])
        try:
            return await self._set(who, base, properties)
        except AlreadyExists:
            raise _taken(properties["name"]) from None

    async def move(self, who: Caller, base: str, wanted: BaseState) -> Row:
        """Bring a base into a state; StateRefused where that cannot follow on its present one.

        An archived base is found by no search of the present; what its documents say stays true.
        """
        row = await self.rows.base(base, who.visible)
        who.require(row["scope"], Role.WRITER)
        before = BaseState(row["status"])
        state = base_move(before, wanted)
        done = await self._set(who, base, {"status": str(state), "error": None}, before)
        if BaseState.ARCHIVED in (before, state):
            for document in await self.rows.documents_of(base, who.visible):
                await self._graph.write(
                    "documents.show", partial(show_document, document=document["id"])
                )
        return done

    async def _set(
        self, who: Caller, base: str, properties: Row, before: BaseState | None = None
    ) -> Row:
        async def work(tx: Tx) -> Row:
            row, _ = await lock_base(tx, base)
            if before is not None and "status" in properties:
                base_move(row["status"], BaseState(properties["status"]))
            changed = {**properties, "updated_at": now()}
            await tx.rows(Q.documents.set_base, id=base, properties=changed)
            names = sorted(properties)
            event = audit.event(who, "knowledge_base.change", row["scope"], base=base, fields=names)
            await tx.rows(Q.documents.tell_base, id=base, audit=event)
            return {**row, **changed}

        return await self._graph.write("documents.base", work)


def _named(wished: str, policy: SanitizePolicy) -> str:
    """A name as it may be stored; InvalidInput where nothing is left of it."""
    name = clean_title(wished, policy)
    if not name:
        raise InvalidInput("a knowledge base has a name", field="name")
    return name


def _taken(name: str) -> AlreadyExists:
    return AlreadyExists(f"there is a knowledge base {name} already", field="name")


def _chosen(chunking: Chunking, wish: dict[str, Any]) -> Chunking:
    """The chunking with what is wished of it; a size alone takes the overlap along, to a fifth."""
    given = {n: v for n, v in wish.items() if n in Chunking.__slots__ and v is not None}
    if "size" in given and "overlap" not in given:
        given["overlap"] = min(chunking.overlap, given["size"] // 5)
    if "strategy" in given:
        given["strategy"] = Strategy(given["strategy"])
    return replace(chunking, **given).checked()


def _check_embedding(wish: BaseWish, embedding: Row) -> None:
    """InvalidInput where a model is wished that the scope is not searched by."""
    own = {"model": embedding["model"], "provider": provider_of(**embedding)}
    for name, value in own.items():
        wished = getattr(wish, name)
        if wished is not None and wished.casefold() != value.casefold():
            raise InvalidInput(
                f"the scope is searched by {own['model']} of {own['provider']}, and a knowledge "
                "base goes by its scope: leave this out, or prepare the other model for the scope",
                field=f"embedding_{name}",
            )


def _stored(chunking: Chunking) -> Row:
    return {
        "chunking_strategy": str(chunking.strategy),
        "chunk_size": chunking.size,
        "chunk_overlap": chunking.overlap,
    }
