"""Proof of a rule table, exactly and over the whole feature space, by box algebra.

The table is cut into disjoint boxes, each with the rule that decides it; every promise is then
a question about boxes, and a broken one comes with a point where it breaks, in words.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, islice, pairwise
from typing import Final

from moss_memory.core.boxes import Box, meet, without
from moss_memory.core.errors import PolicyError
from moss_memory.core.rules import (
    FEATURES,
    NAMES,
    SEVERITIES,
    Policy,
    Rule,
    Rules,
    Table,
    mask_of,
    values_of,
)


@dataclass(frozen=True, slots=True)
class Flaw:
    """A promise that a table breaks: which rules, which promise, and where, in words."""

    domain: str
    rule_ids: tuple[str, ...]
    promise: str
    example: str

    def __str__(self) -> str:
        """Say it in one paragraph."""
        rules = ", ".join(self.rule_ids) or "no rule"
        return f"{self.domain}: {self.promise}\n  by {rules}: {self.example}"


@dataclass(frozen=True, slots=True)
class Piece:
    """Points that one rule decides."""

    box: Box
    rule: Rule

    @property
    def severity(self) -> int:
        """Where its verdict stands in the order of severity."""
        return SEVERITIES.index(self.rule.verdict)


def prove(policy: Policy) -> None:
    """Refuse a policy that breaks a promise.

    Raises:
        PolicyError: the message names every promise that is broken, with an example each.
    """
    if flaws := check(policy.rules):
        raise PolicyError("\n".join(str(flaw) for flaw in flaws))


def check(rules: Rules) -> list[Flaw]:
    """Return every promise that the tables break, empty for a sound policy."""
    flaws = [flaw for table in rules.tables.values() for flaw in _check_table(table, rules)]
    return flaws + list(_gates(rules))


def promises(rules: Rules) -> int:
    """Count what ``check`` asks: of every table, and of the gates."""
    return len(rules.tables) * (3 + len(_PROMISES) + len(_steps(rules))) + 1


def pieces(table: Table) -> list[Piece]:
    """Cut a domain's pairs into disjoint boxes, each with the one rule that decides it."""
    return [
        Piece(box, rule)
        for number, rule in enumerate(table.rules)
        for box in without(rule.box, [earlier.box for earlier in table.rules[:number]])
    ]


def _check_table(table: Table, rules: Rules) -> Iterator[Flaw]:
    yield from _total(table)
    yield from _disjoint(table)
    cut = pieces(table)
    yield from _reachable(table, cut)
    for promise in _PROMISES:
        found = ((p.rule, where) for p in cut if (where := promise.broken_at(table, p)))
        for rule, where in islice(found, 1):
            yield Flaw(table.domain, (rule.rule_id,), promise.says, _words(table, where, rule))
    yield from _monotone(table, cut, rules)


def _total(table: Table) -> Iterator[Flaw]:
    gaps = without(table.universe, [rule.box for rule in table.rules])
    if gaps:
        promise = "every pair of facts is decided by a rule"
        yield Flaw(table.domain, (), promise, _words(table, gaps[0], None))


def _disjoint(table: Table) -> Iterator[Flaw]:
    promise = "rules of equal prio never cover the same pair"
    for a, b in combinations(table.rules, 2):
        both = meet(a.box, b.box) if a.prio == b.prio else None
        if both:
            example = _words(table, both, a) + f", or {b.verdict} by {b.rule_id}"
            yield Flaw(table.domain, (a.rule_id, b.rule_id), promise, example)


def _reachable(table: Table, cut: list[Piece]) -> Iterator[Flaw]:
    reached = {piece.rule.rule_id for piece in cut}
    for rule in table.rules:
        if rule.rule_id not in reached:
            before = [
                r.rule_id for r in table.rules if r.prio < rule.prio and meet(r.box, rule.box)
            ]
            example = f"all of it is decided before, by {', '.join(before)}"
            yield Flaw(table.domain, (rule.rule_id,), "every rule decides something", example)


@dataclass(frozen=True, slots=True)
class Promise:
    """Verdicts that are never given somewhere, in words and as blank-separated values.

    A promise about classes that a domain does not have is kept by it.
    """

    says: str
    never: str
    where: Mapping[str, str]

    def broken_at(self, table: Table, piece: Piece) -> Box | None:
        """Return where a piece of the table breaks the promise, None where it keeps it."""
        if piece.rule.verdict not in self.never.split():
            return None
        box = []
        for name in NAMES:
            known = values_of(table, name)
            wanted = self.where[name].split() if name in self.where else known
            box.append(mask_of(table, name, [value for value in wanted if value in known]))
        return meet(piece.box, tuple(box))


