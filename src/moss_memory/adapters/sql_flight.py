"""One flight to PostgreSQL: all statements in one packet, then all answers, within a time limit.

psycopg's own pipeline sends each statement by itself, and every packet wakes the server. libpq's
pipeline, which it exposes, sends when told to. Statements are prepared on first use, one set a
connection; behind a transaction pooler none is.
"""

import select
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import psycopg
from psycopg.adapt import Transformer
from psycopg.errors import IdleInTransactionSessionTimeout, error_from_result
from psycopg.pq import ConnStatus, ExecStatus
from psycopg.pq.abc import PGconn, PGresult

from moss_memory.adapters.sql_call import FLIGHT_SECONDS, Call, Compiled, FlightError, Result

MOST_PREPARED: Final = 400  # a connection; the shapes of lists are many

# Plain numbers: an enumeration's members cost at each use.
_SYNC: Final = int(ExecStatus.PIPELINE_SYNC)
_FINE: Final = {int(ExecStatus.COMMAND_OK), int(ExecStatus.TUPLES_OK)}

_NOTHING: Final = Result([], 0)

_Sent = tuple[int, Compiled | None, str]  # of which call; None: it but prepares this text


class Line:
    """What flights over one connection have in common, as long as it lives.

    Args:
        connection: psycopg's.
        prepare: name statements on first use; behind a transaction pooler names are lost.
    """

    def __init__(self, connection: "psycopg.Connection[Any]", *, prepare: bool) -> None:
        self.connection = connection
        self.pgconn: PGconn = connection.pgconn
        self.loading = Transformer(connection)
        self.prepared: dict[str, bytes] | None = {} if prepare else None  # names by text

    def flight(self, seconds: float) -> "Flight":
        """Return a flight over it."""
        return Flight(self, seconds)


class Flight:
    """What is sent together over one connection.

    Args:
        line: of a connection that is idle or within a transaction, and ours alone.
        seconds: how long to wait for all of its answers.
    """

    def __init__(self, line: Line, seconds: float = FLIGHT_SECONDS) -> None:
        self._line = line
        self._pgconn = line.pgconn
        self._prepared = line.prepared
        self._commands: list[_Sent] = []
        self._until = time.monotonic() + seconds
        self.sent = 0  # calls

    def send(self, calls: Sequence[Call], passing: Callable[[str], None]) -> None:
        """Send ``calls`` ahead: the server begins on them, and keeps what it has to say.

        Raises:
            psycopg.OperationalError: the connection broke.
        """
        try:
            self._send_all(calls, passing)
            self._pgconn.flush()
        except BaseException:
            self._pgconn.finish()  # whatever was on its way, nobody waits for it any more
            raise

    def run(self, calls: Sequence[Call], passing: Callable[[str], None]) -> list[Result]:
        """Send the rest, and return one result for each call of all.

        Raises:
            FlightError: a statement was refused; those after it did not run.
            psycopg.OperationalError: the connection broke, or nothing came in time.
        """
        try:
            self._send_all(calls, passing)
            self._pgconn.pipeline_sync()
            answers = self._answers()
            self._pgconn.exit_pipeline_mode()
        except BaseException:
            self._pgconn.finish()  # as above
            raise
        return self._results(answers)

    def _send_all(self, calls: Sequence[Call], passing: Callable[[str], None]) -> None:
        if not self.sent:
            self._pgconn.enter_pipeline_mode()
        for index, call in enumerate(calls, self.sent):
            passing("statement")
            self._send(index, call)
        self.sent += len(calls)

    def _send(self, index: int, call: Call) -> None:
        compiled = call.statement.on("postgresql")
        text, formats = compiled.text, compiled.formats
        for params in call.many if call.many is not None else (call.params or {},):
            values = compiled.dumped(params)
            name = self._name(index, text)
            if name is None:
                self._pgconn.send_query_params(text.encode(), values, param_formats=formats)
            else:
                self._pgconn.send_query_prepared(name, values, formats)
            self._commands.append((index, compiled, text))

    def _name(self, index: int, text: str) -> bytes | None:
        if self._prepared is None:
            return None
        name = self._prepared.get(text)
        if name is None and len(self._prepared) < MOST_PREPARED:
            name = self._prepared[text] = b"moss%d" % len(self._prepared)
            self._pgconn.send_prepare(name, text.encode())
            self._commands.append((index, None, text))
        return name

    def _answers(self) -> list[PGresult]:
        """Return one result for each command sent."""
        results: list[PGresult] = []
        try:
            while (result := self._next()).status != _SYNC:
                results.append(result)
        except psycopg.OperationalError as error:
            raise self._idled(results) or error from None
        return results

    def _next(self) -> PGresult:
        while True:
            while self._pgconn.is_busy():
                self._wait()
            result = self._pgconn.get_result()
            if result is not None:
                return result
            # the end of one command's results
            if self._pgconn.status == ConnStatus.BAD:
                raise psycopg.OperationalError("the connection is gone")

    def _wait(self) -> None:
        left = self._until - time.monotonic()
        wanted = select.POLLIN | (select.POLLOUT if self._pgconn.flush() else 0)
        poll = select.poll()  # ``select`` fails where 1,024 connections are open already
        poll.register(self._pgconn.socket, wanted)
        ready = poll.poll(max(left, 0) * 1000)
        if left <= 0:
            raise psycopg.OperationalError("no answer in time")
        if ready and ready[0][1] & ~select.POLLOUT:  # also where it is broken: reading tells how
            self._pgconn.consume_input()

    def _results(self, answers: Sequence[PGresult]) -> list[Result]:
        try:
            return self._found(answers)
        finally:
            self._line.loading.set_pgresult(None)  # an idle connection holds nobody's words

    def _found(self, answers: Sequence[PGresult]) -> list[Result]:
        found = [_NOTHING] * self.sent
        for (index, compiled, _), answer in zip(self._commands, answers, strict=True):
            if answer.status not in _FINE:
                self._forget(answers)
                raise FlightError(index, self._error(answer))
            if compiled is not None and not compiled.silent:
                found[index] = self._read(compiled, answer)
        return found

    def _forget(self, answers: Sequence[PGresult]) -> None:
        """Take back the names of statements that were not prepared after all."""
        for (_, compiled, text), answer in zip(self._commands, answers, strict=True):
            if compiled is None and self._prepared and answer.status not in _FINE:
                del self._prepared[text]

    def _error(self, answer: PGresult) -> psycopg.Error:
        return error_from_result(answer, self._line.connection.info.encoding)

    def _idled(self, answers: Sequence[PGresult]) -> psycopg.Error | None:
        """Return the error of a transaction that the server ended before this flight left.

        Of other last words nobody can say whether they came before a COMMIT or behind it.
        """
        said = (self._error(each) for each in answers if each.status not in _FINE)
        first = next(said, None)
        return first if isinstance(first, IdleInTransactionSessionTimeout) else None

    def _read(self, compiled: Compiled, answer: PGresult) -> Result:
        count = answer.ntuples
        if not count:
            return Result([], answer.command_tuples or 0)
        self._line.loading.set_pgresult(answer)
        return Result(compiled.rows(self._line.loading.load_rows(0, count, tuple)), count)
