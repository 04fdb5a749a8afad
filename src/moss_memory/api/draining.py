"""Stopping in order: not ready first, then no new connections, then the end."""

import asyncio
import signal
import threading
from dataclasses import dataclass
from types import FrameType


@dataclass
class Draining:
    """Whether the process was asked to stop: a balancer then sends nothing more here.

    ``seconds`` is how long ``/readyz`` says 503 while requests are still taken.
    """

    seconds: float = 1.0
    asked: bool = False

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """On SIGTERM be not ready, and hand the signal to the server ``seconds`` later.

        The server's own handler would close the listening socket at once. Outside the main
        thread there are no signals to watch.
        """
        if threading.current_thread() is not threading.main_thread():
            return
        stop = signal.getsignal(signal.SIGTERM)
        if not callable(stop):
            return

        def drain(number: int, frame: FrameType | None) -> None:
            if self.asked:
                stop(number, frame)  # asked twice: now
                return
            self.asked = True
            loop.call_soon_threadsafe(loop.call_later, self.seconds, stop, number, None)

        signal.signal(signal.SIGTERM, drain)
