"""loci-client: the memory of an agent in five verbs, over the HTTP API of Loci."""

from __future__ import annotations

from loci_client.client import AsyncLoci, Loci
from loci_client.memory import AsyncMemory, Memory
from loci_client.model import Added, Bundle, Fact, Found, Hit, Receipt, Turn
from loci_client.problems import LociError, LociProblem, LociUnreachable, MessagesRefused
from loci_client.talk import Retries

__all__ = [
    "Added",
    "AsyncLoci",
    "AsyncMemory",
    "Bundle",
    "Fact",
    "Found",
    "Hit",
    "Loci",
    "LociError",
    "LociProblem",
    "LociUnreachable",
    "Memory",
    "MessagesRefused",
    "Receipt",
    "Retries",
    "Turn",
]
