"""The rule table: a partition of everything that can be true of a new fact and an old memory.

A rule is a box over closed features. The lowest priority that covers a pair decides it;
``core/verify`` proves that there is always exactly one such rule, and that the table keeps its
promises. Files come in as mappings (TOML is read elsewhere), frozen values go out.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from moss_memory.core.boxes import Box
from moss_memory.core.errors import PolicyError
from moss_memory.core.fact import Source
from moss_memory.core.ontology import Ontology

Severity = Literal["NO_CHANGE", "ALLOW", "SUPERSEDE", "CONFIRM", "BLOCK"]
RuleRelation = Literal["same", "supersedes", "conflicts", "coexists"]
Option = Literal["approve", "replace_old", "keep_both", "cancel"]
Mode = Literal["invalidate", "truncate"]

SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)
SCHEMA: Final = "moss.rules/1"

# Every feature but the rule classes, its values from the harmless to the doubtful: severity must
# not fall along conf, src, obs, writable and hard.
FEATURES: Final[Mapping[str, tuple[str, ...]]] = {
    "time": ("DISJOINT", "EQ", "INSIDE", "CONTAINS", "PARTIAL"),
    "value": ("SAME", "DIFF", "NEGATES"),
    "new_src": get_args(Source),
    "src": ("HIGHER", "EQUAL", "LOWER"),
    "conf": ("high", "mid", "low"),
    "obs": ("NEWER", "SAME", "OLDER"),
    "busy": ("BOTH", "ONE", "NEITHER"),
    "writable": ("yes", "no"),
    "hard": ("no", "yes"),
    "card": ("single", "set"),
}
NAMES: Final = ("new", "old", *FEATURES)  # the order of a box's masks
GATE_FEATURES: Final = ("new_src", "conf")


def _bits() -> dict[str, dict[str, int]]:
    bits, at = {}, 0
    for name, values in FEATURES.items():
        bits[name] = {value: 1 << (at + i) for i, value in enumerate(values)}
        at += len(values)
    return bits


BIT: Final[Mapping[str, Mapping[str, int]]] = _bits()  # a pair of facts is one of each, or-ed


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One row: where ``box`` covers a pair, and no lower ``prio`` does, this is its verdict.

    ``mode`` is what becomes of a superseded memory; ``options`` are the answers that a question
    offers, in the order of ``Option``.
    """

    rule_id: str
    prio: int
    box: Box
    verdict: Severity
    relation: RuleRelation
    reason: str | None = None
    options: tuple[Option, ...] = ()
    mode: Mode | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A rule on the new fact alone; all that apply count."""

    rule_id: str
    sources: frozenset[str]
    confidences: frozenset[str]
    verdict: Severity
    reason: str
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The rules of one domain, in the order in which they are asked."""

    domain: str
    classes: tuple[str, ...]
    values: tuple[str, ...]
    rules: tuple[Rule, ...]
    _index: Mapping[tuple[str, str], tuple[tuple[int, Rule], ...]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        pairs = [(new, old) for new in self.classes for old in self.classes]
        object.__setattr__(self, "_index", {pair: self._covering(*pair) for pair in pairs})

    @property
    def universe(self) -> Box:
        """The box of every pair that this domain knows."""
        return tuple(mask_of(self, name, values_of(self, name)) for name in NAMES)

    def _covering(self, new: str, old: str) -> tuple[tuple[int, Rule], ...]:
        new_bit, old_bit = mask_of(self, "new", (new,)), mask_of(self, "old", (old,))
        return tuple(
            (_flat(rule.box), rule)
            for rule in self.rules
            if rule.box[0] & new_bit and rule.box[1] & old_bit
        )

    def decide(self, new: str, old: str, bits: int) -> Rule:
        """Return the rule for a pair: its classes, and one ``BIT`` of every feature, or-ed.

        Raises:
            KeyError: the classes are not of this table.
            LookupError: no rule covers the pair; a verified table has one for each.
        """
        for mask, rule in self._index[new, old]:
            if bits & mask == bits:
                return rule
        raise LookupError(f"{self.domain}: no rule covers {new} against {old}")


def values_of(table: Table, name: str) -> tuple[str, ...]:
    """Return the values a feature may take in a domain, in the order of their bits."""
    if name in {"new", "old"}:
        return table.classes
    return table.values if name == "value" else FEATURES[name]


def mask_of(table: Table, name: str, values: Sequence[str]) -> int:
    """Return the mask of some values of a feature, as boxes hold it."""
    known = table.classes if name in {"new", "old"} else FEATURES[name]
    return sum(1 << known.index(value) for value in set(values))


def _flat(box: Box) -> int:
    """Lay the masks of all features but the classes side by side, as ``BIT`` does."""
    flat, at = 0, 0
    for mask, values in zip(box[2:], FEATURES.values(), strict=True):
        flat |= mask << at
        at += len(values)
    return flat


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """All tables, the gates, who ranks where, and who may state a hard constraint."""

    tables: Mapping[str, Table]
    gates: tuple[Gate, ...]
    source_rank: Mapping[str, int]
    hard_sources: frozenset[str]
    hard_confidences: frozenset[str]

    def gates_for(self, source: str, confidence: str) -> list[Gate]:
        """Return the gates that a new fact meets, by its source and confidence band."""
        return [g for g in self.gates if source in g.sources and confidence in g.confidences]

    def may_be_hard(self, source: str, confidence: str) -> bool:
        """Tell whether a fact may be stored as a hard constraint."""
        return source in self.hard_sources and confidence in self.hard_confidences

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "Rules":
        """Read the tables of a rules file.

        Raises:
            PolicyError: the file is not a rule table; the message names the place and the fault.
        """
        if data.get("schema") != SCHEMA:
            raise PolicyError(f"the rules are not of schema {SCHEMA}")
        reader = _Reader(data.get("macros", {}))
        hard = reader.expanded(data.get("strength", {}), GATE_FEATURES, "strength")
        return cls(
            tables={
                name: reader.table(name, table) for name, table in data.get("domains", {}).items()
            },
            gates=tuple(reader.gate(gate) for gate in data.get("gates", [])),
            source_rank=_ranks(data.get("source_rank")),
            hard_sources=frozenset(hard.get("new_src", ())),
            hard_confidences=frozenset(hard.get("conf", ())),
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """What the linter judges by: one ontology, one rule table, and the name of both together.

    ``rules_version`` is a hash over both, so that a decision names exactly what made it.
    """

    ontology: Ontology
    rules: Rules
    rules_version: str

    @classmethod
    def from_data(cls, ontology: Mapping[str, Any], rules: Mapping[str, Any]) -> "Policy":
        """Read both files; ``core/verify`` proves the result.

        Raises:
            PolicyError: either is malformed, or a predicate's class has no table.
        """
        policy = cls(
            Ontology.from_data(ontology),
            Rules.from_data(rules),
            version_of(ontology, rules),
        )
        for predicate in policy.ontology.predicates.values():
            table = policy.rules.tables.get(predicate.domain)
            if table is None or predicate.rule_class not in table.classes:
                raise PolicyError(
                    f"{predicate.domain}.{predicate.name}: the rules know no class"
                    f" {predicate.rule_class} in {predicate.domain}"
                )
            if predicate.opposite and "NEGATES" not in table.values:
                raise PolicyError(f"{predicate.domain}: has opposites, so its values need NEGATES")
        return policy


def version_of(ontology: Mapping[str, Any], rules: Mapping[str, Any]) -> str:
    """Hash both files by content: comments, layout and the order of keys do not count."""
    canonical = json.dumps([ontology, rules], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads rows, with the file's macros at hand."""

    macros: Mapping[str, Sequence[str]]

    def expanded(
        self, when: Mapping[str, Any], allowed: Sequence[str], where: str
    ) -> dict[str, Sequence[str]]:
        """Spell every condition as a list of values that its feature knows."""
        if unknown := set(when) - set(allowed):
            raise PolicyError(f"{where}: there is no feature {', '.join(sorted(unknown))}")
        spelled: dict[str, Sequence[str]] = {}
        for name, said in when.items():
            values = self.macros.get(said) if isinstance(said, str) else said
            if not isinstance(values, list) or not values:
                raise PolicyError(f"{where}: {name} is a list of values or the name of a macro")
            if name in FEATURES and not set(values) <= set(FEATURES[name]):
                raise PolicyError(f"{where}: {name} is of {', '.join(FEATURES[name])}")
            spelled[name] = values
        return spelled

    def table(self, domain: str, data: Mapping[str, Any]) -> Table:
        """Read one domain."""
        classes, values = data.get("classes"), data.get("values", ["SAME", "DIFF"])
        if (
            not isinstance(classes, list)
            or not classes
            or not set(values) <= set(FEATURES["value"])
        ):
            raise PolicyError(f"{domain}: needs classes, and values of SAME, DIFF, NEGATES")
        empty = Table(domain=domain, classes=tuple(classes), values=tuple(values), rules=())
        rules = [self.rule(empty, row) for row in data.get("rules", [])]
        ids = [rule.rule_id for rule in rules]
        if len(set(ids)) < len(ids):
            raise PolicyError(f"{domain}: two rules have the same id")
        ordered = sorted(rules, key=lambda rule: (rule.prio, rule.rule_id))
        return Table(
            domain=domain, classes=empty.classes, values=empty.values, rules=tuple(ordered)
        )

    def rule(self, table: Table, row: Mapping[str, Any]) -> Rule:
        """Read one row of a domain."""
        where = f"{table.domain} {row.get('id')}"
        when = self.expanded(row.get("when", {}), NAMES, where)
        for name in when:
            if not set(when[name]) <= set(values_of(table, name)):
                raise PolicyError(f"{where}: {name} is of {', '.join(values_of(table, name))}")
        if not isinstance(row.get("prio"), int) or row["prio"] < 1:
            raise PolicyError(f"{where}: prio is a whole number from 1 (0 is the gates')")
        verdict = _one(row, "verdict", SEVERITIES, where)
        return Rule(
            rule_id=_one(row, "id", (str(row.get("id") or ""),), where),
            prio=row["prio"],
            box=tuple(mask_of(table, n, when.get(n, values_of(table, n))) for n in NAMES),
            verdict=verdict,
            relation=_one(row, "relation", get_args(RuleRelation), where),
            reason=row.get("reason"),
            options=_options(row, verdict, where),
            mode=_mode(row, verdict, where),
        )

    def gate(self, row: Mapping[str, Any]) -> Gate:
        """Read one gate."""
        where = f"gate {row.get('id')}"
        when = self.expanded(row.get("when", {}), GATE_FEATURES, where)
        verdict = _one(row, "verdict", ("CONFIRM", "BLOCK"), where)
        return Gate(
            rule_id=str(row.get("id") or ""),
            sources=frozenset(when.get("new_src", FEATURES["new_src"])),
            confidences=frozenset(when.get("conf", FEATURES["conf"])),
            verdict=verdict,
            reason=str(row.get("reason") or ""),
            options=_options(row, verdict, where),
        )


def _options(row: Mapping[str, Any], verdict: Severity, where: str) -> tuple[Option, ...]:
    options = row.get("options", [])
    if not isinstance(options, list) or not set(options) <= set(get_args(Option)):
        raise PolicyError(f"{where}: options are of {', '.join(get_args(Option))}")
    if (verdict == "CONFIRM") != bool(options) or (options and "cancel" not in options):
        raise PolicyError(f"{where}: a CONFIRM, and nothing else, has options, cancel among them")
    if verdict in {"CONFIRM", "BLOCK", "SUPERSEDE"} and not row.get("reason"):
        raise PolicyError(f"{where}: what asks, refuses or replaces gives a reason")
    return tuple(option for option in get_args(Option) if option in options)


def _mode(row: Mapping[str, Any], verdict: Severity, where: str) -> Mode | None:
    mode = row.get("mode")
    if mode not in {None, *get_args(Mode)} or (verdict == "SUPERSEDE" and mode is None):
        raise PolicyError(f"{where}: a SUPERSEDE has a mode, invalidate or truncate")
    return mode


def _one(row: Mapping[str, Any], key: str, allowed: Sequence[str], where: str) -> Any:
    if not row.get(key) or row[key] not in allowed:
        raise PolicyError(f"{where}: {key} is one of {', '.join(allowed)}")
    return row[key]


def _ranks(data: Any) -> Mapping[str, int]:
    known = isinstance(data, Mapping) and set(data) == set(FEATURES["new_src"])
    if not known or not all(isinstance(rank, int) for rank in data.values()):
        raise PolicyError("source_rank gives every source a whole number")
    return dict(data)
