"""What a workspace wants done with its beliefs and its memory over time; all of it is off at first.

A scope without rules of its own takes those of the nearest scope above it.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.errors import PolicyInvalid


class ScopeRules(BaseModel):
    """How members may revise each other, and which upkeep is switched on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    members_revise: bool = Field(
        False,
        strict=True,
        description="users who may write here revise what other users said of shared things; "
        "nobody revises what a person says of himself",
    )
    external_origins: tuple[str, ...] = Field(
        ("email", "external", "upload", "web"),
        description="origins whose statements are unverified, whoever hands them in",
    )

    @classmethod
    def parse(cls, stored: Mapping[str, object]) -> ScopeRules:
        """The rules that a scope stores; raises `PolicyInvalid` naming the first bad field."""
        try:
            return cls.model_validate(dict(stored))
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            raise PolicyInvalid(f"{field}: {first['msg']}", field=field) from error
