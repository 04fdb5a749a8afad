"""Fingerprints: equal exactly when the decisions are, and locked for the shipped table."""

from copy import deepcopy
from typing import Any

import pytest

from moss_memory.core.fingerprint import differences, fingerprints
from moss_memory.core.rules import Policy, Rules
from moss_memory.policy import read_toml, shipped


@pytest.fixture
def data() -> dict[str, Any]:
    return deepcopy(read_toml(shipped("rules.toml")))


def row(data: dict[str, Any], rule_id: str) -> dict[str, Any]:
    rows = [r for domain in data["domains"].values() for r in domain["rules"] if r["id"] == rule_id]
    return rows[0]


def changed(data: dict[str, Any], policy: Policy) -> list[str]:
    return differences(fingerprints(policy.rules), Rules.from_data(data))


def test_shipped_table_decides_what_its_lock_says(policy: Policy) -> None:
    """Where a change of the rules is meant: ``moss-memory rules lock > .../rules.lock``."""
    assert differences(read_toml(shipped("rules.lock")), policy.rules) == []


def test_changed_verdict_shows_in_its_pair_of_classes_only(
    data: dict[str, Any], policy: Policy
) -> None:
    row(data, "SCH-31").update(verdict="BLOCK", reason="X", relation="conflicts")

    assert changed(data, policy) == ["Schedule vacation/vacation"]


@pytest.mark.parametrize(
    ("rule_id", "change"),
    [("SCH-21", {"options": ["replace_old", "cancel"]}), ("SCH-21", {"reason": "CLASH"}),
     ("SCH-40", {"mode": "truncate"}), ("PRF-15", {"relation": "same"})],
)  # fmt: skip
def test_everything_that_a_rule_says_shows(
    data: dict[str, Any], policy: Policy, rule_id: str, change: dict[str, Any]
) -> None:
    row(data, rule_id).update(change)

    assert len(changed(data, policy)) == 1


def test_condition_dropped_shows(data: dict[str, Any], policy: Policy) -> None:
    del row(data, "HOM-30")["when"]["obs"]

    assert changed(data, policy) == ["SmartHome state/state"]


def test_other_rules_with_the_same_decisions_have_the_same_print(
    data: dict[str, Any], policy: Policy
) -> None:
    rules = data["domains"]["Schedule"]["rules"]
    early, late = deepcopy(row(data, "SCH-31")), row(data, "SCH-31")
    early["id"] = "SCH-31a"
    early["when"]["conf"], late["when"]["conf"] = ["high"], ["mid", "low"]
    rules.append(early)
    row(data, "SCH-01")["id"] = "SCH-00"
    row(data, "SCH-04")["prio"] = 41

    assert changed(data, policy) == []


@pytest.mark.parametrize("key", ["gates", "strength", "source_rank"])
def test_gates_strength_and_ranks_show(data: dict[str, Any], policy: Policy, key: str) -> None:
    edits: dict[str, Any] = {
        "gates": [], "strength": {"conf": ["mid"]},
        "source_rank": data["source_rank"] | {"vision": 4},
    }  # fmt: skip
    data[key] = edits[key]

    assert changed(data, policy) == ["gates"]


def test_domain_added_shows(data: dict[str, Any], policy: Policy) -> None:
    data["domains"]["Garden"] = deepcopy(data["domains"]["Store"])

    assert changed(data, policy) == ["Garden item/item"]
