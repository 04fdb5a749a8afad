"""Reading memories: one, a list, the history; as they are or as they were known."""

import base64
import binascii
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from moss_memory.core.access import Access, Caller, access_of
from moss_memory.core.errors import InvalidCursorError, InvalidValueError, NotFoundError
from moss_memory.core.fact import Memory
from moss_memory.flow.ports import Decision, House, Query, Space, Standing
from moss_memory.flow.records import Micros, micros
from moss_memory.flow.requests import ListAnswer, ListRequest, RecordAnswer

_LAST_EPOCH: Final = 2**63 - 1  # that a column holds
_NOT_OURS: Final = "known_epoch was not given by this service."


def access(house: House, caller: Caller) -> Access:
    """Look up what the caller may reach now."""
    standing = house.memory.standing(caller.tenant_id, caller.principal_id)
    return access_of(caller, standing.grants)


def get(
    house: House,
    caller: Caller,
    memory_id: str,
    *,
    known_at: datetime | None = None,
    known_epoch: str | None = None,
) -> Memory:
    """Return one memory: its newest revision, or the one known then.

    Raises:
        NotFoundError: no such memory, not known then, or not visible to the caller.
    """
    if known_at is None and known_epoch is None:
        standing, newest = house.memory.seen(caller.tenant_id, caller.principal_id, [memory_id])
        reach, memory = access_of(caller, standing.grants), newest.get(memory_id)
    else:
        reach = access(house, caller)
        query = Query(
            scopes=reach.visible,
            now=house.clock(),
            state="all",
            known_at=known_at,
            known_epoch=read_epoch(known_epoch),
        )
        memory = house.memory.known(caller.tenant_id, memory_id, query)
    if memory is None or memory.owner not in reach.visible:
        raise NotFoundError
    return memory


def revisions(house: House, caller: Caller, memory_id: str) -> tuple[Memory, ...]:
    """Return all revisions of a memory that the caller may see, oldest first.

    Raises:
        NotFoundError: as ``get``.
    """
    get(house, caller, memory_id)
    return house.memory.revisions(caller.tenant_id, memory_id)


def listing(house: House, caller: Caller, request: ListRequest) -> ListAnswer:
    """Return one page of what the caller may see.

    Raises:
        InvalidCursorError: the cursor was not made by this service.
        InvalidValueError: the limit is not 1 to 100, or ``known_epoch`` was not made here.
    """
    _check_limit(request.limit)
    query = _query(request, access(house, caller), house.clock())
    page = house.memory.page(caller.tenant_id, query)
    return ListAnswer(
        items=page.items,
        next_cursor=_cursor(page.items[-1]) if page.more else None,
        known_epoch=spell_epoch(page.known_epoch or {}) if _of_the_past(query) else None,
    )


def records(house: House, caller: Caller, request: ListRequest) -> RecordAnswer:
    """Return the page that ``listing`` does, flat: what is only told on needs no memories.

    Raises:
        InvalidCursorError, InvalidValueError: as ``listing``.
    """
    _check_limit(request.limit)
    now = house.clock()
    made: list[Query] = []

    def asked(standing: Standing) -> Query:
        made.append(_query(request, access_of(caller, standing.grants), now))
        return made[-1]

    page = house.memory.records(caller.tenant_id, caller.principal_id, asked)
    last = page.items[-1] if page.more else None
    return RecordAnswer(
        items=page.items,
        next_cursor=None if last is None else _place(last.recorded_at, last.memory_id),
        known_epoch=spell_epoch(page.known_epoch or {}) if _of_the_past(made[-1]) else None,
    )


def _query(request: ListRequest, reach: Access, now: datetime) -> Query:
    """Return what a request asks of the scopes that a caller reaches; of one unseen, nothing."""
    scopes = reach.visible
    if request.scope_id is not None:
        if request.scope_id not in scopes:
            return Query(scopes=(), now=now)
        scopes = (request.scope_id,)
    return Query(
        scopes=scopes,
        now=now,
        domains=(request.domain,) if request.domain else (),
        predicate=request.predicate,
        subject=request.subject,
        state=request.status,
        overlaps=request.overlaps,
        valid_at=request.valid_at,
        known_at=request.known_at,
        known_epoch=read_epoch(request.known_epoch),
        cursor=_read_cursor(request.cursor),
        limit=request.limit,
    )


