"""Who may do what: identity from the credential, grants from the store, one pure decision.

A principal's own scope has the principal's id and needs no grant. Of several statements about
one scope the denying one wins, ownership included: a grant that is not visible hides the scope,
one that is not writable makes it read-only. What nothing allows is denied.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal, get_args

from moss_memory.core.errors import (
    ApproverMustDifferError,
    MossError,
    NotFoundError,
    RightMissingError,
    ScopeNotWritableError,
)
from moss_memory.core.fact import Source

ReadMode = Literal["off", "writable_scopes", "visible_scopes"]
WriteMode = Literal["off", "writable_scopes"]
Right = Literal["scope:admin", "key:admin", "erasure:admin", "audit:read", "debug"]
ScopeKind = Literal["personal", "team", "tenant"]
Action = Literal[
    "read", "write", "confirm", "cancel", "administer_scopes", "administer_keys", "erase",
    "verify_audit", "debug",
]  # fmt: skip
Reason = Literal[
    "ALLOWED", "CROSS_TENANT_DENIED", "READ_OFF", "WRITE_OFF", "SCOPE_NOT_VISIBLE",
    "SCOPE_NOT_WRITABLE", "RIGHT_MISSING", "APPROVER_MUST_DIFFER", "PENDING_OF_ANOTHER",
    "UNKNOWN_ACTION",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who speaks, from the credential alone. A principal's own scope has the principal's id."""

    tenant_id: str
    principal_id: str
    rights: frozenset[str] = field(default_factory=frozenset)
    source_ceiling: Source = "user_explicit"
    read_mode: ReadMode = "visible_scopes"
    write_mode: WriteMode = "writable_scopes"
    key_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where facts live; ``approver_must_differ`` makes another writer confirm what conflicts."""

    scope_id: str
    kind: ScopeKind
    approver_must_differ: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What one principal may do in one scope."""

    scope: Scope
    visible: bool = True
    writable: bool = False


