"""Prompts that a person may choose: recall, remember, review."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from mcp.types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from app.errors import InvalidInput, NotFound
from app.facts.schemas import FactOut
from app.facts.service import Moments
from app.kernel.caller import Caller
from app.kernel.wire import model_of
from app.mcp import telling
from app.mcp.reading import search
from app.mcp.schemas import RecallIn
from app.mcp.services import Services

WAITING = 20  # facts of a review
REMEMBER = """\
Go through what was said in this conversation and keep what will matter later.
Call `capture` with the very words of the user for what they tell of themselves, decide or ask \
for, under one name of the session.
Call `note` for what you learnt or decided yourself, in one or two sentences.
Call `facts` first where something may be known already, and `correct` where it has changed.
Leave out small talk, secrets and whatever the user asked not to keep. Say at the end what you kept.
"""
REVIEW = """\
These facts contradict others and wait for a decision. Tell the user of each what speaks for and \
against it, in plain words, and ask which is right; `correct` says what they answer.
"""


@dataclass(frozen=True, slots=True)
class Offered:
    """A prompt with its one argument, where it takes any, and the text it makes."""

    title: str
    says: str
    text: Callable[[Services, Caller, str], Awaitable[str]]
    argument: str = ""
    about: str = ""


async def _recall(services: Services, caller: Caller, question: str) -> str:
    told = await search(services, caller, model_of(RecallIn, {"query": question}))
    return f"Answer from memory where it helps: {question}\n\n{told.text}"


async def _remember(services: Services, caller: Caller, _: str) -> str:
    return REMEMBER


async def _review(services: Services, caller: Caller, _: str) -> str:
    rows = await services.facts.repository.quarantined(caller.visible, "", WAITING)
    at = Moments.of(None, None)
    ids = sorted({row["id"] for row in rows} | {one for row in rows for one in row["against"]})
    found = await services.facts.repository.get(ids, caller.visible, at.as_of, at.known_at)
    shown = [FactOut.of(row) for row in found]
    if not shown:
        return "Nothing waits for a decision: tell the user so."
    waits = telling.counted(len(rows), "fact waits", "facts wait")
    return REVIEW + telling.facts(f"{waits}, shown with what stands against them.", shown)


PROMPTS = {
    "recall": Offered(
        "Recall", "Answer a question from memory.", _recall, "question", "What is asked."
    ),
    "remember": Offered("Remember", "Keep what matters of this conversation.", _remember),
    "review": Offered("Review", "Go through facts that contradict each other.", _review),
}


def listed() -> list[Prompt]:
    """Every prompt as it is told to a client."""
    return [
        Prompt(name=name, title=each.title, description=each.says, arguments=_arguments(each))
        for name, each in PROMPTS.items()
    ]


def _arguments(offered: Offered) -> list[PromptArgument]:
    if not offered.argument:
        return []
    return [PromptArgument(name=offered.argument, description=offered.about, required=True)]


async def made(
    services: Services, caller: Caller, name: str, given: Mapping[str, str]
) -> GetPromptResult:
    """The message of a prompt; NotFound for one that there is not, InvalidInput (its argument)
    where that is missing."""
    offered = PROMPTS.get(name)
    if offered is None:
        raise NotFound(f"there is no prompt {name}: there are {', '.join(PROMPTS)}")
    value = given.get(offered.argument, "").strip()
    if offered.argument and not value:
        raise InvalidInput(f"{offered.argument} is missing", field=offered.argument)
    content = TextContent(text=await offered.text(services, caller, value))
    return GetPromptResult(
        description=offered.says, messages=[PromptMessage(role="user", content=content)]
    )
