"""Memories as the bytes that they are told in: a revision read again is not spelled again.

The store gives the same object for the same row, and a memory never changes; what its view takes
from elsewhere, its kind and whether it has expired by now, is part of the key. So what is
remembered is only the spelling: who may see a memory, and which revision it is at, was read anew.
"""

from datetime import datetime
from typing import Final

import orjson

from moss_memory.api import views
from moss_memory.core.fact import Memory, MemoryType

MOST: Final = 4096  # memories, about a kilobyte each; then it begins again

_Key = tuple[int, MemoryType, bool]
_known: Final[dict[_Key, tuple[Memory, orjson.Fragment]]] = {}


def told(kept: Memory, kind: MemoryType, now: datetime) -> orjson.Fragment:
    """Return ``views.memory`` as JSON, for a list or an answer of its own.

    Raises:
        TypeError: a string is no Unicode text.
    """
    if len(kept.windows) > 1:  # a series is another object at each reading, and a large one
        return _spelled(kept, kind, now)
    key = (id(kept), kind, views.is_expired(kept, now))
    found = _known.get(key)
    if found is not None and found[0] is kept:  # which is held here: no other has its identity
        return found[1]
    made = _spelled(kept, kind, now)
    if len(_known) >= MOST:
        _known.clear()
    _known[key] = kept, made
    return made


def _spelled(kept: Memory, kind: MemoryType, now: datetime) -> orjson.Fragment:
    return orjson.Fragment(orjson.dumps(views.memory(kept, kind, now)))


def forget() -> None:
    """Let go of all: after an erasure its words are not to stay in this process."""
    _known.clear()
