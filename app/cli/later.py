"""Imports that wait until a command runs: its help and what is wrong in its arguments need none.

A module of commands writes `with later():` around imports of what works for them. Once `postpone`
was called, as the program `loci` does, each name in such a block stands for what is imported, until
`bring` puts the real thing in its place, just before a command's function. Anywhere else the block
imports at once, as if it were not there.
"""

from __future__ import annotations

import builtins
import gc
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from types import TracebackType
from typing import Any, TypeVar


@dataclass(frozen=True, slots=True)
class Awaited:
    """A module that nobody has imported yet, or a name of it."""

    module: str
    name: str | None

    def real(self) -> Any:
        """The thing itself; ImportError as an import statement raises it."""
        found = import_module(self.module)
        if self.name is None:
            return found
        try:
            return getattr(found, self.name)
        except AttributeError:
            return import_module(f"{self.module}.{self.name}")


class _Module:
    """What `from MODULE import NAME` takes its names from."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Awaited:
        if name.startswith("__"):
            raise AttributeError(name)
        return Awaited(self._module, name)


Function = TypeVar("Function", bound=Callable[..., Any])
LIGHT = "needs_nothing_later"
_postponed = False
_waiting: list[dict[str, Any]] = []  # the names of each module that has some to bring


class later:
    """A block of `import module` (of a single word) and `from some.module import name`, which waits
    where `postpone` was called."""

    def __init__(self) -> None:
        self._names = sys._getframe(1).f_globals
        self._import = builtins.__import__

    def __enter__(self) -> None:
        if _postponed:
            builtins.__import__ = self._note

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if _postponed:
            builtins.__import__ = self._import
            _waiting.append(self._names)

    def _note(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        """Stand in for the import statement within the block; elsewhere be what it was."""
        if globals is not self._names:
            return self._import(name, globals, locals, fromlist, level)
        return _Module(name) if fromlist else Awaited(name, None)


def postpone() -> None:
    """From now on imports in `with later():` wait."""
    global _postponed
    _postponed = True


@contextmanager
def uncollected() -> Iterator[None]:
    """Leave alone what is imported meanwhile: it stays, and to look through it again and again is
    a seventh of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def bring() -> None:
    """Import what waits, in every module that was loaded."""
    with uncollected():
        while _waiting:
            names = _waiting.pop()
            for name, value in list(names.items()):
                if isinstance(value, Awaited):
                    names[name] = value.real()


def need(command: Any) -> None:
    """Let a command, or each of a group, bring what it needs before its function runs."""
    if hasattr(command, "commands"):
        for below in command.commands.values():
            need(below)
    elif not hasattr(command.callback, LIGHT):
        command.callback = _brought(command.callback)


def light(function: Function) -> Function:
    """Mark the function of a command that uses nothing of what waits in its module."""
    setattr(function, LIGHT, True)
    return function


def _brought(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        bring()
        return function(*args, **options)

    return called
