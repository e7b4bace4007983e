"""Write the generated parts of the reference: `python docs/generate.py`."""

from __future__ import annotations

from pathlib import Path

from graphql import print_schema
from litestar import Litestar

from app.asgi import create_app
from app.cli import reference
from app.cli.kind_reference import kind_tables
from app.cli.main import cli
from app.graphql.schema import build
from app.settings import read_settings

FOLDER = Path(__file__).parent / "reference"


def tables(app: Litestar) -> dict[str, str]:
    """The generated part of each page, by file name."""
    return {
        "settings.md": reference.settings_tables(),
        "http.md": reference.route_tables(app),
        "cli.md": reference.command_tables(cli),
        "../data-model.md": kind_tables(),
    }


def main() -> None:
    """Rewrite every page whose tables have changed, and the printed GraphQL schema."""
    for name, made in tables(create_app(read_settings({}))).items():
        page = FOLDER / name
        page.write_text(reference.spliced(page.read_text(encoding="utf-8"), made), encoding="utf-8")
    (FOLDER / "schema.graphql").write_text(f"{print_schema(build())}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
