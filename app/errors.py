"""Every error that Loci raises on purpose, and the status each one carries.

The tree (a leaf's class name is its code on the wire)::

    LociError                      500
    ├── InvalidInput               422   bad payload; `field` names where
    │   ├── EmptyText              422
    │   ├── ResidueOnly            422   nothing but an injection marker was left
    │   ├── PiiRefused             422   the scope's policy refuses this class of data
    │   ├── PolicyInvalid          422   a sanitising policy or rules that cannot be read
    │   ├── InvalidPredicate       422   a row of the registry that cannot be read
    │   └── QueryRefused           422   a query goes beyond a limit; nothing of it was run
    ├── Unauthenticated            401
    ├── Forbidden                  403   seen, but not writable by this caller
    │   └── SystemRoleRefused      403
    ├── NotFound                   404   absent, or not visible: the two look alike
    ├── Conflict                   409
    │   ├── AlreadyExists          409
    │   ├── IdempotencyMismatch    409   one key, two different requests
    │   ├── SwitchedOff            409   the scope's rules do not allow it
    │   ├── StateRefused           409   a knowledge base or document is not in a state for it
    │   ├── Erased                 409   an import holds what was erased here
    │   ├── QuotaReached           409   as much as a setting allows is there already
    │   ├── VersionMismatch        412   `If-Match` names another version than the present one
    │   └── LeaseLost              409   another worker has taken over; nothing was written
    ├── TooLarge                   413
    ├── FileRefused                422   a file that cannot be read, with the reason
    │   ├── FileBroken             422   not what it says it is, or damaged
    │   ├── FileEncrypted          422
    │   ├── FileTooLarge           422   size, pages, time, memory, or what it unpacks to
    │   └── FetchRefused           422   an address that is not fetched, or gives no document
    ├── UnsupportedMediaType       415
    ├── RateLimited                429   `retry_after` in seconds
    ├── NotOffered                 501   a protocol has it, and Loci does not do it
    ├── Unavailable                503   a part that Loci needs does not answer
    │   ├── GraphUnavailable       503
    │   ├── GraphBusy              503   others wrote to the same until the time for retries was up
    │   ├── QueueUnavailable       503
    │   ├── WorkingMemoryUnavailable 503 the Valkey that keeps working memory does not answer
    │   ├── EmbedderUnavailable    503
    │   ├── FetchFailed            503   an address that may answer another time
    │   ├── NotReadYet             503   captured, and its turn did not come while it was waited for
    │   ├── GdsUnavailable         503   Graph Data Science is missing, busy, or short of memory
    │   ├── RerankerUnavailable    503   a search goes on without it
    │   ├── LlmUnavailable         503   the language model does not answer
    │   │   ├── LlmAnswerUnusable  503   its answer does not fit the schema
    │   │   └── BudgetSpent        503   the scope's tokens for the day are used up
    │   └── DetectorUnavailable    503   a detector that the policy asks for is missing
    ├── DetectorBroken             500   a detector misses its own example; nothing is started
    ├── QueryError                 500   a named query and the database disagree
    ├── ModelMismatch              500   stored vectors come from another model
    └── RuntimeFailure             500   the embedded runtime cannot start or go on
        ├── PortTaken              500
        ├── DiskFull               500
        ├── HomeUnusable           500   the data or cache folder cannot be written
        ├── JavaMissing            500
        ├── PlatformUnsupported    500   a part has no package for this machine
        ├── DownloadFailed         500
        │   └── ChecksumMismatch   500   a file is not the one that the lock names
        ├── StoreUnusable          500   broken, of another version, or under another password
        └── PartFailed             500   a child process does not start, or keeps dying
"""

from __future__ import annotations


class LociError(Exception):
    """Base of the tree; `status` is the HTTP status, `title` the short name for people."""

    status = 500
    title = "Internal error"
    audited = False  # whether the refusal is on record already
    private = False  # whether the detail is for the log only, since it quotes a part's own words

    def __init__(self, detail: str = "", *, field: str | None = None) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.field = field

    @property
    def ours(self) -> bool:
        """Whether something failed here, so that it belongs into the log: every 5xx but what is not
        offered, which works as it should."""
        return self.status >= 500 and self.status != 501

    @property
    def told(self) -> str:
        """The detail as anybody may read it."""
        if self.status == 500:
            return "Something failed; it is in the log."
        return self.title if self.private else self.detail

    @property
    def code(self) -> str:
        """The class name, which is what a client may test for."""
        return type(self).__name__


class InvalidInput(LociError):
    status = 422
    title = "The request holds a value that cannot be accepted"


class EmptyText(InvalidInput):
    title = "The text is empty"


