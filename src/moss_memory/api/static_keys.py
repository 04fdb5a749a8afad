"""Keys written in the settings: ``<key>:<tenant>:<principal>[:right+right],...``.

Made for a first start and for tests; stored keys can be revoked, these only by a restart.
"""

import hashlib
import hmac
from datetime import datetime
from typing import Final

from moss_memory.core.access import RIGHTS, Caller, is_id

_FORM: Final = "MOSS_STATIC_KEYS is <key>:<tenant>:<principal>[:right+right], separated by commas."


class StaticKeys:
    """The keys of the setting, kept as digests: a dump of the process shows none.

    Raises:
        ValueError: an entry is malformed, repeated, or names an unknown right; the message
            counts entries and never shows one.
    """

    def __init__(self, setting: str) -> None:
        entries = [entry.strip() for entry in setting.split(",") if entry.strip()]
        read = [_entry(number, entry) for number, entry in enumerate(entries, 1)]
        if len({digest for digest, _ in read}) < len(read):
            raise ValueError("MOSS_STATIC_KEYS names one key twice.")
        self._callers = tuple(read)

    def caller(self, credential: str, _now: datetime, /) -> Caller | None:
        """Return whose key it is; every entry is compared, in constant time, whichever fits."""
        offered = _digest(credential)
        fits = [caller for kept, caller in self._callers if hmac.compare_digest(kept, offered)]
        return fits[0] if fits else None


def _entry(number: int, entry: str) -> tuple[bytes, Caller]:
    key, *named = entry.split(":", 3)  # a right holds a colon of its own
    if not key or len(named) not in {2, 3} or not all(map(is_id, named[:2])):
        raise ValueError(f"{_FORM} Entry {number} is not of this form.")
    rights = frozenset(named[2].split("+")) if len(named) > 2 else frozenset()  # noqa: PLR2004
    return _digest(key), Caller(tenant_id=named[0], principal_id=named[1], rights=_known(rights))


def _known(rights: frozenset[str]) -> frozenset[str]:
    if not rights <= RIGHTS:
        raise ValueError(f"{_FORM} A right is one of {', '.join(sorted(RIGHTS))}.")
    return rights


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()
