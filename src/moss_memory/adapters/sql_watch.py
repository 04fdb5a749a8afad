"""A limit on how long a flight may take, for a network that says nothing at all.

The server's own timeouts end what it works on. Where nothing comes back, neither they nor TCP do
(a proxy may well acknowledge every packet): then the socket is shut down under the waiting driver.
"""

import os
import socket
import threading
import time
from contextlib import suppress
from typing import Final

FLIGHT_SECONDS: Final = 2.5
TICK_SECONDS: Final = 0.25


class Watch:
    """One thread that shuts down sockets whose flight is overdue; it runs only while some fly."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._due: dict[int, float] = {}
        self._running = False

    def start(self, descriptor: int) -> None:
        """Begin to watch a socket."""
        with self._lock:
            self._due[descriptor] = time.monotonic() + FLIGHT_SECONDS
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, name="moss-sql-watch", daemon=True).start()

    def stop(self, descriptor: int) -> None:
        """The flight has landed, or was given up."""
        with self._lock:
            self._due.pop(descriptor, None)

    def _run(self) -> None:
        idle = 0.0
        while idle < FLIGHT_SECONDS:
            time.sleep(TICK_SECONDS)
            with self._lock:
                idle = 0.0 if self._due else idle + TICK_SECONDS
                self._end(time.monotonic())
                self._running = idle < FLIGHT_SECONDS

    def _end(self, now: float) -> None:
        for descriptor in [each for each, due in self._due.items() if due < now]:
            del self._due[descriptor]
            with suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as overdue:
                overdue.shutdown(socket.SHUT_RDWR)
