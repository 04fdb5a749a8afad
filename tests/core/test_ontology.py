"""The ontology: what may be remembered, and what each predicate means."""

from collections.abc import Callable
from typing import Any

import pytest

from moss_memory.core.errors import PolicyError, UnknownPredicateError
from moss_memory.core.fact import Fact
from moss_memory.core.ontology import Ontology
from moss_memory.core.rules import NAMES, Policy
from moss_memory.core.verify import pieces

ROW: dict[str, Any] = {
    "type": "state", "class": "state", "card": "single", "value": {"kind": "text"}
}  # fmt: skip


def read(**changes: Any) -> Ontology:
    return Ontology.from_data({"Garden": {"sprinkler": ROW | changes}})


@pytest.mark.parametrize(
    ("name", "memory_type", "rule_class"),
    [
        ("Schedule.vacation", "event", "vacation"),
        ("Schedule.meeting", "event", "meeting"),
        ("Schedule.note", "event", "note"),
        ("SmartHome.light_status", "state", "state"),
        ("SmartHome.target_temp", "state", "state"),
        ("SmartHome.lock", "state", "safety_state"),
        ("SmartHome.heater", "state", "safety_state"),
        ("Preference.prefers", "preference", "prefers"),
        ("Preference.dislikes", "negative_preference", "dislikes"),
        ("Preference.lives_in", "preference", "prefers"),
        ("Preference.works_at", "preference", "prefers"),
        ("Preference.name", "preference", "prefers"),
        ("Preference.speaks", "preference", "prefers"),
        ("Recommendation.accepted_choice", "accepted_choice", "accepted_choice"),
        ("Task.task_summary", "task_summary", "task_summary"),
        ("Service.service_context", "service_context", "service_context"),
        ("Store.item", "item", "item"),
    ],
)
def test_shipped_predicate_has_its_type_and_class(
    policy: Policy, name: str, memory_type: str, rule_class: str
) -> None:
    predicate = policy.ontology.predicate(*name.split("."))

    assert (predicate.memory_type, predicate.rule_class) == (memory_type, rule_class)


def test_shipped_domains_are_those_of_the_contract(policy: Policy) -> None:
    assert policy.ontology.domains == (
        "Schedule", "SmartHome", "Preference", "Recommendation", "Task", "Service", "Store",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("domain", "name"),
    [("Schedule", "birthday"), ("Weather", "meeting"), ("schedule", "meeting"), ("", ""),
     ("Schedule", "lock"), ("Schedule.meeting", "")],
)  # fmt: skip
def test_unknown_predicate_is_refused(policy: Policy, domain: str, name: str) -> None:
    with pytest.raises(UnknownPredicateError):
        policy.ontology.predicate(domain, name)


def test_closed_subject_is_kept_in_its_listed_spelling(policy: Policy) -> None:
    assert policy.ontology.predicate("Schedule", "meeting").subject_of("calendar") == "Calendar"


def test_subject_outside_a_closed_list_is_refused(policy: Policy) -> None:
    with pytest.raises(UnknownPredicateError):
        policy.ontology.predicate("Preference", "lives_in").subject_of("Neighbour")


def test_open_subject_is_kept_as_it_is_said(policy: Policy) -> None:
    assert policy.ontology.predicate("Preference", "prefers").subject_of("Food") == "Food"


def test_likes_and_dislikes_of_a_topic_share_a_slot(
    policy: Policy, fact: Callable[..., Fact]
) -> None:
    likes, hates = (
        fact("prefers", "tea", subject="Drinks"),
        fact("dislikes", "rum", subject="drinks"),
    )

    assert policy.ontology.slot(likes, "ada") == policy.ontology.slot(hates, "ada")


def test_home_and_employer_have_slots_of_their_own(
    policy: Policy, fact: Callable[..., Fact]
) -> None:
    home, work = fact("lives_in", "Oslo"), fact("works_at", "Acme")

    assert policy.ontology.slot(home, "ada") != policy.ontology.slot(work, "ada")


def test_calendar_of_one_owner_is_one_slot(policy: Policy, fact: Callable[..., Fact]) -> None:
    slots = {
        policy.ontology.slot(fact(p, "Vacation"), "ada") for p in ("vacation", "meeting", "note")
    }

    assert slots == {("ada", "Schedule")}


def test_slots_of_two_owners_differ(policy: Policy, fact: Callable[..., Fact]) -> None:
    meeting = fact("meeting", "Review")

    assert policy.ontology.slot(meeting, "ada") != policy.ontology.slot(meeting, "team")


def test_keys_of_a_store_differ_by_case(policy: Policy, fact: Callable[..., Fact]) -> None:
    upper, lower = fact("item", "1", subject="a/Key"), fact("item", "1", subject="a/key")

    assert policy.ontology.slot(upper, "ada") != policy.ontology.slot(lower, "ada")


def test_fact_knows_its_type_and_class(policy: Policy, fact: Callable[..., Fact]) -> None:
    lock = fact("lock", "locked", subject="front door")

    assert policy.ontology.memory_type(lock) == "state"
    assert policy.ontology.rule_class(lock) == "safety_state"


@pytest.mark.parametrize(
    ("name", "ends"),
    [("SmartHome.light_status", True), ("Preference.lives_in", True), ("Preference.prefers", False),
     ("Preference.speaks", False), ("Schedule.meeting", False), ("SmartHome.temperature", False)],
)  # fmt: skip
def test_only_single_values_end_with_the_next(policy: Policy, name: str, *, ends: bool) -> None:
    assert policy.ontology.predicate(*name.split(".")).ends_with_next == ends


