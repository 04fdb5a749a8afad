"""API keys: their form, who may make them, and that a revoked one is dead within five seconds."""

import gc
import secrets
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moss_memory.api.caller import Bearer
from moss_memory.api.stored_keys import StoredKeys
from moss_memory.core.access import RIGHTS, Caller
from moss_memory.core.errors import (
    IdempotencyKeyReusedError,
    InvalidRequestError,
    InvalidValueError,
    NotFoundError,
    RightMissingError,
    StorageUnavailableError,
    UnauthenticatedError,
)
from moss_memory.core.screening import redact
from moss_memory.flow.key_form import digest_of, draw_key, read_key
from moss_memory.flow.keys import Keyring, NewKey, create_key, first_key, list_keys, revoke_key
from moss_memory.flow.ports import IdempotencyKey

ADMIN = Caller(tenant_id="t", principal_id="admin", rights=frozenset({"key:admin", "debug"}))
PEPPER = "a pepper of the tests"


@pytest.fixture
def ring(key_store: Any) -> Keyring:
    return Keyring(key_store, PEPPER, secrets.token_bytes)


@pytest.fixture
def made(ring: Keyring, now: datetime) -> str:
    asked = NewKey(
        principal_id="kim",
        source_ceiling="task_result",
        read_mode="off",
        rights=frozenset({"debug"}),
    )
    return create_key(ring, ADMIN, asked, now=now).key or ""


def who(store: Any, key: str, now: datetime, *peppers: str) -> Caller | None:
    return StoredKeys(store, peppers or (PEPPER,)).caller(key, now)


@settings(max_examples=100)
@given(st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32))
def test_key_reads_back_from_its_text(first: bytes, second: bytes) -> None:
    drawn = iter([first, second])
    key = draw_key(lambda _: next(drawn))

    assert read_key(str(key)) == key


def test_key_has_the_form_of_the_contract(made: str) -> None:
    prefix, _, rest = made.partition("_live_")

    assert (prefix, len(rest), rest[12]) == ("moss", 12 + 1 + 32 + 6, "_")


@pytest.mark.parametrize("place", [-1, -7, 30])
def test_mistyped_key_is_refused_without_a_look_up(
    key_store: Any, made: str, now: datetime, place: int
) -> None:
    swap = "a" if made[place] != "a" else "b"
    wrong = made[:place] + swap + made[place + 1 or len(made) :]

    assert who(key_store, wrong, now) is None
    assert key_store.found == 0


def test_store_keeps_no_secret(key_store: Any, made: str) -> None:
    (record,) = key_store.records.values()
    key = read_key(made)

    assert key is not None
    assert record.digest == digest_of(key.secret, PEPPER)
    assert key.secret not in repr(record)


def test_key_speaks_for_its_principal_with_what_it_was_given(
    key_store: Any, made: str, now: datetime
) -> None:
    (record,) = key_store.records.values()

    assert who(key_store, made, now) == Caller(
        tenant_id="t",
        principal_id="kim",
        rights=frozenset({"debug"}),
        source_ceiling="task_result",
        read_mode="off",
        key_id=record.key_id,
    )


def test_wrong_secret_of_a_known_id_is_refused(key_store: Any, made: str, now: datetime) -> None:
    known = read_key(made)
    assert known is not None
    other = draw_key(secrets.token_bytes)._replace(key_id=known.key_id)

    assert who(key_store, str(other), now) is None


def steps(keys: StoredKeys, key: str, now: datetime) -> list[str]:
    """Return every function that judging ``key`` calls, Python's and C's, in order."""
    called: list[str] = []

    def note(frame: Any, event: str, arg: Any) -> None:
        if event == "call":
            called.append(frame.f_code.co_qualname)
        elif event == "c_call":
            called.append(getattr(arg, "__qualname__", repr(arg)))

    gc.disable()  # what collects garbage calls functions of its own
    sys.setprofile(note)
    try:
        keys.caller(key, now)
    finally:
        sys.setprofile(None)
        gc.enable()
    return called


