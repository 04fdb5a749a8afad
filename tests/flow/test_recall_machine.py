"""After any history, a prompt holds exactly the memories that a small reference model names.

Through every way to read: the finder and the reader of everything, linting from the store and
from the cache, the Desk in this process and the one on Valkey.
"""

import shutil
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from importlib import resources
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from moss_memory.adapters.local_desk import LocalDesk
from moss_memory.adapters.redis_desk import RedisDesk
from moss_memory.adapters.sql_erasure import SqlErasures
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_scopes import SqlScopes
from moss_memory.adapters.sql_search import SqlFinder
from moss_memory.adapters.sql_sweep import SqlSweep
from moss_memory.core.access import Caller
from moss_memory.core.errors import MossError
from moss_memory.core.fact import Memory
from moss_memory.core.interval import Interval
from moss_memory.core.rules import Policy
from moss_memory.core.when import Days, Instant
from moss_memory.flow import governance, recall, record, seeking, settle, steward, sweeping
from moss_memory.flow.ports import Defaults, Desk, House, Session
from moss_memory.flow.requests import (
    Answer,
    Circumstances,
    ContextRequest,
    FactIn,
    ProposeRequest,
    ReviseRequest,
    RevisionCheck,
)
from moss_memory.flow.retiring import retire

START = datetime(2026, 7, 16, 5, tzinfo=UTC)
HERE = Circumstances(request_id="r", timezone="Asia/Seoul", locale="en")
ANN = Caller(tenant_id="default", principal_id="ann")
BOB = Caller(tenant_id="default", principal_id="bob")
ROOT = Caller(
    tenant_id="default",
    principal_id="root",
    rights=frozenset({"scope:admin", "erasure:admin"}),
)
DAYS = st.integers(1, 3)


def facts(day: int) -> dict[str, FactIn]:
    """The facts that the machine plays with: events on a day, homes, tastes, what expires."""
    at = START + timedelta(days=day, hours=-4)  # ten in the morning in Seoul
    calendar = {"domain": "Schedule", "subject": "Calendar"}
    meet = FactIn(**calendar, predicate="meeting", object_value="review", when=Instant(at))
    off = Days(date(2026, 7, 16) + timedelta(days=day))
    home = FactIn(
        domain="Preference", subject="User", predicate="lives_in", object_value=f"City {day}"
    )
    return {
        "meeting": meet,
        "clash": replace(meet, object_value="standup"),
        "note": replace(meet, predicate="note", object_value=f"note {day}"),
        "vacation": FactIn(**calendar, predicate="vacation", object_value="Vacation", when=off),
        "home": home,
        "brief": replace(meet, predicate="note", expires_at=at - timedelta(hours=8)),
    }


@dataclass
class Reference:
    """What should be known: each active memory, and the scopes that ann sees."""

    known: dict[str, Memory] = field(default_factory=dict)
    visible: set[str] = field(default_factory=lambda: {"ann"})

    def know(self, *memories: Memory) -> None:
        for memory in memories:
            self.known.pop(memory.memory_id, None)
            if memory.active:
                self.known[memory.memory_id] = memory

    def seen(self, at: datetime) -> dict[str, tuple[bool, Interval]]:
        return {
            memory_id: (each.fact.domain == "Schedule", Interval(each.valid_from, each.valid_until))
            for memory_id, each in self.known.items()
            if each.owner in self.visible
            and (each.fact.expires_at is None or each.fact.expires_at > at)
        }

    def now(self, at: datetime) -> set[str]:
        seen = self.seen(at).items()
        return {name for name, (event, w) in seen if w.end > at and (event or w.start <= at)}

    def during(self, asked: Interval, at: datetime) -> set[str]:
        seen = self.seen(at).items()
        touching = {n: e for n, (e, w) in seen if w.start < asked.end and asked.start < w.end}
        return {name for name, event in touching.items() if event}


