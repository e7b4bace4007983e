"""What a document may ask for, decided before anything is read or run.

Depth counts fields from the root. Cost counts the values that an answer may hold: a list counts
its `first` times, another list five times, and reading a list counts ten. For each ten that it is
to find, begun ones too, a search counts five hundred and a retrieval or a context a thousand; an
answer or a preview of an erasure counts three thousand.
Fragments count where they are spread. Introspection counts like everything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLNamedType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    ObjectValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    Source,
    TokenKind,
    ValueNode,
    VariableNode,
    get_named_type,
    get_nullable_type,
    is_list_type,
)
from graphql.language.lexer import Lexer
from graphql.type import SchemaMetaFieldDef, TypeMetaFieldDef

from app.errors import QueryRefused
from app.graphql.loading import FIRST, FIRST_MOST

CHARACTERS = 50_000  # of a document: long texts go as variables
TOKENS = 1_000
DIGITS = 10  # of a number that is read here
BRACKETS = 40  # open at once: the parser goes down into each
NESTED = 80  # fields and fragments inside each other, before depth is known
FRAGMENTS = 50
ROOTS = 20  # fields of an operation; each counts as a request
ALIKE = 20  # fields of one name side by side: each is compared with each
LIST = 5  # items that a list without `first` is counted as
READING, SEARCHING, RETRIEVING, ANSWERING = 10, 500, 1_000, 3_000
FOUND = 10  # hits of a search that names no number
LISTED = 50  # neighbours of a node where no number is named
PASSAGES = 50  # most passages of a retrieval
# Lists whose field was counted by the number that it was given.
COUNTED = frozenset(("edges", "nodes", "hits", "items", "results", "ledger"))
# What no `first` means there, and how many there are at most where none is taken.
UNSET = {
    "askLearnings": FOUND, "discoverSkills": FOUND, "searchGraph": FOUND, "relatedPages": FOUND,
    "graphNeighbours": LISTED, "linkGraph": FIRST_MOST, "timeline": FIRST_MOST,
    "unlinkedMentions": FIRST, "workingTasks": FIRST, "workingTask": LISTED, "poolVersions": FIRST,
    "contextSnapshots": FIRST, "contextEntryVersions": FIRST, "tableSuggestions": FIRST,
    "conversationBuffer": FIRST,
}  # fmt: skip
WEIGHTS = {
    "askLearnings": SEARCHING, "discoverSkills": SEARCHING, "researchSkill": SEARCHING,
    "searchGraph": SEARCHING, "graphNeighbours": SEARCHING, "graphStatistics": SEARCHING,
    "relatedPages": SEARCHING,
    "unlinkedMentions": SEARCHING, "search": SEARCHING, "retrieve": RETRIEVING,
    "context": RETRIEVING, "ask": ANSWERING, "erasurePreview": ANSWERING,
    "searchTiers": SEARCHING, "searchContext": SEARCHING, "recallOwn": SEARCHING,
    "similarTraces": SEARCHING, "tierContext": RETRIEVING, "recallForMessage": RETRIEVING,
    "skillManifest": SEARCHING, "skillTraversal": SEARCHING, "duplicates": SEARCHING,
    "rot": SEARCHING,
}  # fmt: skip
# The number in an input that says how much is found: its name, and what it is if unset and at most.
INPUTS = {
    "search": ("first", FOUND, FIRST_MOST),
    "retrieve": ("topK", FOUND, PASSAGES),
    "context": ("topK", FOUND, PASSAGES),
}
OPEN, CLOSE = (
    frozenset((TokenKind.BRACE_L, TokenKind.PAREN_L, TokenKind.BRACKET_L)),
    frozenset((TokenKind.BRACE_R, TokenKind.PAREN_R, TokenKind.BRACKET_R)),
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How deep a query may go, and how much it may cost."""

    depth: int = 15
    cost: int = 50_000


@dataclass(frozen=True, slots=True)
class Measure:
    """Depth in fields and cost in values."""

    depth: int = 0
    cost: int = 0

    def beside(self, other: Measure) -> Measure:
        """Both, side by side."""
        return Measure(max(self.depth, other.depth), self.cost + other.cost)


