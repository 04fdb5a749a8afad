"""How often a principal may chat: a sliding window a minute, counted in Redis or in this process.

Where Redis cannot be asked the process counts by itself, so the limit is looser by the number of
workers for a while, and never gone.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from math import ceil
from typing import Final

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import RateLimiter, SlidingWindowCounterRateLimiter
from redis import ConnectionPool
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from moss_memory.core.access import Caller
from moss_memory.core.errors import RateLimitedError

REST: Final = timedelta(seconds=10)


class ChatRate:
    """Admit ``per_minute`` utterances of each principal; ``redis_url`` None counts in process."""

    def __init__(
        self, per_minute: int, *, redis_url: str | None, clock: Callable[[], datetime]
    ) -> None:
        self._item = RateLimitItemPerMinute(per_minute)
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._pool: ConnectionPool | None = None
        self._shared: RateLimiter | None = None
        if redis_url is not None:
            self._pool = _pool(redis_url)
            self._shared = _shared(redis_url, self._pool)
        self._clock = clock
        self._asked_again_at: datetime | None = None  # while Redis is left alone

    def admit(self, caller: Caller) -> None:
        """Count one utterance.

        Raises:
            RateLimitedError: the window is full; ``retry_after`` says for how many seconds.
        """
        shared = self._shared
        if shared is None or self._rests():
            self._count(self._own, caller)
            return
        try:
            self._count(shared, caller)
        except RedisError:
            self._asked_again_at = self._clock() + REST
            self._count(self._own, caller)

    def close(self) -> None:
        """Give back the connections to Redis; what is counted after it, is in process."""
        self._shared = None
        if self._pool is not None:
            self._pool.disconnect()

    def _rests(self) -> bool:
        """Tell whether Redis failed a moment ago: asking again would cost every turn a timeout."""
        again = self._asked_again_at
        return again is not None and self._clock() < again

    def _count(self, limiter: RateLimiter, caller: Caller) -> None:
        who = ("chat", caller.tenant_id, caller.principal_id)
        if limiter.hit(self._item, *who):
            return
        reset = limiter.get_window_stats(self._item, *who).reset_time
        raise RateLimitedError(retry_after=max(1, ceil(reset - self._clock().timestamp())))


def _pool(redis_url: str) -> ConnectionPool:
    return ConnectionPool.from_url(
        redis_url,
        retry=Retry(NoBackoff(), 0),  # a retry would outlast the whole request
        socket_connect_timeout=0.1,
        socket_timeout=0.25,
    )


def _shared(redis_url: str, pool: ConnectionPool) -> RateLimiter:
    storage = RedisStorage(redis_url, connection_pool=pool, key_prefix="moss:rate")
    return SlidingWindowCounterRateLimiter(storage)
