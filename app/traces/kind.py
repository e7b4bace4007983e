"""What the engines need to know of traces and their parts."""

from __future__ import annotations

from app.indexing.declared import indexed
from app.kernel.kind import Kind, Readable
from app.kernel.vocab import Label
from app.traces.model import STEP_TEXTS, ToolCall, Trace, TraceLink, TraceStep

TRACE = Kind(
    "trace",
    Trace,
    Label.REASONING_TRACE,
    sanitised=("task", "result", "tools"),
    changed="changed_at",
    entry=indexed,
    readable=Readable(frozenset(["session_key"])),
)
TRACE_STEP = Kind(
    "trace_step",
    TraceStep,
    Label.REASONING_STEP,
    identity=("trace", "key"),
    sanitised=STEP_TEXTS,
    part_of=TRACE,
    whole="trace",
    changed="at",
    readable=Readable(),
)
TOOL_CALL = Kind(
    "tool_call",
    ToolCall,
    Label.TOOL_CALL,
    identity=("trace", "key"),
    sanitised=("tool", "arguments", "result", "error"),
    secretive=("arguments", "result"),
    part_of=TRACE,
    whole="trace",
    changed="at",
    readable=Readable(),
)
TRACE_LINK = Kind(
    "trace_link",
    TraceLink,
    Label.TRACE_LINK,
    identity=("trace", "memory"),
    part_of=TRACE,
    whole="trace",
    changed="linked_at",
    readable=Readable(),
)