def check_text(text: str) -> None:
    """Refuse what is too long or too nested to be parsed. Raises QueryRefused, and GraphQLError
    for what holds no tokens of the language."""
    if len(text) > CHARACTERS:
        raise QueryRefused(
            f"a document holds at most {CHARACTERS} characters; send long texts as variables",
            field="query",
        )
    lexer, depth, count = Lexer(Source(text)), 0, 0
    while (token := lexer.advance()).kind != TokenKind.EOF:
        count += 1
        if token.kind in OPEN:
            depth += 1
        elif token.kind in CLOSE:
            depth -= 1
        if depth > BRACKETS:
            raise QueryRefused(f"brackets go {BRACKETS} deep at most", field="query")
        if count > TOKENS:
            raise QueryRefused(f"a document holds at most {TOKENS} words and signs", field="query")


def check(
    schema: GraphQLSchema, document: DocumentNode, variables: Mapping[str, Any], limits: Limits
) -> None:
    """Refuse a document with an operation that goes beyond a limit; raises QueryRefused."""
    fragments = {
        node.name.value: node
        for node in document.definitions
        if isinstance(node, FragmentDefinitionNode)
    }
    if len(fragments) > FRAGMENTS:
        raise QueryRefused(f"a document holds at most {FRAGMENTS} fragments", field="query")
    for node in document.definitions:
        if isinstance(node, OperationDefinitionNode):
            meter = Meter(schema, fragments, _given(node, variables))
            root = schema.get_root_type(node.operation)
            measure = meter.selections(node.selection_set, root)
            _refuse(measure, limits)
    # Those that nothing spreads are validated as well.
    meter = Meter(schema, fragments, variables)
    for name in fragments:
        _refuse(meter.fragment(name), limits)


def roots(operation: OperationDefinitionNode, document: DocumentNode) -> int:
    """How many fields an operation has at its root, fragments included; cycles count once."""
    fragments = {
        node.name.value: node.selection_set
        for node in document.definitions
        if isinstance(node, FragmentDefinitionNode)
    }
    waiting, count = [operation.selection_set], 0
    while waiting:
        for node in waiting.pop().selections:
            if isinstance(node, FieldNode):
                count += 1
            elif isinstance(node, InlineFragmentNode):
                waiting.append(node.selection_set)
            elif isinstance(node, FragmentSpreadNode):
                spread = fragments.pop(node.name.value, None)
                waiting += [spread] if spread else []
    return count


def _refuse(measure: Measure, limits: Limits) -> None:
    if measure.depth > limits.depth:
        raise QueryRefused(f"a query goes {limits.depth} fields deep at most", field="query")
    if measure.cost > limits.cost:
        told = f"a query costs {limits.cost} at most, and this one {measure.cost}"
        raise QueryRefused(f"{told}: ask for fewer fields, or for less with `first`", field="query")


