"""JSON that is read a piece at a time: the elements of a list, or the members of an object.

A piece is decoded once it is whole. Where the text at hand ends within it, as much again is read,
so that the work stays in proportion to the file, and memory to its longest piece.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import IO, Any, NoReturn

from app.errors import InvalidInput, TooLarge

BLOCK = 1 << 16  # characters
LONGEST = 64 << 20  # characters of one piece
BLANKS = " \t\r\n"
GOES_ON = ("", *".eE+-0123456789")  # behind a number of which more may come


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_constant)


class Text:
    """A file as text, of which what was read already is dropped."""

    def __init__(self, source: IO[bytes], block: int = BLOCK) -> None:
        self._source = source
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._block = block
        self._read = 0  # bytes
        self._dropped = 0  # characters
        self.held = ""
        self.place = 0
        self.ended = False

    @property
    def character(self) -> int:
        """The place in the whole file, in characters from 1."""
        return self._dropped + self.place + 1

    def more(self, size: int) -> None:
        """Read so many bytes more; InvalidInput for what is no UTF-8."""
        block = self._source.read(size)
        try:
            self.held += self._decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            at = max(0, self._read + error.start)
            raise InvalidInput(f"the file is not UTF-8 near byte {at}", field="path") from None
        self._read += len(block)
        self.ended = not block

    def peek(self) -> str:
        """The next character that is no blank; empty at the end."""
        while True:
            while self.place < len(self.held) and self.held[self.place] in BLANKS:
                self.place += 1
            if self.place < len(self.held):
                return self.held[self.place]
            self._drop()
            if self.ended:
                return ""
            self.more(self._block)

    def take(self, sign: str) -> None:
        """Go past one character; InvalidInput where another stands there."""
        found = self.peek()
        if found != sign:
            self.wrong(f"expected {sign!r}")
        self.place += 1

    def value(self) -> Any:
        """Decode the value that begins here.

        Raises InvalidInput for what is no JSON or is nested too deeply, TooLarge for a value
        beyond LONGEST.
        """
        self.peek()
        while True:
            try:
                found, end = _DECODER.raw_decode(self.held, self.place)
                if self.ended or self.held[end : end + 1] not in GOES_ON:
                    self.place = end
                    return found
            except RecursionError:
                self.wrong("the value is nested too deeply")
            except ValueError:
                if self.ended:
                    self.wrong("the value is no JSON")
            # What was read goes only here: a value after another costs no copy of the rest.
            self._drop()
            if len(self.held) > LONGEST:
                raise TooLarge(f"one value has more than {LONGEST} characters", field="path")
            self.more(max(self._block, len(self.held)))

    def wrong(self, what: str) -> NoReturn:
        """InvalidInput that says where."""
        raise InvalidInput(f"{what} at character {self.character} of the file", field="path")

    def _drop(self) -> None:
        self._dropped += self.place
        self.held, self.place = self.held[self.place :], 0


def pieces(source: IO[bytes], block: int = BLOCK) -> Iterator[tuple[str | None, Any]]:
    """Yield each element of a list, under None; of an object each member under its name, and of a
    member that is a list each of its elements.

    Raises InvalidInput, saying at which character, and TooLarge.
    """
    text = Text(source, block)
    if text.peek() == "[":
        yield from ((None, value) for value in _elements(text))
    elif text.peek() == "{":
        yield from _members(text)
    else:
        text.wrong("expected a list or an object")
    if text.peek():
        text.wrong("expected the end")


def _members(text: Text) -> Iterator[tuple[str, Any]]:
    text.take("{")
    if text.peek() == "}":
        text.take("}")
        return
    while True:
        if text.peek() != '"':
            text.wrong("expected a name")
        name = text.value()
        text.take(":")
        if text.peek() == "[":
            yield from ((name, value) for value in _elements(text))
        else:
            yield name, text.value()
        if text.peek() != ",":
            text.take("}")
            return
        text.take(",")


def _elements(text: Text) -> Iterator[Any]:
    text.take("[")
    if text.peek() == "]":
        text.take("]")
        return
    while True:
        yield text.value()
        if text.peek() != ",":
            text.take("]")
            return
        text.take(",")
