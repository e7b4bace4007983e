"""Memory as tools of a PydanticAI agent: `loci-client[pydantic-ai]`.

`Agent(…, toolsets=[memory_tools(memory)])` lets the model search, store and list facts.
"""

from __future__ import annotations

from typing import Any

from pydantic_ai import FunctionToolset

from loci_client.memory import AsyncMemory
from loci_client.zone import line, zoned

MOST = 50  # facts of one answer


def memory_tools(
    memory: AsyncMemory, *, user: str | None = None, token_budget: int = 1000
) -> FunctionToolset[Any]:
    """A toolset over one memory; `user` names whose it is, as in the verbs of `AsyncMemory`.

    What is recalled comes as a text in which the words of others are marked as data.
    """

    async def memory_search(query: str) -> str:
        """Search memory for what was said, written or learnt before.

        Args:
            query: The question, as plain text.
        """
        found = await memory.context(query, user=user, token_budget=token_budget)
        return found.text if found.hits else "Nothing is known of that."

    async def memory_store(content: str) -> str:
        """Store one thing that is worth keeping, in the words in which it was said.

        Args:
            content: What was said.
        """
        added = await memory.add(content, user=user)
        return "Stored." if added.accepted else "It was there already."

    async def memory_facts(about: str) -> str:
        """List what is believed of somebody or something now.

        Args:
            about: A name.
        """
        found: list[str] = []
        async for fact in memory.facts(about, user=user):
            found.append(line(fact))
            if len(found) == MOST:
                break
        noun = "fact is" if len(found) == 1 else "facts are"
        return zoned(f"{len(found)} {noun} held.", found) if found else "Nothing is known of that."

    return FunctionToolset([memory_search, memory_store, memory_facts], id="loci")
