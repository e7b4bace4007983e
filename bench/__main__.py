"""`python -m bench`: what the figures of `docs/benchmarks.md` were measured with."""

from __future__ import annotations

import typer

from app.cli.main import answered
from bench.commands import (
    arrivals,
    ask,
    build,
    checking,
    elsewhere,
    events,
    floor,
    freshness,
    growth,
    house,
    isolation,
    keeping,
    own_words,
    sets,
    size,
    tiers,
    tool_calls,
    tool_tokens,
    truth,
    turns,
    walk,
    working,
)

program = typer.Typer(
    help="Measure quality and speed on data that lies beside the project.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for module in (
    arrivals,
    ask,
    walk,
    build,
    size,
    floor,
    freshness,
    growth,
    truth,
    tool_calls,
    tool_tokens,
    turns,
    working,
    tiers,
    checking,
    events,
    elsewhere,
    house,
    isolation,
    keeping,
    own_words,
    sets,
):
    module.register(program)

if __name__ == "__main__":
    answered(program)
