"""Why a request is refused: one class a code of the HTTP contract, so that no layer invents one.

``code`` is the wire's word, the message is safe to show (it never repeats what a caller sent),
``members`` are the extension members of the problem document. Statuses live in ``api/problems``.
"""

from collections.abc import Mapping
from typing import ClassVar


class MossError(Exception):
    """A refusal with a code of the closed list; ``members`` hold JSON values and no user text."""

    code: ClassVar[str] = "internal"

    def __init__(self, detail: str = "", **members: object) -> None:
        super().__init__(detail or type(self).__doc__ or self.code)
        self.members: Mapping[str, object] = members


class InvalidRequestError(MossError):
    """The request is malformed."""

    code = "invalid_request"


class NaiveTimestampError(InvalidRequestError):
    """An instant needs an offset from UTC."""

    code = "naive_timestamp"


class EmptyWindowError(InvalidRequestError):
    """A window must end after it starts."""

    code = "empty_window"


class WindowRequiredError(InvalidRequestError):
    """An event needs a time."""

    code = "window_required"


class UnknownZoneError(InvalidRequestError):
    """The time zone is not in the IANA database."""

    code = "unknown_zone"


class UnboundedRecurrenceError(InvalidRequestError):
    """The recurrence is finer than daily, or has no occurrence within ten years."""

    code = "unbounded_recurrence"


class UnknownPredicateError(InvalidRequestError):
    """The ontology has no such domain, subject or predicate."""

    code = "unknown_predicate"


class InvalidValueError(InvalidRequestError):
    """A value is outside what its field may hold."""

    code = "invalid_value"


class TextRefusedError(InvalidRequestError):
    """The text holds what must not be stored; ``kind``, ``field`` and ``length`` say what."""

    code = "text_refused"


class TextTooLongError(InvalidRequestError):
    """The text is longer than its field allows."""

    code = "text_too_long"


class TooManyFactsError(InvalidRequestError):
    """A request carries at most ten facts."""

    code = "too_many_facts"


class UnknownRevisionError(InvalidRequestError):
    """The memory has no such revision."""

    code = "unknown_revision"


class InvalidCursorError(InvalidRequestError):
    """The cursor was not made by this service, or not for this list."""

    code = "invalid_cursor"


class ActionNotOfferedError(InvalidRequestError):
    """The question does not offer this action."""

    code = "action_not_offered"


class IdempotencyKeyReusedError(InvalidRequestError):
    """The Idempotency-Key was used with another request."""

    code = "idempotency_key_reused"


class NotAdmittedError(MossError):
    """The rules refuse the fact; ``verdict`` says which."""

    code = "not_admitted"


class PreconditionMismatchError(MossError):
    """If-Match and expected_revision name different revisions."""

    code = "precondition_mismatch"


class UnauthenticatedError(MossError):
    """The request carries no valid credential."""

    code = "unauthenticated"


class ScopeNotWritableError(MossError):
    """The caller may see this scope, not write it."""

    code = "scope_not_writable"


class RightMissingError(MossError):
    """The credential lacks the right that this route needs."""

    code = "right_missing"


class ApproverMustDifferError(MossError):
    """In this scope somebody else than the proposer has to approve."""

    code = "approver_must_differ"


class SourceAboveCeilingError(MossError):
    """The credential may not speak with this source."""

    code = "source_above_ceiling"


class TenantNotServedError(MossError):
    """This service does not serve the credential's tenant."""

    code = "tenant_not_served"


class NotFoundError(MossError):
    """There is no such thing, or the caller may not see it."""

    code = "not_found"


class StaleRevisionError(MossError):
    """The memory has another revision than expected; ``current_revision`` names it."""

    code = "revision_conflict"


class StaleMatchError(StaleRevisionError):
    """The memory has another revision than If-Match names; ``current_revision`` names it."""


class RevisionRequiredError(MossError):
    """This change needs If-Match or expected_revision."""

    code = "revision_required"


class VerdictChangedError(MossError):
    """What was asked no longer holds; ``verdict``, ``pending`` and ``actions`` ask afresh."""

    code = "verdict_changed"


class AlreadySettledError(MossError):
    """The question was settled another way."""

    code = "already_settled"


class MemoryInactiveError(MossError):
    """The memory is retired."""

    code = "memory_inactive"


class IdempotencyInProgressError(MossError):
    """The first request with this Idempotency-Key is still running."""

    code = "idempotency_in_progress"


class PendingGoneError(MossError):
    """The question is no longer open; say it again."""

    code = "pending_gone"


class PrincipalErasedError(MossError):
    """The principal was erased."""

    code = "principal_erased"


class TooManyPendingsError(MossError):
    """The principal has too many open questions."""

    code = "too_many_pendings"


class RateLimitedError(MossError):
    """Too many requests; ``retry_after`` says how many seconds to wait."""

    code = "rate_limited"


class ModelBadOutputError(MossError):
    """The language model answered outside its schema, twice."""

    code = "model_bad_output"


class ModelUnavailableError(MossError):
    """The language model cannot be reached now."""

    code = "model_unavailable"


class ModelTimeoutError(MossError):
    """The language model did not answer in time."""

    code = "model_timeout"


class PendingStoreUnavailableError(MossError):
    """A question cannot be held now; nothing was written."""

    code = "pending_store_unavailable"


class StorageUnavailableError(MossError):
    """The database cannot be reached now; nothing was written."""

    code = "storage_unavailable"


class OutcomeUnknownError(MossError):
    """The connection broke at commit; repeat with the same Idempotency-Key to learn the outcome."""

    code = "outcome_unknown"


class PolicyError(ValueError):
    """A rule table or an ontology that must not be used; the message says where and why.

    Not a refusal of a request: it ends the start of the service, and ``rules verify``.
    """
