"""The signing keys of an issuer, fetched from the one address that the operator configured.

Fetched when first needed, every five minutes, and for an unknown ``kid``, but at most once a
minute whatever tokens ask for. While the issuer cannot be reached its last good keys serve, for
at most 24 hours.
"""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import httpx2
import jwt

AGAIN: Final = timedelta(seconds=60)  # between two fetches, at least
FRESH: Final = timedelta(minutes=5)
LAST_GOOD: Final = timedelta(hours=24)
_SECONDS: Final = 3.0
_MAX_BYTES: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A public key; ``alg`` is the one algorithm that the issuer binds it to, None any."""

    key: Any
    alg: str | None


Keys = Mapping[str, SigningKey]


class JwksUnavailableError(Exception):
    """The issuer's keys could not be fetched or read."""


def fetch_jwks(uri: str) -> bytes:
    """Return the document at ``uri``: no redirect, no proxy of the environment, bounded.

    Raises:
        JwksUnavailableError: it cannot be had within three seconds or is too large.
    """
    try:
        with (
            httpx2.Client(timeout=_SECONDS, follow_redirects=False, trust_env=False) as client,
            client.stream("GET", uri, headers={"Accept": "application/json"}) as answer,
        ):
            if answer.status_code != httpx2.codes.OK:
                raise JwksUnavailableError
            body = b""
            for part in answer.iter_bytes():
                body += part
                if len(body) > _MAX_BYTES:
                    raise JwksUnavailableError
            return body
    except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL) as error:
        raise JwksUnavailableError from error


class Jwks:
    """One issuer's keys by ``kid``, shared by threads; the instant is handed in."""

    def __init__(self, uri: str, fetch: Callable[[str], bytes] = fetch_jwks) -> None:
        self._uri = uri
        self._fetch = fetch
        self._keys: Keys = {}
        self._good: datetime | None = None  # when the keys were last fetched well
        self._tried: datetime | None = None
        self._lock = threading.Lock()

    def key(self, kid: str, now: datetime) -> SigningKey | None:
        """Return the key named ``kid``, None where the issuer has none now."""
        with self._lock:  # one thread fetches, the others wait for its answer
            known = kid in self._keys and self._younger(self._good, FRESH, now)
            if not known and not self._younger(self._tried, AGAIN, now):
                self._refresh(now)
            return self._keys.get(kid) if self._younger(self._good, LAST_GOOD, now) else None

    def _refresh(self, now: datetime) -> None:
        self._tried = now
        try:
            self._keys = read_jwks(self._fetch(self._uri))
        except JwksUnavailableError:
            return
        self._good = now

    @staticmethod
    def _younger(at: datetime | None, age: timedelta, now: datetime) -> bool:
        return at is not None and now - at < age


def read_jwks(body: bytes) -> Keys:
    """Read a JWK Set; keys that are not for signatures, or that we cannot use, are left out.

    Raises:
        JwksUnavailableError: it is no JWK Set, or no key of it is left.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise JwksUnavailableError from error
    listed = document.get("keys") if isinstance(document, dict) else None
    entries = [entry for entry in listed or () if _for_signatures(entry)]
    keys = {entry["kid"]: key for entry in entries if (key := _key(entry))}
    if not keys:
        raise JwksUnavailableError
    return keys


def _for_signatures(entry: Any) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("kid"), str):
        return False
    return entry.get("use", "sig") == "sig" and entry.get("kty") != "oct"


def _key(entry: Mapping[str, Any]) -> SigningKey | None:
    try:
        return SigningKey(jwt.PyJWK(dict(entry)).key, entry.get("alg"))
    except (jwt.PyJWTError, ValueError, TypeError):
        return None
