"""Reading files that nobody vouches for: each in a process of its own, under hard limits."""

from __future__ import annotations

import asyncio
import signal
import sys
from dataclasses import asdict
from pathlib import Path

import orjson
import structlog

import app
from app.documents.media import Media
from app.documents.model import Heading, Parsed
from app.documents.parsing import Limits, parse
from app.errors import FileBroken, FileEncrypted, FileRefused, FileTooLarge

log = structlog.get_logger()
REFUSALS: dict[str, type[FileRefused]] = {
    kind.__name__: kind for kind in (FileBroken, FileEncrypted, FileTooLarge)
}
GRACE = 5.0  # seconds beyond the limit of processor time that a busy machine is given
SLACK = 4  # times the limit of time that may pass on the clock: others want processors as well
BYTES_A_CHARACTER = 6  # at most, in JSON
BLOCK = 65_536


async def parse_apart(path: Path, media: Media, limits: Limits) -> Parsed:
    """The text of the file at `path`, read by a child process unless it is plain text.

    Raises FileTooLarge for what goes beyond a limit, time and memory included, FileEncrypted, and
    FileBroken for whatever else cannot be read, a crash of the parser included.
    """
    if (await asyncio.to_thread(path.stat)).st_size > limits.size:
        raise FileTooLarge(f"the file has more than {limits.size:,} bytes")
    if media is Media.TEXT:
        # Decoding harms nobody, and a process takes longer to start than most texts to read.
        data = await asyncio.to_thread(path.read_bytes)
        return await asyncio.to_thread(parse, data, media, limits)
    order = {"path": str(Path.cwd() / path), "media": media.value, "limits": asdict(limits)}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "app.documents.child",
        orjson.dumps(order).decode(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={"PYTHONPATH": str(Path(app.__file__).parent.parent), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd="/",
    )
    try:
        output = await asyncio.wait_for(_output(process, limits), limits.seconds * SLACK + GRACE)
    except TimeoutError:
        raise FileTooLarge(f"reading the file takes more than {limits.seconds} seconds") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return await asyncio.to_thread(_parsed, output, process.returncode or 0, limits)


async def _output(process: asyncio.subprocess.Process, limits: Limits) -> bytes:
    assert process.stdout is not None  # asked for above
    most = limits.characters * BYTES_A_CHARACTER + BLOCK
    parts: list[bytes] = []
    size = 0
    while block := await process.stdout.read(BLOCK):
        parts.append(block)
        size += len(block)
        if size > most:
            raise FileTooLarge(f"the text has more than {limits.characters:,} characters")
    await process.wait()
    return b"".join(parts)


def _parsed(output: bytes, code: int, limits: Limits) -> Parsed:
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        raise FileTooLarge(f"reading the file takes more than {limits.seconds} seconds")
    if code != 0:
        log.warning("documents.parser_ended", code=code)
        raise FileBroken(
            "the parser ended without an answer: the file is damaged, or takes too much memory"
        )
    answer = orjson.loads(output)
    if "error" in answer:
        raise REFUSALS.get(answer["error"], FileBroken)(answer["detail"])
    headings = tuple(Heading(*heading) for heading in answer["headings"])
    return Parsed(answer["text"], headings, answer["title"], *answer["pages"])
