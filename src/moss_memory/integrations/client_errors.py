"""Why a call did not succeed: one exception for each code of the HTTP contract, with its fields.

All are ``MossClientError``. What the service refused is a ``ProblemError`` (RFC 9457); what never
was an answer of the service is a ``ConnectionFailedError`` or an ``UnexpectedAnswerError``.
"""

from collections.abc import Mapping
from typing import Any, Final


class MossClientError(Exception):
    """A call that did not succeed."""


class ConnectionFailedError(MossClientError):
    """No answer came: refused, broken off or timed out.

    ``may_have_happened`` is False where the request cannot have reached the service. A write that
    may have happened is repeated safely with the same ``idempotency_key``.
    """

    def __init__(self, detail: str, *, may_have_happened: bool, key: str | None = None) -> None:
        super().__init__(detail)
        self.may_have_happened = may_have_happened
        self.idempotency_key = key


class UnexpectedAnswerError(MossClientError):
    """Something answered, but not as this service does: a proxy perhaps, or another program."""

    def __init__(self, detail: str, *, status: int) -> None:
        super().__init__(detail)
        self.status = status


class ProblemError(MossClientError):
    """A refusal. ``code`` is the contract's word, ``members`` are its extension members.

    ``retry_after`` is in seconds, None where the service named none.
    """

    code: str = ""

    def __init__(
        self, problem: Mapping[str, Any], *, status: int, retry_after: float | None = None
    ) -> None:
        self.status = status
        self.code = str(problem.get("code", ""))  # one newer than this client, too
        self.title: str = str(problem.get("title", ""))
        self.detail: str = str(problem.get("detail", ""))
        self.request_id: str = str(problem.get("request_id", ""))
        self.retry_after = retry_after
        self.members = {name: held for name, held in problem.items() if name not in _OWN}
        super().__init__(f"{self.code}: {self.detail}")


_OWN: Final = frozenset({"type", "title", "status", "detail", "code", "request_id"})
