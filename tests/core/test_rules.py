"""The rule table: every point of every domain, and what a file must not say."""

import tomllib
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from moss_memory.core.errors import PolicyError
from moss_memory.core.rules import BIT, FEATURES, NAMES, Policy, Rules, Table, values_of
from moss_memory.policy import read_toml, shipped

DOMAINS = ["Schedule", "SmartHome", "Preference", "Recommendation", "Task", "Service", "Store"]
NEAR = ("new", "old", "time", "value")  # the features on which every table turns


@pytest.fixture(scope="module")
def spelled() -> dict[str, Any]:
    """The shipped rules, as the file has them."""
    return read_toml(shipped("rules.toml"))


def points(table: Table) -> Iterator[dict[str, str]]:
    for values in product(*(values_of(table, name) for name in NAMES)):
        yield dict(zip(NAMES, values, strict=True))


def plain(row: dict[str, Any], macros: dict[str, list[str]]) -> dict[str, list[str]]:
    """Spell a row's conditions without macros."""
    return {k: macros[v] if isinstance(v, str) else v for k, v in row["when"].items()}


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_point_is_decided_by_the_one_row_that_the_file_names(
    policy: Policy, spelled: dict[str, Any], domain: str
) -> None:
    table = policy.rules.tables[domain]
    rows = spelled["domains"][domain]["rules"]
    boxes = [(r["prio"], r["id"], list(plain(r, spelled["macros"]).items())) for r in rows]
    used = {name for _, _, box in boxes for name, _ in box} | {*NEAR}
    idle = {name: values_of(table, name)[:1] for name in NAMES if name not in used}
    axes = [idle.get(name, values_of(table, name)) for name in NAMES]
    for values in product(*axes):
        at = dict(zip(NAMES, values, strict=True))
        covering = [(p, i) for p, i, box in boxes if all(at[k] in allowed for k, allowed in box)]
        best = min(covering)[0]
        bits = sum(BIT[name][at[name]] for name in FEATURES)
        decided = table.decide(at["new"], at["old"], bits).rule_id
        assert [rule_id for prio, rule_id in covering if prio == best] == [decided], at


def test_bits_of_two_values_never_meet() -> None:
    bits = [bit for values in BIT.values() for bit in values.values()]

    assert sum(bits) == 2 ** len(bits) - 1


def test_features_run_from_the_harmless_to_the_doubtful() -> None:
    assert FEATURES["conf"] == ("high", "mid", "low")
    assert FEATURES["obs"] == ("NEWER", "SAME", "OLDER")
    assert FEATURES["src"] == ("HIGHER", "EQUAL", "LOWER")
    assert FEATURES["writable"] == ("yes", "no")
    assert FEATURES["hard"] == ("no", "yes")


@pytest.mark.parametrize(
    ("source", "confidence", "ids"),
    [("model_inferred", "low", ["G-01"]), ("model_inferred", "mid", ["G-02"]),
     ("model_inferred", "high", ["G-02"]), ("user_explicit", "low", []), ("vision", "low", [])],
)  # fmt: skip
def test_gate_stops_what_a_model_inferred(
    policy: Policy, source: str, confidence: str, ids: list[str]
) -> None:
    assert [gate.rule_id for gate in policy.rules.gates_for(source, confidence)] == ids


@pytest.mark.parametrize(
    ("source", "confidence", "allowed"),
    [("user_explicit", "high", True), ("user_selection", "high", True),
     ("user_explicit", "mid", False), ("user_feedback", "high", False),
     ("task_result", "high", False), ("model_inferred", "high", False)],
)  # fmt: skip
def test_only_sure_words_of_the_user_may_be_hard(
    policy: Policy, source: str, confidence: str, *, allowed: bool
) -> None:
    assert policy.rules.may_be_hard(source, confidence) == allowed


def test_sources_rank_as_the_seed_has_them(policy: Policy) -> None:
    rank = policy.rules.source_rank

    assert rank["user_explicit"] > rank["user_selection"] > rank["vision"] > rank["model_inferred"]


ROW = {"id": "T-1", "prio": 1, "relation": "coexists", "verdict": "ALLOW", "when": {}}


def read(*rows: dict[str, Any], **changes: Any) -> Rules:
    base = {
        "schema": "moss.rules/1",
        "macros": {"sure": ["high", "mid"]},
        "source_rank": dict.fromkeys(FEATURES["new_src"], 1),
        "domains": {"Test": {"classes": ["a", "b"], "rules": list(rows)}},
    }
    return Rules.from_data(base | changes)


def test_row_without_conditions_covers_everything() -> None:
    table = read(ROW).tables["Test"]

    assert table.rules[0].box == table.universe


def test_macro_stands_for_its_list() -> None:
    macro, listed = ROW | {"when": {"conf": "sure"}}, ROW | {"when": {"conf": ["mid", "high"]}}

    assert read(macro).tables == read(listed).tables


