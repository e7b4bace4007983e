"""Fields of `Query` that are routes which read: asked with the same arguments, answered alike.

Each names its route's handler, which is called with the services that the route is given, so that a
field does, refuses and shows what the route does; types follow from the structs of the answers.
A cursor is the member of an item that the route goes on after. What clients wrote stands under
`untrusted` as JSON.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from functools import cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from litestar.di import Dependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import BodyKwarg, PathParameter, QueryParameter
from pydantic import AwareDatetime

from app.consolidation.routes import status as consolidation_status
from app.contexts.entry_routes import ContextEntryController
from app.contexts.routes import ContextController, OwnMemoryController
from app.contexts.schemas import ContextOut
from app.contexts.schemas import RecalledOut as OwnRecalledOut
from app.conversations.routes import ConversationController, MidTermController
from app.documents.routes import DocumentController
from app.errors import InvalidInput
from app.graphql.connection import FORM, joined
from app.graphql.doors import Context, Read
from app.graphql.inputs import camel, snake
from app.graphql.loading import Asked
from app.graphql.seen import Seen
from app.interventions.routes import InterventionController
from app.kernel.caller import Role
from app.kernel.wire import WireModel, model_of
from app.learning.routes import IntentController, LearnedLogController, SegmentController
from app.lifecycle.routes import duplicates as report_duplicates
from app.lifecycle.routes import rot as report_rot
from app.notes.attested_routes import (
    BlockEditController,
    BlockEditOut,
    ProtectionController,
    ProtectionOut,
)
from app.notes.drift_routes import DriftController, DriftOut
from app.notes.rating_routes import RatingController, RatingOut
from app.observations.routes import ObservationController
from app.pages.routes import PageController
from app.pools.routes import PoolController
from app.pools.schemas import AccessOut, DataOut, StatisticsOut
from app.search.routes import read_memories, read_memory
from app.shortterm.routes import ShortTermController
from app.skills.doors import LearningController, team_coverage
from app.skills.routes import SkillController
from app.skills.schemas import SkillVersionOut
from app.snapshots.routes import DayController, SnapshotController
from app.tables.routes import TableController
from app.tables.schemas import SuggestedOut, SuggestionsOut
from app.tiers.routes import TierController
from app.tiers.schemas import InjectedOut
from app.traces.routes import TraceController
from app.traces.schemas import TraceOut
from app.turns.routes import recall
from app.working.routes import WorkingController, WorkingShareController

SCALARS: dict[Any, str] = {
    str: "String", int: "Int", float: "Float", bool: "Boolean", datetime: "Time", date: "String",
    AwareDatetime: "Time",
}  # fmt: skip
DIGITS = 15  # of a number that is a cursor
# Names of parameters that lists of the schema have in common.
ALIKE = {"cursor": "after", "limit": "first"}
# Types whose names mean something else in the schema.
RENAMED: dict[Any, str] = {
    OwnRecalledOut: "OwnRecalled", ContextOut: "PersistentContext",
    StatisticsOut: "PoolStatistics", TraceOut: "EndedTrace",
    DataOut: "PoolData", AccessOut: "PoolAccess", SuggestionsOut: "TableSuggestions",
    SuggestedOut: "TableSuggestion", InjectedOut: "TierContext", RatingOut: "NoteRating",
    ProtectionOut: "CoreBlockProtection", DriftOut: "CoreBlockDrift", BlockEditOut: "CoreBlockEdit",
}  # fmt: skip
# Structs whose types are written in the schema.
WRITTEN: dict[Any, str] = {SkillVersionOut: "SkillVersion"}


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument: its name in the schema, the parameter of the handler and its name over HTTP, its
    type, and what the route demands of it."""

    name: str
    parameter: str
    called: str
    kind: Any
    needed: bool
    mark: Any

    def typed(self) -> str:
        """Return its type in the schema."""
        if self.model is not None:
            return f"{_input_name(self.model)}!"
        plain, _ = _plain(self.kind)
        if get_origin(plain) is list:
            return f"[String!]{'!' if self.needed else ''}"
        named = "String" if self.name == "after" else SCALARS.get(plain, "String")
        return f"{named}!" if self.needed else named

    @property
    def in_path(self) -> bool:
        """Whether it stands in the path of the route."""
        return isinstance(self.mark, PathParameter)

    @property
    def model(self) -> type[WireModel] | None:
        """The model of a body; None for any other argument."""
        plain, _ = _plain(self.kind)
        return plain if inspect.isclass(plain) and issubclass(plain, WireModel) else None

    def read(self, given: Any) -> Any:
        """Return the value for the handler; InvalidInput names the argument."""
        if self.model is not None:
            return model_of(self.model, given)
        if self.in_path and given == "":  # which no address has
            raise InvalidInput(f"{self.called} is empty", field=self.called)
        plain, _ = _plain(self.kind)
        words = _words(plain)
        if words is not None and given not in words:
            raise InvalidInput(f"{self.called} is one of {', '.join(words)}", field=self.called)
        if inspect.isclass(plain) and issubclass(plain, Enum):
            return plain(given)
        if plain is date:
            return _day(given, self.called)
        if plain is int and isinstance(given, str):
            return _number(given)
        self._check(given)
        return given

    def _check(self, given: Any) -> None:
        least, most = getattr(self.mark, "ge", None), getattr(self.mark, "le", None)
        if (least is not None and given < least) or (most is not None and given > most):
            raise InvalidInput(f"{self.called} is {least} to {most}", field=self.called)
        shortest = getattr(self.mark, "min_length", None) or 0
        longest = getattr(self.mark, "max_length", None)
        if isinstance(given, str) and not shortest <= len(given) <= (longest or len(given)):
            says = f"{self.called} has {shortest} to {longest} characters"
            raise InvalidInput(says, field=self.called)


