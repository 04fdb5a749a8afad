"""One way to Redis: short timeouts, no retries, a breaker, and one error for whatever is wrong.

A Desk that waits is worse than a Desk that is gone: the client's own retries would cost seconds
of every request while Redis is down. A cluster has a breaker a node, so that one lost node takes
only its own tenants along.
"""

import time
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit, urlunsplit

from redis import BlockingConnectionPool, Redis, RedisCluster
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode
from redis.connection import parse_url
from redis.crc import key_slot
from redis.exceptions import (
    MaxConnectionsError,
    MovedError,
    NoScriptError,
    RedisClusterException,
    RedisError,
    ResponseError,
)
from redis.exceptions import (
    TimeoutError as RedisTimeoutError,
)
from redis.retry import Retry

from moss_memory.adapters.breaker import Breaker
from moss_memory.adapters.redis_scripts import Script
from moss_memory.core.errors import PendingStoreUnavailableError

CONNECT_SECONDS: Final = 0.1
CALL_SECONDS: Final = 0.25
POOL_SECONDS: Final = 0.05
POOL_SIZE: Final = 20
CLUSTER: Final = "+cluster"

Client = Redis | RedisCluster
Said = TypeVar("Said")


class WrongTypeError(Exception):
    """What lies at a key is not of the kind that was asked for: somebody else put it there."""


