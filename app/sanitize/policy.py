"""What a scope wants done with each class of personal data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.errors import PolicyInvalid


class Action(StrEnum):
    """What is done with a find: replaced, left and tagged, the text refused, or left alone."""

    REDACT = "redact"
    TAG = "tag"
    REFUSE = "refuse"
    KEEP = "keep"


PII_CLASSES = (
    *("email", "phone", "iban", "card", "national_id", "passport", "ip", "secret"),
    *("birth_date", "address", "health", "name"),
)
PLACEHOLDERS = {kind: f"[{kind}]" for kind in PII_CLASSES}


class SanitizePolicy(BaseModel):
    """One action for each class; `name` counts only where `names` switches the detector on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    email: Action = Field(Action.REDACT, description="e-mail addresses")
    phone: Action = Field(Action.REDACT, description="telephone numbers")
    iban: Action = Field(Action.REDACT, description="bank accounts with a valid checksum")
    card: Action = Field(Action.REDACT, description="payment cards, 13 to 19 digits, Luhn")
    national_id: Action = Field(Action.REDACT, description="US, DE, AT, CH and UK person numbers")
    passport: Action = Field(Action.REDACT, description="numbers of identity documents")
    ip: Action = Field(Action.TAG, description="IPv4 and IPv6 addresses")
    secret: Action = Field(Action.REDACT, description="keys, tokens, passwords")
    birth_date: Action = Field(Action.TAG, description="dates of birth and birthdays")
    address: Action = Field(Action.TAG, description="postal addresses, in English and German forms")
    health: Action = Field(Action.TAG, description="what is told of somebody's health")
    name: Action = Field(Action.REDACT, description="names of people, if `names` is on")
    names: bool = Field(False, strict=True, description="look for names of people")

    def action(self, kind: str) -> Action:
        """The action for one of `PII_CLASSES`."""
        chosen: Action = getattr(self, kind)
        return chosen

    def wanted(self) -> frozenset[str]:
        """The classes that have to be looked for."""
        found = {kind for kind in PII_CLASSES if self.action(kind) is not Action.KEEP}
        return frozenset(found if self.names else found - {"name"})

    @classmethod
    def parse(cls, stored: Mapping[str, object]) -> SanitizePolicy:
        """The policy that a scope stores; raises `PolicyInvalid` naming the first bad field."""
        try:
            return cls.model_validate(dict(stored))
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            raise PolicyInvalid(_sentence(field, first["type"]), field=field) from error


def _sentence(field: str, problem: str) -> str:
    if problem == "extra_forbidden":
        return f"{field} is not part of a sanitising policy; it has {', '.join(PII_CLASSES)}, names"
    if field == "names":
        return "names must be true or false"
    return f"{field} must be one of {', '.join(Action)}"
