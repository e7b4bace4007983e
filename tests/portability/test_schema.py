"""The published schema is the one that the code makes, and says what the code says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import orjson
import pytest
from pydantic import ValidationError

from app.portability.kinds import BY_NAME, KINDS
from app.portability.package import Manifest, open_package, packs
from app.portability.schema import record_schema

SEED = Path(__file__).resolve().parents[2] / "seed"
PUBLISHED = SEED / "schema" / "record.schema.json"


def test_the_published_schema_is_up_to_date() -> None:
    made = orjson.dumps(record_schema(), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
    assert PUBLISHED.read_bytes() == made + b"\n", (
        "write it anew: python -m app.portability.schema > seed/schema/record.schema.json"
    )


TURN = {"scope": "acme", "session": "s", "content": "Hello."}


@pytest.mark.parametrize(
    ("kind", "record", "fits"),
    [
        ("episode", TURN, True),
        ("episode", {**TURN, "embedding": [0.5, 1]}, True),
        ("episode", {**TURN, "role": "narrator"}, False),
        ("episode", {**TURN, "surprise": 1}, False),
        ("episode", {"scope": "acme"}, False),
        ("scope", {"path": "acme/dev", "policy": {"email": "refuse"}}, True),
        ("scope", {"path": "acme/dev", "policy": {"email": "burn"}}, False),
        ("agent", {"kind": "agent", "name": "scout", "home": "acme", "role": "writer"}, True),
        ("agent", {"kind": "robot", "name": "scout", "home": "acme"}, False),
        ("session", {"scope": "acme", "key": "s", "metadata": {"room": 4}}, True),
    ],
)
def test_schema_and_types_agree(kind: str, record: dict[str, Any], fits: bool) -> None:
    whole = record_schema()
    schema = {"$defs": whole["$defs"], **whole["properties"][kind]}
    assert jsonschema.Draft202012Validator(schema).is_valid(record) is fits
    if fits:
        BY_NAME[kind].model.model_validate(record)
    else:
        with pytest.raises(ValidationError):
            BY_NAME[kind].model.model_validate(record)


def test_the_packs_that_come_along_answer_to_the_schema() -> None:
    for folder in packs(SEED):
        with open_package(folder) as package:
            assert isinstance(package.manifest, Manifest)
            for file in package.files:
                for line in file.path.read_bytes().splitlines():
                    file.kind.model.model_validate(orjson.loads(line))


def test_kinds_come_after_what_they_refer_to() -> None:
    order = [kind.name for kind in KINDS]
    assert order.index("chain") < order.index("scope") < order.index("agent")
    assert order.index("session") < order.index("episode") < order.index("audit")
