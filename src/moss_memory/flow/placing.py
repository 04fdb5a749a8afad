"""Placing a fact in its owner's zone, ready for the linter."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from moss_memory.core import placing
from moss_memory.core.fact import Fact, Proposal
from moss_memory.core.interval import FOREVER
from moss_memory.core.ontology import EVENT_DAYS
from moss_memory.core.rules import Policy
from moss_memory.core.when import Instant, has_end

AHEAD: Final = timedelta(days=731)  # a series is linted and stored this far on


def place(
    policy: Policy, fact: Fact, *, zone: str, now: datetime, shared: bool = False
) -> Proposal:
    """Place ``fact`` in UTC: no ``when`` is from ``now`` on, without an end.

    Args:
        policy: for the default length of the predicate.
        fact: as it was said.
        zone: the owner's, an IANA name.
        now: UTC; where a fact without a time begins, and where the horizon is counted from.
        shared: whether its scope is a team's or the tenant's.

    Raises:
        MossError: the time is malformed, by its own code.
    """
    predicate = policy.ontology.of(fact)
    if fact.when is None:  # kept as the instant that it means, or a later revision would move it
        fact = replace(fact, when=Instant(now))
    assert fact.when is not None
    placed = placing.place(
        fact.when,
        owner_zone=zone,
        default_minutes=predicate.minutes,
        horizon=now + AHEAD,
        whole_day=predicate.whole_day,
        longest=timedelta(days=EVENT_DAYS) if predicate.is_event else None,
    )
    return Proposal(
        fact=fact,
        owner=fact.scope_id,
        windows=placed.windows,
        valid_from=placed.valid_from,
        valid_until=placed.valid_until,
        open_ended=placed.valid_until == FOREVER and not has_end(fact.when),
        notes=placed.notes,
        shared=shared,
        zone=zone,
    )
