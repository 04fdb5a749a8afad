"""What every scope store does; an implementation joins by a name in STORES and its fixture."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from moss_memory.adapters.sql_scopes import SqlScopes
from moss_memory.core.access import Grant, Scope
from moss_memory.flow.ports_access import ScopeStore

TEAM = Scope(scope_id="team-a", kind="team")
STORES = ["memory", "sqlite", "postgres"]


def in_memory() -> ScopeStore:
    spec = importlib.util.spec_from_file_location(
        "access_stores", Path(__file__).with_name("access_stores.py")
    )
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    store: ScopeStore = module.MemoryScopes()
    return store


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[ScopeStore]:
    if request.param == "memory":
        yield in_memory()
        return
    stored = SqlScopes(request.getfixturevalue(f"{request.param}_url"))
    yield stored
    stored.close()


def test_scope_is_read_as_it_was_put_last(store: ScopeStore) -> None:
    changed = Scope(scope_id="team-a", kind="team", approver_must_differ=True)
    store.put_scope("t", TEAM)
    store.put_scope("t", changed)

    assert store.scope("t", "team-a") == changed


def test_scope_of_another_tenant_is_none(store: ScopeStore) -> None:
    store.put_scope("t", TEAM)

    assert store.scope("u", "team-a") is None


@pytest.mark.parametrize("stranger", ["team_a", "team%a", "team-aa", "TEAM-A"])
def test_sign_in_an_id_is_taken_literally(store: ScopeStore, stranger: str) -> None:
    store.put_scope("t", TEAM)

    assert store.scope("t", stranger) is None


def test_scopes_come_by_id_and_page_by_page(store: ScopeStore) -> None:
    for scope in "b_", "a", "B", "b%":
        store.put_scope("t", Scope(scope_id=scope, kind="team"))

    first = store.scopes("t", limit=2)
    rest = store.scopes("t", after=first[-1].scope_id, limit=9)
    assert [scope.scope_id for scope in (*first, *rest)] == ["B", "a", "b%", "b_"]


def test_deleted_grant_was_there_once(store: ScopeStore) -> None:
    store.put_scope("t", TEAM)
    store.put_grant("t", "kim", Grant(scope=TEAM, writable=True))

    assert store.delete_grant("t", "kim", "team-a")
    assert not store.delete_grant("t", "kim", "team-a")


def test_grant_of_another_tenant_is_not_deleted(store: ScopeStore) -> None:
    store.put_scope("t", TEAM)
    store.put_grant("t", "kim", Grant(scope=TEAM))

    assert not store.delete_grant("u", "kim", "team-a")


def test_unknown_principal_does_not_exist(store: ScopeStore) -> None:
    assert not store.principal_exists("t", "nobody")
