"""Seals for what lies in Redis: a value opens under its own key, tenant, principal and release.

Redis is shared and may be written by others: a value is believed only when its HMAC, made over
the key it lies at, is ours. What does not fit is absent; why is logged as a code, without words.
"""

import hmac
import json
import logging
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

from moss_memory.adapters.desk_values import SCHEMA, Value, dump, load
from moss_memory.adapters.redis_keys import Place

log: Final = logging.getLogger(__name__)
EPOCH_ZERO: Final = datetime(1970, 1, 1, tzinfo=UTC)
Fault = Literal["encoding", "mac", "schema", "kind", "tenant", "principal", "body"]


class SealError(Exception):
    """A value is not what it should be; the message is a code of ``Fault``."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)


def micros(instant: datetime) -> int:
    """Count the microseconds since 1970: exact, and below 2**53 until the year 2255."""
    return (instant - EPOCH_ZERO) // timedelta(microseconds=1)


class Seal:
    """Seals and opens values under keys; ``secret`` is shared by all workers."""

    def __init__(self, secret: str | bytes) -> None:
        raw = secret.encode() if isinstance(secret, str) else secret
        if not raw:
            raise ValueError("the Desk needs a secret")
        self._secret = hmac.digest(raw, b"moss-memory desk", "sha256")  # apart from its other uses

    def close(self, place: Place, value: Value, expires_at: datetime, *, epoch: int = 0) -> str:
        """Return ``mac head newline body``; the head begins with the epoch, for the scripts."""
        head = {
            "epoch": epoch, "schema": SCHEMA, "kind": type(value).__name__,
            "tenant": place.tenant_id, "principal": place.principal_id,
            "expires": micros(expires_at),
        }  # fmt: skip
        content = json.dumps(head, separators=(",", ":")) + "\n" + dump(value)
        return f"{self._mac(place.key, content.encode())} {content}"

    def open(
        self, place: Place, kind: type[Value], sealed: bytes | None, now: datetime
    ) -> Value | None:
        """Return the value, None where there is none, it has expired, or it is not ours."""
        if sealed is None:
            return None
        try:
            return self._checked(place, kind, sealed, now)
        except SealError as exc:
            log.warning("desk value refused: %s", exc)
            return None

    def _checked(
        self, place: Place, kind: type[Value], sealed: bytes, now: datetime
    ) -> Value | None:
        mac, _, content = sealed.partition(b" ")
        if not hmac.compare_digest(mac, self._mac(place.key, content).encode()):
            raise SealError("mac")
        head, body = _parts(content)
        expected: dict[Fault, object] = {
            "schema": SCHEMA, "kind": kind.__name__,
            "tenant": place.tenant_id, "principal": place.principal_id,
        }  # fmt: skip
        for fault, value in expected.items():
            if head.get(fault) != value:
                raise SealError(fault)
        if head["expires"] <= micros(now):
            return None
        try:
            return load(kind, body)
        except ValueError as exc:
            raise SealError("body") from exc

    def _mac(self, key: str, content: bytes) -> str:
        return hmac.digest(self._secret, key.encode() + b"\0" + content, "sha256").hex()


def _parts(content: bytes) -> tuple[dict[str, Any], str]:
    """Split into head and body; what carries our MAC was written by us, maybe by an older us."""
    head, _, body = content.decode("utf-8", "replace").partition("\n")
    try:
        parsed = json.loads(head)
    except ValueError as exc:
        raise SealError("encoding") from exc
    if not isinstance(parsed, dict) or not isinstance(parsed.get("expires"), int):
        raise SealError("encoding")
    return parsed, body
