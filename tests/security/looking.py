"""What a tenant has anywhere in the store that nobody sees."""

from __future__ import annotations

import json

from app.sanitize.hidden import hidden
from app.wiring import Parts

LOOK = """
MATCH (n) WHERE any(key IN keys(n) WHERE valueType(n[key]) STARTS WITH 'STRING'
                    AND (n[key] = $tenant OR n[key] STARTS WITH $tenant + '/'))
OPTIONAL MATCH (n)-[r]->()
RETURN labels(n) AS labels, properties(n) AS node, collect(properties(r)) AS edges
"""


async def hidden_in(opened: Parts, tenant: str) -> dict[str, str]:
    """Label and property of what hides something, with an example."""
    seen: dict[str, str] = {}
    for row in await opened.graph.raw(LOOK, tenant=tenant):
        for kind, properties in [(":".join(row["labels"]), row["node"])] + [
            ("edge", edge) for edge in row["edges"]
        ]:
            for key, value in properties.items():
                text = json.dumps(value, ensure_ascii=False, default=str)
                if hidden(text) or "\\u200b" in text:
                    seen[f"{kind}.{key}"] = ascii(text)[:200]
    return seen
