"""Every command line of Loci itself that the runtime runs, in one place."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from app.runtime.config import RuntimeConfig

ROOT = Path(__file__).resolve().parents[2]
DEMO_SEED = ROOT / "seed" / "demo"


@dataclass(frozen=True)
class Commands:
    """API and worker stay up; the other two run once after the first readiness and end.

    `bootstrap` prints `{"key": "…"}`, or `{"key": null}` where an admin key exists already.
    `seed` loads the demo into an empty graph; it is empty where the demo was not installed.
    """

    api: tuple[str, ...]
    worker: tuple[str, ...]
    bootstrap: tuple[str, ...] = ()
    seed: tuple[str, ...] = ()


# Streams of events are open for as long as their clients are: an API that is stopped ends them.
ENDS = ("--timeout-graceful-shutdown", "10")


def own_commands(config: RuntimeConfig) -> Commands:
    """What `loci up` runs."""
    python = sys.executable
    api = f"--factory app.asgi:create_app --host {config.api_host} --port {config.api_port}"
    rejects = str(config.logs / "demo-rejects.jsonl")
    loci = (python, "-m", "app.cli.main")
    return Commands(
        api=(python, "-m", "uvicorn", *api.split(), "--no-access-log", *ENDS),
        worker=(python, "-m", "app.worker"),
        bootstrap=(*loci, "keys", "bootstrap", "--json"),
        seed=(*loci, "import", str(DEMO_SEED), "--if-empty", "--rejects", rejects)
        if DEMO_SEED.is_dir()
        else (),
    )


def child_environment(config: RuntimeConfig) -> dict[str, str]:
    """Settings that every child gets beside what was set already."""
    models = {"LOCI_EMBEDDING__CACHE": str(config.model_cache)} if config.model_cache else {}
    return {
        "LOCI_HOME": str(config.home),
        "LOCI_PORT": str(config.api_port),
        "PYTHONUNBUFFERED": "1",
        **models,
    }
