"""Personal data and secrets written in other ways, made from values, shapes and sentences."""

from __future__ import annotations

import re
import unicodedata
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256, sha512
from html import unescape
from random import Random

from stdnum import luhn

Shape = Callable[[str], str]

KEY = "loci_0123456789ab_" + "aB3-" * 10 + "xyz"
VALUES = {
    "email": ["anna.berg@firma.de", "j_smith+work@mail.example.com", "k.vogel@stadt-ulm.de"],
    "iban": [
        "DE89 3704 0044 0532 0130 00",
        "GB82 WEST 1234 5698 7654 32",
        "AT61 1904 3002 3457 3201",
        "DE89370400440532013000",
    ],
    "card": ["4111 1111 1111 1111", "5555 5555 5555 4444", "3782 822463 10005", "4012888888881881"],
    "phone": [
        "+49 30 901820",
        "+44 20 7946 0018",
        "0049 171 2345678",
        "+1 212 555 0147",
        "Tel. 030 901820 44",
    ],
    "secret": [
        KEY,
        "sk-" + "aB3dE6gH9j" * 4,
        "ghp_" + "Zx8Cv7Bn6M" * 4,
        "AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = 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",
        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY",
        "export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY",
        "AccountKey=" + "aB3+/x" * 14 + "Qz==",
        "https://hooks.slack.com/services/T00000000/B00000000/Xa0Yb1Zc2Xa0Yb1Zc2Xa0Yb1",
        "Authorization: Basic YWxhZGRpbjpvcGVuc2VzYW1lMTIz",
    ],
}
_LABEL = re.compile(
    r"(?:(?:export )?aws_secret_access_key ?= ?|AccountKey=|Authorization: Basic |Tel. )",
    re.IGNORECASE,
)
FRAMES = {
    "en": ["Please use {} for the order.", "She told us {} on the stairs", "{}"],
    "de": ["Bitte nimm {} für den Auftrag.", "Sie sagte uns {} auf der Treppe", "Notiz: „{}“."],
}


def put(old: str, new: str) -> Shape:
    return lambda value: value.replace(old, new)


def digits(zero: int) -> Shape:
    return lambda value: re.sub("[0-9]", lambda m: chr(zero + int(m.group())), value)


def escaped(form: str, which: str) -> Shape:
    return lambda value: re.sub(which, lambda m: form.format(ord(m.group())), value)


def wide(value: str) -> str:
    return "".join("\u3000" if c == " " else chr(ord(c) + 0xFEE0) for c in value)


def tagged(value: str) -> str:
    return "".join(chr(0xE0000 + ord(c)) for c in value)


def between(char: str) -> Shape:
    return char.join


