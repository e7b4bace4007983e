"""What a receiver can check: headers of a delivery, signed with the webhook's secret. Pure."""

from __future__ import annotations

import hashlib
import hmac
import secrets

PREFIX = "whsec_"


def new_secret() -> str:
    """A secret of 256 bits."""
    return f"{PREFIX}{secrets.token_urlsafe(32)}"


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """HMAC-SHA256 (hex) over the timestamp, a dot and the body, behind the version `v1=`."""
    signed = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256)
    return f"v1={signed.hexdigest()}"


def headers(secret: str, seconds: int, body: bytes, delivery: str, attempt: int) -> dict[str, str]:
    """The headers of one attempt; `seconds` is its moment since 1970."""
    stamp = str(seconds)
    return {
        "Content-Type": "application/json",
        "Loci-Delivery": delivery,
        "Loci-Attempt": str(attempt),
        "Loci-Timestamp": stamp,
        "Loci-Signature": signature(secret, stamp, body),
    }
