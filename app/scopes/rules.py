"""What a workspace wants done with its beliefs and its memory over time.

All of it is off at first but the notes condensed from facts, which change nothing else, and the
language model, which an installation has to configure before.

A scope without rules of its own takes those of the nearest scope above it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from app.errors import PolicyInvalid
from app.kernel.sentences import of_value
from app.llm.wording import versions


class PromotionRules(BaseModel):
    """A quorum of distinct attesters, and how sure their word must make a fact.

    The score is the mean of a Beta posterior, (1 + sum r) / (2 + k), r being the reliability of
    each of k attesters (seed 001, annex 3.a).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    enabled: bool = Field(False, strict=True, description="facts are promoted")
    demotion: bool = Field(
        False, strict=True, description="copies that lost their support are quarantined"
    )
    quorum: int = Field(3, ge=2, le=1000, description="distinct attesters that are needed")
    threshold: float = Field(0.8, gt=0, lt=1, description="least score of a fact")
    target: Literal["workspace", "tenant"] = Field(
        "tenant", description="which wider scope the copy goes to"
    )

    @model_validator(mode="after")
    def _reachable(self) -> PromotionRules:
        best = (1 + self.quorum) / (2 + self.quorum)
        if best < self.threshold - 1e-9:
            raise ValueError(
                f"the quorum of {self.quorum} reaches {best:.3f} at best, less than the threshold"
            )
        return self


class ScopeRules(BaseModel):
    """How members may revise each other, and which upkeep is switched on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    members_revise: bool = Field(
        False,
        strict=True,
        description="users who may write here revise what other users said of shared things; "
        "nobody revises what a person says of himself",
    )
    external_origins: tuple[str, ...] = Field(
        ("email", "external", "upload", "web"),
        description="origins whose statements are unverified, whoever hands them in",
    )
    erasure: bool = Field(
        False, strict=True, description="administrators may erase memories for good"
    )
    decay: bool = Field(
        False, strict=True, description="what has not been used for long ranks lower"
    )
    cooling: bool = Field(
        False,
        strict=True,
        description="what was learnt of late and is near a core block counts half for 7 days",
    )
    forgetting: bool = Field(
        False,
        strict=True,
        description="a nightly sweep forgets what is old, unimportant, doubtful and unreferenced",
    )
    promotion: PromotionRules = Field(
        PromotionRules(), description="when facts that many attest are copied to a wider scope"
    )
    condensed_notes: bool = Field(
        True, strict=True, description="notes are made of the facts that are held of a thing"
    )
    sorted_answers: bool = Field(
        False,
        strict=True,
        description="what agents answer in conversations is sorted into notes of the namespaces",
    )
    language_model: bool = Field(
        True, strict=True, description="texts are sent to the language model, where there is one"
    )
    reading_prompt: str = Field(
        "",
        max_length=64,
        description="version of the prompt that the language model reads by; "
        "the current one if empty",
    )
    reading_focus: str = Field(
        "", max_length=2000, description="what the language model is asked to look for besides"
    )
    questions: Literal["off", "hash", "text"] = Field(
        "hash",
        description="what is kept of the questions asked from here: nothing, how they went beside "
        "a hash of their words, or their words as well",
    )
    maintenance: Literal["off", "nightly"] = Field(
        "off", description="`nightly` switches the whole schedule of upkeep on"
    )

    @field_validator("reading_prompt")
    @classmethod
    def _known_prompt(cls, name: str) -> str:
        if name and name not in versions():
            raise ValueError(f"there is no prompt {name}; there are {', '.join(versions())}")
        return name

    @property
    def forgets(self) -> bool:
        """Whether the sweep may forget here."""
        return self.forgetting or self.maintenance == "nightly"

    @property
    def decays(self) -> bool:
        """Whether ranking lets memories fade."""
        return self.decay or self.maintenance == "nightly"

    @classmethod
    def parse(cls, stored: Mapping[str, object]) -> ScopeRules:
        """The rules that a scope stores; raises `PolicyInvalid` naming the first bad field."""
        try:
            return cls.model_validate(dict(stored))
        except ValidationError as error:
            wrong = of_value(error.errors()[0])
            raise PolicyInvalid(wrong.detail, field=wrong.field) from error
