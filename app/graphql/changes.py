"""The fields of `Mutation`: each is an HTTP route's body, role and service."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from app.consolidation.schemas import RememberedOut, RememberIn, SupersedeIn
from app.entities.schemas import MergeIn, MergeOut
from app.episodes.schemas import EpisodeIn, ReceiptOut
from app.facts.repository import Settled
from app.facts.schemas import ChangeIn, DecisionOut, KeepBothIn, ReviewIn
from app.facts.service import Decision, Moments
from app.graphql.doors import Context
from app.graphql.loading import Asked
from app.graphql.relations import SKILL
from app.jobs import control
from app.jobs.schemas import JobOut
from app.kernel.caller import Role
from app.kernel.wire import model_of
from app.lifecycle.schemas import (
    ErasureIn,
    ErasureOut,
    FeedbackIn,
    FeedbackOut,
    ForgetIn,
    ForgottenOut,
    KeptOut,
)
from app.notes.schemas import NoteIn, NoteReceiptOut
from app.pages.schemas import PageChangeIn, PageIn, PageReceiptOut
from app.skills.graph_schemas import LearningItemOut, SharedOut
from app.skills.schemas import (
    LearningCheckIn,
    ProposalIn,
    ProposalOut,
    ProposalStepIn,
    ShareIn,
    SkillIn,
)


@dataclass(frozen=True, slots=True)
class Change:
    """A field of `Mutation`; `role` must be held somewhere, where exactly the service checks."""

    role: Role
    make: Callable[[Context, Asked], Awaitable[Any]]


async def capture(context: Context, asked: Asked) -> ReceiptOut:
    """Store one thing that was said."""
    data = model_of(EpisodeIn, asked.args["input"])
    receipt = await context.doors.episodes.capture(context.caller, data.to_capture("graphql"))
    return ReceiptOut.of(receipt)


async def remember(context: Context, asked: Asked) -> RememberedOut:
    """Remember a short observation at once."""
    data = model_of(RememberIn, asked.args["input"])
    done = await context.doors.fast.remember(context.caller, data.to_observation())
    return RememberedOut.of(done)


async def supersede(context: Context, asked: Asked) -> RememberedOut:
    """Put another value in the place of a fact's."""
    data = model_of(SupersedeIn, asked.args["input"])
    value, seen = data.object.packed(), data.to_observation()
    done = await context.doors.fast.supersede(context.caller, data.fact, value, seen)
    return RememberedOut.of(done)


async def forget(context: Context, asked: Asked) -> ForgottenOut:
    """Forget one fact, all about something, or everything in a user's own scope."""
    data, forgetting = model_of(ForgetIn, asked.args["input"]), context.doors.forgetting
    if data.id is not None:
        kept = await forgetting.set(context.caller, data.id, "forget")
        return ForgottenOut(int(kept.changed))
    if data.name is not None:
        return ForgottenOut(await forgetting.forget_named(context.caller, data.name, data.scope))
    return ForgottenOut(await forgetting.forget_user(context.caller, data.all_of_user or ""))


async def write_page(context: Context, asked: Asked) -> PageReceiptOut:
    """Store a page."""
    data = model_of(PageIn, asked.args["input"])
    return PageReceiptOut.of(await context.doors.pages.write(context.caller, data.to_draft()))


async def change_page(context: Context, asked: Asked) -> PageReceiptOut:
    """Set parts of a page."""
    data, page = model_of(PageChangeIn, asked.args["input"]), asked.args["id"]
    done = await context.doors.pages.change(context.caller, page, data.to_change())
    return PageReceiptOut.of(done)


async def write_note(context: Context, asked: Asked) -> NoteReceiptOut:
    """Store a note."""
    data = model_of(NoteIn, asked.args["input"])
    return NoteReceiptOut.of(await context.doors.notes.write(context.caller, data.to_draft()))


async def create_skill(context: Context, asked: Asked) -> Any:
    """Store a skill; the same one again changes nothing."""
    data = model_of(SkillIn, asked.args["input"])
    row, _ = await context.doors.skills.skills.create(context.caller, data.to_draft())
    return SKILL.show(row)


