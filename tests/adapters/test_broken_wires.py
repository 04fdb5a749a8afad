"""What a store says when the wire to PostgreSQL breaks, and how often it crosses that wire.

A proxy stands between: it counts flights (bursts from the client that an answer follows), and
cuts, holds or refuses on command.
"""

import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_scopes import SqlScopes
from moss_memory.adapters.sql_search import SqlFinder
from moss_memory.core.access import Grant, Scope
from moss_memory.core.errors import OutcomeUnknownError, StorageUnavailableError
from moss_memory.core.interval import Interval
from moss_memory.flow.ports import IdempotencyKey, Query, Search, Standing

TENANT = "default"
START = datetime(2026, 7, 17, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
COMMITTING = 2  # the flight of a create that carries COMMIT


def window(day: int) -> Interval:
    return Interval(START + day * DAY, START + day * DAY + HOUR)


class Proxy:
    """A TCP proxy in front of PostgreSQL.

    ``cut_in(n)`` passes the n-th flight from now on, and cuts the connection in place of its
    answer. ``down`` refuses all, ``deaf`` passes nothing on.
    """

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.flights = 0
        self._cut_at: int | None = None
        self.down = self.deaf = False
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self.down:
                    client.close()
                    continue
                pair = (client, socket.create_connection(self._target))
                for each in pair:
                    each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._pairs.append(pair)
                threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        asking = cutting = False
        with suppress(OSError), client, server:
            while True:
                for ready in select.select([client, server], [], [])[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    if self.deaf:
                        continue
                    if ready is client:
                        self.flights += not asking
                        cutting, asking = self.flights == self._cut_at, True
                        server.sendall(data)
                    elif cutting:  # done there, untold here
                        self._cut_at = None
                        return
                    else:
                        asking = False
                        client.sendall(data)

    def cut_in(self, flights: int) -> None:
        self._cut_at = self.flights + flights

    @property
    def was_cut(self) -> bool:
        return self._cut_at is None

    def cut_all(self) -> None:
        for pair in self._pairs:
            for each in pair:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.close()
        self.cut_all()


@pytest.fixture
def proxy(postgres_url: str) -> Iterator[Proxy]:
    """A proxy before the test's PostgreSQL database."""
    parts = urlsplit(postgres_url)
    made = Proxy(parts.hostname or "", parts.port or 0)
    yield made
    made.close()


@pytest.fixture
def far(proxy: Proxy, postgres_url: str, ontology: Any) -> Iterator[SqlMemory]:
    """A store that reaches its database through the proxy."""
    parts = urlsplit(postgres_url)
    url = postgres_url.replace(f":{parts.port}/", f":{proxy.port}/")
    memory = SqlMemory(url, ontology=ontology)
    memory.check()  # connected, so that only the work is counted
    yield memory
    memory.close()


@pytest.fixture
def near(postgres_url: str, ontology: Any) -> Iterator[SqlMemory]:
    """A store on the same database, past the proxy."""
    memory = SqlMemory(postgres_url, ontology=ontology)
    yield memory
    memory.close()


@pytest.fixture
def writer(far: SqlMemory, scribe_on: Callable[..., Any]) -> Any:
    """A scribe of the far store whose statements are prepared already."""
    scribe = scribe_on(far)
    for day in range(100, 106):
        scribe.create(scribe.draft(scribe.fact(), window(day)))
    return scribe


def flights(proxy: Proxy, work: Callable[[], object]) -> int:
    before = proxy.flights
    work()
    return proxy.flights - before


def test_conflict_free_create_takes_two_flights(writer: Any, proxy: Proxy):
    draft = writer.draft(writer.fact(), window(0))

    assert flights(proxy, lambda: writer.create(draft)) == 2


def test_create_takes_a_flight_more_where_it_is_not_foreseen_what_it_needs_to_see(
    writer: Any, proxy: Proxy
):
    draft = writer.draft(writer.fact(), window(0))

    assert flights(proxy, lambda: writer.create(draft, expected_at=None)) == 3


def test_key_costs_no_flight(writer: Any, proxy: Proxy):
    key = IdempotencyKey("POST /memories", "k", "h")
    draft = writer.draft(writer.fact(), window(0))

    assert flights(proxy, lambda: writer.create(draft, idempotency=key)) == 2


def test_retire_takes_two_flights(writer: Any, proxy: Proxy):
    written = writer.create(writer.draft(writer.fact(), window(0)))

    assert flights(proxy, lambda: writer.retire(written)) == 2


def test_read_by_id_takes_one_flight(writer: Any, proxy: Proxy):
    written = writer.create(writer.draft(writer.fact(), window(0)))

    assert flights(proxy, lambda: writer.memory.newest(TENANT, [written.memory_id])) == 1


def test_list_takes_one_flight_with_the_standing_that_it_depends_on(writer: Any, proxy: Proxy):
    asked = Query(scopes=(writer.fact().scope_id,), now=START)

    assert flights(proxy, lambda: writer.memory.records(TENANT, "ana", lambda _: asked)) == 1


def test_list_takes_one_flight_again_once_a_grant_is_known(writer: Any, proxy: Proxy):
    scopes = SqlScopes(writer.memory.database)
    scopes.put_scope(TENANT, Scope(scope_id="team", kind="team"))
    scopes.put_grant(TENANT, "ana", Grant(scope=Scope(scope_id="team", kind="team")))

    def asked(standing: Standing) -> Query:
        return Query(scopes=("ana", *(g.scope.scope_id for g in standing.grants)), now=START)

    taken = [flights(proxy, lambda: writer.memory.records(TENANT, "ana", asked)) for _ in range(3)]
    assert taken[0] > 1
    assert taken[1:] == [1, 1]


def test_list_of_a_window_takes_three_flights(writer: Any, proxy: Proxy):
    """Standing and spaces; what touches the window; those memories, and the end."""
    asked = Query(scopes=("ana",), now=START, overlaps=Interval(START, START + 999 * DAY))
    taken = [
        flights(proxy, lambda: writer.memory.records(TENANT, "ana", lambda _: asked))
        for _ in range(2)
    ]
    assert taken[1] == 3


def test_search_takes_two_flights_with_the_standing_that_it_depends_on(writer: Any, proxy: Proxy):
    """What each side names; those memories, and the end."""
    finder = SqlFinder(writer.memory.database)
    asked = Search(scopes=("ana",), now=START, words=("budget",))

    assert flights(proxy, lambda: finder.sought(TENANT, "ana", lambda _: asked)) == 2


def test_read_by_id_takes_one_flight_with_the_standing(writer: Any, proxy: Proxy):
    written = writer.create(writer.draft(writer.fact(), window(0)))

    assert flights(proxy, lambda: writer.memory.seen(TENANT, "ana", [written.memory_id])) == 1


def test_truth_is_told_when_the_reply_to_commit_is_lost(writer: Any, proxy: Proxy, near: SqlMemory):
    """F13."""
    for round_ in range(10):
        proxy.cut_in(COMMITTING)
        written = writer.create(writer.draft(writer.fact(), window(round_)))

        assert proxy.was_cut
        assert near.newest(TENANT, [written.memory_id]) == {written.memory_id: written}
    assert near.verify(TENANT).ok


@pytest.mark.campaign
def test_truth_is_told_a_hundred_times(writer: Any, proxy: Proxy, near: SqlMemory):
    """F13."""
    for round_ in range(100):
        key = IdempotencyKey("POST /memories", f"k{round_}", "h")
        proxy.cut_in(COMMITTING)
        written = writer.create(writer.draft(writer.fact(), window(round_)), idempotency=key)
        replay = writer.create(writer.draft(writer.fact(), window(round_)), idempotency=key)

        assert replay.receipt.facts == ((written.memory_id, 1),)
    assert near.verify(TENANT).checked == 106


def test_outcome_is_unknown_when_the_database_stays_away_after_commit(writer: Any, proxy: Proxy):
    def fall(step: str) -> None:
        if step == "decided":
            proxy.cut_in(1)
            proxy.down = True

    writer.memory.database.passing = fall

    with pytest.raises(OutcomeUnknownError):
        writer.create(writer.draft(writer.fact(), window(0)))


def timed(work: Callable[[], object]) -> float:
    start = time.monotonic()
    with pytest.raises(StorageUnavailableError):
        work()
    return time.monotonic() - start


def test_database_that_is_away_is_told_of_at_once_and_heals(writer: Any, proxy: Proxy):
    proxy.down = True
    proxy.cut_all()
    draft = writer.draft(writer.fact(), window(0))
    for work in (lambda: writer.create(draft), lambda: writer.memory.standing(TENANT, "ana")):
        assert timed(work) < 1.0
    proxy.down = False

    assert writer.create(draft).active
    assert writer.memory.check()["database"] == "ok"


def test_connections_ended_by_a_restart_are_not_noticed(writer: Any, proxy: Proxy):
    """F11 and F12."""
    proxy.cut_all()

    assert writer.create(writer.draft(writer.fact(), window(0))).active
    proxy.cut_all()
    assert writer.memory.standing(TENANT, "ana").grants == ()


def test_database_that_says_nothing_is_given_up(writer: Any, proxy: Proxy):
    """F14."""
    proxy.deaf = True

    assert timed(lambda: writer.memory.standing(TENANT, "ana")) < 8
    proxy.deaf = False
    proxy.cut_all()
    assert writer.memory.standing(TENANT, "ana").grants == ()
