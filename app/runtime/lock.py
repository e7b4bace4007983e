"""The list of jars that the embedded Neo4j is made of, with their digests.

One jar a line: `group:artifact:version[:classifier] sha256 bytes folder`. The folder is `plugins`
for what the server scans for procedures, else `lib`. How the list was made is told in
docs/operations/embedded.md.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

LOCK_FILE = Path(__file__).with_name("neo4j.lock")
SERVER = "org.neo4j.app:neo4j-server:"
GDS = "org.neo4j.gds:proc:"
FOLDERS = ("lib", "plugins")


@dataclass(frozen=True)
class Jar:
    """One file of the lock; `size` in bytes."""

    coordinates: str
    sha256: str
    size: int
    folder: str

    @property
    def path(self) -> str:
        """Where a Maven repository keeps it, relative to the repository's address."""
        group, artifact, version, *_ = self.coordinates.split(":")
        return f"{group.replace('.', '/')}/{artifact}/{version}/{self._plain_name}"

    @property
    def name(self) -> str:
        """File name in our cache: led by the group, as artifact names of two groups collide."""
        return f"{self.coordinates.split(':')[0]}.{self._plain_name}"

    @property
    def _plain_name(self) -> str:
        _, artifact, version, *classifier = self.coordinates.split(":")
        return "-".join([artifact, version, *classifier]) + ".jar"


@dataclass(frozen=True)
class Lock:
    """A read lock file; `digest` is the SHA-256 of its bytes."""

    jars: tuple[Jar, ...]
    digest: str

    @property
    def size(self) -> int:
        """Bytes of all jars."""
        return sum(jar.size for jar in self.jars)

    @property
    def neo4j_version(self) -> str:
        return self._version_of(SERVER)

    @property
    def gds_version(self) -> str:
        return self._version_of(GDS)

    def _version_of(self, prefix: str) -> str:
        found = (jar.coordinates for jar in self.jars if jar.coordinates.startswith(prefix))
        return next(found, f"{prefix}unknown").removeprefix(prefix)


def read_lock(path: Path = LOCK_FILE) -> Lock:
    """Read a lock file; ValueError names a line that cannot be read."""
    text = path.read_bytes()
    jars = tuple(_jar(line) for line in text.decode("ascii").splitlines() if line.strip())
    return Lock(jars, hashlib.sha256(text).hexdigest())


def _jar(line: str) -> Jar:
    fields = line.split()
    known = len(fields) == 4 and fields[3] in FOLDERS and fields[2].isdigit()
    if not known or fields[0].count(":") not in {2, 3}:
        raise ValueError(f"not a line of a lock file: {line!r}")
    return Jar(fields[0], fields[1], int(fields[2]), fields[3])
