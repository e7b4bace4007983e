"""The tools that change something."""

from __future__ import annotations

from app.consolidation.schemas import RememberedOut
from app.episodes.schemas import ReceiptOut
from app.kernel.caller import Caller, Role
from app.lifecycle.schemas import KeptOut
from app.mcp import telling
from app.mcp.schemas import CaptureIn, CorrectIn, ForgetMemoryIn
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.notes.schemas import NoteIn, NoteReceiptOut

TRANSPORT = "mcp"


async def capture(services: Services, caller: Caller, given: CaptureIn) -> Told:
    """Store one thing that was said, and wait for it where asked."""
    receipt = await services.episodes.capture(caller, given.to_capture(TRANSPORT))
    reached = None
    if given.wait and receipt.id and await services.episodes.wait([receipt.id], given.wait):
        reached = given.wait
    shown = ReceiptOut.of(receipt, reached)
    stored = "Stored as" if shown.status == "accepted" else "It was there already as"
    says = f"{stored} episode {shown.id} in {shown.scope}."
    if shown.redactions:
        says += f" Redacted: {telling.counted(shown.redactions, 'place', 'places')}."
    return Told(shown, says + telling.waited("It is", given.wait, reached))


async def note(services: Services, caller: Caller, given: NoteIn) -> Told:
    """Store a note; it ends or confirms what it contradicts or repeats."""
    shown = NoteReceiptOut.of(await services.notes.write(caller, given.to_draft()))
    said = {
        "stored": "Stored as",
        "duplicate": "It confirms",
        "quarantined": "It waits for a decision as",
    }
    says = f"{said[shown.status]} note {shown.id} in {shown.scope}."
    if shown.ends:
        says += f" It ends {', '.join(shown.ends)}."
    if shown.contradicts:
        says += f" It contradicts {', '.join(shown.contradicts)}."
    return Told(shown, says)


async def correct(services: Services, caller: Caller, given: CorrectIn) -> Told:
    """Put another value in the place of a fact's, or say that it stopped or never was so."""
    seen = given.to_observation()
    if given.object is None:
        done = await services.fast.end(caller, given.fact, seen)
    else:
        done = await services.fast.supersede(caller, given.fact, given.object.packed(), seen)
    shown = RememberedOut.of(done)
    says = f"Said in episode {shown.episode}."
    if shown.quarantined:
        says += f" It waits for a curator: {', '.join(shown.quarantined)}."
    return Told(shown, telling.facts(says, shown.facts))


async def forget(services: Services, caller: Caller, given: ForgetMemoryIn) -> Told:
    """Hide a memory from every reading, or show it again."""
    verb = "unforget" if given.undo else "forget"
    shown = KeptOut.of(await services.forgetting.set(caller, given.id, verb))
    state = "is forgotten" if shown.forgotten else "is shown"
    return Told(shown, f"Memory {shown.id} {state}{'' if shown.changed else ' already'}.")


WRITING = (
    Tool(
        name="capture",
        title="Remember what was said",
        description="Store one thing that was said, word for word, in a conversation of your own "
        "naming; facts are read out of it by themselves. Capture what users tell of themselves, "
        "decisions and outcomes.",
        takes=CaptureIn,
        gives=ReceiptOut,
        run=capture,
        requires=Role.WRITER,
    ),
    Tool(
        name="note",
        title="Write a note",
        description="Store an insight, decision or plan of your own in your own words. A note ends "
        "those that it contradicts.",
        takes=NoteIn,
        gives=NoteReceiptOut,
        run=note,
        requires=Role.WRITER,
        destructive=True,
        again=False,
    ),
    Tool(
        name="correct",
        title="Correct a fact",
        description="Say of a fact that another value holds now, that it has stopped, or that it "
        "was never so. What was held before stays on record.",
        takes=CorrectIn,
        gives=RememberedOut,
        run=correct,
        requires=Role.WRITER,
        destructive=True,
        again=False,
    ),
    Tool(
        name="forget",
        title="Forget a memory",
        description="Hide one memory from every reading; `undo` shows it again. For what a user "
        "asks to be forgotten.",
        takes=ForgetMemoryIn,
        gives=KeptOut,
        run=forget,
        requires=Role.WRITER,
        destructive=True,
    ),
)
