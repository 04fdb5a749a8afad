"""How any model is called: one deadline, a bound on calls at once, one retry, a breaker.

An adapter says in two errors what went wrong, this module decides what becomes of it. Nothing
that a model said is logged or raised: reasons are codes of ours.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import ceil
from typing import Final, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary

from moss_memory.adapters.breaker import Breaker
from moss_memory.core.errors import (
    ModelBadOutputError,
    ModelTimeoutError,
    ModelUnavailableError,
)

log: Final = logging.getLogger(__name__)

DEADLINE: Final = 8.0  # seconds for everything: the wait for a place, both attempts, the pause
AT_ONCE: Final = 16
PER_PRINCIPAL: Final = 2
QUEUE: Final = 1.0  # seconds to wait for a place
PAUSE: Final = 0.25  # seconds before the second attempt where the server names none
WORTH_TRYING: Final = 1.0  # seconds that must be left for a second attempt

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a model said, and what it cost; ``model`` is the version that answered, if it says."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str | None = None


class BadReplyError(Exception):
    """The server answered with something that is no whole reply; ``reason`` is a code."""

    def __init__(self, reason: str, *, prompt_tokens: int = 0, completion_tokens: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.answer = Answer(
            text="", prompt_tokens=prompt_tokens, completion_tokens=completion_tokens
        )


class RefusedError(Exception):
    """The server did not answer, or answered with an error.

    ``retryable`` says whether a second attempt may help, ``retry_after`` how long the server
    wants to be left alone (seconds, None where it does not say).
    """

    def __init__(self, reason: str, *, retryable: bool, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.retryable, self.retry_after = reason, retryable, retry_after


class Model(Protocol):
    """A language model behind one library."""

    @property
    def name(self) -> str:
        """The provenance word, such as ``gemini:<id>``."""
        ...

    @property
    def model_id(self) -> str:
        """The model's own name."""
        ...

    async def ask(
        self, system: str, words: tuple[str, ...], schema: dict[str, object] | None
    ) -> Answer:
        """Ask once, without a retry: ``words`` are the parts of one user turn.

        Raises:
            BadReplyError, RefusedError: as they say.
            TimeoutError: the server was silent for too long.
        """
        ...

    async def aclose(self) -> None:
        """Close every connection of this event loop."""
        ...


@dataclass(slots=True)
class Spent(Generic[Read]):
    """A read answer and the tokens of every attempt that led to it."""

    value: Read
    prompt_tokens: int
    completion_tokens: int


@dataclass(slots=True)
class _Places:
    """The places of one event loop: semaphores belong to the loop that waits on them."""

    all: asyncio.Semaphore
    each: dict[str, asyncio.Semaphore] = field(default_factory=dict)
    users: dict[str, int] = field(default_factory=dict)