_OVERLAP: Final = "EQ INSIDE CONTAINS PARTIAL"
_MACHINE: Final = "task_result vision model_inferred"
_NEGATIVE: Final = {"new": "prefers", "old": "dislikes", "time": _OVERLAP, "value": "SAME NEGATES"}
_SAFE: Final = {"time": _OVERLAP, "value": "DIFF"}

_PROMISES: Final = (
    Promise(
        "disjoint times never need more than ALLOW", "SUPERSEDE CONFIRM BLOCK", {"time": "DISJOINT"}
    ),
    Promise("apart in time, nothing is the same", "NO_CHANGE", {"time": "DISJOINT"}),
    Promise(
        "nothing supersedes a memory that the caller may not write", "SUPERSEDE", {"writable": "no"}
    ),
    Promise("nothing supersedes a hard constraint", "SUPERSEDE", {"hard": "yes"}),
    Promise("an inference of a model never supersedes", "SUPERSEDE", {"new_src": "model_inferred"}),
    Promise(
        "only an equal value is the same, except for a vacation",
        "NO_CHANGE",
        {
            "value": "DIFF NEGATES",
            "new": "meeting note state safety_state observation"
            " prefers dislikes accepted_choice task_summary service_context item",
        },
    ),
    Promise(
        "a meeting over a vacation asks",
        "NO_CHANGE ALLOW SUPERSEDE BLOCK",
        {"new": "meeting", "old": "vacation", "time": _OVERLAP, "busy": "BOTH"},
    ),
    Promise(
        "a meeting over another meeting asks",
        "ALLOW SUPERSEDE BLOCK",
        {"new": "meeting", "old": "meeting", "time": _OVERLAP, "busy": "BOTH"},
    ),
    Promise(
        "a meeting over a meeting at another time asks",
        "NO_CHANGE",
        {"new": "meeting", "old": "meeting", "time": "INSIDE CONTAINS PARTIAL"},
    ),
    Promise(
        "an explicit, sure, not older vacation retires an overlapping writable soft meeting",
        "NO_CHANGE ALLOW CONFIRM BLOCK",
        {
            "new": "vacation",
            "old": "meeting",
            "time": _OVERLAP,
            "busy": "BOTH",
            "new_src": "user_explicit",
            "conf": "high mid",
            "obs": "NEWER SAME",
            "writable": "yes",
            "hard": "no",
        },
    ),
    Promise(
        "a vacation never supersedes a vacation",
        "SUPERSEDE",
        {"new": "vacation", "old": "vacation"},
    ),
    Promise("a negative preference never silently becomes positive", "NO_CHANGE ALLOW", _NEGATIVE),
    Promise(
        "a negative preference becomes positive unasked by the user's explicit words only",
        "SUPERSEDE",
        _NEGATIVE | {"new_src": f"user_selection user_feedback {_MACHINE}"},
    ),
    Promise(
        "a negative preference becomes positive unasked by sure words only",
        "SUPERSEDE",
        _NEGATIVE | {"conf": "mid low"},
    ),
    Promise(
        "a negative preference becomes positive unasked by newer words only",
        "SUPERSEDE",
        _NEGATIVE | {"obs": "SAME OLDER"},
    ),
    Promise(
        "a machine never turns a negative preference positive",
        "NO_CHANGE ALLOW SUPERSEDE CONFIRM",
        _NEGATIVE | {"new_src": _MACHINE},
    ),
    Promise(
        "an older observation never replaces a newer single preference",
        "NO_CHANGE ALLOW SUPERSEDE",
        {
            "new": "prefers",
            "old": "prefers",
            "time": _OVERLAP,
            "value": "DIFF",
            "obs": "OLDER",
            "card": "single",
        },
    ),
    Promise(
        "a changed value of a safety device always asks",
        "NO_CHANGE ALLOW SUPERSEDE BLOCK",
        _SAFE | {"new": "safety_state", "old": "state safety_state"},
    ),
    Promise(
        "a changed value against a safety device always asks",
        "NO_CHANGE ALLOW SUPERSEDE BLOCK",
        _SAFE | {"new": "state", "old": "safety_state"},
    ),
)

