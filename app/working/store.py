"""Working memory on Valkey: a hash for each task, whose fields the server itself ends.

All keys of a tenant share the slot of a cluster. Whatever changes something is one call of
`memory.lua`, so that counts and bounds hold however many write at once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from redis.asyncio import BlockingConnectionPool, Redis
from redis.exceptions import RedisError, ResponseError

from app.errors import QuotaReached, TooLarge, WorkingMemoryUnavailable
from app.kernel.ids import new_id
from app.working.model import Held, Limits, Listed, Place, Slot, Usage
from app.working.values import unpacked

SECONDS = 2.0  # for one answer, and for a free connection
CONNECTIONS = 32
# What a field costs beside its name and value: entries of four tables, measured and rounded up.
WEIGHT = 320
MARK_KEPT = 86_400_000  # milliseconds: much longer than anything takes that compares marks
ROUNDS = 1000  # of taking off what has run out before a quota is told


@dataclass(frozen=True, slots=True)
class Brought:
    """How what was read elsewhere is kept: for so many seconds, under which bounds, and whether
    in the place of what is there."""

    ttl: float
    limits: Limits
    replace: bool


class WorkingStore:
    """One method an operation; raises WorkingMemoryUnavailable where Valkey does not answer.

    Where a write names no `limits`, those of the installation hold.
    """

    def __init__(self, url: str, limits: Limits) -> None:
        self.limits = limits
        self._pool = BlockingConnectionPool.from_url(
            url,
            max_connections=CONNECTIONS,
            timeout=SECONDS,
            socket_timeout=SECONDS,
            socket_connect_timeout=SECONDS,
        )
        self._redis: Redis = Redis(connection_pool=self._pool)
        script = files("app.working").joinpath("memory.lua").read_text(encoding="utf-8")
        self._change = self._redis.register_script(script)

    async def put(
        self, place: Place, slot: Slot, value: bytes, ttl: float, limits: Limits | None = None
    ) -> int:
        """Keep a value for so many seconds; its bytes. Raises TooLarge, QuotaReached."""
        return int((await self._write("set", place, slot, value, ttl, limits))[1])

    async def put_new(
        self, place: Place, slot: Slot, value: bytes, ttl: float, limits: Limits | None = None
    ) -> bool:
        """The same where the slot is empty; whether it was."""
        return (await self._write("new", place, slot, value, ttl, limits))[0] == b"done"

    async def swap(
        self, place: Place, slot: Slot, values: tuple[bytes, bytes], ttl: float, limits: Limits
    ) -> bool:
        """Put the second value in the place of the first, which is empty for none; whether the
        first one stood there."""
        former, value = values
        done = await self._write("swap", place, slot, value, ttl, limits, former)
        return done[0] == b"done"

    async def bring(
        self, place: Place, slot: Slot, value: bytes, given: Brought, mark: bytes
    ) -> bool | None:
        """Keep a value that was read elsewhere; whether it was, and None where an erasure of the
        tenant began to take something out since its mark was read."""
        how = "set" if given.replace else "new"
        done = await self._write(how, place, slot, value, given.ttl, given.limits, b"", mark)
        return None if done[0] == b"erased" else done[0] == b"done"

    async def mark(self, tenant: str) -> bytes:
        """Return the mark that each erasure of a tenant changes; it is made where there is none, so
        that a lost Valkey changes it too."""
        key, made = _tenant_key(tenant, "mark"), new_id()
        with _translated():
            async with self._redis.pipeline(transaction=False) as pipe:
                pipe.set(key, made, nx=True, px=MARK_KEPT)
                pipe.get(key)
                return bytes((await pipe.execute())[1] or made.encode())

    async def renew_mark(self, tenant: str) -> None:
        """Change the mark of a tenant: what was read before and is not kept yet never will be."""
        await self._ask("SET", _tenant_key(tenant, "mark"), new_id(), "PX", MARK_KEPT)

    async def add_item(
        self, place: Place, slot: Slot, item: bytes, ttl: float, limits: Limits | None = None
    ) -> int:
        """Append JSON to a list, which is made where it is not there; the bytes of all."""
        return int((await self._write("item", place, slot, item, ttl, limits))[1])

    async def add_text(
        self, place: Place, slot: Slot, text: bytes, ttl: float, limits: Limits | None = None
    ) -> int:
        """Append a text, as JSON, on a line of its own; the bytes of all."""
        return int((await self._write("text", place, slot, text, ttl, limits))[1])

    async def get(self, place: Place, slot: Slot) -> Held | None:
        """A value with the seconds that it has left; None where there is none."""
        key = _hash(place)
        with _translated():
            async with self._redis.pipeline(transaction=False) as pipe:
                pipe.hget(key, slot.field)
                pipe.execute_command("HPTTL", key, "FIELDS", 1, slot.field)
                stored, left = await pipe.execute()
        if stored is None or left[0] < 0:
            return None
        return Held(slot, unpacked(stored), left[0] / 1000)

    async def values(self, place: Place) -> list[tuple[Slot, bytes]]:
        """Every value of a task, as JSON, by field."""
        found = await self._ask("HGETALL", _hash(place))
        return [(Slot.parse(field.decode()), found[field]) for field in sorted(found)]

    async def listed(self, place: Place) -> list[Listed]:
        """What a task holds, by field."""
        key = _hash(place)
        fields = sorted(await self._ask("HKEYS", key))
        if not fields:
            return []
        members = [f"{place}|{field.decode()}" for field in fields]
        with _translated():
            async with self._redis.pipeline(transaction=False) as pipe:
                pipe.execute_command("HPTTL", key, "FIELDS", len(fields), *fields)
                pipe.hmget(_tenant_key(place.tenant, "sizes"), members)
                left, sizes = await pipe.execute()
        return [
            Listed(Slot.parse(field.decode()), int(size or 0), ttl / 1000)
            for field, ttl, size in zip(fields, left, sizes, strict=True)
            if ttl > 0
        ]

    async def remove(self, place: Place, slot: Slot) -> bool:
        """Take one value out; whether it was there."""
        return bool((await self._changed("remove", place, slot.field))[1])

    async def take(self, place: Place, slot: Slot, value: bytes) -> bool:
        """Take one value out unless another one stands there by now; whether it was there."""
        return bool((await self._changed("take", place, slot.field, value))[1])

    async def drop(self, place: Place) -> int:
        """Take all of a task out; how many values that was."""
        return int((await self._changed("drop", place))[1])

    async def tasks(self, tenant: str, agent: str) -> list[Place]:
        """Where an agent keeps something, by place."""
        with _translated():
            async with self._redis.pipeline(transaction=False) as pipe:
                pipe.zrange(_tasks(tenant, agent), 0, -1, withscores=True)
                pipe.time()
                found, (seconds, micros) = await pipe.execute()
        at = seconds * 1000 + micros // 1000
        return [Place.parse(tenant, text.decode()) for text, end in sorted(found) if end > at]

    async def usage(self, tenant: str, agent: str) -> Usage:
        """Bytes in use; what has run out since the last write is counted still."""
        key = _tenant_key(tenant, "sums")
        own, all_of_it = await self._ask("HMGET", key, f"agent:{agent}", "tenant")
        return Usage(int(own or 0), int(all_of_it or 0))

    async def places(self, tenant: str) -> AsyncIterator[Place]:
        """Every place of a tenant where something is kept."""
        names = await self._ask("HKEYS", _tenant_key(tenant, "sums"))
        agents = sorted(n.decode() for n in names if n.startswith(b"agent:"))
        for agent in agents:
            for place in await self.tasks(tenant, agent.removeprefix("agent:")):
                yield place

    async def forget_tenant(self, tenant: str) -> None:
        """Take out every key of a tenant, counts too; looks through the whole of Valkey."""
        with _translated():
            async for key in self._redis.scan_iter(match=_tenant_key(tenant, "*"), count=1000):
                await self._redis.unlink(key)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._redis.aclose()
        await self._pool.aclose()

    async def _ask(self, *command: Any) -> Any:
        call: Any = self._redis.execute_command  # the library gives it no types
        with _translated():
            return await call(*command)

    async def _write(
        self,
        how: str,
        place: Place,
        slot: Slot,
        value: bytes,
        ttl: float,
        bounds: Limits | None,
        *more: bytes,
    ) -> tuple[bytes, int]:
        limits = bounds or self.limits
        sizes = (limits.value, limits.keys, limits.agent, limits.tenant)
        given = (value, round(ttl * 1000), *sizes, WEIGHT, *more)
        for _ in range(ROUNDS):
            code, number, cleared = await self._changed(how, place, slot.field, *given)
            if code in (b"done", b"kept", b"erased"):
                return code, int(number)
            if code in (b"value", b"keys") or not cleared:
                break
        raise _refused(code.decode(), int(number), limits)

    async def _changed(self, operation: str, place: Place, *given: Any) -> tuple[bytes, int, int]:
        tenant = place.tenant
        keys = [
            _hash(place),
            *(_tenant_key(tenant, name) for name in ("sizes", "sums", "due")),
            _tasks(tenant, place.agent),
            _tenant_key(tenant, "mark"),
        ]
        field = given or ("",)
        with _translated():
            code, number, cleared = await self._change(
                keys=keys, args=[operation, str(place), *field]
            )
        return code, number, cleared


def _refused(code: str, number: int, limits: Limits) -> TooLarge | QuotaReached:
    if code == "value":
        return TooLarge(
            f"a value has at most {limits.value} bytes, and this one {number}", field="value"
        )
    if code == "keys":
        return QuotaReached(f"a task has at most {limits.keys} values", field="name")
    most = limits.agent if code == "agent" else limits.tenant
    whose = "this agent's" if code == "agent" else "this tenant's"
    return QuotaReached(
        f"{whose} working memory has at most {most} bytes, and {number} are in use",
        field="value",
    )


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except ResponseError as error:
        if "unknown" in str(error).lower() and "HP" in str(error).upper():
            raise WorkingMemoryUnavailable(
                "working memory needs Valkey 9 or Redis 7.4, which end fields by themselves"
            ) from error
        raise WorkingMemoryUnavailable(f"Valkey refuses: {error}") from error
    except (RedisError, OSError, TimeoutError) as error:
        raise WorkingMemoryUnavailable(
            "Valkey does not answer: working memory is away until it does"
        ) from error


def _tenant_key(tenant: str, name: str) -> str:
    return f"loci:working:{{{tenant}}}:{name}"


def _hash(place: Place) -> str:
    return _tenant_key(place.tenant, f"task:{place}")


def _tasks(tenant: str, agent: str) -> str:
    return _tenant_key(tenant, f"tasks:{agent}")
