"""What the engines need to know of the learning loop."""

from __future__ import annotations

from app.indexing.declared import indexed
from app.kernel.kind import Kind
from app.kernel.vocab import Label
from app.learning.model import Intent, LearnedChange, LearnedEntry, Segment, SegmentUse

SEGMENT = Kind(
    "task_segment",
    Segment,
    Label.TASK_SEGMENT,
    sanitised=("task",),
    changed="changed_at",
    entry=indexed,
)
SEGMENT_USE = Kind(
    "segment_use",
    SegmentUse,
    Label.SEGMENT_USE,
    identity=("segment", "memory"),
    part_of=SEGMENT,
    whole="segment",
    changed="used_at",
)
INTENT = Kind("intent", Intent, Label.INTENT, sanitised=("name",), changed="changed_at")
LEARNED_ENTRY = Kind(
    "learned_entry",
    LearnedEntry,
    Label.LEARNED_ENTRY,
    changed="recorded_at",
    plural="learned_entries",
)
LEARNED_CHANGE = Kind(
    "learned_change",
    LearnedChange,
    Label.LEARNED_CHANGE,
    identity=("version",),
    exported=False,
)