_ORDERED: Final = ("conf", "src", "obs", "writable", "hard")


def _monotone(table: Table, cut: list[Piece], rules: Rules) -> Iterator[Flaw]:
    """Severity never falls when a fact becomes more doubtful in one feature, all else equal."""
    for name, better, worse in _steps(rules):
        for a, b in _falls(table, cut, name, (better, worse)):
            promise = f"severity never falls when {name} goes from {better} to {worse}"
            where = _swapped(table, a, name, better)
            both = meet(where, _swapped(table, b, name, better)) if where else None
            example = _words(table, both or a.box, a.rule) + (
                f", but only {b.rule.verdict} by {b.rule.rule_id} with {name} {worse}"
            )
            yield Flaw(table.domain, (a.rule.rule_id, b.rule.rule_id), promise, example)
            break


def _steps(rules: Rules) -> list[tuple[str, str, str]]:
    """List the steps for the worse: a feature, its better and its worse value."""
    rank = rules.source_rank
    ordered = [(name, a, b) for name in _ORDERED for a, b in pairwise(FEATURES[name])]
    return ordered + [("new_src", a, b) for a in rank for b in rank if rank[a] > rank[b]]


def _falls(
    table: Table, cut: list[Piece], name: str, step: tuple[str, str]
) -> Iterator[tuple[Piece, Piece]]:
    feature = NAMES.index(name)
    better, worse = (mask_of(table, name, (value,)) for value in step)
    above = [p for p in cut if p.box[feature] & better]
    below = [p for p in cut if p.box[feature] & worse]
    for a in above:
        for b in below:
            if a.severity > b.severity and _meet_but(a.box, b.box, feature):
                yield a, b


def _meet_but(a: Box, b: Box, feature: int) -> bool:
    return all(x & y for i, (x, y) in enumerate(zip(a, b, strict=True)) if i != feature)


def _swapped(table: Table, piece: Piece, name: str, value: str) -> Box:
    feature = NAMES.index(name)
    mask = mask_of(table, name, (value,))
    return (*piece.box[:feature], mask, *piece.box[feature + 1 :])


def _gates(rules: Rules) -> Iterator[Flaw]:
    """Gates, too, never grow milder when confidence falls or the source weakens."""
    rank = rules.source_rank
    points = [(s, c) for s in FEATURES["new_src"] for c in FEATURES["conf"]]
    for source, confidence in points:
        for other, lower in points:
            worse = rank[other] <= rank[source] and _below(lower, confidence)
            if worse and (other == source or rank[other] < rank[source]):
                here, there = rules.gates_for(source, confidence), rules.gates_for(other, lower)
                if _severest(here) > _severest(there):
                    ids = tuple(gate.rule_id for gate in here)
                    example = f"{source}, {confidence} is stopped, {other}, {lower} is not"
                    yield Flaw("gates", ids, "a gate never spares the more doubtful", example)
                    return


def _below(lower: str, upper: str) -> bool:
    return FEATURES["conf"].index(lower) >= FEATURES["conf"].index(upper)


def _severest(gates: list) -> int:  # type: ignore[type-arg]
    return max((SEVERITIES.index(gate.verdict) for gate in gates), default=0)


def _words(table: Table, box: Box, rule: Rule | None) -> str:
    """Say the first point of a box, and what is decided there."""
    at = {}
    for name, mask in zip(NAMES, box, strict=True):
        known = table.classes if name in {"new", "old"} else FEATURES[name]
        at[name] = known[(mask & -mask).bit_length() - 1]
    times = {
        "DISJOINT": "apart from", "EQ": "at exactly the time of", "INSIDE": "within the time of",
        "CONTAINS": "around the time of", "PARTIAL": "partly over",
    }  # fmt: skip
    values = {"SAME": "the same value", "DIFF": "another value", "NEGATES": "the contrary"}
    outcome = f"{rule.verdict} by {rule.rule_id}" if rule else "no rule at all"
    return (
        f"a new {at['new']} {times[at['time']]} an old {at['old']}, with {values[at['value']]},"
        f" from {at['new_src']} (rank {at['src'].lower()}), {at['conf']} confidence,"
        f" observed {at['obs'].lower()}, busy {at['busy'].lower()},"
        f" writable {at['writable']}, hard {at['hard']}, {at['card']}: {outcome}"
    )
