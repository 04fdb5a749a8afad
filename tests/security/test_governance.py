"""Scopes and grants: only an administrator's, of the own tenant, with ids taken literally."""

from typing import Any

import pytest

from moss_memory.core.access import Caller, Grant, Scope, access_of
from moss_memory.core.errors import (
    InvalidValueError,
    NotFoundError,
    RightMissingError,
    TextRefusedError,
)
from moss_memory.flow.governance import grant, put_scope, revoke_grant, scopes

ADMIN = Caller(tenant_id="t", principal_id="admin", rights=frozenset({"scope:admin"}))
KIM = Caller(tenant_id="t", principal_id="kim")
TEAM = Scope(scope_id="team-a", kind="team")


@pytest.fixture
def team(scope_store: Any) -> Any:
    put_scope(scope_store, ADMIN, "team-a", kind="team")
    return scope_store


def test_scope_is_listed_as_it_was_put(team: Any) -> None:
    assert scopes(team, ADMIN) == (TEAM,)


def test_scope_of_another_tenant_is_neither_listed_nor_granted(team: Any) -> None:
    stranger = Caller(tenant_id="u", principal_id="admin", rights=frozenset({"scope:admin"}))

    assert scopes(team, stranger) == ()
    with pytest.raises(NotFoundError):
        grant(team, stranger, "team-a", "kim", visible=True, writable=False)


def test_nothing_is_governed_without_the_right(team: Any) -> None:
    with pytest.raises(RightMissingError):
        put_scope(team, KIM, "kim", kind="personal")
    with pytest.raises(RightMissingError):
        scopes(team, KIM)
    with pytest.raises(RightMissingError):
        grant(team, KIM, "team-a", "kim", visible=True, writable=True)
    with pytest.raises(RightMissingError):
        revoke_grant(team, KIM, "team-a", "kim")


def test_granted_scope_is_reached_and_a_revoked_one_is_not(team: Any) -> None:
    given = grant(team, ADMIN, "team-a", "kim", visible=True, writable=False)
    assert access_of(KIM, [given]).visible == ("kim", "team-a")

    revoke_grant(team, ADMIN, "team-a", "kim")
    assert team.grants == {}


def test_grant_of_neither_is_an_explicit_denial(team: Any) -> None:
    assert grant(team, ADMIN, "team-a", "kim", visible=False, writable=False) == Grant(
        scope=TEAM, visible=False, writable=False
    )


def test_unseen_scope_cannot_be_made_writable(team: Any) -> None:
    with pytest.raises(InvalidValueError):
        grant(team, ADMIN, "team-a", "kim", visible=False, writable=True)


def test_revoking_what_was_never_granted_is_not_found(team: Any) -> None:
    with pytest.raises(NotFoundError):
        revoke_grant(team, ADMIN, "team-a", "kim")


@pytest.mark.parametrize("scope_id", ["", "a b", "팀", "a/b", "x" * 129, "a\n"])
def test_malformed_scope_id_is_refused(scope_store: Any, scope_id: str) -> None:
    with pytest.raises(InvalidValueError):
        put_scope(scope_store, ADMIN, scope_id, kind="team")


@pytest.mark.parametrize("scope_id", ["a_b", "a%b", "a@b", "a+b", "A.B-c"])
def test_scope_id_may_hold_every_allowed_sign(scope_store: Any, scope_id: str) -> None:
    assert put_scope(scope_store, ADMIN, scope_id, kind="team").scope_id == scope_id


@pytest.mark.parametrize("principal", ["admin", "kim"])
def test_shared_scope_cannot_take_the_id_of_a_principal(scope_store: Any, principal: str) -> None:
    scope_store.principals.add(("t", "kim"))

    with pytest.raises(InvalidValueError):
        put_scope(scope_store, ADMIN, principal, kind="team")


def test_shared_scope_does_not_become_personal(team: Any) -> None:
    with pytest.raises(InvalidValueError):
        put_scope(team, ADMIN, "team-a", kind="personal")


def test_scope_may_be_told_to_ask_for_another_approver(team: Any) -> None:
    put_scope(team, ADMIN, "team-a", kind="team", approver_must_differ=True)

    assert scopes(team, ADMIN)[0].approver_must_differ


def test_credential_is_no_name_of_a_scope_or_a_principal(team: Any) -> None:
    token = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"

    with pytest.raises(TextRefusedError):
        put_scope(team, ADMIN, token, kind="team")
    with pytest.raises(TextRefusedError):
        grant(team, ADMIN, "team-a", token, visible=True, writable=False)
