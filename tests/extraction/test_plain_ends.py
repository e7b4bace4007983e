"""Plain words for an end, wholly read: the one fact of that subject ends, and nothing else does."""

from __future__ import annotations

import pytest

from app.extraction.model import ANYTHING, Mode
from app.extraction.predicates import may_end, standard
from bench.updates import meeting

from .reading import LATER, SAID, statements

# What was said, and what ends it.
ENDS = [
    ("Ole Brandis is the singer of Tidewrack.", "Ole has left Tidewrack."),
    ("Sänger von Tidewrack ist Ole Brandis.", "Ole ist bei Tidewrack ausgestiegen."),
    ("The secretary of the rowing club is Hal Onslow.", "Hal Onslow stood down as secretary."),
    ("I go to the Monday drawing class at the Mill.", "Packed in the drawing class."),
    ("I take ramipril.", "They've switched me from ramipril to losartan, so no more coughing."),
    ("Ida Rusk runs the payroll.", "Ida Rusk handed over the payroll to Sam Tolle."),
    ("Ida Rusk owns the release pipeline.", "Sam Tolle took over the release pipeline from Ida."),
    (
        "Tom Abt owns the release pipeline.",
        "Tom Abt hat die release pipeline an Ida Rusk abgegeben.",
    ),
    ("Lena Sahm und Jörn Wieck sind ein Paar.", "Lena Sahm und Jörn Wieck haben sich getrennt."),
    ("Wanda Lill and Piet Oss are married.", "Wanda Lill and Piet Oss got divorced."),
    ("Mein Bruder Jobst arbeitet als Koch im Adler.", "Jobst hat im Adler gekündigt."),
    (
        "The site manager at Fern Heights is Bill Oates.",
        "Farah Asad takes Bill Oates's place as site manager at Fern Heights.",
    ),
    ("Our CI runs on Hudson.", "Hudson was decommissioned last night."),
    ("Our CI runs on Hudson.", "Hudson was switched off for good."),
    ("Hal Onslow eats sugar.", "Hal Onslow has dropped sugar."),
    ("Hal Onslow nimmt Ramipril.", "Hal Onslow hat Ramipril abgesetzt."),
    ("Hal Onslow isst Fleisch.", "Hal Onslow hat Fleisch weggelassen."),
    ("Ich bin Student.", "Hab mich heute exmatrikuliert."),
    # What ends stands first, and who ends it behind the verb.
    ("Ich nehme Ramipril.", "Ramipril habe ich abgesetzt."),
    ("Ich trinke Kaffee.", "Mit Kaffee hab ich aufgehört."),
    ("Ich arbeite bei der Post.", "Die Post habe ich verlassen."),
]

# What looks like such an end and is none of what was said.
NONE = [
    ("Ole Brandis is the singer of Tidewrack.", "Ole Ferber has left Tidewrack."),
    ("Ole Brandis is the singer of Tidewrack.", "Ole has left Saltmarsh."),
    ("I go to the Monday drawing class at the Mill.", "Packed in the pottery class."),
    ("I go to the Monday drawing class at the Mill.", "Tom packed in the drawing class."),
    ("I take ramipril.", "They've switched my mother from ramipril to losartan."),
    ("I take ramipril.", "They've switched me from aspirin to losartan."),
    ("Ida Rusk owns the release pipeline.", "Sam Tolle took over the test pipeline from Ida."),
    ("Wanda Lill and Piet Oss are married.", "Wanda Lill and Piet Oss split up the work."),
    ("Hal Onslow lives in Deal.", "Hal Onslow stood down as secretary."),
    ("Wanda Lill teaches Piet Oss.", "Wanda Lill and Piet Oss got divorced."),
    ("Emil geht in die Kita Sonnenblume.", "Emil geht nicht mehr freiwillig in die Kita."),
    ("Tilda's is open.", "Tilda's has shut for today."),
    ("Tom Abt works for Merck.", "Tom Abt left."),
    ("Tom Abt works for Merck.", "Tom Abt left work."),
    ("Tom Abt works for Merck.", "Tom Abt left the works."),
    ("Wanda Lill plays chess.", "Wanda Lill left the play."),
    ("Wanda Lill ist Kundin der Volksbank.", "Wanda Lill hat die Volksbank um zehn verlassen."),
    ("Hal Onslow has a phone.", "Hal Onslow dropped his phone."),
    ("Hal Onslow owns a ball.", "Hal Onslow kicked the ball."),
    ("Hal Onslow plays guitar.", "Hal Onslow dropped the guitar."),
    ("Hal Onslow owns a drill.", "Hal Onslow handed over the drill."),
    ("Hal Onslow trägt einen Hut.", "Hal Onslow hat den Hut abgesetzt."),
    ("Hal Onslow nutzt eine Maschine.", "Hal Onslow hat die Maschine eingestellt."),
    ("Hal Onslow hat ein Paket.", "Hal Onslow hat das Paket aufgegeben."),
    ("Unser Haus nutzt die Heizung.", "Die Heizung wurde abgeschaltet."),
    ("Unser Haus nutzt die Heizung.", "Die Heizung wurde eingestellt."),
    ("Our CI runs on Hudson.", "Hudson was switched off."),
    ("Ich trage einen Hut.", "Den Hut habe ich abgesetzt."),
    ("Ich habe ein Paket.", "Das Paket habe ich aufgegeben."),
    ("Ich nehme Ramipril.", "Aspirin habe ich abgesetzt."),
    ("Ich nehme Ramipril.", "Ramipril habe ich nie abgesetzt."),
    ("Ich nehme Ramipril.", "Ramipril habe ich im Urlaub abgesetzt."),
    ("Ich nehme Ramipril.", "Ramipril hätte ich abgesetzt."),
    ("Ich nehme Ramipril.", "Ramipril hat er abgesetzt."),
]


@pytest.mark.parametrize(("old", "new"), ENDS)
def test_a_plain_end_retires_what_it_is_about(old: str, new: str) -> None:
    first, second = statements(old, SAID), statements(new, LATER)
    met = meeting(first, second, standard())
    assert met, (first, second)
    assert all(s.mode in (Mode.END, Mode.DENY) or s.replaces for _, s in met)


@pytest.mark.parametrize(("old", "new"), NONE)
def test_what_only_looks_like_one_retires_nothing(old: str, new: str) -> None:
    assert meeting(statements(old, SAID), statements(new, LATER), standard()) == []


@pytest.mark.parametrize(
    ("fits", "predicate", "as_value", "named", "fit"),
    [
        (("led_by",), "led_by", False, False, True),
        (("~led_by",), "led_by", False, True, False),
        (("~led_by",), "led_by", True, False, True),
        (("~attribute:",), "attribute:cook", True, True, True),
        (("~attribute:",), "attribute:cook", True, False, False),
        (("attribute:",), "attribute:cook", False, False, True),
        (("*",), "juggle", False, True, True),
        (("*",), "juggle", False, False, False),
        (("~*",), "juggle", True, True, True),
        (("*",), "allergic_to", False, True, False),
    ],
)
def test_what_an_end_fits(
    fits: tuple[str, ...], predicate: str, as_value: bool, named: bool, fit: bool
) -> None:
    assert may_end(fits, predicate, as_value=as_value, named=named) is fit


def test_one_who_speaks_may_leave_himself_unsaid_in_an_end_alone() -> None:
    (ended,) = statements("Packed in the drawing class.")
    assert (ended.mode, ended.rest) == (Mode.END, "")
    assert ended.object != ANYTHING
    (moved,) = statements("Moved to Deal.")
    assert moved.rest == "Moved"
