"""The finder, on each engine: what it finds from every side, and that it counts the rest."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from moss_memory.adapters.local_desk import LocalDesk
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_scopes import SqlScopes
from moss_memory.adapters.sql_search import SqlFinder
from moss_memory.core.access import Caller, Grant, Scope
from moss_memory.core.interval import Interval
from moss_memory.core.when import Instant
from moss_memory.flow import recall, record
from moss_memory.flow.ports import Found, House, Probe, Search, Standing
from moss_memory.flow.requests import (
    Circumstances,
    ContextRequest,
    FactIn,
    ProposeRequest,
    RevisionCheck,
)
from moss_memory.flow.retiring import retire
from moss_memory.policy import load

NOW = datetime(2026, 7, 16, 5, tzinfo=UTC)
FRIDAY = Interval(NOW + timedelta(hours=10), NOW + timedelta(hours=34))
HERE = Circumstances(request_id="r", timezone="Asia/Seoul", locale="en")
ANN = Caller(tenant_id="default", principal_id="ann")


@dataclass
class Store:
    """A house, its finder, and a clock that moves with every write."""

    house: House
    finder: SqlFinder
    now: datetime = NOW

    def write(self, *stated: FactIn, caller: Caller = ANN) -> list[str]:
        ids = []
        for one in stated:
            self.now += timedelta(seconds=1)
            answer = record.propose(self.house, caller, ProposeRequest(facts=(one,)), HERE)
            ids += [memory.memory_id for memory in answer.facts]
        return ids

    def search(self, **search: Any) -> Found:
        search.setdefault("newest", search.get("limit", 50))
        return self.finder.search("default", Search(scopes=("ann",), now=self.now, **search))


@pytest.fixture
def store(open_memory: Callable[..., SqlMemory]) -> Store:
    memory = open_memory(clock=lambda: made.now)
    numbers = count(1)
    house = House(
        memory=memory,
        desk=LocalDesk(),
        parser=None,  # type: ignore[arg-type]  # nothing is said here
        writer=None,
        policy=load(),
        clock=lambda: made.now,
        ids=lambda: f"00000000-0000-7000-8000-{next(numbers):012d}",
        secret=lambda: f"secret-{next(numbers)}",
    )
    made = Store(house, SqlFinder(memory.database))
    return made


def note(text: str, at: datetime = FRIDAY.start, **more: Any) -> FactIn:
    return FactIn(
        domain="Schedule",
        subject="Calendar",
        predicate="note",
        object_value=text,
        when=Instant(at),
        **more,
    )


def likes(value: str) -> FactIn:
    return FactIn(domain="Preference", subject="food", predicate="prefers", object_value=value)


def ids(found: Found) -> Sequence[str]:
    return [memory.memory_id for memory in found.memories]


def test_memory_is_found_by_its_time_however_old(store: Store) -> None:
    (wanted,) = store.write(note("wanted"))
    store.write(*(likes(f"dish {n}") for n in range(4)))
    probe = Probe(space=("ann", "Schedule"), slot=("ann", "Schedule"), windows=(FRIDAY,))

    assert wanted in ids(store.search(probes=(probe,), limit=2))


@pytest.mark.parametrize("word", ["budget", "예산", "sushi"])
def test_memory_is_found_by_one_of_its_words_however_old(store: Store, word: str) -> None:
    later = NOW + timedelta(days=200)
    stated = (note("Budget review", later), note("예산 검토", later), likes("Sushi bars"))
    wanted = store.write(*stated)
    store.write(*(likes(f"dish {n}") for n in range(4)))

    found = ids(store.search(words=(word,), limit=2))

    assert len(set(found) & set(wanted)) == 1


def test_memory_that_shares_more_words_comes_before_newer_ones(store: Store) -> None:
    (both,) = store.write(note("budget review"))
    store.write(*(note(f"budget {n}") for n in range(3)), *(likes(f"d{n}") for n in range(3)))

    assert both in ids(store.search(words=("budget", "review"), limit=1))


def test_memory_with_the_rarer_word_comes_before_newer_ones(store: Store) -> None:
    (rare,) = store.write(note("Lisbon"))
    store.write(*(note(f"budget {n}") for n in range(3)))

    assert rare in ids(store.search(words=("budget", "lisbon"), limit=1, newest=1))


def test_window_that_holds_much_gives_what_is_nearest(store: Store) -> None:
    days = [-3, -2, 2, 40, 1, -40, 3]
    written = store.write(*(note(f"n{day}", NOW + timedelta(days=day)) for day in days))
    year = Interval(NOW - timedelta(days=100), NOW + timedelta(days=300))
    probe = Probe(space=("ann", "Schedule"), slot=("ann", "Schedule"), windows=(year,))

    found = ids(store.search(probes=(probe,), limit=2, newest=1, at=NOW + timedelta(days=1)))

    assert set(found) - {written[-1]} == {written[4], written[2]}


@pytest.mark.parametrize("day", [-300, 300])
def test_window_far_from_now_gives_its_nearer_end(store: Store, day: int) -> None:
    at = NOW + timedelta(days=day)
    written = store.write(*(note(f"n{n}", at + timedelta(hours=n)) for n in range(4)))
    store.write(note("newest"))
    probe = Probe(
        space=("ann", "Schedule"),
        slot=("ann", "Schedule"),
        windows=(Interval(at, at + timedelta(days=1)),),
    )

    found = ids(store.search(probes=(probe,), limit=1, newest=1))

    assert (written[0] if day > 0 else written[3]) in found


def test_memory_is_found_by_its_kind_however_old(store: Store) -> None:
    (wanted,) = store.write(likes("sushi"))
    store.write(*(note(f"n{n}") for n in range(4)))

    assert wanted in ids(store.search(predicates=("prefers",), limit=2))


def test_newest_are_found_and_all_active_ones_counted(store: Store) -> None:
    written = store.write(*(likes(f"dish {n}") for n in range(5)))

    found = store.search(limit=2)

    assert (list(ids(found)), found.total) == (written[:-3:-1], 5)


def test_retired_memory_is_found_and_not_counted(store: Store) -> None:
    gone, _ = store.write(likes("a"), likes("b"))
    retire(store.house, ANN, gone, RevisionCheck(expected=1), HERE)

    found = store.search()

    assert gone in ids(found)
    assert found.total == 1


def test_expired_memory_is_not_counted(store: Store) -> None:
    store.write(note("brief", expires_at=NOW + timedelta(hours=1)))
    store.now += timedelta(hours=2)

    assert store.search().total == 0


def test_count_is_of_active_memories_of_the_scopes_and_domains_named(store: Store) -> None:
    gone, _ = store.write(likes("a"), likes("b"))
    store.write(note("c"), note("brief", expires_at=store.now + timedelta(hours=1)))
    retire(store.house, ANN, gone, RevisionCheck(expected=1), HERE)
    store.now += timedelta(hours=2)

    def count(*scopes: str, **search: Any) -> int:
        return store.finder.count("default", Search(scopes=scopes, now=store.now, **search))

    assert (count("ann"), count("ann", domains=("Preference",)), count("bob")) == (2, 1, 0)


def test_hidden_memories_are_counted_alike_with_a_finder_and_without(store: Store) -> None:
    store.write(likes("a"), likes("b"), note("c"))
    blind = replace(ANN, read_mode="off")

    counted = [
        recall.context(house, blind, ContextRequest(), HERE).denied
        for house in (store.house, replace(store.house, finder=store.finder))
    ]

    assert counted == [3, 3]


def test_domain_narrows_every_side(store: Store) -> None:
    store.write(note("budget"), likes("budget"))

    found = store.search(words=("budget",), domains=("Preference",))

    assert [memory.fact.domain for memory in found.memories] == ["Preference"]
    assert found.total == 1


def test_memory_of_another_principal_is_never_found(store: Store) -> None:
    bob = Caller(tenant_id="default", principal_id="bob")
    store.write(note("budget"), caller=bob)

    found = store.search(words=("budget",), predicates=("note",))

    assert (found.memories, found.total) == ((), 0)


def test_word_that_nothing_holds_adds_nothing(store: Store) -> None:
    store.write(likes("sushi"))

    assert ids(store.search(words=("zzz",), limit=1)) == ids(store.search(limit=1))


def test_context_without_a_question_finds_what_comes_next_however_old(store: Store) -> None:
    (coming,) = store.write(note("coming", NOW + timedelta(days=30)))
    store.write(*(note(f"far {n}", NOW + timedelta(days=200 + n)) for n in range(60)))
    asked = ContextRequest(reference_time=store.now, token_budget=1024)

    found = recall.context(replace(store.house, finder=store.finder), ANN, asked, HERE)

    assert found.included[0].memory_id == coming


@pytest.mark.parametrize(
    "query", [None, "What is on Friday?", "budget 3", "What food do I like?", "예산", "nothing"]
)
def test_context_through_the_finder_equals_the_one_that_reads_everything(
    store: Store, query: str | None
) -> None:
    store.write(
        *(note(f"budget {n} 예산", NOW + timedelta(days=n)) for n in range(6)), likes("figs")
    )
    asked = ContextRequest(query=query, reference_time=store.now, token_budget=4000)

    whole = recall.context(store.house, ANN, asked, HERE)
    found = recall.context(replace(store.house, finder=store.finder), ANN, asked, HERE)

    assert (found.text, found.known_epoch) == (whole.text, whole.known_epoch)
    assert found.excluded_by_reason == whole.excluded_by_reason


def test_what_a_grant_opens_is_searched_at_once_and_what_it_closes_is_not(store: Store) -> None:
    team = Scope(scope_id="team", kind="team")
    scopes = SqlScopes(store.finder._database)
    (mine,) = store.write(note("budget"))

    def found() -> set[str]:
        def asked(standing: Standing) -> Search | None:
            shared = [each.scope.scope_id for each in standing.grants if each.visible]
            return Search(scopes=("ann", *shared), now=store.now, words=("budget",))

        return {each.memory_id for each in store.finder.sought("default", "ann", asked).memories}

    scopes.put_scope("default", team)
    before = found()
    scopes.put_grant("default", "ann", Grant(scope=team, writable=True))
    (ours,) = store.write(note("budget", scope_id="team"))
    granted = [found(), found()]
    scopes.put_grant("default", "ann", Grant(scope=team, visible=False))

    assert (before, granted, found()) == ({mine}, [{mine, ours}] * 2, {mine})


def test_who_sees_nothing_finds_nothing(store: Store) -> None:
    assert store.finder.sought("default", "ann", lambda _: None) is None
