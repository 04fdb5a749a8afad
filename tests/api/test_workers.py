"""Calls in threads: their outcomes, their context, and how many run at once."""

import asyncio
import threading
from contextvars import ContextVar

import pytest

from moss_memory.api.workers import Workers

NAMED: ContextVar[str] = ContextVar("named")


def fail(error: BaseException) -> None:
    raise error


def test_call_runs_in_another_thread_and_its_result_comes_back():
    async def ask() -> tuple[int, int]:
        return threading.get_ident(), await Workers().run(threading.get_ident)

    here, there = asyncio.run(ask())
    assert here != there


def test_error_of_the_call_is_raised_to_whoever_waits():
    with pytest.raises(KeyError, match="gone"):
        asyncio.run(Workers().run(fail, KeyError("gone")))


def test_stop_iteration_is_told_and_nobody_waits_for_ever():
    with pytest.raises(RuntimeError):
        asyncio.run(Workers().run(fail, StopIteration()))


def test_call_sees_the_context_of_its_caller():
    async def ask() -> str:
        NAMED.set("mine")
        return await Workers().run(NAMED.get)

    assert asyncio.run(ask()) == "mine"


def test_no_more_calls_run_at_once_than_there_are_threads():
    lock, running, seen = threading.Lock(), [0], []

    def work() -> None:
        with lock:
            running[0] += 1
            seen.append(running[0])
        threading.Event().wait(0.01)
        with lock:
            running[0] -= 1

    async def ask() -> None:
        workers = Workers(most=2)
        await asyncio.gather(*(workers.run(work) for _ in range(8)))

    asyncio.run(ask())
    assert (max(seen), len(seen)) == (2, 8)


def test_cancelled_waiter_leaves_the_threads_to_others():
    async def ask() -> str:
        workers = Workers(most=1)
        held = threading.Event()
        waiter = asyncio.create_task(workers.run(held.wait, 5))
        await asyncio.sleep(0.01)
        waiter.cancel()
        held.set()
        return await workers.run(lambda: "next")

    assert asyncio.run(ask()) == "next"
