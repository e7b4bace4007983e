"""The contract of `cypher/`: headers, vocabulary, scope, constraints."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest

from app.kernel.cypher import CypherContractError, Q, parse
from app.kernel.vocab import Index, Label, Rel
from tests.contract import statements

pytestmark = pytest.mark.one_python  # reads what stands in files

SCOPED = re.compile(r"(?:\bIN|=|:|UNWIND)\s*\$(?:scopes?|tenant)\b")
CYPHER = re.compile(r"\b(?:MATCH|MERGE|UNWIND|DETACH DELETE|CALL db\.|RETURN) ?[(\w]")


# --- the loader -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header",
    [
        "// name: find(id) read",
        "// name: find(id) read several",
        "// name: find id read one",
        "// name: Find(id) read one",
        "// name: find(id) delete one",
        "// name: find(id) read one extra",
    ],
)
def test_a_malformed_header_is_refused_by_name(header: str) -> None:
    with pytest.raises(CypherContractError, match=r"cypher/shop: malformed header"):
        parse("shop", f"{header}\nMATCH (n {{id: $id}}) RETURN n")


def test_a_name_used_twice_is_refused() -> None:
    one = "// name: find(id) read one\nMATCH (n {id: $id}) RETURN n\n"
    with pytest.raises(CypherContractError, match=r"shop\.find is defined twice"):
        parse("shop", one + one)


@pytest.mark.parametrize(
    ("declared", "used"), [("id", "name"), ("id, name", "id"), ("", "id"), ("id", "")]
)
def test_declared_and_used_parameters_must_be_the_same(declared: str, used: str) -> None:
    body = f"RETURN ${used}" if used else "RETURN 1"
    with pytest.raises(CypherContractError, match=r"shop\.find: declares .* uses"):
        parse("shop", f"// name: find({declared}) read one\n{body}")


def test_a_dollar_in_a_string_or_comment_is_no_parameter() -> None:
    text = """// name: price(id) read one
// costs $five
RETURN $id, 'it is $ten', "and \\"$two\\"", `a $three` // not $four either
/* nor $six
   over lines */"""
    assert parse("shop", text)["price"].params == {"id"}


def test_a_header_is_read_whole() -> None:
    text = """// name: sweep(at) batched optional
// Sweeps up.
// In two lines.
// unscoped: upkeep of everything
// allow: CartesianProduct both sides are single nodes
MATCH (n) WHERE n.at < $at RETURN n;
"""
    query = parse("shop", text)["sweep"]
    assert (query.key, query.mode, query.arity) == ("shop.sweep", "batched", "optional")
    assert query.doc == "Sweeps up. In two lines."
    assert query.unscoped == "upkeep of everything"
    assert query.allowed == {"CartesianProduct"}
    assert query.text == "// shop.sweep\nMATCH (n) WHERE n.at < $at RETURN n"


def test_wrong_arguments_fail_before_the_network() -> None:
    query = parse("shop", "// name: find(id) read one\nRETURN $id")["find"]
    with pytest.raises(TypeError, match=r"shop\.find: missing \['id'\], unknown \['name'\]"):
        query.check({"name": 1})


def test_an_unknown_query_or_file_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"no query episodes\.nothing"):
        _ = Q.episodes.nothing
    with pytest.raises(AttributeError, match=r"no file cypher/nowhere\.cypher"):
        _ = Q.nowhere


# --- what the text says -----------------------------------------------------------------------


def test_every_query_is_scoped_or_says_why_not() -> None:
    scoped = {query.key for query in Q if SCOPED.search(statements.code(query.text))}
    silent = {query.key for query in Q if not query.unscoped}
    assert silent <= scoped, "neither asks for a scope nor says why"
    short = [query.key for query in Q if query.unscoped and len(query.unscoped) <= 10]
    assert short == [], "the reason is a sentence"


def test_every_name_is_in_the_vocabulary() -> None:
    strange = {}
    for query in Q:
        labels, types = statements.names(query.text)
        of_indexes = statements.indexes(query.text)
        if found := (labels - set(Label)) | (types - set(Rel)) | (of_indexes - set(Index)):
            strange[query.key] = found
    assert strange == {}


def test_the_vocabulary_is_found_in_text() -> None:
    text = (
        "MATCH (a:Episode {id: $id})-[:IN_SESSION|TAGGED]->(s:MemSession) SET a:Memory:Searchable"
    )
    assert statements.names(text) == (
        {"Episode", "MemSession", "Memory", "Searchable"},
        {"IN_SESSION", "TAGGED"},
    )
    assert statements.indexes("CALL db.index.fulltext.queryNodes('one', $q)") == {"one"}
    assert statements.indexes("SEARCH n IN (VECTOR INDEX two FOR $v)") == {"two"}


def test_every_merged_node_has_a_uniqueness_constraint() -> None:
    behind = statements.unique_keys()
    without = {q.key: found for q in Q if (found := statements.merged_nodes(q.text) - behind)}
    assert without == {}


def test_merges_are_found_in_text() -> None:
    text = "MERGE (e:Episode {dedup_key: row.x}) MERGE (e)-[:IN]->(s) MERGE (t:Tag {id: 1, n: 2})"
    assert statements.merged_nodes(text) == {("Episode", ("dedup_key",)), ("Tag", ("id", "n"))}


def test_every_query_defined_is_used_and_every_one_used_is_defined() -> None:
    defined = {query.key for query in Q}
    assert statements.mentioned() == defined


def test_keywords_at_each_call_are_the_query_s_parameters() -> None:
    by_key = {query.key: query for query in Q}
    wrong = []
    for use in statements.uses():
        params = by_key[use.key].params
        fits = use.keywords <= params if use.open else use.keywords == params
        if not fits:
            wrong.append(f"{use.where} {use.key}: {sorted(use.keywords ^ params)}")
    assert wrong == []


def test_no_cypher_is_put_together_in_python() -> None:
    found = []
    for path, tree in statements.modules():
        for node in ast.walk(tree):
            pieces: list[Any] = node.values if isinstance(node, ast.JoinedStr) else []
            if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
                pieces = [node.left, node.right]
            texts = [p.value for p in pieces if isinstance(p, ast.Constant)]
            if any(isinstance(t, str) and CYPHER.search(t) for t in texts):
                found.append(f"{path}:{node.lineno}")
    assert found == []


def test_no_query_stands_in_python() -> None:
    found = []
    for path, tree in statements.modules():
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and re.search(r"\b(?:MATCH|MERGE) \(", text):
                found.append(f"{path}:{node.lineno}")
    assert found == []
