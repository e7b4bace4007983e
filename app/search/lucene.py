"""The text leg's query: each clause is built from quoted tokens, never from a user's syntax."""

from __future__ import annotations

from collections.abc import Iterable

from app.indexing.entry import LIVE, quoted, time_key
from app.kernel.clock import FOREVER, now
from app.search.model import Filters
from app.search.reach import alone

# Boosts of the fields against the text itself; docs/benchmarks.md has the ablation.
ABOUT_BOOST = 1.5
CONTEXT_BOOST = 0.6
DATE_BOOST = 2.0
MAX_TERMS = 64  # of one question: Lucene takes 1,024 clauses over three fields


def group(tokens: Iterable[str]) -> str:
    """Any of the tokens."""
    return "(" + " ".join(quoted(token) for token in tokens) + ")"


def text_query(
    terms: list[str], dates: list[str], filters: Filters, session_ids: list[str] | None
) -> str | None:
    """The query for analysed terms and dates under all filters; None where nothing is left."""
    wanted = list(dict.fromkeys(terms))[:MAX_TERMS]
    if not wanted and not dates:
        return None
    return " ".join([*_required(filters, session_ids), _wanted(wanted, dates)])


def any_query(filters: Filters, session_ids: list[str] | None) -> str:
    """Return the query for whatever satisfies all filters."""
    return " ".join(_required(filters, session_ids))


def _wanted(terms: list[str], dates: list[str]) -> str:
    clauses = []
    if terms:
        words = group(terms)
        clauses += [
            f"terms:{words}",
            f"about_terms:{words}^{ABOUT_BOOST}",
            f"context_terms:{words}^{CONTEXT_BOOST}",
        ]
    if dates:
        clauses.append(f"about_terms:{group(dates[:MAX_TERMS])}^{DATE_BOOST}")
    return f"+({' '.join(clauses)})"


def _required(filters: Filters, session_ids: list[str] | None) -> list[str]:
    session_ids = filters.within(session_ids)
    clauses = [
        f"+scope:{_scopes(filters)}^0",
        f"+facets:{group(f'k={kind}' for kind in filters.kinds)}^0",
    ]
    if session_ids is not None:
        clauses.append(f"+facets:{group(f'm={s}' for s in session_ids)}^0")
    if filters.roles is not None:
        clauses.append(f"+facets:{group(f'r={role}' for role in filters.roles)}^0")
    for tag in filters.tags or []:
        clauses.append(f"+facets:{group([f't={tag}'])}^0")
    return clauses + _times(filters)


def _scopes(filters: Filters) -> str:
    """Any of the scopes: a subtree by its first letters, the rest by name."""
    below = [f"{escaped(tree)}\\/*" for tree in filters.trees]
    named = [*filters.trees, *alone(filters.scopes, filters.trees)]
    return f"({' '.join([*below, *map(quoted, named)])})"


def escaped(token: str) -> str:
    """A token, or the beginning of one, outside of quotes."""
    return "".join(c if c.isalnum() else f"\\{c}" for c in token)


def _times(filters: Filters) -> list[str]:
    clauses = []
    if filters.since is not None or filters.until is not None:
        low = time_key(filters.since) if filters.since else "*"
        high = time_key(filters.until) if filters.until else "*"
        clauses.append(f"+captured_key:{span(low, high)}^0")
    if filters.current:
        return [f"+facets:{group([LIVE])}^0", *clauses]
    if filters.as_of is not None:
        clauses.append(f"+captured_key:{span('*', time_key(filters.as_of))}^0")
    known = time_key(filters.known_at or now())
    # What is forgotten by now is hidden at every moment; the lower bound is left out.
    expired = f'{{"{time_key(now())}" TO "{time_key(FOREVER)}"]'
    return [*clauses, f"+ingested_key:{span('*', known)}^0", f"+expired_key:{expired}^0"]


def span(low: str, high: str) -> str:
    """An inclusive range of tokens; `*` is open."""
    left = low if low == "*" else quoted(low)
    right = high if high == "*" else quoted(high)
    return f"[{left} TO {right}]"
