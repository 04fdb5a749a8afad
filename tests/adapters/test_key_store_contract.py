"""What every key store does; an implementation joins by a name in STORES."""

import importlib.util
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from moss_memory.adapters.sql_keys import SqlKeys
from moss_memory.core.errors import IdempotencyKeyReusedError
from moss_memory.flow.ports import IdempotencyKey, Receipt
from moss_memory.flow.ports_access import Claim, KeyRecord, KeyStore

NOW = datetime(2026, 7, 16, 5, tzinfo=UTC)
STORES = ["memory", "sqlite", "postgres"]


def in_memory() -> KeyStore:
    spec = importlib.util.spec_from_file_location(
        "access_stores", Path(__file__).with_name("access_stores.py")
    )
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    store: KeyStore = module.MemoryKeys()
    return store


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[KeyStore]:
    if request.param == "memory":
        yield in_memory()
        return
    stored = SqlKeys(request.getfixturevalue(f"{request.param}_url"))
    yield stored
    stored.close()


def record(key_id: str, principal: str = "kim", **changes: object) -> KeyRecord:
    made = KeyRecord(
        key_id=key_id.ljust(12, "0"),
        tenant_id="t",
        principal_id=principal,
        digest="d" * 64,
        created_at=NOW,
        rights=frozenset({"debug", "audit:read"}),
        source_ceiling="task_result",
        read_mode="writable_scopes",
        write_mode="off",
        expires_at=NOW + timedelta(days=90),
    )
    return replace(made, **changes)


def claim(key: str = "k", request_hash: str = "h") -> Claim:
    return Claim(
        principal_id="admin",
        idempotency=IdempotencyKey("POST /keys", key, request_hash),
        receipt=Receipt(kind="key", http_status=201, data={"key_id": "a"}),
    )


def test_key_is_found_as_it_was_added(store: KeyStore) -> None:
    store.add(record("a"), live_limit=2, now=NOW)

    assert store.find(record("a").key_id) == record("a")


def test_unknown_key_is_none(store: KeyStore) -> None:
    assert store.find("nobody000000") is None


def test_third_live_key_of_a_principal_is_not_added(store: KeyStore) -> None:
    for name in "ab":
        assert not store.add(record(name), live_limit=2, now=NOW).full

    assert store.add(record("c"), live_limit=2, now=NOW).full
    assert store.find(record("c").key_id) is None


@pytest.mark.parametrize("end", ["revoked", "expired"])
def test_key_that_is_no_longer_live_makes_room(store: KeyStore, end: str) -> None:
    store.add(record("a", expires_at=NOW if end == "expired" else None), live_limit=1, now=NOW)
    if end == "revoked":
        store.revoke("t", record("a").key_id, now=NOW)

    assert not store.add(record("b"), live_limit=1, now=NOW).full


def test_same_principal_of_another_tenant_has_keys_of_its_own(store: KeyStore) -> None:
    store.add(record("a"), live_limit=1, now=NOW)

    assert not store.add(record("b", tenant_id="u"), live_limit=1, now=NOW).full


def test_two_adds_at_once_do_not_exceed_the_limit(store: KeyStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        added = list(
            pool.map(lambda n: store.add(record(f"k{n}"), live_limit=2, now=NOW), range(8))
        )

    assert sum(not each.full for each in added) == 2


def test_second_add_under_one_claim_gives_the_first_answer_and_adds_nothing(
    store: KeyStore,
) -> None:
    store.add(record("a"), live_limit=2, now=NOW, claim=claim())
    again = store.add(record("b"), live_limit=2, now=NOW, claim=claim())

    assert again.replay is not None
    assert (again.replay.request_hash, again.replay.receipt.data["key_id"]) == ("h", "a")
    assert store.find(record("b").key_id) is None


def test_claim_is_not_kept_where_nothing_was_added(store: KeyStore) -> None:
    store.add(record("a"), live_limit=1, now=NOW)
    store.add(record("b"), live_limit=1, now=NOW, claim=claim())

    assert store.add(record("c"), live_limit=2, now=NOW, claim=claim()).replay is None


def test_keys_come_newest_first_and_page_by_page(store: KeyStore) -> None:
    for number in range(3):
        made = record(f"k{number}", f"p{number}", created_at=NOW + timedelta(seconds=number))
        store.add(made, live_limit=2, now=NOW)
    store.add(record("x", tenant_id="u"), live_limit=2, now=NOW)

    first = store.keys("t", limit=2)
    rest = store.keys("t", before=(first[-1].created_at, first[-1].key_id), limit=2)
    assert [key.key_id[:2] for key in (*first, *rest)] == ["k2", "k1", "k0"]


def test_revoked_key_stays_found_with_the_instant_of_its_first_revocation(store: KeyStore) -> None:
    store.add(record("a"), live_limit=2, now=NOW)

    assert store.revoke("t", record("a").key_id, now=NOW)
    assert store.revoke("t", record("a").key_id, now=NOW + timedelta(hours=1))
    assert store.find(record("a").key_id) == record("a", revoked_at=NOW)


@pytest.mark.parametrize(("tenant", "key_id"), [("u", "a"), ("t", "b")])
def test_revoking_what_the_tenant_has_not_is_false(
    store: KeyStore, tenant: str, key_id: str
) -> None:
    store.add(record("a"), live_limit=2, now=NOW)

    assert not store.revoke(tenant, record(key_id).key_id, now=NOW)
    assert store.find(record("a").key_id) == record("a")


def test_day_of_use_moves_forward_only(store: KeyStore) -> None:
    store.add(record("a"), live_limit=2, now=NOW)
    for day in (date(2026, 7, 16), date(2026, 7, 15)):
        store.note_use("t", record("a").key_id, day)
    store.note_use("t", "nobody000000", date(2026, 7, 16))

    assert store.find(record("a").key_id) == record("a", last_used_day=date(2026, 7, 16))


def test_claim_of_a_revocation_is_kept_with_it_and_not_without(store: KeyStore) -> None:
    store.add(record("a"), live_limit=2, now=NOW)

    assert not store.revoke("t", record("b").key_id, now=NOW, claim=claim())
    assert store.revoke("t", record("a").key_id, now=NOW, claim=claim(request_hash="other"))
    with pytest.raises(IdempotencyKeyReusedError):
        store.revoke("t", record("a").key_id, now=NOW, claim=claim())


def test_same_revocation_again_is_the_same_answer(store: KeyStore) -> None:
    store.add(record("a"), live_limit=2, now=NOW)

    assert store.revoke("t", record("a").key_id, now=NOW, claim=claim())
    assert store.revoke("t", record("a").key_id, now=NOW, claim=claim())
