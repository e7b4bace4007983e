"""Each test that `docs/operations/complaints.md` names is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`([a-z_/]+)(?:::(\w+))?`")


def test_every_complaint_has_a_test_that_exists() -> None:
    page = (ROOT / "docs/operations/complaints.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and "---" not in line]
    complaints = [row.split(" | ") for row in rows if not row.startswith("| Complaint ")]
    assert len(complaints) > 25
    for complaint, shown in complaints:
        named = NAMED.findall(shown)
        assert named, complaint
        for file, function in named:
            tests = ast.parse((ROOT / "tests" / f"{file}.py").read_text("utf-8"))
            functions = {getattr(node, "name", "") for node in ast.walk(tests)}
            assert not function or function in functions, f"{file}::{function}"
