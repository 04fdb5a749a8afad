"""What a write will most likely ask to see, read under its claim without waiting for its answer.

What a claim finds of its writer, the standing, seldom changes from one write to the next. So the
frame is guessed from the last one, while the server is at work on the claim, and its probes follow
at once: a round trip less. A guess decides nothing. The frame is made again of what the claim
found, and whatever that asks for and the guess did not is read then.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from moss_memory.adapters.sql_call import Call, Result
from moss_memory.adapters.sql_database import Database
from moss_memory.adapters.sql_engine import SQLITE
from moss_memory.adapters.sql_load import Ahead, frame_calls
from moss_memory.adapters.sql_open import spaces_of
from moss_memory.core.errors import MossError
from moss_memory.flow.ports import Entry, Frame, Opened


class Guess:
    """One write's frame as it will most likely be: what reads it, and then what was read."""

    def __init__(self, database: Database, entry: Entry, asked: Callable[[Opened], Frame]) -> None:
        self._database, self._entry, self._asked = database, entry, asked
        self._frame = Frame()

    def calls(self) -> list[Call]:
        """Return what to run behind the claim; nothing on SQLite, where no trip is saved."""
        engine = self._database.engine.dialect.name
        if engine != SQLITE and self._entry.expected_at is not None:
            self._frame = self._made(self._entry.expected_at)
        held = spaces_of(self._entry)
        return frame_calls(engine, self._entry.tenant_id, self._frame, held)

    def _made(self, at: datetime) -> Frame:
        standing = self._database.standings.last(*_who(self._entry))
        try:
            return self._asked(Opened(recorded_at=at, epochs={}, standing=standing))
        except MossError:  # raised again, if it is so
            return Frame()

    def ahead(self, opened: Opened, results: Sequence[Result]) -> Ahead:
        """Take what the calls read; what the claim found is what the next guess is made of."""
        self._database.standings.keep(*_who(self._entry), opened.standing)
        probes = self._frame.probes
        read = results[len(results) - len(probes) :]
        rows = {probe: result.rows for probe, result in zip(probes, read, strict=True)}
        return Ahead(rows, self._frame.reads)


def _who(entry: Entry) -> tuple[str, str]:
    return entry.tenant_id, entry.principal_id
