"""What a rule table decides, as short hashes: equal exactly when the decisions are.

For each ordered pair of rule classes the outcome is a function of the other features. It is
written as a decision diagram in the fixed order of the features, which is the same for every
table with the same outcomes (Bryant, "Graph-Based Algorithms for Boolean Function
Manipulation", 1986), so a review sees which situations a changed rule touches.
"""

import hashlib
import json
from collections.abc import Mapping

from moss_memory.core.boxes import Box
from moss_memory.core.rules import FEATURES, Rule, Rules, Table, values_of


def fingerprints(rules: Rules) -> dict[str, str]:
    """Return a hash for ``domain new/old`` of every pair of classes, and one for the gates."""
    found = {
        f"{table.domain} {new}/{old}": _pair(table, new, old)
        for table in rules.tables.values()
        for new in table.classes
        for old in table.classes
    }
    return found | {"gates": _hash(_gate_points(rules))}


def differences(locked: Mapping[str, str], rules: Rules) -> list[str]:
    """Name what is decided differently now than when ``locked`` was written."""
    now = fingerprints(rules)
    return sorted(name for name in locked.keys() | now if locked.get(name) != now.get(name))


def _pair(table: Table, new: str, old: str) -> str:
    at = 1 << table.classes.index(new), 1 << table.classes.index(old)
    boxes = tuple(
        (rule.box[2:], _outcome(rule))
        for rule in table.rules
        if rule.box[0] & at[0] and rule.box[1] & at[1]
    )
    return _diagram(table, 0, boxes, {})


Rows = tuple[tuple[Box, str], ...]


def _diagram(table: Table, level: int, rows: Rows, seen: dict[tuple[int, Rows], str]) -> str:
    """Hash what the rows, first one first, decide from the feature at ``level`` on."""
    key = (level, rows)
    if key not in seen:
        names = list(FEATURES)
        if level == len(names):
            seen[key] = rows[0][1] if rows else "none"
        else:
            bits = [1 << FEATURES[names[level]].index(v) for v in values_of(table, names[level])]
            parts = [_narrowed(rows, bit) for bit in bits]
            seen[key] = _hash([_diagram(table, level + 1, part, seen) for part in parts])
    return seen[key]


def _narrowed(rows: Rows, bit: int) -> Rows:
    return tuple((box[1:], outcome) for box, outcome in rows if box[0] & bit)


def _outcome(rule: Rule) -> str:
    """Say all of a rule that shows; how it is called and ranked does not."""
    return json.dumps([rule.verdict, rule.relation, rule.reason, sorted(rule.options), rule.mode])


def _gate_points(rules: Rules) -> list[object]:
    points: list[object] = [rules.may_be_hard(s, c) for s, c in _points()]
    points += [
        sorted([g.verdict, g.reason, *sorted(g.options)] for g in rules.gates_for(s, c))
        for s, c in _points()
    ]
    return [*points, sorted(rules.source_rank.items())]


def _points() -> list[tuple[str, str]]:
    return [(source, band) for source in FEATURES["new_src"] for band in FEATURES["conf"]]


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:12]