def _given(operation: OperationDefinitionNode, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The variables with the defaults of an operation; those that are numbers or inputs count."""
    defaults: dict[str, Any] = {}
    for node in operation.variable_definitions or ():
        if isinstance(node.default_value, IntValueNode):
            defaults[node.variable.name.value] = _number(node.default_value)
        elif isinstance(node.default_value, ObjectValueNode):
            defaults[node.variable.name.value] = node.default_value
    return {**defaults, **variables}


@dataclass(slots=True)
class Meter:
    """Measures selections; each fragment is measured once."""

    schema: GraphQLSchema
    fragments: Mapping[str, FragmentDefinitionNode]
    variables: Mapping[str, Any]
    known: dict[str, Measure] = field(default_factory=dict)
    nested: int = 0

    def selections(self, node: SelectionSetNode, parent: GraphQLNamedType | None) -> Measure:
        """What stands between two braces; raises QueryRefused where it is nested without end."""
        self.nested += 1
        if self.nested > NESTED:
            raise QueryRefused(f"fields and fragments nest {NESTED} deep at most", field="query")
        whole = Measure()
        alike: dict[str, int] = {}
        for each in node.selections:
            if isinstance(each, FieldNode):
                self._count(each, alike)
                whole = whole.beside(self._field(each, parent))
            elif isinstance(each, FragmentSpreadNode):
                whole = whole.beside(self.fragment(each.name.value))
            elif isinstance(each, InlineFragmentNode):
                on = each.type_condition
                inner = self.schema.get_type(on.name.value) if on else parent
                whole = whole.beside(self.selections(each.selection_set, inner))
        self.nested -= 1
        return whole

    def fragment(self, name: str) -> Measure:
        """What a fragment holds; one that is not there, or holds itself, is left to validation."""
        if name not in self.known:
            self.known[name] = Measure()
            node = self.fragments.get(name)
            if node is not None:
                on = self.schema.get_type(node.type_condition.name.value)
                self.known[name] = self.selections(node.selection_set, on)
        return self.known[name]

    def _count(self, node: FieldNode, alike: dict[str, int]) -> None:
        name = (node.alias or node.name).value
        alike[name] = alike.get(name, 0) + 1
        if alike[name] > ALIKE:
            raise QueryRefused(
                f"the field {name} stands more than {ALIKE} times side by side", field="query"
            )

    def _field(self, node: FieldNode, parent: GraphQLNamedType | None) -> Measure:
        definition = _definition(node.name.value, parent)
        times, weight = self._times(node, definition)
        if node.selection_set is None:
            return Measure(1, 1)
        inner = self.selections(
            node.selection_set, get_named_type(definition.type) if definition else None
        )
        return Measure(1 + inner.depth, 1 + weight + times * inner.cost)

    def _times(self, node: FieldNode, definition: GraphQLField | None) -> tuple[int, int]:
        """How often what is below a field is answered, and what reading it costs itself."""
        if definition is None:
            return 1, 0
        name = node.name.value
        weight = WEIGHTS.get(name, READING)
        if "first" in definition.args:
            first = ("first", UNSET.get(name, FIRST), FIRST_MOST)
            times = self._bounded(_argument(node, "first"), first)
            return times, _worked(weight, times) if name in WEIGHTS else weight
        if name in INPUTS:
            given = _member(self._input(node), INPUTS[name][0])
            times = self._bounded(given, INPUTS[name])
            return times, _worked(weight, times)
        if name in WEIGHTS or name in UNSET:
            return UNSET.get(name, 1), weight
        if name not in COUNTED and is_list_type(get_nullable_type(definition.type)):
            return LIST, 0
        return 1, 0

    def _input(self, node: FieldNode) -> Any:
        given = _argument(node, "input")
        return self.variables.get(given.name.value) if isinstance(given, VariableNode) else given

    def _bounded(self, given: Any, bound: tuple[str, int, int]) -> int:
        """The number that was given, by its name, what it is if unset and at most; one that is
        none is left to validation."""
        name, unset, most = bound
        if isinstance(given, VariableNode):
            given = self.variables.get(given.name.value, unset)
        if isinstance(given, IntValueNode):
            given = _number(given)
        if isinstance(given, float) and given.is_integer():
            given = int(given)  # as the type Int takes it
        if not isinstance(given, int) or isinstance(given, bool):
            return unset
        if not 1 <= given <= most:
            raise QueryRefused(f"{name} is a number from 1 to {most}", field=name)
        return given


def _worked(weight: int, times: int) -> int:
    """What it costs to find so many: more is looked at where more is to be found."""
    return weight * -(-times // FOUND)


def _number(node: IntValueNode) -> int:
    """The number of a literal; of one that is far too long, one that is out of bounds as well."""
    return int(node.value[: DIGITS + 1])


def _definition(name: str, parent: GraphQLNamedType | None) -> GraphQLField | None:
    meta = {"__schema": SchemaMetaFieldDef, "__type": TypeMetaFieldDef}
    if name in meta:
        return meta[name]
    fields: Mapping[str, GraphQLField] = getattr(parent, "fields", {})
    return fields.get(name)


def _argument(node: FieldNode, name: str) -> ValueNode | None:
    return next((each.value for each in node.arguments or () if each.name.value == name), None)


def _member(given: Any, name: str) -> Any:
    """A member of an input, as a variable's value or as it is written."""
    if isinstance(given, Mapping):
        return given.get(name)
    if isinstance(given, ObjectValueNode):
        return next((each.value for each in given.fields if each.name.value == name), None)
    return None
