"""GraphiQL in a browser, served from here: nothing is loaded from anywhere else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path

from app.errors import NotFound

# A package with GraphiQL as built for browsers; only these files in it are used.
PACKAGE = "graphene-django-graphiql-static"
FOLDER = "graphene_django_graphiql_static/static/graphene_django_graphiql_static"
SCRIPTS = ("react.production.min.js", "react-dom.production.min.js", "graphiql.min.js")
STYLES = ("graphiql.min.css",)
OWN = ("explorer.js", "explorer.css")
MEDIA = {".js": "text/javascript", ".css": "text/css"}
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        "connect-src 'self'; img-src 'self' data:; font-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "max-age=3600",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file for a browser."""

    content: bytes
    media: str


def _page() -> bytes:
    styles = "".join(f'<link rel="stylesheet" href="/graphql/{n}">' for n in (*STYLES, OWN[1]))
    scripts = "".join(f'<script src="/graphql/{n}" defer></script>' for n in (*SCRIPTS, OWN[0]))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Loci GraphQL</title>'
        f'<link rel="icon" href="data:,">{styles}{scripts}</head><body>'
        '<form id="who"><label>API key <input id="key" type="password" autocomplete="off" '
        'placeholder="loci_…"></label><button>Use</button></form>'
        '<main id="graphiql">Give a key to begin.</main></body></html>'
    ).encode()


PAGE = _page()


@cache
def asset(name: str) -> Asset:
    """One of the page's files; NotFound for any other."""
    media = MEDIA.get(Path(name).suffix)
    if name in OWN and media:
        return Asset(files("app.graphql").joinpath(name).read_bytes(), media)
    if name not in (*SCRIPTS, *STYLES) or not media:
        raise NotFound(f"there is no file {name}")
    place = Path(str(distribution(PACKAGE).locate_file(f"{FOLDER}/{name}")))
    return Asset(place.read_bytes(), media)
