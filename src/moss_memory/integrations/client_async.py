"""The client for coroutines: ``AsyncMossClient``."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Self, TypeVar

import httpx2

from moss_memory.integrations import client_requests as requests
from moss_memory.integrations.client_call import Call, pause, read, refusal, unreachable
from moss_memory.integrations.client_errors import MossClientError
from moss_memory.integrations.client_governance_values import Event
from moss_memory.integrations.client_methods import async_listing, async_route
from moss_memory.integrations.client_settings import Settings, Stream

T = TypeVar("T")


class AsyncMossClient:
    """The service over HTTP, one coroutine a route; for one event loop.

    Every write carries an Idempotency-Key, made here where none is named, so a call that got no
    answer is repeated without a second effect: after a broken connection, 429, a busy database,
    a proxy's 502 to 504. ``Retry-After`` is honoured up to ``patience``.

    Methods raise the ``ProblemError`` of what the service refused, ``ConnectionFailedError`` where
    no answer came, and ``UnexpectedAnswerError`` where something else answered.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 30.0,
        retries: int = 2,
        patience: float = 30.0,
        transport: httpx2.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """Open a pool of connections to ``base_url``.

        Args:
            base_url: http or https, a path prefix included.
            api_key: what follows "Bearer".
            timeout: seconds for one try; connecting takes a sixth of it at most.
            retries: how many more tries a repeatable call gets.
            patience: the longest Retry-After, in seconds, that is waited for.
            transport: another way to the service than the network, in tests for example.
            sleep: how a pause is made.
        """
        self._settings = Settings(base_url, api_key, timeout, retries, patience)
        self._sleep = sleep
        self._http = httpx2.AsyncClient(transport=transport, **self._settings.options())

    def __repr__(self) -> str:
        """Name the service, not the key."""
        return f"AsyncMossClient({self._settings.base_url!r})"

    async def __aenter__(self) -> Self:
        """Return the client; leaving the block closes it."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connections."""
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    me = async_route(requests.me)
    update_me = async_route(requests.update_me)
    chat = async_route(requests.chat)
    confirm = async_route(requests.confirm)
    pendings = async_listing(requests.pendings)
    pending = async_route(requests.pending)
    remember = async_route(requests.remember)
    lint = async_route(requests.lint)
    memories = async_listing(requests.memories)
    memory = async_route(requests.memory)
    revise = async_route(requests.revise)
    forget = async_route(requests.forget)
    revisions = async_listing(requests.revisions)
    restore = async_route(requests.restore)
    why = async_route(requests.why)
    namespaces = async_listing(requests.namespaces)
    context = async_route(requests.context)
    session = async_route(requests.session)
    end_session = async_route(requests.end_session)
    decision = async_route(requests.decision)
    decisions = async_listing(requests.decisions)
    verify_audit = async_route(requests.verify_audit)
    scopes = async_listing(requests.scopes)
    put_scope = async_route(requests.put_scope)
    grant = async_route(requests.grant)
    revoke_grant = async_route(requests.revoke_grant)
    create_key = async_route(requests.create_key)
    keys = async_listing(requests.keys)
    revoke_key = async_route(requests.revoke_key)
    erase = async_route(requests.erase)
    ontology = async_route(requests.ontology)
    rules = async_route(requests.rules)
    calendar = async_route(requests.calendar)
    livez = async_route(requests.livez)
    readyz = async_route(requests.readyz)

    async def send(self, call: Call[T]) -> T:
        """Make a call, again where that is safe and may help; the methods above all come here."""
        tried = 0
        while True:
            tried += 1
            try:
                return await self._try(call)
            except MossClientError as error:
                wait = pause(call, error, tried, patience=self._settings.patience)
                if wait is None or tried > self._settings.retries:
                    raise
            await self._sleep(wait)

    async def _try(self, call: Call[T]) -> T:
        try:
            response = await self._http.request(call.method, call.path, **call.options())
        except httpx2.TransportError as error:
            raise unreachable(call, error) from error
        return read(call, response)

    async def events(self, last_event_id: str | None = None) -> AsyncIterator[Event]:
        """Iterate, asynchronously and without end, over what happens to what the caller may see.

        None starts with what comes next, "" with the first event there is, an ``event_id`` after
        that event, of whichever process read it. A broken stream is taken up again after the last
        event. Break out of the loop to stop.

        Raises:
            ProblemError: the service refuses the stream.
            MossClientError: it stayed out of reach for all retries.
        """
        stream = Stream(last_event_id)
        while True:
            failure: MossClientError | None = None
            try:
                async for event in self._listen(stream):
                    yield event
            except MossClientError as error:
                failure = error
            wait = stream.wait(failure)
            if wait is None:
                assert failure is not None
                raise failure
            await self._sleep(wait)

    async def _listen(self, stream: Stream) -> AsyncIterator[Event]:
        call = stream.call()
        try:
            async with self._http.stream(
                call.method, call.path, headers=call.headers, timeout=self._settings.endless()
            ) as response:
                if not response.is_success:
                    await response.aread()
                    raise refusal(response)
                stream.connected()
                async for sent in httpx2.EventSource(response):
                    if event := stream.event(sent):
                        yield event
        except httpx2.TransportError as error:
            raise unreachable(call, error) from error
