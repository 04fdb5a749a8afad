"""From what a client states to a fact that may be judged: named, cleaned, screened, defaulted."""

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any, Final

from moss_memory.core.access import Caller, source_allowed
from moss_memory.core.errors import (
    InvalidValueError,
    SourceAboveCeilingError,
    TextRefusedError,
    TextTooLongError,
    TooManyFactsError,
    WindowRequiredError,
)
from moss_memory.core.fact import Fact, Source
from moss_memory.core.ontology import Predicate
from moss_memory.core.rules import Policy
from moss_memory.core.screened_json import screen_json
from moss_memory.core.screening import screen
from moss_memory.core.text import check_opaque, clean_key, clean_text
from moss_memory.flow.requests import FactIn

MAX_FACTS: Final = 10
MAX_SOURCE_REF: Final = 512
MAX_BUFFER: Final = 1440
_SURE: Final[frozenset[Source]] = frozenset(
    {"user_explicit", "user_selection", "user_feedback", "task_result"}
)


def facts_of(
    policy: Policy, caller: Caller, stated: tuple[FactIn, ...], *, now: datetime
) -> tuple[Fact, ...]:
    """Make facts of what was stated, observed at ``now`` (UTC) where they do not say when.

    Raises:
        TooManyFactsError: none, or more than ten.
        MossError: the first fault of the first faulty fact, by its own code.
    """
    if len(stated) > MAX_FACTS:
        raise TooManyFactsError
    return tuple(fact_of(policy, caller, one, now=now) for one in stated)


def fact_of(policy: Policy, caller: Caller, stated: FactIn, *, now: datetime) -> Fact:
    """Make one fact; raises as ``facts_of``."""
    predicate = policy.ontology.predicate(stated.domain, stated.predicate)
    if predicate.is_event and stated.when is None:
        raise WindowRequiredError
    source = _source(caller, stated.source)
    return Fact(
        domain=stated.domain,
        subject=_subject(predicate, stated.subject),
        predicate=stated.predicate,
        object_value=_value(predicate, stated.object_value),
        scope_id=stated.scope_id or caller.principal_id,
        observed_at=stated.observed_at or now,
        when=stated.when,
        status=stated.status,
        transparency=stated.transparency,
        buffer_before=_minutes(stated.buffer_before),
        buffer_after=_minutes(stated.buffer_after),
        source=source,
        confidence=_confidence(source, stated.confidence),
        source_ref=_source_ref(stated.source_ref),
        expires_at=stated.expires_at,
        hard=stated.hard,
    )


def _subject(predicate: Predicate, subject: str) -> str:
    if predicate.value.kind == "exact":
        return predicate.subject_of(_exact_subject(subject, predicate.max_subject))
    cleaned = clean_key(subject, cap=predicate.max_subject, field="subject")
    return predicate.subject_of(screen(cleaned, field="subject").text)


def _exact_subject(subject: str, cap: int) -> str:
    """Take a key as it is; one that would be masked is refused, or two keys would become one."""
    kept = check_opaque(subject, byte_cap=cap * 4, field="subject")
    if len(kept) > cap:
        raise TextTooLongError(field="subject", cap=cap, length=len(kept))
    screened = screen_json(kept, field="subject")
    if screened.masks:
        mask = screened.masks[0]
        raise TextRefusedError(kind=mask.kind, field="subject", length=mask.end - mask.start)
    return kept


def _value(predicate: Predicate, value: str) -> str:
    if predicate.value.kind == "exact":
        kept = check_opaque(value, byte_cap=predicate.max_value, field="object_value")
        if predicate.memory_type == "item":
            _check_json(kept)
        return predicate.value.clean(screen_json(kept, field="object_value").text)
    cleaned = clean_text(value, cap=predicate.max_value, field="object_value")
    return predicate.value.clean(screen(cleaned, field="object_value").text)


def _check_json(text: str) -> None:
    """Hold an item to what adapters read back.

    Raises:
        InvalidValueError: it is no JSON text.
    """
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidValueError("An item is JSON text.") from None


def _source(caller: Caller, stated: Source | None) -> Source:
    if stated is None:
        return caller.source_ceiling
    if not source_allowed(caller.source_ceiling, stated):
        raise SourceAboveCeilingError
    return stated


def _confidence(source: Source, stated: float | None) -> float:
    if stated is not None:
        return stated
    if source not in _SURE:
        raise InvalidValueError("This source has to say how confident it is.")
    return 1.0


def _minutes(buffer: int) -> int:
    if not 0 <= buffer <= MAX_BUFFER:
        raise InvalidValueError("A buffer is 0 to 1440 minutes.")
    return buffer


def _source_ref(stated: str | None) -> str | None:
    if stated is None:
        return None
    cleaned = clean_text(stated, cap=MAX_SOURCE_REF, field="source_ref")
    return screen(cleaned, field="source_ref").text


def restated(fact: Fact, given: Mapping[str, Any]) -> FactIn:
    """Lay the given fields over the stored ones; null takes the field's default."""
    names = [field.name for field in fields(FactIn)]
    kept = {name: getattr(fact, name) for name in names} | {"observed_at": None}
    blank = FactIn(
        domain=fact.domain, subject=fact.subject, predicate=fact.predicate, object_value=""
    )
    for name, value in given.items():
        kept[name] = getattr(blank, name) if value is None else value
    return FactIn(**kept)
