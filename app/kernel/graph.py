"""The one door to Neo4j: named queries in, plain Python values out.

This is the only module that knows the driver's exceptions; it turns them into our tree. A `Graph`
holds no tenant state: scope is an argument of every query.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from opentelemetry import trace

from app.errors import (
    AlreadyExists,
    GraphBusy,
    GraphUnavailable,
    InvalidInput,
    QueryError,
)
from app.kernel.arrivals import take_what_has_arrived
from app.kernel.cypher import Query
from app.kernel.driver import (
    READ_ACCESS,
    WRITE_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncResult,
    AsyncSession,
    AuthError,
    ClientError,
    ConstraintError,
    DateTime,
    Driver,
    DriverError,
    GraphDatabase,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
    unit_of_work,
)
from app.kernel.driver import Query as StatementWithLimits
from app.kernel.ids import runs
from app.kernel.kind import Stored
from app.kernel.moments import use_own_moments
from app.kernel.rests import Rests
from app.kernel.turns import Shares

T = TypeVar("T")
S = TypeVar("S", bound=Stored)
Row = dict[str, Any]

RETRIED = 15.0  # seconds that what fails in passing is tried again for
READ_TIMEOUT = 30.0
WRITE_TIMEOUT = 120.0
TURN = 0.25  # seconds that a transaction of a limited process waits for others to end
# Seconds that one of what is asked in bulk waits for another such: the three that an import writes
# at once take longer than a turn each, and all of a machine's cores together.
BULK_TURN = 5.0
REST = 1.0  # of a long transaction of a party, until its next one may begin beside others
# Deadlocks and locks not had in time: over as soon as the others are done. The server is up.
CONTENDED = "Neo.TransientError.Transaction."
MADE_MEANWHILE = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"

# Spans go nowhere unless `app.telemetry.tracing` has set up an exporter.
tracer = trace.get_tracer("loci")

# Name and milliseconds of each query of the request or job at hand; telemetry reads it.
query_log: ContextVar[list[tuple[str, float]] | None] = ContextVar("query_log", default=None)
# Whether this task has one of the transactions that a limited `Graph` may have at once.
_has_turn: ContextVar[bool] = ContextVar("has_turn", default=False)
# Whether what this task asks is a part of something that takes long, such as an import.
_in_bulk: ContextVar[bool] = ContextVar("in_bulk", default=False)


# For whom this task asks: parties share the transactions that the process may have at once.
asking_for: ContextVar[str | None] = ContextVar("asking_for", default=None)


# How every driver of ours behaves.
_MANNERS: dict[str, Any] = {
    "connection_acquisition_timeout": 20.0,
    "connection_timeout": 5.0,
    # A deadlock is over in a moment, and whoever waits while the database is away should be told
    # after some 15 s, not 40: the driver's own delays (1, 2, 4, 8, 16 s) suit neither.
    "max_transaction_retry_time": RETRIED,
    "initial_retry_delay": 0.1,
    "retry_delay_multiplier": 1.5,
    "notifications_min_severity": "OFF",
    "user_agent": "loci/0.1",
}


@dataclass(frozen=True, slots=True)
class Login:
    """Where the database is, and as whom it is asked; the scheme of `uri` says whether by TLS."""

    uri: str
    user: str
    password: str = field(repr=False)
    database: str | None = None


@contextmanager
def in_bulk() -> Iterator[None]:
    """Ask as a part of something long: of the transactions that a limited process has at once, all
    that is asked so has one, and others find a turn free. Who waited `BULK_TURN` for it goes on."""
    before = _in_bulk.set(True)
    try:
        yield
    finally:
        _in_bulk.reset(before)


@contextmanager
def _having_turn() -> Iterator[None]:
    before = _has_turn.set(True)
    try:
        yield
    finally:
        _has_turn.reset(before)


class Tx:
    """A managed write transaction; the driver may run its work again, so it only queries."""

    def __init__(self, tx: AsyncManagedTransaction) -> None:
        self._tx = tx

    async def rows(self, query: Query, /, **params: Any) -> list[Row]:
        """All rows of `query`, as dicts of plain values."""
        query.check(params)
        with _timed(query):
            return await _fetched(await self._tx.run(query.text, params))

    async def optional(self, query: Query, /, **params: Any) -> Row | None:
        """The first row, or None."""
        found = await self.rows(query, **params)
        return found[0] if found else None

    async def one(self, query: Query, /, **params: Any) -> Row:
        """The only row; QueryError where there is none or more than one."""
        return _only(query, await self.rows(query, **params))

    async def many(self, query: Query, struct: type[S], /, **params: Any) -> list[S]:
        """Return the nodes in the only column of a query as values of a declared kind."""
        return _typed(struct, await self.rows(query, **params))


class Graph:
    """Named queries over one driver and one database."""

    def __init__(self, driver: AsyncDriver, login: Login) -> None:
        self.driver = driver
        self._login = login
        self._database = login.database
        self._turns: asyncio.Semaphore | None = None
        self._bulk = asyncio.Semaphore(1)
        self._shares: Shares | None = None
        self._rests: Rests | None = None

    def share(self, most: int) -> None:
        """Have at most so many transactions at once from now on where one party asks for them;
        several share half of them, and one that had a long one rests before its next."""
        self._shares = Shares(most // 2, alone=most, rest=REST)

    async def give_way(self, seconds: float) -> None:
        """Rest for so many seconds where other parties ask; not at all else."""
        if self._shares is not None:
            await self._shares.give_way(seconds)

    def limit(self, most: int, rests: Rests | None = None) -> None:
        """Have at most so many transactions at once from now on; who waited `TURN` goes on, and of
        what is asked in bulk who waited `BULK_TURN`. A long one is followed by a rest.

        A process that works in the background leaves the database's cores to those that answer.
        One that takes minutes may not hold up a lease that is to be renewed.
        """
        self._turns = asyncio.Semaphore(most)
        self._rests = rests

    async def rows(self, query: Query, /, **params: Any) -> list[Row]:
        """All rows of `query`; its header decides between a reading and a writing session."""
        query.check(params)
        if query.mode == "batched":
            return await self._batched(query, params)

        async def work(tx: AsyncManagedTransaction) -> list[Row]:
            return await _fetched(await tx.run(query.text, params))

        with _translated(), _timed(query):
            async with self._session(query.mode) as session:
                if query.mode == "read":
                    # A read on its own needs no BEGIN and COMMIT, which cost as much as it does;
                    # only one that fails in passing is run again as a managed transaction.
                    with suppress(TransientError, SessionExpired, ServiceUnavailable):
                        return await _fetched(await session.run(_read_alone(query), params))
                    return await session.execute_read(_named(query.key, "read")(work))
                return await session.execute_write(_named(query.key, query.mode)(work))

    async def optional(self, query: Query, /, **params: Any) -> Row | None:
        """The first row, or None."""
        found = await self.rows(query, **params)
        return found[0] if found else None

    async def one(self, query: Query, /, **params: Any) -> Row:
        """The only row; QueryError where there is none or more than one."""
        return _only(query, await self.rows(query, **params))

    async def many(self, query: Query, struct: type[S], /, **params: Any) -> list[S]:
        """Return the nodes in the only column of a query as values of a declared kind."""
        return _typed(struct, await self.rows(query, **params))

    async def write(self, name: str, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work` in one managed write transaction; it is retried on deadlock and failover.

        `work` must be safe to run again: it queries, decides, and nothing else.
        """

        run = runs()

        async def managed(tx: AsyncManagedTransaction) -> T:
            with run():
                return await work(Tx(tx))

        with _translated():
            async with self._session("write") as session:
                return await session.execute_write(_named(name, "write")(managed))

    async def raw(self, text: str, /, **params: Any) -> list[Row]:
        """One schema statement of ours, which no query file can hold.

        Retried like a write: two processes that start at once wait for each other's schema locks.
        Neo4j looks first and creates then, so of two `IF NOT EXISTS` at once one may be told of
        the other: the second time it finds what is there. What commits batch by batch opens its
        own transactions, and is written so that it may run again.
        """
        if "IN TRANSACTIONS" in text:
            with _translated():
                async with self._session("write") as session:
                    return await _fetched(await session.run(text, params))

        async def work(tx: AsyncManagedTransaction) -> list[Row]:
            return await _fetched(await tx.run(text, params))

        with _translated():
            async with self._session("write") as session:
                try:
                    return await session.execute_write(work)
                except ClientError as error:
                    if error.code != MADE_MEANWHILE:
                        raise
                    return await session.execute_write(work)

    async def _batched(self, query: Query, params: Row) -> list[Row]:
        with _translated(), _timed(query):
            async with self._session("write") as session:
                return await _fetched(await session.run(query.text, params))

    @asynccontextmanager
    async def _session(self, mode: str) -> AsyncIterator[AsyncSession]:
        access = READ_ACCESS if mode == "read" else WRITE_ACCESS
        async with (
            self.turn(),
            self.driver.session(database=self._database, default_access_mode=access) as session,
        ):
            yield session

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for one of the transactions that this process may have at once, and have it."""
        if _has_turn.get():  # what is asked within a transaction has it
            yield
            return
        party = asking_for.get()
        if self._shares is not None and party is not None:
            async with self._shares.turn(party):
                with _having_turn():
                    yield
            return
        if self._turns is None:
            yield
            return
        wanted = [(self._bulk, BULK_TURN)] if _in_bulk.get() else []
        taken: list[asyncio.Semaphore] = []
        try:
            for turns, seconds in (*wanted, (self._turns, TURN)):
                with suppress(TimeoutError):
                    async with asyncio.timeout(seconds):
                        await turns.acquire()
                        taken.append(turns)
            start = time.monotonic()
            with _having_turn():
                yield
        finally:
            for turns in reversed(taken):
                turns.release()
        if self._rests is not None:
            await self._rests.after(time.monotonic() - start)

    @contextmanager
    def blocking(self) -> Iterator[tuple[Driver, str | None]]:
        """Open a driver for a library that waits for its answers, and name the database; for a
        thread of its own. What goes wrong within is told in our errors."""
        given = self._login
        with (
            _translated(),
            GraphDatabase.driver(
                given.uri, auth=(given.user, given.password), **_MANNERS
            ) as driver,
        ):
            yield driver, given.database

    async def close(self) -> None:
        """Close the driver's pool."""
        await self.driver.close()


