"""Types of the fields that records of several kinds have: ids, paths, counts, properties."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from app.kernel.ids import ID
from app.kernel.wire import ShortText

MOST = 2**53 - 1  # as every reader of JSON holds it, and the graph with room to add
MOST_CHARACTERS = 1_048_576  # of one text

Id = Annotated[str, StringConstraints(pattern=ID.pattern.replace(r"\Z", "$"), max_length=128)]
Path = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Unit = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0, le=MOST)]
Positive = Annotated[int, Field(ge=1, le=MOST)]
# What Loci packed itself and may be long, such as all ids that an erasure took: only the line that
# it stands in bounds it.
Json = str
Text = Annotated[str, StringConstraints(min_length=1, max_length=65_536)]
Content = Annotated[str, StringConstraints(min_length=1, max_length=MOST_CHARACTERS)]
Plain = str | Annotated[int, Field(ge=-MOST, le=MOST)] | float | bool | None
Properties = Annotated[
    dict[ShortText, Plain],
    Field(description="Further properties of the node, as they are; moments as ISO 8601."),
]