def test_rows_are_asked_in_the_order_of_their_prio() -> None:
    rows = [ROW | {"id": f"T-{prio}", "prio": prio} for prio in (30, 10, 20)]

    assert [rule.prio for rule in read(*rows).tables["Test"].rules] == [10, 20, 30]


def test_options_are_offered_in_one_order() -> None:
    asks = {"verdict": "CONFIRM", "reason": "X", "options": ["cancel", "keep_both", "replace_old"]}

    rule = read(ROW | asks).tables["Test"].rules[0]
    assert rule.options == ("replace_old", "keep_both", "cancel")


def test_pair_that_no_row_covers_is_said_and_not_guessed() -> None:
    table = read(ROW | {"when": {"conf": ["high"]}}).tables["Test"]
    bits = sum(BIT[name][values[-1]] for name, values in FEATURES.items())

    with pytest.raises(LookupError, match="no rule covers a against b"):
        table.decide("a", "b", bits)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"when": {"colour": ["red"]}}, "no feature colour"),
        ({"when": {"conf": "unsure"}}, "name of a macro"),
        ({"when": {"conf": []}}, "list of values"),
        ({"when": {"conf": ["certain"]}}, "conf is of high, mid, low"),
        ({"when": {"new": ["c"]}}, "new is of a, b"),
        ({"when": {"value": ["NEGATES"]}}, "value is of SAME, DIFF"),
        ({"prio": 0}, "prio is a whole number"), ({"prio": "1"}, "prio is a whole number"),
        ({"verdict": "NOOP"}, "verdict is one of"), ({"relation": "near"}, "relation is one of"),
        ({"id": ""}, "id is one of"),
        ({"verdict": "CONFIRM", "reason": "X"}, "has options"),
        ({"verdict": "CONFIRM", "reason": "X", "options": ["keep_both"]}, "cancel among them"),
        ({"verdict": "CONFIRM", "options": ["cancel"]}, "gives a reason"),
        ({"verdict": "BLOCK"}, "gives a reason"),
        ({"options": ["cancel"]}, "and nothing else, has options"),
        ({"options": ["explode"]}, "options are of"), ({"options": "cancel"}, "options are of"),
        ({"verdict": "SUPERSEDE", "reason": "X"}, "has a mode"),
        ({"mode": "archive"}, "has a mode"),
    ],
)  # fmt: skip
def test_broken_row_says_where_and_what(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(PolicyError, match=fault):
        read(ROW | changes)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"schema": "other/1"}, "schema"), ({"source_rank": {}}, "source_rank"),
        ({"source_rank": dict.fromkeys(FEATURES["new_src"], "high")}, "source_rank"),
        ({"domains": {"Test": {"rules": []}}}, "needs classes"),
        ({"domains": {"Test": {"classes": ["a"], "values": ["ALIKE"]}}}, "values of SAME"),
        ({"strength": {"time": ["EQ"]}}, "no feature time"),
        ({"gates": [{"id": "G", "when": {"conf": ["low"]}, "verdict": "ALLOW"}]},
         "verdict is one of"),
        ({"gates": [{"id": "G", "when": {"conf": ["low"]}, "verdict": "BLOCK"}]},
         "gives a reason"),
    ],
)  # fmt: skip
def test_broken_file_says_where_and_what(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(PolicyError, match=fault):
        read(ROW, **changes)


def test_two_rows_of_one_name_are_refused() -> None:
    with pytest.raises(PolicyError, match="the same id"):
        read(ROW, ROW | {"prio": 2})


def test_predicate_whose_class_has_no_rules_is_refused(spelled: dict[str, Any]) -> None:
    ontology = read_toml(shipped("ontology.toml"))
    ontology["Schedule"]["note"]["class"] = "memo"

    with pytest.raises(PolicyError, match=r"Schedule\.note: the rules know no class memo"):
        Policy.from_data(ontology, spelled)


def test_opposites_in_a_domain_without_contraries_are_refused(spelled: dict[str, Any]) -> None:
    domain = spelled["domains"]["Preference"] | {"values": ["SAME", "DIFF"], "rules": []}
    rules = spelled | {"domains": spelled["domains"] | {"Preference": domain}}

    with pytest.raises(PolicyError, match="NEGATES"):
        Policy.from_data(read_toml(shipped("ontology.toml")), rules)


def test_version_follows_the_content_and_not_the_layout() -> None:
    ontology, rules = (
        shipped("ontology.toml").read_text("utf-8"),
        shipped("rules.toml").read_text("utf-8"),
    )
    base = Policy.from_data(tomllib.loads(ontology), tomllib.loads(rules)).rules_version
    commented = Policy.from_data(tomllib.loads(ontology), tomllib.loads(f"# new\n{rules}"))
    changed = Policy.from_data(
        tomllib.loads(ontology), tomllib.loads(rules.replace("MEETING_OVERLAP", "CLASH"))
    )
    renamed = Policy.from_data(
        tomllib.loads(ontology.replace("length = 60", "length = 30")), tomllib.loads(rules)
    )

    assert commented.rules_version == base
    assert len({base, changed.rules_version, renamed.rules_version}) == 3
