"""What may be remembered, and the table that decides: shown as they are in force."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import JSONResponse

from moss_memory.api.asked import AskedDep
from moss_memory.api.circumstances import GUARDED, Route
from moss_memory.core.ontology import Predicate
from moss_memory.core.rules import FEATURES, NAMES, Gate, Rule, Table, mask_of, values_of

router = APIRouter(tags=["policy"], route_class=Route, dependencies=GUARDED)


@router.get("/ontology", operation_id="get_ontology")
def ontology(asked: AskedDep) -> JSONResponse:
    """List every predicate: its kind, value, default length, slot, and who may write it."""
    policy = asked.house.policy
    predicates = [_predicate(each) for each in policy.ontology.predicates.values()]
    return JSONResponse({"rules_version": policy.rules_version, "predicates": predicates})


@router.get("/rules", operation_id="get_rules")
def rules(asked: AskedDep) -> JSONResponse:
    """Show the rule table: gates, then each domain's rules by priority, and its version."""
    policy = asked.house.policy
    table = policy.rules
    shown = {
        "rules_version": policy.rules_version,
        "features": {name: list(values) for name, values in FEATURES.items()},
        "source_rank": dict(table.source_rank),
        "hard_allowed": {
            "new_src": sorted(table.hard_sources),
            "conf": sorted(table.hard_confidences),
        },
        "gates": [_gate(gate) for gate in table.gates],
        "domains": {name: _table(each) for name, each in table.tables.items()},
    }
    return JSONResponse(shown)


def _gate(gate: Gate) -> dict[str, Any]:
    return {
        "id": gate.rule_id,
        "when": {"new_src": sorted(gate.sources), "conf": sorted(gate.confidences)},
        "verdict": gate.verdict,
        "reason": gate.reason,
        "options": list(gate.options),
    }


def _table(table: Table) -> dict[str, Any]:
    return {
        "classes": list(table.classes),
        "values": list(table.values),
        "rules": [_rule(table, rule) for rule in table.rules],
    }


def _rule(table: Table, rule: Rule) -> dict[str, Any]:
    """Show a rule; a feature that may have any value is left out, as in the data file."""
    when = {}
    for name, mask in zip(NAMES, rule.box, strict=True):
        values = values_of(table, name)
        allowed = [value for value in values if mask & mask_of(table, name, (value,))]
        if len(allowed) < len(values):
            when[name] = allowed
    return {
        "id": rule.rule_id,
        "prio": rule.prio,
        "when": when,
        "verdict": rule.verdict,
        "relation": rule.relation,
        "reason": rule.reason,
        "options": list(rule.options),
        "mode": rule.mode,
    }


def _predicate(each: Predicate) -> dict[str, Any]:
    value: dict[str, Any] = {"kind": each.value.kind}
    if each.value.choices:
        value["choices"] = list(each.value.choices)
    if each.value.units:
        value["units"] = [unit.name for unit in each.value.units]
    return {
        "domain": each.domain,
        "predicate": each.name,
        "memory_type": each.memory_type,
        "class": each.rule_class,
        "subjects": list(each.subjects) or None,
        "slot": list(each.slot),
        "card": each.card,
        "opposite": each.opposite,
        "value": value,
        "default_minutes": each.minutes,
        "whole_day": each.whole_day,
        "sources": sorted(each.sources) or None,
        "max_subject": each.max_subject,
        "max_value": each.max_value,
        "retention_days": each.retention_days,
        "sensitivity": each.sensitivity,
    }
