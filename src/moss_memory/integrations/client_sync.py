"""The client for code that waits: ``MossClient``."""

import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Self, TypeVar

import httpx2

from moss_memory.integrations import client_requests as requests
from moss_memory.integrations.client_call import Call, pause, read, refusal, unreachable
from moss_memory.integrations.client_errors import MossClientError
from moss_memory.integrations.client_governance_values import Event
from moss_memory.integrations.client_methods import listing, route
from moss_memory.integrations.client_settings import Settings, Stream

T = TypeVar("T")


class MossClient:
    """The service over HTTP, one method a route; safe to share between threads.

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
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
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
        self._http = httpx2.Client(transport=transport, **self._settings.options())

    def __repr__(self) -> str:
        """Name the service, not the key."""
        return f"MossClient({self._settings.base_url!r})"

    def __enter__(self) -> Self:
        """Return the client; leaving the block closes it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    me = route(requests.me)
    update_me = route(requests.update_me)
    chat = route(requests.chat)
    confirm = route(requests.confirm)
    pendings = listing(requests.pendings)
    pending = route(requests.pending)
    remember = route(requests.remember)
    lint = route(requests.lint)
    memories = listing(requests.memories)
    memory = route(requests.memory)
    revise = route(requests.revise)
    forget = route(requests.forget)
    revisions = listing(requests.revisions)
    restore = route(requests.restore)
    why = route(requests.why)
    namespaces = listing(requests.namespaces)
    context = route(requests.context)
    session = route(requests.session)
    end_session = route(requests.end_session)
    decision = route(requests.decision)
    decisions = listing(requests.decisions)
    verify_audit = route(requests.verify_audit)
    scopes = listing(requests.scopes)
    put_scope = route(requests.put_scope)
    grant = route(requests.grant)
    revoke_grant = route(requests.revoke_grant)
    create_key = route(requests.create_key)
    keys = listing(requests.keys)
    revoke_key = route(requests.revoke_key)
    erase = route(requests.erase)
    ontology = route(requests.ontology)
    rules = route(requests.rules)
    calendar = route(requests.calendar)
    livez = route(requests.livez)
    readyz = route(requests.readyz)

    def send(self, call: Call[T]) -> T:
        """Make a call, again where that is safe and may help; the methods above all come here."""
        tried = 0
        while True:
            tried += 1
            try:
                return self._try(call)
            except MossClientError as error:
                wait = pause(call, error, tried, patience=self._settings.patience)
                if wait is None or tried > self._settings.retries:
                    raise
            self._sleep(wait)

    def _try(self, call: Call[T]) -> T:
        try:
            response = self._http.request(call.method, call.path, **call.options())
        except httpx2.TransportError as error:
            raise unreachable(call, error) from error
        return read(call, response)

    def events(self, last_event_id: str | None = None) -> Iterator[Event]:
        """Iterate, without end, over what happens to what the caller may see.

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
                yield from self._listen(stream)
            except MossClientError as error:
                failure = error
            wait = stream.wait(failure)
            if wait is None:
                assert failure is not None
                raise failure
            self._sleep(wait)

    def _listen(self, stream: Stream) -> Iterator[Event]:
        call = stream.call()
        try:
            with self._http.stream(
                call.method, call.path, headers=call.headers, timeout=self._settings.endless()
            ) as response:
                if not response.is_success:
                    response.read()
                    raise refusal(response)
                stream.connected()
                for sent in httpx2.EventSource(response):
                    if event := stream.event(sent):
                        yield event
        except httpx2.TransportError as error:
            raise unreachable(call, error) from error
