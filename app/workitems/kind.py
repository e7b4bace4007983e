"""What the engines need to know of work items and their links."""

from __future__ import annotations

from app.indexing.declared import indexed
from app.kernel.kind import Kind, Readable
from app.kernel.vocab import Label
from app.workitems.model import TEXTS, WorkItem, WorkLink

WORK_ITEM = Kind(
    "work_item",
    WorkItem,
    Label.WORK_ITEM,
    sanitised=TEXTS,
    changed="changed_at",
    entry=indexed,
    readable=Readable(),
)
WORK_LINK = Kind(
    "work_link",
    WorkLink,
    Label.WORK_LINK,
    identity=("item", "memory"),
    part_of=WORK_ITEM,
    whole="item",
    changed="linked_at",
    readable=Readable(),
)
