"""What a client may not leave open or unbounded, on real sockets.

The application behind the sockets is a few lines; the bounds in time are shortened, by a subclass
of the connection, and never measured.
"""

import queue
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from urllib.parse import urlsplit

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from moss_memory.cli.listening import (
    MAX_HEADERS,
    Connection,
    Server,
    configuration,
    in_background,
)

LONG = 8 * 2**20  # bytes, more than the system keeps for a client that does not read
HEAD = b"POST /chat HTTP/1.1\r\nHost: moss\r\n"


async def hello(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
        return
    body = await Request(scope, receive).body()
    await PlainTextResponse(f"read {len(body)}")(scope, receive, send)


async def lifespan(receive: Receive, send: Send) -> None:
    while (await receive())["type"] != "lifespan.shutdown":
        await send({"type": "lifespan.startup.complete"})
    await send({"type": "lifespan.shutdown.complete"})


class Impatient(Connection):
    patience = 0.3


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, int]]:
    with in_background(hello, protocol=Impatient) as base:
        where = urlsplit(base)
        assert where.hostname
        assert where.port
        yield where.hostname, where.port


@pytest.fixture
def wire(address: tuple[str, int]) -> Iterator[socket.socket]:
    with closing(socket.create_connection(address, timeout=20)) as connection:
        yield connection


def read_on(wire: socket.socket) -> bytes:
    """Return all that comes until the other side closes."""
    received = b""
    while chunk := wire.recv(65_536):
        received += chunk
    return received


def test_ends_of_lines_between_two_requests_do_not_keep_a_connection(wire: socket.socket) -> None:
    wire.sendall(HEAD + b"Content-Length: 2\r\n\r\n{}")
    first = wire.recv(65_536)
    wire.sendall(b"\r\n")

    assert first.endswith(b"read 2")
    assert read_on(wire) == b""


@pytest.mark.parametrize(
    "sent",
    [b"", b"P", b"POST /chat HT", HEAD, HEAD + b"X-Slow: a", HEAD + b"X-Slow: a\r\n"],
    ids=["silent", "a letter", "half a line", "no end", "half a header", "one header"],
)
def test_moss_m45_headers_that_never_end_are_not_waited_for(
    wire: socket.socket, sent: bytes
) -> None:
    wire.sendall(sent)

    assert read_on(wire) == b""


def test_second_request_has_patience_of_its_own(wire: socket.socket) -> None:
    wire.sendall(HEAD + b"Content-Length: 0\r\n\r\n" + b"POST /sl")

    assert read_on(wire).count(b"read 0") == 1


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /" + b"a" * MAX_HEADERS + b" HTTP/1.1\r\nHost: moss\r\n\r\n",
        HEAD + b"X-Long: " + b"a" * MAX_HEADERS + b"\r\n\r\n",
        HEAD + b"X-Endless: " + b"a" * 2 * MAX_HEADERS,
        HEAD + b"".join(b"X-%d: a\r\n" % n for n in range(9000)) + b"\r\n",
    ],
    ids=["line", "header", "endless header", "many headers"],
)
def test_headers_are_bounded(wire: socket.socket, sent: bytes) -> None:
    try:
        wire.sendall(sent)
        received = read_on(wire)
    except ConnectionError:  # it closed while we were still sending
        received = b"HTTP/1.1 431"

    assert received.startswith(b"HTTP/1.1 431")


def test_ordinary_request_is_answered_without_a_word_about_the_server(wire: socket.socket) -> None:
    wire.sendall(HEAD + b"Content-Length: 2\r\nConnection: close\r\n\r\n{}")
    received = read_on(wire)

    assert received.startswith(b"HTTP/1.1 200")
    assert received.endswith(b"read 2")
    assert b"server:" not in received.lower()


def test_head_and_body_of_an_answer_come_in_one_piece(wire: socket.socket) -> None:
    wire.sendall(HEAD + b"Content-Length: 2\r\n\r\n{}")
    received = wire.recv(65_536)

    assert received.startswith(b"HTTP/1.1 200")
    assert received.endswith(b"read 2")


def test_answer_to_head_has_no_body(wire: socket.socket) -> None:
    wire.sendall(b"HEAD /chat HTTP/1.1\r\nHost: moss\r\nConnection: close\r\n\r\n")
    received = read_on(wire)

    assert b"content-length: 6\r\n" in received
    assert received.endswith(b"\r\n\r\n")


