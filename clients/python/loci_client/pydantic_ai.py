"""Memory as tools of a PydanticAI agent: `loci-client[pydantic-ai]`.

`Agent(…, toolsets=[memory_tools(memory)])` lets the model search, store and list facts.
"""

from __future__ import annotations

from typing import Any

from pydantic_ai import FunctionToolset

from loci_client.memory import AsyncMemory
from loci_client.problems import LociProblem, MessagesRefused, is_missing
from loci_client.verbs import RELEVANT, BundleFilters, relevant
from loci_client.zone import line, zoned

MOST = 50  # facts of one answer
UNKNOWN = "Nothing is known of that."
ASKED_WRONGLY = (400, 404, 409, 413, 422)  # statuses of what another argument mends


def memory_tools(
    memory: AsyncMemory,
    *,
    user: str | None = None,
    token_budget: int = 1000,
    min_score: float = RELEVANT,
) -> FunctionToolset[Any]:
    """A toolset over one memory; `user` names whose it is, as in the verbs of `AsyncMemory`.

    What is recalled comes as a text in which the words of others are marked as data. A search
    finds what is at least as relevant as `min_score`, 0 for all. What the model asks that
    cannot be done is answered by a sentence that says what to change, and the run goes on; a wrong
    key, scope or role raises LociProblem.
    """

    async def memory_search(query: str) -> str:
        """Search memory for what was said, written or learnt before.

        Args:
            query: The question, as plain text.
        """
        how: BundleFilters = {"token_budget": token_budget, **relevant(min_score)}
        try:
            found = await memory.context(query, user=user, **how)
        except LociProblem as problem:
            return f"Nothing was searched: {_advice(problem)}"
        return found.text if found.hits else UNKNOWN

    async def memory_store(content: str) -> str:
        """Store one thing that is worth keeping, in the words in which it was said.

        Args:
            content: What was said.
        """
        try:
            added = await memory.add(content, user=user)
        except LociProblem as problem:
            return f"It was not stored: {_advice(problem)}"
        return "Stored." if added.accepted else "It was there already."

    async def memory_facts(about: str) -> str:
        """List what is believed of somebody or something now.

        Args:
            about: A name.
        """
        found: list[str] = []
        try:
            async for fact in memory.facts(about, user=user):
                found.append(line(fact))
                if len(found) == MOST:
                    break
        except LociProblem as problem:
            unknown = problem.code == "NotFound" and not is_missing(problem)
            return UNKNOWN if unknown else f"Nothing was looked up: {_advice(problem)}"
        noun = "fact is" if len(found) == 1 else "facts are"
        return zoned(f"{len(found)} {noun} held.", found) if found else UNKNOWN

    return FunctionToolset([memory_search, memory_store, memory_facts], id="loci")


def _advice(problem: LociProblem) -> str:
    """What the model can change. Raises the problem again where that is none of its doing."""
    if not isinstance(problem, MessagesRefused) and problem.status not in ASKED_WRONGLY:
        raise problem
    if problem.field == "scope":
        raise problem
    return problem.detail or problem.title
