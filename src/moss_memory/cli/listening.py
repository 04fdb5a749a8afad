"""The sockets: uvicorn with bounds on what a client may leave open or unbounded.

uvicorn waits for ever for the end of a request's headers and takes headers of any size; a body
is bounded by ``api/guard``.
"""

import asyncio
import queue
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

MAX_HEADERS: Final = 32 * 1024  # bytes of request line and headers together
IDLE_SECONDS: Final = 5  # between two requests of a connection
STOP_SECONDS: Final = 10  # for what is in flight
START_SECONDS: Final = 20
_LATE_SECONDS: Final = 0.1  # between two looks for connections that came while stopping

_TOO_LARGE: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n"
)


class Connection(HttpToolsProtocol):
    """One connection, closed where a request's headers are too slow or too large.

    ``patience`` is in seconds, from the connection or from the first byte of a later request.
    """

    patience = 9.0
    _patience: asyncio.TimerHandle | None = None
    _size = 0  # of the request line and the headers read so far
    _unread = 0  # bytes received since the headers began that are not complete yet
    _begun = False  # whether a request's headers have begun and not ended
    _ended = False  # whether the bytes received last had the end of a request in them

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a first request, not for ever."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._rest()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; a header that never ends is not kept."""
        self._ended = False
        super().data_received(data)
        if self._patience is None and (self._begun or self._is_answered()):
            self._wait()  # mostly headers come whole: no timer for them
        # after the end of another request it is not known how many bytes the new one has
        counts = self._patience is not None and not self._ended
        self._unread = self._unread + len(data) if counts else 0
        if self._unread > MAX_HEADERS:
            self._refuse()

    def on_message_begin(self) -> None:
        """Begin a request; the first has the connection's own patience."""
        super().on_message_begin()
        self._size = 0
        self._begun = True

    def on_url(self, url: bytes) -> None:
        """Count the request line."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header."""
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the request, unless it was refused already."""
        self._begun = False
        self._rest()
        if not self.transport.is_closing():
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body, unless the request was refused already."""
        if not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        """End the request, unless it was refused already."""
        self._ended = True
        if not self.transport.is_closing():
            super().on_message_complete()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        super()._start_asgi_task(cycle, partial(_together, cycle, app))

    def _is_answered(self) -> bool:
        """Tell whether no answer is due: what comes then ends uvicorn's own patience."""
        busy: Any = self.cycle
        return busy is not None and bool(busy.response_complete)

    def _wait(self) -> None:
        self._rest()
        self._patience = self.loop.call_later(self.patience, self._give_up)

    def _rest(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        busy: Any = self.cycle  # None before the first request, whatever uvicorn's types say
        if busy is None or busy.response_complete:
            self.transport.close()
        else:  # the rest of these headers is not read before the answers that are due
            self._wait()

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > MAX_HEADERS:
            self._refuse()

    def _refuse(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(_TOO_LARGE)
            self.transport.close()


async def _together(
    cycle: RequestResponseCycle, app: Any, scope: Any, receive: Any, send: Any
) -> None:
    """Send an answer's head with the first of its body, as ASGI asks servers to do.

    One call of the system and one packet in place of two; uvicorn sends the head as it comes.
    """
    head: Any = None

    async def sent(message: Any) -> None:
        nonlocal head
        if message["type"] == "http.response.start":
            head = message
            return
        if head is None:
            await send(message)
            return
        wire = cycle.transport
        cycle.transport = joined = _Joined(wire)
        try:
            await send(head)
            await send(message)
        finally:
            head, cycle.transport = None, wire
            joined.flush()

    await app(scope, receive, sent)


class _Joined(asyncio.Transport):
    """What is written, kept back until ``flush``."""

    def __init__(self, wire: asyncio.Transport) -> None:
        super().__init__()
        self._wire = wire
        self._written: list[bytes] = []

    def write(self, data: Any) -> None:
        self._written.append(data)

    def flush(self) -> None:
        written, self._written = self._written, []
        if written:
            self._wire.write(b"".join(written))

    def close(self) -> None:
        self.flush()
        self._wire.close()

    def is_closing(self) -> bool:
        return self._wire.is_closing()


class Server(uvicorn.Server):
    """uvicorn's server, which tells ``announce`` its host and port once it listens.

    Stopped, it leaves no connection open.
    """

    def __init__(self, config: uvicorn.Config, announce: Callable[[str, int], None]) -> None:
        super().__init__(config)
        self.announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say where: the port may have been the system's choice."""
        await super().startup(sockets)
        for server in self.servers:
            for listener in server.sockets:
                self.announce(self.config.host, listener.getsockname()[1])
                return

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop; what came too late to be told of it is told, what does not end is cut."""
        telling = asyncio.create_task(self._tell())
        try:
            await super().shutdown(sockets)
        finally:
            telling.cancel()
            for connection in list(self.server_state.connections):
                connection.transport.abort()
            await asyncio.sleep(0)  # the loop closes an aborted socket in its next round

    async def _tell(self) -> None:
        # uvicorn tells once; a socket accepted just before is no connection yet then, and its
        # client could ask for more and more until the time for stopping is over
        while True:
            await asyncio.sleep(_LATE_SECONDS)  # what it asked first is read by then
            for connection in list(self.server_state.connections):
                connection.shutdown()


def configuration(
    app: Any,
    *,
    host: str,
    port: int,
    workers: int = 1,
    protocol: type[Connection] = Connection,
) -> uvicorn.Config:
    """Return how uvicorn serves ``app``: an ASGI application, or the name of its factory.

    No access log of uvicorn's own, whose lines hold query strings; no proxy headers, since
    nothing here depends on a client's address.
    """
    return uvicorn.Config(
        app,
        factory=isinstance(app, str),
        host=host,
        port=port,
        workers=workers,
        http=protocol,
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
        backlog=2048,
    )


@contextmanager
def in_background(app: Any, *, protocol: type[Connection] = Connection) -> Iterator[str]:
    """Serve ``app`` on a free loopback port from a thread; yield its base URL.

    Raises:
        RuntimeError: it did not start within 20 seconds.
    """
    listening = queue.SimpleQueue[str]()
    server = Server(
        configuration(app, host="127.0.0.1", port=0, protocol=protocol),
        lambda host, port: listening.put(f"http://{host}:{port}"),
    )
    thread = threading.Thread(target=server.run, name="server", daemon=True)
    thread.start()
    try:
        yield listening.get(timeout=START_SECONDS)
    except queue.Empty:
        raise RuntimeError("the server did not start") from None
    finally:
        server.should_exit = True
        thread.join(START_SECONDS)
