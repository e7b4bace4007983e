"""What is stored beside a text passes the sanitising step as the text does, over HTTP."""

from __future__ import annotations

import secrets
from typing import Any

import pytest

from app.wiring import Parts
from tests.conftest import Principal
from tests.lifecycle.conftest import strings_of

# Route, body, and the fields that a caller fills in words; a canary goes into each.
PLACES: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    (
        "/v1/episodes",
        {"content": "The gate is open {n}.", "session": "s"},
        ("speaker", "title", "origin", "model_family", "tags"),
    ),
    ("/v1/notes", {"content": "The gate of the yard is open {n}."}, ("title", "tags")),
    (
        "/v1/skills",
        {"name": "Open the gate {n}", "body": "With a key.", "category": "communication"},
        ("name", "description", "preconditions", "postconditions", "tags"),
    ),
    (
        "/v1/pages",
        {"title": "Gate {n}", "content": "A gate."},
        ("title", "aliases", "tags", "path"),
    ),
    ("/v1/knowledge-bases", {"name": "Gates {n}"}, ("name", "description")),
    (
        "/v1/documents",
        {"knowledge_base": "Yard", "name": "gate{n}.md", "text": "A gate {n}."},
        ("name", "title", "speaker", "tags"),
    ),
    ("/v1/bad-patterns", {"content": "The gate was left open {n}."}, ("content", "reason")),
    (
        "/v1/skill-proposals",
        {"name": "Shut the gate {n}", "body": "With a key.", "category": "communication"},
        ("name", "description", "tags"),
    ),
    (
        "/v1/facts:remember",
        {"text": "Ada Berger lives in Bremen."},
        ("speaker", "origin", "tags"),
    ),
    ("/v1/scopes", {"scope": "{tenant}/yard{n}"}, ("name",)),
    ("/v1/keys", {"principal": "{principal}"}, ("name",)),
    (
        "/v1/principals",
        {"kind": "agent", "name": "gatekeeper-{n}", "home": "{tenant}"},
        ("model_family",),
    ),
]


def filled(body: dict[str, Any], values: dict[str, str]) -> dict[str, Any]:
    return {k: v.format(**values) if isinstance(v, str) else v for k, v in body.items()}


@pytest.mark.parametrize("kind", ["email", "phone"])
async def test_no_field_keeps_personal_data(
    opened: Parts, admin: Principal, tenant: str, kind: str
) -> None:
    """A canary into each field, then one look through the whole store for what they share."""
    await admin.http.post("/v1/knowledge-bases", json={"name": "Yard"})
    mark = secrets.randbelow(10**6)
    shared = f"probe{mark:06}" if kind == "email" else f"+49170{mark:06}"
    values = {"tenant": tenant, "principal": admin.caller.principal}
    fields = [(path, body, field) for path, body, fields in PLACES for field in fields]
    for number, (path, body, field) in enumerate(fields):
        canary = f"{shared}{number:02}" + ("@example.org" if kind == "email" else "")
        listed = field in {"tags", "aliases", "preconditions", "postconditions"}
        said = canary if field == "tags" else f"Gate {canary}"
        given = filled(body, values | {"n": str(number)}) | {field: [said] if listed else said}
        answer = await admin.http.post(path, json=given)
        if answer.status_code >= 400:
            assert answer.status_code == 422, (path, field, answer.text)
            assert answer.json()["errors"][0]["field"] == field, (path, field)
    assert await strings_of(opened, shared) == []
