"""An HTTP client for model servers: replies are bounded while they are read, never compressed."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from functools import cache
from typing import Final

import httpx2

from moss_memory.adapters.model_call import BadReplyError, RefusedError

CONNECT: Final = 1.0
MAX_REPLY_BYTES: Final = 1 << 20
RETRYABLE: Final = frozenset({429, 500, 503})
LONGEST_WAIT: Final = 3600.0


@cache
def tls() -> ssl.SSLContext:
    """Return the one TLS context: reading the certificates costs more than a connection."""
    return httpx2.create_ssl_context()


class _Bounded(httpx2.AsyncByteStream):
    """A body that stops being read when it is longer than it may be."""

    def __init__(self, stream: httpx2.AsyncByteStream, cap: int) -> None:
        self._stream, self._cap = stream, cap

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        async for chunk in self._stream:
            length += len(chunk)
            if length > self._cap:
                raise BadReplyError("too_large")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _life(client: httpx2.AsyncClient) -> AsyncGenerator[httpx2.AsyncClient]:
    async with client:
        yield client


class Clients:
    """One client an event loop; ``seconds`` bounds each read, ``cap`` a reply's bytes.

    A client ends with its loop by itself: a loop that ends closes its asynchronous generators.
    """

    def __init__(self, *, seconds: float, cap: int = MAX_REPLY_BYTES) -> None:
        self._seconds, self._cap = seconds, cap
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: httpx2.AsyncClient | None = None
        self._life: AsyncGenerator[httpx2.AsyncClient] | None = None

    async def here(self) -> httpx2.AsyncClient:
        """Return this loop's client: connections do not outlive the loop that made them."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            client = self._made()
            self._loop, self._client, self._life = loop, client, _life(client)
            await anext(self._life)
        return self._client

    async def aclose(self) -> None:
        """Close this loop's client."""
        if self._life is not None and self._loop is asyncio.get_running_loop():
            await self._life.aclose()
        self._loop = self._client = self._life = None

    def _made(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(
            verify=tls(),
            timeout=httpx2.Timeout(self._seconds, connect=CONNECT),
            headers={"Accept-Encoding": "identity"},
            event_hooks={"response": [self._bound]},
        )

    async def _bound(self, response: httpx2.Response) -> None:
        """Bound a reply before its body is read; a compressed one could grow without bound."""
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise BadReplyError("compressed")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Bounded(response.stream, self._cap)


def refusal(status: int, retry_after: str | None) -> RefusedError:
    """Say what an error status means; ``retry_after`` is the header, in seconds."""
    return RefusedError(
        f"http_{status}", retryable=status in RETRYABLE, retry_after=_seconds(retry_after)
    )


def unreachable(exc: httpx2.TransportError) -> Exception:
    """Say what a broken connection means."""
    if isinstance(exc, httpx2.TimeoutException):
        return TimeoutError()
    return RefusedError("unreachable", retryable=True)


def _seconds(said: str | None) -> float | None:
    """Read Retry-After, or a duration such as ``2s``; a date is left alone."""
    try:
        seconds = float((said or "").strip().removesuffix("s"))
    except ValueError:
        return None
    return seconds if 0 <= seconds <= LONGEST_WAIT else None
