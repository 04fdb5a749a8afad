"""One flight to PostgreSQL: all statements in one packet, then all answers, within a time limit.

psycopg's own pipeline sends each statement by itself, and every packet wakes the server. libpq's
pipeline, which it exposes, sends when told to. Statements are prepared on first use, one set a
connection; behind a transaction pooler none is.
"""

import select
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg.adapt import Transformer
from psycopg.errors import IdleInTransactionSessionTimeout, error_from_result
from psycopg.pq import ConnStatus, ExecStatus, Format
from psycopg.pq.abc import PGconn, PGresult

from moss_memory.adapters.sql_call import FLIGHT_SECONDS, Call, Compiled, Params

MOST_PREPARED: Final = 400  # a connection; the shapes of lists are many

_TEXT: Final = Format.TEXT  # looked up once: an enumeration's members cost at each use
_BINARY: Final = Format.BINARY
_FINE: Final = {ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK}


class FlightError(Exception):
    """A statement failed: ``index`` says which, the cause is the driver's error."""

    def __init__(self, index: int, error: psycopg.Error) -> None:
        super().__init__()
        self.index = index
        self.error = error


@dataclass(slots=True)
class _Sent:
    """A command on its way: of which call, and the statement that it prepares."""

    index: int
    prepares: str | None = None