@dataclass(frozen=True)
class Routed:
    """A route that reads; `by` is the member of an item that its list goes on after."""

    handler: HTTPRouteHandler
    by: str | None = None

    @property
    def role(self) -> Role:
        """The role that the route asks for."""
        role: Role = self.handler.opt["requires"]
        return role

    @cached_property
    def signature(self) -> inspect.Signature:
        """The signature of the handler's function."""
        return inspect.signature(self.handler.fn, eval_str=True)

    @cached_property
    def handed(self) -> tuple[str, ...]:
        """The names of the services that the handler is given."""
        return tuple(
            name
            for name, parameter in self.signature.parameters.items()
            if _marked(parameter.annotation, Dependency) is not None and name != "caller"
        )

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """What is asked with, as the schema has it."""
        return tuple(_arguments(self.signature))

    @cached_property
    def node(self) -> Any:
        """The struct of an item of a list, or of the whole answer."""
        answer = self.signature.return_annotation
        return get_args(get_type_hints(answer)["items"])[0] if self.by else answer

    def field(self, name: str) -> str:
        """Return the field of `Query` as schema text."""
        given = ", ".join(f"{one.name}: {_default(one)}" for one in self.arguments)
        told = " ".join(str(inspect.getdoc(self.handler.fn)).split())
        answer = type_name(self.node) + ("Connection" if self.by else "")
        return f'  """{told}"""\n  {name}{f"({given})" if given else ""}: {answer}'

    async def read(self, context: Context, asked: Asked) -> Any:
        """Answer as the route does; raises what the route raises."""
        values: dict[str, Any] = {name: context.handed(name) for name in self.handed}
        for argument in self.arguments:
            given = asked.args.get(snake(argument.name))
            if argument.parameter == "limit":
                given = asked.first
            if given is not None:
                values[argument.parameter] = argument.read(given)
        controller = (None,) if "self" in self.signature.parameters else ()
        found = await self.handler.fn(*controller, caller=context.caller, **values)
        if self.by is None:
            return Seen(found, asked.moments)
        pairs = [(str(getattr(item, self.by)), item) for item in found.items]
        return joined(pairs, asked, more=found.next is not None)


