"""Where a memory's windows are looked up, and which of them the database itself keeps apart."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final

from moss_memory.adapters.sql_types import canonical
from moss_memory.core.fact import Fact, Memory
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.ontology import Ontology, Predicate

MINUTE: Final = timedelta(minutes=1)
OPEN_SPAN: Final = 40  # no end, or one that is more than 2,000 years away
LONGEST_SPAN: Final = 30
BESIDE: Final = "beside"


def span_of(start: datetime, end: datetime) -> int:
    """Return ceil(log2(length in minutes)); a minute and less is 0, an open end ``OPEN_SPAN``."""
    if end >= FOREVER:
        return OPEN_SPAN
    minutes = -((start - end) // MINUTE)
    span = (minutes - 1).bit_length() if minutes > 1 else 0
    return span if span <= LONGEST_SPAN else OPEN_SPAN


@lru_cache(maxsize=4096)  # a write asks for the same ones as it looks, and as it keeps
def slot_text(slot: tuple[str, ...]) -> str:
    """Return a slot as an index key: fixed in length, and no words to read."""
    return hashlib.blake2b(canonical(list(slot)).encode(), digest_size=16).hexdigest()


def forget() -> None:
    """Let go of every slot: after an erasure its words are not to stay in this process."""
    slot_text.cache_clear()


@dataclass(frozen=True, slots=True)
class Guard:
    """Windows of one ``key`` exclude each other, within a ``lane`` only where it is ``alone``."""

    key: str | None = None
    lane: str | None = None
    alone: bool = False


class Slots:
    """What the ontology says of a fact's place in the store."""

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology

    def open_subject(self, fact: Fact) -> bool:
        """Tell whether the subject is the speaker's own words, to be kept with the payload."""
        known = self._ontology.predicates.get((fact.domain, fact.predicate))
        return known is None or not known.subjects  # None: the domain was taken out since

    def guard(self, fact: Fact) -> Guard:
        """Say what the database refuses to overlap without a waiver."""
        predicate = self._ontology.of(fact)
        if predicate.is_event:
            return _of_event(predicate, self._beside(predicate), fact)
        if predicate.card == "single":  # one value at a time; the same one twice is no harm
            return Guard(predicate.rule_class, _value(predicate, fact))
        if predicate.opposite is not None:
            return Guard(_value(predicate, fact), predicate.name)
        return Guard()

    def _beside(self, predicate: Predicate) -> str | None:
        """Return the class that an event keeps apart from."""
        if predicate.apart_from is None:
            return None
        return self._ontology.predicate(predicate.domain, predicate.apart_from).rule_class

    def occurrences(self, memory: Memory) -> list[dict[str, Any]]:
        """Return the rows that an active memory has in ``occurrence``, none for another."""
        if not memory.active:
            return []
        fact, guard = memory.fact, self.guard(memory.fact)
        before, after = timedelta(minutes=fact.buffer_before), timedelta(minutes=fact.buffer_after)
        shared = {
            "memory_id": memory.memory_id,
            "revision": memory.revision,
            "recorded_at": memory.recorded_at,
            "space_id": space_id((memory.owner, fact.domain)),
            "slot": slot_text(self._ontology.slot(fact, memory.owner)),
            "guard": None if guard.key is None else slot_text((guard.key,)),
            "lane": None if guard.lane is None else slot_text((guard.lane,)),
            "alone": guard.alone,
            "expires_at": fact.expires_at,
        }
        return [
            shared | _window(window, before, after) for window in _distinct(memory.windows).values()
        ]


def _of_event(predicate: Predicate, beside: str | None, fact: Fact) -> Guard:
    """Keep busy events apart: exclusive ones from each other, and from those beside them.

    All that keep apart from one class share a lane: what they are to each other is not its matter.
    """
    if fact.transparency != "busy" or fact.status == "cancelled":
        return Guard()
    if predicate.exclusive:
        return Guard(predicate.rule_class, "", alone=True)
    return Guard() if beside is None else Guard(beside, BESIDE)


def _value(predicate: Predicate, fact: Fact) -> str:
    return predicate.value.match(fact.object_value)


def _distinct(windows: Sequence[Interval]) -> Mapping[datetime, Interval]:
    """Keep the longer of two windows with one start: an override may move one onto another."""
    return {window.start: window for window in sorted(windows)}


def _window(window: Interval, before: timedelta, after: timedelta) -> dict[str, Any]:
    start = window.start - before
    end = window.end if window.end >= FOREVER else window.end + after
    return {
        "starts_at": window.start,
        "ends_at": window.end,
        "lint_from": start,
        "lint_until": end,
        "span": span_of(start, end),
    }


def space_id(space: tuple[str, str]) -> str:
    """Name a space; neither an owner's nor a domain's name holds a slash."""
    return "/".join(space)
