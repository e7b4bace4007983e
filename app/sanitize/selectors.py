"""Behind which characters a variation selector changes what is seen.

What Unicode lists is asked for: emoji that have a form as text, too (emoji-variation-sequences.txt)
and variants of signs and letters (StandardizedVariants.txt). Which form of an ideograph a selector
stands for follows from the compatibility ideographs that `unicodedata` knows.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import cache

_TWO_FORMS = (
    "A9 AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 23CF 23E9-23F3 23F8-23FA "
    "24C2 25AA-25AB 25B6 25C0 25FB-25FE 2600-2604 260E 2611 2614-2615 2618 261D 2620 "
    "2622-2623 2626 262A 262E-262F 2638-263A 2640 2642 2648-2653 265F-2660 2663 2665-2666 "
    "2668 267B 267E-267F 2692-2697 2699 269B-269C 26A0-26A1 26A7 26AA-26AB 26B0-26B1 "
    "26BD-26BE 26C4-26C5 26C8 26CE-26CF 26D1 26D3-26D4 26E9-26EA 26F0-26F5 26F7-26FA 26FD "
    "2702 2705 2708-270D 270F 2712 2714 2716 271D 2721 2728 2733-2734 2744 2747 274C 274E "
    "2753-2755 2757 2763-2764 2795-2797 27A1 27B0 27BF 2934-2935 2B05-2B07 2B1B-2B1C 2B50 "
    "2B55 3030 303D 3297 3299 1F004 1F170-1F171 1F17E-1F17F 1F202 1F21A 1F22F 1F237 "
    "1F30D-1F30F 1F315 1F31C 1F321 1F324-1F32C 1F336 1F378 1F37D 1F393 1F396-1F397 "
    "1F399-1F39B 1F39E-1F39F 1F3A7 1F3AC-1F3AE 1F3C2 1F3C4 1F3C6 1F3CA-1F3CE 1F3D4-1F3E0 "
    "1F3ED 1F3F3 1F3F5 1F3F7 1F408 1F415 1F41F 1F426 1F43F 1F441-1F442 1F446-1F449 "
    "1F44D-1F44E 1F453 1F46A 1F47D 1F4A3 1F4B0 1F4B3 1F4BB 1F4BF 1F4CB 1F4DA 1F4DF "
    "1F4E4-1F4E6 1F4EA-1F4ED 1F4F7 1F4F9-1F4FB 1F4FD 1F508 1F50D 1F512-1F513 1F549-1F54A "
    "1F550-1F567 1F56F-1F570 1F573-1F579 1F587 1F58A-1F58D 1F590 1F5A5 1F5A8 1F5B1-1F5B2 "
    "1F5BC 1F5C2-1F5C4 1F5D1-1F5D3 1F5DC-1F5DE 1F5E1 1F5E3 1F5E8 1F5EF 1F5F3 1F5FA 1F610 "
    "1F687 1F68D 1F691 1F694 1F698 1F6AD 1F6B2 1F6B9-1F6BA 1F6BC 1F6CB 1F6CD-1F6CF "
    "1F6E0-1F6E5 1F6E9 1F6F0 1F6F3"
)
# Those with one variant, and those with two: signs of mathematics, letters of Myanmar, Phags-pa and
# Manichaean; marks and quotes in East Asian typesetting.
_ONE_VARIANT = (
    "30 2205 2229-222A 2268-2269 2272-2273 228A-228B 2293-2295 2297 229C 22DA-22DB 2A3C-2A3D "
    "2A9D-2A9E 2AAC-2AAD 2ACB-2ACC 1000 1002 1004 1010-1011 1015 1019-101A 101C-101D 1022 1031 "
    "1075 1078 107A 1080 AA60-AA66 AA6B-AA6C AA6F AA7A A856 A85C A85E-A860 A868 10AC5-10AC6 "
    "10AD6-10AD7 10AE1"
)
_TWO_VARIANTS = "2018-2019 201C-201D 3001-3002 FF01 FF0C FF0E FF1A-FF1B FF1F"
_KEYS, _KEYCAP = "0123456789#*", "\u20e3"
_FIRST, _TEXT, _EMOJI = 0xFE00, 0xFE0E, 0xFE0F
# The most that a collection of variants of ideographs goes to; the further ones are in none.
_FIRST_FORM, _LAST_FORM = 0xE0100, 0xE011F
_COMPATIBLE = ((0xF900, 0xFADA), (0x2F800, 0x2FA1E))


def selects(text: str, at: int) -> bool:
    """Whether the variation selector at `at` changes how the character before it is seen."""
    code, before = ord(text[at]), text[at - 1 : at]
    if not before:
        return False
    if code >= _FIRST_FORM:
        return code <= _LAST_FORM and _begins_run(text, at)
    if code < _TEXT:
        return code - _FIRST < _variants().get(before, 0)
    if before in _KEYS:
        return code == _EMOJI and text[at + 1 : at + 2] == _KEYCAP
    return before in _two_forms()


def _begins_run(text: str, at: int) -> bool:
    """Whether an ideograph stands before `at` and none with a selector of its own before that."""
    if not unicodedata.name(text[at - 1], "").startswith("CJK UNIFIED"):
        return False
    return not _FIRST_FORM <= ord(text[at - 2 : at - 1] or " ") <= 0xE01EF


@cache
def _two_forms() -> frozenset[str]:
    return frozenset(_characters(_TWO_FORMS))


@cache
def _variants() -> dict[str, int]:
    """How many variants each character has, by the selectors from the first on."""
    counts = Counter(
        chr(int(unicodedata.decomposition(chr(code)), 16))
        for first, end in _COMPATIBLE
        for code in range(first, end)
        if unicodedata.decomposition(chr(code))
    )
    counts.update(_characters(_ONE_VARIANT))
    counts.update(_characters(_TWO_VARIANTS) * 2)
    return counts


def _characters(ranges: str) -> list[str]:
    found: list[str] = []
    for part in ranges.split():
        first, _, last = part.partition("-")
        found += map(chr, range(int(first, 16), int(last or first, 16) + 1))
    return found
