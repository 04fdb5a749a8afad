"""Stored API keys, looked up by their public id and compared by HMAC.

A record is remembered for four seconds, which bounds how long a revoked key lives, and only the
right secret is spared its look-up. A wrong one takes the same steps whether its id exists or not
(the HMAC, one look-up, the comparisons), so that time tells nobody which ids exist.
"""

import hmac
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from moss_memory.core.access import Caller
from moss_memory.core.errors import MossError
from moss_memory.flow.key_form import digest_of, read_key
from moss_memory.flow.ports_access import KeyRecord, KeyStore

REMEMBERED: Final = timedelta(seconds=4)  # the promise is below five
_MOST: Final = 4096  # records remembered
_NOBODY: Final = "0" * 64  # no HMAC-SHA256 in practice


class StoredKeys:
    """Keys of the store, under any of ``peppers``: a second one is the pepper being replaced."""

    def __init__(self, store: KeyStore, peppers: Sequence[str]) -> None:
        if not peppers or not all(peppers):
            raise ValueError("Stored keys need a pepper (MOSS_SECRET_KEY).")
        self._store = store
        self._peppers = tuple(peppers)
        self._remembered: dict[str, tuple[datetime, KeyRecord | None]] = {}
        self._lock = threading.Lock()

    def caller(self, credential: str, now: datetime, /) -> Caller | None:
        """Return whose key it is at ``now``; None for a wrong, expired or revoked one."""
        read = read_key(credential)
        if read is None:
            return None
        digests = [digest_of(read.secret, pepper) for pepper in self._peppers]
        known = self._known(read.key_id, now)
        record = known if _fits(known, digests) else None
        if record is None:
            found = self._look_up(read.key_id, now)
            record = found if _fits(found, digests) else None
        if record is None or not record.live(now):
            return None
        self._note(record, now)
        return _caller(record)

    def _known(self, key_id: str, now: datetime) -> KeyRecord | None:
        with self._lock:
            at, record = self._remembered.get(key_id, (now, None))
        return record if timedelta(0) <= now - at < REMEMBERED else None

    def _look_up(self, key_id: str, now: datetime) -> KeyRecord | None:
        found = self._store.find(key_id)
        with self._lock:  # the same steps for an unknown id, which is remembered as nobody's
            if len(self._remembered) >= _MOST:
                self._remembered.clear()
            self._remembered.pop(key_id, None)
            self._remembered[key_id if found else ""] = (now, found)
        return found

    def _note(self, record: KeyRecord, now: datetime) -> None:
        """Record the day of use, once a day and not at every request."""
        if record.last_used_day is not None and record.last_used_day >= now.date():
            return
        with self._lock:
            at, known = self._remembered.get(record.key_id, (now, None))
            if known is not None and known is not record:
                return  # another thread has noted it
        try:
            self._store.note_use(record.tenant_id, record.key_id, now.date())
        except MossError:
            return  # who speaks is known; the day of last use is only a hint for operators
        with self._lock:
            self._remembered[record.key_id] = (at, replace(record, last_used_day=now.date()))


def _fits(record: KeyRecord | None, digests: Sequence[str]) -> bool:
    kept = record.digest if record else _NOBODY
    return True in [hmac.compare_digest(kept, digest) for digest in digests]  # all are compared


def _caller(record: KeyRecord) -> Caller:
    return Caller(
        tenant_id=record.tenant_id,
        principal_id=record.principal_id,
        rights=record.rights,
        source_ceiling=record.source_ceiling,
        read_mode=record.read_mode,
        write_mode=record.write_mode,
        key_id=record.key_id,
    )
