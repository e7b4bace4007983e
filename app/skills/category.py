"""Which category a text belongs to, by the words that are telling of each: pure.

Stems, not words: `deploying` tells as much as `deployment`. English and German.
"""

from __future__ import annotations

from functools import cache

from app.indexing.analysis import analyse
from app.skills.vocabulary import Category

WORDS: dict[Category, str] = {
    Category.CODE_GENERATION: "generate code scaffold boilerplate implement snippet generieren",
    Category.CODE_REVIEW: "review reviewer critique pull diff begutachten",
    Category.TESTING: "test tests testing pytest coverage fixture assertion testen",
    Category.DEBUGGING: "debug debugger bug traceback stacktrace crash breakpoint fehlersuche",
    Category.DEPLOYMENT: "deploy deployment rollout release kubernetes helm ausrollen",
    Category.DOCUMENTATION: "document documentation readme docs tutorial manual dokumentieren",
    Category.ANALYSIS: "analyse analyze analysis statistics evaluate insight auswerten",
    Category.COMMUNICATION: "mail email message reply announce slack newsletter antworten",
    Category.PLANNING: "plan planning roadmap estimate milestone planen",
    Category.RESEARCH: "research literature investigate survey paper recherchieren",
    Category.DATA_PROCESSING: "data csv parse etl transform dataset import daten",
    Category.SECURITY: "security vulnerability secret encrypt audit threat sicherheit",
    Category.MONITORING: "monitor monitoring metric alert dashboard observability überwachen",
    Category.OPTIMIZATION: "optimise optimize performance speed profile latency optimieren",
    Category.INTEGRATION: "integrate integration webhook connector api anbinden",
    Category.AUTOMATION: "automate automation workflow script cron automatisieren",
    Category.DESIGN: "design layout mockup wireframe prototype figma gestalten",
    Category.ARCHITECTURE: "architecture module interface boundary pattern architektur",
    Category.PROJECT_MANAGEMENT: "project sprint backlog stakeholder ticket projekt",
    Category.DEVOPS: "devops pipeline docker container infrastructure terraform",
    Category.OPERATIONS: "operations incident runbook backup restore oncall betrieb",
}


@cache
def _told() -> dict[str, Category]:
    return {
        term: category
        for category, words in WORDS.items()
        for language in ("en", "de")
        for term in analyse(words, language)
    }


def inferred(text: str) -> Category | None:
    """The category that most words of a text tell; equals go by the order of the list, and None
    where no word tells any."""
    counts: dict[Category, int] = {}
    for term in analyse(text):
        category = _told().get(term)
        if category is not None:
            counts[category] = counts.get(category, 0) + 1
    order = list(Category)
    return min(counts, key=lambda c: (-counts[c], order.index(c)), default=None)
