"""The access decision against an oracle that lists what is allowed and denies the rest."""

import random
from itertools import product
from typing import get_args

import pytest

from moss_memory.core.access import (
    Access,
    Action,
    Caller,
    Decision,
    Grant,
    ReadMode,
    Resource,
    Scope,
    WriteMode,
    access_of,
    decide,
    enforce,
    owner_of,
    source_allowed,
)
from moss_memory.core.errors import (
    ApproverMustDifferError,
    MossError,
    NotFoundError,
    RightMissingError,
    ScopeNotWritableError,
)
from moss_memory.core.fact import Source

RIGHTS = {
    "administer_scopes": "scope:admin",
    "administer_keys": "key:admin",
    "erase": "erasure:admin",
    "verify_audit": "audit:read",
    "debug": "debug",
}
KIM = Caller(tenant_id="t", principal_id="kim")


def grant(scope: str, *, visible: bool = True, writable: bool = False, kind: str = "team") -> Grant:
    return Grant(scope=Scope(scope_id=scope, kind=kind), visible=visible, writable=writable)


def kim(**changes: object) -> Caller:
    return Caller(tenant_id="t", principal_id="kim", **changes)


def at(scope: str | None, **changes: object) -> Resource:
    return Resource(tenant_id="t", scope_id=scope, **changes)


def oracle(caller: Caller, action: str, resource: Resource, grants: list[Grant]) -> bool:
    """Say what is allowed, one line a rule; anything else is not."""
    if resource.tenant_id != caller.tenant_id:
        return False
    if action in RIGHTS:
        oneself = action == "erase" and resource.principal_id == caller.principal_id
        return oneself or RIGHTS[action] in caller.rights
    mine = [g for g in grants if g.scope.scope_id == resource.scope_id]
    shared = any(g.scope.kind != "personal" for g in mine)
    owner = resource.scope_id == caller.principal_id and not shared
    sees = (owner or len(mine) > 0) and not any(not g.visible for g in mine)
    may_write = sees and not any(not g.writable for g in mine)
    writes = may_write and caller.write_mode == "writable_scopes"
    proposer = resource.principal_id == caller.principal_id
    return {
        "read": {"off": False, "writable_scopes": may_write, "visible_scopes": sees}[
            caller.read_mode
        ],
        "write": writes,
        "confirm": writes and proposer != resource.approver_must_differ,
        "cancel": proposer or (writes and resource.approver_must_differ),
    }.get(action, False)


def drawn(rng: random.Random) -> tuple[Caller, str, Resource, list[Grant]]:
    scopes = ["kim", "lee", "team-a", "tenant"]
    caller = Caller(
        tenant_id=rng.choice(["t", "u"]),
        principal_id=rng.choice(["kim", "lee"]),
        rights=frozenset(rng.sample(sorted(RIGHTS.values()), rng.randrange(3))),
        read_mode=rng.choice(get_args(ReadMode)),
        write_mode=rng.choice(get_args(WriteMode)),
    )
    resource = Resource(
        tenant_id=rng.choice("ttu"),
        scope_id=rng.choice([*scopes, None]),
        principal_id=rng.choice(["kim", "lee", None]),
        approver_must_differ=rng.random() < 0.5,
    )
    grants = [
        grant(
            rng.choice(scopes),
            visible=rng.random() < 0.8,
            writable=rng.random() < 0.6,
            kind=rng.choice(["personal", "team", "tenant"]),
        )
        for _ in range(rng.randrange(4))
    ]
    return caller, rng.choice([*get_args(Action), "", "grant"]), resource, grants


def test_decision_agrees_with_the_oracle_in_100_000_cases() -> None:
    rng = random.Random(20260716)
    cases = [drawn(rng) for _ in range(100_000)]

    wrong = [case for case in cases if decide(*case).allowed != oracle(*case)]
    assert wrong == []


def test_no_stranger_and_no_other_tenant_is_ever_allowed_without_a_grant() -> None:
    actions = ["read", "write", "confirm"]
    resources = [at("lee"), at("team-a"), Resource(tenant_id="u", scope_id="kim")]

    assert not any(decide(KIM, a, r, []).allowed for a, r in product(actions, resources))


