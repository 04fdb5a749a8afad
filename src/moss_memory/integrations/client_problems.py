"""One exception for each code of the HTTP contract's closed list, with the code's own fields."""

from collections.abc import Mapping
from typing import Any, Final

from moss_memory.core.linter import ActionName
from moss_memory.integrations.client_errors import ProblemError
from moss_memory.integrations.client_values import Action, Pending, Verdict


class MalformedBodyError(ProblemError):
    """The body is not JSON that the service reads."""

    code = "malformed_body"


class PreconditionMismatchError(ProblemError):
    """If-Match and expected_revision name different revisions."""

    code = "precondition_mismatch"


class UnauthenticatedError(ProblemError):
    """The credential is missing, unknown, expired or revoked."""

    code = "unauthenticated"


class ScopeNotWritableError(ProblemError):
    """The scope may be seen, not written."""

    code = "scope_not_writable"


class RightMissingError(ProblemError):
    """The credential lacks the right that this route needs."""

    code = "right_missing"


class ApproverMustDifferError(ProblemError):
    """In this scope somebody else than the proposer has to approve."""

    code = "approver_must_differ"


class SourceAboveCeilingError(ProblemError):
    """The credential may not speak with this source."""

    code = "source_above_ceiling"


class TenantNotServedError(ProblemError):
    """The service does not serve the credential's tenant."""

    code = "tenant_not_served"


class NotFoundError(ProblemError):
    """There is no such thing, or it is not for this caller to see."""

    code = "not_found"


class MethodNotAllowedError(ProblemError):
    """The path has no such method: service and client differ in version."""

    code = "method_not_allowed"


class RevisionConflictError(ProblemError):
    """Somebody wrote in between: read again, then decide again."""

    code = "revision_conflict"

    @property
    def current_revision(self) -> int:
        """The revision that the memory has now."""
        return int(self.members["current_revision"])


class VerdictChangedError(ProblemError):
    """What was asked no longer holds; ``pending`` and ``actions`` ask afresh."""

    code = "verdict_changed"

    @property
    def verdict(self) -> Verdict | None:
        """What the rules say now."""
        return self.members.get("verdict")

    @property
    def pending(self) -> Pending | None:
        """The question that took the place of the old one."""
        return self.members.get("pending")

    @property
    def actions(self) -> list[Action]:
        """What may be answered now."""
        return list(self.members.get("actions") or ())


class AlreadySettledError(ProblemError):
    """The question was settled another way."""

    code = "already_settled"

    @property
    def action(self) -> ActionName | None:
        """How it was settled."""
        return self.members.get("action")


class MemoryInactiveError(ProblemError):
    """The memory is retired or superseded."""

    code = "memory_inactive"


class IdempotencyInProgressError(ProblemError):
    """The first request with this key still runs."""

    code = "idempotency_in_progress"


class PendingGoneError(ProblemError):
    """The question is no longer open: say it again."""

    code = "pending_gone"


class PrincipalErasedError(ProblemError):
    """The principal was erased."""

    code = "principal_erased"


class BodyTooLargeError(ProblemError):
    """The request is over 64 KiB."""

    code = "body_too_large"


class UnsupportedMediaTypeError(ProblemError):
    """The body is not application/json."""

    code = "unsupported_media_type"


class InvalidRequestError(ProblemError):
    """The request is not what the contract says; also the class of every other 422 but one."""

    code = "invalid_request"

    @property
    def faults(self) -> list[dict[str, Any]]:
        """What is wrong, and where."""
        return list(self.members.get("faults") or ())


class NaiveTimestampError(InvalidRequestError):
    """An instant has no offset."""

    code = "naive_timestamp"


class EmptyWindowError(InvalidRequestError):
    """A window does not end after it starts."""

    code = "empty_window"


class WindowRequiredError(InvalidRequestError):
    """An event has no time."""

    code = "window_required"


class UnknownZoneError(InvalidRequestError):
    """There is no such time zone."""

    code = "unknown_zone"


