"""Reads of whoever asks: what a principal may see is looked up in the flight that reads it.

What to read depends on the answer, so the answer is guessed: as it was the last time. Where it
has changed, what was read by the guess is thrown away and read again.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from moss_memory.adapters.sql_call import Call
from moss_memory.adapters.sql_database import Database
from moss_memory.adapters.sql_forms import RECORDS
from moss_memory.adapters.sql_open import NEWEST, STANDING, standing_of
from moss_memory.adapters.sql_page import is_plain, plain_call, plain_lines, read_lines
from moss_memory.adapters.sql_rows import memory_of
from moss_memory.adapters.sql_session import Session
from moss_memory.core.fact import Memory
from moss_memory.flow.ports import Query, Standing
from moss_memory.flow.records import Records

MOST: Final = 4096  # standings remembered; then it begins again
_NOTHING: Final = Standing()


class Readers:
    """What principals were known to be when they last read."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._last: dict[tuple[str, str], Standing] = {}

    def records(
        self, tenant_id: str, principal_id: str, asked: Callable[[Standing], Query]
    ) -> Records:
        """Return the page of what ``asked`` makes of a standing; it may be called twice."""
        guess = asked(self._last.get((tenant_id, principal_id), _NOTHING))
        plain = is_plain(guess)

        def read(session: Session) -> Records:
            calls = [plain_call(RECORDS, tenant_id, guess)] if plain else []
            found, *rest = session.run(standing_call(tenant_id, principal_id), *calls, commit=plain)
            standing = standing_of(found.rows)
            self._keep(tenant_id, principal_id, standing)
            query = asked(standing)
            if rest and query == guess:
                lines = plain_lines(RECORDS, tenant_id, query, rest[0].rows)
            else:
                lines = read_lines(session, RECORDS, tenant_id, query)
            return Records(items=lines.items, more=lines.more, known_epoch=lines.known_epoch)

        return self._database.read(tenant_id, read)

    def newest(
        self, tenant_id: str, principal_id: str, memory_ids: Sequence[str]
    ) -> tuple[Standing, Mapping[str, Memory]]:
        """Return a standing, and the newest revision of each id that exists."""
        looked = Call(NEWEST, {"tenant_id": tenant_id, "memory_ids": list(memory_ids)})

        def read(session: Session) -> tuple[Standing, Mapping[str, Memory]]:
            whose = standing_call(tenant_id, principal_id)
            found, heads = session.run(whose, looked, commit=True)
            memories = (memory_of(row, tenant_id) for row in heads.rows)
            return standing_of(found.rows), {memory.memory_id: memory for memory in memories}

        return self._database.read(tenant_id, read)

    def _keep(self, tenant_id: str, principal_id: str, standing: Standing) -> None:
        if standing == _NOTHING:
            self._last.pop((tenant_id, principal_id), None)
            return
        if len(self._last) >= MOST:
            self._last.clear()
        self._last[tenant_id, principal_id] = standing


def standing_call(tenant_id: str, principal_id: str) -> Call:
    """Return the look-up of zone, locale and grants of a principal."""
    return Call(STANDING, {"tenant_id": tenant_id, "principal_id": principal_id})
