"""Shared cases, from the seed texts and public bug reports, carried over to our facts."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from moss_memory.core.errors import EmptyWindowError, MossError, NaiveTimestampError
from moss_memory.core.fact import Fact, Known, Proposal
from moss_memory.core.linter import Verdict, lint
from moss_memory.core.rules import Policy

FILE = Path(__file__).resolve().parents[3] / "shared" / "data" / "linter_cases.jsonl"
ROWS = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else []
CASES = [json.loads(row) for row in ROWS]
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
DECISION = {
    "ALLOW": "SUCCESS", "SUPERSEDE": "SUCCESS_WITH_OVERWRITE", "NOOP": "NO_CHANGE",
    "CONFIRM": "CONFIRM_REQUIRED", "BLOCK": "BLOCKED",
}  # fmt: skip
REFUSALS = {"EMPTY_OR_REVERSED_INTERVAL": EmptyWindowError, "NAIVE_TIMESTAMP": NaiveTimestampError}
VALUES = {22: "22 °C", 24: "24 °C", 19: "19 °C"}
PREDICATES = {"temp": {"state": "target_temp", "observation": "temperature"}}


def when_of(case: dict[str, Any]) -> dict[str, Any] | None:
    """Spell a case's time as the wire does."""
    keys = {
        "instant": ("start", "end"), "local": ("local_start", "local_end"),
        "floating": ("local_start", "local_end"), "date": ("date", "end_date"),
    }.get(case["kind"])  # fmt: skip
    if keys is None:
        return None
    spelled = {keys[0]: case["start"], keys[1]: case.get("end"), "timezone": case.get("tz")}
    spelled |= {key: case.get(key) for key in ("minutes", "fold", "rrule")}
    if "overrides" in case:
        spelled["overrides"] = {
            start: when_of(to) if to else None for start, to in case["overrides"].items()
        }
    return {key: value for key, value in spelled.items() if value is not None}


def predicate_of(case: dict[str, Any]) -> str:
    named = case.get("property", case["predicate"])
    return PREDICATES.get(named, {}).get(case["predicate"], named)


def fact_of(case: dict[str, Any], fact: Callable[..., Fact], *, new: bool) -> Fact:
    predicate = predicate_of(case)
    value = "Vacation" if predicate == "vacation" else VALUES.get(case["value"], case["value"])
    fields = {key: case[key] for key in ("source", "confidence") if key in case}
    if subject := case.get("topic") or case.get("subject"):
        fields["subject"] = subject
    observed = case.get("observed_at", 1 if new else 0)
    return fact(
        predicate, value, when_of(case["when"]), observed_at=EPOCH + timedelta(days=observed),
        **fields,
    )  # fmt: skip


def judge(case: dict[str, Any], make: dict[str, Any], *, backwards: bool) -> Verdict:
    known = [
        make["remember"](old["id"], fact_of(old, make["fact"], new=False), case["tz"])
        for old in (reversed(case["existing"]) if backwards else case["existing"])
    ]
    proposal = make["propose"](fact_of(case["new"], make["fact"], new=True), case["tz"])
    return lint([proposal], known, make["policy"], exclude=case.get("update_of"))


def ids(verdict: Verdict, status: str) -> list[str]:
    return sorted(f.memory_id for f in verdict.findings if f.verdict == status and f.memory_id)


@pytest.mark.skipif(not CASES, reason="the shared case file is not beside this repository")
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_shared_case_is_decided_as_expected(
    case: dict[str, Any], *, backwards: bool, policy: Policy, fact: Callable[..., Fact],
    propose: Callable[..., Proposal], remember: Callable[..., Known],
) -> None:  # fmt: skip
    make = {"policy": policy, "fact": fact, "propose": propose, "remember": remember}
    expected = case["expect"]
    if expected.get("reasons", [""])[0] in {*REFUSALS, "UNKNOWN_TIME_KIND"}:
        if case["new"]["when"]["kind"] == "none":
            pytest.skip("an event without a time is refused where requests are read")
        with pytest.raises(REFUSALS.get(expected["reasons"][0], MossError)):
            judge(case, make, backwards=backwards)
        return
    verdict = judge(case, make, backwards=backwards)
    got = {
        "decision": verdict.status,
        "ask": ids(verdict, "CONFIRM_REQUIRED"),
        "supersede": ids(verdict, "SUCCESS_WITH_OVERWRITE"),
        "same": ids(verdict, "NO_CHANGE"),
        "notes": list(verdict.notes),
        "reasons": sorted({f.reason for f in verdict.findings if f.reason}),
    }
    wanted = expected | {"decision": DECISION[expected["decision"]]}
    assert {key: got[key] for key in wanted} == wanted
