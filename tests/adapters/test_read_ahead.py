"""What a write read with its claim counts only where the claim's own findings ask for it."""

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_scopes import SqlScopes
from moss_memory.core.access import Grant, Scope
from moss_memory.core.errors import NotFoundError
from moss_memory.core.fact import pair
from moss_memory.core.interval import Interval
from moss_memory.flow.ports import Frame, Loaded, Opened, Step

TENANT = "default"
START = datetime(2026, 7, 17, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
TEAM = Grant(scope=Scope(scope_id="team", kind="team"), visible=True, writable=True)

Asks = Callable[[Opened], Frame]


@pytest.fixture
def look(server: SqlMemory, scribe_on: Any) -> Callable[..., set[str]]:
    """Writes as ana, and returns what it sees of the frame that it asks for."""
    scribe = scribe_on(server, "look")
    days = itertools.count(1)

    def looking(asks: Asks) -> set[str]:
        start = START + next(days) * timedelta(days=1)
        draft = scribe.draft(scribe.fact("Anything"), Interval(start, start + HOUR))
        seen: set[str] = set()

        def decide(opened: Opened, loaded: Loaded) -> Step[None]:
            seen.update(each.memory_id for each in loaded.candidates)
            written = (scribe.stamped(draft, opened, "d" + draft.memory_id),)
            return Step(None, scribe.change(written, (), "d" + draft.memory_id, {}))

        server.transact(scribe.entry([draft]), asks, decide)
        return seen

    return looking


@pytest.fixture
def server(postgres_url: str, ontology: Any) -> Any:
    """A store on PostgreSQL, where alone anything is read ahead."""
    memory = SqlMemory(postgres_url, ontology=ontology)
    yield memory
    memory.close()


@pytest.fixture
def scopes(postgres_url: str) -> Any:
    """The grants of the same database."""
    stored = SqlScopes(postgres_url)
    yield stored
    stored.close()


@pytest.fixture
def written(server: SqlMemory, scribe_on: Any) -> dict[str, str]:
    """A memory of ana's and one of the team's at the same hour: owner to memory id."""
    scribe = scribe_on(server)
    drafts = [scribe.draft(scribe.fact(scope=owner), writer="ana") for owner in ("ana", "team")]
    return {draft.owner: scribe.create(draft).memory_id for draft in drafts}


def frame(server: SqlMemory, scribe_on: Any, owners: Sequence[str]) -> Frame:
    scribe = scribe_on(server)
    probes = scribe.probes([scribe.draft(scribe.fact(scope=owner)) for owner in owners])
    return Frame(probes=probes, reads=frozenset({("team", "Schedule")} if "team" in owners else ()))


@pytest.fixture
def granted(server: SqlMemory, scribe_on: Any) -> Asks:
    """Ask for the own hour, and for that of each scope that is granted."""

    def asks(opened: Opened) -> Frame:
        others = [grant.scope.scope_id for grant in opened.standing.grants]
        return frame(server, scribe_on, ["ana", *others])

    return asks


def test_own_scope_is_read_of_a_principal_never_seen_before(
    look: Any, granted: Asks, written: dict[str, str]
) -> None:
    assert look(granted) == {written["ana"]}


def test_scope_granted_since_the_last_write_is_read(
    look: Any, granted: Asks, written: dict[str, str], scopes: SqlScopes
) -> None:
    look(granted)
    scopes.put_scope(TENANT, TEAM.scope)
    scopes.put_grant(TENANT, "ana", TEAM)

    assert look(granted) == {written["ana"], written["team"]}
    assert look(granted) == {written["ana"], written["team"]}


def test_scope_withdrawn_since_the_last_write_is_not_judged_by(
    look: Any, granted: Asks, written: dict[str, str], scopes: SqlScopes
) -> None:
    scopes.put_scope(TENANT, TEAM.scope)
    scopes.put_grant(TENANT, "ana", TEAM)
    look(granted)
    scopes.delete_grant(TENANT, "ana", "team")

    assert look(granted) == {written["ana"]}


def test_refusal_of_a_guess_refuses_nothing(
    look: Any, granted: Asks, written: dict[str, str]
) -> None:
    def asks(opened: Opened) -> Frame:
        if not opened.epochs:  # only a guess has none
            raise NotFoundError
        return granted(opened)

    assert look(asks) == {written["ana"]}


def test_windows_that_moved_with_the_claim_are_read_anew(
    look: Any, granted: Asks, written: dict[str, str]
) -> None:
    def asks(opened: Opened) -> Frame:
        found = granted(opened)
        if opened.epochs:
            return found
        (probe,) = found.probes
        away = tuple(Interval(w.start - HOUR, w.end - HOUR) for w in probe.windows)
        return Frame(probes=(replace(probe, windows=away),))

    assert look(asks) == {written["ana"]}


def test_memory_committed_while_the_claim_waited_is_seen(
    look: Any, granted: Asks, server: SqlMemory, scribe_on: Any, written: dict[str, str]
) -> None:
    """The probe is on its way before the other commits; the server runs it after the claim."""
    other = scribe_on(server, "other")
    draft = other.draft(other.fact("Later"), Interval(START + HOUR / 2, START + HOUR))
    claimed, gone = threading.Event(), threading.Event()

    def decide(opened: Opened, loaded: Loaded) -> Step[None]:
        claimed.set()
        gone.wait(0.2)  # the other's flight leaves meanwhile
        written = (other.stamped(draft, opened, "dother"),)
        waived = tuple(pair(written[0], each) for each in loaded.candidates)
        return Step(None, other.change(written, waived, "dother", {}))

    first = threading.Thread(
        target=server.transact,
        args=(other.entry([draft]), lambda _: Frame(probes=other.probes([draft])), decide),
    )
    first.start()
    claimed.wait(5)
    seen = look(granted)
    first.join()

    assert seen == {written["ana"], draft.memory_id}
