"""What a package says that a passage states: kept with it, as one text."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from app.portability.derived import clean
from app.portability.kind import At, Record
from app.portability.records import TripleRecord

FIELD = "triples"
ENDS = ("subject", "predicate", "object")


def packed(triples: Sequence[TripleRecord], scope: str, at: At) -> dict[str, str]:
    """The property of a passage, with every text as it may be stored; none where none is given."""
    rows = [[clean(getattr(t, end), FIELD, scope, at) for end in ENDS] for t in triples]
    return {FIELD: orjson.dumps(rows).decode()} if rows else {}


def opened(stored: str | None) -> list[Record]:
    """The same as a package has it."""
    return [dict(zip(ENDS, row, strict=True)) for row in orjson.loads(stored or "[]")]