@pytest.mark.parametrize("peppers", [(PEPPER,), ("a new pepper", PEPPER)])
@pytest.mark.parametrize("seconds", [0, 1, 5])
def test_unknown_id_takes_the_steps_of_a_known_one(
    key_store: Any, made: str, now: datetime, peppers: tuple[str, ...], seconds: int
) -> None:
    """Whether the right key came just before, long ago or never: no step tells them apart."""
    known = read_key(made)
    assert known is not None
    keys = StoredKeys(key_store, peppers)
    keys.caller(made, now)
    later = now + timedelta(seconds=seconds)
    unknown, wrong = [], []
    for _ in range(50):
        drawn = draw_key(secrets.token_bytes)
        unknown.append(steps(keys, str(drawn), later))
        wrong.append(steps(keys, str(drawn._replace(key_id=known.key_id)), later))

    assert unknown == wrong
    assert [one.count("digest_of") for one in unknown] == [len(peppers)] * 50
    assert [one.count("MemoryKeys.find") for one in unknown] == [1] * 50


def test_ten_thousand_random_keys_are_refused(key_store: Any, made: str, now: datetime) -> None:
    keys = StoredKeys(key_store, (PEPPER,))
    drawn = (str(draw_key(secrets.token_bytes)) for _ in range(10_000))

    assert not any(keys.caller(key, now) for key in drawn)


def test_expired_key_is_refused_at_its_instant(
    ring: Keyring, key_store: Any, now: datetime
) -> None:
    ends = now + timedelta(hours=1)
    key = create_key(ring, ADMIN, NewKey(principal_id="kim", expires_at=ends), now=now).key or ""
    keys = StoredKeys(key_store, (PEPPER,))

    assert keys.caller(key, ends - timedelta(microseconds=1))
    assert keys.caller(key, ends) is None


def test_revoked_key_is_refused_before_five_seconds_are_over(
    key_store: Any, made: str, now: datetime
) -> None:
    keys = StoredKeys(key_store, (PEPPER,))
    keys.caller(made, now)
    (key_id,) = key_store.records
    revoke_key(key_store, ADMIN, key_id, now=now)

    assert keys.caller(made, now + timedelta(seconds=4.9)) is None


def test_clock_that_steps_back_prolongs_no_key(key_store: Any, made: str, now: datetime) -> None:
    keys = StoredKeys(key_store, (PEPPER,))
    keys.caller(made, now)
    (key_id,) = key_store.records
    revoke_key(key_store, ADMIN, key_id, now=now)

    assert keys.caller(made, now - timedelta(hours=1)) is None


def test_key_is_looked_up_once_in_four_seconds(key_store: Any, made: str, now: datetime) -> None:
    keys = StoredKeys(key_store, (PEPPER,))
    for second in range(4):
        assert keys.caller(made, now + timedelta(seconds=second))

    assert key_store.found == 1


def test_key_under_the_pepper_being_replaced_still_serves(
    key_store: Any, made: str, now: datetime
) -> None:
    assert who(key_store, made, now, "a new pepper", PEPPER)
    assert who(key_store, made, now, "a new pepper") is None


def test_day_of_use_is_noted_once_a_day(key_store: Any, made: str, now: datetime) -> None:
    who(key_store, made, now)
    (record,) = key_store.records.values()

    assert record.last_used_day == now.date()


def test_key_serves_while_its_day_of_use_cannot_be_noted(
    key_store: Any, made: str, now: datetime
) -> None:
    class ReadOnly:
        find = key_store.find

        def note_use(self, *_: object) -> None:
            raise StorageUnavailableError

    assert who(ReadOnly(), made, now)


def test_store_that_cannot_be_reached_lets_nobody_in(made: str, now: datetime) -> None:
    class Down:
        def find(self, key_id: str) -> None:
            raise StorageUnavailableError

    with pytest.raises(StorageUnavailableError):
        who(Down(), made, now)