class RedisLink:
    """Redis or Valkey at ``url``: redis://, rediss://, or a cluster.

    A cluster is ``redis+cluster://`` or ``rediss+cluster://`` with one or more ``host:port``
    separated by commas; the plain URL of a cluster's node is found out at its first redirection.
    Connects at the first call. Thread-safe. ``connect`` and ``call`` are seconds.
    """

    def __init__(
        self,
        url: str,
        *,
        connect: float = CONNECT_SECONDS,
        call: float = CALL_SECONDS,
        breaker: Callable[[], Breaker] = Breaker,
    ) -> None:
        self._url, self._connect, self._call = url, connect, call
        self._make_breaker = breaker
        self._breakers: dict[str, Breaker] = {}
        self._lock = Lock()
        self._client: Client | None = None if CLUSTER in urlsplit(url).scheme else self._single()

    def run(self, script: Script, keys: Sequence[str], *args: str | int) -> Any:
        """Run a script on the node of its keys; bytes, numbers and lists come back.

        Raises:
            PendingStoreUnavailableError: Redis cannot be used now.
            WrongTypeError: a key holds another kind of value.
        """

        def call(client: Client) -> Any:
            try:
                return client.evalsha(script.sha, len(keys), *keys, *args)
            except NoScriptError:  # a fresh server, or SCRIPT FLUSH
                return client.eval(script.source, len(keys), *keys, *args)

        return self._ask(keys[0], call)

    def get(self, key: str) -> bytes | None:
        """Return what lies at a key; errors as for ``run``."""
        said: Any = self._ask(key, lambda client: client.get(key))
        return said if isinstance(said, bytes) else None

    def get_all(self, keys: Sequence[str]) -> list[bytes | None]:
        """Return what lies at keys of one tenant, None also where it is no string."""
        said: Any = self._ask(keys[0], lambda client: client.mget(keys)) if keys else []
        return list(said)

    def delete(self, keys: Sequence[str]) -> int:
        """Delete keys of one tenant and return how many there were."""
        return int(self._ask(keys[0], lambda client: client.delete(*keys))) if keys else 0

    def ping(self) -> None:
        """Raise PendingStoreUnavailableError where no answer comes."""
        self._ask("", lambda client: client.ping())

    def resting(self) -> float:
        """Return the longest time in seconds for which a node is left alone; 0 where none is."""
        return max((breaker.wait() for breaker in list(self._breakers.values())), default=0.0)

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            if self._client is not None:
                self._client.close()

    def _ask(self, key: str, call: Callable[[Client], Said]) -> Said:
        breaker = self._breaker(key)
        if not breaker.allow():
            raise PendingStoreUnavailableError
        began = time.monotonic()
        try:
            said = self._follow(call)
        except (RedisError, RedisClusterException, OSError) as exc:
            _judge(breaker, exc, slow=time.monotonic() - began >= self._connect)
            if isinstance(exc, ResponseError) and "WRONGTYPE" in str(exc):
                raise WrongTypeError from None
            raise PendingStoreUnavailableError from exc
        breaker.succeed()
        return said

    def _follow(self, call: Callable[[Client], Said]) -> Said:
        """Call, and once more through a cluster client where the server turns out to be one."""
        client = self._connected()
        try:
            return call(client)
        except MovedError:
            if isinstance(client, RedisCluster):
                raise
            return call(self._switched(client))

    def _connected(self) -> Client:
        """Return the client; a cluster's asks for its topology when it is made."""
        if self._client is not None:
            return self._client
        if not self._lock.acquire(timeout=self._call):
            raise RedisTimeoutError("another thread is still looking for the cluster")
        try:
            if self._client is None:
                self._client = self._cluster()
            return self._client
        finally:
            self._lock.release()

    def _switched(self, single: Client) -> Client:
        with self._lock:
            if self._client is single:
                self._client = self._cluster()
            assert self._client is not None
            return self._client

    def _breaker(self, key: str) -> Breaker:
        """Return the breaker of the node that serves a key, of the whole where there is one."""
        client, name = self._client, ""
        if isinstance(client, RedisCluster) and key:
            node = client.nodes_manager.slots_cache.get(key_slot(key.encode()))
            name = node[0].name if node else ""
        if (known := self._breakers.get(name)) is not None:
            return known
        with self._lock:
            return self._breakers.setdefault(name, self._make_breaker())

    def _options(self) -> dict[str, Any]:
        """Return what every connection is made with."""
        return {
            "socket_connect_timeout": self._connect,
            "socket_timeout": self._call,
            "protocol": 2,  # one round trip less at connect, and no push messages to read
            "driver_info": None,
        }

    def _single(self) -> Redis:
        pool = BlockingConnectionPool.from_url(
            self._url,
            max_connections=POOL_SIZE,
            timeout=POOL_SECONDS,
            retry=Retry(NoBackoff(), 0),
            **self._options(),
        )
        return Redis(connection_pool=pool, retry=Retry(NoBackoff(), 0))

    def _cluster(self) -> RedisCluster:
        parts = urlsplit(self._url)
        secure = parts.scheme.startswith("rediss")
        login, _, hosts = parts.netloc.rpartition("@")
        first = f"{login}@{hosts.split(',')[0]}" if login else hosts.split(",")[0]
        scheme = "rediss" if secure else "redis"
        given: dict[str, Any] = parse_url(  # type: ignore[no-untyped-call]
            urlunsplit((scheme, first, "", parts.query, ""))
        )
        for name in ("host", "port", "db", "connection_class"):
            given.pop(name, None)
        return RedisCluster(
            startup_nodes=[_node(host) for host in hosts.split(",")],
            retry=Retry(NoBackoff(), 0),
            require_full_coverage=False,  # the tenants of the nodes that are left are served
            max_connections=POOL_SIZE,
            ssl=secure,
            **self._options(),
            **given,
        )


def _judge(breaker: Breaker, exc: Exception, *, slow: bool) -> None:
    """Tell the breaker what an error says: a server that refuses an order is there."""
    if isinstance(exc, MaxConnectionsError):
        return  # our own pool was busy; nothing is known about the server
    if isinstance(exc, ResponseError):
        breaker.succeed()  # out of memory, loading, read-only: answered, and fast
    else:
        breaker.fail(slow=slow)  # a cluster's client hides a timeout in an error of its own


def _node(host: str) -> ClusterNode:
    parts = urlsplit(f"//{host}")
    address = parts.hostname or "localhost", parts.port or 6379
    return ClusterNode(*address)  # type: ignore[no-untyped-call]
