"""The published JSON Schema of a package's records and manifest, made from their types."""

from __future__ import annotations

import sys
from typing import Any

import orjson
from pydantic.json_schema import models_json_schema

from app.portability.kinds import KINDS
from app.portability.package import Manifest

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def record_schema() -> dict[str, Any]:
    """One schema: `$defs` by type, and for each kind the one that its lines answer to."""
    models: list[Any] = [(kind.model, "validation") for kind in KINDS]
    names, schema = models_json_schema(
        [*models, (Manifest, "validation")], ref_template="#/$defs/{model}"
    )
    return {
        "$schema": DIALECT,
        "title": "Loci package, version 1",
        "description": "A line of <kind>.jsonl answers to #/properties/<kind>.",
        "type": "object",
        "properties": {
            "manifest": names[(Manifest, "validation")],
            **{kind.name: names[(kind.model, "validation")] for kind in KINDS},
        },
        "$defs": schema["$defs"],
    }


def main() -> None:
    """Write the schema to standard output."""
    text = orjson.dumps(record_schema(), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
    sys.stdout.buffer.write(text + b"\n")


if __name__ == "__main__":
    main()
