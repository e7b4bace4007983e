"""Where the data lies, and what the commands share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

BENCH = Path(os.environ.get("LOCI_BENCH", "bench/data"))
SEED = Path("seed/demo")
URL = "http://127.0.0.1:8484"

Bench = Annotated[Path, typer.Option(help="Folder of the benchmark data; LOCI_BENCH if unset.")]
Url = Annotated[str, typer.Option(envvar="LOCI_API_URL", help="Address of the API.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
