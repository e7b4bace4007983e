"""What happens once the API is ready: the first admin key, and the demo on the first start."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from app.errors import PartFailed
from app.runtime.config import RuntimeConfig
from app.runtime.process import last_line

KeepGoing = Callable[[], bool]
Step = tuple[tuple[str, ...], Mapping[str, str]]


def wait_a_moment() -> bool:
    """For callers that tend nothing while a step runs."""
    time.sleep(0.2)
    return True


def first_key(step: Step, logs: Path, keep_going: KeepGoing = wait_a_moment) -> str | None:
    """The new admin key, to be shown once; None where one was made before. PartFailed."""
    said = _run(step, logs / "bootstrap.log", keep_going)
    try:
        key = json.loads(said)["key"]
    except (ValueError, KeyError, TypeError):
        # What was said is not repeated: it may hold a key.
        raise PartFailed(
            "The first admin key could not be read: make one with `loci keys mint`."
        ) from None
    return str(key) if key else None


def load_demo(step: Step, logs: Path, keep_going: KeepGoing = wait_a_moment) -> None:
    """Load the demo where the graph is empty. PartFailed, which loses nothing but the demo."""
    _run(step, logs / "seed.log", keep_going)


def done_mark(config: RuntimeConfig) -> Path:
    """Where it is noted that both were done: beside the embedded store, so that it goes with it."""
    if config.graph is None:
        return config.neo4j_home / "loci-first-run"
    known = hashlib.sha256(config.graph.uri.encode()).hexdigest()[:8]
    return config.run / f"first-run-{known}"


def _run(step: Step, errors: Path, keep_going: KeepGoing) -> str:
    """Run a command to its end and return what it printed; its complaints go to a log."""
    argv, env = step
    output = errors.with_suffix(".out")
    with output.open("wb") as out, errors.open("ab") as complaints:
        child = subprocess.Popen(
            list(argv), env={**os.environ, **env}, stdout=out, stderr=complaints
        )
        try:
            while child.poll() is None and keep_going():
                pass
        finally:
            if child.poll() is None:
                child.terminate()
            code = child.wait()
    said = output.read_text("utf-8", "replace")
    # It may hold a key, which is shown once and kept nowhere.
    output.unlink()
    if code != 0:
        raise PartFailed(
            f"`{' '.join(argv[1:])}` ended with code {code}: "
            f"{last_line(errors) or said[-200:] or 'it said nothing'}"
        )
    return said
