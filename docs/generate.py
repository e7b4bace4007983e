"""Write the generated parts of the reference: `python docs/generate.py`."""

from __future__ import annotations

from pathlib import Path

from graphql import print_schema
from litestar import Litestar

from app.asgi import create_app
from app.cli import declared_operations, operation_list, reference
from app.cli.kind_reference import kind_tables
from app.cli.main import cli
from app.graphql.schema import build
from app.settings import read_settings

FOLDER = Path(__file__).parent / "reference"
OPERATIONS = Path(operation_list.__file__).parent / operation_list.FILE


def tables(app: Litestar) -> dict[str, str]:
    """The generated part of each page, by file name."""
    return {
        "settings.md": reference.settings_tables(),
        "http.md": reference.route_tables(app),
        "cli.md": reference.command_tables(cli),
        "../data-model.md": kind_tables(),
    }


def main() -> None:
    """Rewrite every page whose tables have changed, the printed GraphQL schema, and the list of
    operations that commands are made from."""
    app = create_app(read_settings({}))
    OPERATIONS.write_text(
        declared_operations.written(app.openapi_schema.to_schema()), encoding="utf-8"
    )
    for name, made in tables(app).items():
        page = FOLDER / name
        page.write_text(reference.spliced(page.read_text(encoding="utf-8"), made), encoding="utf-8")
    (FOLDER / "schema.graphql").write_text(f"{print_schema(build())}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