class ModelCalls:
    """The calls of one process to one model; its parser and its writer share it."""

    def __init__(
        self,
        *,
        deadline: float = DEADLINE,
        at_once: int = AT_ONCE,
        per_principal: int = PER_PRINCIPAL,
        queue: float = QUEUE,
        breaker: Breaker | None = None,
    ) -> None:
        self._deadline, self._queue = deadline, queue
        self._at_once, self._per_principal = at_once, per_principal
        self._breaker = Breaker() if breaker is None else breaker
        self._places: WeakKeyDictionary[asyncio.AbstractEventLoop, _Places] = WeakKeyDictionary()
        self.outcomes: Counter[str] = Counter()  # ok, or the code of what was raised -> calls

    def resting(self) -> float:
        """Return the seconds for which the model is left alone; 0 while it is asked."""
        return self._breaker.wait()

    async def run(
        self,
        principal_id: str,
        ask: Callable[[str | None], Awaitable[Answer]],
        read: Callable[[Answer], Read],
        *,
        seconds: float | None = None,
    ) -> Spent[Read]:
        """Ask and read, and once more with the reason where that may help.

        ``ask`` takes the reason why the last reply was refused, None at first. ``read`` raises
        ModelBadOutputError with the member ``reason``. An empty principal is nobody's.
        ``seconds`` is a shorter deadline than usual.

        Raises:
            ModelBadOutputError: twice a reply that is none; ``reason`` says why the last was.
            ModelUnavailableError: refused, or too many calls; ``retry_after`` in seconds.
            ModelTimeoutError: the deadline is over.
        """
        try:
            spent = await self._run(principal_id, ask, read, seconds)
        except (ModelBadOutputError, ModelUnavailableError, ModelTimeoutError) as error:
            self.outcomes[error.code] += 1
            raise
        self.outcomes["ok"] += 1
        return spent

    async def _run(
        self,
        principal_id: str,
        ask: Callable[[str | None], Awaitable[Answer]],
        read: Callable[[Answer], Read],
        seconds: float | None,
    ) -> Spent[Read]:
        if not self._breaker.allow():
            raise ModelUnavailableError(retry_after=max(1, ceil(self._breaker.wait())))
        budget = self._deadline if seconds is None else min(seconds, self._deadline)
        ends_at = asyncio.get_running_loop().time() + budget
        try:
            async with asyncio.timeout_at(ends_at), self._place(principal_id):
                return await self._twice(ask, read, ends_at)
        except TimeoutError:
            self._breaker.fail()
            log.warning("model failed: timeout")
            raise ModelTimeoutError from None

    async def _twice(
        self,
        ask: Callable[[str | None], Awaitable[Answer]],
        read: Callable[[Answer], Read],
        ends_at: float,
    ) -> Spent[Read]:
        spent = [0, 0]
        reason: str | None = None
        for last in (False, True):
            try:
                answer = await ask(reason)
                _add(spent, answer)
                self._breaker.succeed()
                return Spent(read(answer), *spent)
            except RefusedError as exc:
                self._breaker.fail()
                await self._pause_or_give_up(exc, ends_at, last=last)
            except BadReplyError as exc:
                _add(spent, exc.answer)
                self._breaker.succeed()
                reason = exc.reason
            except ModelBadOutputError as exc:
                reason = str(exc.members.get("reason", "schema"))
            log.warning("model reply refused: %s", reason or "again")
        raise ModelBadOutputError(reason=reason)

    async def _pause_or_give_up(self, exc: RefusedError, ends_at: float, *, last: bool) -> None:
        left = ends_at - asyncio.get_running_loop().time()
        pause = PAUSE if exc.retry_after is None else exc.retry_after
        if last or not exc.retryable or pause + WORTH_TRYING > left:
            log.warning("model failed: %s", exc.reason)
            wait = 1 if exc.retry_after is None else max(1, ceil(exc.retry_after))
            raise ModelUnavailableError(reason=exc.reason, retry_after=wait) from None
        await asyncio.sleep(pause)

    @asynccontextmanager
    async def _place(self, principal_id: str) -> AsyncIterator[None]:
        """Wait for one of the principal's places, then for one of the process's."""
        places = self._places_here()
        own = places.each.setdefault(principal_id, asyncio.Semaphore(self._per_principal))
        places.users[principal_id] = places.users.get(principal_id, 0) + 1
        taken: list[asyncio.Semaphore] = []
        try:
            await self._take([own, places.all] if principal_id else [places.all], taken)
            yield
        finally:
            for semaphore in taken:
                semaphore.release()
            places.users[principal_id] -= 1
            if not places.users[principal_id]:
                del places.users[principal_id], places.each[principal_id]

    async def _take(self, wanted: list[asyncio.Semaphore], taken: list[asyncio.Semaphore]) -> None:
        try:
            async with asyncio.timeout(self._queue):
                for semaphore in wanted:
                    await semaphore.acquire()
                    taken.append(semaphore)
        except TimeoutError:
            raise ModelUnavailableError(reason="busy", retry_after=1) from None

    def _places_here(self) -> _Places:
        loop = asyncio.get_running_loop()
        if loop not in self._places:
            self._places[loop] = _Places(asyncio.Semaphore(self._at_once))
        return self._places[loop]


def _add(spent: list[int], answer: Answer) -> None:
    spent[0] += answer.prompt_tokens
    spent[1] += answer.completion_tokens
