"""Wire types of observations. What clients wrote stands under `untrusted`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from pydantic import Field, field_validator

from app.autonomy.authored import Id
from app.kernel.wire import Moment, ShortText, WireModel
from app.observations.model import Observation, Payload, Sensor
from app.observations.sensors import SENSORS
from app.observations.service import Draft, Taken

MOST = 100  # observations of one batch


class ObservationIn(WireModel):
    """What a sensor tells."""

    sensor: Sensor = Field(description="Name of the sensor: a-z, 0-9, dot, hyphen, underscore.")
    key: ShortText | None = Field(
        None,
        description="A name by which it is told once: the same again changes nothing.",
    )
    payload: Payload
    observed_at: Moment | None = Field(None, description="Now if unset.")
    expires_at: Moment | None = Field(None, description="By the settings if unset.")

    @field_validator("sensor")
    @classmethod
    def _not_ours(cls, value: str) -> str:
        if value in SENSORS:
            raise ValueError("Loci's own sensors have this name: take another one")
        return value

    def to_draft(self) -> Draft:
        """Return the draft that this describes."""
        return Draft(self.sensor, self.key, self.payload, self.observed_at, self.expires_at)


class ObservationsIn(WireModel):
    """A batch: all of it is taken in, or nothing."""

    scope: str | None = Field(None, description="Scope path to write to; the key's home if unset.")
    items: Annotated[list[ObservationIn], Field(min_length=1, max_length=MOST)]


class ProcessIn(WireModel):
    """What was processed."""

    ids: Annotated[list[Id], Field(min_length=1, max_length=MOST)]


class ObservationOut(msgspec.Struct, frozen=True):
    """An observation."""

    id: str
    scope: str
    sensor: str
    observed_at: datetime
    recorded_at: datetime
    recorded_by: str
    expires_at: datetime
    processed_at: datetime | None
    processed_by: str | None
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, found: Observation) -> ObservationOut:
        """Return the wire form of an observation."""
        return cls(
            id=found.id,
            scope=found.scope,
            sensor=found.sensor,
            observed_at=found.observed_at,
            recorded_at=found.recorded_at,
            recorded_by=found.recorded_by,
            expires_at=found.expires_at,
            processed_at=found.processed_at,
            processed_by=found.processed_by,
            untrusted={"key": found.key, "payload": found.payload},
        )


class ObservationsOut(msgspec.Struct, frozen=True):
    """A page of observations; `next` is the cursor of the one after it."""

    items: list[ObservationOut]
    next: str | None


class TakenOut(msgspec.Struct, frozen=True):
    """What became of one that was pushed: whether it is new, and what is there now."""

    created: bool
    observation: ObservationOut

    @classmethod
    def of(cls, taken: Taken) -> TakenOut:
        """Return the wire form."""
        return cls(taken.created, ObservationOut.of(taken.observation))


class PushedOut(msgspec.Struct, frozen=True):
    """What became of a batch, in its order."""

    items: list[TakenOut]


class ProcessedOut(msgspec.Struct, frozen=True):
    """What is processed now, by id."""

    items: list[ObservationOut]
