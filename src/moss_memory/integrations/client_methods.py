"""Turning the functions of ``client_requests`` into methods, with their signatures and docs."""

import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from moss_memory.integrations.client_call import Call
from moss_memory.integrations.client_values import Page

P = ParamSpec("P")
T = TypeVar("T")


class Sends(Protocol):
    """A client that waits for each answer."""

    def send(self, call: Call[T]) -> T:
        """Make a call."""
        ...


class SendsAsync(Protocol):
    """A client that awaits each answer."""

    async def send(self, call: Call[T]) -> T:
        """Make a call."""
        ...


def route(build: Callable[P, Call[T]]) -> Callable[Concatenate[Sends, P], T]:
    """Return the method that makes the call."""

    def method(self: Sends, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.send(build(*args, **kwargs))

    return _dressed(method, build)


def listing(build: Callable[P, Call[Page[T]]]) -> Callable[Concatenate[Sends, P], Iterator[T]]:
    """Return the method that iterates over the items of every page."""

    def method(self: Sends, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        call: Call[Page[T]] | None = build(*args, **kwargs)
        while call is not None:
            page = self.send(call)
            yield from page["items"]
            call = call.after(page)

    return _dressed(method, build)


def async_route(
    build: Callable[P, Call[T]],
) -> Callable[Concatenate[SendsAsync, P], Coroutine[Any, Any, T]]:
    """Return the coroutine method that makes the call."""

    async def method(self: SendsAsync, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.send(build(*args, **kwargs))

    return _dressed(method, build)


def async_listing(
    build: Callable[P, Call[Page[T]]],
) -> Callable[Concatenate[SendsAsync, P], AsyncIterator[T]]:
    """Return the method that iterates, asynchronously, over the items of every page."""

    async def method(self: SendsAsync, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        call: Call[Page[T]] | None = build(*args, **kwargs)
        while call is not None:
            page = await self.send(call)
            for item in page["items"]:
                yield item
            call = call.after(page)

    return _dressed(method, build)


F = TypeVar("F", bound=Callable[..., Any])


def _dressed(method: F, build: Callable[..., Any]) -> F:
    """Let help() and inspect show the function's own parameters, after ``self``."""
    dressed = wraps(build)(method)
    told = inspect.signature(build)
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    shown = told.replace(parameters=[first, *told.parameters.values()])
    dressed.__signature__ = shown  # type: ignore[attr-defined]
    return dressed  # type: ignore[return-value]
