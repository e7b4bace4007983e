"""What words tell of a person, and numbers of networks and states, written in other ways."""

from __future__ import annotations

from collections.abc import Iterator

from tests.security.disguises import ANY, BLANKS, Case, Shape, fours, put

VALUES: dict[str, dict[str, list[str]]] = {
    "ip": {
        "en": ["203.0.113.77", "192.168.17.203", "2001:db8:85a3::8a2e:370:7334"],
        "de": ["198.51.100.142", "10.44.203.118", "2001:db8:4006:81e::200e"],
    },
    "national_id": {
        "en": ["536-90-4399", "AB 65 43 21 D", "536 90 4399"],
        "de": ["36 574 261 809", "756.9217.0769.85", "15070649C103"],
    },
    "passport": {
        "en": ["C01X00T47", "533380006", "L898902C3"],
        "de": ["C4J97ZX1P", "P4366918", "L01X00T47"],
    },
    "birth_date": {
        "en": ["14 March 1987", "June 12, 1979", "1990-07-21"],
        "de": ["14.03.1987", "12. Juni 1979", "21. Juli 1990"],
    },
    "address": {
        "en": ["42 Rosewood Avenue", "1600 Harbour Street, Seattle, WA 98101", "7 Mill Lane"],
        "de": ["Lindenstraße 14, 50674 Köln", "Goethestr. 27b, 04109 Leipzig", "Rosenweg 9"],
    },
    "health": {
        "en": ["diagnosed with type 2 diabetes", "allergic to penicillin", "HIV-positive"],
        "de": ["an Migräne erkrankt", "allergisch gegen Penicillin", "HIV-positiv"],
    },
}
FRAMES: dict[str, dict[str, list[str]]] = {
    "ip": {
        "en": ["The client connected from {} last night.", "Her router has {} at home"],
        "de": ["Die Anmeldung kam von {} heute Nacht.", "Sein Router hat {} zu Hause"],
    },
    "national_id": {
        "en": ["Her insurance number is {} as she says.", "Take {} for the form"],
        "de": ["Ihre Steuernummer ist {} laut Bescheid.", "Nimm {} für das Formular"],
    },
    "passport": {
        "en": ["My passport number is {}.", "Passport no. {}"],
        "de": ["Meine Reisepassnummer lautet {}.", "Ausweisnummer: {}"],
    },
    "birth_date": {
        "en": ["I was born on {} in Leeds.", "Date of birth: {}"],
        "de": ["Geburtsdatum: {}", "Sie wurde am {} in Bern geboren."],
    },
    "address": {
        "en": ["I live at {}.", "My address is {}"],
        "de": ["Ich wohne in der {}.", "Meine Adresse ist {}"],
    },
    "health": {
        "en": ["My mother is {} since May.", "He was {}"],
        "de": ["Meine Mutter ist {} seit Mai.", "Er ist {}"],
    },
}
BLANKED: dict[str, Shape] = {
    **{f"blank {ord(c):X}": put(" ", c) for c in BLANKS + "\t"},
    "blank twice": put(" ", "  "),
    "blank and tab": put(" ", " \t"),
    "blank entity": put(" ", "&nbsp;"),
    "blank thin": put(" ", "&thinsp;"),
    "blank percent": put(" ", "%20"),
    "blank unseen": put(" ", "\u00a0\u200b"),
    "blank escaped twice": put(" ", "&amp;nbsp;"),
    "line break": lambda v: "\n".join(v.rsplit(" ", 1)),
    "line break, CR": lambda v: "\r\n".join(v.rsplit(" ", 1)),
    "line break early": lambda v: v.replace(" ", "\n", 1),
    "hyphen that does not break": put("-", "\u2011"),
    "dash": put("-", "\u2013"),
}
GROUPED: dict[str, Shape] = {
    **{f"fours {ord(c):X}": fours(c) for c in "\u202f\u2009\u00a0 "},
    **{f"gap {ord(c):X}": put(" ", c) for c in ".-/"},
}
DOTTED: dict[str, Shape] = {
    f"dot {new!a}": put(".", new) for new in ("&#46;", "&period;", "%2E", "\uff0e", "\u2024")
}
SHAPES: dict[str, dict[str, Shape]] = {
    "ip": ANY | DOTTED,
    "national_id": ANY | BLANKED | GROUPED | DOTTED,
    "passport": ANY | GROUPED,
    "birth_date": ANY | BLANKED | DOTTED,
    "address": ANY | BLANKED,
    "health": ANY | BLANKED,
}


def personal_cases() -> Iterator[Case]:
    """Each value in each shape of its kind that changes it, in the sentences of its language."""
    for kind, languages in VALUES.items():
        for name, shape in SHAPES[kind].items():
            for language, values in languages.items():
                for at, value in enumerate(values):
                    written = shape(value)
                    if written != value:
                        frame = FRAMES[kind][language][at % 2]
                        yield Case(kind, name, language, value, written, frame.format(written))
