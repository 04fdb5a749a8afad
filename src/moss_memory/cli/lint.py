"""``moss-memory lint FILE.json``: run the linter on a case, with no server and no database."""

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from moss_memory.core.errors import InvalidRequestError, MossError, PolicyError, WindowRequiredError
from moss_memory.core.fact import Fact, Known, Memory, Proposal, Provenance
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.linter import Finding, Verdict, lint
from moss_memory.core.ontology import EVENT_DAYS
from moss_memory.core.placing import place
from moss_memory.core.rules import Policy
from moss_memory.core.when import Instant, from_json, has_end
from moss_memory.policy import load

EXAMPLE: Final = """\
The file holds one object: {"now": "2026-07-16T05:00:00Z", "timezone": "Asia/Seoul",
"existing": [FACT with "memory_id", ...], "facts": [FACT, ...], "exclude": MEMORY_ID or absent}.
A FACT is what POST /memories takes. Existing ones may say "writable": false or "visible": false.
"""
_FIELDS: Final = frozenset({
    "domain", "subject", "predicate", "object_value", "scope_id", "when", "status", "transparency",
    "buffer_before", "buffer_after", "source", "confidence", "source_ref", "observed_at",
    "expires_at", "hard",
})  # fmt: skip


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add ``lint FILE``."""
    parser = subparsers.add_parser(
        "lint", help="run the linter on a case file", epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("file", type=Path, help="JSON, or - for standard input")
    parser.add_argument("--rules", type=Path, help="rules file (default: as shipped)")
    parser.add_argument("--ontology", type=Path, help="ontology file (default: as shipped)")
    parser.add_argument("--json", action="store_true", help="as always: the verdict is JSON")


def run(args: argparse.Namespace) -> int:
    """Print the verdict as JSON; 0 for any verdict, 1 for a case that cannot be judged."""
    try:
        text = sys.stdin.read() if str(args.file) == "-" else args.file.read_text("utf-8")
        case = json.loads(text)
        policy = load(ontology=args.ontology, rules=args.rules)
        verdict = judge(case, policy)
    except (OSError, ValueError, PolicyError) as error:  # JSON errors are ValueErrors
        print(f"cannot be read: {error}", file=sys.stderr)
        return 1
    except MossError as error:
        print(json.dumps({"code": error.code, "detail": str(error)}), file=sys.stderr)
        return 1
    print(json.dumps(shown(verdict), ensure_ascii=False, indent=2))
    return 0


def judge(case: Any, policy: Policy) -> Verdict:
    """Lint the facts of a case against its existing memories.

    Raises:
        MossError: a malformed fact, by its own code.
    """
    if not isinstance(case, Mapping) or not isinstance(case.get("facts"), list):
        raise InvalidRequestError("A case is an object with a list of facts.")
    now, zone = _now(case), case.get("timezone", "UTC")
    proposals = [propose(told, policy, zone=zone, now=now) for told in case["facts"]]
    known = [
        _known(told, number, policy, zone=zone, now=now)
        for number, told in enumerate(case.get("existing", []))
    ]
    return lint(proposals, known, policy, exclude=case.get("exclude"), now=now)


def _now(case: Mapping[str, Any]) -> datetime:
    when = from_json({"start": case.get("now", "2026-07-16T05:00:00Z")})
    assert isinstance(when, Instant)
    return when.start


def propose(told: Any, policy: Policy, *, zone: str, now: datetime) -> Proposal:
    """Read a fact as the wire spells it, and place it.

    Raises:
        MossError: it is malformed, by its own code.
    """
    fact = _fact(told, policy, now)
    predicate = policy.ontology.of(fact)
    when = fact.when
    if when is None and predicate.is_event:
        raise WindowRequiredError
    when = when or Instant(now)
    placed = place(
        when, owner_zone=zone, default_minutes=predicate.minutes, whole_day=predicate.whole_day,
        longest=timedelta(days=EVENT_DAYS) if predicate.is_event else None,
        horizon=now + timedelta(days=731),
    )  # fmt: skip
    is_open = placed.valid_until == FOREVER and not has_end(when)
    return Proposal(
        fact, fact.scope_id, placed.windows, placed.valid_from, placed.valid_until,
        open_ended=is_open, notes=placed.notes, zone=zone,
    )  # fmt: skip


def _fact(told: Any, policy: Policy, now: datetime) -> Fact:
    if not isinstance(told, Mapping) or not told.keys() <= _FIELDS:
        raise InvalidRequestError("A fact has a field that is not one of a fact's.")
    try:
        predicate = policy.ontology.predicate(told["domain"], told["predicate"])
        subject, value = told["subject"], told["object_value"]
    except KeyError as error:
        raise InvalidRequestError("A fact has domain, subject, predicate, object_value.") from error
    times = {key: _instant(told[key]) for key in ("observed_at", "expires_at") if told.get(key)}
    fields = {k: v for k, v in told.items() if k not in {"when", *times} and v is not None}
    return Fact(
        **{"scope_id": "me", "observed_at": now} | fields | times | {
            "subject": predicate.subject_of(subject),
            "object_value": predicate.value.clean(value),
            "when": from_json(told["when"]) if told.get("when") else None,
        }
    )  # fmt: skip


def _instant(text: Any) -> datetime:
    when = from_json({"start": text})
    assert isinstance(when, Instant)
    return when.start


def _known(told: Any, number: int, policy: Policy, *, zone: str, now: datetime) -> Known:
    if not isinstance(told, Mapping):
        raise InvalidRequestError("An existing memory is an object.")
    stated = {k: v for k, v in told.items() if k not in {"memory_id", "writable", "visible"}}
    stated.setdefault("observed_at", (now - timedelta(days=1)).astimezone(UTC).isoformat())
    placed = propose(stated, policy, zone=zone, now=now)
    memory = Memory(
        memory_id=str(told.get("memory_id", number)), revision=1, tenant_id="default",
        principal_id="me", owner=placed.owner, fact=placed.fact, windows=placed.windows,
        valid_from=placed.valid_from, valid_until=placed.valid_until,
        open_ended=placed.open_ended, recorded_at=now, created_at=now,
        provenance=Provenance(decision_id="case"), zone=zone,
    )  # fmt: skip
    return Known(memory, writable=told.get("writable", True), visible=told.get("visible", True))


def stored(export: Path, policy: Policy, zone: str) -> list[Memory]:
    """Read the active memories of a JSONL export, placed in ``zone`` where they float.

    Raises:
        OSError, ValueError: it cannot be read, or is not JSON lines.
        MossError: a memory does not fit the ontology, by its own code.
    """
    lines = [json.loads(line) for line in export.read_text("utf-8").splitlines() if line.strip()]
    active = [line["memory"] for line in lines if line.get("memory", {}).get("status") == "active"]
    return [_stored(told, policy, zone) for told in active]


def _stored(told: Mapping[str, Any], policy: Policy, zone: str) -> Memory:
    recorded = _instant(told["recorded_at"])
    stated = {key: told[key] for key in _FIELDS if key in told and key != "status"}
    stated["status"] = told.get("event_status") or "confirmed"
    known = _known(stated | {"memory_id": told["memory_id"]}, 0, policy, zone=zone, now=recorded)
    memory = replace(known.memory, recorded_at=recorded)
    if memory.fact.when is not None and memory.fact.when.series is not None:
        return memory
    until = _instant(told["valid_until"]) if told["valid_until"] else FOREVER
    window = Interval(_instant(told["valid_from"]), until)  # it may have been cut since it was said
    return replace(memory, windows=(window,), valid_from=window.start, valid_until=until)


def shown(verdict: Verdict) -> dict[str, Any]:
    """Spell a verdict as ``POST /lint`` does, without summaries."""
    return {
        "status": verdict.status,
        "conflict_type": verdict.conflict_type,
        "findings": [_shown(finding) for finding in verdict.findings],
        "actions": list(verdict.actions),
        "notes": list(verdict.notes),
        "rules_version": verdict.rules_version,
    }


def _shown(finding: Finding) -> dict[str, Any]:
    at = finding.occurrence.start.isoformat() if finding.occurrence else None
    return {
        "memory_id": finding.memory_id, "fact_index": finding.fact_index,
        "other_fact_index": finding.other_fact_index, "relation": finding.relation,
        "time_relation": finding.time_relation, "occurrence": at, "verdict": finding.verdict,
        "rule_id": finding.rule_id, "reason": finding.reason, "actions": list(finding.actions),
    }  # fmt: skip
