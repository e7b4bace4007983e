"""Query parameters that several routes share; `scope` is a name that the framework keeps."""

from __future__ import annotations

from typing import Annotated

from litestar.params import QueryParameter

Within = Annotated[
    list[str] | None,
    QueryParameter(name="scope", description="Scopes to read; all visible if unset."),
]
OneScope = Annotated[str, QueryParameter(name="scope", description="Scope path.")]
