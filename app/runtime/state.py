"""What a supervisor tells other processes about itself: one small file, replaced at once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.runtime.config import RuntimeConfig
from app.runtime.passwords import write_private
from app.runtime.process import Mark, living

STARTING, READY, STOPPING, FAILED = "starting", "ready", "stopping", "failed"


@dataclass(frozen=True)
class PartState:
    """One child: its process, and how often it was restarted."""

    mark: Mark
    restarts: int = 0


@dataclass(frozen=True)
class State:
    """A supervisor, its phase with a sentence, its children, the ports that it was given."""

    supervisor: Mark
    phase: str
    detail: str = ""
    parts: Mapping[str, PartState] = field(default_factory=dict)
    ports: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_alive(self) -> bool:
        return living(self.supervisor) is not None

    def to_json(self) -> dict[str, Any]:
        return {
            "supervisor": self.supervisor.to_json(),
            "phase": self.phase,
            "detail": self.detail,
            "parts": {
                name: {**part.mark.to_json(), "restarts": part.restarts}
                for name, part in self.parts.items()
            },
            "ports": dict(self.ports),
        }


def state_file(config: RuntimeConfig) -> Path:
    return config.run / "state.json"


def lock_file(config: RuntimeConfig) -> Path:
    """Held by a supervisor as long as it lives; the kernel lets go of it however it dies."""
    return config.run / "supervisor.lock"


def write_state(config: RuntimeConfig, state: State) -> None:
    write_private(state_file(config), json.dumps(state.to_json(), indent=1) + "\n")


def read_state(config: RuntimeConfig) -> State | None:
    """The last state written; None where there is none that can be read."""
    try:
        return _state(json.loads(state_file(config).read_text("utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _state(raw: Mapping[str, Any]) -> State:
    parts = {name: _part(part) for name, part in raw["parts"].items()}
    return State(_mark(raw["supervisor"]), raw["phase"], raw["detail"], parts, raw["ports"])


def _part(raw: Mapping[str, Any]) -> PartState:
    return PartState(_mark(raw), int(raw["restarts"]))


def _mark(raw: Mapping[str, Any]) -> Mark:
    return Mark(int(raw["pid"]), float(raw["created"]))
