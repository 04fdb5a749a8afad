"""What a driver's error means: try again, the database is away, or a bug."""

import sqlite3
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

if TYPE_CHECKING:
    import psycopg


class Fault(Enum):
    """What can be done about an error of the database."""

    CONFLICT = auto()  # another transaction was first: run all of it again
    GUARDED = auto()  # the guard trigger refused: run all of it again, then give up
    LOST = auto()  # the connection is gone; nothing is known of what was in flight
    AWAY = auto()  # the database refuses work now
    BUG = auto()


CONFLICTS: Final = {"40001", "40P01", "55P03", "23505"}
AWAY_CLASSES: Final = {"53", "57", "58", "25"}  # resources, operator, system, read-only
NOT_MIGRATED: Final = {"42P01", "42703", "22023"}  # no table, no column, no role of ours
# The server ends, or has forgotten (26000) or outgrown (0A000) what the connection prepared.
LOST: Final = {"57P01", "57P02", "57P03", "26000", "0A000"}
GUARD_STATE: Final = "23P01"
GUARD_WORD: Final = "moss_guard"

_SQLITE_CONFLICTS: Final = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
}
_SQLITE_AWAY: Final = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_PERM,
}
_NO_TABLE: Final = ("no such table", "no such column")  # SQLite has one code for all of these
_PRIMARY: Final = 0xFF  # the low byte of an extended SQLite result code


def fault_of(error: Exception) -> Fault:
    """Say what an error of a driver or of the pool means."""
    if isinstance(error, DBAPIError) and isinstance(error.orig, Exception):
        error = error.orig
    if isinstance(error, sqlite3.Error):
        return _of_sqlite(error)
    if (refused := _postgres(error)) is not None:
        return _of_postgres(refused)
    return Fault.AWAY if isinstance(error, PoolTimeoutError) else Fault.BUG


def refused_by_answer(error: Exception) -> bool:
    """Say whether the database itself refused what was in flight: none of it is committed then.

    SQLite may have written a commit that it then could not sync; the next opening would find it.
    """
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", 0) & _PRIMARY != sqlite3.SQLITE_IOERR
    return _postgres(error) is not None and fault_of(error) is not Fault.LOST


def _postgres(error: Exception) -> "psycopg.Error | None":
    import psycopg  # noqa: PLC0415 - a tenth of the start on SQLite, which never needs it

    return error if isinstance(error, psycopg.Error) else None


def _of_postgres(error: "psycopg.Error") -> Fault:
    import psycopg  # noqa: PLC0415 - as above

    state = error.sqlstate
    if state is None:  # said by the client: the connection broke, or was never made
        lost = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        return Fault.LOST if lost else Fault.BUG
    if state in CONFLICTS:
        return Fault.CONFLICT
    if state == GUARD_STATE:
        return Fault.GUARDED
    if state.startswith("08") or state in LOST:
        return Fault.LOST
    unusable = state[:2] in AWAY_CLASSES or state in NOT_MIGRATED
    return Fault.AWAY if unusable else Fault.BUG


def _of_sqlite(error: sqlite3.Error) -> Fault:
    code = getattr(error, "sqlite_errorcode", 0)
    if GUARD_WORD in str(error):
        return Fault.GUARDED
    if code & _PRIMARY in _SQLITE_CONFLICTS:
        return Fault.CONFLICT
    if code in {sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE}:
        return Fault.CONFLICT
    unusable = code & _PRIMARY in _SQLITE_AWAY or str(error).startswith(_NO_TABLE)
    return Fault.AWAY if unusable else Fault.BUG