def test_entry_of_a_user_is_read(policy: Policy) -> None:
    garden = read(
        length=30, subjects=["Lawn"], slot=["subject"], sources=["vision"], retention_days=7,
        sensitivity="personal", exclusive=True, max_subject=10, max_value=20,
    ).predicate("Garden", "sprinkler")  # fmt: skip

    assert (garden.minutes, garden.whole_day, garden.subjects) == (30, False, ("Lawn",))
    assert (garden.slot, garden.sources, garden.exclusive) == (("subject",), {"vision"}, True)
    assert (garden.max_subject, garden.max_value, garden.retention_days) == (10, 20, 7)
    assert garden.sensitivity == "personal"


def test_whole_day_is_no_number_of_minutes() -> None:
    garden = read(length="day").predicate("Garden", "sprinkler")

    assert (garden.minutes, garden.whole_day) == (None, True)


def test_entry_says_little_and_gets_the_defaults() -> None:
    garden = read().predicate("Garden", "sprinkler")

    assert (garden.minutes, garden.whole_day, garden.sources) == (None, False, frozenset())
    assert (garden.max_subject, garden.max_value, garden.retention_days) == (128, 500, None)
    assert (garden.exclusive, garden.sensitivity, garden.opposite) == (False, "normal", None)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"type": "mood"}, "type is one of"), ({"class": None}, "needs a class"),
        ({"card": "many"}, "card is one of"), ({"value": {"kind": "x"}}, "value needs a kind"),
        ({"slot": ["owner"]}, "slot are of"), ({"slot": "subject"}, "slot is a list"),
        ({"sources": ["rumour"]}, "sources are of"), ({"subjects": [""]}, "subjects is a list"),
        ({"length": 0}, "length is a whole number"),
        ({"length": "week"}, "length is a whole number"),
        ({"length": True}, "length is a whole number"), ({"exclusive": 1}, "exclusive is true"),
        ({"retention_days": -1}, "retention_days"), ({"max_value": 10**9}, "max_value"),
        ({"sensitivity": "secret"}, "sensitivity is one of"),
        ({"opposite": 1}, "opposite is a text"), ({"apart_from": 1}, "apart_from is a text"),
        ({"apart_from": "drought"}, "names an exclusive event"),
        ({"opposite": "drought"}, "name it back"), ({"colour": "green"}, "does not know colour"),
    ],
)  # fmt: skip
def test_broken_entry_says_where_and_what(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(PolicyError, match=f"Garden.sprinkler: .*{fault}"):
        read(**changes)


@pytest.mark.parametrize("data", [{}, {"Garden": {}}])
def test_ontology_without_a_predicate_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(PolicyError, match="names no predicate"):
        Ontology.from_data(data)


@pytest.mark.parametrize("data", [{"Garden": 1}, {"Garden": {"sprinkler": "on"}}])
def test_ontology_that_is_no_table_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(PolicyError, match=r"Garden.*: expected a table"):
        Ontology.from_data(data)


def test_opposite_that_lives_in_another_slot_is_refused() -> None:
    wet, dry = ROW | {"opposite": "dry"}, ROW | {"opposite": "wet", "slot": ["subject"]}

    with pytest.raises(PolicyError, match="in its slot"):
        Ontology.from_data({"Garden": {"wet": wet, "dry": dry}})


def test_what_the_database_keeps_apart_the_rules_never_let_coexist(policy: Policy) -> None:
    new, old, time, busy = (NAMES.index(name) for name in ("new", "old", "time", "busy"))
    overlap, both = 0b11110, 0b001  # every way to share an instant; both busy
    for predicate in policy.ontology.predicates.values():
        table = policy.rules.tables[predicate.domain]
        own = 1 << table.classes.index(predicate.rule_class)
        met = {new: own, old: own, time: overlap, busy: both}
        together = [
            piece.rule.rule_id
            for piece in pieces(table)
            if piece.rule.verdict == "ALLOW" and all(piece.box[i] & m for i, m in met.items())
        ]
        assert not (predicate.exclusive and together), (predicate.name, together)


def test_meetings_and_stored_items_are_kept_apart_by_the_database_too(policy: Policy) -> None:
    exclusive = {p.name for p in policy.ontology.predicates.values() if p.exclusive}

    assert exclusive == {"meeting", "item"}


def test_what_keeps_apart_from_another_never_coexists_with_it(policy: Policy) -> None:
    new, old, time, busy = (NAMES.index(name) for name in ("new", "old", "time", "busy"))
    apart = [p for p in policy.ontology.predicates.values() if p.apart_from is not None]
    for predicate in apart:
        table = policy.rules.tables[predicate.domain]
        other = policy.ontology.predicate(predicate.domain, predicate.apart_from or "")
        own, its = (1 << table.classes.index(p.rule_class) for p in (predicate, other))
        ways = [{new: own, old: its}, {new: its, old: own}]
        together = [
            piece.rule.rule_id
            for piece in pieces(table)
            for way in ways
            if piece.rule.verdict in {"ALLOW", "NO_CHANGE"}
            and all(piece.box[i] & m for i, m in (way | {time: 0b11110, busy: 0b001}).items())
        ]
        assert not together, predicate.name
    assert [(p.name, p.apart_from) for p in apart] == [("vacation", "meeting")]
