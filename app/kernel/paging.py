"""Cursors: opaque, and always the last row's moment and id."""

from __future__ import annotations

import base64
import binascii
from datetime import UTC, datetime

import orjson

from app.errors import InvalidInput

LONGEST = 400  # characters of an id


def encode(at: datetime, identifier: str) -> str:
    """A cursor that continues after this row."""
    return base64.urlsafe_b64encode(orjson.dumps([at.isoformat(), identifier])).decode()


def decode(cursor: str) -> tuple[datetime, str]:
    """The row that a cursor continues after; InvalidInput (field `cursor`) where it is none."""
    try:
        at, identifier = orjson.loads(base64.urlsafe_b64decode(cursor.encode()))
        moment = datetime.fromisoformat(at)
        if moment.tzinfo is None or not isinstance(identifier, str) or len(identifier) > LONGEST:
            raise ValueError("not a cursor")
        # As they are written, in UTC: what the database cannot hold lies beyond the years.
        moment = moment.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, binascii.Error):
        raise InvalidInput("the cursor was not made by this API", field="cursor") from None
    return moment, identifier