class UnboundedRecurrenceError(InvalidRequestError):
    """The recurrence is finer than daily, or never occurs."""

    code = "unbounded_recurrence"


class UnknownPredicateError(InvalidRequestError):
    """The ontology has no such domain, subject or predicate."""

    code = "unknown_predicate"


class InvalidValueError(InvalidRequestError):
    """A value is outside what its field may hold."""

    code = "invalid_value"


class TextRefusedError(InvalidRequestError):
    """The text holds what must not be stored."""

    code = "text_refused"

    @property
    def kind(self) -> str:
        """What was found, a credential for example."""
        return str(self.members.get("kind", ""))

    @property
    def field(self) -> str:
        """In which field."""
        return str(self.members.get("field", ""))

    @property
    def length(self) -> int:
        """How many characters of it."""
        return int(self.members.get("length", 0))


class TextTooLongError(InvalidRequestError):
    """The text is longer than its field allows."""

    code = "text_too_long"

    @property
    def field(self) -> str:
        """In which field."""
        return str(self.members.get("field", ""))

    @property
    def length(self) -> int:
        """How long it is."""
        return int(self.members.get("length", 0))


class TooManyFactsError(InvalidRequestError):
    """A request carries at most ten facts."""

    code = "too_many_facts"


class UnknownRevisionError(InvalidRequestError):
    """The memory has no such revision."""

    code = "unknown_revision"


class InvalidCursorError(InvalidRequestError):
    """The cursor is not of this list."""

    code = "invalid_cursor"


class ActionNotOfferedError(InvalidRequestError):
    """The question does not offer this action; it is still open."""

    code = "action_not_offered"


class IdempotencyKeyReusedError(InvalidRequestError):
    """The key was used with another request."""

    code = "idempotency_key_reused"


class NotAdmittedError(ProblemError):
    """The rules refuse the fact."""

    code = "not_admitted"

    @property
    def verdict(self) -> Verdict | None:
        """Which rules, and why."""
        return self.members.get("verdict")


class RevisionRequiredError(ProblemError):
    """The change has to name the revision that it is based on."""

    code = "revision_required"


class TooManyPendingsError(ProblemError):
    """Too many questions are open: settle some."""

    code = "too_many_pendings"


class RateLimitedError(ProblemError):
    """Too many requests; ``retry_after`` says how long to wait."""

    code = "rate_limited"


class InternalError(ProblemError):
    """A fault of the service; its log has the ``request_id``."""

    code = "internal"


class ModelBadOutputError(ProblemError):
    """The language model answered outside its schema, twice."""

    code = "model_bad_output"


class ModelUnavailableError(ProblemError):
    """The language model cannot be reached now."""

    code = "model_unavailable"


class PendingStoreUnavailableError(ProblemError):
    """A question cannot be held now; nothing was written."""

    code = "pending_store_unavailable"


class StorageUnavailableError(ProblemError):
    """The database cannot be reached now; nothing was written."""

    code = "storage_unavailable"


class OutcomeUnknownError(ProblemError):
    """The service lost its database at commit; repeat with the same key to learn the outcome."""

    code = "outcome_unknown"


class ModelTimeoutError(ProblemError):
    """The language model did not answer in time."""

    code = "model_timeout"


def _registry() -> dict[str, type[ProblemError]]:
    known: dict[str, type[ProblemError]] = {}
    waiting = list(ProblemError.__subclasses__())
    while waiting:
        error = waiting.pop()
        known[error.code] = error
        waiting += error.__subclasses__()
    return known


BY_CODE: Final[Mapping[str, type[ProblemError]]] = _registry()


def problem_error(
    problem: Mapping[str, Any], *, status: int, retry_after: float | None
) -> ProblemError:
    """Return the exception of a problem; the base class for a code newer than this client."""
    error = BY_CODE.get(str(problem.get("code")), ProblemError)
    return error(problem, status=status, retry_after=retry_after)