def _of_the_past(query: Query) -> bool:
    return query.known_at is not None or query.known_epoch is not None


def namespaces(
    house: House, caller: Caller, *, prefix: str | None, limit: int, cursor: str | None
) -> tuple[tuple[str, ...], str | None]:
    """Return subjects of the Store domain that the caller may see, and the next cursor.

    A subject has one active item in a scope, so a page of items is a page of subjects.

    Raises:
        InvalidCursorError, InvalidValueError: as ``listing``.
    """
    _check_limit(limit)
    query = Query(
        scopes=access(house, caller).visible,
        now=house.clock(),
        domains=("Store",),
        subject_prefix=prefix,
        cursor=_read_cursor(cursor),
        limit=limit,
    )
    page = house.memory.page(caller.tenant_id, query)
    subjects = dict.fromkeys(memory.fact.subject for memory in page.items)
    return tuple(subjects), _cursor(page.items[-1]) if page.more else None


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= 100:  # noqa: PLR2004 - the contract's own bounds
        raise InvalidValueError("limit is 1 to 100.")


def decision(house: House, caller: Caller, decision_id: str) -> Decision:
    """Return a decision that names something the caller may see, or that is its own.

    Raises:
        NotFoundError: no such decision, or none of the caller's business.
    """
    found = house.memory.decision(caller.tenant_id, decision_id=decision_id)
    if found is None:
        raise NotFoundError
    if found.memories:
        named = house.memory.newest(caller.tenant_id, [each for each, _ in found.memories])
        reach = access(house, caller)
        if any(memory.owner in reach.visible for memory in named.values()):
            return found
        raise NotFoundError
    if found.actor != caller.principal_id:
        raise NotFoundError
    return found


def decisions(house: House, caller: Caller, memory_id: str) -> tuple[Decision, ...]:
    """Return the decisions about a memory, oldest first; raises as ``get``."""
    get(house, caller, memory_id)
    return house.memory.decisions(caller.tenant_id, memory_id=memory_id)


def spell_epoch(epochs: Mapping[Space, int]) -> str:
    """Spell an epoch of every space read as one opaque word."""
    rows = sorted([owner, domain, epoch] for (owner, domain), epoch in epochs.items())
    return _spell(json.dumps(rows, ensure_ascii=False, separators=(",", ":")))


def read_epoch(word: str | None) -> Mapping[Space, int] | None:
    """Read what ``spell_epoch`` wrote; None stays None.

    Raises:
        InvalidValueError: it was not written here.
    """
    if word is None:
        return None
    try:
        rows = json.loads(_unspell(word))
        epochs = {(str(owner), str(domain)): int(epoch) for owner, domain, epoch in rows}
        spell_epoch(epochs)  # names that no text can hold are none of ours
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise InvalidValueError(_NOT_OURS) from error
    if not all(0 <= epoch <= _LAST_EPOCH for epoch in epochs.values()):
        raise InvalidValueError(_NOT_OURS)
    return epochs


def _cursor(memory: Memory) -> str:
    return _place(micros(memory.recorded_at), memory.memory_id)


def _place(recorded_at: Micros, memory_id: str) -> str:
    return _spell(f"{recorded_at}|{memory_id}")


def _read_cursor(word: str | None) -> tuple[datetime, str] | None:
    if word is None:
        return None
    try:
        recorded, memory_id = _unspell(word).split("|", 1)
        at = datetime.fromtimestamp(int(recorded) // 1_000_000, UTC)
        return at.replace(microsecond=int(recorded) % 1_000_000), memory_id
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidCursorError from error


def _spell(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _unspell(word: str) -> str:
    try:
        return base64.urlsafe_b64decode(word + "=" * (-len(word) % 4)).decode()
    except (binascii.Error, UnicodeError) as error:
        raise ValueError("not base64") from error
