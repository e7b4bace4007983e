"""What the engines need to know of tables and their rows."""

from __future__ import annotations

from app.kernel.kind import Kind, Readable
from app.kernel.vocab import Label
from app.tables.model import Row, Table

DATA_TABLE = Kind(
    "data_table",
    Table,
    Label.DATA_TABLE,
    identity=("name",),
    sanitised=("name", "description", "columns"),
    changed="created_at",
    readable=Readable(frozenset(["keys", "described_by", "writers"])),
)
DATA_ROW = Kind(
    "data_row",
    Row,
    Label.DATA_ROW,
    identity=("name", "row_id", "recorded_at"),
    sanitised=("cells",),
    part_of=DATA_TABLE,
    changed="recorded_at",
)
