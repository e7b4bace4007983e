"""Which legs of a search run: apart, since a command names them in its help."""

from __future__ import annotations

from enum import StrEnum


class Mode(StrEnum):
    """Which legs run."""

    KEYWORD = "keyword"
    VECTOR = "vector"
    HYBRID = "hybrid"
    GRAPH = "graph"  # the walk over what both legs find, wherever there is a graph
    AUTO = "auto"  # the walk where the question anchors in the graph, else hybrid
