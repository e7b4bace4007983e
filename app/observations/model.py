"""An observation as it is stored and exported."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from app.autonomy.authored import LOCI, Who, known
from app.errors import InvalidInput
from app.kernel.kind import Gone, Kind, Stored, strings_in, unpacked
from app.kernel.vocab import Label
from app.kernel.wire import Moment, ShortText
from app.pools.data import check, size_of

LARGEST = 262_144  # bytes of a payload, whatever the settings say


def _checked(payload: dict[str, Any]) -> dict[str, Any]:
    try:
        check(payload, "payload")
    except InvalidInput as error:
        raise ValueError(error.detail) from None
    if size_of(payload) > LARGEST:
        raise ValueError(f"a payload has at most {LARGEST} bytes")
    return payload


Sensor = Annotated[str, StringConstraints(pattern=r"^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$")]
Payload = Annotated[dict[str, Any], BeforeValidator(unpacked), AfterValidator(_checked)]


class Observation(Stored):
    """What a sensor told, under a key by which it is told once."""

    sensor: Sensor
    key: ShortText
    payload: Payload
    observed_at: Moment
    recorded_at: Moment
    recorded_by: Who
    expires_at: Moment
    processed_at: Moment | None = None
    processed_by: Who | None = None
    number: Annotated[int, Field(ge=0, le=2**53 - 1)] = 0  # of Loci's own, by sensor and scope

    def people(self) -> Iterable[str]:
        """Return who pushed it and who processed it."""
        return {self.recorded_by, self.processed_by or ""} - {LOCI}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the observation with every principal replaced."""
        by = known(name)
        return self.model_copy(
            update={
                "recorded_by": by(self.recorded_by),
                "processed_by": by(self.processed_by) if self.processed_by else self.processed_by,
            }
        )

    def without(self, gone: Gone) -> Self | None:
        """Return the observation without who processed it; None where its author is forgotten, or
        where it names the person."""
        named = gone.named(self.key) or any(map(gone.named, strings_in(self.payload)))
        if gone.wrote(self.recorded_by) or named:
            return None
        by = self.processed_by
        return self.model_copy(update={"processed_by": None if gone.wrote(by or "") else by})


OBSERVATION = Kind(
    "observation",
    Observation,
    Label.OBSERVATION,
    identity=("sensor", "key"),
    sanitised=("key", "payload"),
    changed="recorded_at",
)
