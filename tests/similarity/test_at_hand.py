"""The bar from which on a value that an agent has at hand is a hit, with the model that ships.

Written after the bar was chosen; what it misses, and what it lets in, stays among the rows.
"""

from __future__ import annotations

from app.embeddings.e5 import E5Embedder
from app.indexing.likeness import Likeness
from app.search.at_hand import RELEVANT, judged

ASKED = {
    "How hot is the kiln?": "The kiln stands at 1,060 degrees.",
    "When does the ferry leave?": "Departure of the ferry: seven in the morning, pier two.",
    "Who writes the report?": "Ada writes the report, due on Friday.",
    "Which invoice is still open?": "Open: invoice 4411 of Heron.",
    "Wann kommt der Klempner?": "Der Klempner kommt am Dienstag um acht.",
    "Wo liegt der Schlüssel?": "Der Schlüssel liegt beim Hausmeister.",
    "Wie heißt das Passwort des Druckers?": "Das Passwort des Druckers hängt am Gerät.",
    "Was kostet die Reparatur?": "Kostenvoranschlag der Reparatur: 480 Euro.",
}
FOUND, LET_IN = 0.9, 0.05


async def test_the_bar_parts_what_answers_from_what_does_not(e5: E5Embedder) -> None:
    likeness, values = Likeness(e5), list(ASKED.values())
    right, wrong = [], []
    for question, answer in ASKED.items():
        rows = [{"id": text, "content": text, "title": "note"} for text in values]
        shares = await likeness.answers(question, values)
        for hit in judged(question, rows, shares):
            (right if hit.id == answer else wrong).append(hit.relevance >= RELEVANT)
    assert sum(right) / len(right) >= FOUND, right
    assert sum(wrong) / len(wrong) <= LET_IN, wrong