ROUTED: dict[str, Routed] = {
    "workingTasks": Routed(WorkingController.tasks),
    "workingTask": Routed(WorkingController.keys),
    "workingValue": Routed(WorkingController.get_value),
    "workingPart": Routed(WorkingController.get_part),
    "workingCopy": Routed(WorkingController.copied),
    "workingShare": Routed(WorkingShareController.retrieve),
    "shortMemory": Routed(ShortTermController.read),
    "shortMemories": Routed(ShortTermController.list_entries, "id"),
    "tierValue": Routed(TierController.read),
    "tierStatistics": Routed(TierController.stats),
    "searchTiers": Routed(TierController.search),
    "tierContext": Routed(TierController.inject),
    "conversation": Routed(ConversationController.figures),
    "conversationBuffer": Routed(ConversationController.buffer),
    "conversationWindow": Routed(ConversationController.window),
    "midTermMemory": Routed(MidTermController.list_messages, "id"),
    "pool": Routed(PoolController.read),
    "pools": Routed(PoolController.list_pools, "id"),
    "poolData": Routed(PoolController.read_data),
    "poolVersions": Routed(PoolController.versions),
    "poolEvents": Routed(PoolController.events),
    "poolAccess": Routed(PoolController.access),
    "poolStatistics": Routed(PoolController.statistics),
    "persistentContext": Routed(ContextController.read),
    "persistentContexts": Routed(ContextController.list_contexts, "id"),
    "contextEntry": Routed(ContextEntryController.read),
    "contextEntries": Routed(ContextEntryController.list_entries, "id"),
    "contextEntryVersions": Routed(ContextEntryController.versions),
    "contextSnapshots": Routed(ContextController.list_snapshots),
    "contextAccesses": Routed(ContextController.accesses),
    "contextIntegrity": Routed(ContextEntryController.integrity),
    "searchContext": Routed(ContextController.search),
    "recallOwn": Routed(OwnMemoryController.recall),
    "queryTable": Routed(TableController.query),
    "tableRowVersions": Routed(TableController.versions),
    "tableSuggestions": Routed(TableController.suggestions),
    "observations": Routed(ObservationController.list_observations, "id"),
    "interventionPolicy": Routed(InterventionController.read),
    "interventionPolicies": Routed(InterventionController.list_policies, "id"),
    "snapshot": Routed(SnapshotController.read),
    "dayPages": Routed(DayController.list),
    "similarTraces": Routed(TraceController.similar),
    "toolStatistics": Routed(TraceController.statistics),
    "segment": Routed(SegmentController.read),
    "segments": Routed(SegmentController.list_segments, "id"),
    "intents": Routed(IntentController.list_intents, "id"),
    "learned": Routed(LearnedLogController.read, "id"),
    "learnedChanges": Routed(LearnedLogController.changes, "version"),
    "coreBlockProtection": Routed(ProtectionController.read),
    "coreBlockEdits": Routed(ProtectionController.edits, "id"),
    "coreBlockEdit": Routed(BlockEditController.read),
    "coreBlockDrift": Routed(DriftController.read),
    "noteRating": Routed(RatingController.read),
    "memory": Routed(read_memory),
    "memories": Routed(read_memories),
    "recallForMessage": Routed(recall),
    "pageDiff": Routed(PageController.diff),
    "documentText": Routed(DocumentController.text),
    "learningScore": Routed(LearningController.score),
    "teamCoverage": Routed(team_coverage),
    "skillContext": Routed(SkillController.context),
    "skillEvolution": Routed(SkillController.evolution),
    "skillHealth": Routed(SkillController.health),
    "skillManifest": Routed(SkillController.manifest),
    "skillTraversal": Routed(SkillController.traverse),
    "consolidation": Routed(consolidation_status),
    "rot": Routed(report_rot),
    "duplicates": Routed(report_duplicates),
}
READS: dict[str, Read] = {name: routed.read for name, routed in ROUTED.items()}


def definitions() -> str:
    """Return the types of these fields, and the fields, as schema text."""
    structs: dict[str, Any] = {}
    models: dict[str, type[WireModel]] = {}
    for routed in ROUTED.values():
        _collect(routed.node, structs)
        bodies = [one.model for one in routed.arguments if one.model is not None]
        models |= {_input_name(model): model for model in bodies}
    nodes = dict.fromkeys(type_name(one.node) for one in ROUTED.values() if one.by)
    texts = [
        *(_type(struct) for struct in structs.values()),
        *(_input(model) for model in models.values()),
        *(FORM.format(node=node) for node in nodes),
    ]
    fields = "\n".join(routed.field(name) for name, routed in ROUTED.items())
    return "\n".join([*texts, f"extend type Query {{\n{fields}\n}}\n"])


def type_name(struct: Any) -> str:
    """Return the name of the type of a struct."""
    name: str = WRITTEN.get(struct) or struct.__name__
    return RENAMED.get(struct, name.removesuffix("Out"))


def _arguments(signature: inspect.Signature) -> Iterator[Argument]:
    for name, parameter in signature.parameters.items():
        annotation = parameter.annotation
        if name == "self" or _marked(annotation, Dependency) is not None:
            continue
        if _marked(annotation, BodyKwarg) is not None:
            yield Argument("input", name, "input", annotation, True, None)
            continue
        mark = _marked(annotation, QueryParameter) or _marked(annotation, PathParameter)
        called = getattr(mark, "name", None) or name
        plain, _ = _plain(annotation)
        shown = "scopes" if called == "scope" and get_origin(plain) is list else camel(called)
        needed = parameter.default is inspect.Parameter.empty
        yield Argument(ALIKE.get(called, shown), name, called, annotation, needed, mark)


