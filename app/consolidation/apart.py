"""Reading episodes: short ones here, others in a process of their own, under hard limits.

A text that was made to harm a reader ends that process and nothing else. It is started with the
first such text, reused for the next, ended on an overrun, and ends with its parent. Very long texts
have one and those between have another, so that a page does not wait for books.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import resource
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from app.consolidation.assertion import statement_of
from app.consolidation.derive import Reading
from app.consolidation.proposals import utterance_of, with_proposals
from app.consolidation.voices import voiced
from app.extraction.extract import extract
from app.extraction.predicates import Registry
from app.kernel.clock import FOREVER
from app.kernel.graph import Row

SHORT = 4000  # characters that are read sooner than a process starts
LONG = 50_000  # characters that take a second or more
MIB = 1024 * 1024

T = TypeVar("T")
Hold = Callable[[], Awaitable[None]]
# What is made of an episode: a function of a module, which another process finds by its name.
Work = Callable[[Row, Registry], T]


class ReadsTooLong(Exception):
    """A text that the rules do not get through within the limits of time and memory."""


class ReaderEnded(Exception):
    """The process that read a text ended without an answer."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What reading one text may take: processor seconds, seconds on the clock, bytes."""

    seconds: float = 30.0
    clock: float = 45.0  # less than a lease
    memory: int = 1024 * MIB


class Apart:
    """Reads episodes; `stop` ends its processes, and a text that needs one starts another."""

    def __init__(self, limits: Limits | None = None) -> None:
        # Of several at once each would only wait for the others; who has a short text does not
        # wait for a long one.
        self._here = asyncio.Semaphore(1)
        self._middling, self._long = _Reader(limits or Limits()), _Reader(limits or Limits())

    async def read(
        self, episodes: Sequence[Row], registry: Registry, hold: Hold
    ) -> list[Reading | Exception]:
        """What each episode says, or what was wrong with it; a cancelled reading leaves no
        process behind. `hold` is called before and after each text that is not short: its
        caller's lease goes on."""
        return await self.each(read, episodes, registry, hold)

    async def each(
        self, work: Work[T], episodes: Sequence[Row], registry: Registry, hold: Hold
    ) -> list[T | Exception]:
        """Return what some work makes of each episode, as `read` does."""
        asked = self._readers(episodes)
        for reader in asked:
            reader.asked += 1
        try:
            return await self._each(work, episodes, registry, hold)
        finally:
            for reader in asked:
                reader.asked -= 1

    def is_busy(self, episodes: Sequence[Row]) -> bool:
        """Whether one of some episodes would wait for the process that reads another's text."""
        return any(reader.asked for reader in self._readers(episodes))

    def _readers(self, episodes: Sequence[Row]) -> list[_Reader]:
        """The processes that read some episodes, each once."""
        sizes = [len(episode["content"]) for episode in episodes]
        readers = {self._long if size > LONG else self._middling for size in sizes if size > SHORT}
        return list(readers)

    async def _each(
        self, work: Work[T], episodes: Sequence[Row], registry: Registry, hold: Hold
    ) -> list[T | Exception]:
        short = [episode for episode in episodes if len(episode["content"]) <= SHORT]
        here: Iterator[T | Exception] = iter(())
        if short:
            async with self._here:
                here = iter(await asyncio.to_thread(_each, work, short, registry))
        found: list[T | Exception] = []
        for episode in episodes:
            size = len(episode["content"])
            if size <= SHORT:
                found.append(next(here))
            else:
                reader = self._long if size > LONG else self._middling
                found.append(await reader.read(work, episode, registry, hold))
        return found

    def stop(self) -> None:
        """End the processes, also in the midst of a text."""
        self._middling.stop()
        self._long.stop()


class _Reader:
    """One process that reads one text after the other."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.asked = 0  # how many have a text that it reads, or that waits for it
        self._free = asyncio.Semaphore(1)
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    async def read(
        self, work: Work[T], episode: Row, registry: Registry, hold: Hold
    ) -> T | Exception:
        while True:
            await hold()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._free.acquire(), self.limits.clock)
                break
        try:
            await hold()
            found = await asyncio.to_thread(self._apart, work, episode, registry)
        except asyncio.CancelledError:
            self.stop()
            raise
        finally:
            self._free.release()
        await hold()
        return found

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.join()

    def _apart(self, work: Work[T], episode: Row, registry: Registry) -> T | Exception:
        pipe = self._started()
        try:
            pipe.send((work, episode, registry))
            if pipe.poll(self.limits.clock):
                return pipe.recv()  # type: ignore[no-any-return]
        except (EOFError, OSError):
            self.stop()
            return ReaderEnded("the process that read the text ended without an answer")
        self.stop()
        return ReadsTooLong(f"reading takes more than {self.limits.clock:g} seconds")

    def _started(self) -> Connection:
        if self._process is None or self._pipe is None or not self._process.is_alive():
            if self._pipe is not None:
                self._pipe.close()
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=serve, args=(theirs, self.limits), daemon=True)
            self._process.start()
            theirs.close()
        return self._pipe


def _each(work: Work[T], episodes: Sequence[Row], registry: Registry) -> list[T | Exception]:
    return [attempt(work, episode, registry) for episode in episodes]


def serve(pipe: Connection, limits: Limits) -> None:
    """What the process does: one text after the other until its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells it when to end
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGPROF, _too_long)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    while True:
        try:
            work, episode, registry = pipe.recv()
        except EOFError:
            return
        pipe.send(_limited(work, episode, registry, limits))


def _limited(work: Work[T], episode: Row, registry: Registry, limits: Limits) -> T | Exception:
    signal.setitimer(signal.ITIMER_PROF, limits.seconds)
    try:
        return attempt(work, episode, registry)
    except ReadsTooLong:
        return ReadsTooLong(f"reading takes more than {limits.seconds:g} seconds")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _too_long(signum: int, frame: Any) -> None:
    raise ReadsTooLong


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def attempt(work: Work[T], episode: Row, registry: Registry) -> T | Exception:
    """What work makes of an episode, or what was wrong with it: one text must not hold up the
    others."""
    try:
        return work(episode, registry)
    except ReadsTooLong:
        raise
    except MemoryError:
        return ReadsTooLong("reading takes too much memory")
    except Exception as error:  # noqa: BLE001 - whatever a text does
        return error


def read(episode: Row, registry: Registry) -> Reading:
    """What rules find in one episode, and what a model has proposed of it; a forgotten one yields
    nothing new."""
    forgotten = episode["expired_at"] < FOREVER
    if episode.get("assertion") and not forgotten:
        packed, text = episode["assertion"], episode["content"]
        return Reading(episode, statement_of(packed, text, episode.get("language")))
    utterance = utterance_of(episode)
    found = extract(utterance, registry)
    told = with_proposals(episode, utterance, registry, found)
    return Reading(episode, voiced(episode, told))
