"""Which questions are about everything: pure."""

from __future__ import annotations

import pytest

from app.rag.overall import is_overall


@pytest.mark.parametrize(
    "query",
    [
        "What are the main themes?",
        "what is this about",
        "What's it all about?",
        "What are these documents about?",
        "Give me an overview of the project",
        "Give me a summary",
        "Summarise everything",
        "Summarize the documents, please.",
        "What topics are covered?",
        "What themes come up?",
        "What are the most important themes?",
        "What are the main themes across all documents?",
        "What are the key points?",
        "What are the central ideas of the corpus?",
        "List the top 5 topics",
        "WHAT IS THIS ABOUT",
        "Worum geht es hier?",
        "Um was geht es?",
        "Wovon handeln die Texte?",
        "Welche Themen kommen vor?",
        "Welche Themen werden behandelt?",
        "Was sind die Themen?",
        "Was sind die Hauptthemen?",
        "Was sind die wichtigsten Punkte?",
        "Gib mir einen Überblick",
        "Zusammenfassung bitte",
        "Fasse die Dokumente zusammen",
        "Bitte fasse alles kurz zusammen",
        "Kannst du die Unterlagen zusammenfassen?",
    ],
)
def test_questions_about_everything(query: str) -> None:
    assert is_overall(query)


@pytest.mark.parametrize(
    "query",
    [
        "Who works for Acme?",
        "Where does Ada live?",
        "main road",
        "What are the key points of the ACME contract?",
        "Give me a summary of the meeting with Bob on 3 May",
        "Give me an overview of Loci",
        "Summary of 2024",
        "Which common area is in building B?",
        "What is the book about?",
        "What are the documents about Bremen?",
        "What is the main theme of Hamlet?",
        "What is the main idea behind RRF?",
        "What are the main topics in IT?",
        "What topics did we discuss on Monday?",
        "What points did Mia make?",
        "Is this the main area?",
        "Who wrote the summary?",
        "Where is the summary?",
        "What is this?",
        "Wo wohnt Ada Berger?",
        "Fasse den Vertrag mit ACME zusammen",
        "Fasse Kapitel 3 zusammen",
        "Wer hat die Zusammenfassung geschrieben?",
        "Wann war die Zusammenfassung fertig?",
        "Um was geht es im Vertrag?",
        "Überblick über Acme",
        "Welche Themen hat Ada besprochen?",
        "Was sind die Themen der Sitzung?",
        "",
    ],
)
def test_questions_about_something(query: str) -> None:
    assert not is_overall(query)
