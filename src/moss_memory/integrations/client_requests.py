"""Every route of the service as a function that returns the call to make.

``MossClient`` and ``AsyncMossClient`` have these as methods of the same names and parameters; here
is where they are documented. A write has ``idempotency_key``: leave it None for one made for this
call, or name one to repeat a write safely from another process.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from typing_extensions import Unpack

from moss_memory.core.access import ScopeKind
from moss_memory.core.linter import ActionName
from moss_memory.integrations.client_call import Call, reading, writing
from moss_memory.integrations.client_governance_values import (
    Asked,
    AuditCheck,
    Context,
    Decision,
    Erasure,
    Grant,
    Health,
    Key,
    KeyTerms,
    Narrowed,
    NewKey,
    Profile,
    Said,
    Scope,
    Session,
    Why,
)
from moss_memory.integrations.client_values import (
    Answer,
    Chat,
    FactChanges,
    FactIn,
    Instant,
    Lint,
    Memory,
    OpenQuestion,
    Page,
    Settled,
)

_UNSET: Any = object()  # where None has a meaning of its own


def _path(*parts: str) -> str:
    return "/" + "/".join(quote(part, safe="") for part in parts)


def _told(**members: Any) -> dict[str, Any]:
    """Leave out what was not said."""
    return {name: value for name, value in members.items() if value is not None}


def me() -> Call[Profile]:
    """Say who the credential is, in which zone and language, and what it may reach."""
    return reading("/me")


def update_me(
    *,
    timezone: str | None = _UNSET,
    locale: str | None = _UNSET,
    idempotency_key: str | None = None,
) -> Call[Profile]:
    """Set zone or language; None goes back to the service's own.

    Raises:
        UnknownZoneError: there is no such zone.
        VerdictChangedError: times that float with the zone would now conflict; nothing changed.
    """
    given = {"timezone": timezone, "locale": locale}
    body = {name: value for name, value in given.items() if value is not _UNSET}
    return writing("PATCH", "/me", body, key=idempotency_key)


def chat(text: str, *, idempotency_key: str | None = None, **around: Unpack[Said]) -> Call[Chat]:
    """Say something: a fact is written or held, a question is answered from memory.

    While ``confirm_required`` is true nothing is written: offer ``actions`` and call ``confirm``.
    """
    return writing("POST", "/chat", {"text": text, **_told(**around)}, key=idempotency_key)


def confirm(
    pending_id: str, action: ActionName, *, idempotency_key: str | None = None
) -> Call[Settled]:
    """Answer an open question with one of the actions that it offers.

    Raises:
        VerdictChangedError: something else conflicts by now; it carries the fresh question.
        AlreadySettledError, PendingGoneError, ActionNotOfferedError, ApproverMustDifferError,
        NotAdmittedError: as they say.
    """
    body = {"pending_id": pending_id, "action": action}
    return writing("POST", "/confirm", body, key=idempotency_key)


def pendings() -> Call[Page[OpenQuestion]]:
    """Iterate over the questions that wait for this caller."""
    return reading("/pending")


def pending(pending_id: str) -> Call[OpenQuestion]:
    """Return one open question."""
    return reading(_path("pending", pending_id))


def remember(
    facts: FactIn | Sequence[FactIn],
    *,
    dry_run: bool | None = None,
    idempotency_key: str | None = None,
) -> Call[Answer]:
    """Propose one fact, or up to ten that are written, held or refused together.

    Where ``pending`` is set they conflict and are held: offer ``actions`` and call ``confirm``.
    A dry run writes nothing and says what would happen, refusals too.

    Raises:
        NotAdmittedError: the rules refuse them.
    """
    body = _told(facts=_facts(facts), dry_run=dry_run)
    return writing("POST", "/memories", body, key=idempotency_key)


def lint(facts: FactIn | Sequence[FactIn]) -> Call[Lint]:
    """Ask what the rules would say of facts; nothing is written and no write right is needed."""
    return reading("/lint", method="POST", body={"facts": _facts(facts)})


def _facts(facts: FactIn | Sequence[FactIn]) -> list[Any]:
    return [facts] if isinstance(facts, Mapping) else list(facts)


def memories(**narrowed: Unpack[Narrowed]) -> Call[Page[Memory]]:
    """Iterate over memories, newest first, fetching pages of ``limit`` (1 to 100) as needed.

    Args:
        narrowed: ``domain``, ``predicate``, ``subject``, ``scope_id``; ``status`` (active where
            absent); ``overlaps_from`` and ``overlaps_to``, a half-open window; ``valid_at``, true
            at that instant; ``known_at``, as the service believed then, or ``known_epoch``, the
            same in the words of an earlier answer; ``limit`` and ``cursor`` of the pages.
    """
    query = _told(**narrowed)
    for ours, theirs in (("overlaps_from", "from"), ("overlaps_to", "to")):
        if ours in query:
            query[theirs] = query.pop(ours)
    return reading("/memories", query=query)


def memory(memory_id: str, *, known_at: Instant | None = None) -> Call[Memory]:
    """Return one memory, retired ones too; ``known_at``: as it was known then."""
    return reading(_path("memories", memory_id), query=_told(known_at=known_at))


def revise(
    memory_id: str,
    changes: FactChanges,
    *,
    expected_revision: int,
    idempotency_key: str | None = None,
) -> Call[Memory | Answer]:
    """Change a memory; the answer is the memory, or (see ``is_held``) the question that it raises.

    Raises:
        RevisionConflictError: it has another revision by now.
        MemoryInactiveError, NotAdmittedError: as they say.
    """
    body = {**changes, "expected_revision": expected_revision}
    return writing("PATCH", _path("memories", memory_id), body, key=idempotency_key)


def forget(
    memory_id: str, *, expected_revision: int, idempotency_key: str | None = None
) -> Call[Memory]:
    """Retire a memory: it leaves every context at once and stays in the history.

    Raises:
        RevisionConflictError: it has another revision by now.
    """
    query = {"expected_revision": expected_revision}
    return writing("DELETE", _path("memories", memory_id), None, key=idempotency_key, query=query)


def revisions(memory_id: str) -> Call[Page[Memory]]:
    """Iterate over every revision of a memory, oldest first."""
    return reading(_path("memories", memory_id, "revisions"))


def restore(
    memory_id: str,
    revision: int,
    *,
    expected_revision: int,
    idempotency_key: str | None = None,
) -> Call[Memory | Answer]:
    """Make an old revision current again, as a new one; answers and raises as ``revise``.

    Raises:
        UnknownRevisionError: there is no such revision.
    """
    body = {"revision": revision, "expected_revision": expected_revision}
    return writing("POST", _path("memories", memory_id, "restore"), body, key=idempotency_key)


def why(memory_id: str, *, locale: str | None = None) -> Call[Why]:
    """Say who said a memory, when, what it replaced and which rule decided."""
    return reading(_path("memories", memory_id, "why"), query=_told(locale=locale))


def namespaces(
    *, prefix: str | None = None, limit: int | None = None, cursor: str | None = None
) -> Call[Page[str]]:
    """Iterate over the subjects of the Store domain that start with ``prefix``."""
    return reading("/namespaces", query=_told(prefix=prefix, limit=limit, cursor=cursor))


def context(query: str | None = None, **asked: Unpack[Asked]) -> Call[Context]:
    """Return what a model may be told: active, visible, unexpired facts within a token budget.

    Args:
        query: what it is about; ranks by relevance.
        asked: ``token_budget`` (1024 where absent); ``window``, for facts about a time;
            ``domains``, only these; ``current``, facts of this turn, which outrank memory;
            ``sections``, blocks of the caller's own, counted and cut with the rest;
            ``known_at`` or ``known_epoch``, the past; and the circumstances of ``chat``.
    """
    return reading("/context", method="POST", body=_told(query=query, **asked))


def session(session_id: str) -> Call[Session]:
    """Return the working memory of a conversation."""
    return reading(_path("sessions", session_id))


def end_session(session_id: str, *, idempotency_key: str | None = None) -> Call[None]:
    """Forget the working memory of a conversation; what was remembered stays."""
    return writing("DELETE", _path("sessions", session_id), None, key=idempotency_key)


def decision(decision_id: str) -> Call[Decision]:
    """Return why something was written, held, refused or dropped."""
    return reading(_path("decisions", decision_id))


def decisions(memory_id: str) -> Call[Page[Decision]]:
    """Iterate over the decisions that name a memory, oldest first."""
    return reading("/decisions", query={"memory_id": memory_id})


def verify_audit() -> Call[AuditCheck]:
    """Verify every hash chain of the tenant (right audit:read)."""
    return reading("/audit/verify")


def scopes() -> Call[Page[Scope]]:
    """Iterate over the scopes (right scope:admin)."""
    return reading("/scopes")


def put_scope(
    scope_id: str, kind: ScopeKind, *, approver_must_differ: bool | None = None
) -> Call[Scope]:
    """Make a scope, or change it (right scope:admin)."""
    body = _told(kind=kind, approver_must_differ=approver_must_differ)
    return writing("PUT", _path("scopes", scope_id), body)


def grant(scope_id: str, principal_id: str, *, visible: bool, writable: bool) -> Call[Grant]:
    """Say what a principal may do in a scope (right scope:admin)."""
    body = {"visible": visible, "writable": writable}
    return writing("PUT", _path("scopes", scope_id, "grants", principal_id), body)


def revoke_grant(
    scope_id: str, principal_id: str, *, idempotency_key: str | None = None
) -> Call[None]:
    """Take a principal's grant in a scope back (right scope:admin)."""
    path = _path("scopes", scope_id, "grants", principal_id)
    return writing("DELETE", path, None, key=idempotency_key)


