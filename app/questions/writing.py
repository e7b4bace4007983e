"""Questions into the graph, under the policy of their scope."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from app.errors import LociError
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.lifecycle.model import Target, tombstone_id
from app.questions.model import Question
from app.questions.record import question_row, search_rows
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import sanitize
from app.scopes.rules import ScopeRules
from app.scopes.service import ScopeService


class QuestionWriter:
    """One transaction a batch; what a scope does not want kept is left out."""

    def __init__(self, graph: Graph, scopes: ScopeService) -> None:
        self._graph = graph
        self._scopes = scopes

    async def write(self, questions: Sequence[Question]) -> int:
        """Write some questions; how many were kept. Writing them again changes nothing."""
        named = {scope for one in questions for scope in (one.scope, *one.scopes)}
        rules = await self._scopes.rules_of(sorted(named))
        kept = {scope for scope in named if rules[scope].questions != "off"}
        wanted = [
            replace(one, scopes=counted)
            for one in questions
            if one.scope in kept and (counted := tuple(s for s in one.scopes if s in kept))
        ]
        if not wanted:
            return 0
        rows = []
        for one in wanted:
            query = question_row(one, await self._words(one, rules))
            rows.append({"query": query, "searches": search_rows(one)})
        await self._graph.rows(Q.questions.write, rows=rows)
        await self._withdraw(wanted, rows)
        return len(wanted)

    async def _words(self, question: Question, rules: dict[str, ScopeRules]) -> str | None:
        if any(rules[s].questions != "text" for s in (question.scope, *question.scopes)):
            return None
        policy = await self._scopes.policy(question.scope)
        return await asyncio.to_thread(_clean, question.asked.text, policy)

    async def _withdraw(self, questions: Sequence[Question], rows: Sequence[Row]) -> None:
        """Take back what an erasure that ran meanwhile did not find.

        An erasure that commits later finds what is written by now.
        """
        shown = {
            tombstone_id(memory): memory for row in rows for memory in row["query"]["shown"] or ()
        }
        authors = {
            (one.scope, one.principal): Target("author", one.principal, one.scope).name
            for one in questions
        }
        await self._graph.rows(
            Q.questions.withdraw,
            ids=[one.id for one in questions],
            graves=[{"id": grave, "memory": memory} for grave, memory in sorted(shown.items())],
            authors=[
                {"scope": scope, "principal": principal, "target": target}
                for (scope, principal), target in sorted(authors.items())
            ],
            at=now(),
        )


def _clean(text: str, policy: SanitizePolicy) -> str | None:
    """The words under the scope's policy; None where it refuses them, or a detector is away."""
    try:
        return sanitize(text, policy).text
    except LociError:
        return None
