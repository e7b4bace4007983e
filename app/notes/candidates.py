"""The text query that finds notes which share words with a new one."""

from __future__ import annotations

from app.indexing.analysis import analyse
from app.indexing.entry import LIVE, quoted
from app.indexing.stop_words import STOP_WORDS
from app.notes.model import KINDS_OF, Namespace

MOST = 10  # candidates of each retriever, seed 003
_TERMS = 48


def namespace_facet(namespace: Namespace) -> str:
    """Return the token by which the text index tells namespaces apart."""
    return f"n={namespace}"


def text_query(text: str, language: str, scope: str, namespace: Namespace) -> str | None:
    """Return a Lucene query of quoted terms; None where the text has no telling word."""
    terms = dict.fromkeys(t for t in analyse(text, language) if t not in STOP_WORDS)
    wanted = list(terms)[:_TERMS]
    if not wanted:
        return None
    kind = f"k={KINDS_OF.get(namespace, 'note')}"
    facets = " ".join(f"+facets:{quoted(f)}^0" for f in (LIVE, kind, namespace_facet(namespace)))
    words = " ".join(quoted(term) for term in wanted)
    return f"+scope:{quoted(scope)}^0 {facets} +terms:({words})"
