"""The words of the skill graph: seed 000's lists, with the names of its code as aliases."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from app.errors import InvalidInput


class Category(StrEnum):
    """What a skill is for."""

    CODE_GENERATION = "code_generation"
    CODE_REVIEW = "code_review"
    TESTING = "testing"
    DEBUGGING = "debugging"
    DEPLOYMENT = "deployment"
    DOCUMENTATION = "documentation"
    ANALYSIS = "analysis"
    COMMUNICATION = "communication"
    PLANNING = "planning"
    RESEARCH = "research"
    DATA_PROCESSING = "data_processing"
    SECURITY = "security"
    MONITORING = "monitoring"
    OPTIMIZATION = "optimization"
    INTEGRATION = "integration"
    AUTOMATION = "automation"
    DESIGN = "design"
    ARCHITECTURE = "architecture"
    PROJECT_MANAGEMENT = "project_management"
    DEVOPS = "devops"
    OPERATIONS = "operations"


class Chore(StrEnum):
    """The upkeep of the skill graph by name."""

    SCAN = "conflict-scan"
    DECAY = "stale-decay"
    EMBED = "re-embedding"
    GAPS = "gap-detection"
    EXPIRE = "proposal-expiry"


class Status(StrEnum):
    """Where a skill is in its life; only an active one is found by `discover`."""

    DRAFT = "draft"
    ACTIVE = "active"
    DEPRECATED = "deprecated"
    ARCHIVED = "archived"


# What may be used; a draft is not ready and what is archived is gone.
USABLE = (Status.ACTIVE, Status.DEPRECATED)


class Dependency(StrEnum):
    """How one skill leans on another; `succeeds` names the one that usually goes before."""

    REQUIRES = "requires"
    ENHANCES = "enhances"
    COMPOSES = "composes"
    SUCCEEDS = "succeeds"


class ChangeType(StrEnum):
    """How large the change is that a version makes."""

    MAJOR = "major"
    MINOR = "minor"
    PATCH = "patch"
    HOTFIX = "hotfix"
    EXPERIMENTAL = "experimental"


class ConflictType(StrEnum):
    """In which way skills stand against each other."""

    OVERLAP = "overlap"
    CONTRADICTION = "contradiction"
    DEPENDENCY = "dependency"
    VERSION_MISMATCH = "version_mismatch"
    NAMING = "naming"


class Finding(StrEnum):
    """What a detector saw; each belongs to one type of conflict."""

    DUPLICATE = "duplicate"
    OVERLAPPING = "overlapping"
    CONTRADICTING = "contradicting"
    CIRCULAR = "circular_dependency"
    BROKEN = "broken_dependency"
    DRIFT = "version_drift"
    SAME_NAME = "same_name"
    STALE = "stale"
    ORPHAN = "orphan"


class Severity(StrEnum):
    """How bad a conflict is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class ConflictStatus(StrEnum):
    """What somebody has done about a conflict."""

    DETECTED = "detected"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"
    DISMISSED = "dismissed"


class ProposalStatus(StrEnum):
    """How far a proposal is."""

    RESEARCH = "research"
    DRAFT = "draft"
    SUBMITTED = "submitted"
    UNDER_REVIEW = "under_review"
    APPROVED = "approved"
    CREATED = "created"
    REJECTED = "rejected"
    EXPIRED = "expired"


TYPE_OF = {
    Finding.DUPLICATE: ConflictType.OVERLAP,
    Finding.OVERLAPPING: ConflictType.OVERLAP,
    Finding.CONTRADICTING: ConflictType.CONTRADICTION,
    Finding.CIRCULAR: ConflictType.DEPENDENCY,
    Finding.BROKEN: ConflictType.DEPENDENCY,
    Finding.DRIFT: ConflictType.VERSION_MISMATCH,
    Finding.SAME_NAME: ConflictType.NAMING,
    # Nothing leans on either: what is wrong with them is where they stand in the graph.
    Finding.STALE: ConflictType.DEPENDENCY,
    Finding.ORPHAN: ConflictType.DEPENDENCY,
}

ALIASES: dict[type[StrEnum], dict[str, str]] = {
    Status: {"inactive": "deprecated"},
    ChangeType: {
        "manual": "minor",
        "evolution": "minor",
        "consolidation": "patch",
        "ab_test": "experimental",
    },
    ConflictType: {str(finding): str(kind) for finding, kind in TYPE_OF.items()},
    ConflictStatus: {"reviewing": "acknowledged", "auto_resolved": "resolved"},
    ProposalStatus: {"proposed": "submitted"},
}

Word = TypeVar("Word", bound=StrEnum)


def word(kind: type[Word], text: str, field: str) -> Word:
    """The member of that name or alias; InvalidInput, naming `field`, where there is none."""
    folded = text.strip().lower()
    try:
        return kind(ALIASES.get(kind, {}).get(folded, folded))
    except ValueError:
        raise InvalidInput(f"{field} is one of {', '.join(kind)}", field=field) from None
