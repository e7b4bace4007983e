"""Logs: structlog, one line an event, JSON unless a person reads along."""

from __future__ import annotations

import logging
import sys

import structlog

from app.settings import TelemetrySettings


def configure_logging(settings: TelemetrySettings) -> None:
    """Set up structlog and send the standard library's records through it, to standard error."""
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    final: list[structlog.types.Processor] = (
        [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        if settings.log_format == "json"
        else [_console()]
    )
    structlog.configure(
        processors=[*shared, *final],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        # Asked for at each line: whoever runs a command in this process may exchange the stream.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *final],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(max(level, logging.WARNING))


def _console() -> structlog.dev.ConsoleRenderer:
    # Plain tracebacks: the pretty ones show local variables, which hold keys and people's words.
    return structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
    )
