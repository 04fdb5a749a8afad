"""What core tests share: the shipped policy, and short ways to say facts, times and memories."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from moss_memory.core.fact import Fact, Known, Memory, Proposal, Provenance
from moss_memory.core.interval import FOREVER
from moss_memory.core.placing import place
from moss_memory.core.rules import Policy
from moss_memory.core.when import Instant, from_json, has_end
from moss_memory.policy import load

NOW = datetime(2026, 7, 16, 5, 0, tzinfo=UTC)  # Thursday, 14:00 in Seoul


@pytest.fixture(scope="session")
def policy() -> Policy:
    """The shipped ontology and rules."""
    return load()


@pytest.fixture(scope="session")
def now() -> datetime:
    """The instant at which everything is said."""
    return NOW


@pytest.fixture(scope="session")
def fact(policy: Policy) -> Callable[..., Fact]:
    """Make a fact: ``fact("meeting", "Standup", {"start": ...}, confidence=0.7)``."""
    domains = {name: domain for domain, name in policy.ontology.predicates}
    subjects = {"Schedule": "Calendar", "SmartHome": "living_room", "Preference": "food"}

    def make(predicate: str, value: str, when: Any = None, **fields: Any) -> Fact:
        domain = domains[predicate]
        listed = policy.ontology.predicate(domain, predicate).subjects
        return Fact(
            **{
                "domain": domain,
                "subject": listed[0] if listed else subjects.get(domain, "thing"),
                "predicate": predicate,
                "object_value": value,
                "scope_id": "ada",
                "observed_at": NOW,
                "when": from_json(when) if isinstance(when, dict) else when,
            }
            | fields
        )

    return make


@pytest.fixture(scope="session")
def propose(policy: Policy) -> Callable[..., Proposal]:
    """Place a fact in its owner's zone, as the flows do."""

    def make(fact: Fact, zone: str = "UTC", **fields: Any) -> Proposal:
        predicate = policy.ontology.of(fact)
        when = fact.when or Instant(NOW)
        placed = place(
            when,
            owner_zone=zone,
            default_minutes=predicate.minutes,
            whole_day=predicate.whole_day,
            longest=timedelta(days=366) if predicate.is_event else None,
            horizon=NOW + timedelta(days=731),
        )
        return Proposal(
            **{
                "fact": replace(fact, when=when),
                "owner": fact.scope_id,
                "windows": placed.windows,
                "valid_from": placed.valid_from,
                "valid_until": placed.valid_until,
                "open_ended": placed.valid_until == FOREVER and not has_end(when),
                "notes": placed.notes,
                "zone": zone,
            }
            | fields
        )

    return make


@pytest.fixture(scope="session")
def remember(propose: Callable[..., Proposal]) -> Callable[..., Known]:
    """Keep a fact as a memory that the caller may see and write, unless told otherwise."""

    def make(
        memory_id: str, fact: Fact, zone: str = "UTC", *, writable: bool = True,
        visible: bool = True, **fields: Any
    ) -> Known:  # fmt: skip
        placed = propose(fact, zone)
        memory = Memory(
            **{
                "memory_id": memory_id,
                "revision": 1,
                "tenant_id": "default",
                "principal_id": "ada",
                "owner": fact.scope_id,
                "fact": placed.fact,
                "windows": placed.windows,
                "valid_from": placed.valid_from,
                "valid_until": placed.valid_until,
                "open_ended": placed.open_ended,
                "recorded_at": fact.observed_at,
                "created_at": fact.observed_at,
                "provenance": Provenance(decision_id="d1"),
                "zone": zone,
            }
            | fields
        )
        return Known(memory, writable=writable, visible=visible)

    return make
