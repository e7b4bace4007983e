"""An agent that has nothing but the protocol, and what is said to it in ten turns.

No model takes part: a server on loopback that speaks OpenAI's API asks for the tools that are
written down here by hand, and says what is written down beside them. Shown is what it is handed
back, which is the real server's, and holds the answer, or nothing does. Whether a model would ask
so is not shown.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp import Client
from openai import AsyncOpenAI

from app.search.bundle import CLOSE, OPEN
from tests.embeddings.scripted_server import Reply, ScriptedServer, scripted_server
from tests.llm.chat import completion
from tests.mcp.conftest import text_of

SPEAKER = "Nora Feld"


@dataclass(frozen=True)
class Turn:
    """What the user says, the tool that the script asks for then, and its reply. Of a question:
    what the memory holds by now, and what it holds no more."""

    says: str
    tool: str
    given: dict[str, Any]
    replies: str
    holds: str = ""
    no_more: str = ""


def told(text: str) -> Turn:
    """The user tells something; the model keeps it."""
    given = {"content": text, "session": "chat", "role": "user", "speaker": SPEAKER}
    return Turn(text, "capture", given, "Noted.")


def home(holds: str, no_more: str = "") -> Turn:
    """The user asks where she lives."""
    given = {"about": SPEAKER, "predicates": ["lives_in"]}
    return Turn("Where do I live?", "facts", given, f"In {holds}.", holds, no_more)


TURNS = (
    told("I live in Bremen."),
    told("I work for Halden Logistics."),
    home("Bremen"),
    told("I moved to Kiel."),
    home("Kiel", no_more="Bremen"),
    told("Project Lynx is active."),
    told("Project Lynx is cancelled."),
    Turn(
        "How is Lynx?", "facts", {"about": "Lynx"}, "Cancelled.", "is cancelled",
        "has the status active",
    ),
    Turn(
        "Where do I work?", "context", {"query": "Whom does Nora Feld work for?"},
        "For Halden Logistics.", "Halden Logistics",
    ),
    Turn(
        "Where did I live at first?", "search", {"query": "Nora Feld lives in Bremen"},
        "In Bremen.", "Bremen",
    ),
)  # fmt: skip

NOTHING = "Nothing is known of that."


def stored(text: str, namespace: str = "knowledge") -> Turn:
    """The user tells something; the model writes it down in its own words."""
    return Turn(text, "memory_store", {"content": text, "namespace": namespace}, "Noted.")


def changed(says: str, old: str, new: str) -> Turn:
    """The user tells a change; the model updates what it has written down."""
    return Turn(says, "memory_update", {"old": old, "new": new}, "Noted.")


def asked(question: str, holds: str, no_more: str = "", tool: str = "memory_recall") -> Turn:
    """The user asks; the model recalls."""
    given = {"query": question} if tool == "memory_recall" else {"contains": question}
    return Turn(question, tool, given, "So it is.", holds, no_more)


NOTED = (
    stored("The pump of the greenhouse is a Hydra 200."),
    stored("Deploy with `make ship` from the branch release.", "methods"),
    changed(
        "The pump is a Hydra 300 now.", "Hydra 200", "The pump of the greenhouse is a Hydra 300."
    ),
    asked("Which pump has the greenhouse?", "Hydra 300", no_more="Hydra 200"),
    asked("How do we deploy?", "make ship"),
    changed(
        "We ship from main.", "branch release", "Deploy with `make ship` from the branch main."
    ),
    asked("From which branch do we deploy?", "branch main", no_more="branch release"),
    Turn("Forget the pump.", "memory_delete", {"pattern": "hydra"}, "Forgotten."),
    asked("Which pump has the greenhouse?", NOTHING),
    asked("deploy", "branch main", no_more="Hydra", tool="memory_list"),
)


def scripted(turn: Turn) -> list[Reply]:
    """The two answers of the script in one turn: for which tool it asks, and what it says."""
    call = {
        "id": "call-1",
        "type": "function",
        "function": {"name": turn.tool, "arguments": json.dumps(turn.given)},
    }
    asks = completion("", finish="tool_calls")
    asks.body["choices"][0]["message"] = {
        "role": "assistant",
        "content": None,
        "tool_calls": [call],
    }
    return [asks, completion(turn.replies)]


@dataclass
class Agent:
    """A loop around a model: what the model asks of a tool is asked, and the answer handed back."""

    model: AsyncOpenAI
    memory: Client
    messages: list[Any]

    async def turn(self, says: str) -> str:
        """Take one turn of the conversation; what the agent replies."""
        self.messages.append({"role": "user", "content": says})
        tools: list[Any] = [
            {"type": "function", "function": {"name": t.name, "parameters": t.input_schema}}
            for t in (await self.memory.list_tools()).tools
        ]
        while True:
            answer = await self.model.chat.completions.create(
                model="scripted", messages=self.messages, tools=tools
            )
            message = answer.choices[0].message
            self.messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                return message.content or ""
            for call in message.tool_calls:
                assert call.type == "function"
                given = json.loads(call.function.arguments)
                result = await self.memory.call_tool(call.function.name, given)
                assert not result.is_error, text_of(result)
                said = {"role": "tool", "tool_call_id": call.id, "content": text_of(result)}
                self.messages.append(said)


@asynccontextmanager
async def speaking() -> AsyncIterator[tuple[AsyncOpenAI, ScriptedServer]]:
    """A client of OpenAI's API, and the server behind it, which says what it is given to say."""
    with scripted_server() as server:
        async with AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
            yield client, server


@dataclass(frozen=True)
class Talk:
    """Turns of a conversation, and the profiles of tools that the agent has beside the usual."""

    turns: tuple[Turn, ...]
    tools: str = ""


Settle = Callable[[], Awaitable[object]]


async def converse(
    talk: Talk, memory: Client, model: tuple[AsyncOpenAI, ScriptedServer], settle: Settle
) -> None:
    """Take every turn, after each of which what was said is read, and hold what the model is handed
    against what the memory holds by then."""
    client, server = model
    agent = Agent(client, memory, [{"role": "system", "content": "You have a memory."}])
    for turn in talk.turns:
        server.replies = scripted(turn)
        assert await agent.turn(turn.says) == turn.replies
        await settle()
        if turn.holds:
            seen = server.requests[-1]["messages"][-1]["content"]
            if turn.holds == NOTHING:
                assert seen == NOTHING
                continue
            held = seen[seen.index(OPEN) : seen.index(CLOSE)]
            assert turn.holds in held
            assert not turn.no_more or turn.no_more not in held
    assert sum(bool(turn.holds) for turn in talk.turns) == 5
    assert len(talk.turns) == 10
