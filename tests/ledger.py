"""The reference model of the store's guarantee: what a careful clerk with a ledger would keep.

It knows four rules (a meeting over a meeting asks, a meeting over a vacation asks, a vacation
retires meetings, the same again is no change), keeps every revision it was shown, and says of
each request what has to come of it. It shares no code with the service but its values.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from moss_memory.core.fact import Memory, Pair, pair
from moss_memory.core.interval import Interval

TICK = timedelta(microseconds=1)


@dataclass(frozen=True)
class Said:
    """A fact as somebody says it: a note is in nobody's way."""

    kind: str
    title: str
    window: Interval
    observed: datetime
    expires: datetime | None = None


@dataclass
class Question:
    """An open question: what it would write, and which revisions were shown."""

    pending_id: str
    owner: str
    said: list[Said]
    shown: set[tuple[str, int]]
    actions: list[str]
    expires: datetime
    target: tuple[str, int] | None = None


@dataclass
class Expected:
    """What has to come of a request: its status, what is asked, what gives way, what is the same.

    ``fresh`` are the numbers of the facts that are not known already.
    """

    status: str = "SUCCESS"
    asked: dict[str, Memory] = field(default_factory=dict)
    replaceable: set[str] = field(default_factory=set)
    gives_way: dict[str, Memory] = field(default_factory=dict)
    fresh: list[int] = field(default_factory=list)

    @property
    def actions(self) -> list[str]:
        return (["replace_old"] if self.replaceable else []) + ["keep_both", "cancel"]


@dataclass
class Ledger:
    """Every revision shown, the waivers given, and per owner the last epoch and instant."""

    written: list[Memory] = field(default_factory=list)
    waived: set[Pair] = field(default_factory=set)
    epochs: dict[str, int] = field(default_factory=dict)
    instants: dict[str, datetime] = field(default_factory=dict)

    def commit(self, owner: str, clock: datetime) -> None:
        """Count a commit of an owner's space: epochs have no gap, instants only go on."""
        self.epochs[owner] = self.epochs.get(owner, 0) + 1
        self.instants[owner] = self.instant(owner, clock)

    def instant(self, owner: str, clock: datetime) -> datetime:
        last = self.instants.get(owner)
        return clock if last is None else max(clock, last + TICK)

    def newest(self, owner: str, epoch: int | None = None) -> list[Memory]:
        known = {
            each.memory_id: each
            for each in self.written
            if each.owner == owner and (epoch is None or each.epoch <= epoch)
        }
        return sorted(known.values(), key=lambda m: (m.recorded_at, m.memory_id), reverse=True)

    def living(self, owner: str, at: datetime) -> list[Memory]:
        return [m for m in self.newest(owner) if m.active and not expired(m, at)]

    def judge(
        self, owner: str, said: list[Said], at: datetime, target: Memory | None = None
    ) -> Expected:
        """Say what has to come of facts said at once; of several, only one is no note."""
        expected = Expected()
        for number, one in enumerate(said):
            alone = self._alone(owner, one, at, target)
            if alone.status == "NO_CHANGE":  # known already: nothing else is asked about it
                continue
            expected.fresh.append(number)
            expected.asked |= alone.asked
            expected.replaceable |= alone.replaceable
            expected.gives_way |= alone.gives_way
        if not expected.fresh:
            expected.status = "NO_CHANGE"
        elif expected.asked:
            expected.status = "CONFIRM_REQUIRED"
        elif expected.gives_way:
            expected.status = "SUCCESS_WITH_OVERWRITE"
        return expected

    def _alone(self, owner: str, one: Said, at: datetime, target: Memory | None) -> Expected:
        expected = Expected()
        for old in self.living(owner, at):
            apart = one.window.end <= old.valid_from or old.valid_until <= one.window.start
            if not apart and (target is None or old.memory_id != target.memory_id):
                self._pair(one, old, target, expected)
        return expected

    def _pair(self, one: Said, old: Memory, target: Memory | None, expected: Expected) -> None:
        kinds = (one.kind, old.fact.predicate)
        same = (old.valid_from, old.valid_until) == (one.window.start, one.window.end)
        if kinds[0] == kinds[1] and same and one.title == old.fact.object_value:
            expected.status = "NO_CHANGE"
        elif (
            "note" in kinds or kinds == ("vacation", "vacation") or self._allowed(one, old, target)
        ):
            return
        elif kinds == ("vacation", "meeting") and one.observed >= old.fact.observed_at:
            expected.gives_way[old.memory_id] = old
        else:
            expected.asked[old.memory_id] = old
            expected.replaceable |= {old.memory_id} if kinds[1] == "meeting" else set()

    def _allowed(self, one: Said, old: Memory, target: Memory | None) -> bool:
        """Tell whether a memory that keeps its time is allowed beside another."""
        if target is None or not stays(one, target):
            return False
        return pair(target, old) in self.waived

    def carry(self, target: Memory, now: Memory) -> None:
        """Let a revision that keeps its time keep the waivers of the one before."""
        for a, ra, b, rb in list(self.waived):
            for mine, other in (((a, ra), (b, rb)), ((b, rb), (a, ra))):
                if mine == (target.memory_id, target.revision):
                    first, second = sorted([(now.memory_id, now.revision), other])
                    self.waived.add((*first, *second))

    def unasked(self, owner: str, at: datetime) -> list[Any]:
        """Return pairs that exclude each other and that nobody allowed; there must be none."""
        living = [m for m in self.living(owner, at) if m.fact.predicate != "note"]
        return [
            (a.memory_id, b.memory_id)
            for number, a in enumerate(living)
            for b in living[:number]
            if a.valid_from < b.valid_until
            and b.valid_from < a.valid_until
            and "meeting" in {a.fact.predicate, b.fact.predicate}
            and pair(a, b) not in self.waived
        ]


def expired(memory: Memory, at: datetime) -> bool:
    return memory.fact.expires_at is not None and memory.fact.expires_at <= at


def stays(one: Said, target: Memory) -> bool:
    return target.windows == (one.window,)
