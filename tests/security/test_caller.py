"""Who a credential is: the header alone decides, and every failure looks the same."""

from datetime import UTC, datetime

import pytest

from moss_memory.api.caller import Bearer, DevNames
from moss_memory.api.static_keys import StaticKeys
from moss_memory.core.access import RIGHTS, Caller
from moss_memory.core.errors import TenantNotServedError, UnauthenticatedError

NOW = datetime(2026, 7, 16, 5, tzinfo=UTC)
KEY = "static-key-of-the-tests"


def dev(header: str | None) -> Caller:
    return Bearer(DevNames()).authenticate(header, NOW)


def test_dev_name_is_a_principal_of_the_default_tenant_with_all_rights() -> None:
    assert dev("Bearer dev:kim") == Caller(tenant_id="default", principal_id="kim", rights=RIGHTS)


def test_dev_name_may_name_its_tenant() -> None:
    assert dev("bearer  dev:acme:kim@example.org").tenant_id == "acme"


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Basic ZGV2OmtpbQ==",
        "dev:kim",
        "Bearer dev:",
        "Bearer dev:a:b:c",
        "Bearer dev:ki m",
        "Bearer dev:김",
        "Bearer dev:kim\n",
        "Bearer dev:kim\x00",
        "Bearer dev:" + "k" * 129,
        "Bearer dev::kim",
        "Bearer kim",
        "Bearer dev:a/b",
        "Bearer " + "x" * 9000,
        "Bearer dev:kim, Bearer dev:lee",
    ],
)
def test_bad_credential_is_unauthenticated_and_says_nothing_of_its_cause(
    header: str | None,
) -> None:
    with pytest.raises(UnauthenticatedError) as caught:
        dev(header)

    assert (str(caught.value), caught.value.members) == (str(UnauthenticatedError()), {})


def test_dev_name_is_nobody_in_keys_mode() -> None:
    door = Bearer(StaticKeys(f"{KEY}:acme:kim"))

    with pytest.raises(UnauthenticatedError):
        door.authenticate("Bearer dev:acme:kim", NOW)


def test_static_key_names_its_principal_and_rights() -> None:
    keys = StaticKeys(f"{KEY}:acme:kim:debug")

    assert keys.caller(KEY, NOW) == Caller(
        tenant_id="acme", principal_id="kim", rights=frozenset({"debug"})
    )


def test_static_right_may_hold_a_colon() -> None:
    keys = StaticKeys(f"{KEY}:acme:kim:audit:read+scope:admin")
    caller = keys.caller(KEY, NOW)

    assert caller is not None
    assert caller.rights == {"audit:read", "scope:admin"}


def test_static_key_without_rights_has_none() -> None:
    caller = StaticKeys(f" {KEY}:acme:kim , other:acme:lee").caller("other", NOW)

    assert caller == Caller(tenant_id="acme", principal_id="lee")


@pytest.mark.parametrize("offered", ["", KEY[:-1], KEY + "x", KEY.upper()])
def test_wrong_static_key_is_nobody(offered: str) -> None:
    assert StaticKeys(f"{KEY}:acme:kim").caller(offered, NOW) is None


@pytest.mark.parametrize(
    "setting",
    [
        KEY,
        f"{KEY}:acme",
        f":{KEY}:kim",
        f"{KEY}:a b:kim",
        f"{KEY}:a:k:root",
        f"{KEY}:a:k,{KEY}:b:l",
    ],
)
def test_malformed_static_keys_are_refused_without_showing_one(setting: str) -> None:
    with pytest.raises(ValueError, match="MOSS_STATIC_KEYS") as caught:
        StaticKeys(setting)

    assert KEY not in str(caught.value)


def test_static_keys_are_kept_as_digests() -> None:
    assert KEY not in repr(vars(StaticKeys(f"{KEY}:acme:kim")))


def test_tenant_that_is_not_served_is_told_so_after_its_credential_holds() -> None:
    door = Bearer(DevNames(), tenant="default")

    assert door.authenticate("Bearer dev:kim", NOW).tenant_id == "default"
    with pytest.raises(TenantNotServedError):
        door.authenticate("Bearer dev:acme:kim", NOW)
