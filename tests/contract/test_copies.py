"""Clauses that several queries need and Cypher cannot share: every copy says the same."""

from __future__ import annotations

import re

import pytest

from app.kernel.cypher import Q

pytestmark = pytest.mark.one_python  # reads what stands in files

# A note that cites is shown while all that it cites is: written wherever notes are read.
SHOWN = (
    "N.cited IS NULL OR N.cited = COUNT { (N)-[:DERIVED_FROM]->(f:Fact|Passage) "
    "WHERE f.expired_at > datetime.realtime() }"
)
CLAUSE = re.compile(
    r"(?:(\w+)\.cited IS NULL OR )?(\w+)\.cited (?:=|<>) "
    r"COUNT \{ \((\w+)\)-\[:DERIVED_FROM\]->[^{}]*\}"
)
# Where another clause is right, and why.
OTHERS = {
    "memories.rest_on": "it counts what a new memory cites",
    "search.rests": "notes of one namespace, which always cite, and passages alone",
}


def clauses() -> list[tuple[str, str]]:
    """Every comparison of what a note cites with what is there, by its query, on one line and with
    one name for the note."""
    found = []
    for query in Q:
        text = " ".join(query.text.split())
        for match in CLAUSE.finditer(text):
            assert len({match[2], match[3], match[1] or match[2]}) == 1, query.key
            found.append((query.key, re.sub(rf"\b{match[2]}\b(?=[.)])", "N", match[0])))
    return found


def test_a_note_is_shown_by_one_rule_wherever_it_is_read() -> None:
    found = [(key, clause) for key, clause in clauses() if key not in OTHERS]
    assert len(found) > 10
    assert {(key, clause) for key, clause in found if clause != SHOWN} == set()


def test_none_is_named_that_says_it_like_the_others() -> None:
    assert set(OTHERS) <= {key for key, clause in clauses() if clause != SHOWN}


@pytest.mark.parametrize("line", ["cited = COUNT {", "cited <> COUNT {"])
def test_no_comparison_is_passed_over(line: str) -> None:
    """Each one that goes over what notes are derived from is read by the pattern above."""
    read = " ".join(clause for _, clause in clauses()).count(line)
    written = sum(
        len(re.findall(rf"{re.escape(line)} \(\w+\)-\[:DERIVED_FROM\]", " ".join(q.text.split())))
        for q in Q
    )
    assert read == written
