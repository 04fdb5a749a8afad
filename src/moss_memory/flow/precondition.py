"""Whether the caller has seen what it changes: If-Match and expected_revision."""

from datetime import datetime

from moss_memory.core.errors import (
    PreconditionMismatchError,
    RevisionRequiredError,
    StaleMatchError,
    StaleRevisionError,
)
from moss_memory.core.fact import Memory
from moss_memory.flow.requests import RevisionCheck


def require_revision(check: RevisionCheck) -> int:
    """Return the revision that the caller names.

    Raises:
        PreconditionMismatchError: the two names differ.
        RevisionRequiredError: neither is given, or ``*``, which any revision would match.
    """
    if check.if_match == "*" or (check.if_match is None and check.expected is None):
        raise RevisionRequiredError
    if check.if_match is None:
        assert check.expected is not None
        return check.expected
    if check.expected is not None and check.expected != check.if_match:
        raise PreconditionMismatchError
    return check.if_match


def check_revision(check: RevisionCheck, memory: Memory) -> None:
    """Refuse a change of another revision than the newest.

    Raises:
        StaleMatchError, StaleRevisionError: by which of the two the caller named it.
    """
    if require_revision(check) == memory.revision:
        return
    if check.if_match is not None:
        raise StaleMatchError(current_revision=memory.revision)
    raise StaleRevisionError(current_revision=memory.revision)


def inactive(memory: Memory, now: datetime) -> bool:
    """Tell whether a memory was retired, superseded, or is past its own expiry at ``now``."""
    expires = memory.fact.expires_at
    return not memory.active or (expires is not None and expires <= now)
