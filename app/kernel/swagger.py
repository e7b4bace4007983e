"""The API's reference in a browser: Swagger UI, served from here; nothing comes from elsewhere."""

from __future__ import annotations

from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from litestar import Request, Response, get
from litestar.openapi.plugins import OpenAPIRenderPlugin
from litestar.params import FromPath

from app.errors import NotFound

# A package with Swagger UI as built for browsers; only these files in it are used.
PACKAGE = "fastapi-offline"
FOLDER = "fastapi_offline/static"
MEDIA = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css"}
START = "start.js"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
    "img-src 'self' data:; font-src data:; base-uri 'none'; form-action 'none'"
)
PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Loci API</title>'
    f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<link rel="icon" href="data:,"><link rel="stylesheet" href="/schema/assets/swagger-ui.css">'
    '</head><body><div id="reference"></div>'
    '<script src="/schema/assets/swagger-ui-bundle.js"></script>'
    f'<script src="/schema/assets/{START}"></script></body></html>'
).encode()
SCRIPT = (
    b'SwaggerUIBundle({url: "/schema/openapi.json", dom_id: "#reference", deepLinking: true, '
    b"presets: [SwaggerUIBundle.presets.apis], validatorUrl: null});"
)


class SwaggerPage(OpenAPIRenderPlugin):
    """Swagger UI over the schema of this server."""

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        """Return the page; the schema is fetched by it."""
        return PAGE


@get("/assets/{name:str}", include_in_schema=False, sync_to_thread=False)
def swagger_asset(name: FromPath[str]) -> Response[bytes]:
    """One file of the page; NotFound for any other."""
    if name == START:
        return Response(SCRIPT, media_type="text/javascript")
    if name not in MEDIA:
        raise NotFound(f"there is no file {name}")
    return Response(
        _content(name), media_type=MEDIA[name], headers={"Cache-Control": "max-age=3600"}
    )


@cache
def _content(name: str) -> bytes:
    return Path(str(distribution(PACKAGE).locate_file(f"{FOLDER}/{name}"))).read_bytes()