def connect(login: Login, *, pool: int = 50) -> Graph:
    """Return the graph behind a login; nothing is sent until the first query."""
    use_own_moments()
    take_what_has_arrived()
    driver = AsyncGraphDatabase.driver(
        login.uri,
        auth=(login.user, login.password),
        max_connection_pool_size=pool,
        **_MANNERS,
    )
    return Graph(driver, login)


def plain(value: Any) -> Any:
    """Driver values as plain Python ones: temporal values become aware datetimes."""
    if isinstance(value, DateTime):
        native: datetime = value.to_native()
        # As we write it: read with a named zone and written back, a moment would no longer be
        # equal to itself, since the database compares the zones of equal instants.
        return native.astimezone(UTC)
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        # The lists of our queries are of one type, and long where they hold numbers or ids:
        # looking at the first is enough.
        if value and isinstance(value[0], float | str | int):
            return value
        return [plain(v) for v in value]
    return value


async def _fetched(result: AsyncResult) -> list[Row]:
    keys = result.keys()
    rows = [dict(zip(keys, record, strict=True)) async for record in result]
    # Where moments come as Python's own, nothing is left to be made plain, and nothing of what came
    # is looked through for one.
    return rows if use_own_moments() else [plain(row) for row in rows]


def _read_alone(query: Query) -> StatementWithLimits:
    return StatementWithLimits(query.text, metadata={"query": query.key}, timeout=READ_TIMEOUT)