def inside(char: str) -> Shape:
    """Twice within the value, at a third and at two."""
    return lambda value: char.join(
        (value[: len(value) // 3], value[len(value) // 3 : -4], value[-4:])
    )


def fours(gap: str) -> Shape:
    """Groups of four, as accounts and cards are printed."""
    return lambda value: gap.join(re.findall(".{1,4}", value.replace(" ", "")))


UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u202c\u034f\u061c\u180e"
BLANKS = "\u00a0\u2000\u2002\u2003\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
ZEROS = {"Arabic": 0x660, "Persian": 0x6F0, "Hindi": 0x966, "wide": 0xFF10, "bold": 0x1D7CE}
AT_SIGNS = [
    *("&#64;", "&#064;", "&#x40;", "&#x0040;", "&commat;", "%40", "\\u0040", "\\x40"),
    *("\uff20", "\ufe6b", "(at)", "[at]", "{at}", "[AT]", "(ät)", "@\u200b", "\u200b@", "@\u00ad"),
]
FORMS = {
    "decimal": "&#{};",
    "padded": "&#{:05};",
    "hexadecimal": "&#x{:X};",
    "percent": "%{:02X}",
    "backslash": "\\u{:04x}",
}
ANY: dict[str, Shape] = {
    **{f"between {ord(c):X}": between(c) for c in UNSEEN},
    **{f"inside {ord(c):X}": inside(c) for c in UNSEEN},
    **{f"all {name}": escaped(form, "(?s).") for name, form in FORMS.items()},
    **{f"signs {name}": escaped(form, "[^A-Za-z0-9 ]") for name, form in FORMS.items()},
    **{f"digits {name}": digits(zero) for name, zero in ZEROS.items()},
    "wide": wide,
    "tags": tagged,
}
NUMBER: dict[str, Shape] = {
    **{f"gap {ord(c):X}": put(" ", c) for c in BLANKS + "\t./_|\u00b7\u2011\u2013"},
    **{f"fours {ord(c):X}": fours(c) for c in BLANKS + "\t.-"},
    "gap entity": put(" ", "&nbsp;"),
    "gap thin": put(" ", "&thinsp;"),
    "gap 2 blanks": put(" ", "  "),
    "gap percent": put(" ", "%20"),
    "gap mixed": lambda v: digits(0xFF10)(v.replace(" ", "\u202f")),
    "gap unseen": put(" ", "\u00a0\u200b"),
    "one line break": lambda v: "\n".join(v.rsplit(" ", 1)),
    "line break, CR": lambda v: "\r\n".join(v.rsplit(" ", 1)),
    "line break early": lambda v: v.replace(" ", "\n", 1),
    "blank and tab": put(" ", " \t"),
    "spaced hyphens": put(" ", " - "),
    "twice escaped": put(" ", "&amp;nbsp;"),
}
MAIL: dict[str, Shape] = {
    **{f"at {new!a}": put("@", new) for new in AT_SIGNS},
    **{f"after {ord(c):X}": put("@", "@" + c) for c in BLANKS + "\t\n"},
    **{f"before {ord(c):X}": put("@", c + "@") for c in BLANKS + "\t"},
    **{f"dot {new!a}": put(".", new) for new in ("&#46;", "&period;", "%2E", "\uff0e", "\u2024")},
    "dots written": lambda v: v.replace("@", " (at) ").replace(".", " [dot] "),
    "said": lambda v: v.replace("@", " at ").replace(".", " dot "),
    "open entity": put("@", "&#64"),
    "entity of an entity": put("@", "&amp;#64;"),
    "percent of a percent": put("@", "%2540"),
    "backslash": put("@", "\\@"),
    "line break before": put("@", "\n@"),
    "line break in the domain": lambda v: v[:-3] + "\n" + v[-3:],
    "blank after": put("@", "@ "),
    "blanks around": put("@", " @ "),
    "entity and blank": put("@", "&#64;\u2009"),
}
SHAPES = {
    "email": ANY | MAIL,
    "iban": ANY | NUMBER,
    "card": ANY | NUMBER,
    "phone": ANY | NUMBER,
    "secret": ANY,
}


@dataclass(frozen=True)
class Case:
    """`value` disguised as `written`, in the sentence `text`."""

    kind: str
    shape: str
    language: str
    value: str
    written: str
    text: str

    @property
    def half(self) -> int:
        """0 was looked at while detectors were made, 1 was not; a shape of a kind is in one."""
        return sha256(f"{self.kind} {self.shape}".encode()).digest()[0] % 2

    def told(self, stored: str) -> bool:
        """Whether six characters of the value in a row, or no placeholder, stand in `stored`."""
        mine, theirs = _plain(_LABEL.sub("", self.value)), _plain(stored)
        runs = (mine[at : at + 6] for at in range(max(1, len(mine) - 5)))
        return f"[{self.kind}]" not in stored or any(run in theirs for run in runs)


def _plain(text: str) -> str:
    shown = unescape(re.sub(r"%([2-7][\dA-F])", lambda m: chr(int(m[1], 16)), text))
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", shown))).lower()


def cases() -> Iterator[Case]:
    """Each value in each shape of its kind that changes it, in both languages."""
    for kind, values in VALUES.items():
        for name, shape in SHAPES[kind].items():
            for at, value in enumerate(values):
                label = "Tel. " * value.startswith("Tel. ")
                written = label + shape(value.removeprefix(label))
                if written == value:
                    continue
                for language, frames in FRAMES.items():
                    frame = frames[at % len(frames)]
                    yield Case(kind, name, language, value, written, frame.format(written))


def harmless() -> list[str]:
    """Texts with numbers, escapes, odd blanks and signs in which nothing is anybody's."""
    draw = Random(13)
    numbers = ["".join(draw.choices("0123456789", k=size)) for size in range(1, 14) for _ in "ab"]
    rows = [[str(draw.randint(1000, 9999)) for _ in range(4)] for _ in range(60)]
    # One row of sixteen digits with the right checksum is a card by all that a text shows.
    alone = [row for row in rows if not luhn.is_valid("".join(row))]
    hashes = [sha256(number.encode()) for number in numbers]
    texts = [
        *(
            f"Version {a[0]}.{a[1:3]}.{a[3]} vom {d % 28 + 1}.\u00a0Mai 20{d:02}"
            for d, (a, *_) in enumerate(rows[:30])
        ),
        *(
            f"On 20{d:02}-0{d % 9 + 1}-1{d % 10}\tat 1{d % 10}:05 the {d}.\u2009run ended"
            for d in range(30)
        ),
        *(
            f"Die Summe ist {a[0]}\u202f{b[:3]}\u202f{c[:3]},{d[:2]}\u00a0€."
            for a, b, c, d in rows[:30]
        ),
        *(
            f"{gap.join(row)}\nyear{gap}total"
            for row in alone
            for gap in ("\t", " | ", ".", "_", " / ", ";")
        ),
        *(
            "\n".join(gap.join(row) for row in rows[at : at + 8])
            for at in range(0, 56, 8)
            for gap in "\t|,;"
        ),
        *(
            f"commit {h.hexdigest()[:size]} of the branch"
            for h in hashes
            for size in (7, 12, 32, 40, 64)
        ),
        *(
            f'"integrity": "sha512-{b64encode(sha512(n.encode()).digest()).decode()}"'
            for n in numbers
        ),
        *(
            f"Prüfsumme {b64encode(h.digest()[:size]).decode()} stimmt"
            for h in hashes
            for size in (16, 30)
        ),
        *(
            f"ISBN 978{gap}3{gap}16{gap}148410{gap}0, {n}"
            for gap in BLANKS + "-."
            for n in ("S. 12", "2. Aufl.")
        ),
        *(
            f"doi:10.{n[:4]}/j.{h.hexdigest()[:6]}.20{i % 26:02}.{n[:5]}"
            for i, (n, h) in enumerate(zip(numbers[8:], hashes, strict=False))
        ),
        *(f"https://example.org/a%20b/{n}?q=%C3%BC%26x%3D{n}&amp;page={n[:2]}" for n in numbers),
        *(
            f"Artikel{gap}{n[:4]}{gap}kostet {n[0]},99{gap}€ &amp; mehr"
            for gap in BLANKS
            for n in numbers[8::6]
        ),
        *(
            f"{chr(zero + 1)}{chr(zero + 9)}{chr(zero)}{chr(zero + 4)} {word}"
            for zero in ZEROS.values()
            for word in ("was a year", "war ein Jahr")
        ),
    ]
    return [*dict.fromkeys(texts), *SENTENCES]


SENTENCES = (
    "@pytest.fixture\ndef made() -> int:\n\treturn 4\n\n\n@app.get\nasync def read(): ...",
    "import numpy as np\n\n\n@np.vectorize\ndef f(x):\n    return x @ np.eye(3)",
    "npm i @scope/pkg@1.2.3 react@18.2.0 && yarn add @types/node@^20",
    "lunch @ noon, dinner @ 7.30 pm, 12 pcs @ 5.20 each, siehe z.B. @annab und @ Firma",
    "git clone git@example.org:team/repo.git && ssh deploy@build-host uptime",
    "Grüße aus Köln – bis „morgen“ … 50&nbsp;% &amp; 3&thinsp;mm &lt;b&gt; &#8211; &#x2013;",
    "The range is 10\u20132000, the score 4\u20132, pages 4111\u20134119 and 1111\u20131113.",
    "He arrived at ten, dot by dot. Sie traf sich at home, Punkt zwölf.",
    "Use printf('%d%%\\n', 40) or '\\u0041' or \\x41; regex \\d{4}\\.\\d{4} and 100%25.",
    "0x1F4A9 0b1010 1_000_000 4_111_111_111 1e10 3.14159265358979 2.718281828",
    "IPs of examples aside, section 10.2.3.4 and release 24.04.1.2 are versions.",
    "key: value\nname: none\nsecret santa is on 12/24, token ring is old, basic skills matter",
    "The basic idea of authorization: basic rules first. Das Passwort vergaß er.",
    "Bestell-Nr. 4711\t0815\t1234, Rechnung 2024/0001/0815, Kunde 00012345",
    "12\t34\t56\n78\t90\t12\n34\t56\t78",
    "Matrix: 1.0 2.0 3.0 | 4.0 5.0 6.0 | 7.0 8.0 9.0; lat 52.5200, lon 13.4050",
    "Postfach 10 01 42, 50441 Köln; Raum 3.14, Etage 2, Haus 00 7",
    "بين عامي ١٩٩٠ و٢٠٠٥، और १९९० से २००५ तक, 令和５年１２月３１日",
    "U+202F U+2009 &ensp; are blanks; ⅔ of ½ is ⅓; x² + y³ = z⁴; H₂SO₄; ①②③④⑤⑥⑦",
    "Zeile eins\u00ad umbro\u00adchen, mit\u200bten im Wort, und weiter.",
)
