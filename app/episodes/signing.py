"""Signed captures: Ed25519 over what was said, checked against the author's public key."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime, timedelta

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from app.episodes.model import Capture
from app.errors import InvalidInput
from app.kernel.ids import digest

SKEW = timedelta(seconds=60)  # seed 001: tolerance of a signed write


def message(capture: Capture, scope: str) -> bytes:
    """The bytes that are signed: SHA-256 (hex) over scope, session, role, moment and content."""
    if capture.signature is None:
        raise InvalidInput("there is no signature", field="signature")
    moment = capture.signature.signed_at.isoformat()
    return digest(
        "loci-capture-v1", scope, capture.session, capture.role, moment, capture.content
    ).encode()


def verify(capture: Capture, scope: str, public_key: str | None, at: datetime) -> str:
    """`absent` or `verified`; InvalidInput, each cause with its own sentence, for anything else."""
    if capture.signature is None:
        return "absent"
    if public_key is None:
        raise InvalidInput("the author has no public key on record", field="signature")
    if abs(capture.signature.signed_at - at) > SKEW:
        raise InvalidInput("signed_at is more than 60 seconds off", field="signature.signed_at")
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key, validate=True))
        key.verify(
            base64.b64decode(capture.signature.value, validate=True), message(capture, scope)
        )
    except (InvalidSignature, binascii.Error, ValueError):
        raise InvalidInput("the signature does not fit the capture", field="signature") from None
    return "verified"