async def give_feedback(context: Context, asked: Asked) -> FeedbackOut:
    """Say whether a memory was useful, wrong or irrelevant."""
    data = model_of(FeedbackIn, asked.args["input"])
    row = await context.doors.feedback.give(context.caller, data.memory, data.verdict)
    return FeedbackOut.of(row)


async def erase(context: Context, asked: Asked) -> ErasureOut:
    """Erase a memory at once, or what belongs to a session, author or speaker as a job."""
    target = model_of(ErasureIn, asked.args["input"]).target()
    return ErasureOut.of(await context.doors.erasing.erase(context.caller, target))


async def propose_merge(context: Context, asked: Asked) -> MergeOut:
    """Propose that two entities are one."""
    data, merges = model_of(MergeIn, asked.args["input"]), context.doors.merges
    return MergeOut.of(await merges.propose(context.caller, data.left, data.right, data.reason))


async def accept_merge(context: Context, asked: Asked) -> MergeOut:
    """The two are one from now on."""
    return await _merge(context, asked, "accept")


async def reject_merge(context: Context, asked: Asked) -> MergeOut:
    """The two are not one."""
    return await _merge(context, asked, "reject")


async def undo_merge(context: Context, asked: Asked) -> MergeOut:
    """Take an accepted merge back."""
    return await _merge(context, asked, "undo")


async def propose_skill(context: Context, asked: Asked) -> ProposalOut:
    """Propose a skill."""
    data = model_of(ProposalIn, asked.args["input"])
    made = await context.doors.skills.proposals.propose(context.caller, data.to_proposed())
    return ProposalOut.of(made)


async def move_proposal(context: Context, asked: Asked) -> ProposalOut:
    """Take the next step of a proposal."""
    proposal, data = asked.args["id"], model_of(ProposalStepIn, asked.args["input"])
    proposals = context.doors.skills.proposals
    moved = await proposals.move(context.caller, proposal, data.to_status(), data.note)
    return ProposalOut.of(moved)


async def check_learning(context: Context, asked: Asked) -> LearningItemOut:
    """Verify or disprove a learning."""
    note, data = asked.args["id"], model_of(LearningCheckIn, asked.args["input"])
    learnings = context.doors.skills.learnings
    return LearningItemOut.of(await learnings.check(context.caller, note, holds=data.holds))


async def share_learning(context: Context, asked: Asked) -> SharedOut:
    """Copy a learning that has proved itself to a wider scope."""
    note, data = asked.args["id"], model_of(ShareIn, asked.args["input"])
    return SharedOut.of(
        await context.doors.skills.learnings.share(context.caller, note, data.scope)
    )


async def accept(context: Context, asked: Asked) -> DecisionOut:
    """The quarantined fact is right."""
    return await _review(context, asked, "accept")


async def reject(context: Context, asked: Asked) -> DecisionOut:
    """The fact is wrong."""
    return await _review(context, asked, "reject")


async def keep_both(context: Context, asked: Asked) -> DecisionOut:
    """Both facts are right, each in its own time."""
    fact, data = asked.args["id"], model_of(KeepBothIn, asked.args["input"])
    settled = await context.doors.facts.decide(context.caller, data.to_decisions(fact))
    return await _decided(context, fact, "interval", settled)


async def decide_change(context: Context, asked: Asked) -> DecisionOut:
    """Say what became of a possible change."""
    fact, data = asked.args["id"], model_of(ChangeIn, asked.args["input"])
    decision = data.to_decision(fact)
    decided, settled = await context.doors.facts.decide_change(context.caller, decision)
    return await _decided(context, decided, decision.verdict, settled)


async def undo(context: Context, asked: Asked) -> DecisionOut:
    """Take back the decisions on a fact."""
    fact = asked.args["id"]
    settled = await context.doors.facts.undo(context.caller, fact)
    return await _decided(context, fact, "undo", settled)


