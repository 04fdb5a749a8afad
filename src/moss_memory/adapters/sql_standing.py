"""Reads of whoever asks: what a principal may see is looked up in the flight that reads it."""

from collections.abc import Callable, Mapping, Sequence

from moss_memory.adapters.sql_call import Call, Result
from moss_memory.adapters.sql_database import Database
from moss_memory.adapters.sql_forms import RECORDS
from moss_memory.adapters.sql_guess import Asking
from moss_memory.adapters.sql_open import NEWEST, STANDING, standing_of
from moss_memory.adapters.sql_page import (
    epochs_call,
    epochs_in,
    is_plain,
    plain_call,
    plain_lines,
    read_lines,
)
from moss_memory.adapters.sql_rows import memory_of
from moss_memory.adapters.sql_session import Session
from moss_memory.core.fact import Memory
from moss_memory.flow.ports import Query, Standing
from moss_memory.flow.records import Records


def read_records(
    database: Database, tenant_id: str, principal_id: str, asked: Callable[[Standing], Query]
) -> Records:
    """Return the page of what ``asked`` makes of a standing, in one flight where that is known."""
    asking = Asking(asked)
    guess = asking.of(database.standings.last(tenant_id, principal_id))
    plain = is_plain(guess)

    def read(session: Session) -> Records:
        first = plain_call(RECORDS, tenant_id, guess) if plain else epochs_call(tenant_id, guess)
        whose = standing_call(tenant_id, principal_id)
        found, looked = session.run(whose, first, commit=plain)
        query = asking.of(standing_in(database, tenant_id, principal_id, found))
        if plain and query == guess:
            lines = plain_lines(RECORDS, tenant_id, query, looked.rows)
        elif query == guess and query.known_epoch is None:
            epochs = epochs_in(query, looked.rows)
            lines = read_lines(session, RECORDS, tenant_id, query, epochs)
        else:
            lines = read_lines(session, RECORDS, tenant_id, query)
        return Records(items=lines.items, more=lines.more, known_epoch=lines.known_epoch)

    return database.read(tenant_id, read)


def read_newest(
    database: Database, tenant_id: str, principal_id: str, memory_ids: Sequence[str]
) -> tuple[Standing, Mapping[str, Memory]]:
    """Return a standing, and the newest revision of each id that exists."""
    looked = Call(NEWEST, {"tenant_id": tenant_id, "memory_ids": list(memory_ids)})

    def read(session: Session) -> tuple[Standing, Mapping[str, Memory]]:
        whose = standing_call(tenant_id, principal_id)
        found, heads = session.run(whose, looked, commit=True)
        memories = (memory_of(row, tenant_id) for row in heads.rows)
        return standing_of(found.rows), {memory.memory_id: memory for memory in memories}

    return database.read(tenant_id, read)


def standing_in(database: Database, tenant_id: str, principal_id: str, found: Result) -> Standing:
    """Read what ``standing_call`` gave, and remember it for the next guess."""
    standing = standing_of(found.rows)
    database.standings.keep(tenant_id, principal_id, standing)
    return standing


def standing_call(tenant_id: str, principal_id: str) -> Call:
    """Return the look-up of zone, locale and grants of a principal."""
    return Call(STANDING, {"tenant_id": tenant_id, "principal_id": principal_id})
