"""Every shell and Python block of README, quickstart and guides, typed against a fresh `loci up`.

The pages run in the order of a reader, in one installation, with the bundled embedder: what one
page makes, a later one may use. A block fails where a command fails or an answer is an error.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.runtime.machine import free_port
from tests.support.server import TEST_JAVA_FLAGS, TEST_SETTINGS, in_memory
from tests.support.software import skip_where_pure

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.S | re.M)
KEY = re.compile(r"^\s*(loci_\S+)\s*$", re.M)
FIRST = ["README.md", "docs/quickstart.md", "docs/guides/agent.md"]
PAGES = [
    *FIRST,
    *sorted(
        name
        for path in (ROOT / "docs" / "guides").glob("*.md")
        if (name := str(path.relative_to(ROOT))) not in FIRST
    ),
]
# A scope in a command or a request within a sentence; placeholders are in capitals.
INLINE = re.compile(
    r'(?:scopes?(?:=|": ?\[?")|--scope |loci (?:erased?|snapshot|scope \w+) )([a-z][\w:/-]*)'
)
# What the fixture has done, or would end it; exports are the test's own, with the real key.
DONE = re.compile(r"make (?:up|test)\b|loci (?:up|down)\b|export (?:LOCI_API_\w+|PATH)=")
# A second model: the guide names a provider's, which no test can ask.
FURTHER = '{"large": {"provider": "hash", "dimension": 96}}'
STARTS = 600  # seconds for servers to start and the demo to load, on however busy a machine
PRELUDE = 'set -euo pipefail\ncurl() { command curl --fail-with-body --silent "$@"; }\n'


def scripts(page: str) -> list[str]:
    """The blocks of a page that are typed: bash as it stands, of a console what follows `$`."""
    found = []
    for language, body in FENCE.findall((ROOT / page).read_text(encoding="utf-8")):
        if language == "bash":
            found.append(body)
        elif language == "console":
            lines = [line[2:] for line in body.splitlines() if line.startswith("$ ")]
            found.append("\n".join(line for line in lines if not DONE.match(line)))
        elif language == "python":
            found.append(f"python - <<'PROGRAM'\n{body}PROGRAM\n")
    return [script for script in found if script.strip()]


@dataclass
class Installation:
    """A running service as a reader has it, and the variables that his blocks have set."""

    folder: Path
    environment: dict[str, str]
    exported: dict[str, str] = field(default_factory=dict)

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        """Type a block; what it exports is there for the next one."""
        after = self.folder / "exported"
        done = subprocess.run(
            ["bash", "-c", f"{PRELUDE}{script}\nenv -0 > {after}"],
            cwd=self.folder,
            env=self.environment | self.exported,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        if done.returncode == 0:
            for line in after.read_text(encoding="utf-8").split("\0"):
                name, _, value = line.partition("=")
                if name and name not in self.environment and name != "LOCI_EMBEDDING__FURTHER":
                    self.exported[name] = value
        return done


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """`loci up` with its demo, in a home and on ports of its own, and a checkout's files."""
    skip_where_pure()
    if shutil.which("curl") is None or shutil.which("jq") is None:
        absent = pytest.fail if os.environ.get("TESTS_NEED_SHELL") else pytest.skip
        absent("curl and jq are what the pages type")
    folder = tmp_path_factory.mktemp("reader")
    home = tempfile.mkdtemp(prefix="loci-test-", dir=in_memory())
    for name in ("README.md", "docs", "seed", "app"):
        (folder / name).symlink_to(ROOT / name)
    scripts_of_venv = Path(sys.executable).parent
    kept = ("LOCI_", "NEO4J", "REDIS", "PYTEST")
    port = free_port()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(kept)},
        "PATH": f"{scripts_of_venv}:{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT}:{ROOT / 'clients' / 'python'}",
        "COLUMNS": "200",
        "LOCI_HOME": home,
        "LOCI_PORT": str(port),
        "LOCI_BOLT_PORT": str(free_port()),
        "LOCI_HTTP_PORT": str(free_port()),
        "LOCI_VALKEY_PORT": str(free_port()),
        "LOCI_WEBHOOKS__ALLOW": "127.0.0.0/8",
        "LOCI_EMBEDDING__FURTHER": FURTHER,
        "LOCI_EMBEDDING__ALLOW_TEST": "true",
        "LOCI_RUNTIME__HEAP_MB": "1024",
        "LOCI_RUNTIME__NEO4J": json.dumps(TEST_SETTINGS),
        "JDK_JAVA_OPTIONS": " ".join(TEST_JAVA_FLAGS),
    }
    command = [sys.executable, "-m", "app.cli.main"]
    made = Installation(folder, environment)
    try:
        up = subprocess.run(
            [*command, "up", "--detach"], env=environment, cwd=folder,
            capture_output=True, text=True, timeout=STARTS, check=False,
        )  # fmt: skip
        assert up.returncode == 0, up.stdout + up.stderr
        key = KEY.search(up.stdout)
        assert key is not None, up.stdout
        environment["LOCI_API_URL"] = f"http://127.0.0.1:{port}"
        environment["LOCI_API_KEY"] = key[1]
        yield made
    finally:
        subprocess.run(
            [*command, "down"], env=environment, cwd=folder, timeout=120, check=False,
            capture_output=True,
        )  # fmt: skip
        shutil.rmtree(home, ignore_errors=True)


@pytest.mark.slow
@pytest.mark.timeout(2000)
def test_what_the_pages_tell_to_type_works(installation: Installation) -> None:
    failed = []
    for page in PAGES:
        for script in scripts(page):
            done = installation.run(script)
            if done.returncode != 0:
                failed.append(f"{page}: {script}\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}")
    assert not failed, "\n\n".join(failed)


def test_every_page_with_a_shell_block_is_typed() -> None:
    typed = {page for page in PAGES if scripts(page)}
    assert {"README.md", "docs/quickstart.md", "docs/guides/truth.md"} <= typed
    assert len(typed) > 10


@pytest.mark.parametrize("page", PAGES)
def test_a_page_uses_no_scope_that_is_not_there(page: str) -> None:
    """After `make up` there is the tenant `demo`; what a page makes begins with it as well."""
    for script in scripts(page):
        variables = dict(re.findall(r'^(\w+) = "([^"]*)"', script, re.MULTILINE))
        for scope in re.findall(r'scopes?(?:=|": ?\[?")([\w:/-]+)', script):
            assert variables.get(scope, scope).split("/")[0] == "demo", script
    for said in re.findall(r"`([^`\n]+)`", (ROOT / page).read_text("utf-8")):
        for scope in INLINE.findall(said):
            assert scope.split("/")[0] == "demo", said
