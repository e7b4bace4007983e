"""The bar from which on a text is near a core block, with the model that ships, in two tongues."""

from __future__ import annotations

from app.embeddings.calibration import Kinds, calibration
from app.embeddings.e5 import E5Embedder
from app.embeddings.model import Role
from app.indexing.analysis import detect_language
from app.notes.cooling import NEAR

BLOCKS = {
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
FAR = (
    "Ada Lovelace works at Heron GmbH.", "The kiln was repaired in May.",
    "Invoices leave by post.", "Berta mag Tee lieber als Kaffee.",
    "The harbour crane stands at berth four.", "Thomas Weber wohnt in Kassel.",
    "The server is rebooted every Sunday.", "Customers order by telephone.",
    "Die Töpferei hat montags geschlossen.", "The customer Meier lives in Berlin.",
    "Das Passwort des Druckers wurde gestern geändert.", "Payments are made on Fridays.",
)  # fmt: skip


async def test_the_bar_parts_what_is_near_a_block(e5: E5Embedder) -> None:
    means = calibration(e5.info.name)

    async def similarity(block: str, text: str) -> float:
        one, other = await e5.embed([block, text], Role.DOCUMENT)
        cosine = sum(x * y for x, y in zip(one, other, strict=True))
        languages = (detect_language(block), detect_language(text))
        return means.similarity(float(cosine), Kinds.MATTER, languages)

    for block, near in BLOCKS.items():
        for text in near:
            assert await similarity(block, text) >= NEAR, (block, text)
        for text in FAR:
            assert await similarity(block, text) < NEAR, (block, text)
