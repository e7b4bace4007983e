"""What becomes of beliefs when entities are merged or a merge is undone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from app.facts.repository import FactRepository
from app.facts.service import TermsOf
from app.kernel.cypher import Q
from app.kernel.graph import Tx


def beliefs_follow(
    facts: FactRepository, terms_of: TermsOf
) -> Callable[[Tx, list[str]], Awaitable[None]]:
    """What a MergeService calls: the facts of entities whose root changed get new belief keys, and
    each key concerned is settled, all in the transaction of the decision."""

    async def follow(tx: Tx, ids: list[str]) -> None:
        scope = (await tx.one(Q.entities.scope_of, ids=ids))["scope"]
        terms = await terms_of(scope)
        keys = await facts.rekey(tx, ids, terms)
        await facts.settle(tx, keys, terms)

    return follow
