"""What is said to Loci, without a network: a conversation is a generator of requests and pauses.

`Loci` and `AsyncLoci` carry the same conversations out, so each is written once.
"""

from __future__ import annotations

import itertools
import random
import uuid
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeAlias, TypeVar

import httpx

from loci_client.problems import LociProblem, LociUnreachable, problem_of

T = TypeVar("T")
PASSING = frozenset({429, 502, 503, 504})  # statuses that another try may not meet
# What may be over the next time. Others, such as an address of no known kind, stay as they are.
LOST = (httpx.NetworkError, httpx.TimeoutException, httpx.RemoteProtocolError)


@dataclass(frozen=True, slots=True)
class Ask:
    """One request. A `key` marks one that changes something: sent again, it is done once."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = None

    def headers(self) -> dict[str, str]:
        """The headers of this request alone."""
        return {} if self.key is None else {"Idempotency-Key": self.key}

    def after(self, page: Mapping[str, Any]) -> Ask | None:
        """The request of the page that follows; None after the last one."""
        if page["next"] is None:
            return None
        return replace(self, params={**self.params, "cursor": page["next"]})


@dataclass(frozen=True, slots=True)
class Pause:
    """Seconds to wait before the next request."""

    seconds: float


Told: TypeAlias = httpx.Response | httpx.TransportError | None
Talk: TypeAlias = Generator[Ask | Pause, Told, T]


@dataclass(frozen=True, slots=True)
class Retries:
    """How often, and how long, what failed is asked again.

    `tries` counts requests; pauses double from `first` to `most` seconds, give or take a quarter.
    `patience` bounds the pauses of one request together, those that Loci asks for included.
    """

    tries: int = 6
    first: float = 0.25
    most: float = 4.0
    patience: float = 90.0

    def pause(self, asked: int) -> float:
        """Seconds to wait after that many requests."""
        doubled: float = self.first * 2.0 ** min(asked - 1, 20)
        return min(self.most, doubled) * random.uniform(0.75, 1.25)


def reading(method: str, path: str, body: Mapping[str, Any] | None = None, **params: Any) -> Ask:
    """A request that changes nothing."""
    return Ask(method, path, written(body) if body is not None else None, written(params))


def writing(method: str, path: str, body: Mapping[str, Any] | None = None, **params: Any) -> Ask:
    """A request that changes something, under a key of its own."""
    return replace(reading(method, path, body, **params), key=uuid.uuid4().hex)


def exact(method: str, path: str, body: Mapping[str, Any], **params: Any) -> Ask:
    """The same with the body as it is: null is a value of its own in it."""
    return replace(writing(method, path, **params), body=body)


def pages(ask: Ask, retries: Retries) -> Talk[list[Any]]:
    """Every item of a list."""
    found: list[Any] = []
    following: Ask | None = ask
    while following is not None:
        page = yield from exchange(following, retries)
        found += page["items"]
        following = following.after(page)
    return found


def exchange(ask: Ask, retries: Retries) -> Talk[Any]:
    """Ask until an answer is there; its JSON, None where it has none.

    Raises LociProblem for what Loci refuses, and LociUnreachable where nothing answers.
    """
    failures, waited = 0, 0.0
    for asked in itertools.count(1):
        told = yield ask
        if isinstance(told, httpx.Response) and told.is_success:
            return _content(told)
        error = _error(ask, told)
        # A try that went lost may still be at work, or its claim has to run out: a minute.
        claimed = _claimed(error)
        failures += not claimed
        pause = _wait(told, asked, retries)
        lasting = failures >= retries.tries or not (claimed or _passing(told))
        if lasting or waited + pause > retries.patience:
            raise error from (told if isinstance(told, Exception) else None)
        waited += pause
        yield Pause(pause)


def written(value: Mapping[str, Any]) -> dict[str, Any]:
    """The value as JSON has it: moments in ISO 8601, and nothing where nothing was given."""
    return {name: _plain(each) for name, each in value.items() if each is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return written(value)
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, str):
        return [_plain(each) for each in value]
    return value


def _content(told: httpx.Response) -> Any:
    if not told.content:
        return None
    try:
        return told.json()
    except ValueError:
        raise problem_of(told) from None


def _error(ask: Ask, told: Told) -> LociProblem | LociUnreachable:
    if isinstance(told, httpx.Response):
        return problem_of(told)
    return LociUnreachable(f"no answer to {ask.method} {ask.path}: {told or type(told).__name__}")


def _claimed(error: Exception) -> bool:
    """Whether the same request, sent before, is being worked on."""
    return (
        isinstance(error, LociProblem)
        and error.code == "Conflict"
        and error.field == "Idempotency-Key"
    )


def _passing(told: Told) -> bool:
    if isinstance(told, httpx.Response):
        return told.status_code in PASSING
    return isinstance(told, LOST)


def _wait(told: Told, asked: int, retries: Retries) -> float:
    wished = _retry_after(told.headers) if isinstance(told, httpx.Response) else None
    return retries.pause(asked) if wished is None else wished


def _retry_after(headers: httpx.Headers) -> float | None:
    """Seconds that `Retry-After` asks for, as a number or as a date; None without one."""
    given = headers.get("Retry-After", "")
    if given.isdigit():
        return float(given)
    try:
        until = parsedate_to_datetime(given)
    except ValueError:
        return None
    aware = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
