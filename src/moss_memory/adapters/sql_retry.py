"""Run a function again while others win, within a deadline, and say the truth about the rest."""

import secrets
import time
from collections.abc import Callable
from typing import Final, TypeVar

from moss_memory.adapters.sql_faults import Fault, fault_of
from moss_memory.core.errors import MossError, StorageUnavailableError

T = TypeVar("T")

DEADLINE_SECONDS: Final = 3.0
GUARD_TRIES: Final = 3
LOST_TRIES: Final = 3
PAUSE_MS: Final = 10  # the first pause is up to this long, each next up to twice the one before
LONGEST_MS: Final = 200


_TRIES: Final = {Fault.GUARDED: GUARD_TRIES, Fault.LOST: LOST_TRIES}


class Tries:
    """What a sequence of tries has met; ``again`` decides on the next one."""

    def __init__(self, deadline_seconds: float = DEADLINE_SECONDS) -> None:
        self._until = time.monotonic() + deadline_seconds
        self._pause_ms = PAUSE_MS
        self._left: dict[Fault, int] = {}

    def again(self, error: Exception) -> bool:
        """Pause and return True where another try may help; False when time or tries are over."""
        fault = fault_of(error)
        if fault not in {Fault.CONFLICT, Fault.GUARDED, Fault.LOST}:
            return False
        if fault in _TRIES:
            self._left[fault] = self._left.get(fault, _TRIES[fault]) - 1
        pause = secrets.randbelow(self._pause_ms) / 1000
        self._pause_ms = min(2 * self._pause_ms, LONGEST_MS)
        if self._left.get(fault, 1) <= 0 or time.monotonic() + pause > self._until:
            return False
        time.sleep(pause)
        return True


def refused(error: Exception) -> MossError | None:
    """Return what a caller is told of an error of the database; None where it is a bug."""
    fault = fault_of(error)
    return None if fault in {Fault.BUG, Fault.GUARDED} else StorageUnavailableError()


def running(work: Callable[[], T]) -> T:
    """Run what may safely run twice: pooled connections may have ended with the database.

    Raises:
        StorageUnavailableError: the database is away.
    """
    tries = Tries()
    while True:
        try:
            return work()
        except MossError:
            raise
        except Exception as error:
            if tries.again(error):
                continue
            if (told := refused(error)) is None:
                raise
            raise told from error
