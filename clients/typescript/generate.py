"""Write `loci.d.ts` from the OpenAPI document: `make types`.

It needs Node and what `npm ci` installs here. The first line of the file has the hash of the
document that it was made from, by which a test tells that it is up to date without any of that.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import httpx
from litestar import Litestar

from app.asgi import create_app
from app.settings import read_settings

FOLDER = Path(__file__).parent
TYPES = FOLDER / "loci.d.ts"
GENERATOR = FOLDER / "node_modules/.bin/openapi-typescript"


async def document(app: Litestar) -> dict[str, Any]:
    """The OpenAPI document as it is served, without the routes that serve it."""
    transport = httpx.ASGITransport(app)  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=transport, base_url="http://loci") as client:
        served: dict[str, Any] = (await client.get("/schema/openapi.json")).json()
    paths = {p: i for p, i in served["paths"].items() if not p.startswith("/schema")}
    return {**served, "paths": paths}


def written(told: dict[str, Any]) -> str:
    """The document as JSON, its names in order."""
    return json.dumps(told, sort_keys=True, indent=1, ensure_ascii=False)


def first_line(told: dict[str, Any]) -> str:
    """What the file of types begins with."""
    return (
        f"// SHA-256 of the OpenAPI document: {hashlib.sha256(written(told).encode()).hexdigest()}"
    )


def main() -> None:
    """Generate the types anew."""
    told = asyncio.run(document(create_app(read_settings({}))))
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder, "openapi.json"), Path(folder, "loci.d.ts")
        given.write_text(written(told), encoding="utf-8")
        call = [str(GENERATOR), str(given), "--output", str(made), "--root-types"]
        subprocess.run([*call, "--root-types-no-schema-prefix"], check=True)
        types = made.read_text(encoding="utf-8")
    TYPES.write_text(f"{first_line(told)}\n{types}", encoding="utf-8")


if __name__ == "__main__":
    main()
