"""The write path: claim, load, decide, write, commit; all of it again while others win."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Generic, TypeVar

from moss_memory.adapters.sql_ahead import Guess
from moss_memory.adapters.sql_bundle import bundled
from moss_memory.adapters.sql_call import Call
from moss_memory.adapters.sql_database import Database
from moss_memory.adapters.sql_faults import refused_by_answer
from moss_memory.adapters.sql_load import load
from moss_memory.adapters.sql_open import claim
from moss_memory.adapters.sql_retry import Tries, refused
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_slots import Slots
from moss_memory.adapters.sql_write import Draft
from moss_memory.core.errors import MossError, OutcomeUnknownError, PrincipalErasedError
from moss_memory.flow.ports import Change, Entry, Frame, Loaded, Opened, Step

T = TypeVar("T")
Also = Callable[[Session, Opened], Sequence[Call]]


class _Attempts(Generic[T]):
    """One write over its tries: the step whose COMMIT was sent, until it is answered."""

    def __init__(self) -> None:
        self.sent: Step[T] | None = None

    @property
    def decision_id(self) -> str | None:
        """The decision whose fate is unknown."""
        return self.sent.change.decision.decision_id if self.sent and self.sent.change else None


class Transactor:
    """What every write goes through.

    Args:
        database: where to.
        slots: what the ontology says of a fact's place.
        clock: the instant of recording, UTC; None takes the database's.
    """

    def __init__(
        self,
        database: Database,
        slots: Slots,
        *,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        self._database = database
        self._slots = slots
        self._clock = clock

    def transact(
        self,
        entry: Entry,
        frame: Callable[[Opened], Frame],
        decide: Callable[[Opened, Loaded], Step[T]],
        also: Also = lambda _session, _opened: (),
    ) -> T:
        """Run one write; ``also`` may run statements, and gives those to commit with the change.

        A COMMIT whose reply is lost is looked up under the next claim, which waits for the lost
        transaction to end: the answer is then the one that it committed.

        Raises:
            StorageUnavailableError: the database is away, and nothing was written.
            OutcomeUnknownError: COMMIT was sent, and the database is away since.
            IdempotencyInProgressError: the first request with this key is still running.
            PrincipalErasedError: who was erased writes nothing more.
        """
        tries = Tries()
        attempts: _Attempts[T] = _Attempts()
        while True:
            try:
                return self._attempt(entry, frame, decide, also, attempts)
            except MossError:
                raise
            except Exception as error:  # whatever a driver raises is sorted in sql_faults
                if not tries.again(error):
                    raise _told(error, attempts.sent) from error

    def _attempt(
        self,
        entry: Entry,
        frame: Callable[[Opened], Frame],
        decide: Callable[[Opened, Loaded], Step[T]],
        also: Also,
        attempts: _Attempts[T],
    ) -> T:
        with self._database.session(entry.tenant_id, write=True) as session:
            self._database.passing("begin")
            now = self._clock() if self._clock else None
            guess = Guess(self._database, entry, frame)
            claimed, read = claim(
                session,
                entry,
                now=now,
                decision_id=attempts.decision_id,
                meanwhile=guess.calls,
            )
            ahead = guess.ahead(claimed.opened, read)
            if claimed.committed and attempts.sent:
                return attempts.sent.answer
            attempts.sent = None
            self._database.passing("claimed")
            loaded = load(session, entry.tenant_id, frame(claimed.opened), claimed, ahead)
            self._database.passing("loaded")
            step = decide(claimed.opened, loaded)
            if step.change is None:
                return step.answer
            if _speaks(step.change) and claimed.opened.standing.erased:
                raise PrincipalErasedError
            calls = Draft(entry, claimed, step.change, self._slots).calls()
            calls = bundled([*calls, *also(session, claimed.opened)], session.engine_name)
            self._commit(session, calls, step, attempts)
        self._database.passing("committed")
        return step.answer

    def _commit(
        self, session: Session, calls: Sequence[Call], step: Step[T], attempts: _Attempts[T]
    ) -> None:
        self._database.passing("decided")
        attempts.sent = step
        try:
            session.run(*calls, commit=True)
        except Exception as error:  # whatever a driver raises, on its way to the next try
            if refused_by_answer(error):
                attempts.sent = None
            raise
        attempts.sent = None


def _speaks(change: Change) -> bool:
    """Tell whether a change would keep words of its writer."""
    return bool(change.revisions) or change.chat is not None


def _told(error: Exception, sent: object) -> Exception:
    if sent is not None:
        return OutcomeUnknownError()
    return refused(error) or error