def _default(argument: Argument) -> str:
    return "Int = 20" if argument.name == "first" else argument.typed()


def _marked(annotation: Any, kind: type[Any]) -> Any:
    if get_origin(annotation) is not Annotated:
        return None
    return next((one for one in annotation.__metadata__ if isinstance(one, kind)), None)


def _plain(annotation: Any) -> tuple[Any, bool]:
    """Return a type without its marks and without null, and whether null is one of it."""
    if get_origin(annotation) is Annotated:
        return _plain(annotation.__origin__)
    if get_origin(annotation) in (Union, UnionType):
        parts = [part for part in get_args(annotation) if part not in (NoneType, msgspec.UnsetType)]
        inner = _plain(parts[0])[0] if len(parts) == 1 else Any
        return inner, len(parts) < len(get_args(annotation))
    return annotation, False


def _words(plain: Any) -> list[str] | None:
    """Return the words that a type takes; None where it takes any."""
    if get_origin(plain) is Literal:
        return [str(word) for word in get_args(plain)]
    if inspect.isclass(plain) and issubclass(plain, Enum):
        return [str(word.value) for word in plain]
    return None


def _day(given: str, called: str) -> date:
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise InvalidInput(f"{called} is a day, such as 2026-03-02", field=called) from None


def _number(cursor: str) -> int:
    if not cursor.isdecimal() or len(cursor) > DIGITS:
        raise InvalidInput("the cursor was not made by this API", field="cursor")
    return int(cursor)


def _collect(struct: Any, found: dict[str, Any]) -> None:
    """Add a struct and all that it holds, each once."""
    name = type_name(struct)
    if struct in WRITTEN or found.get(name) is struct:
        return
    if name in found:
        raise ValueError(f"{struct} and {found[name]} would both be {name}: rename one")
    found[name] = struct
    for annotation in get_type_hints(struct, include_extras=True).values():
        plain, _ = _plain(annotation)
        inner = _plain(get_args(plain)[0])[0] if get_origin(plain) in (list, tuple) else plain
        if _is_struct(inner):
            _collect(inner, found)


def _is_struct(kind: Any) -> bool:
    return inspect.isclass(kind) and issubclass(kind, msgspec.Struct)


def _type(struct: Any) -> str:
    told = " ".join(str(inspect.getdoc(struct)).split())
    hints = get_type_hints(struct, include_extras=True)
    lines = [f"  {camel(name)}: {_shown(name, hints[name])}" for name in struct.__struct_fields__]
    body = "\n".join(lines)
    return f'"""{told}"""\ntype {type_name(struct)} {{\n{body}\n}}\n'


def _shown(name: str, annotation: Any) -> str:
    plain, empty = _plain(annotation)
    return _named(name, plain) + ("" if empty else "!")


def _named(name: str, plain: Any) -> str:
    if name == "id" and plain is str:
        return "ID"
    if get_origin(plain) in (list, tuple):
        inner, empty = _plain(get_args(plain)[0])
        return f"[{_named('', inner)}{'' if empty else '!'}]"
    if _is_struct(plain):
        return type_name(plain)
    if _words(plain) is not None:
        return "String"
    return SCALARS.get(plain, "JSON")


def _input_name(model: type[WireModel]) -> str:
    return f"{model.__name__.removesuffix('In')}Input"


def _input(model: type[WireModel]) -> str:
    """Return the type of a body; what is an object or a list of objects is JSON there."""
    lines = []
    for name, field in model.model_fields.items():
        plain, _ = _plain(field.annotation)
        inner = _named(name, plain) if not _is_model(plain) else "JSON"
        if get_origin(plain) in (list, tuple):
            inner = "[String!]" if "String" in inner else "JSON"
        lines.append(f"  {camel(name)}: {inner}{'!' if field.is_required() else ''}")
    told = " ".join(str(inspect.getdoc(model)).split())
    body = "\n".join(lines)
    return f'"""{told}"""\ninput {_input_name(model)} {{\n{body}\n}}\n'


def _is_model(kind: Any) -> bool:
    return inspect.isclass(kind) and issubclass(kind, WireModel)


ROLES: Mapping[str, Role] = {
    name: routed.role for name, routed in ROUTED.items() if routed.role is not Role.READER
}
