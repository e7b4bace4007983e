"""One odd character at any place of an address or a number does not hide it."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from stdnum import luhn

from app.sanitize import SanitizePolicy, sanitize
from app.sanitize.normalise import normalise

POLICY = SanitizePolicy()
FRAMES = {"en": "Note: {} please.", "de": "Notiz: {} bitte."}
VALUES = {
    "email": ["anna.berg@firma.de", "j_smith+work@mail.example.com"],
    "iban": ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"],
    "card": ["4111 1111 1111 1111", "5555555555554444", "3782 822463 10005"],
}
ODD = {
    "blank": " ",
    "U+202F": "\u202f",
    "U+2009": "\u2009",
    "U+00A0": "\u00a0",
    "U+2800": "\u2800",
    "tab": "\t",
    "line break": "\n",
    "&nbsp;": "&nbsp;",
    "&thinsp;": "&thinsp;",
    "%20": "%20",
    "<wbr>": "<wbr>",
    "<WBR />": "<WBR />",
    "private use": "\ue000",
    "not assigned": "\u0378",
    "no character": "\ufdd0",
}


def places(kind: str, odd: str) -> Iterator[str]:
    """The value with the character at each place within it, save two.

    A line break before an @ stands before decorators, too, and one between two letters, or a tab,
    ends a line or a cell. What stands before a blank in a name is another word to a reader.
    """
    for value in VALUES[kind]:
        for at in range(value.find("@") + 1 or 1, len(value)):
            if odd in ("tab", "line break") and kind == "iban" and value[at - 1 : at + 1].isalpha():
                continue
            yield value[:at] + ODD[odd] + value[at:]


@pytest.mark.parametrize("language", FRAMES)
@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("kind", VALUES)
def test_one_odd_character_hides_nothing(kind: str, odd: str, language: str) -> None:
    frame = FRAMES[language]
    left = [
        written
        for written in places(kind, odd)
        if sanitize(frame.format(written), POLICY).text != frame.format(f"[{kind}]")
    ]
    assert not left


@pytest.mark.parametrize(
    "text",
    [
        "in 20 2024 3704 0044 and at 89 3704 0044",
        "Sent by root@server backup.de and deploy@build-host uptime.sh",
        "npm i my-pkg@1.2.3 react.dev lodash@latest foo.io",
        "Ask anna.berg@home. At noon we leave; see j.doe@office. It is open.",
        "x = a@b c.de; y = np.eye(3) @ m.io",
        "code=40 pages=20 and a=2E5, style='width=20px'",
        "⠠⠞⠓⠊⠎⠀⠊⠎⠀⠃⠗⠁⠊⠇⠇⠑ 12⠀34",
        "\uf0b7 first 2024\n\uf0b7 second 2025",
        "2 * 3 * 4, a*b*c and **bold** or <b>bold</b>text",
    ],
)
def test_what_only_looks_broken_stays(text: str) -> None:
    assert sanitize(text, POLICY).text == normalise(text).text


def test_columns_of_numbers_are_no_cards() -> None:
    draw = Random(16)
    rows = [str(draw.randint(10**15, 10**16 - 1)) for _ in range(40_000)]
    valid = [row for row in rows if luhn.is_valid(row) and row[0] in "456"]
    tables = [f"id\ttotal\n{row[:8]}\t{row[8:]}\n" for row in valid[:300]]
    tables += [f"ids:\n{row[:8]}\n{row[8:]}\n" for row in valid[:300]]
    tables += [f"{row[:6]}\n{row[6:]}" for row in valid[:300]]
    tables += [f"a {row[:8]}\t{row[8:]}\nb 12345678\t12345678" for row in valid[:300]]
    assert len(valid) > 300
    changed = [text for text in tables if "[card]" in sanitize(text, POLICY).text]
    assert not changed
