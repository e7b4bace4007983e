"""What OpenMemory, the app of mem0, exports: `memories.json`, an object with its user, its apps,
its categories and its memories, or lines of memories that name app and categories. Pure.

A memory is active, paused, archived or deleted there, and only an active one is told to clients.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.portability.foreign.model import Probe, Reading
from app.portability.foreign.values import changed_field, is_set, moment, whole

ACTIVE, DELETED = "active", "deleted"
# Members that only say what the ids of memories stand for, each with the fields that say it.
ABOUT: Mapping[str, tuple[str, str]] = {
    "user": ("id", "user_id"),
    "apps": ("id", "name"),
    "categories": ("id", "name"),
}
BESIDE = ("app", "app_id", "categories", "category_ids", "user_id")


def recognises(probe: Probe) -> bool:
    """Whether the first memory has a state, or the file tells of a user and apps."""
    found = probe.listed("memories")
    user = probe.members.get("user")
    return is_memory(found) or (
        isinstance(user, dict) and "user_id" in user and "apps" in probe.members
    )


def is_memory(item: Mapping[str, Any]) -> bool:
    """Whether an item is a memory as OpenMemory keeps it."""
    return "content" in item and "state" in item and any(name in item for name in BESIDE)


def learn(reading: Reading, name: str | None, item: dict[str, Any]) -> None:
    """Remember what an id stands for."""
    if name is not None and name in ABOUT:
        by, called = ABOUT[name]
        if is_set(item.get(called)):
            reading.names[_key(name, item.get(by))] = whole(item[called])


def plain(reading: Reading, item: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """A memory with names in the place of ids, and since when it is not active; None of one that
    is."""
    names = reading.names
    made = dict(item)
    if is_set(item.get("user_id")):
        made["user_id"] = names.get(_key("user", item["user_id"]), item["user_id"])
    if (app := names.get(_key("apps", item.get("app_id")))) is not None:
        made["app"] = app
        del made["app_id"]
    given = item.get("category_ids")
    if isinstance(given, list):
        known = {n: names.get(_key("categories", one)) for n, one in enumerate(given)}
        own = item.get("categories")
        made["categories"] = [
            *(own if isinstance(own, list) else []), *(n for n in known.values() if n is not None)
        ]  # fmt: skip
        made["category_ids"] = [one for n, one in enumerate(given) if known[n] is None]
    if is_set(made["state"]) and made["state"] != ACTIVE:
        return made, _since(reading, item)
    del made["state"]
    return made, None


def _since(reading: Reading, item: Mapping[str, Any]) -> Any:
    """Since when a memory is not active, as far as that is known."""
    since = item.get("archived_at") or item.get(changed_field(item))
    return since if moment(since) else reading.at


def _key(name: str, given: Any) -> str:
    return f"{name} {whole(given)}"
