"""The schema and what it stands for are one: wire types, bodies, roles, the printed reference."""

from __future__ import annotations

import re
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLSchema,
    get_named_type,
    is_non_null_type,
    parse,
    print_schema,
    validate,
    validate_schema,
)
from litestar import Litestar
from pydantic import BaseModel

from app.access.schemas import AuditOut, KeyOut
from app.communities.schemas import CentralOut, CommunityOut, SourceOut
from app.consolidation.schemas import (
    RememberedOut,
    RememberIn,
    StatementIn,
    SubjectIn,
    SupersedeIn,
    ThingIn,
)
from app.documents.model import DocumentState
from app.documents.schemas import ChunkOut, DocumentOut, KnowledgeBaseOut, StatisticsOut
from app.entities.routes import Status as MergeStatus
from app.entities.schemas import EntityOut, MemberOut, MergeIn, MergeOut
from app.episodes.schemas import EpisodeIn, EpisodeOut, ReceiptOut, SessionOut, SignatureIn
from app.facts.schemas import (
    ChangeIn,
    DecisionOut,
    FactOut,
    IntervalOut,
    KeepBothIn,
    PossibleChangeOut,
    PredicateOut,
    ReviewIn,
    SpanIn,
    TimelineEntryOut,
    TimelineOut,
)
from app.facts.sentences import MentionOut
from app.graphql.changes import CHANGES
from app.graphql.connection import NODES
from app.graphql.identity import IdentityOut, PlaceOut
from app.graphql.inputs import camel, snake
from app.graphql.limits import Limits, check
from app.graphql.reads import READS
from app.graphql.records import ROLES
from app.graphql.relations import BESIDE, LINKS, LISTS, MANY, NAMED, WHOLE
from app.graphql.routed import ROLES as ROUTED_ROLES
from app.graphql.routed import ROUTED
from app.graphql.schema import build
from app.jobs.routes import JobState
from app.jobs.schemas import JobOut
from app.kernel.caller import Role
from app.lifecycle.schemas import (
    ErasureIn,
    ErasureOut,
    FeedbackIn,
    FeedbackItemOut,
    FeedbackOut,
    ForgetIn,
    ForgottenOut,
    KeptOut,
    LearningOut,
    PreviewOut,
    PromotionOut,
)
from app.lifecycle.schemas import ReceiptOut as ErasureReceiptOut
from app.notes.routes import StandingName
from app.notes.schemas import (
    BadPatternOut,
    CoreBlockOut,
    NoteIn,
    NoteOut,
    NoteReceiptOut,
    NoteVersionOut,
)
from app.pages.model import PageKind
from app.pages.schemas import (
    GraphNodeOut,
    LinkGraphOut,
    PageChangeIn,
    PageIn,
    PageOut,
    PageReceiptOut,
    PageVersionOut,
    RelatedOut,
    WaitingOut,
)
from app.rag import schemas as rag
from app.rag.schemas import AnswerOut, AnswerSourceOut, AskIn, ContextIn, RetrieveIn, RoundOut
from app.search.mode import Mode
from app.search.model import AT_HAND, Fusion
from app.search.schemas import (
    BlockOut,
    FadeOut,
    FloorOut,
    FoundOut,
    HitOut,
    MarkOut,
    PathOut,
    SearchIn,
    StepOut,
    WeightsIn,
)
from app.skills.graph_schemas import (
    AgentEntryOut,
    EdgeOut,
    GraphStatisticsOut,
    LearningAnswerOut,
    LearningItemOut,
    NodeOut,
    SharedAsOut,
    SharedOut,
    SubgraphOut,
    TeamOut,
)
from app.skills.schemas import (
    ConcernOut,
    ConflictOut,
    DiscoveryOut,
    FindingOut,
    HolderOut,
    LearningCheckIn,
    ProposalIn,
    ProposalOut,
    ProposalStepIn,
    ResearchOut,
    ShareIn,
    SkillHitOut,
    SkillIn,
    SkillOut,
    SkillVersionOut,
    UsageOut,
)
from app.tables.schemas import TableHintOut
from app.tiers.slot_schemas import SlotOut, SlotsOut

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE, GUIDE = DOCS / "reference" / "schema.graphql", DOCS / "guides" / "graphql.md"
SHOWN: dict[str, type[msgspec.Struct]] = {
    "Episode": EpisodeOut, "Fact": FactOut, "Interval": IntervalOut, "Entity": EntityOut,
    "Member": MemberOut, "Page": PageOut, "PageVersion": PageVersionOut, "Skill": SkillOut,
    "SkillVersion": SkillVersionOut, "SkillConflict": ConflictOut, "Document": DocumentOut,
    "KnowledgeBase": KnowledgeBaseOut, "Statistics": StatisticsOut, "Chunk": ChunkOut,
    "Community": CommunityOut, "Central": CentralOut, "Source": SourceOut, "Note": NoteOut,
    "NoteVersion": NoteVersionOut, "SearchResult": FoundOut, "Hit": HitOut, "Mark": MarkOut,
    "Fade": FadeOut, "Path": PathOut, "CaptureReceipt": ReceiptOut, "Remembered": RememberedOut,
    "PageReceipt": PageReceiptOut, "NoteReceipt": NoteReceiptOut, "Feedback": FeedbackOut,
    "Forgotten": ForgottenOut, "Floor": FloorOut, "SearchStep": StepOut, "CoreBlock": BlockOut,
    "Decision": DecisionOut, "Learning": LearningItemOut, "SharedAs": SharedAsOut,
    "LearningAnswer": LearningAnswerOut, "Shared": SharedOut, "SkillProposal": ProposalOut,
    "Finding": FindingOut, "Merge": MergeOut, "LinkGraph": LinkGraphOut, "LinkNode": GraphNodeOut,
    "Job": JobOut, "Erasure": ErasureOut, "ErasurePreview": PreviewOut,
    "ErasureReceipt": ErasureReceiptOut, "Identity": IdentityOut, "Place": PlaceOut, "Key": KeyOut,
    "Answer": AnswerOut, "AnswerSource": AnswerSourceOut, "AnswerRound": RoundOut,
    "Session": SessionOut, "Timeline": TimelineOut, "TimelineEntry": TimelineEntryOut,
    "MentionedIn": MentionOut,
    "PossibleChange": PossibleChangeOut,
    "PendingPage": WaitingOut, "RelatedPage": RelatedOut, "Holder": HolderOut,
    "Concern": ConcernOut, "Outcome": UsageOut, "SkillDiscovery": DiscoveryOut,
    "SkillHit": SkillHitOut, "Research": ResearchOut, "Subgraph": SubgraphOut,
    "GraphStatistics": GraphStatisticsOut,
    "GraphNode": NodeOut, "GraphEdge": EdgeOut, "Promotion": PromotionOut,
    "FeedbackEntry": FeedbackItemOut, "LogEntry": LearningOut, "AuditEvent": AuditOut,
    "Kept": KeptOut, "Agent": AgentEntryOut, "Team": TeamOut, "Predicate": PredicateOut,
    "Block": CoreBlockOut, "BadPattern": BadPatternOut, "Retrieved": rag.RetrievedOut,
    "Seed": rag.SeedOut, "Reached": rag.ReachedOut, "WalkStep": rag.StepOut,
    "Passage": rag.PassageOut, "Context": rag.ContextOut, "LedgerEntry": rag.EntryOut,
    "TableHint": TableHintOut, "Slots": SlotsOut, "Slot": SlotOut,
}  # fmt: skip
# Members that a type leaves out: of one capture there is no error beside the answer's own, and
# what is a thing of its own is linked.
LEFT_OUT = {
    "SearchResult": {"bundle", "relevant_context"},
    "CaptureReceipt": {"error", "detail", "field"},
    "Erasure": {"preview"},
    "Timeline": {"sentences"},  # of its entity
}
# Members that a type has beside its wire type, of neither table: lists that are made for it.
MADE = {"Community": {"parts"}, "Identity": {"scopes"}}
TAKEN: dict[str, type[BaseModel]] = {
    "EpisodeInput": EpisodeIn, "SignatureInput": SignatureIn, "RememberInput": RememberIn,
    "StatementInput": StatementIn, "SubjectInput": SubjectIn, "ThingInput": ThingIn,
    "SupersedeInput": SupersedeIn, "ForgetInput": ForgetIn, "PageInput": PageIn,
    "PageChangeInput": PageChangeIn, "NoteInput": NoteIn, "SkillInput": SkillIn,
    "FeedbackInput": FeedbackIn, "ReviewInput": ReviewIn, "KeepBothInput": KeepBothIn,
    "ChangeInput": ChangeIn,
    "SpanInput": SpanIn, "SearchInput": SearchIn, "WeightsInput": WeightsIn,
    "AskInput": AskIn, "ErasureInput": ErasureIn, "MergeInput": MergeIn,
    "SkillProposalInput": ProposalIn, "ProposalStepInput": ProposalStepIn,
    "LearningCheckInput": LearningCheckIn, "ShareInput": ShareIn,
    "RetrieveInput": RetrieveIn, "ContextInput": ContextIn,
}  # fmt: skip
OTHERWISE: dict[str, tuple[set[str], set[str]]] = {
    "SearchInput": ({"first"}, {"limit", "form", "snippet", "context"}),  # three of a prompt
    "ErasureInput": (set(), {"dry_run"}),
}
# The operations of the routes that the fields of `Query` stand for, where their names differ by
# more than `get` and `list`; none for what no route shows.
OPERATIONS: dict[str, str | None] = {
    "dataTable": "getTable", "dataTables": "listTables",
    "ask": "ragAsk", "askLearnings": "askLearnings", "search": "search", "facts": "listFacts",
    "quarantine": "listQuarantine", "linkGraph": "getLinkGraph", "erasurePreview": "erase",
    "learnings": "askLearnings", "whoAmI": None, "retrieve": "ragRetrieve",
    "context": "ragContext", "researchSkill": "researchSkill", "discoverSkills": "discoverSkills",
    "searchGraph": "searchGraph", "graphNeighbours": "graphNeighbours",
    "graphStatistics": "graphStatistics",
    "pendingPages": "listPendingLinks", "feedback": "listFeedback", "auditEvents": "auditHistory",
}  # fmt: skip


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return build()


