"""Records as the bytes that they are told in: a revision read again is not spelled again.

The store gives the same record for the same row, and a record never changes; what its view takes
from elsewhere, its kind and whether it has expired by now, is part of the key. So what is
remembered is only the spelling: who may see a memory, and which revision it is at, was read anew.
"""

from typing import Final

import orjson

from moss_memory.api.record_view import is_expired, shown
from moss_memory.core.fact import MemoryType
from moss_memory.flow.records import Micros, Record

MOST: Final = 4096  # memories, about a kilobyte each; then it begins again

_Key = tuple[int, MemoryType, bool]
_known: Final[dict[_Key, tuple[Record, orjson.Fragment]]] = {}


def told(kept: Record, kind: MemoryType, now: Micros) -> orjson.Fragment:
    """Return ``record_view.shown`` as JSON, for a list.

    Raises:
        TypeError: a string is no Unicode text.
    """
    if kept.when is not None and "rrule" in kept.when:  # another object at each reading, and large
        return _spelled(kept, kind, now)
    key = (id(kept), kind, is_expired(kept, now))
    found = _known.get(key)
    if found is not None and found[0] is kept:  # which is held here: no other has its identity
        return found[1]
    made = _spelled(kept, kind, now)
    if len(_known) >= MOST:
        _known.clear()
    _known[key] = kept, made
    return made


def _spelled(kept: Record, kind: MemoryType, now: Micros) -> orjson.Fragment:
    return orjson.Fragment(orjson.dumps(shown(kept, kind, now)))


def forget() -> None:
    """Let go of all: after an erasure its words are not to stay in this process."""
    _known.clear()
