"""`loci scope here` names a folder by its project, without any service."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli.places import context_of, root_of
from app.cli.scopes import commands
from app.errors import InvalidInput

RUN = CliRunner()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a folder in it."""
    root = tmp_path.resolve() / "project"
    (root / ".git").mkdir(parents=True)
    (root / "src" / "deep").mkdir(parents=True)
    return root


def named(folder: Path) -> str:
    """What a folder is called by the requirement."""
    return hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]


def printed(*arguments: str) -> str:
    """What the command prints."""
    done = RUN.invoke(commands, ["here", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output.strip()


def test_a_folder_is_called_by_the_root_of_its_project(project: Path) -> None:
    assert printed(str(project)) == named(project)
    assert printed(str(project / "src" / "deep")) == named(project)
    assert len(context_of(project)) == 16


def test_a_link_and_a_work_tree_lead_to_the_real_path(project: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(project / "src")
    assert printed(str(link)) == named(project)
    tree = tmp_path.resolve() / "tree"
    tree.mkdir()
    (tree / ".git").write_text("gitdir: elsewhere")
    assert root_of(tree) == tree


def test_a_folder_without_a_project_is_its_own_root(tmp_path: Path) -> None:
    alone = tmp_path.resolve() / "größer"
    alone.mkdir()
    if root_of(alone) == alone:  # unless the tests run inside of a project
        assert printed(str(alone)) == named(alone)


def test_the_present_folder_is_meant_by_default(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "src")
    assert printed() == named(project)
    told = json.loads(printed("--json", "--below", "demo"))
    assert told == {
        "context": named(project), "scope": f"demo/{named(project)}", "root": str(project),
    }  # fmt: skip


def test_a_context_may_be_named(project: Path) -> None:
    assert printed(str(project), "--context", "billing") == "billing"
    assert printed("--context", "billing", "--below", "demo") == "demo/billing"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (["/no/such/folder"], "folder"),
        (["--context", "Not A Name"], "context"),
        (["--context", "billing", "--below", "demo/ops"], "below"),
    ],
)
def test_bad_input_is_named(arguments: list[str], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        RUN.invoke(commands, ["here", *arguments], catch_exceptions=False)
    assert refused.value.field == field