def _named(name: str, mode: str) -> Callable[[Any], Any]:
    timeout = READ_TIMEOUT if mode == "read" else WRITE_TIMEOUT
    decorate: Callable[[Any], Any] = unit_of_work(metadata={"query": name}, timeout=timeout)
    return decorate


def _typed(struct: type[S], found: list[Row]) -> list[S]:
    return [struct.of(next(iter(row.values()))) for row in found]


def _only(query: Query, found: list[Row]) -> Row:
    if len(found) != 1:
        raise QueryError(f"{query.key} gave {len(found)} rows where one was due")
    return found[0]


@contextmanager
def _timed(query: Query) -> Iterator[None]:
    start = time.perf_counter()
    try:
        with tracer.start_as_current_span(query.key, attributes={"db.system.name": "neo4j"}):
            yield
    finally:
        log = query_log.get()
        if log is not None:
            log.append((query.key, (time.perf_counter() - start) * 1000))


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except OverflowError as error:
        raise InvalidInput("a number is beyond what is stored") from error
    except ConstraintError as error:
        raise AlreadyExists("a node of that key exists already") from error
    except TransientError as error:
        known = (error.code or "").removeprefix(CONTENDED)
        if known == error.code or not known:
            raise GraphUnavailable(f"Neo4j: {_sentence(error)}") from error
        raise GraphBusy(f"Neo4j: {known}, and again until {RETRIED:g} s were up") from error
    except (AuthError, ServiceUnavailable, SessionExpired) as error:
        raise GraphUnavailable(f"Neo4j: {_sentence(error)}") from error
    except ClientError as error:
        raise QueryError(f"Neo4j refused a query: {_sentence(error)}") from error
    except (Neo4jError, DriverError) as error:
        raise GraphUnavailable(f"Neo4j: {_sentence(error)}") from error


def _sentence(error: Exception) -> str:
    said = (error.message if isinstance(error, Neo4jError) else None) or str(error)
    return said.strip().splitlines()[0][:300] if said.strip() else type(error).__name__