async def forget_memory(context: Context, asked: Asked) -> KeptOut:
    """Hide a memory at every moment."""
    return await _keep(context, asked, "forget")


async def unforget_memory(context: Context, asked: Asked) -> KeptOut:
    """Show a forgotten memory again."""
    return await _keep(context, asked, "unforget")


async def pin_memory(context: Context, asked: Asked) -> KeptOut:
    """Keep a memory from sweeps and decay."""
    return await _keep(context, asked, "pin")


async def unpin_memory(context: Context, asked: Asked) -> KeptOut:
    """Let a memory fade again."""
    return await _keep(context, asked, "unpin")


async def cancel_job(context: Context, asked: Asked) -> JobOut:
    """Stop a job: at once if it waits, else at its next step."""
    job = await control.cancel(context.doors.runner, context.caller, asked.args["id"])
    return JobOut.of(job)


async def rerun_job(context: Context, asked: Asked) -> JobOut:
    """Run a dead or cancelled job again."""
    job = await control.rerun(context.doors.runner, context.caller, asked.args["id"])
    return JobOut.of(job)


async def _keep(context: Context, asked: Asked, word: str) -> KeptOut:
    kept = await context.doors.forgetting.set(context.caller, asked.args["id"], word)
    return KeptOut.of(kept)


async def _merge(context: Context, asked: Asked, verb: str) -> MergeOut:
    return MergeOut.of(await context.doors.merges.decide(context.caller, asked.args["id"], verb))


async def _review(context: Context, asked: Asked, verdict: str) -> DecisionOut:
    fact, data = asked.args["id"], model_of(ReviewIn, asked.args.get("input") or {})
    decision = Decision(fact, verdict, note=data.note)
    settled = await context.doors.facts.decide(context.caller, [decision])
    return await _decided(context, fact, verdict, settled)


async def _decided(context: Context, fact: str, verdict: str, settled: Settled) -> DecisionOut:
    row = await context.doors.facts.get(context.caller, fact, Moments.of(None, None))
    return DecisionOut.of(row, verdict, settled)


CHANGES: dict[str, Change] = {
    "captureEpisode": Change(Role.WRITER, capture),
    "rememberFact": Change(Role.WRITER, remember),
    "supersedeFact": Change(Role.WRITER, supersede),
    "forgetFacts": Change(Role.WRITER, forget),
    "writePage": Change(Role.WRITER, write_page),
    "changePage": Change(Role.WRITER, change_page),
    "writeNote": Change(Role.WRITER, write_note),
    "createSkill": Change(Role.WRITER, create_skill),
    "giveFeedback": Change(Role.WRITER, give_feedback),
    "acceptFact": Change(Role.CURATOR, accept),
    "rejectFact": Change(Role.CURATOR, reject),
    "keepBothFacts": Change(Role.CURATOR, keep_both),
    "decideChange": Change(Role.CURATOR, decide_change),
    "undoReview": Change(Role.CURATOR, undo),
    "proposeMerge": Change(Role.WRITER, propose_merge),
    "acceptMerge": Change(Role.CURATOR, accept_merge),
    "rejectMerge": Change(Role.CURATOR, reject_merge),
    "undoMerge": Change(Role.CURATOR, undo_merge),
    "proposeSkill": Change(Role.WRITER, propose_skill),
    "moveSkillProposal": Change(Role.WRITER, move_proposal),
    "checkLearning": Change(Role.WRITER, check_learning),
    "shareLearning": Change(Role.WRITER, share_learning),
    "forgetMemory": Change(Role.WRITER, forget_memory),
    "unforgetMemory": Change(Role.WRITER, unforget_memory),
    "pinMemory": Change(Role.WRITER, pin_memory),
    "unpinMemory": Change(Role.WRITER, unpin_memory),
    "cancelJob": Change(Role.WRITER, cancel_job),
    "rerunJob": Change(Role.WRITER, rerun_job),
    "erase": Change(Role.ADMIN, erase),
}
