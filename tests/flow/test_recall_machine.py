"""After any history, a prompt holds exactly the memories that a small reference model names."""

import shutil
import tempfile
import tomllib
from dataclasses import dataclass, replace
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
from moss_memory.adapters.sql_erasure import SqlErasures
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_scopes import SqlScopes
from moss_memory.core.access import Caller
from moss_memory.core.fact import Memory
from moss_memory.core.interval import Interval
from moss_memory.core.rules import Policy
from moss_memory.core.when import Days, Instant
from moss_memory.flow import governance, recall, record, settle
from moss_memory.flow.ports import Defaults, House
from moss_memory.flow.requests import (
    Answer,
    Circumstances,
    ContextRequest,
    FactIn,
    ProposeRequest,
    RevisionCheck,
)
from moss_memory.flow.retiring import retire

START = datetime(2026, 7, 16, 5, tzinfo=UTC)
HERE = Circumstances(request_id="r", timezone="Asia/Seoul", locale="en")
ANN = Caller(tenant_id="default", principal_id="ann")
BOB = Caller(tenant_id="default", principal_id="bob", rights=frozenset({"scope:admin"}))
DAYS = st.integers(1, 3)


def facts(day: int) -> dict[str, FactIn]:
    """The facts that the machine plays with: events on a day, two homes, a taste."""
    at = START + timedelta(days=day, hours=-4)  # ten in the morning in Seoul
    calendar = {"domain": "Schedule", "subject": "Calendar"}
    meet = FactIn(**calendar, predicate="meeting", object_value="review", when=Instant(at))
    off = Days(date(2026, 7, 16) + timedelta(days=day))
    user = FactIn(
        domain="Preference", subject="User", predicate="lives_in", object_value=f"City {day}"
    )
    return {
        "meeting": meet,
        "clash": replace(meet, object_value="standup"),
        "note": replace(meet, predicate="note", object_value=f"note {day}"),
        "vacation": FactIn(**calendar, predicate="vacation", object_value="Vacation", when=off),
        "home": user,
        "brief": replace(meet, predicate="note", expires_at=START + timedelta(days=day)),
    }


@dataclass
class Reference:
    """What should be known: a memory's owner, its windows, and when it expires."""

    known: dict[str, tuple[str, Interval, datetime | None, bool]]
    visible: set[str]

    def take(self, answer: Answer) -> None:
        for memory in (*answer.facts, *answer.superseded):
            self.know(memory)

    def know(self, memory: Memory) -> None:
        self.known.pop(memory.memory_id, None)
        if memory.active:
            window = Interval(memory.valid_from, memory.valid_until)
            event = memory.fact.domain == "Schedule"
            expires = memory.fact.expires_at
            self.known[memory.memory_id] = (memory.owner, window, expires, event)

    def now(self, at: datetime) -> set[str]:
        return {
            memory_id
            for memory_id, (owner, window, expires, event) in self.known.items()
            if owner in self.visible
            and (expires is None or expires > at)
            and window.end > at
            and (event or window.start <= at)
        }

    def during(self, asked: Interval, at: datetime) -> set[str]:
        return {
            memory_id
            for memory_id, (owner, window, expires, event) in self.known.items()
            if event
            and owner in self.visible
            and (expires is None or expires > at)
            and window.start < asked.end
            and asked.start < window.end
        }


