"""An item of LangGraph's store with what governs it, and the refusal to replace it unasked."""

import re
from datetime import datetime, timedelta
from typing import Any, Final

from langgraph.store.base import SearchItem

from moss_memory.integrations.client_values import Action, Answer, Memory, Pending, Verdict
from moss_memory.integrations.langgraph_names import name_of, value_of

DOMAIN: Final = "Store"
PREDICATE: Final = "item"
_TTL: Final = re.compile(r"langgraph ttl=(\d+(?:\.\d+)?(?:e-?\d+)?) minutes")
_FRESH: Final = 0.9  # of its life left: not worth a revision


class MossItem(SearchItem):
    """An item, and the revision of the memory that holds it.

    ``revision`` is opaque: hand it back as ``expected_revision`` to write only if nobody wrote in
    between. ``expires_at`` is None where the item does not expire. ``active`` is False for what
    the history shows as replaced, deleted or expired.
    """

    __slots__ = ("active", "expires_at", "memory_id", "revision", "ttl")

    def __init__(self, memory: Memory, *, score: float | None = None) -> None:
        """Read a memory of the Store domain.

        Raises:
            ValueError: it is not one that this adapter wrote.
        """
        named = name_of(memory["subject"])
        if named is None:
            raise ValueError("the memory's subject names no namespace and key")
        super().__init__(
            namespace=named[0],
            key=named[1],
            value=value_of(memory["object_value"]),
            created_at=datetime.fromisoformat(memory["created_at"]),
            updated_at=datetime.fromisoformat(memory["updated_at"]),
            score=score,
        )
        self.memory_id = memory["memory_id"]
        self.revision = f"{memory['memory_id']}:{memory['revision']}"
        self.active = memory["status"] == "active"
        expires = memory["expires_at"]
        self.expires_at = None if expires is None else datetime.fromisoformat(expires)
        self.ttl = _read_ttl(memory["source_ref"])


def life(ttl: float | None, now: datetime) -> dict[str, Any]:
    """Return the fields of a fact that lives ``ttl`` minutes from ``now`` on (None: for ever)."""
    if ttl is None:
        return {"expires_at": None, "source_ref": None}
    expires = now + timedelta(minutes=ttl)
    return {"expires_at": expires, "source_ref": f"langgraph ttl={ttl} minutes"}


def renewed(item: MossItem, now: datetime) -> dict[str, Any] | None:
    """Return the fields that a read changes; None where the item's life needs no renewing."""
    if item.ttl is None or item.expires_at is None:
        return None
    whole = timedelta(minutes=item.ttl)
    return None if item.expires_at - now >= whole * _FRESH else {"expires_at": now + whole}


def _read_ttl(source_ref: str | None) -> float | None:
    match = _TTL.fullmatch(source_ref or "")
    return float(match[1]) if match else None


def split_revision(revision: str) -> tuple[str, int]:
    """Return memory id and number of what ``MossItem.revision`` gave.

    Raises:
        ValueError: it is not of that form.
    """
    memory_id, _, number = revision.rpartition(":")
    if not memory_id or not number.isdecimal():
        raise ValueError("expected_revision is the revision of an item of this store")
    return memory_id, int(number)


class StoreConflictError(Exception):
    """What was put conflicts with what is known: it is held, and a person has to decide.

    ``pending`` is the open question and ``actions`` are its answers: ``MossClient.confirm`` with
    the ``pending_id`` and one of them settles it.
    """

    def __init__(self, namespace: tuple[str, ...], key: str, held: Answer) -> None:
        reason = held["conflict_type"]
        super().__init__(f"the item conflicts with what is known ({reason}) and is held")
        assert held["pending"] is not None
        self.namespace = namespace
        self.key = key
        self.verdict: Verdict = held
        self.pending: Pending = held["pending"]
        self.actions: list[Action] = held["actions"]