class Prompts(RuleBasedStateMachine):
    """Writes, answers, changes, removals, returns, sweeps, erasures, grants, time, lost caches."""

    template: ClassVar[Path]
    policy: ClassVar[Policy]
    desk: ClassVar[Callable[[], Desk]]
    lint_from: ClassVar[Literal["sql", "cache"]] = "sql"

    @initialize()
    def open(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name) / "moss.db"
        shutil.copy(self.template, path)
        self.at = START
        self.memory = SqlMemory(
            f"sqlite:///{path}", ontology=self.policy.ontology, clock=lambda: self.at
        )
        numbers = count(1)
        self.house = House(
            memory=self.memory,
            desk=type(self).desk(),
            parser=None,  # type: ignore[arg-type]  # nothing is said here
            writer=None,
            policy=self.policy,
            clock=lambda: self.at,
            ids=lambda: f"00000000-0000-7000-8000-{next(numbers):012d}",
            secret=lambda: f"secret-{next(numbers)}",
            finder=SqlFinder(self.memory.database),
            defaults=Defaults(timezone="Asia/Seoul", lint_from=self.lint_from),
        )
        self.scopes = SqlScopes(self.memory.database, clock=lambda: self.at)
        self.erasures = SqlErasures(self.memory.database, clock=lambda: self.at)
        governance.put_scope(self.scopes, ROOT, "team", kind="team")
        self._grant("bob", visible=True)
        self.reference = Reference()
        self.pendings: list[str] = []
        self.older: dict[str, set[int]] = {}  # revisions that may be restored
        self.written: set[str] = set()  # in ann's session
        self.gone: set[str] = set()  # erased principals
        for day, kind in ((1, "note"), (2, "meeting"), (1, "brief"), (3, "home")):
            self.write(day, kind)
        self.write_for_the_team(2, "note")
        self.change_grant(visible=True)

    def teardown(self) -> None:
        for who in ("ann", "bob"):
            self.house.desk.forget("default", who)
        self.house.desk.close()
        self.memory.close()
        self.folder.cleanup()

    def _grant(self, principal: str, *, visible: bool) -> None:
        governance.grant(self.scopes, ROOT, "team", principal, visible=visible, writable=visible)

    def _took(self, answer: Answer) -> None:
        """Take over what an answer says was written."""
        self.reference.know(*answer.facts, *answer.superseded)
        for memory in (*answer.facts, *answer.superseded):
            self.older.setdefault(memory.memory_id, set()).add(memory.revision)
        if answer.pending is not None:
            self.pendings.append(answer.pending.pending_id)
        self.at += timedelta(minutes=1)

    @precondition(lambda self: "ann" not in self.gone)
    @rule(day=DAYS, kind=st.sampled_from(sorted(facts(1))))
    def write(self, day: int, kind: str) -> None:
        stated = ProposeRequest(facts=(facts(day)[kind],))
        answer = record.propose(self.house, ANN, stated, HERE)
        self.written |= {memory.memory_id for memory in answer.facts}
        session = Session(
            session_id="s",
            tenant_id="default",
            principal_id="ann",
            dialog_state={seeking.WRITTEN: sorted(self.written)},
            expires_at=self.at + timedelta(days=60),  # longer than any history here
        )
        self.house.desk.keep_session(session, now=self.at)
        self._took(answer)

    @precondition(lambda self: "bob" not in self.gone)
    @rule(day=DAYS, kind=st.sampled_from(["note", "meeting", "brief"]))
    def write_for_the_team(self, day: int, kind: str) -> None:
        stated = replace(facts(day)[kind], scope_id="team")
        self._took(record.propose(self.house, BOB, ProposeRequest(facts=(stated,)), HERE))

    @precondition(lambda self: self.pendings and "ann" not in self.gone)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        pending_id = self.pendings.pop()
        question = self.house.desk.pending("default", pending_id, now=self.at)
        if question is None or question.principal_id != "ann":
            return
        action = data.draw(st.sampled_from(question.actions))
        self._took(self._tried(settle.confirm, pending_id, action, HERE))

    @precondition(lambda self: self._mine())
    @rule(data=st.data(), day=DAYS)
    def change(self, data: st.DataObject, day: int) -> None:
        memory_id = data.draw(st.sampled_from(self._mine()))
        made = facts(day)["meeting"]
        moves = self.reference.known[memory_id].fact.predicate in {"meeting", "note"}
        fields = {"when": made.when} if moves else {"confidence": 0.95}
        request = ReviseRequest(memory_id=memory_id, fields=fields, check=self._check(memory_id))
        self._took(self._tried(record.revise, request, HERE))

    @precondition(lambda self: self._mine())
    @rule(data=st.data())
    def retire(self, data: st.DataObject) -> None:
        memory_id = data.draw(st.sampled_from(self._mine()))
        self._took(retire(self.house, ANN, memory_id, self._check(memory_id), HERE))

    @precondition(lambda self: self._restorable())
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        memory_id = data.draw(st.sampled_from(self._restorable()))
        revision = data.draw(st.sampled_from(sorted(self.older[memory_id])))
        check = self._check(memory_id)
        self._took(self._tried(record.restore, memory_id, revision, check, HERE))

    def _check(self, memory_id: str) -> RevisionCheck:
        return RevisionCheck(
            expected=self.memory.newest("default", [memory_id])[memory_id].revision
        )

    def _tried(self, does: Callable[..., Answer], *given: Any) -> Answer:
        """Do it; what is refused changes nothing, which the invariant then looks at."""
        try:
            return does(self.house, ANN, *given)
        except MossError:
            return Answer(http_status=422, status="BLOCKED", verdict=None)  # type: ignore[arg-type]

    @rule(hours=st.sampled_from([1, 13, 30]))
    def wait(self, hours: int) -> None:
        self.at += timedelta(hours=hours)

    @rule()
    def sweep(self) -> None:
        sweeping.sweep(
            self.house,
            SqlSweep(self.memory.database),
            sweeping.Retention(),
            tenant_id="default",
        )

    @rule()
    def lose_the_cache(self) -> None:
        self.house.desk.forget("default", "ann")
        self.written.clear()

    @precondition(lambda self: "ann" not in self.gone)
    @rule(visible=st.booleans())
    def change_grant(self, *, visible: bool) -> None:
        self._grant("ann", visible=visible)
        (self.reference.visible.add if visible else self.reference.visible.discard)("team")

    @rule(who=st.sampled_from(["nobody", "nobody", "nobody", "ann", "bob"]))
    def erase(self, who: str) -> None:
        if who == "nobody" or who in self.gone:
            return
        steward.erase(self.house, self.erasures, ROOT, who, HERE)
        known = self.reference.known
        self.reference.known = {name: each for name, each in known.items() if each.owner != who}
        self.gone.add(who)
        if who == "ann":
            self.reference.visible.discard("team")  # grants go with the principal
            self.written.clear()

    def _mine(self) -> list[str]:
        if "ann" in self.gone:
            return []
        return sorted(name for name, each in self.reference.known.items() if each.owner == "ann")

    def _restorable(self) -> list[str]:
        found = self.memory.newest("default", list(self.older))
        mine = {name for name, each in found.items() if each.owner == "ann"}
        return [] if "ann" in self.gone else sorted(mine)

    def _prompt(self, **request: Any) -> set[str]:
        """Return the ids in a prompt, which both ways of reading must agree on."""
        asked = ContextRequest(token_budget=100_000, **request)
        built = recall.context(self.house, ANN, asked, HERE)
        whole = recall.context(replace(self.house, finder=None), ANN, asked, HERE)
        named = {line.memory_id for line in built.included}
        assert named == {line.memory_id for line in whole.included}
        assert built.text.count("\n- ") == len(named)
        return named

    @invariant()
    def prompt_holds_what_the_reference_names(self) -> None:
        day = Interval(START + timedelta(days=1), START + timedelta(days=2))
        now = self.reference.now(self.at)

        assert self._prompt() == now
        assert self._prompt(window=day) == self.reference.during(day, self.at)
        assert self._prompt(query="xylophone?", session_id="s") == now & self.written