class Flight:
    """What is sent together over one connection.

    Args:
        connection: psycopg's, idle or within a transaction, and ours alone.
        prepared: what this connection has prepared, by text; None prepares nothing.
        seconds: how long to wait for all of its answers.
    """

    def __init__(
        self,
        connection: "psycopg.Connection[Any]",
        prepared: dict[str, bytes] | None,
        seconds: float = FLIGHT_SECONDS,
    ) -> None:
        self._connection = connection
        self._pgconn: PGconn = connection.pgconn
        self._prepared = prepared
        self._commands: list[_Sent] = []
        self._until = time.monotonic() + seconds
        self.sent = 0  # calls

    def send(self, calls: Sequence[Call], passing: Callable[[str], None]) -> None:
        """Send ``calls`` ahead: the server begins on them, and keeps what it has to say.

        Raises:
            psycopg.OperationalError: the connection broke.
        """
        with self._ending():
            self._send_all(calls, passing)
            self._pgconn.flush()

    def run(
        self, calls: Sequence[Call], passing: Callable[[str], None]
    ) -> list[tuple[list[Any], int]]:
        """Send the rest, and return the rows and the count of rows touched of each call of all.

        Raises:
            FlightError: a statement was refused; those after it did not run.
            psycopg.OperationalError: the connection broke, or nothing came in time.
        """
        with self._ending():
            self._send_all(calls, passing)
            self._pgconn.pipeline_sync()
            answers = self._answers()
            self._pgconn.exit_pipeline_mode()
        return self._rows(answers, self.sent)

    @contextmanager
    def _ending(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._pgconn.finish()  # whatever was on its way, nobody waits for it any more
            raise

    def _send_all(self, calls: Sequence[Call], passing: Callable[[str], None]) -> None:
        if not self.sent:
            self._pgconn.enter_pipeline_mode()
        for index, call in enumerate(calls, self.sent):
            passing("statement")
            self._send(index, call)
        self.sent += len(calls)

    def _send(self, index: int, call: Call) -> None:
        compiled = call.statement.on("postgresql")
        for params in call.many if call.many is not None else [call.params or {}]:
            values, formats = _dumped(compiled, params)
            name = self._name(index, compiled.text)
            if name is None:
                text = compiled.text.encode()
                self._pgconn.send_query_params(text, values, param_formats=formats)
            else:
                self._pgconn.send_query_prepared(name, values, param_formats=formats)
            self._commands.append(_Sent(index))

    def _name(self, index: int, text: str) -> bytes | None:
        if self._prepared is None:
            return None
        name = self._prepared.get(text)
        if name is None and len(self._prepared) < MOST_PREPARED:
            name = self._prepared[text] = b"moss%d" % len(self._prepared)
            self._pgconn.send_prepare(name, text.encode())
            self._commands.append(_Sent(index, prepares=text))
        return name

    def _answers(self) -> list[PGresult]:
        """Return one result for each command sent."""
        results: list[PGresult] = []
        while True:
            try:
                result = self._next()
            except psycopg.OperationalError as error:
                raise self._idled(results) or error from None
            if result is None:  # the end of one command's results
                continue
            if result.status == ExecStatus.PIPELINE_SYNC:
                return results
            results.append(result)

    def _next(self) -> PGresult | None:
        while self._pgconn.flush() or self._pgconn.is_busy():
            self._wait()
        result = self._pgconn.get_result()
        if result is None and self._pgconn.status == ConnStatus.BAD:
            raise psycopg.OperationalError("the connection is gone")
        return result

    def _wait(self) -> None:
        left = self._until - time.monotonic()
        socket = self._pgconn.socket
        writing = [socket] if self._pgconn.flush() else []
        ready, _, _ = select.select([socket], writing, [], max(left, 0))
        if left <= 0:
            raise psycopg.OperationalError("no answer in time")
        if ready:
            self._pgconn.consume_input()

    def _rows(self, answers: Sequence[PGresult], calls: int) -> list[tuple[list[Any], int]]:
        found: list[tuple[list[Any], int]] = [([], 0)] * calls
        for sent, result in zip(self._commands, answers, strict=True):
            if result.status not in _FINE:
                self._forget(answers)
                raise FlightError(sent.index, self._error(result))
            if sent.prepares is None:
                found[sent.index] = self._read(result)
        return found

    def _forget(self, answers: Sequence[PGresult]) -> None:
        """Take back the names of statements that were not prepared after all."""
        for sent, result in zip(self._commands, answers, strict=True):
            if sent.prepares and self._prepared and result.status not in _FINE:
                del self._prepared[sent.prepares]

    def _error(self, result: PGresult) -> psycopg.Error:
        return error_from_result(result, self._connection.info.encoding)

    def _idled(self, results: Sequence[PGresult]) -> psycopg.Error | None:
        """Return the error of a transaction that the server ended before this flight left.

        Of other last words nobody can say whether they came before a COMMIT or behind it.
        """
        said = (self._error(each) for each in results if each.status not in _FINE)
        first = next(said, None)
        return first if isinstance(first, IdleInTransactionSessionTimeout) else None

    def _read(self, result: PGresult) -> tuple[list[Any], int]:
        touched = result.command_tuples or 0
        if not result.ntuples:
            return [], touched
        loading = Transformer(self._connection)
        loading.set_pgresult(result)
        return loading.load_rows(0, result.ntuples, tuple), touched


def _dumped(compiled: Compiled, params: Params) -> tuple[list[bytes | None], list[Format]]:
    """Return parameters as PostgreSQL reads them; their types are in the statement's casts."""
    bound = compiled.bind(params)
    formats = [_TEXT] * len(bound)
    values: list[bytes | None] = []
    for place, value in enumerate(bound):
        if type(value) is str:  # most are
            values.append(value.encode())
        elif type(value) is bytes:
            formats[place] = _BINARY
            values.append(value)
        else:
            values.append(_dump(value))
    return values, formats


def _dump(value: Any) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return b"t" if value else b"f"
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, list):
        return _dump_list(value)
    return repr(value).encode()


def _dump_list(texts: list[str]) -> bytes:
    if not texts:
        return b"{}"
    joined = '","'.join(texts)
    if "\\" not in joined and joined.count('"') == 2 * (len(texts) - 1):  # only those just put in
        return f'{{"{joined}"}}'.encode()
    return b"{%s}" % b",".join(_quoted(each) for each in texts)


def _quoted(text: str) -> bytes:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'.encode()
