"""The process that reads one file and nothing else: `python -m app.documents.child`.

It limits its own processor time, memory and files before it looks at the file, so that what was
made to harm a parser harms this process only. The answer is one JSON object on its output.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from typing import Any

import orjson

from app.documents.media import Media
from app.documents.parsing import Limits, parse
from app.errors import LociError

OPEN_FILES = 64


def main() -> None:
    """Read the file that the first argument (JSON) names."""
    order = orjson.loads(sys.argv[1])
    limits = Limits(**order["limits"])
    confine(limits)
    sys.stdout.buffer.write(orjson.dumps(answer(Path(order["path"]), order["media"], limits)))


def confine(limits: Limits) -> None:
    """Take away from this process what reading a file does not need."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.seconds, limits.seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))


def answer(path: Path, media: str, limits: Limits) -> dict[str, Any]:
    """What was read, or what was wrong with it."""
    try:
        parsed = parse(path.read_bytes(), Media(media), limits)
    except LociError as error:
        return {"error": error.code, "detail": error.detail}
    except MemoryError:
        return {"error": "FileTooLarge", "detail": "reading the file takes too much memory"}
    except RecursionError:
        return {"error": "FileBroken", "detail": "the file is nested too deeply"}
    headings = [[h.start, h.level, h.title] for h in parsed.headings]
    return {
        "text": parsed.text,
        "headings": headings,
        "title": parsed.title,
        "pages": [parsed.pages, parsed.pages_without_text],
    }


if __name__ == "__main__":
    main()
