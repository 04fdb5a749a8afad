"""The whole write side against a ledger: any sequence of requests, faults and clocks.

Two people propose, confirm, change, retire and restore meetings, vacations and notes on both
databases, with the clock stepping back, questions lost, answers repeated, and requests that die
between any two steps and come again. What comes of each request, every list and every view of an
earlier epoch has to be what the ledger says.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select

from ledger import Expected, Ledger, Question, Said, expired, stays
from moss_memory.adapters.local_desk import LocalDesk
from moss_memory.adapters.sql_audit import audit
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_tables import memory_head, occurrence
from moss_memory.core.access import Caller
from moss_memory.core.errors import (
    ActionNotOfferedError,
    AlreadySettledError,
    NotAdmittedError,
    NotFoundError,
    PendingGoneError,
    StaleRevisionError,
    TooManyPendingsError,
    VerdictChangedError,
)
from moss_memory.core.fact import Memory
from moss_memory.core.interval import Interval
from moss_memory.core.rules import Policy
from moss_memory.core.when import Instant
from moss_memory.flow import reading, record, retiring, settle
from moss_memory.flow.ports import Defaults, House, IdempotencyKey, Query
from moss_memory.flow.requests import (
    Answer,
    Circumstances,
    FactIn,
    ListRequest,
    ProposeRequest,
    ReviseRequest,
    RevisionCheck,
)

START = datetime(2026, 7, 17, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
LIFE = timedelta(minutes=30)
CAP = 4  # open questions of a person
PEOPLE = ("ann", "bob")
STEPS = ("begin", "claimed", "loaded", "decided", "committed")
TENANTS = count()

windows = st.builds(
    lambda start, hours: Interval(START + start * HOUR, START + (start + hours) * HOUR),
    st.integers(0, 2),
    st.integers(1, 2),
)
people = st.sampled_from(["ann", "ann", "ann", "bob"])
titles = st.sampled_from(["A", "B"])
picks = st.integers(0, 10_000)
expiries = st.sampled_from([None, None, None, 20, 70])
actions = st.sampled_from(["keep_both", "keep_both", "replace_old", "cancel"])


class Crash(Exception):  # noqa: N818 - it stands for the end of a process
    """The process dies here."""


class Death:
    """Where the next request dies; None lets it live."""

    def __init__(self) -> None:
        self.at: str | None = None

    def __call__(self, step: str) -> None:
        if step == self.at:
            self.at = None
            raise Crash


class Store:
    """A database that all examples share, each in a tenant of its own."""

    def __init__(self, url: str, policy: Policy) -> None:
        self.now = START
        self.death = Death()
        self.policy = policy
        self.memory = SqlMemory(
            url, ontology=policy.ontology, clock=lambda: self.now, passing=self.death
        )

    def house(self, **defaults: Any) -> House:
        numbers = count(1)
        return House(
            memory=self.memory,
            desk=LocalDesk(),
            parser=None,  # type: ignore[arg-type]  # nothing is said here
            writer=None,
            policy=self.policy,
            clock=lambda: self.now,
            ids=lambda: f"00000000-0000-7000-8000-{next(numbers):012d}",
            secret=lambda: f"secret-{next(numbers)}",
            defaults=Defaults(pending_cap=CAP, **defaults),
        )


class Guarantee(RuleBasedStateMachine):
    """Sends requests to the flows and tells the ledger what came of them."""

    store: ClassVar[Store]
    defaults: ClassVar[dict[str, Any]] = {}

    def __init__(self) -> None:
        super().__init__()
        self.store.now = START
        self.tenant = f"t{next(TENANTS)}"
        self.house = self.store.house(**self.defaults)
        self.ledger = Ledger()
        self.open: dict[str, Question] = {}
        self.settled: dict[str, tuple[str, str, Any]] = {}  # owner, action, answer or successor
        self.lost: list[Question] = []
        self.remembered: list[tuple[str, int, list[Memory]]] = []
        self.backwards = 0
        self.requests = count(1)

    # ---- small things

    @property
    def now(self) -> datetime:
        return self.store.now

    def caller(self, who: str) -> Caller:
        return Caller(tenant_id=self.tenant, principal_id=who)

    def around(self, *, keyed: bool = False) -> Circumstances:
        name = f"r{next(self.requests)}"
        return Circumstances(request_id=name, key=IdempotencyKey("r", name, "h") if keyed else None)

    def instant(self, owner: str) -> datetime:
        return self.ledger.instant(owner, self.now)

    def stated(self, one: Said) -> FactIn:
        return FactIn(
            domain="Schedule",
            subject="Calendar",
            predicate=one.kind,
            object_value=one.title,
            when=Instant(one.window.start, one.window.end),
            expires_at=one.expires,
        )

    def said(self, kind: str, title: str, window: Interval, expiry: int | None = None) -> Said:
        words = "Vacation" if kind == "vacation" else title
        expires = None if expiry is None else START + expiry * MINUTE
        if expires is not None and expires <= max(self.instant(who) for who in PEOPLE):
            expires = None
        return Said(kind, words, window, self.now, expires)

    def mine(self, owner: str, *, active: bool) -> list[Memory]:
        """Return memories that may be changed without a doubt whether they have expired."""
        return [
            m for m in self.ledger.newest(owner)
            if (m.active or not active)
            and not expired(m, self.instant(owner)) and not expired(m, self.now)
            and (active or m.fact.expires_at is None)
        ]  # fmt: skip

    def all_of(self, owner: str) -> list[Memory]:
        asked = ListRequest(status="all", limit=100)
        return list(reading.listing(self.house, self.caller(owner), asked).items)

    # ---- what came of a request

    def take(self, owner: str, answer: Answer, expected: Expected) -> None:
        """Enter what was written, and look that it is what had to be."""
        at = self.instant(owner)
        self.ledger.commit(owner, self.now)
        assert {m.memory_id for m in answer.superseded} == set(expected.gives_way)
        for memory in (*answer.facts, *answer.superseded):
            if memory.epoch == self.ledger.epochs[owner]:  # a fact that was known keeps its own
                assert (memory.owner, memory.recorded_at) == (owner, at)
                self.ledger.written.append(memory)
        assert all(m.active for m in answer.facts)
        assert not any(m.active for m in answer.superseded)
        self.decided(answer)

    def decided(self, answer: Answer) -> None:
        """Look the decision up that every revision of an answer names."""
        assert answer.decision_id is not None
        decision = self.house.memory.decision(self.tenant, decision_id=answer.decision_id)
        assert decision is not None
        changed = {(m.memory_id, m.revision) for m in (*answer.facts, *answer.superseded)
                   if m.provenance.decision_id == answer.decision_id}  # fmt: skip
        assert changed <= set(decision.memories)
        assert decision.rules_version == self.house.policy.rules_version
        assert {f.rule_id for f in answer.verdict.findings} <= set(decision.rule_ids)

    def held(self, owner: str, answer: Answer, said: list[Said], expected: Expected,
             target: Memory | None = None) -> None:  # fmt: skip
        assert answer.pending is not None
        shown = {(m.memory_id, m.revision) for m in expected.asked.values()}
        assert {(f.memory_id, f.revision) for f in answer.verdict.findings
                if f.verdict == "CONFIRM_REQUIRED"} == shown  # fmt: skip
        assert [each.action for each in answer.actions] == expected.actions
        pending_id = answer.pending.pending_id
        if pending_id in self.open:  # the same question is asked once
            assert self.open[pending_id].shown == shown
            return
        self.ledger.commit(owner, self.now)
        named = (target.memory_id, target.revision) if target else None
        self.open[pending_id] = Question(
            pending_id, owner, said, shown, expected.actions, self.now + LIFE, named
        )

    def full(self, owner: str) -> bool:
        return sum(q.owner == owner and q.expires > self.now for q in self.open.values()) >= CAP

    def concluded(self, owner: str, send: Callable[[], Answer], said: list[Said],
                  expected: Expected, target: Memory | None = None) -> None:  # fmt: skip
        """Send a request, and enter what came of it as the ledger expects it."""
        if expected.status == "NO_CHANGE" and target is not None:
            with pytest.raises(NotAdmittedError):
                send()
            return
        if expected.status == "CONFIRM_REQUIRED" and self.full(owner):
            with suppress(TooManyPendingsError):  # unless the very question is open already
                self.held(owner, send(), said, expected, target)
            return
        answer = send()
        assert answer.status == expected.status
        if expected.status == "CONFIRM_REQUIRED":
            self.held(owner, answer, said, expected, target)
        elif expected.status != "NO_CHANGE":
            self.take(owner, answer, expected)
            if target is not None and stays(said[0], target):
                self.ledger.carry(target, answer.facts[0])

    # ---- requests

    @rule(who=people, title=titles, window=windows, expiry=expiries,
          kind=st.sampled_from(["meeting", "meeting", "vacation", "note"]))  # fmt: skip
    def propose(
        self, who: str, kind: str, title: str, window: Interval, expiry: int | None
    ) -> None:
        self.send_new(who, [self.said(kind, title, window, expiry)])

    @precondition(lambda self: any(self.mine(who, active=True) for who in PEOPLE))
    @rule(who=people, title=st.sampled_from(["C", "D", "E"]), number=picks)
    def propose_over_another(self, who: str, title: str, number: int) -> None:
        mine = self.mine(who, active=True)
        if mine:
            old = mine[number % len(mine)]
            window = Interval(old.valid_from, old.valid_until)
            self.send_new(who, [self.said("meeting", title, window)])

    @rule(who=people, title=titles, window=windows, number=picks)
    def propose_two(self, who: str, title: str, window: Interval, number: int) -> None:
        note = self.said("note", f"note {number}", window)
        self.send_new(who, [note, self.said("meeting", title, window)])

    def send_new(self, who: str, said: list[Said]) -> None:
        request = ProposeRequest(facts=tuple(map(self.stated, said)))
        expected = self.ledger.judge(who, said, self.instant(who))
        around = self.around()
        self.concluded(
            who, lambda: record.propose(self.house, self.caller(who), request, around),
            said, expected,
        )  # fmt: skip

    @rule(who=people, title=titles, window=windows, step=st.sampled_from(STEPS))
    def die_and_come_again(self, who: str, title: str, window: Interval, step: str) -> None:
        said = [self.said("meeting", title, window)]
        request = ProposeRequest(facts=(self.stated(said[0]),))
        expected = self.ledger.judge(who, said, self.instant(who))
        around = self.around(keyed=True)
        before = self.all_of(who)

        def send() -> Answer:
            return record.propose(self.house, self.caller(who), request, around)

        if expected.status not in {"SUCCESS", "SUCCESS_WITH_OVERWRITE"}:
            return
        self.store.death.at = step
        with pytest.raises(Crash):
            send()
        if step != "committed":
            assert self.all_of(who) == before
        answer = send()
        assert answer.replayed == (step == "committed")
        self.take(who, answer, expected)

    @precondition(lambda self: any(self.mine(who, active=True) for who in PEOPLE))
    @rule(who=people, number=picks, window=windows, title=titles,
          what=st.sampled_from(["when", "object_value", "source_ref"]))  # fmt: skip
    def change_one_field(
        self, who: str, number: int, what: str, window: Interval, title: str
    ) -> None:
        values = {
            "when": Instant(window.start, window.end),
            "object_value": title,
            "source_ref": f"mail {number}",
        }
        self.change(who, number, {what: values[what]})

    @precondition(lambda self: any(len(self.mine(who, active=True)) > 1 for who in PEOPLE))
    @rule(who=people, number=picks, other=picks)
    def move_onto_another(self, who: str, number: int, other: int) -> None:
        if mine := self.mine(who, active=True):
            onto = mine[other % len(mine)]
            self.change(who, number, {"when": Instant(onto.valid_from, onto.valid_until)})

    def change(self, who: str, number: int, fields: dict[str, Any]) -> None:
        mine = self.mine(who, active=True)
        if not mine:
            return
        target = mine[number % len(mine)]
        if target.fact.predicate == "vacation":
            fields.pop("object_value", None)
        when = fields.get("when", target.fact.when)
        window = Interval(when.start, when.end)
        title = fields.get("object_value", target.fact.object_value)
        same = all(getattr(target.fact, name) == value for name, value in fields.items())
        one = Said(target.fact.predicate, title, window, self.now, target.fact.expires_at)
        if same:
            one = replace(one, observed=target.fact.observed_at)
        request = ReviseRequest(memory_id=target.memory_id, fields=fields,
                                check=RevisionCheck(expected=target.revision))  # fmt: skip
        around = self.around()

        def send() -> Answer:
            return record.revise(self.house, self.caller(who), request, around)

        if same:
            assert send().facts == (target,)
            return
        expected = self.ledger.judge(who, [one], self.instant(who), target)
        self.concluded(who, send, [one], expected, target)

    def change_another_revision(self, number: int, off: int) -> None:
        newest = [m for who in PEOPLE for m in self.ledger.newest(who)]
        target = newest[number % len(newest)]
        check = RevisionCheck(expected=target.revision + off)
        request = ReviseRequest(memory_id=target.memory_id, fields={"source_ref": "x"}, check=check)
        with pytest.raises(StaleRevisionError) as stale:
            record.revise(self.house, self.caller(target.owner), request, self.around())

        assert stale.value.members["current_revision"] == target.revision

    @precondition(lambda self: any(self.mine(who, active=True) for who in PEOPLE))
    @rule(who=people, number=picks)
    def retire(self, who: str, number: int) -> None:
        mine = self.mine(who, active=True)
        if not mine:
            return
        target = mine[number % len(mine)]
        check = RevisionCheck(expected=target.revision)
        answer = retiring.retire(
            self.house, self.caller(who), target.memory_id, check, self.around()
        )
        self.ledger.commit(who, self.now)
        (gone,) = answer.facts
        assert (gone.active, gone.inactive_reason, gone.revision) == (
            False, "retired", target.revision + 1,
        )  # fmt: skip
        self.ledger.written.append(gone)

    @precondition(lambda self: self.ledger.written)
    @rule(who=people, number=picks, back=picks)
    def restore(self, who: str, number: int, back: int) -> None:
        mine = self.mine(who, active=False)
        if not mine:
            return
        target = mine[number % len(mine)]
        old = self.house.memory.revisions(self.tenant, target.memory_id)[back % target.revision]
        window = Interval(old.fact.when.start, old.fact.when.end)  # type: ignore[union-attr]
        one = Said(old.fact.predicate, old.fact.object_value, window, old.fact.observed_at)
        check = RevisionCheck(expected=target.revision)
        around = self.around()
        expected = self.ledger.judge(who, [one], self.instant(who), target)
        self.concluded(
            who,
            lambda: record.restore(
                self.house, self.caller(who), target.memory_id, old.revision, check, around
            ),
            [one], expected, target,
        )  # fmt: skip

    # ---- questions

    @precondition(lambda self: self.open)
    @rule(number=picks)
    def keep_both(self, number: int) -> None:
        self.confirm(number, "keep_both")

    @precondition(lambda self: self.open)
    @rule(number=picks)
    def replace_old(self, number: int) -> None:
        self.confirm(number, "replace_old")

    @precondition(lambda self: self.open)
    @rule(number=picks)
    def cancel(self, number: int) -> None:
        self.confirm(number, "cancel")

    def confirm(self, number: int, action: str) -> None:
        question = list(self.open.values())[number % len(self.open)]
        owner = question.owner
        if question.expires <= self.now:
            self.expect(PendingGoneError, question, action)
            return
        if action not in question.actions:
            self.expect(ActionNotOfferedError, question, action)
            return
        if action == "cancel":
            self.settle(question, action, self.confirmed(question, action))
            self.ledger.commit(owner, self.now)
            return
        target = self.target(question)
        if question.target and target and question.target[1] != target.revision:
            self.expect(StaleRevisionError, question, action)
            return
        expected = self.ledger.judge(owner, question.said, self.instant(owner), target)
        if expected.status == "CONFIRM_REQUIRED" and not self.covers(question, expected, action):
            self.replaced(question, expected, action, target)
            return
        self.apply(question, expected, action, target)

    def target(self, question: Question) -> Memory | None:
        named = question.target[0] if question.target else None
        return next((m for m in self.ledger.newest(question.owner) if m.memory_id == named), None)

    def covers(self, question: Question, expected: Expected, action: str) -> bool:
        asked = {(m.memory_id, m.revision) for m in expected.asked.values()}
        return asked <= question.shown and action in expected.actions

    def apply(
        self, question: Question, expected: Expected, action: str, target: Memory | None
    ) -> None:
        answer = self.confirmed(question, action)
        if expected.status == "NO_CHANGE":
            assert answer.status == "NO_CHANGE"
            self.ledger.commit(question.owner, self.now)
            self.settle(question, action, answer)
            return
        kept = dict(expected.asked)
        if action == "replace_old":
            for memory_id in expected.replaceable:
                expected.gives_way[memory_id] = kept.pop(memory_id)
        assert answer.status == ("SUCCESS_WITH_OVERWRITE" if expected.gives_way else "SUCCESS")
        self.take(question.owner, answer, expected)
        written = answer.facts[-1]  # a note is said before the meeting, and in nobody's way
        self.ledger.waived |= {pair_of(written, old) for old in kept.values()}
        if target is not None and stays(question.said[0], target):
            self.ledger.carry(target, written)
        self.settle(question, action, answer)

    def replaced(
        self, question: Question, expected: Expected, action: str, target: Memory | None
    ) -> None:
        error = self.expect(VerdictChangedError, question, action)
        successor = error.members["pending"]
        del self.open[question.pending_id]
        self.settled[question.pending_id] = (question.owner, "replaced", successor.pending_id)
        if successor.pending_id not in self.open:
            shown = {(m.memory_id, m.revision) for m in expected.asked.values()}
            self.open[successor.pending_id] = replace(
                question, pending_id=successor.pending_id, shown=shown,
                actions=expected.actions, expires=self.now + LIFE,
            )  # fmt: skip
        self.ledger.commit(question.owner, self.now)

    def confirmed(self, question: Question, action: Any) -> Answer:
        caller = self.caller(question.owner)
        return settle.confirm(self.house, caller, question.pending_id, action, self.around())

    def expect(self, error: type[Exception], question: Question, action: str) -> Any:
        with pytest.raises(error) as caught:
            self.confirmed(question, action)
        return caught.value

    def settle(self, question: Question, action: str, answer: Answer) -> None:
        del self.open[question.pending_id]
        self.settled[question.pending_id] = (question.owner, action, answer)

    def answer_again(self, number: int, action: Any) -> None:
        pending_id = list(self.settled)[number % len(self.settled)]
        owner, first, came = self.settled[pending_id]

        def again() -> Answer:
            return settle.confirm(self.house, self.caller(owner), pending_id, action, self.around())

        if first == "replaced":
            with pytest.raises(VerdictChangedError) as changed:
                again()
            assert changed.value.members["successor"] == came
        elif first != action:
            with pytest.raises(AlreadySettledError):
                again()
        else:
            second = again()
            assert (second.status, second.decision_id) == (came.status, came.decision_id)
            assert [(m.memory_id, m.revision) for m in second.facts] == [
                (m.memory_id, m.revision) for m in came.facts
            ]

    def answer_for_another(self, number: int, action: Any, *, tampered: bool) -> None:
        owners = {q.pending_id: q.owner for q in (*self.lost, *self.open.values())}
        owners |= {pending_id: each[0] for pending_id, each in self.settled.items()}
        pending_id = sorted(owners)[number % len(owners)]
        other = next(who for who in PEOPLE if who != owners[pending_id])
        asked = f"{pending_id}x" if tampered else pending_id
        with pytest.raises(NotFoundError):
            settle.confirm(self.house, self.caller(other), asked, action, self.around())

    @precondition(lambda self: self.ledger.written)
    @rule(number=picks, action=actions, which=st.integers(0, 4))
    def do_what_has_no_effect(self, number: int, action: str, which: int) -> None:
        if which == 0:
            self.change_another_revision(number, 1 if number % 2 else -1)
        elif which == 1 and self.lost:
            self.answer_what_was_lost(number, action)
        elif which <= 3 and self.settled:
            self.answer_again(number, action)
        elif self.open or self.settled or self.lost:
            self.answer_for_another(number, action, tampered=bool(number % 2))

    # ---- what happens to a service

    @rule(what=st.integers(0, 11))
    def go_on(self, what: int) -> None:
        """Let time pass, mostly a little; set the clock back; lose what may be lost."""
        if what == 0:
            self.lose_the_questions()
        elif what in {1, 2, 3} and self.backwards < 10:
            self.backwards += 1
            self.store.now -= timedelta(seconds=3)
        else:
            self.store.now += timedelta(seconds={4: 1860, 5: 600}.get(what, 1))

    def lose_the_questions(self) -> None:
        self.house = replace(self.house, desk=LocalDesk())
        self.lost += self.open.values()
        self.open.clear()

    def answer_what_was_lost(self, number: int, action: str) -> None:
        self.expect(PendingGoneError, self.lost[number % len(self.lost)], action)

    # ---- reading

    @rule(who=people, back=st.integers(0, 20), number=picks)
    def look(self, who: str, back: int, number: int) -> None:
        self.remember(who, back)
        self.look_at_what_holds(who)
        if self.ledger.written:
            self.remember_an_instant(number)

    def remember(self, who: str, back: int) -> None:
        epoch = max(self.ledger.epochs.get(who, 0) - back, 0)
        known = self.known(who, epoch)
        assert known == self.ledger.newest(who, epoch)
        self.remembered.append((who, epoch, known))

    def known(self, who: str, epoch: int) -> list[Memory]:
        word = reading.spell_epoch({(who, "Schedule"): epoch})
        asked = ListRequest(status="all", limit=100, known_epoch=word)
        return list(reading.listing(self.house, self.caller(who), asked).items)

    def remember_an_instant(self, number: int) -> None:
        then = self.ledger.written[number % len(self.ledger.written)]
        asked = ListRequest(status="all", limit=100, known_at=then.recorded_at)
        known = reading.listing(self.house, self.caller(then.owner), asked).items

        assert list(known) == self.ledger.newest(then.owner, then.epoch)

    def look_at_what_holds(self, who: str) -> None:
        found = reading.listing(self.house, self.caller(who), ListRequest(limit=100)).items
        assert list(found) == self.ledger.living(who, self.now)

    @invariant()
    def now_is_the_end_of_history(self) -> None:
        asked = Query(scopes=PEOPLE, now=self.now, state="all", limit=100)
        known = self.house.memory.page(self.tenant, asked).items
        for who in PEOPLE:
            assert [m for m in known if m.owner == who] == self.ledger.newest(who)

    @invariant()
    def no_two_overlap_unasked(self) -> None:
        for who in PEOPLE:
            assert self.ledger.unasked(who, self.instant(who)) == []

    def teardown(self) -> None:
        self.store.death.at = None
        for who, epoch, known in self.remembered:
            assert self.known(who, epoch) == known
        assert self.store.memory.verify(self.tenant).ok
        assert not any(audit(self.store.memory.database, self.tenant).values())
        self.rebuilt_rows_are_the_same()

    def rebuilt_rows_are_the_same(self) -> None:
        before = self.projected()
        with self.store.memory.database.engine.connect() as connection:
            for table in (occurrence, memory_head):
                connection.execute(table.delete().where(table.c.tenant_id == self.tenant))
        self.store.memory.rebuild_projections(self.tenant)
        assert self.projected() == before

    def projected(self) -> list[Any]:
        with self.store.memory.database.engine.connect() as connection:
            return [
                connection.execute(
                    select(table)
                    .where(table.c.tenant_id == self.tenant)
                    .order_by(*table.primary_key)
                ).all()
                for table in (memory_head, occurrence)
            ]


def pair_of(a: Memory, b: Memory) -> tuple[str, int, str, int]:
    first, second = sorted([(a.memory_id, a.revision), (b.memory_id, b.revision)])
    return (*first, *second)


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, policy: Policy) -> Iterator[Store]:
    made = Store(request.getfixturevalue(f"{request.param}_url"), policy)
    yield made
    made.memory.close()


def play(store: Store, examples: int, steps: int, number: int, **defaults: Any) -> None:
    """Run the machine; a failure prints its steps, and ``number`` makes the same run again."""
    kind = type("Playing", (Guarantee,), {"store": store, "defaults": defaults})
    machine = seed(number)(kind)
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    try:
        run_state_machine_as_test(machine, settings=chosen)
    except BaseException as error:
        error.add_note(f"seed {number}")
        raise


@pytest.mark.parametrize("lint_from", ["sql", "cache"])
def test_store_does_what_the_ledger_says(store: Store, lint_from: str) -> None:
    """Properties 19, 20, 21, 22, 23, 24, 25, 26, 27, 30, 31, 32, 33, 34, 35, 36, 37 and 41."""
    play(store, 6, 25, 1, lint_from=lint_from)


@pytest.mark.campaign
@pytest.mark.parametrize("lint_from", ["sql", "cache"])
def test_store_does_what_the_ledger_says_at_length(store: Store, lint_from: str) -> None:
    """As above, 300 histories of 40 steps, from a seed that a failure prints."""
    play(store, 300, 40, secrets.randbits(32), lint_from=lint_from)
