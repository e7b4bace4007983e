"""What goes into a context, piece by piece: pure. Every piece says what it rests on."""

from __future__ import annotations

from app.rag.model import Passage, Reached, Retrieved, Step, Unit
from app.search.bundle import element
from app.tables.hints import Hint
from app.traces.similar import Similar

TASK, RESULT, TOOLS = 300, 1000, 20  # characters, and tools, of a trace in a context


def units_of(found: Retrieved) -> list[Unit]:
    """Summaries of the communities, tables that hold data of the seeds, and the paths to the
    passages, each the best first."""
    wanted = found.communities if found.ask.include_summaries else []
    summaries = [_summary(reached) for reached in wanted if reached.view.lines]
    tables = [_tables(hint) for hint in found.hints]
    return [*summaries, *tables, *(_path(passage) for passage in found.passages)]


def traces_of(found: list[Similar]) -> list[Unit]:
    """How similar tasks were solved, the most alike first: the task, its result and its tools."""
    return [_trace(each) for each in found]


def _trace(found: Similar) -> Unit:
    trace = found.trace
    attributes = {
        "id": trace.id,
        "task": trace.task[:TASK],
        "outcome": trace.outcome.value if trace.outcome else "",
        "tools": " ".join(trace.tools[:TOOLS]),
    }
    text = element("trace", attributes, (trace.result or "")[:RESULT])
    return Unit(trace.id, "trace", text, found.similarity, (trace.id,))


def shown_path(steps: tuple[Step, ...]) -> str:
    """A path in words: names, with the predicate of the fact that leads on where one does."""
    shown = ""
    for place, step in enumerate(steps):
        if place:
            shown += f" -[{step.predicate}]- " if step.predicate else " - "
        shown += step.name
    return shown


def _summary(reached: Reached) -> Unit:
    view = reached.view
    sources = tuple(dict.fromkeys(line.source for line in view.lines))
    attributes = {
        "id": view.id,
        "title": view.title,
        "entities": str(view.size),
        "sources": " ".join(sources),
    }
    text = element("community", attributes, view.summary)
    return Unit(view.id, "summary", text, reached.score, sources)


def _tables(hint: Hint) -> Unit:
    ids = tuple(sample.table for sample in hint.samples)
    attributes = {"entity": hint.entity, "scope": hint.scope, "tables": " ".join(ids)}
    return Unit(hint.entity, "tables", element("tables", attributes, hint.text), 1.0, ids)


def _path(passage: Passage) -> Unit:
    facts = [step.fact for step in passage.path if step.fact]
    attributes = {
        "id": passage.id,
        "kind": passage.kind,
        "title": passage.title or "",
        "path": shown_path(passage.path),
        "facts": " ".join(facts),
        "flagged": " ".join(passage.flags),
        "past": "; ".join(passage.past),
    }
    said = passage.text
    if passage.kind == "fact":
        said = " ".join([said, *(change.aside for change in passage.changes)])
    else:
        attributes["possibly-changed"] = "; ".join(one.sentence for one in passage.changes)
    text = element("passage", attributes, said)
    return Unit(passage.id, "path", text, passage.score, (passage.id, *facts))
