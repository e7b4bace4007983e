"""The one sanitising step in front of every durable text: markers cut, personal data handled."""

from app.sanitize.policy import Action, SanitizePolicy
from app.sanitize.step import SANITIZER_VERSION, Redaction, Sanitized, sanitize

__all__ = [
    "SANITIZER_VERSION",
    "Action",
    "Redaction",
    "SanitizePolicy",
    "Sanitized",
    "sanitize",
]
