"""One new fact against one old: what is true of the pair, and the rule that decides it.

A series is judged at each way its occurrences meet the other's, and the severest counts.
Buffers widen the windows that are compared, never those that are stored.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Final

from moss_memory.core.fact import Fact
from moss_memory.core.interval import FOREVER, Interval, Relation, relate
from moss_memory.core.ontology import Predicate
from moss_memory.core.rules import BIT, SEVERITIES, Rule, Rules

HIGH: Final = 0.9
MID: Final = 0.6
AS_OBSERVED: Final = timedelta(minutes=1)  # "now" and the observation are two readings of a clock

_TIME_OF: Final[dict[Relation, str]] = {
    "before": "DISJOINT", "meets": "DISJOINT", "met-by": "DISJOINT", "after": "DISJOINT",
    "equals": "EQ", "starts": "INSIDE", "during": "INSIDE", "finishes": "INSIDE",
    "started-by": "CONTAINS", "contains": "CONTAINS", "finished-by": "CONTAINS",
    "overlaps": "PARTIAL", "overlapped-by": "PARTIAL",
}  # fmt: skip


@dataclass(slots=True)
class Side:
    """A fact made ready to be compared; ``spans`` are its windows, widened by its buffers."""

    fact: Fact
    predicate: Predicate
    windows: Sequence[Interval]
    spans: Sequence[Interval]
    value: str
    busy: bool

    @classmethod
    def of(cls, fact: Fact, predicate: Predicate, windows: Sequence[Interval]) -> "Side":
        """Prepare a fact, whose value its predicate has accepted."""
        return cls(
            fact=fact,
            predicate=predicate,
            windows=windows,
            spans=widened(windows, fact.buffer_before, fact.buffer_after),
            value=predicate.value.match(fact.object_value),
            busy=fact.transparency == "busy" and fact.status != "cancelled",
        )


@dataclass(frozen=True, slots=True)
class Encounter:
    """How a new fact meets an old one: the deciding rule, and the occurrence that it decides at."""

    rule: Rule
    relation: Relation
    occurrence: Interval


def band(confidence: float) -> str:
    """Return the confidence band that rules speak of."""
    return "high" if confidence >= HIGH else "mid" if confidence >= MID else "low"


def widened(windows: Sequence[Interval], before: int, after: int) -> Sequence[Interval]:
    """Return the windows with ``before`` and ``after`` minutes around them."""
    if not before and not after:
        return windows
    earlier, later = timedelta(minutes=before), timedelta(minutes=after)
    return [
        Interval(w.start - earlier, w.end if w.end == FOREVER else w.end + later) for w in windows
    ]


def judge(
    new: Side, old: Side, rules: Rules, *, writable: bool, equal_is_newer: bool
) -> Encounter | None:
    """Return the deciding rule of a pair, None where the two share no instant.

    ``equal_is_newer``: of equal observations the later recorded one is newer, and ``new`` is.
    """
    meetings = _meetings(new, old)
    if not meetings:
        return None
    bits = _features(new, old, rules, writable=writable, equal_is_newer=equal_is_newer)
    table = rules.tables[new.predicate.domain]
    a, b = new.predicate.rule_class, old.predicate.rule_class
    found = [
        Encounter(table.decide(a, b, bits | _TIME[time]), relation, occurrence)
        for time, (relation, occurrence) in meetings.items()
    ]
    return found[0] if len(found) == 1 else min(found, key=_rank)


def _rank(encounter: Encounter) -> tuple[int, int, str, Interval]:
    rule = encounter.rule
    return -SEVERITIES.index(rule.verdict), rule.prio, rule.rule_id, encounter.occurrence


def _features(new: Side, old: Side, rules: Rules, *, writable: bool, equal_is_newer: bool) -> int:
    """Return the bit of every feature but ``time``, or-ed: what is true of the pair."""
    a, b = new.fact, old.fact
    ahead = rules.source_rank[a.source] - rules.source_rank[b.source]
    return (
        _VALUE[_value(new, old)]
        | _SOURCE[a.source]
        | _RANK["HIGHER" if ahead > 0 else "LOWER" if ahead else "EQUAL"]
        | _BAND[band(a.confidence)]
        | _OBSERVED[_observed(a.observed_at, b.observed_at, equal_is_newer=equal_is_newer)]
        | _BUSY[new.busy + old.busy]
        | _WRITABLE[writable]
        | _HARD[b.hard]
        | _CARD[new.predicate.card]
    )


_TIME, _VALUE, _SOURCE = BIT["time"], BIT["value"], BIT["new_src"]
_RANK, _BAND, _OBSERVED = BIT["src"], BIT["conf"], BIT["obs"]
_BUSY: Final = (BIT["busy"]["NEITHER"], BIT["busy"]["ONE"], BIT["busy"]["BOTH"])
_WRITABLE: Final = {True: BIT["writable"]["yes"], False: BIT["writable"]["no"]}
_HARD: Final = {True: BIT["hard"]["yes"], False: BIT["hard"]["no"]}
_CARD: Final = BIT["card"]


def _value(new: Side, old: Side) -> str:
    if new.value != old.value:
        return "DIFF"
    return "NEGATES" if new.predicate.opposite == old.predicate.name else "SAME"


def _observed(new: datetime, old: datetime, *, equal_is_newer: bool) -> str:
    if new == old:
        return "NEWER" if equal_is_newer else "SAME"
    return "NEWER" if new > old else "OLDER"


def _meetings(new: Side, old: Side) -> dict[str, tuple[Relation, Interval]]:
    """Map each way the two overlap to the first occurrence of ``new`` where they do so."""
    if len(new.spans) == len(old.spans) == 1:
        relation = relate(new.spans[0], old.spans[0])
        time = "EQ" if relation == "finishes" and _is_report(new) else _TIME_OF[relation]
        return {} if time == "DISJOINT" else {time: (relation, new.windows[0])}
    found: dict[str, tuple[Relation, Interval]] = {}
    covered = set()
    for index, relation in _overlaps(new.spans, old.spans):
        found.setdefault(_TIME_OF[relation], (relation, new.windows[index]))
        if _TIME_OF[relation] in {"EQ", "INSIDE"}:
            covered.add(index)
    if _are_one_series(new, old):
        return {"EQ": found["EQ"]} if "EQ" in found else found
    return _weakened(found, whole=len(covered) == len(new.spans))


def _is_report(new: Side) -> bool:
    """Tell whether a fact says how things stand as it is observed, from then on without an end.

    "The light is on", said again later, is no new window inside the old one: what is still so
    is the same. Only single values that end with the next are stated in this way.
    """
    span, observed = new.spans[0], new.fact.observed_at
    if not new.predicate.ends_with_next or span.end != FOREVER:
        return False
    return abs(span.start - observed) <= AS_OBSERVED


def _weakened(
    found: dict[str, tuple[Relation, Interval]], *, whole: bool
) -> dict[str, tuple[Relation, Interval]]:
    """Let a series be equal to, or inside, another only as a whole.

    Where all of its occurrences lie inside, one that equals is inside; where some do not, a
    partial overlap is the most that can be said, or a duplicate of one day would end the matter.
    """
    weaker: dict[str, tuple[Relation, Interval]] = {}
    for time, met in found.items():
        said = time if time not in {"EQ", "INSIDE"} else "INSIDE" if whole else "PARTIAL"
        if said not in weaker or met[1] < weaker[said][1]:
            weaker[said] = met
    return weaker


def _are_one_series(new: Side, old: Side) -> bool:
    """Tell whether two series are the same, whatever part of them was placed or loaded."""
    if list(new.spans) == list(old.spans):
        return True
    said = new.fact.when
    return said is not None and said.series is not None and said == old.fact.when


def _overlaps(new: Sequence[Interval], old: Sequence[Interval]) -> Iterator[tuple[int, Relation]]:
    """Yield the index of each new span with its relation to each old span it overlaps.

    Spans are in order of their starts. Those of one series may overlap each other, so the
    search begins at the first old span up to which any one still reaches the new.
    """
    starts = [span.start for span in old]
    reached = list(accumulate((span.end for span in old), max))
    for index, span in enumerate(new):
        first = bisect_right(reached, span.start)
        for other in old[first : bisect_left(starts, span.end)]:
            if other.end > span.start:
                yield index, relate(span, other)