class ResidueOnly(InvalidInput):
    title = "Nothing but an instruction marker would be left of the text"


class PiiRefused(InvalidInput):
    title = "The text holds personal data that this scope refuses"


class PolicyInvalid(InvalidInput):
    title = "The sanitising policy cannot be read"


class QueryRefused(InvalidInput):
    title = "The query goes beyond a limit"


class Unauthenticated(LociError):
    status = 401
    title = "A valid API key is needed"


class Forbidden(LociError):
    status = 403
    title = "This key may not do that"


class SystemRoleRefused(Forbidden):
    title = "Text of the role system is not captured"


class NotFound(LociError):
    status = 404
    title = "There is nothing here that this key can see"


class Conflict(LociError):
    status = 409
    title = "The request contradicts what is stored"


class AlreadyExists(Conflict):
    title = "There is already one of that name"


class IdempotencyMismatch(Conflict):
    title = "The idempotency key was used for a different request"


class Erased(Conflict):
    title = "This was erased here"


class SwitchedOff(Conflict):
    title = "The rules of the scope do not allow this"


class QuotaReached(Conflict):
    title = "As much is kept as the settings allow"


class VersionMismatch(Conflict):
    status = 412
    title = "It has changed since that version"


class StateRefused(Conflict):
    title = "It is not in a state that allows this"


class LeaseLost(Conflict):
    title = "Lease lost"


class TooLarge(LociError):
    status = 413
    title = "The request is too large"


class FileRefused(LociError):
    status = 422
    title = "The file cannot be taken in"


class FileBroken(FileRefused):
    title = "The file is damaged, or not what it says it is"


class FileEncrypted(FileRefused):
    title = "The file is encrypted"


class FileTooLarge(FileRefused):
    title = "The file goes beyond a limit"


class FetchRefused(FileRefused):
    title = "The address is not fetched"


class UnsupportedMediaType(LociError):
    status = 415
    title = "The body is of a kind that is not taken here"


class RateLimited(LociError):
    """Too many requests; `retry_after` is in seconds."""

    status = 429
    title = "Too many requests"

    def __init__(self, detail: str = "", *, retry_after: float = 1.0) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class NotOffered(LociError):
    status = 501
    title = "Loci does not offer this"


class Unavailable(LociError):
    status = 503
    title = "A part that Loci needs does not answer"


class NotReadYet(Unavailable):
    title = "The text is stored and waits to be read; the same request again finds what came of it"


class GraphUnavailable(Unavailable):
    title = "The graph database does not answer"
    private = True


class GraphBusy(Unavailable):
    title = "The graph was busy with another change to the same"
    private = True


class QueueUnavailable(Unavailable):
    title = "The job queue does not answer"


class WorkingMemoryUnavailable(Unavailable):
    title = "Working memory does not answer"


class EmbedderUnavailable(Unavailable):
    title = "The embedding model does not answer"


class RerankerUnavailable(Unavailable):
    title = "The reranker does not answer"


class GdsUnavailable(Unavailable):
    title = "Graph Data Science is missing, busy, or short of memory"
    private = True


class FetchFailed(Unavailable):
    title = "The address does not answer"


class LlmUnavailable(Unavailable):
    """The language model gave no answer; `tokens` is what the attempt used nevertheless."""

    title = "The language model does not answer"
    tokens = 0


class LlmAnswerUnusable(LlmUnavailable):
    title = "The answer of the language model cannot be used"


class BudgetSpent(LlmUnavailable):
    title = "The day's budget for the language model is spent"


class DetectorUnavailable(Unavailable):
    title = "A detector that the scope's policy asks for is not installed"


class DetectorBroken(LociError):
    title = "A detector of the sanitising step does not work here"


class QueryError(LociError):
    title = "A query and the database disagree"


class ModelMismatch(LociError):
    title = "The stored vectors come from another embedding model"


class RuntimeFailure(LociError):
    title = "The embedded runtime cannot go on"


class PortTaken(RuntimeFailure):
    title = "A port is in use"


class DiskFull(RuntimeFailure):
    title = "The disk is almost full"


class HomeUnusable(RuntimeFailure):
    title = "A folder that Loci needs cannot be written"


class JavaMissing(RuntimeFailure):
    title = "No Java of version 21 or later was found"


class PlatformUnsupported(RuntimeFailure):
    title = "The embedded runtime does not work on this platform"


class DownloadFailed(RuntimeFailure):
    title = "A download failed"


class ChecksumMismatch(DownloadFailed):
    title = "A downloaded file is not the expected one"


class StoreUnusable(RuntimeFailure):
    title = "The store cannot be opened"


class PartFailed(RuntimeFailure):
    title = "A part of the runtime does not run"
