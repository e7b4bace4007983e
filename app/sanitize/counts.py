"""What is counted of a text to tell whether it means to command the model that will read it.

Each count is of a kind of word or of two kinds near each other, in English and German; none of them
says that a text is an attack: `app/sanitize/suspicion.py` weighs them together with its vector.
"""

from __future__ import annotations

import re

from app.sanitize.fold import fold

MOST = 2  # a count goes no further: what is said ten times is no surer than what is said twice
SHORT = 40  # words; in a longer text each find says less
_FEW_WORDS = 24  # words from which on repetition says something


def _any(words: str) -> str:
    return rf"\b(?:{'|'.join(words.split())})\b"


def _near(first: str, second: str, between: int) -> str:
    """One of the first words, at most so many words on one of the second."""
    return rf"{_any(first)}(?:\W{{1,8}}\w{{1,40}}){{0,{between}}}?\W{{1,8}}{_any(second)}"


_DROP = (
    r"ignor\w{1,6} forget\w{0,4} disregard\w{0,3} overrid\w{1,3} bypass\w{0,3} violat\w{1,3} break"
    r" vergiss vergess\w{0,2} missacht\w{0,3} umgeh\w{0,3} regardless despite abweichend ungeachtet"
)
_ORDERS = (
    r"instructions? directives? orders? commands? rules? guidelines? tasks? restrictions? prompts?"
    r" programming training anweisung\w{0,2} instruktion\w{0,2} befehl\w{0,2} regeln aufgaben?"
    r" vorgaben"
)
_BEFORE = (
    r"previous prior preceding above earlier before everything all vorherig\w{0,2} bisherig\w{0,2}"
    r" obig\w{0,2} alles vorangeg\w{0,8} gesagte\w?"
)
_TELL = (
    r"print reveal show display output repeat tell give share disclose spell write encode translate"
    r" say list what whats is wie lautet nenne?n? zeige?n? verrate?n? gib sage?n? schreibe?n?"
)
_SECRET = (
    r"passw[oö]rt\w{0,2} passwords? passphrases? passcodes? secrets? credentials? keys? prompts?"
    r" systemprompts? geheim\w{0,8} zugangsdaten"
)
_MACHINE = (
    r"ai chatbot bot assistant assistent\w{0,2} \w{0,14}gpt model dan ki sprachmodell mode modus"
    r" terminal interpreter system"
)
_ACT = (
    r"act pretend imagine roleplay simulate behave assume suppose fungier\w{1,2} verhalt\w{0,3}"
    r" stell spiele?n?"
)
_YOU = r"you u du sie"
_NOW = r"now must will can are jetzt nun musst mussen wirst kannst bist sind"
_PERSONAL = (
    r"passwords? emails? names? address\w{0,2} favou?rite initials birth\w{0,5} social credit"
    r" secrets? data history"
)
_SAY = (
    r"say print output write repeat reply respond answer tell state sage?n? schreibe?n? antworte?n?"
)
_START = (
    r"(?:^|[.!?\n]\W{0,3})(?:(?:please|bitte|now|just|jetzt|nun|and|und|but|then|instead) ){0,3}"
)
_IMPERATIVE = (
    r"(?:say|print|write|repeat|tell|show|reveal|give|ignore|forget|act|pretend|answer|respond|output"
    r"|translate|spell|encode|create|generate|formulate|sage?|schreibe?|vergiss|ignoriere|antworte"
    r"|gib|nenne|zeige?|formuliere|ubersetze|wiederhole)\b"
)

COUNTS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern)
    for name, pattern in {
        "orders dropped": _near(_DROP, _ORDERS, 5),
        "what came before dropped": _near(_DROP, _BEFORE, 5),
        "texts dropped": _near(
            _DROP, r"context articles? documents? text informati\w{2,5} webpage page email", 5
        ),
        "secrets asked for": _near(_TELL, f"{_SECRET} instructions", 4),
        "the reader's orders": _near(
            r"your deine?\w? ihre?\w?", f"{_SECRET} {_ORDERS}", 2
        ),
        "a part for a machine": _near(_ACT, _MACHINE, 6),
        "a part for the reader": _near(f"{_ACT} you du", f"{_ACT} now jetzt nun", 3),
        "what the reader must": _near(_YOU, _NOW, 1),
        "from now on": _near("from ab", "now jetzt sofort", 1),
        "something new to do": _near(
            "now jetzt nun here hier", rf"new neue\w? {_ORDERS} write answer schreibe?n?", 3
        ),
        "a user's own": _near(r"users? user's nutzer\w{0,2} benutzer\w{0,2}", _PERSONAL, 3),
        "words to say": _near(_SAY, "that only just exactly nur with mit stop in as like", 1),
        "the writer's will": _near(
            "i ich", "am bin command befehle order want mochte demand verlange", 1
        ),
        "not to do": _near(
            r"do don't dont never nicht keine?\w? no",
            rf"{_SAY} mention include explain reveal follow",
            2,
        ),
        "the beginning of this": _near(
            "above beginning start oben anfang", "prompt text sentences? conversation this", 3
        ),
        "pieces to join": _near(
            "let's assume string strings define", "string strings a b z two three", 2
        ),
        "what stands above": _near(
            "what was wie who", "written said told above prompt instructions", 4
        ),
        "assignments": r"\b\w{1,20} ?= ?[\"']",
        "sums of pieces": r"[\"']\W{0,2}\+|\+\W{0,2}[\"']|\ba ?\+ ?b\b",
        "markup": r"<!--|<\w{1,16}>|\[\w{1,16}\]|\{\w{1,16}|###|---|===",
        "encodings": (
            r"\b(?:base ?64|rot13|hex(?:adecimal)?|pig latin|morse|backwards|reversed?|emojis?"
            r"|cipher|leet|binary|initials|acrostic|first letters?|ruckwarts)\b"
        ),
        "imperatives": _START + _IMPERATIVE,
    }.items()
}  # fmt: skip
NAMES = (*COUNTS, "repetition")


def counted(text: str) -> list[float]:
    """Return how often each of `NAMES` is in the text, at most `MOST`, and less the longer it is
    beyond `SHORT` words; the last is a share: how many of its words it has said before, 0 where
    they are few. Time is linear in the text."""
    folded = fold(text).text
    words = folded.split()
    length = max(1.0, len(words) / SHORT)
    found = (_upto(pattern, folded) / length for pattern in COUNTS.values())
    return [*found, _repetition(words)]


def _upto(pattern: re.Pattern[str], text: str) -> float:
    found = 0
    for _ in pattern.finditer(text):
        found += 1
        if found == MOST:
            break
    return float(found)


def _repetition(words: list[str]) -> float:
    return 1 - len(set(words)) / len(words) if len(words) >= _FEW_WORDS else 0.0