async def in_parts(scope: Scope, receive: Receive, send: Send) -> None:
    """Send two parts, the second only when the client has the first; or a head that is none."""
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
        return
    broken = scope["path"] == "/broken"
    value = b"a\nb" if broken else b"a"
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-part", value)]})
    await send({"type": "http.response.body", "body": b"first", "more_body": True})
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.body", "body": b"second"})


@pytest.fixture
def parts() -> Iterator[socket.socket]:
    with in_background(in_parts) as base:
        where = urlsplit(base)
        assert where.hostname
        assert where.port
        with closing(socket.create_connection((where.hostname, where.port), 20)) as connection:
            yield connection


def test_first_part_of_a_stream_does_not_wait_for_the_second(parts: socket.socket) -> None:
    parts.sendall(HEAD + b"Connection: close\r\nContent-Length: 2\r\n\r\n{")
    first = parts.recv(65_536)
    parts.sendall(b"}")
    rest = read_on(parts)

    assert first.startswith(b"HTTP/1.1 200")
    assert first.endswith(b"5\r\nfirst\r\n")
    assert rest == b"6\r\nsecond\r\n0\r\n\r\n"


def test_connection_is_closed_over_a_head_that_cannot_be_sent(parts: socket.socket) -> None:
    parts.sendall(b"GET /broken HTTP/1.1\r\nHost: moss\r\n\r\n")

    assert read_on(parts) == b""


def test_requests_on_one_connection_are_answered_in_turn(wire: socket.socket) -> None:
    wire.sendall((HEAD + b"Content-Length: 2\r\n\r\n{}") * 3)

    assert read_on(wire).count(b"read 2") == 3


def test_many_requests_at_once_are_not_taken_for_endless_headers(wire: socket.socket) -> None:
    count = 4 * MAX_HEADERS // len(HEAD)
    sent = (HEAD + b"Content-Length: 2\r\n\r\n{}") * count
    sender = threading.Thread(target=wire.sendall, args=(sent,))
    sender.start()
    received = read_on(wire)
    sender.join()

    assert received.count(b"read 2") == count


def occupy(busy: threading.Event) -> None:
    """Keep the event loop from its sockets for a moment."""
    busy.set()
    time.sleep(1)


@contextmanager
def stopped(patience: float) -> Iterator[tuple[tuple[str, int], threading.Event]]:
    """Serve long and short answers; what is in flight at the end has ``patience`` seconds.

    The event is set while the event loop is occupied.
    """
    busy = threading.Event()
    places = queue.SimpleQueue[tuple[str, int]]()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await lifespan(receive, send)
            return
        if scope["path"] == "/occupy":
            occupy(busy)
        text = "a" * (LONG if scope["path"] == "/long" else 5)
        await PlainTextResponse(text)(scope, receive, send)

    config = configuration(app, host="127.0.0.1", port=0)
    config.timeout_graceful_shutdown = patience  # type: ignore[assignment]
    server = Server(config, lambda host, port: places.put((host, port)))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield places.get(timeout=20), busy
    finally:
        server.should_exit = True
        thread.join()


def ask(wire: socket.socket, path: bytes) -> None:
    wire.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: moss\r\n\r\n")


def test_connection_that_comes_while_the_server_stops_is_answered_once() -> None:
    answers: list[bytes] = []

    def insist(late: socket.socket) -> None:
        with suppress(OSError):  # it may be gone before we ask again
            ask(late, b"/")
            while received := late.recv(65_536):
                answers.append(received)
                time.sleep(0.2)
                ask(late, b"/")

    with stopped(patience=10) as (where, busy), socket.create_connection(where, 20) as first:
        ask(first, b"/occupy")
        busy.wait()
        late = socket.create_connection(where, 20)  # the system takes it, the loop cannot yet
        insisting = threading.Thread(target=insist, args=(late,))
        insisting.start()
    insisting.join()
    late.close()

    assert len(answers) == 1


def test_answer_that_nobody_reads_is_cut_when_the_time_for_stopping_is_over() -> None:
    with stopped(patience=0.1) as (where, _busy):
        wire = socket.create_connection(where, 20)
        ask(wire, b"/long")
        received = wire.recv(1)
    with closing(wire), suppress(ConnectionResetError):
        received += read_on(wire)

    assert 0 < len(received) < LONG


def test_shipped_bounds_close_a_slow_client_within_ten_seconds() -> None:
    config = configuration(hello, host="127.0.0.1", port=0)

    assert Connection.patience < 10
    assert config.timeout_keep_alive < 10
    assert config.timeout_graceful_shutdown == 10
    assert config.access_log is False
