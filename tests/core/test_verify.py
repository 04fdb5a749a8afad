"""Proof of the rule table: the shipped one holds; each way to break one is found and worded."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import pairwise, product
from typing import Any

import pytest

from moss_memory.core.boxes import size
from moss_memory.core.errors import PolicyError
from moss_memory.core.rules import (
    BIT,
    FEATURES,
    NAMES,
    SEVERITIES,
    Policy,
    Rules,
    Table,
    values_of,
)
from moss_memory.core.verify import check, pieces, promises, prove
from moss_memory.policy import load, read_toml, shipped

SHIPPED = read_toml(shipped("rules.toml"))
Edit = Callable[[dict[str, Any]], None]


def row(data: dict[str, Any], rule_id: str) -> dict[str, Any]:
    rows = [r for domain in data["domains"].values() for r in domain["rules"] if r["id"] == rule_id]
    return rows[0]


def broken(edit: Edit) -> list[str]:
    """Return what is wrong after an edit, looking at the domains that it touches."""
    data, before = deepcopy(SHIPPED), SHIPPED["domains"]
    edit(data)
    data["domains"] = {name: t for name, t in data["domains"].items() if t != before[name]}
    return [str(flaw) for flaw in check(Rules.from_data(data))]


def drop(rule_id: str) -> Edit:
    def edit(data: dict[str, Any]) -> None:
        for domain in data["domains"].values():
            domain["rules"] = [r for r in domain["rules"] if r["id"] != rule_id]

    return edit


def change(rule_id: str, **changes: Any) -> Edit:
    return lambda data: row(data, rule_id).update(changes)


def widen(rule_id: str, *features: str) -> Edit:
    def edit(data: dict[str, Any]) -> None:
        for feature in features:
            del row(data, rule_id)["when"][feature]

    return edit


def gate(number: int, **when: list[str]) -> Edit:
    return lambda data: data["gates"][number].update(when=when)


def narrow(rule_id: str, **when: list[str]) -> Edit:
    return lambda data: row(data, rule_id)["when"].update(when)


def test_shipped_table_keeps_every_promise(policy: Policy) -> None:
    assert check(policy.rules) == []
    assert promises(policy.rules) > 250


def test_pieces_cover_each_point_once(policy: Policy) -> None:
    """Property 9."""

    for table in policy.rules.tables.values():
        assert sum(size(piece.box) for piece in pieces(table)) == size(table.universe)


ASK = {
    "verdict": "CONFIRM",
    "relation": "conflicts",
    "reason": "X",
    "options": ["approve", "cancel"],
}
REPLACE = {"verdict": "SUPERSEDE", "relation": "supersedes", "reason": "X", "mode": "truncate",
           "options": []}  # fmt: skip
ALLOW = {"verdict": "ALLOW", "relation": "coexists", "options": []}


@pytest.mark.parametrize(
    ("edit", "rules", "promise", "example"),
    [
        (drop("SCH-41"), "no rule", "every pair of facts is decided by a rule",
         "a new vacation at exactly the time of an old meeting"),
        (change("SCH-21", prio=15), "SCH-20, SCH-21", "rules of equal prio",
         "or CONFIRM by SCH-21"),
        (change("SCH-31", prio=15), "SCH-30, SCH-31", "rules of equal prio", "or ALLOW by SCH-31"),
        (change("HOM-32", prio=45), "HOM-30", "every rule decides something", "by HOM-32"),
        (change("REC-20", prio=15), "REC-10", "every rule decides something", "by REC-20"),
        (change("SVC-01", **ASK), "SVC-01", "disjoint times never need more than ALLOW",
         "apart from an old service_context"),
        (change("TSK-01", verdict="NO_CHANGE", relation="same"), "TSK-01", "nothing is the same",
         ""),
        (widen("STO-30", "writable"), "STO-30", "the caller may not write", "writable no"),
        (widen("STO-30", "hard"), "STO-30", "hard constraint", "hard yes"),
        (narrow("STO-30", new_src=["model_inferred"]), "STO-30", "inference of a model",
         "from model_inferred"),
        (narrow("STO-10", value=["SAME", "DIFF"]), "STO-10", "only an equal value is the same",
         "with another value"),
        (change("SCH-10", **ALLOW), "SCH-10", "a meeting over a vacation asks", "ALLOW by SCH-10"),
        (change("SCH-21", **ALLOW), "SCH-21", "a meeting over another meeting asks", ""),
        (narrow("SCH-20", time=["EQ", "INSIDE"]), "SCH-20", "at another time asks",
         "within the time of an old meeting"),
        (narrow("SCH-40", conf=["high"]), "SCH-41", "retires an overlapping", "mid confidence"),
        (change("SCH-31", **REPLACE), "SCH-31", "a vacation never supersedes a vacation", ""),
        (change("PRF-21", **ALLOW), "PRF-21", "never silently becomes positive", ""),
        (narrow("PRF-20", new_src=["user_explicit", "user_feedback"]), "PRF-20",
         "explicit words only", "from user_feedback"),
        (narrow("PRF-20", conf=["high", "mid"]), "PRF-20", "by sure words only", "mid confidence"),
        (narrow("PRF-20", obs=["NEWER", "SAME"]), "PRF-20", "by newer words only", "observed same"),
        (change("PRF-22", **ASK), "PRF-22", "a machine never turns", "from vision"),
        (narrow("PRF-41", obs=["NEWER", "SAME", "OLDER"]), "PRF-41",
         "an older observation never replaces", "SUPERSEDE by PRF-41"),
        (change("PRF-40", **ALLOW), "PRF-40", "an older observation never replaces",
         "observed older"),
        (change("HOM-20", **ALLOW), "HOM-20", "safety device always asks", "new safety_state"),
        (change("HOM-21", **ALLOW), "HOM-21", "against a safety device always asks", "new state"),
        (narrow("HOM-31", conf=["low"]), "HOM-31",
         "severity never falls when conf goes from mid to low", "but only SUPERSEDE by HOM-31"),
        (narrow("STO-30", obs=["OLDER"]), "STO-40, STO-30", "when obs goes from SAME to OLDER", ""),
        (narrow("SCH-41", writable=["yes"]), "no rule", "every pair", "writable no"),
        (narrow("SVC-30", new_src=["vision", "task_result"]), "SVC-40, SVC-30",
         "when new_src goes from user_explicit to vision", ""),
        (gate(0, new_src=["user_explicit"], conf=["high"]), "G-01",
         "a gate never spares the more doubtful",
         "user_explicit, high is stopped"),
        (gate(1, new_src=["model_inferred"], conf=["high"]), "G-02",
         "a gate never spares the more doubtful", ""),
    ],
)  # fmt: skip
def test_broken_table_is_found_and_worded(
    edit: Edit, rules: str, promise: str, example: str
) -> None:
    told = broken(edit)

    assert any(rules in flaw and promise in flaw and example in flaw for flaw in told), told


def test_example_says_the_whole_situation() -> None:
    (told,) = [flaw for flaw in broken(change("HOM-20", **ALLOW)) if "device always asks" in flaw]

    assert told == (
        "SmartHome: a changed value of a safety device always asks\n"
        "  by HOM-20: a new safety_state at exactly the time of an old state, with another value,"
        " from user_explicit (rank higher), high confidence, observed newer, busy both,"
        " writable yes, hard no, single: ALLOW by HOM-20"
    )


def test_policy_that_breaks_a_promise_is_refused_with_the_example(policy: Policy) -> None:
    data = deepcopy(read_toml(shipped("rules.toml")))
    drop("PRF-42")(data)

    with pytest.raises(PolicyError, match=r"every pair of facts(.|\n)*no rule at all"):
        prove(Policy.from_data(read_toml(shipped("ontology.toml")), data))


def test_file_of_a_user_is_read_and_proved(tmp_path: Any) -> None:
    text = shipped("rules.toml").read_text("utf-8").replace("MEETING_OVERLAP", "CLASH")
    (tmp_path / "mine.toml").write_text(text, "utf-8")

    table = load(rules=tmp_path / "mine.toml").rules.tables["Schedule"]
    assert "CLASH" in {rule.reason for rule in table.rules}


@pytest.mark.parametrize("content", [None, b"a = ", b"\xff\xfe"])
def test_file_that_cannot_be_read_is_refused_by_name(tmp_path: Any, content: bytes | None) -> None:
    file = tmp_path / "mine.toml"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(PolicyError, match=r"mine\.toml"):
        load(rules=file)


# A second opinion without any box algebra: the promises point by point, on the shipped table.


def points(table: Table, **fixed: str) -> Iterator[tuple[dict[str, str], int]]:
    """Yield every point with the severity decided there."""
    axes = [fixed[name].split() if name in fixed else values_of(table, name) for name in NAMES]
    for values in product(*axes):
        at = dict(zip(NAMES, values, strict=True))
        bits = sum(BIT[name][at[name]] for name in FEATURES)
        rule = table.decide(at["new"], at["old"], bits)
        yield at, SEVERITIES.index(rule.verdict)


@pytest.mark.parametrize("domain", ["SmartHome", "Preference", "Service"])
@pytest.mark.parametrize("feature", ["conf", "src", "obs", "writable", "hard"])
def test_severity_never_falls_point_by_point(policy: Policy, domain: str, feature: str) -> None:
    table = policy.rules.tables[domain]
    fixed = {"busy": "BOTH", "time": "DISJOINT EQ PARTIAL", "value": "DIFF"}
    for better, worse in pairwise(FEATURES[feature]):
        above = points(table, **fixed, **{feature: better})
        below = points(table, **fixed, **{feature: worse})
        assert all(a[1] <= b[1] for a, b in zip(above, below, strict=True))


def test_negative_never_becomes_positive_unasked_point_by_point(policy: Policy) -> None:
    table = policy.rules.tables["Preference"]
    fixed = {"new": "prefers", "old": "dislikes", "value": "SAME NEGATES", "busy": "BOTH",
             "time": "EQ INSIDE CONTAINS PARTIAL"}  # fmt: skip
    silent = [
        at for at, severity in points(table, **fixed) if severity < SEVERITIES.index("CONFIRM")
    ]

    assert {
        (at["new_src"], at["conf"], at["obs"], at["hard"], at["writable"]) for at in silent
    } == {("user_explicit", "high", "NEWER", "no", "yes")}