def memory_machine(request: pytest.FixtureRequest, kind: str, lint_from: Any) -> type[Prompts]:
    shipped = resources.files("moss_memory") / "policy"
    tables = [
        tomllib.loads((shipped / name).read_text("utf-8"))
        for name in ("ontology.toml", "rules.toml")
    ]

    class Prepared(Prompts):
        template = request.getfixturevalue("sqlite_template")
        policy = Policy.from_data(*tables)

    Prepared.lint_from = lint_from
    if kind == "local":
        Prepared.desk = LocalDesk
    else:
        url = request.getfixturevalue("redis_url")
        Prepared.desk = lambda: RedisDesk(url, secret="s" * 32)
    return Prepared


@pytest.fixture(params=[("local", "sql"), ("local", "cache"), ("redis", "cache")], ids="-".join)
def machine(request: pytest.FixtureRequest) -> type[Prompts]:
    return memory_machine(request, *request.param)


def walk(machine: type[Prompts], *, histories: int, steps: int) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=histories,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_prompt_equals_the_reference_after_any_history(machine: type[Prompts]) -> None:
    walk(machine, histories=8, steps=20)


@pytest.mark.campaign
def test_prompt_equals_the_reference_after_many_long_histories(machine: type[Prompts]) -> None:
    walk(machine, histories=150, steps=40)


def test_prompt_follows_one_drawn_history(machine: type[Prompts]) -> None:
    drawn = machine()
    drawn.open()
    drawn.prompt_holds_what_the_reference_names()
    drawn.write(day=2, kind="vacation")
    drawn.prompt_holds_what_the_reference_names()
    drawn.wait(hours=13)  # the brief note has expired and is not over
    drawn.prompt_holds_what_the_reference_names()
    drawn.lose_the_cache()
    drawn.sweep()
    drawn.prompt_holds_what_the_reference_names()
    before = drawn.reference.now(drawn.at)
    drawn.erase(who="bob")
    drawn.prompt_holds_what_the_reference_names()
    drawn.erase(who="ann")
    drawn.prompt_holds_what_the_reference_names()
    after = drawn.reference.now(drawn.at)
    drawn.teardown()

    assert (len(before), after) == (4, set())  # two notes, one of the team, the vacation, a home


def test_prompt_follows_a_state_that_ended_and_was_revised(machine: type[Prompts]) -> None:
    drawn = machine()
    drawn.open()
    (home,) = [name for name, each in drawn.reference.known.items() if is_home(each)]
    drawn.wait(hours=30)
    drawn.write(day=1, kind="home")
    drawn.prompt_holds_what_the_reference_names()
    request = ReviseRequest(
        memory_id=home, fields={"confidence": 0.95}, check=RevisionCheck(expected=2)
    )
    drawn._took(record.revise(drawn.house, ANN, request, HERE))
    drawn.prompt_holds_what_the_reference_names()
    drawn.teardown()


def is_home(memory: Memory) -> bool:
    return memory.fact.predicate == "lives_in"
