from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import ChecksumMismatch, DiskFull, DownloadFailed, HomeUnusable
from app.runtime import jars
from app.runtime.jars import JarCache, fetch
from app.runtime.lock import read_lock
from tests.runtime.repository import Repository, make_lock, serve


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    _, files = make_lock(tmp_path)
    with serve(Repository(files)) as started:
        yield started


@pytest.fixture
def cache(tmp_path: Path) -> JarCache:
    lock, _ = make_lock(tmp_path)
    return JarCache.under(tmp_path / "cache", lock)


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jars, "FIRST_PAUSE", 0.01)


def test_fetches_everything_in_parallel_and_tells_how_far(
    cache: JarCache, repository: Repository
) -> None:
    repository.delay = 0.05
    seen: list[tuple[int, int]] = []
    fetch(cache, repository.url, lambda done, total: seen.append((done, total)))
    assert cache.is_complete()
    assert cache.damaged() == []
    assert repository.most_busy > 3
    assert seen[-1] == (cache.lock.size, cache.lock.size)
    assert not list(cache.folder.rglob("*.part"))


def test_the_second_time_needs_no_network(cache: JarCache, repository: Repository) -> None:
    fetch(cache, repository.url)
    before = repository.requests.total()
    fetch(cache, repository.url)
    fetch(cache, "http://127.0.0.1:1")
    assert repository.requests.total() == before


def test_a_lost_jar_is_fetched_again_alone(cache: JarCache, repository: Repository) -> None:
    fetch(cache, repository.url)
    lost = cache.lock.jars[3]
    cache.file(lost).unlink()
    assert not cache.is_complete()
    repository.requests.clear()
    fetch(cache, repository.url)
    assert dict(repository.requests) == {lost.path: 1}
    assert cache.is_complete()


@pytest.mark.parametrize("ranges", [True, False])
def test_resumes_a_partial_file(cache: JarCache, repository: Repository, ranges: bool) -> None:
    repository.ranges = ranges
    jar = cache.lock.jars[0]
    part = cache.file(jar).with_suffix(".part")
    part.parent.mkdir(parents=True)
    part.write_bytes(repository.files[jar.path][:40_000])
    fetch(cache, repository.url)
    assert cache.damaged() == []
    assert repository.sent == cache.lock.size - (40_000 if ranges else 0)


def test_a_partial_file_of_other_content_is_thrown_away(
    cache: JarCache, repository: Repository
) -> None:
    jar = cache.lock.jars[0]
    part = cache.file(jar).with_suffix(".part")
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * 40_000)
    fetch(cache, repository.url)
    assert cache.damaged() == []
    assert repository.requests[jar.path] == 2


def test_goes_on_where_a_connection_broke(cache: JarCache, repository: Repository) -> None:
    jar = cache.lock.jars[2]
    repository.cut_once = {jar.path: 30_000}
    seen: list[int] = []
    fetch(cache, repository.url, lambda done, total: seen.append(done))
    assert cache.damaged() == []
    assert repository.sent == cache.lock.size
    assert seen[-1] == cache.lock.size


def test_tries_again_what_may_get_better(cache: JarCache, repository: Repository) -> None:
    jar = cache.lock.jars[2]
    repository.refuse = {jar.path: [503, 429]}
    fetch(cache, repository.url)
    assert repository.requests[jar.path] == 3


def test_a_missing_jar_fails_at_once_and_says_what_to_check(
    cache: JarCache, repository: Repository
) -> None:
    jar = cache.lock.jars[2]
    del repository.files[jar.path]
    with pytest.raises(DownloadFailed, match=r"part2:1\.2 could not .*status 404.*LOCI_MAVEN_URL"):
        fetch(cache, repository.url)
    assert repository.requests[jar.path] == 1
    assert not cache.is_complete()


def test_a_silent_repository_fails_after_several_attempts(cache: JarCache) -> None:
    with pytest.raises(DownloadFailed, match="check the connection"):
        fetch(cache, "http://127.0.0.1:1")


def test_a_wrong_file_is_never_kept(cache: JarCache, repository: Repository) -> None:
    jar = cache.lock.jars[1]
    repository.files[jar.path] = b"y" * jar.size
    with pytest.raises(ChecksumMismatch, match="as locked: nothing of it was kept"):
        fetch(cache, repository.url)
    assert not cache.file(jar).exists()
    assert not cache.marker.exists()


def test_a_file_in_the_place_of_the_cache_is_named(tmp_path: Path, cache: JarCache) -> None:
    cache.folder.parent.write_text("in the way")
    with pytest.raises(HomeUnusable, match="point LOCI_CACHE to another folder"):
        fetch(cache, "http://127.0.0.1:1")


def test_a_full_disk_is_seen_before_the_first_byte(tmp_path: Path, repository: Repository) -> None:
    huge = tmp_path / "huge.lock"
    huge.write_text(f"org.example:part0:1.0 {'0' * 64} {10**17} lib\n")
    cache = JarCache.under(tmp_path / "cache", read_lock(huge))
    with pytest.raises(DiskFull, match=r"Only \d+ MiB are free .*LOCI_CACHE"):
        fetch(cache, repository.url)
    assert repository.requests.total() == 0


TWO = """
import sys
from pathlib import Path
from app.runtime.jars import JarCache, fetch
from app.runtime.lock import read_lock
cache = JarCache.under(Path(sys.argv[1]), read_lock(Path(sys.argv[2])))
fetch(cache, sys.argv[3])
assert cache.is_complete() and not cache.damaged()
"""


def test_two_processes_at_once_share_one_download(
    tmp_path: Path, cache: JarCache, repository: Repository
) -> None:
    repository.delay = 0.1
    arguments = [str(cache.folder.parent), str(tmp_path / "test.lock"), repository.url]
    both = [subprocess.Popen([sys.executable, "-c", TWO, *arguments]) for _ in range(2)]
    assert [child.wait(30) for child in both] == [0, 0]
    assert set(repository.requests.values()) == {1}