def create_key(
    principal_id: str, *, idempotency_key: str | None = None, **terms: Unpack[KeyTerms]
) -> Call[NewKey]:
    """Make a key for a principal; this answer alone shows it (right key:admin)."""
    body = {"principal_id": principal_id, **_told(**terms)}
    return writing("POST", "/keys", body, key=idempotency_key)


def keys() -> Call[Page[Key]]:
    """Iterate over the tenant's keys, without their secrets (right key:admin)."""
    return reading("/keys")


def revoke_key(key_id: str, *, idempotency_key: str | None = None) -> Call[None]:
    """Revoke a key, at once (right key:admin)."""
    return writing("DELETE", _path("keys", key_id), None, key=idempotency_key)


def erase(principal_id: str, *, idempotency_key: str | None = None) -> Call[Erasure]:
    """Erase a principal for good; oneself, or with the right erasure:admin anybody."""
    body = {"principal_id": principal_id}
    return writing("POST", "/erasures", body, key=idempotency_key)


def ontology() -> Call[dict[str, Any]]:
    """Return what may be remembered."""
    return reading("/ontology")


def rules() -> Call[dict[str, Any]]:
    """Return the rule table and its ``rules_version``."""
    return reading("/rules")


def calendar() -> Call[bytes]:
    """Return what the caller sees as an iCalendar file."""
    return reading("/memories.ics", answers="bytes")


def livez() -> Call[dict[str, Any]]:
    """Return whether the process lives."""
    return reading("/livez")


def readyz() -> Call[Health]:
    """Return whether the service can answer; an unready one is an answer, not an error."""
    return reading("/readyz", also=frozenset({503}))
