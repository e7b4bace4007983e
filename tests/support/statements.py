"""Which statements ran: inside a block, for the test itself and for requests within the process."""

from __future__ import annotations

from typing import Any

from app.kernel.graph import query_log
from app.telemetry import requests


class Statements:
    """Names of the statements that ran inside, in the order in which they were done."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __enter__(self) -> Statements:
        self._log: list[tuple[str, float]] = []
        self._token = query_log.set(self._log)
        self._tell = requests._tell  # a request has a log of its own

        def tell(scope: Any, status: int, seconds: float, queries: list[tuple[str, float]]) -> None:
            self._log += queries
            self._tell(scope, status, seconds, queries)

        requests._tell = tell
        return self

    def __exit__(self, *_: object) -> None:
        requests._tell = self._tell
        query_log.reset(self._token)
        self.names = [name for name, _ in self._log]
