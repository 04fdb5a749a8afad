"""What both clients are made with, and the place where a reader of events stands."""

import json
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any, Final

import httpx2

from moss_memory.integrations.client_call import Call, pause, reading
from moss_memory.integrations.client_errors import MossClientError
from moss_memory.integrations.client_governance_values import Event

_HEARTBEATS: Final = 60.0  # seconds without a byte, comments included: the stream is dead
_PAUSE: Final = 1.0  # seconds before a stream is taken up again
_LONGEST_PAUSE: Final = 30.0
_TRIES: Final = 10
# The service closes a connection after 5 idle seconds; one taken up just then would be cut.
LIMITS: Final = httpx2.Limits(max_connections=100, keepalive_expiry=3)


@dataclass(frozen=True, slots=True)
class Settings:
    """How to reach the service; a repr holds no key.

    Raises:
        ValueError: ``base_url`` is not http or https, or the key is no header value.
    """

    base_url: str
    api_key: str = field(repr=False)
    timeout: float
    retries: int
    patience: float

    def __post_init__(self) -> None:
        if not self.base_url.startswith(("http://", "https://")):
            raise ValueError("base_url starts with http:// or https://")
        if not self.api_key or not self.api_key.isascii() or not self.api_key.isprintable():
            raise ValueError("api_key is what the service calls a key: ASCII, and not empty")

    def options(self) -> dict[str, Any]:
        """Return what an httpx2 client is made with; a redirect is not followed with a key."""
        return {
            "base_url": self.base_url,
            "headers": {
                "Authorization": f"Bearer {self.api_key}",
                "Accept": "application/json, application/problem+json",
                "User-Agent": f"moss-memory-python/{version('moss-memory')}",
            },
            "timeout": httpx2.Timeout(self.timeout, connect=max(self.timeout / 6, 1.0)),
            "limits": LIMITS,
            "follow_redirects": False,
        }

    def endless(self) -> httpx2.Timeout:
        """Return the timeout of a stream: silence is bounded, its length is not."""
        return httpx2.Timeout(self.timeout, read=max(self.timeout, _HEARTBEATS))


class Stream:
    """Where a reader of events stands."""

    def __init__(self, last_event_id: str | None) -> None:
        self.last_event_id = last_event_id
        self._failures = 0  # in a row, without a connection between them
        self._hint = _PAUSE  # seconds, as the service asks

    def call(self) -> Call[Any]:
        """Return the request that goes on after the last event."""
        headers = {"Accept": "text/event-stream"}
        if self.last_event_id is not None:
            headers["Last-Event-ID"] = self.last_event_id
        return replace(reading("/events"), headers=headers)

    def connected(self) -> None:
        """Take note that the service answers."""
        self._failures = 0

    def event(self, sent: httpx2.ServerSentEvent) -> Event | None:
        """Take note of what was sent; None where it is no event of the contract."""
        if sent.id or self.last_event_id is None:  # "": before the first event there will be
            self.last_event_id = sent.id
        if sent.retry is not None:
            self._hint = sent.retry / 1000
        if not sent.data:
            return None
        return {
            "event_id": self.last_event_id or "",
            "event": sent.event,
            "data": json.loads(sent.data),
        }

    def wait(self, error: MossClientError | None) -> float | None:
        """Return how many seconds to wait before going on; None gives up.

        A stream that ended in order (``error`` None) is taken up again for ever, one that cannot
        be had about half a minute long.
        """
        if error is None:
            return self._hint
        self._failures += 1
        wait = pause(self.call(), error, self._failures, patience=_LONGEST_PAUSE)
        return None if wait is None or self._failures > _TRIES else max(wait, self._hint)