def objects(schema: GraphQLSchema) -> dict[str, GraphQLObjectType]:
    return {
        name: kind
        for name, kind in schema.type_map.items()
        if isinstance(kind, GraphQLObjectType) and not name.startswith("__")
    }


def test_the_schema_is_one(schema: GraphQLSchema) -> None:
    assert validate_schema(schema) == []


def test_the_reference_is_what_the_code_says(schema: GraphQLSchema) -> None:
    printed = f"{print_schema(schema)}\n"
    assert REFERENCE.read_text(encoding="utf-8") == printed, "run `python docs/generate.py`"


def test_the_queries_of_the_guide_can_be_asked(schema: GraphQLSchema) -> None:
    texts = re.findall(r"^```graphql\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(texts) >= 4
    for text in texts:
        document = parse(text)
        check(schema, document, {}, Limits())
        assert validate(schema, document) == [], text


@pytest.mark.parametrize("name", SHOWN)
def test_a_type_shows_what_its_route_shows(schema: GraphQLSchema, name: str) -> None:
    fields = objects(schema)[name].fields
    own = {NAMED.get(f"{name}.{field}", snake(field)) for field in fields}
    members = set(SHOWN[name].__struct_fields__) - LEFT_OUT.get(name, set())
    assert members - own == set()
    linked = {snake(place.partition(".")[2]) for table in (LINKS, LISTS, MANY, WHOLE, BESIDE)
              for place in table if place.startswith(f"{name}.")}  # fmt: skip
    assert own - members - linked - MADE.get(name, set()) == set()


@pytest.mark.parametrize("name", TAKEN)
def test_an_input_takes_what_its_route_takes(schema: GraphQLSchema, name: str) -> None:
    kind = schema.type_map[name]
    assert isinstance(kind, GraphQLInputObjectType)
    here, there = OTHERWISE.get(name, (set(), set()))
    model = TAKEN[name].model_fields
    assert {snake(f) for f in kind.fields} - here == set(model) - there
    for field, given in kind.fields.items():
        assert given.out_name == snake(field)
        if is_non_null_type(given.type):
            assert model[snake(field)].is_required(), field


def test_what_a_route_must_have_is_not_optional(schema: GraphQLSchema) -> None:
    loose = []
    for name, model in TAKEN.items():
        kind = schema.type_map[name]
        assert isinstance(kind, GraphQLInputObjectType)
        loose += [
            f"{name}.{field}"
            for field, info in model.model_fields.items()
            if info.is_required() and not is_non_null_type(kind.fields[camel(field)].type)
        ]
    assert loose == []


def test_every_field_of_a_table_is_in_the_schema(schema: GraphQLSchema) -> None:
    kinds = objects(schema)
    places = [*LISTS, *LINKS, *MANY, *WHOLE, *BESIDE, *NAMED]
    for kind, _, field in (place.partition(".") for place in places):
        assert field in kinds[kind].fields, f"{kind}.{field}"
    assert set(kinds["Query"].fields) == set(READS)
    assert set(kinds["Mutation"].fields) == set(CHANGES)


def test_every_list_that_can_be_long_is_a_connection(schema: GraphQLSchema) -> None:
    """A list of things that have lists themselves takes `first`, or is short by its nature."""
    short = {"Fact.contradicts", "Fact.supersededBy", "Quarantined.against",
             "PossibleChange.older", "Remembered.facts",
             "SkillConflict.skills", "Note.sources", "SkillProposal.parts",
             "LearningAnswer.items", "Agent.skills", "Evolution.versions"}  # fmt: skip
    plain = set()
    for name, kind in objects(schema).items():
        for field, given in kind.fields.items():
            inner = get_named_type(given.type)
            long = isinstance(inner, GraphQLObjectType) and inner.name in NODES
            if long and str(given.type).startswith("[") and not name.endswith("Connection"):
                plain.add(f"{name}.{field}")
    assert plain == short
    for place in LISTS:
        kind, _, field = place.partition(".")
        assert {"first", "after"} <= set(objects(schema)[kind].fields[field].args), place


def roles_of(app: Litestar) -> dict[str, Role]:
    return {
        handler.operation_id: handler.opt["requires"]
        for route in app.routes
        for handler in getattr(route, "route_handlers", ())
        if getattr(handler, "operation_id", None)
    }


def test_a_change_needs_the_role_of_the_route_of_its_name(app: Litestar) -> None:
    roles = roles_of(app)
    assert {name: roles[name] for name in CHANGES} == {
        name: change.role for name, change in CHANGES.items()
    }


def test_a_field_that_reads_needs_the_role_of_its_route(app: Litestar) -> None:
    roles = roles_of(app)
    for name in READS:
        plain = f"{'list' if name.endswith('s') else 'get'}{name[0].upper()}{name[1:]}"
        operation = OPERATIONS.get(name, plain)
        if name in ROUTED:
            operation = ROUTED[name].handler.operation_id
        wanted = roles[operation] if operation else Role.READER
        asked = ROLES.get(name) or ROUTED_ROLES.get(name, Role.READER)
        assert asked is wanted, name


WORDS: dict[str, type[StrEnum]] = {
    "SearchMode": Mode,
    "Fusion": Fusion,
    "DocumentStatus": DocumentState,
    "PageKind": PageKind,
}


def test_words_that_are_written_are_the_words_of_the_routes(schema: GraphQLSchema) -> None:
    """Enumerations hold what the bodies take, so that no word is refused by one door alone."""
    known = [set(words) for model in TAKEN.values() for words in _words(model.model_json_schema())]
    known += [set(get_args(words)) for words in (StandingName, JobState, MergeStatus)]
    for name, kind in schema.type_map.items():
        if not isinstance(kind, GraphQLEnumType) or name.startswith("__"):
            continue
        words = set(kind.values)
        if name == "Speaker":
            words |= {"system"}  # which a capture refuses
        if name == "MemoryKind":
            words |= {*AT_HAND}  # which no index holds: GraphQL asks for what the graph recalls
        assert words in known or words == set(WORDS[name]), name


def _words(held: Any) -> list[list[str]]:
    if isinstance(held, dict):
        own = [held["enum"]] if isinstance(held.get("enum"), list) else []
        return own + [words for value in held.values() for words in _words(value)]
    if isinstance(held, list):
        return [words for value in held for words in _words(value)]
    return []


def test_the_files_of_the_schema_are_in_the_package() -> None:
    folder = files("app.graphql")
    for name in ("schema.graphql", "explorer.js", "explorer.css"):
        assert folder.joinpath(name).is_file()
