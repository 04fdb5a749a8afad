"""What a driver's error means, by its code."""

import sqlite3

import psycopg
import pytest
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from moss_memory.adapters.sql_faults import Fault, fault_of


@pytest.mark.parametrize(
    ("state", "fault"),
    [
        ("40001", Fault.CONFLICT),  # serialization
        ("40P01", Fault.CONFLICT),  # deadlock
        ("55P03", Fault.CONFLICT),  # lock timeout
        ("23505", Fault.CONFLICT),  # a row that another has just written
        ("23P01", Fault.GUARDED),
        ("57P01", Fault.LOST),  # ended by an administrator
        ("08006", Fault.LOST),
        ("26000", Fault.LOST),  # a prepared statement that is no more
        ("57014", Fault.AWAY),  # statement timeout
        ("25006", Fault.AWAY),  # read-only
        ("53100", Fault.AWAY),  # disk full
        ("53300", Fault.AWAY),  # too many connections
        ("22P02", Fault.BUG),
        ("42501", Fault.BUG),
    ],
)
def test_state_of_postgresql_is_sorted(state: str, fault: Fault):
    assert fault_of(psycopg.errors.lookup(state)()) is fault


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (sqlite3.SQLITE_BUSY, Fault.CONFLICT),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, Fault.CONFLICT),
        (sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, Fault.CONFLICT),
        (sqlite3.SQLITE_FULL, Fault.AWAY),
        (sqlite3.SQLITE_IOERR_FSYNC, Fault.AWAY),
        (sqlite3.SQLITE_READONLY, Fault.AWAY),
        (sqlite3.SQLITE_CONSTRAINT_CHECK, Fault.BUG),
        (sqlite3.SQLITE_ERROR, Fault.BUG),
    ],
)
def test_code_of_sqlite_is_sorted(code: int, fault: Fault):
    error = sqlite3.OperationalError("said")
    error.sqlite_errorcode = code

    assert fault_of(error) is fault


def test_guard_of_sqlite_is_told_by_its_word():
    assert fault_of(sqlite3.IntegrityError("moss_guard: taken")) is Fault.GUARDED


def test_error_that_the_server_never_saw_is_a_lost_connection():
    assert fault_of(psycopg.OperationalError("connection failed")) is Fault.LOST


def test_pool_without_a_connection_is_away():
    assert fault_of(PoolTimeoutError()) is Fault.AWAY


def test_any_other_error_is_a_bug():
    assert fault_of(KeyError("x")) is Fault.BUG
