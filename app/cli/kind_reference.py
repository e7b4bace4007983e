"""The tables of the data model that declarations of kinds say: what engines do with each, and its
fields. `python docs/generate.py` writes them into `docs/data-model.md`."""

from __future__ import annotations

from typing import Any

from app.cli.reference import field_type, table
from app.kernel.kind import Kind
from app.kernel.labelled import LabelledKind
from app.kinds import KINDS, LABELLED

ENGINES = (
    "Kind", "Label", "Part of", "`id` follows from", "Sanitised", "Search", "In GraphQL",
    "In packages",
)  # fmt: skip


def kind_tables() -> str:
    """Return what engines do with each declared kind, and below it the fields of each."""
    every: list[Kind[Any] | LabelledKind[Any]] = [*LABELLED, *KINDS]
    engines = [_labelled(kind) for kind in LABELLED] + [_declared(kind) for kind in KINDS]
    fields = [(f"`{kind.label.value}`", _fields(kind.struct)) for kind in every]
    return "\n\n".join(
        (
            "What engines do with each kind. Secrets are looked for by the names of fields too in "
            "what stands in *italics*.",
            table(ENGINES, engines),
            "What packages say of each kind; a node holds its JSON as text, beside what follows "
            "from it.",
            table(("Label", "Fields"), fields),
        )
    )


def _declared(kind: Kind[Any]) -> tuple[str, ...]:
    named = {name: f"`{name}`" for name in kind.sanitised}
    named |= {name: f"*{named[name]}*" for name in kind.secretive}
    found = "" if kind.entry is None else "unasked" if kind.recalled else "by name"
    kept = "`" + kind.file + "`" + (", of admins" if kind.guarded else "")
    return (
        f"`{kind.name}`",
        f"`{kind.label.value}`",
        f"`{kind.part_of.name}`" if kind.part_of else "",
        _named(("scope", *kind.identity)) if kind.identity else "given",
        ", ".join(named.values()),
        found,
        "yes" if kind.readable else "",
        kept if kind.exported else "none",
    )


def _labelled(kind: LabelledKind[Any]) -> tuple[str, ...]:
    files = [kind.file, *([kind.links.file] if kind.links else [])]
    return (
        f"`{kind.name}`",
        f"`{kind.label.value}`",
        "",
        _named(("scope", *kind.identity)) if kind.identity else "given",
        _named(kind.sanitised),
        "unasked" if "memory_id" in kind.made else "",
        "yes",
        _named(tuple(files)),
    )


def _named(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names))


def _fields(struct: Any) -> str:
    schema = struct.model_json_schema()
    told = []
    for name, found in schema["properties"].items():
        kind = field_type(found, schema.get("$defs", {}))
        told.append(f"`{name}` {kind}".rstrip())
    return "; ".join(told)
