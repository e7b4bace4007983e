"""Fetches the jars of the lock into a cache: in parallel, resumable, verified, once."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from filelock import FileLock

from app.errors import ChecksumMismatch, DownloadFailed, HomeUnusable
from app.runtime.config import make_folder
from app.runtime.lock import FOLDERS, Jar, Lock
from app.runtime.machine import MB, need_disk

CONNECTIONS = 12
ATTEMPTS = 5
FIRST_PAUSE = 1.0
RETRIED = {408, 425, 429, 500, 502, 503, 504}
Progress = Callable[[int, int], None]


def silent(done: int, total: int) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True)
class JarCache:
    """A folder of jars for one lock: `lib/`, `plugins/`, and a marker once all are verified."""

    folder: Path
    lock: Lock

    @classmethod
    def under(cls, cache: Path, lock: Lock) -> JarCache:
        return cls(cache / f"neo4j-{lock.neo4j_version}-{lock.digest[:8]}", lock)

    @property
    def class_path(self) -> str:
        return ":".join(f"{self.folder / name}/*" for name in FOLDERS)

    @property
    def plugins(self) -> Path:
        return self.folder / "plugins"

    @property
    def marker(self) -> Path:
        return self.folder / "complete"

    def file(self, jar: Jar) -> Path:
        return self.folder / jar.folder / jar.name

    def missing(self) -> list[Jar]:
        """Jars that are absent or of another size."""
        return [jar for jar in self.lock.jars if _size(self.file(jar)) != jar.size]

    def is_complete(self) -> bool:
        """Whether everything was verified once and is still there; reads no jar."""
        marked = self.marker.is_file() and self.marker.read_text("ascii") == self.lock.digest
        return marked and not self.missing()

    def damaged(self) -> list[Jar]:
        """Jars whose content is not the lock's; reads all of them."""
        return [jar for jar in self.lock.jars if _sha256(self.file(jar)) != jar.sha256]


def fetch(cache: JarCache, url: str | None = None, progress: Progress = silent) -> None:
    """Complete the cache; touches no network where it is complete.

    `url` is a Maven repository's address (jgo's default if None). Raises DownloadFailed,
    ChecksumMismatch, DiskFull, HomeUnusable. Two processes may call it at once: one waits.
    """
    if cache.is_complete():
        return
    for name in FOLDERS:
        make_folder(cache.folder / name, "LOCI_CACHE")
    with FileLock(cache.folder / "fetch.lock"):
        missing = cache.missing()
        need_disk(cache.folder, sum(jar.size for jar in missing) // MB + 64, "LOCI_CACHE")
        _Download(cache, url or default_url(), progress).run(missing)
        cache.marker.write_text(cache.lock.digest, "ascii")


def default_url() -> str:
    """The address of the public Maven repository, as the resolver package knows it.

    Loaded late: the package takes 0.4 s to import, and is needed for a download only.
    """
    return str(importlib.import_module("jgo.constants").MAVEN_CENTRAL_URL)


@dataclass
class _Download:
    """One run over the missing jars, counting bytes over all threads."""

    cache: JarCache
    url: str
    progress: Progress
    done: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)
    counter: threading.Lock = field(default_factory=threading.Lock)

    def run(self, jars: list[Jar]) -> None:
        self.count(self.cache.lock.size - sum(jar.size for jar in jars))
        limits = httpx.Limits(max_connections=CONNECTIONS)
        largest_first = sorted(jars, key=lambda jar: -jar.size)
        with (
            httpx.Client(limits=limits, timeout=30, follow_redirects=True) as client,
            ThreadPoolExecutor(CONNECTIONS) as pool,
            self._stop_at_first_failure(),
        ):
            for future in [pool.submit(self.fetch, client, jar) for jar in largest_first]:
                future.result()

    @contextlib.contextmanager
    def _stop_at_first_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.stopped.set()
            raise

    def count(self, size: int) -> None:
        with self.counter:
            self.done += size
            self.progress(self.done, self.cache.lock.size)

    def fetch(self, client: httpx.Client, jar: Jar) -> None:
        """One jar, tried again with growing pauses (1, 2, 4, 8 s) while that can help."""
        for attempt in range(ATTEMPTS):
            if self.stopped.is_set():
                return
            try:
                self._attempt(client, jar)
            except (httpx.TransportError, _TryAgain) as error:
                if attempt == ATTEMPTS - 1:
                    raise self._failed(jar, error) from error
                self.stopped.wait(FIRST_PAUSE * 2**attempt)
            except OSError as error:
                raise _unwritable(self.cache.folder, error) from error
            else:
                return

    def _attempt(self, client: httpx.Client, jar: Jar) -> None:
        part = self.cache.file(jar).with_suffix(".part")
        if (_size(part) or 0) >= jar.size:
            part.unlink()
        had = _size(part) or 0
        self._stream(client, jar, part)
        found = _sha256(part)
        if found == jar.sha256:
            part.replace(self.cache.file(jar))
            return
        part.unlink()
        self.count(-jar.size)
        if had:  # the first half may have come from another server: once more from the start
            raise _TryAgain("the resumed file was damaged")
        raise ChecksumMismatch(
            f"The file for {jar.coordinates} from {self.url} has SHA-256 {found}, and not "
            f"{jar.sha256} as locked: nothing of it was kept. If LOCI_MAVEN_URL points to a "
            "mirror, check that mirror."
        )

    def _stream(self, client: httpx.Client, jar: Jar, part: Path) -> None:
        had = _size(part) or 0
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={had}-"} if had else {})
        with client.stream("GET", f"{self.url.rstrip('/')}/{jar.path}", headers=headers) as answer:
            self._check(answer, jar)
            resumed = answer.status_code == httpx.codes.PARTIAL_CONTENT
            start = time.monotonic()
            got = self._write(answer, part, "ab" if resumed else "wb", had if resumed else 0)
        if got != jar.size:
            self.count(-got)
            # What arrived is kept: the next attempt asks for the rest.
            raise _TryAgain(f"{got} of {jar.size} bytes after {time.monotonic() - start:.1f} s")

    def _write(self, answer: httpx.Response, part: Path, mode: str, had: int) -> int:
        self.count(had)
        got = had
        try:
            with part.open(mode) as stream:
                for chunk in answer.iter_raw():
                    stream.write(chunk)
                    got += len(chunk)
                    self.count(len(chunk))
        except httpx.TransportError:
            self.count(-got)
            raise
        return got

    def _check(self, answer: httpx.Response, jar: Jar) -> None:
        if answer.status_code in RETRIED:
            raise _TryAgain(f"status {answer.status_code}")
        if answer.status_code not in {httpx.codes.OK, httpx.codes.PARTIAL_CONTENT}:
            raise self._failed(jar, f"status {answer.status_code}")

    def _failed(self, jar: Jar, reason: object) -> DownloadFailed:
        return DownloadFailed(
            f"{jar.coordinates} could not be fetched from {self.url} ({reason}): check the "
            "connection, a proxy (HTTPS_PROXY), or LOCI_MAVEN_URL, and run `loci up` again; "
            "what has arrived is kept."
        )


class _TryAgain(Exception):
    """An answer that another attempt may better."""


def _unwritable(folder: Path, error: OSError) -> HomeUnusable:
    return HomeUnusable(
        f"Cannot write to {folder} ({error.strerror}): free or change that disk, "
        "or point LOCI_CACHE to another folder."
    )


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def _sha256(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
