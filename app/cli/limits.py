"""Whether the limits that hold off a flood still do: a check of `loci doctor`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.runtime.config import RuntimeConfig
from app.runtime.doctor import Check
from app.settings import Settings

OFF = 100  # times its default, from which on a limit holds off nobody
LIMITS = {
    "api": ("rate_per_minute", "max_body", "max_upload", "graphql_cost"),
    "documents": (
        "max_size",
        "max_pages",
        "max_characters",
        "max_unpacked",
        "parse_memory_mb",
    ),
    "working": ("value_bytes", "agent_bytes", "tenant_bytes"),
}


def limits_check(settings: Settings) -> Callable[[RuntimeConfig], Check]:
    """Return the check that warns of limits of requests and sizes that are as good as off."""

    def check_limits(config: RuntimeConfig) -> Check:
        loose = list(_loose(settings))
        if not loose:
            return Check("limits", "ok", "Requests and sizes are limited.")
        says = f"As good as off: {'; '.join(loose)}. One client can hold up all others."
        return Check("limits", "warn", says)

    return check_limits


def _loose(settings: Settings) -> Iterator[str]:
    for group, names in LIMITS.items():
        given = getattr(settings, group)
        for name in names:
            value, default = getattr(given, name), type(given).model_fields[name].default
            if value >= OFF * default:
                variable = f"LOCI_{group}__{name}".upper()
                yield f"{variable} is {value}, its default {default}"
