"""Scopes and grants: who may see and who may write what is shared.

A principal's own scope exists without being put. Putting it names it and may make another
writer approve; a shared scope never takes a principal's id, because a principal owns what
carries its id.
"""

from moss_memory.core.access import (
    Caller,
    Grant,
    Resource,
    Scope,
    ScopeKind,
    decide,
    enforce,
    is_id,
)
from moss_memory.core.errors import InvalidValueError, NotFoundError, PrincipalErasedError
from moss_memory.core.screening import screen
from moss_memory.flow.ports import House
from moss_memory.flow.ports_access import Claim, ScopeStore


def put_scope(
    store: ScopeStore,
    caller: Caller,
    scope_id: str,
    *,
    kind: ScopeKind,
    approver_must_differ: bool = False,
) -> Scope:
    """Make or change a scope of the caller's tenant.

    Raises:
        RightMissingError: the caller lacks ``scope:admin``.
        InvalidValueError: the id is malformed, a principal has it and the scope would be
            shared, or the scope would turn from personal to shared or back.
    """
    _administer(caller)
    _refuse_malformed(scope_id)
    known = store.scope(caller.tenant_id, scope_id)
    if known is not None and (known.kind == "personal") != (kind == "personal"):
        raise InvalidValueError("A personal scope stays personal, and a shared one shared.")
    if kind != "personal" and _is_principal(store, caller, scope_id):
        raise InvalidValueError("A shared scope cannot have the id of a principal.")
    scope = Scope(scope_id=scope_id, kind=kind, approver_must_differ=approver_must_differ)
    store.put_scope(caller.tenant_id, scope)
    return scope


def scopes(
    store: ScopeStore, caller: Caller, *, after: str | None = None, limit: int = 50
) -> tuple[Scope, ...]:
    """Return the scopes of the caller's tenant that were put, by id.

    Raises:
        RightMissingError: the caller lacks ``scope:admin``.
    """
    _administer(caller)
    return store.scopes(caller.tenant_id, after=after, limit=limit)


def grant(
    store: ScopeStore,
    caller: Caller,
    scope_id: str,
    principal_id: str,
    *,
    visible: bool,
    writable: bool,
) -> Grant:
    """Say what a principal may do in a scope; neither is an explicit denial.

    Raises:
        RightMissingError: the caller lacks ``scope:admin``.
        InvalidValueError: a malformed principal, or writable without visible.
        NotFoundError: there is no such scope.
    """
    _administer(caller)
    _refuse_malformed(principal_id)
    if writable and not visible:
        raise InvalidValueError("What may be written has to be visible.")
    scope = store.scope(caller.tenant_id, scope_id)
    if scope is None:
        raise NotFoundError
    given = Grant(scope=scope, visible=visible, writable=writable)
    store.put_grant(caller.tenant_id, principal_id, given)
    return given


def revoke_grant(
    store: ScopeStore,
    caller: Caller,
    scope_id: str,
    principal_id: str,
    *,
    claim: Claim | None = None,
) -> None:
    """Take a grant back; ``claim`` keeps the answer for a repeat, in the same transaction.

    Raises:
        RightMissingError: the caller lacks ``scope:admin``.
        NotFoundError: there is no such grant.
    """
    _administer(caller)
    if not store.delete_grant(caller.tenant_id, principal_id, scope_id, claim=claim):
        raise NotFoundError


def refuse_erased(house: House, caller: Caller) -> None:
    """Let nobody who was erased go on administering.

    Raises:
        PrincipalErasedError: the caller was erased.
    """
    if house.memory.standing(caller.tenant_id, caller.principal_id).erased:
        raise PrincipalErasedError


def _administer(caller: Caller) -> None:
    enforce(decide(caller, "administer_scopes", Resource(tenant_id=caller.tenant_id), ()))


def _refuse_malformed(text: str) -> None:
    if not is_id(text):
        raise InvalidValueError("An id has 1 to 128 of A-Z a-z 0-9 . _ % @ + -.")
    screen(text, field="id")  # a credential is no name: ids are kept, listed and logged


def _is_principal(store: ScopeStore, caller: Caller, scope_id: str) -> bool:
    return scope_id == caller.principal_id or store.principal_exists(caller.tenant_id, scope_id)
