"""What things are called in Redis: ``moss:{<tenant>}:<principal>:...``.

The tenant is the hash tag, so all of a step lies on one node of a cluster. An empty principal
holds what is looked up without knowing whose it is. Parts are percent-encoded: no id can end
its part of a key, the hash tag, or a list's member.
"""

from dataclasses import dataclass
from urllib.parse import quote, unquote

from moss_memory.flow.ports import Pending, Space


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value lies and whose it is: all of it is compared when the value is read."""

    key: str
    tenant_id: str
    principal_id: str


def place(tenant_id: str, principal_id: str, *parts: str) -> Place:
    """Name the place of a principal's value."""
    return Place(_key(tenant_id, principal_id, *parts), tenant_id, principal_id)


def pending_place(tenant_id: str, principal_id: str, pending_id: str) -> Place:
    """Name the place of a question."""
    return place(tenant_id, principal_id, "pending", pending_id)


def session_place(tenant_id: str, principal_id: str, session_id: str) -> Place:
    """Name the place of a session."""
    return place(tenant_id, principal_id, "session", session_id)


def reference_place(tenant_id: str, principal_id: str, space: Space) -> Place:
    """Name the place of a space's facts; an owner other than the principal is named last."""
    owner, domain = space
    shared = () if owner == principal_id else (owner,)
    return place(tenant_id, principal_id, "reference", domain, *shared)


def asked(tenant_id: str, pending_id: str) -> str:
    """Name the key that says whose question an id is."""
    return _key(tenant_id, "", "asked", pending_id)


def own_list(tenant_id: str, principal_id: str) -> str:
    """Name the list of a principal's open questions."""
    return _key(tenant_id, principal_id, "pendings")


def scope_list(tenant_id: str, scope_id: str) -> str:
    """Name the list of the open questions about a scope."""
    return _key(tenant_id, "", "scope", scope_id)


def kept_list(tenant_id: str, principal_id: str) -> str:
    """Name the list of a principal's other keys: sessions and references."""
    return _key(tenant_id, principal_id, "kept")


def pending_keys(pending: Pending) -> list[str]:
    """Name all keys of a question: value, whose it is, the principal's list, the scopes'."""
    tenant, principal = pending.tenant_id, pending.principal_id
    return [
        pending_place(tenant, principal, pending.pending_id).key,
        asked(tenant, pending.pending_id),
        own_list(tenant, principal),
        *(scope_list(tenant, scope) for scope in pending.scope_ids),
    ]


def own_member(pending: Pending) -> str:
    """Spell a question in its principal's list: id, fingerprint."""
    return f"{part(pending.pending_id)} ={part(pending.fingerprint)}"


def scope_member(pending: Pending) -> str:
    """Spell a question in a scope's list: principal, id."""
    return f"{part(pending.principal_id)} {part(pending.pending_id)}"


def first(member: bytes) -> str:
    """Read the first word of a list's member."""
    return unquote(member.split(b" ")[0].decode("ascii", "replace"))


def second(member: bytes) -> str:
    """Read the last word of a list's member."""
    return unquote(member.split(b" ")[-1].decode("ascii", "replace"))


def part(name: str) -> str:
    """Spell a name so that it holds none of ``:{}`` and no space."""
    return quote(name, safe="@+", errors="surrogatepass")


def _key(tenant_id: str, principal_id: str, *parts: str) -> str:
    return ":".join((f"moss:{{{part(tenant_id)}}}", *map(part, (principal_id, *parts))))
