"""A loose index scan: the distinct keys that stand behind a state in an index, such as the scopes
of which something waits.

Neo4j reads every entry to find what is distinct among them. Here a statement reads the first few
entries of a span of keys, and the next one goes on behind the last key of those. What was found the
last time is looked at by itself, so that a long backlog of a few keys is one statement each time.
Neither keys of which nothing waits nor a key's further entries are read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from app.kernel.cypher import Query
from app.kernel.graph import Graph, Row

PAGE = 16  # entries that are read of each span at first; twice as many in each further round
LARGEST_PAGE = 256
END = "\U0010ffff"  # behind every key


def behind(key: str) -> str:
    """Return the first string that stands behind a key."""
    return f"{key}\0"


def spans_around(keys: Iterable[str]) -> list[tuple[str, str]]:
    """Return half-open spans that hold all strings, in order: each key alone, and those between."""
    spans, low = [], ""
    for key in sorted(keys):
        spans += [(low, key), (key, behind(key))]
        low = behind(key)
    return [(low, high) for low, high in [*spans, (low, END)] if low < high]


class SkipScan:
    """Finds the keys that stand behind some states, by a statement that takes `spans` and `page`.

    A span is a map of `state`, `low` and `high`; the statement answers with `span`, `keys` (of its
    first `page` entries, in their order) and `more` (whether it read so many). Keys are scopes or
    tenants: never empty, and below `END`.
    """

    def __init__(self, graph: Graph, *, query: Query, states: Collection[str]) -> None:
        self._graph, self._query, self._states = graph, query, tuple(states)
        self._known: Sequence[str] = ()

    async def keys(self) -> list[str]:
        """Return every key of which something is in one of the states, in order."""
        found: set[str] = set()
        page = PAGE
        spans = [
            {"state": state, "low": low, "high": high}
            for state in self._states
            for low, high in spans_around(self._known)
        ]
        while spans:
            rows = await self._graph.rows(self._query, spans=spans, page=page)
            found.update(key for row in rows for key in row["keys"])
            spans = [span for row in rows if row["more"] for span in _rest(row)]
            page = min(2 * page, LARGEST_PAGE)
        self._known = sorted(found)
        return list(self._known)


def _rest(row: Row) -> list[Row]:
    low = behind(max(row["keys"]))
    return [{**row["span"], "low": low}] if low < row["span"]["high"] else []
