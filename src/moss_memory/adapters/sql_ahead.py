"""What a write will most likely ask to see, read under its claim without waiting for its answer.

What a claim finds of its writer, the standing, seldom changes from one write to the next. So the
frame is guessed from the last one, while the server is at work on the claim, and its probes follow
at once: a round trip less. A guess decides nothing. The frame is made again of what the claim
found, and whatever that asks for and the guess did not is read then.
"""

from collections.abc import Callable, Sequence
from typing import Final

from moss_memory.adapters.sql_call import Call, Result
from moss_memory.adapters.sql_engine import SQLITE
from moss_memory.adapters.sql_load import Ahead, frame_calls
from moss_memory.adapters.sql_open import spaces_of
from moss_memory.core.errors import MossError
from moss_memory.flow.ports import Entry, Frame, Opened, Standing

MOST: Final = 4096  # principals; then it begins again


class Guess:
    """One write's frame as it will most likely be: what reads it, and then what was read."""

    def __init__(self, engine: str, entry: Entry, make: Callable[[], Frame]) -> None:
        self._engine, self._entry, self._make = engine, entry, make
        self._frame = Frame()

    def calls(self) -> list[Call]:
        """Return what to run behind the claim."""
        self._frame = self._make()
        held = spaces_of(self._entry)
        return frame_calls(self._engine, self._entry.tenant_id, self._frame, held)

    def ahead(self, results: Sequence[Result]) -> Ahead:
        """Take what the calls read."""
        probes = self._frame.probes
        read = results[len(results) - len(probes) :]
        rows = {probe: result.rows for probe, result in zip(probes, read, strict=True)}
        return Ahead(rows, self._frame.reads)


class Guesses:
    """Guesses from the standing of each principal as its last write found it."""

    def __init__(self) -> None:
        self._standings: dict[tuple[str, str], Standing] = {}

    def guess(self, engine: str, entry: Entry, frame: Callable[[Opened], Frame]) -> Guess:
        """Return a guess at what ``frame`` will ask for; at nothing where no trip is saved."""
        expected_at = None if engine == SQLITE else entry.expected_at

        def make() -> Frame:
            if expected_at is None:
                return Frame()
            standing = self._standings.get(_who(entry), Standing())
            try:
                return frame(Opened(recorded_at=expected_at, epochs={}, standing=standing))
            except MossError:  # raised again, if it is so
                return Frame()

        return Guess(engine, entry, make)

    def note(self, entry: Entry, opened: Opened) -> None:
        """Remember what a claim found."""
        if len(self._standings) >= MOST:
            self._standings.clear()
        self._standings[_who(entry)] = opened.standing


def _who(entry: Entry) -> tuple[str, str]:
    return entry.tenant_id, entry.principal_id
