"""Who may do what: identity from the credential, grants from the store, one pure decision."""

from dataclasses import dataclass, field
from typing import Literal

from moss_memory.core.fact import Source

ReadMode = Literal["off", "writable_scopes", "visible_scopes"]
WriteMode = Literal["off", "writable_scopes"]
Right = Literal["scope:admin", "key:admin", "erasure:admin", "audit:read", "debug"]
ScopeKind = Literal["personal", "team", "tenant"]


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