class Prompts(RuleBasedStateMachine):
    """Writes, questions, removals, returns, erasures, grants and the passing of time."""

    template: ClassVar[Path]
    policy: ClassVar[Policy]
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
            desk=LocalDesk(),
            parser=None,  # type: ignore[arg-type]  # nothing is said here
            writer=None,
            policy=self.policy,
            clock=lambda: self.at,
            ids=lambda: f"00000000-0000-7000-8000-{next(numbers):012d}",
            secret=lambda: f"secret-{next(numbers)}",
            defaults=Defaults(timezone="Asia/Seoul", lint_from=self.lint_from),
        )
        self.scopes = SqlScopes(self.memory.database)
        governance.put_scope(self.scopes, BOB, "team", kind="team")
        self._grant("bob", visible=True)
        self.reference = Reference({}, {"ann"})
        self.pendings: list[str] = []
        self.gone: dict[str, int] = {}
        self.erased = False

    def teardown(self) -> None:
        self.memory.close()
        self.folder.cleanup()

    def _grant(self, principal: str, *, visible: bool) -> None:
        governance.grant(self.scopes, BOB, "team", principal, visible=visible, writable=visible)

    def _took(self, answer: Answer) -> None:
        self.reference.take(answer)
        if answer.pending is not None:
            self.pendings.append(answer.pending.pending_id)
        self.at += timedelta(minutes=1)

    @precondition(lambda self: not self.erased)
    @rule(day=DAYS, kind=st.sampled_from(sorted(facts(1))))
    def write(self, day: int, kind: str) -> None:
        stated = ProposeRequest(facts=(facts(day)[kind],))
        self._took(record.propose(self.house, ANN, stated, HERE))

    @rule(day=DAYS, kind=st.sampled_from(["note", "meeting"]))
    def write_for_the_team(self, day: int, kind: str) -> None:
        stated = replace(facts(day)[kind], scope_id="team")
        self._took(record.propose(self.house, BOB, ProposeRequest(facts=(stated,)), HERE))

    @precondition(lambda self: self.pendings and not self.erased)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        pending_id = self.pendings.pop()
        question = self.house.desk.pending("default", pending_id, now=self.at)
        if question is None or question.principal_id != "ann":
            return
        action = data.draw(st.sampled_from(question.actions))
        self._took(self._settled(pending_id, action))

    def _settled(self, pending_id: str, action: Any) -> Answer:
        return settle.confirm(self.house, ANN, pending_id, action, HERE)

    @precondition(lambda self: self._mine())
    @rule(data=st.data())
    def retire(self, data: st.DataObject) -> None:
        memory_id = data.draw(st.sampled_from(self._mine()))
        revision = self.memory.newest("default", [memory_id])[memory_id].revision
        retire(self.house, ANN, memory_id, RevisionCheck(expected=revision), HERE)
        del self.reference.known[memory_id]
        self.gone[memory_id] = revision + 1
        self.at += timedelta(minutes=1)

    @precondition(lambda self: self.gone and not self.erased)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        memory_id = data.draw(st.sampled_from(sorted(self.gone)))
        check = RevisionCheck(expected=self.gone.pop(memory_id))
        revision = (check.expected or 1) - 1
        self._took(self._restored(memory_id, revision, check))

    def _restored(self, memory_id: str, revision: int, check: RevisionCheck) -> Answer:
        try:
            return record.restore(self.house, ANN, memory_id, revision, check, HERE)
        except record.NotAdmittedError:  # meanwhile the same was stored anew
            return Answer(http_status=422, status="BLOCKED", verdict=None)  # type: ignore[arg-type]

    @rule(hours=st.sampled_from([1, 13, 30]))
    def wait(self, hours: int) -> None:
        self.at += timedelta(hours=hours)
        self.pendings.clear()  # half an hour is over

    @rule(visible=st.booleans())
    def change_grant(self, *, visible: bool) -> None:
        self._grant("ann", visible=visible)
        (self.reference.visible.add if visible else self.reference.visible.discard)("team")

    @precondition(lambda self: not self.erased)
    @rule(sure=st.sampled_from([False, False, False, True]))
    def erase(self, *, sure: bool) -> None:
        if not sure:
            return
        erase(self.memory, "ann")
        self.reference.known = {
            name: each for name, each in self.reference.known.items() if each[0] != "ann"
        }
        self.reference.visible.discard("team")  # grants go with the principal
        self.erased = True

    def _mine(self) -> list[str]:
        if self.erased:
            return []
        return sorted(name for name, each in self.reference.known.items() if each[0] == "ann")

    def _prompt(self, **request: Any) -> set[str]:
        asked = ContextRequest(token_budget=100_000, **request)
        built = recall.context(self.house, ANN, asked, HERE)
        named = {line.memory_id for line in built.included}
        assert built.text.count("\n- ") == len(named)
        return named

    @invariant()
    def prompt_holds_what_the_reference_names(self) -> None:
        day = Interval(START + timedelta(days=1), START + timedelta(days=2))

        assert self._prompt() == self.reference.now(self.at)
        assert self._prompt(window=day) == self.reference.during(day, self.at)


def erase(memory: SqlMemory, principal_id: str) -> None:
    SqlErasures(memory.database).erase("default", principal_id, erasure_id="e", by=principal_id)


@pytest.fixture(scope="module")
def machine(sqlite_template: Path) -> type[Prompts]:
    shipped = resources.files("moss_memory") / "policy"
    tables = [
        tomllib.loads((shipped / name).read_text("utf-8"))
        for name in ("ontology.toml", "rules.toml")
    ]
    Prompts.template = sqlite_template
    Prompts.policy = Policy.from_data(*tables)
    return Prompts


def test_prompt_equals_the_reference_after_any_history(machine: type[Prompts]) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=20,
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_prompt_follows_one_drawn_history(machine: type[Prompts]) -> None:
    drawn = machine()
    drawn.open()
    drawn.write(day=1, kind="meeting")
    drawn.prompt_holds_what_the_reference_names()
    drawn.write(day=1, kind="vacation")
    drawn.write_for_the_team(day=1, kind="note")
    drawn.change_grant(visible=True)
    drawn.prompt_holds_what_the_reference_names()
    drawn.erase(sure=True)
    drawn.prompt_holds_what_the_reference_names()
    names = drawn.reference.now(drawn.at)
    drawn.teardown()

    assert names == set()
