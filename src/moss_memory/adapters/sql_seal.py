"""What makes history evident: canonical rows, chained hashes, and MACs in place of words."""

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from moss_memory.adapters.sql_tables import memory_revision
from moss_memory.adapters.sql_types import canonical, micros, speller

SALT_BYTES: Final = 16
GENESIS: Final = b""
_CHAIN: Final = {"hash", "prev_hash"}

Words = tuple[str | None, str, str | None]  # open subject, object_value, source_ref


def fresh_salt() -> bytes:
    """Return the salt of a payload; it is erased with the words that it protects."""
    return secrets.token_bytes(SALT_BYTES)


def uuid7(at: datetime) -> str:
    """Return a UUIDv7 (RFC 9562, 5.7): the milliseconds of ``at``, then 74 random bits."""
    head = (micros(at) // 1000) << 80 | 0x7 << 76 | secrets.randbits(12) << 64
    return str(UUID(int=head | 0b10 << 62 | secrets.randbits(62)))


def mac(salt: bytes, words: object) -> bytes:
    """Return HMAC-SHA256 of a JSON value under ``salt``: without the salt, nothing to guess from.

    RFC 2104, over the one spelling of ``canonical``.
    """
    return hmac.digest(salt, canonical(words).encode(), "sha256")


def plain(value: Any) -> Any:
    """Return a stored value as JSON knows it: instants in microseconds, bytes in hex."""
    if isinstance(value, datetime):
        return micros(value)
    return value.hex() if isinstance(value, bytes) else value


# As ``canonical``; what JSON has no word for is the exception, and alone costs a call.
_row: Final = speller(plain)


def digest(row: Mapping[str, Any]) -> bytes:
    """Return SHA-256 of a row, keys in order."""
    return hashlib.sha256(_row(row).encode()).digest()


def chained(prev_hash: bytes, row: Mapping[str, Any]) -> bytes:
    """Return the hash of a row that follows ``prev_hash``."""
    return hashlib.sha256(prev_hash + digest(row)).digest()


_CONTENT: Final = sorted({each.name for each in memory_revision.c} - _CHAIN)


def revision_hash(row: Mapping[str, Any]) -> bytes:
    """Return the hash of a ``memory_revision`` row: all of its columns but the hash itself."""
    return chained(row["prev_hash"], {name: row[name] for name in _CONTENT})


def decision_hash(
    row: Mapping[str, Any], memories: Sequence[Sequence[Any]], waivers: Sequence[Sequence[Any]]
) -> bytes:
    """Return the hash of a decision with the memories it names and the waivers it gave."""
    lists = {"memories": sorted(map(list, memories)), "waivers": sorted(map(list, waivers))}
    return digest({**row, **lists})


def commit_hash(row: Mapping[str, Any], decided: bytes, revisions: Sequence[bytes]) -> bytes:
    """Return the hash of a ``commit_log`` row over its decision and its revisions."""
    content = {k: v for k, v in row.items() if k not in _CHAIN}
    inside = {"decision": decided, "revisions": [each.hex() for each in sorted(revisions)]}
    return chained(row["prev_hash"], content | inside)
