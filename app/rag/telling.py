"""What is told of graph retrieval and answers to the record of questions."""

from __future__ import annotations

from app.kernel.caller import Caller
from app.questions.log import QuestionLog
from app.questions.model import Asked, Door, Outcome
from app.rag.answering import AgenticService, Answer
from app.rag.model import Ask, Context, Retrieved
from app.rag.service import GraphRagService


async def retrieved(
    graph_rag: GraphRagService, log: QuestionLog, caller: Caller, ask: Ask
) -> Retrieved:
    """What the graph has on a question of a caller, and the record of it."""
    with log.asking(caller, asked(Door.RETRIEVE, ask)) as telling:
        found = await graph_rag.retrieve(ask)
        telling.outcome = of_retrieved(found)
    return found


async def contexted(
    graph_rag: GraphRagService, log: QuestionLog, caller: Caller, ask: Ask, budget: int
) -> tuple[Retrieved, Context]:
    """A context of at most `budget` tokens for a question of a caller, and the record of it."""
    with log.asking(caller, asked(Door.CONTEXT, ask)) as telling:
        found, context = await graph_rag.build_context(ask, budget)
        telling.outcome = of_retrieved(found)
    return found, context


async def answered(
    agentic: AgenticService, log: QuestionLog, caller: Caller, ask: Ask, rounds: int
) -> Answer:
    """An answer that a caller asked for, and the record of it."""
    with log.asking(caller, asked(Door.ANSWER, ask)) as telling:
        answer = await agentic.answer(ask, rounds)
        telling.outcome = of_answer(answer)
    return answer


def asked(door: Door, ask: Ask) -> Asked:
    """A question to the graph; its searches are the default one."""
    return Asked(
        door,
        ask.query,
        "auto",
        ask.top_k,
        bases=tuple(ask.bases or ()),
        scopes=tuple(ask.scopes),
    )


def of_retrieved(found: Retrieved) -> Outcome:
    """What was shown: passages, or communities of a question about everything.

    The calibrated similarities are those of the search that ran beside.
    """
    closeness = tuple(value for one in found.searches for value in one.similarities)
    ids = tuple(one.id for one in found.passages) or tuple(
        reached.view.id for reached in found.communities
    )
    return Outcome(ids, closeness, found.searches)


def of_answer(answer: Answer) -> Outcome:
    """What an answer rests on, nothing where it says nothing; its relevance is the one that rounds
    are judged by."""
    if not answer.sentences:
        return Outcome((), (), answer.searches)
    relevance = () if answer.overall else tuple(one.relevance for one in answer.sources)
    return Outcome(tuple(one.id for one in answer.sources), relevance, answer.searches)
