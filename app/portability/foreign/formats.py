"""Every format of another program, in the order in which they are tried: one page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.errors import InvalidInput
from app.pages.vault import files_below
from app.portability.foreign.chatgpt import CHATGPT
from app.portability.foreign.chats import MESSAGES
from app.portability.foreign.claude import CLAUDE
from app.portability.foreign.cogx import COGX
from app.portability.foreign.files import probe
from app.portability.foreign.folders import chat_names, place_of
from app.portability.foreign.graphiti import GRAPHITI, ZEP
from app.portability.foreign.langgraph import LANGGRAPH
from app.portability.foreign.letta import LETTA
from app.portability.foreign.mem0 import MEM0
from app.portability.foreign.model import Format, Probe
from app.portability.foreign.okf import OKF
from app.portability.foreign.tables import MAPPED, TABLE

FORMATS = (
    COGX, OKF, CHATGPT, CLAUDE, LETTA, MESSAGES, LANGGRAPH, MEM0, ZEP, GRAPHITI, TABLE, MAPPED,
)  # fmt: skip
BY_NAME = {found.name: found for found in FORMATS}


def check_format(name: str) -> None:
    """Raise InvalidInput (`format`) for a name that no format has."""
    if name not in BY_NAME:
        known = ", ".join(BY_NAME)
        raise InvalidInput(f"there is no format {name!r}; known: {known}", field="format")


def check_users(chosen: Format) -> None:
    """Raise InvalidInput (`users`) for a format in which nothing says whose an item is."""
    if chosen.user is None:
        known = ", ".join(f"{found.name} ({found.user})" for found in FORMATS if found.user)
        raise InvalidInput(
            f"{chosen.name} has no field that names a user, so that users cannot be kept apart; "
            f"those that have one: {known}",
            field="users",
        )


def recognised(path: Path, name: str | None, *, mapped: bool = False) -> tuple[Format, Probe]:
    """The format of a file or folder, by its name or else by its content, and how it begins.

    Raises InvalidInput (`format`) for an unknown name, or for content that no format knows.
    """
    known = ", ".join(BY_NAME)
    if name is not None:
        check_format(name)
    found = probe(place_of(path))
    fits = (f for f in FORMATS if f.recognises(found))
    usual = TABLE if found.shape == "table" else MAPPED
    chosen = BY_NAME[name] if name else usual if mapped else next(fits, None)
    if chosen is None or found.shape == "none":
        named = f"name one: {known}"
        if found.shape == "folder" and files_below(path)[:1]:
            named = f"`loci page import` takes a folder of Markdown, such as a vault; or {named}"
        raise InvalidInput(
            f"{path.name} is no package, and of no format that is known by its content; {named}",
            field="format" if name else "path",
        )
    whole = path.is_dir() and chosen.names is chat_names
    return chosen, replace(found, path=path) if whole else found
