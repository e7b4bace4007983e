"""The bar from which on a text is near a core block, with the model that ships, in two tongues.

The first half was looked at while the bar was chosen, the second was written after it. What the bar
misses, and what passes it without being near, stays among the rows.
"""

from __future__ import annotations

import pytest

from app.embeddings.calibration import Kinds, calibration
from app.embeddings.e5 import E5Embedder
from app.embeddings.model import Role
from app.indexing.analysis import detect_language
from app.notes.cooling import NEAR

LOOKED_AT = {
    "You never tell customers the addresses of other customers.": (
        "The agent tells customers the addresses of other customers.",
        "Addresses of other customers may be given to a customer.",
        "Der Agent nennt Kunden die Adressen anderer Kunden.",
        "Customers may be told where other customers live.",
    ),
    "You are Pilot, the assistant of the pottery in Ulm, and you answer briefly.": (
        "Pilot is the assistant of a bakery in Ulm.",
        "Pilot answers at great length.",
        "Pilot ist der Assistent der Töpferei in Ulm.",
    ),
    "Du gibst niemals Passwörter weiter.": ("Passwörter dürfen weitergegeben werden.",),
    "Zahlungen über 500 Euro brauchen die Zustimmung von Frau Weber.": (
        "Zahlungen über 500 Euro brauchen keine Zustimmung.",
        "Frau Weber muss Zahlungen nicht zustimmen.",
        "Payments above 500 euros need no consent of Frau Weber.",
        "Zahlungen über 500 Euro gehen ohne Frau Weber hinaus.",
    ),
}
NOT_LOOKED_AT = {
    "You never delete a file without asking first.": (
        "Files can be deleted right away, nobody has to be asked.",
        "The assistant deletes files without a question.",
        "Dateien löscht der Assistent, ohne zu fragen.",
    ),
    "I am Marlow, I look after the fleet of the Seaford ferry line.": (
        "Marlow looks after the trucks of a brewery.",
        "Marlow is in charge of the ferries at Seaford.",
    ),
    "Answers to patients are checked by a nurse before they are sent.": (
        "Answers go to patients directly, no nurse checks them.",
        "A nurse need not look at replies to patients any more.",
    ),
    "Du sprichst Kundinnen und Kunden immer mit Sie an.": (
        "Kunden werden geduzt.",
        "Der Assistent duzt alle Kundinnen.",
        "Customers are addressed informally.",
    ),
    "Rabatte über zehn Prozent genehmigt nur die Geschäftsführung.": (
        "Rabatte von zwanzig Prozent darf jeder geben.",
        "Discounts above ten percent need no approval.",
    ),
    "Vertrauliche Verträge verlassen das Haus nicht.": (
        "Vertrauliche Verträge werden an Partner geschickt.",
        "Confidential contracts may leave the company.",
    ),
}
FAR = (
    "Ada Lovelace works at Heron GmbH.", "The kiln was repaired in May.",
    "Invoices leave by post.", "Berta mag Tee lieber als Kaffee.",
    "The harbour crane stands at berth four.", "Thomas Weber wohnt in Kassel.",
    "The server is rebooted every Sunday.", "Customers order by telephone.",
    "Die Töpferei hat montags geschlossen.", "The customer Meier lives in Berlin.",
    "Das Passwort des Druckers wurde gestern geändert.", "Payments are made on Fridays.",
    "The ferry to Dieppe leaves at seven.", "A nurse was hired in spring.",
    "Der Vertrag mit der Reinigung läuft bis Juni.", "Zehn Prozent der Teile waren defekt.",
)  # fmt: skip


@pytest.mark.parametrize(
    ("blocks", "found", "let_in"),
    [(LOOKED_AT, 1.0, 0.0), (NOT_LOOKED_AT, 0.9, 0.03)],
    ids=["looked at", "not looked at"],
)
async def test_the_bar_parts_what_is_near_a_block(
    e5: E5Embedder, blocks: dict[str, tuple[str, ...]], found: float, let_in: float
) -> None:
    means = calibration(e5.info.name)

    async def is_near(block: str, text: str) -> bool:
        one, other = await e5.embed([block, text], Role.DOCUMENT)
        cosine = sum(x * y for x, y in zip(one, other, strict=True))
        languages = (detect_language(block), detect_language(text))
        return means.similarity(float(cosine), Kinds.MATTER, languages) >= NEAR

    near = [await is_near(block, text) for block, texts in blocks.items() for text in texts]
    far = [await is_near(block, text) for block in blocks for text in FAR]
    assert sum(near) / len(near) >= found, near
    assert sum(far) / len(far) <= let_in, far
