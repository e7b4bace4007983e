"""Further doors to the database of the tests."""

from __future__ import annotations

from app.kernel.graph import Graph, Login
from app.wiring import Parts


def another(opened: Parts) -> Graph:
    """Return a graph over the driver of the others, with limits and shares of its own."""
    given = opened.settings.graph
    return Graph(opened.graph.driver, Login(given.uri, given.user, given.password, given.database))
