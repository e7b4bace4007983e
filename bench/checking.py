"""How long the check of an erasure takes: in a small tenant alone, in the same one beside a large
tenant, and in the large one.

A check reads every text of its tenant and none of others, so that its time follows from the tenant
alone. Each is asked for several times as a job of the worker; the median counts, by the moments at
which the job began and ended.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from statistics import median
from typing import Any

from app.errors import LociError
from app.evals.client import ApiClient
from bench.beside import erased, imported, over, running, waiting

Tell = Callable[[str], None]
PLACES = 10  # scopes of the large tenant


@dataclass(frozen=True, slots=True)
class Size:
    """Memories of the small tenant and of the large one, and how often each check is made."""

    small: int = 2_000
    large: int = 125_000
    times: int = 5


@dataclass(frozen=True, slots=True)
class Bar:
    """How many seconds the check of the large tenant may take, and how many times as long as alone
    that of the small one may take beside it, or how many seconds longer."""

    seconds: float = 120.0
    ratio: float = 1.5
    slack: float = 1.0


async def measure(
    small: tuple[ApiClient, str],
    large: tuple[ApiClient, str],
    size: Size,
    tell: Tell,
    *,
    there: bool = False,
) -> dict[str, Any]:
    """Seconds of each check and what it looked at; where the large tenant is `there` already, it is
    not filled, and nothing is measured alone. Raises LociError where a check is not clean, or its
    job does not end well."""
    client, scope = small
    await _filled(client, [scope], size.small)
    receipt = await erased(client, scope)
    await _checked(client, receipt)  # what is asked for the first time is planned
    found: dict[str, Any] = {}
    big, root = large
    if not there:
        found["alone"] = await _several(client, receipt, size.times)
        tell(f"alone: {found['alone']}")
        await _filled(big, [f"{root}/w{place}" for place in range(PLACES)], size.large)
        tell(f"{size.large} memories beside it")
    found["beside"] = await _several(client, receipt, size.times)
    tell(f"beside: {found['beside']}")
    found["large"] = await _several(big, await erased(big, root), size.times)
    tell(f"the large one: {found['large']}")
    return found


def missed(found: dict[str, Any], bar: Bar) -> list[str]:
    """What does not keep to the bar."""
    beside, large = found["beside"]["median"], found["large"]["median"]
    alone = found["alone"]["median"] if "alone" in found else None
    told = []
    if alone is not None and beside > max(bar.ratio * alone, alone + bar.slack):
        told.append(f"{beside} s beside the large tenant, {alone} s alone")
    if large > bar.seconds:
        told.append(f"{large} s for the large tenant, {bar.seconds} at most")
    return told


async def _filled(client: ApiClient, scopes: list[str], count: int) -> None:
    """Import episodes and wait until they are read, so that no other work is timed."""
    job = await imported(client, scopes, count)
    await over(lambda: running(client, job))
    await over(lambda: waiting(client))


async def _several(client: ApiClient, receipt: str, times: int) -> dict[str, Any]:
    taken = [await _checked(client, receipt) for _ in range(times)]
    seconds = [each[0] for each in taken]
    return {
        "median": round(median(seconds), 2),
        "longest": round(max(seconds), 2),
        "looked_at": taken[-1][1],
    }


async def _checked(client: ApiClient, receipt: str) -> tuple[float, int]:
    """Seconds that one check ran, and how many nodes and relationships it looked at."""
    job = (await client.call("POST", f"/v1/erasures/{receipt}/check", {}))["job"]
    await over(partial(running, client, job))
    told = await client.call("GET", f"/v1/jobs/{job}")
    if not told["result"]["clean"]:
        raise LociError(f"something holds what was erased: {told['result']['holders']}")
    began, ended = (datetime.fromisoformat(told[name]) for name in ("started_at", "finished_at"))
    return (ended - began).total_seconds(), int(told["result"]["looked_at"])
