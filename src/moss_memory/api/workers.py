"""Threads for what waits: the database and the Desk are spoken to synchronously.

A hop costs a tenth of a short write's processor time in the general-purpose pool of the
framework; this one hands a call over through one queue and its outcome back through one callback.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context, copy_context
from functools import partial
from queue import SimpleQueue
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MOST: Final = 40  # at once; more wait their turn
_Work = tuple[Context, Callable[[], Any], asyncio.AbstractEventLoop, "asyncio.Future[Any]"]


class Workers:
    """At most ``most`` threads, each started when all others are busy."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._waiting: SimpleQueue[_Work] = SimpleQueue()
        self._lock = threading.Lock()
        self._busy = 0  # calls handed over and not finished
        self._started = 0

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what ``call`` returns, or raise what it raises; it sees the caller's context.

        Who is cancelled waits no longer; the call itself goes on to its end.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        with self._lock:
            self._busy += 1
            short = self._started < min(self._busy, self._most)
            self._started += short
        if short:
            threading.Thread(target=self._work, name="worker", daemon=True).start()
        self._waiting.put((copy_context(), partial(call, *args, **kwargs), loop, done))
        return await done

    def _work(self) -> None:
        while True:
            context, call, loop, done = self._waiting.get()
            result, error = None, None
            try:
                result = context.run(call)
            except BaseException as raised:  # noqa: BLE001 - whatever it was, the caller is told
                error = raised
            with self._lock:
                self._busy -= 1
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(_settle, done, result, error)
            del context, call, loop, done, result, error  # nothing lives on while this waits


def _settle(done: "asyncio.Future[Any]", result: Any, error: BaseException | None) -> None:
    if done.done():  # cancelled
        return
    if error is None:
        done.set_result(result)
    elif isinstance(error, StopIteration):  # no future takes it, and its coroutine would just end
        done.set_exception(RuntimeError("a call raised StopIteration"))
    else:
        done.set_exception(error)


in_thread: Final = Workers().run