def test_third_live_key_is_refused_and_rotation_needs_two(ring: Keyring, now: datetime) -> None:
    for _ in range(2):
        create_key(ring, ADMIN, NewKey(principal_id="kim"), now=now)

    with pytest.raises(InvalidRequestError):
        create_key(ring, ADMIN, NewKey(principal_id="kim"), now=now)


@pytest.mark.parametrize(
    "asked",
    [
        NewKey(principal_id="kim kim"),
        NewKey(principal_id=""),
        NewKey(principal_id="k" * 129),
        NewKey(principal_id="kim", rights=frozenset({"root"})),
        NewKey(principal_id="kim", expires_at=datetime(2026, 7, 16, 5, tzinfo=UTC)),
    ],
)
def test_malformed_key_is_not_made(ring: Keyring, now: datetime, asked: NewKey) -> None:
    with pytest.raises(InvalidValueError):
        create_key(ring, ADMIN, asked, now=now)


def test_nobody_hands_on_a_right_they_lack(ring: Keyring, now: datetime) -> None:
    asked = NewKey(principal_id="kim", rights=frozenset({"erasure:admin"}))

    with pytest.raises(RightMissingError):
        create_key(ring, ADMIN, asked, now=now)


def test_keys_are_not_made_listed_or_revoked_without_the_right(
    ring: Keyring, key_store: Any, now: datetime
) -> None:
    kim = Caller(tenant_id="t", principal_id="kim")

    with pytest.raises(RightMissingError):
        create_key(ring, kim, NewKey(principal_id="kim"), now=now)
    with pytest.raises(RightMissingError):
        list_keys(key_store, kim)
    with pytest.raises(RightMissingError):
        revoke_key(key_store, kim, "a" * 12, now=now)


def test_key_of_another_tenant_is_not_found_and_stays(
    key_store: Any, made: str, now: datetime
) -> None:
    (key_id,) = key_store.records
    stranger = Caller(tenant_id="u", principal_id="admin", rights=RIGHTS)

    with pytest.raises(NotFoundError):
        revoke_key(key_store, stranger, key_id, now=now)
    assert list_keys(key_store, stranger) == ()
    assert who(key_store, made, now)


def test_same_request_again_names_the_same_key_and_shows_it_no_more(
    ring: Keyring, now: datetime
) -> None:
    once = IdempotencyKey("POST /keys", "one", "hash")
    first = create_key(ring, ADMIN, NewKey(principal_id="kim"), now=now, idempotency=once)
    again = create_key(ring, ADMIN, NewKey(principal_id="kim"), now=now, idempotency=once)

    assert (again.key_id, again.key, again.replayed) == (first.key_id, None, True)


def test_same_idempotency_key_with_another_request_is_refused(ring: Keyring, now: datetime) -> None:
    for request_hash, principal in (("a", "kim"), ("b", "lee")):
        key = IdempotencyKey("POST /keys", "one", request_hash)
        if request_hash == "b":
            with pytest.raises(IdempotencyKeyReusedError):
                create_key(ring, ADMIN, NewKey(principal_id=principal), now=now, idempotency=key)
        else:
            create_key(ring, ADMIN, NewKey(principal_id=principal), now=now, idempotency=key)


def test_operator_makes_the_first_key_with_every_right(
    ring: Keyring, key_store: Any, now: datetime
) -> None:
    key = first_key(ring, "t", NewKey(principal_id="root", rights=RIGHTS), now=now).key or ""
    caller = who(key_store, key, now)

    assert caller is not None
    assert caller.rights == RIGHTS


def test_log_line_never_holds_a_key(made: str) -> None:
    assert redact(f"refused {made} twice") == "refused [moss_api_key] twice"


def test_key_of_the_store_opens_the_service(key_store: Any, made: str, now: datetime) -> None:
    door = Bearer(StoredKeys(key_store, (PEPPER,)))

    assert door.authenticate(f"Bearer {made}", now).principal_id == "kim"
    with pytest.raises(UnauthenticatedError):
        door.authenticate(f"Bearer {made[:-1]}", now)
