"""A statement that a client makes itself, in place of the rules: how it is kept in its episode."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import orjson

from app.extraction.model import Extracted, Mention, Mode, Moment, Precision, Span, Statement
from app.extraction.predicates import standard
from app.facts.rendering import sentence
from app.facts.said import Said
from app.values.model import Kind, Value
from app.values.parse import parse_value

RULE = "asserted"
CONFIDENCE = 0.9  # of what a client states itself (seed 004, annex 6.a)


def pack(fields: dict[str, Any]) -> str:
    """The statement as JSON, in the order of its names."""
    return orjson.dumps(fields, option=orjson.OPT_SORT_KEYS).decode()


def statement_of(packed: str, text: str, language: str | None) -> Extracted:
    """What an asserted episode yields: its one statement, whose span is the whole text."""
    fields: dict[str, Any] = orjson.loads(packed)
    span = Span(0, len(text))
    subject = _mention(fields["subject"], span)
    statement = Statement(
        subject=subject,
        predicate=fields["predicate"],
        object=_end(fields["object"], span, language),
        mode=Mode(fields.get("mode", "assert")),
        span=span,
        text=text,
        confidence=CONFIDENCE,
        rule=RULE,
        since=_moment(fields, "valid_from"),
        until=_moment(fields, "valid_to"),
        ongoing=fields.get("ongoing", False),
        replaces=_end(fields["replaces"], span, language) if fields.get("replaces") else None,
    )
    return Extracted((), (statement,))


def wording(fields: dict[str, Any]) -> str:
    """The statement as a sentence: what the episode holds, and what makes it distinct."""
    value = _end(fields["object"], Span(0, 0), None)
    literal = value if isinstance(value, Value) else None
    said = Said(
        fields["subject"]["name"],
        _text(fields["object"]),
        "entity" if literal is None else literal.kind.value,
        "" if literal is None else literal.key,
        negated=fields.get("mode") in ("end", "deny"),
    )
    told = sentence(said, standard().get(fields["predicate"]), "en")
    since, until = fields.get("valid_from"), fields.get("valid_to")
    if since:
        told += f", from {_shown(since, fields)}"
    if until:
        told += f" until {_shown(until, fields)}"
    if fields.get("replaces"):
        told += f", not {_text(fields['replaces'])}"
    return told.rstrip(".") + "."


def _mention(end: dict[str, Any], span: Span) -> Mention:
    return Mention(
        end["name"], end.get("type") or "unknown", span, is_speaker=bool(end.get("is_speaker"))
    )


def _end(end: dict[str, Any], span: Span, language: str | None) -> Mention | Value:
    if "name" in end:
        return _mention(end, span)
    parsed = parse_value(end["value"], language)
    if parsed is None:
        return Value(Kind.TEXT, f"text:{end['value'].casefold().strip()}", end["value"])
    return replace(parsed, text=end["value"])  # as the client wrote it


def _text(end: dict[str, Any]) -> str:
    return str(end.get("name") or end.get("value"))


def _moment(fields: dict[str, Any], name: str) -> Moment | None:
    if not fields.get(name):
        return None
    at = datetime.fromisoformat(fields[name])
    return Moment(at, Precision(fields.get("precision") or "instant"))


def _shown(moment: str, fields: dict[str, Any]) -> str:
    length = {"year": 4, "month": 7, "day": 10}.get(fields.get("precision") or "", 19)
    return moment[:length]