@dataclass(frozen=True, slots=True)
class Access:
    """What a caller may reach now: the own scope first, then the granted ones by id.

    ``visible`` and ``writable`` already honour ``read_mode`` and ``write_mode``.
    """

    caller: Caller
    visible: tuple[str, ...]
    writable: tuple[str, ...]
    scopes: tuple[Scope, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """What is asked for. ``scope_id`` None is the tenant itself.

    ``principal_id`` is whom it concerns: who proposed a pending, who is to be erased.
    """

    tenant_id: str
    scope_id: str | None = None
    principal_id: str | None = None
    approver_must_differ: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """Allowed or not, and why; the reason is a code for audit rows, never shown for a 404."""

    effect: Literal["allow", "deny"]
    reason_code: Reason

    @property
    def allowed(self) -> bool:
        """Whether the effect is allow."""
        return self.effect == "allow"


RIGHTS: Final[frozenset[str]] = frozenset(get_args(Right))
ALLOW: Final = Decision("allow", "ALLOWED")
_RIGHT_OF: Final[Mapping[str, Right]] = {
    "administer_scopes": "scope:admin",
    "administer_keys": "key:admin",
    "erase": "erasure:admin",
    "verify_audit": "audit:read",
    "debug": "debug",
}
_ERRORS: Final[Mapping[Reason, type[MossError]]] = {  # any other reason: as if it did not exist
    "WRITE_OFF": ScopeNotWritableError,
    "SCOPE_NOT_WRITABLE": ScopeNotWritableError,
    "RIGHT_MISSING": RightMissingError,
    "APPROVER_MUST_DIFFER": ApproverMustDifferError,
}
_ID: Final = re.compile(r"[A-Za-z0-9._%@+-]{1,128}")
_RANK: Final[Mapping[Source, int]] = {
    "user_explicit": 5,
    "user_selection": 4,
    "user_feedback": 4,
    "vision": 3,
    "task_result": 3,
    "model_inferred": 1,
}


def decide(
    caller: Caller, action: Action | str, resource: Resource, grants: Iterable[Grant]
) -> Decision:
    """Decide whether ``caller`` may do ``action`` to ``resource``; total, and deny by default.

    A write needs a visible scope but not the right to read back: a key with ``read_mode`` off
    can add and sees nothing. A pending is its proposer's, or, in a scope whose approver must
    differ, any writer's; the proposer may always cancel.
    """
    if resource.tenant_id != caller.tenant_id:
        return _deny("CROSS_TENANT_DENIED")
    if action in _RIGHT_OF:
        own = action == "erase" and resource.principal_id == caller.principal_id
        return ALLOW if own or _RIGHT_OF[action] in caller.rights else _deny("RIGHT_MISSING")
    visible, writable = _reach(caller, resource.scope_id, grants)
    if action == "read":
        return _read(caller, visible=visible, writable=writable)
    if action == "write":
        return _write(caller, visible=visible, writable=writable)
    if action in {"confirm", "cancel"}:
        return _settle(caller, action, resource, _write(caller, visible=visible, writable=writable))
    return _deny("UNKNOWN_ACTION")


def enforce(decision: Decision) -> None:
    """Raise the refusal of the HTTP contract for a denial.

    Raises:
        NotFoundError: the caller may not know that the resource exists.
        ScopeNotWritableError: it may see it.
        RightMissingError: the credential lacks a right.
        ApproverMustDifferError: somebody else has to approve.
    """
    if not decision.allowed:
        raise _ERRORS.get(decision.reason_code, NotFoundError)


def access_of(caller: Caller, grants: Iterable[Grant]) -> Access:
    """Return what ``caller`` reaches with ``grants``: as ``decide`` says for each known scope."""
    return _access_of(caller, tuple(grants))


@lru_cache(maxsize=1024)  # asked several times a request, of the same caller and the same grants
def _access_of(caller: Caller, granted: tuple[Grant, ...]) -> Access:
    own = Scope(scope_id=caller.principal_id, kind="personal")
    known = {own.scope_id: own} | {grant.scope.scope_id: grant.scope for grant in granted}
    order = [own.scope_id, *sorted(known.keys() - {own.scope_id})]

    def allowed(action: Action) -> tuple[str, ...]:
        resources = (Resource(tenant_id=caller.tenant_id, scope_id=scope) for scope in order)
        return tuple(
            resource.scope_id
            for resource in resources
            if resource.scope_id and decide(caller, action, resource, granted).allowed
        )

    visible, writable = allowed("read"), allowed("write")
    reached = tuple(known[scope] for scope in order if scope in visible or scope in writable)
    return Access(caller, visible, writable, reached)


def is_id(text: object) -> bool:
    """Tell whether ``text`` may name a tenant, a principal or a scope; ``%`` is a plain sign."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None


def owner_of(scope_id: str) -> str:
    """Return who owns what is in a scope: the principal whose id it is, or the scope itself.

    Both have the scope's id. A shared scope must therefore not take a principal's id, which
    ``flow.governance`` refuses.
    """
    return scope_id


def source_allowed(ceiling: Source, source: Source) -> bool:
    """Tell whether a credential with ``ceiling`` may speak with ``source``.

    A ceiling bounds weight, not kind: sources of equal rank may stand for each other, so a key
    for task results may also report what a camera saw, which carries no more weight and has to
    state its confidence. What type of memory a source may write is the ontology's to say.
    """
    return _RANK[source] <= _RANK[ceiling]


def _deny(reason: Reason) -> Decision:
    return Decision("deny", reason)


def _reach(caller: Caller, scope_id: str | None, grants: Iterable[Grant]) -> tuple[bool, bool]:
    """Return what grants and ownership say of a scope: visible, and writable as well."""
    said = [grant for grant in grants if grant.scope.scope_id == scope_id]
    if scope_id == caller.principal_id and all(g.scope.kind == "personal" for g in said):
        said.append(Grant(scope=Scope(scope_id=scope_id, kind="personal"), writable=True))
    visible = bool(said) and all(grant.visible for grant in said)
    return visible, visible and all(grant.writable for grant in said)


def _read(caller: Caller, *, visible: bool, writable: bool) -> Decision:
    if caller.read_mode == "off":
        return _deny("READ_OFF")
    reached = writable if caller.read_mode == "writable_scopes" else visible
    return ALLOW if reached else _deny("SCOPE_NOT_VISIBLE")


def _write(caller: Caller, *, visible: bool, writable: bool) -> Decision:
    if not visible:
        return _deny("SCOPE_NOT_VISIBLE")
    if caller.write_mode == "off":
        return _deny("WRITE_OFF")
    return ALLOW if writable else _deny("SCOPE_NOT_WRITABLE")


def _settle(caller: Caller, action: str, resource: Resource, write: Decision) -> Decision:
    proposer = resource.principal_id == caller.principal_id
    if not proposer and not (resource.approver_must_differ and write.allowed):
        return _deny("PENDING_OF_ANOTHER")
    if action == "cancel" and proposer:
        return ALLOW
    if write.allowed and proposer and resource.approver_must_differ:
        return _deny("APPROVER_MUST_DIFFER")
    return write