def test_own_scope_needs_no_grant() -> None:
    assert decide(KIM, "write", at("kim"), []) == Decision("allow", "ALLOWED")


def test_denying_grant_wins_over_an_allowing_one_and_over_ownership() -> None:
    both = [grant("kim", writable=True, kind="personal"), grant("kim", kind="personal")]

    assert decide(KIM, "write", at("kim"), both).reason_code == "SCOPE_NOT_WRITABLE"


def test_shared_scope_with_the_id_of_a_principal_is_not_that_principals_own() -> None:
    hidden = [grant("kim", visible=False, kind="team")]

    assert access_of(KIM, hidden) == Access(KIM, (), (), ())


@pytest.mark.parametrize(
    ("action", "resource", "grants", "error"),
    [
        ("read", at("team-a"), [], NotFoundError),
        ("write", at("team-a"), [], NotFoundError),
        ("write", at("team-a"), [grant("team-a")], ScopeNotWritableError),
        ("read", Resource(tenant_id="u", scope_id="kim"), [], NotFoundError),
        ("administer_keys", at(None), [], RightMissingError),
        ("erase", at(None, principal_id="lee"), [], RightMissingError),
        ("confirm", at("kim", principal_id="lee"), [], NotFoundError),
        (
            "confirm",
            at("team-a", principal_id="kim", approver_must_differ=True),
            [grant("team-a", writable=True)],
            ApproverMustDifferError,
        ),
    ],
)
def test_denial_becomes_the_refusal_of_the_contract(
    action: Action, resource: Resource, grants: list[Grant], error: type[MossError]
) -> None:
    with pytest.raises(error):
        enforce(decide(KIM, action, resource, grants))


def test_proposer_may_cancel_where_another_must_approve() -> None:
    pending = at("team-a", principal_id="kim", approver_must_differ=True)

    enforce(decide(KIM, "cancel", pending, [grant("team-a", writable=True)]))


def test_everyone_may_erase_themselves() -> None:
    enforce(decide(KIM, "erase", at(None, principal_id="kim"), []))


def test_own_scope_comes_first_and_the_others_by_id() -> None:
    access = access_of(KIM, [grant("z"), grant("a", writable=True)])

    assert (access.visible, access.writable) == (("kim", "a", "z"), ("kim", "a"))
    assert [scope.scope_id for scope in access.scopes] == ["kim", "a", "z"]


@pytest.mark.parametrize(
    ("read_mode", "write_mode", "visible", "writable"),
    [
        ("visible_scopes", "writable_scopes", ("kim", "team-a"), ("kim",)),
        ("visible_scopes", "off", ("kim", "team-a"), ()),
        ("writable_scopes", "writable_scopes", ("kim",), ("kim",)),
        ("writable_scopes", "off", ("kim",), ()),
        ("off", "writable_scopes", (), ("kim",)),
        ("off", "off", (), ()),
    ],
)
def test_modes_of_the_key_narrow_what_grants_give(
    read_mode: ReadMode, write_mode: WriteMode, visible: tuple[str, ...], writable: tuple[str, ...]
) -> None:
    access = access_of(kim(read_mode=read_mode, write_mode=write_mode), [grant("team-a")])

    assert (access.visible, access.writable) == (visible, writable)


@pytest.mark.parametrize(
    ("ceiling", "allowed"),
    [
        ("user_explicit", set(get_args(Source))),
        ("user_selection", set(get_args(Source)) - {"user_explicit"}),
        ("user_feedback", set(get_args(Source)) - {"user_explicit"}),
        ("task_result", {"vision", "task_result", "model_inferred"}),
        ("vision", {"vision", "task_result", "model_inferred"}),
        ("model_inferred", {"model_inferred"}),
    ],
)
def test_ceiling_admits_sources_of_no_more_weight(ceiling: Source, allowed: set[Source]) -> None:
    assert {source for source in get_args(Source) if source_allowed(ceiling, source)} == allowed


def test_owner_of_a_scope_has_its_id() -> None:
    assert owner_of("kim") == "kim"
