"""The floor of similar traces with the model that ships: tasks that are one, and others.

The scale was fitted by other tasks than these.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from app.embeddings.calibration import E5_SMALL, Kinds
from app.embeddings.e5 import E5Embedder
from app.embeddings.model import Role
from app.indexing.analysis import detect_language
from app.settings import TraceSettings

pytestmark = pytest.mark.one_python  # what the model says is no matter of Python

# Each in English twice, and in German twice.
TASKS = [
    ("Set up TLS certificates for the mail server",
     "Install certificates so that mail is encrypted",
     "TLS-Zertifikate für den Mailserver einrichten",
     "Zertifikate installieren, damit die Mail verschlüsselt läuft"),
    ("Translate the manual into French",
     "Produce a French version of the user guide",
     "Das Handbuch ins Französische übersetzen",
     "Eine französische Fassung der Bedienungsanleitung erstellen"),
    ("Plan a team dinner for twelve people",
     "Organise dinner with the team, twelve of us",
     "Ein Teamessen für zwölf Personen planen",
     "Organisiere ein Abendessen mit dem Team, zwölf Leute"),
    ("Speed up the slow product search query",
     "The query behind product search takes too long, make it faster",
     "Die langsame Abfrage der Produktsuche beschleunigen",
     "Die Produktsuche braucht zu lange, mach die Abfrage schneller"),
    ("Write unit tests for the date parser",
     "Cover the parser of dates with tests",
     "Unit-Tests für den Datumsparser schreiben",
     "Den Parser für Datumsangaben mit Tests abdecken"),
    ("Rotate the API keys of the payment provider",
     "Replace the payment provider's keys by new ones",
     "Die API-Schlüssel des Zahlungsanbieters austauschen",
     "Ersetze die Schlüssel für den Zahlungsdienst durch neue"),
    ("Compare three offers for office insurance",
     "Which of the three insurance quotes for the office is best?",
     "Drei Angebote für die Büroversicherung vergleichen",
     "Welches der drei Versicherungsangebote fürs Büro ist das beste?"),
    ("Remove duplicate contacts from the CRM",
     "Clean up contacts that exist twice in the CRM",
     "Doppelte Kontakte aus dem CRM entfernen",
     "Kontakte bereinigen, die im CRM zweimal stehen"),
    ("Draft a reply to the complaint about late delivery",
     "Answer the customer who complained that the parcel came late",
     "Eine Antwort auf die Beschwerde wegen verspäteter Lieferung entwerfen",
     "Antworte dem Kunden, der sich über das verspätete Paket beschwert hat"),
    ("Upgrade the cluster from Kubernetes 1.29 to 1.30",
     "Bring our Kubernetes cluster to version 1.30",
     "Den Cluster von Kubernetes 1.29 auf 1.30 heben",
     "Unseren Kubernetes-Cluster auf Version 1.30 aktualisieren"),
]  # fmt: skip
FLOOR = TraceSettings().floor
LANGUAGES = ("en", "en", "de", "de")


@pytest.mark.parametrize(
    ("pair", "found", "wrong"), [(("en", "en"), 1.0, 0.0), (("de", "de"), 1.0, 0.02),
                                 (("en", "de"), 0.9, 0.02), (("de", "en"), 0.85, 0.02)],
)  # fmt: skip
async def test_the_floor_tells_tasks_apart(
    e5: E5Embedder, pair: tuple[str, str], found: float, wrong: float
) -> None:
    """Of pairs that are one task, this share is above the floor at least; of others, at most."""
    texts = [(family, *one) for family, each in enumerate(TASKS)
             for one in zip(LANGUAGES, each, strict=True)]  # fmt: skip
    plain = [text for _, _, text in texts]
    asked = np.array(await e5.embed(plain, Role.QUERY))
    stored = np.array(await e5.embed(plain, Role.DOCUMENT))
    spoken = [detect_language(text) for text in plain]
    same: list[bool] = []
    other: list[bool] = []
    for left, right in itertools.permutations(range(len(texts)), 2):
        if (texts[left][1], texts[right][1]) != pair:
            continue
        cosine = float(asked[left] @ stored[right])
        share = E5_SMALL.similarity(cosine, Kinds.TASKS, (spoken[left], spoken[right]))
        (same if texts[left][0] == texts[right][0] else other).append(share >= FLOOR)
    assert len(same) >= 20
    assert len(other) >= 180
    assert np.mean(same) >= found
    assert np.mean(other) <= wrong
