"""What our store does beyond LangGraph's interface: history, governance, lives."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moss_memory.integrations.client import problems
from moss_memory.integrations.langgraph_names import name_of, prefix_of, subject_of
from moss_memory.integrations.langgraph_store import MossStore, StoreConflictError

ANN = ("users", "ann")
LABELS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=".\x00"), min_size=1)


@pytest.fixture
def store(service: Any) -> Iterator[MossStore]:
    with MossStore(client=service.client()) as store:
        yield store


def later(minutes: float) -> Callable[[], datetime]:
    """A clock that is ahead: a life that is counted from there."""
    return lambda: datetime.now(UTC) + timedelta(minutes=minutes)  # noqa: TID251


@given(st.lists(LABELS, min_size=1, max_size=4), st.text(st.characters(exclude_categories=["Cs"])))
def test_name_reads_back_from_its_subject(labels: list[str], key: str):
    assert name_of(subject_of(labels, key)) == (tuple(labels), key)


@given(st.lists(LABELS, min_size=2, max_size=4))
def test_subject_begins_like_the_namespace_above_it(labels: list[str]):
    assert subject_of(labels, "k").startswith(prefix_of(labels[:-1]) + ".")


def test_name_is_written_as_the_contract_has_it():
    assert subject_of(("users", "a b"), "x/y.z") == "users.a%20b/x%2Fy.z"


@pytest.mark.parametrize("subject", ["plain", "a/b/c", ".a/k", "/k"])
def test_subject_of_another_making_is_no_name(subject: str):
    assert name_of(subject) is None


def test_replaced_value_stays_in_the_history(store: MossStore):
    store.put(ANN, "food", {"likes": "bibimbap"})
    store.put(ANN, "food", {"likes": "pizza"})
    store.delete(ANN, "food")

    told = [(item.value["likes"], item.active) for item in store.history(ANN, "food")]

    assert told == [
        ("bibimbap", True),
        ("bibimbap", False),
        ("pizza", True),
        ("pizza", False),
    ]


def test_equal_value_makes_no_history(store: MossStore):
    store.put(ANN, "food", {"likes": "bibimbap"})
    store.put(ANN, "food", {"likes": "bibimbap"})

    assert len(store.history(ANN, "food")) == 1


def test_past_is_read_as_it_was_known(store: MossStore):
    store.put(ANN, "food", {"likes": "bibimbap"})
    item = store.get(ANN, "food")
    assert item is not None
    store.put(ANN, "food", {"likes": "pizza"})

    then = store.get(ANN, "food", as_of=item.updated_at)
    before = store.get(ANN, "food", as_of=item.updated_at - timedelta(seconds=1))

    assert then is not None
    assert (then.value, before) == ({"likes": "bibimbap"}, None)


def test_search_reads_the_past_too(store: MossStore):
    store.put(ANN, "food", {"likes": "bibimbap"})
    item = store.get(ANN, "food")
    assert item is not None
    store.delete(ANN, "food")

    assert [found.value for found in store.search(ANN, as_of=item.updated_at)] == [item.value]


def test_expected_revision_is_written_over(store: MossStore):
    store.put(ANN, "food", {"n": 1})
    item = store.get(ANN, "food")
    assert item is not None

    store.put(ANN, "food", {"n": 2}, expected_revision=item.revision)

    after = store.get(ANN, "food")
    assert after is not None
    assert after.value == {"n": 2}


@pytest.mark.parametrize("how", ["put", "put expecting", "delete"])
def test_revision_that_somebody_else_wrote_over_is_refused(store: MossStore, how: str):
    store.put(ANN, "food", {"n": 1})
    item = store.get(ANN, "food")
    assert item is not None
    if how == "delete":
        store.delete(ANN, "food")
    else:
        terms = {"expected_revision": item.revision} if how == "put expecting" else {}
        store.put(ANN, "food", {"n": 2}, **terms)

    with pytest.raises(problems.RevisionConflictError):
        store.put(ANN, "food", {"n": 3}, expected_revision=item.revision)


def test_of_two_writers_over_one_revision_one_succeeds(store: MossStore):
    store.put(ANN, "food", {"n": 0})
    item = store.get(ANN, "food")
    assert item is not None
    expected = item.revision

    def write(number: int) -> str:
        try:
            store.put(ANN, "food", {"n": number}, expected_revision=expected)
        except problems.RevisionConflictError as error:
            return error.code
        return "written"

    with ThreadPoolExecutor(8) as threads:
        outcomes = sorted(threads.map(write, range(1, 9)))

    assert outcomes == ["revision_conflict"] * 7 + ["written"]


def test_every_value_of_many_writers_is_in_the_history(store: MossStore):
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda number: store.put(ANN, "food", {"n": number}), range(8)))

    last = store.get(ANN, "food")
    told = {item.value["n"] for item in store.history(ANN, "food")}
    assert last is not None
    assert told == set(range(8))


def test_revision_of_another_kind_is_refused(store: MossStore):
    with pytest.raises(ValueError, match="revision"):
        store.put(ANN, "food", {"n": 3}, expected_revision="7")


def test_hard_value_is_not_replaced_unasked(store: MossStore):
    store.put(ANN, "diet", {"nuts": False}, hard=True)

    with pytest.raises(StoreConflictError) as caught:
        store.put(ANN, "diet", {"nuts": True})

    item = store.get(ANN, "diet")
    assert item is not None
    assert item.value == {"nuts": False}
    assert caught.value.verdict["conflict_type"] == "ITEM_CONFLICT"
    assert [button["action"] for button in caught.value.actions] == ["replace_old", "cancel"]


def test_conflict_is_settled_through_confirm(store: MossStore):
    store.put(ANN, "diet", {"nuts": False}, hard=True)
    with pytest.raises(StoreConflictError) as caught:
        store.put(ANN, "diet", {"nuts": True})

    store.client.confirm(caught.value.pending["pending_id"], "replace_old")

    item = store.get(ANN, "diet")
    assert item is not None
    assert item.value == {"nuts": True}


def test_older_observation_does_not_replace_a_newer_one_unasked(store: MossStore):
    store.put(ANN, "city", {"is": "Seoul"})

    with pytest.raises(StoreConflictError):
        store.put(ANN, "city", {"is": "Busan"}, observed_at="2020-01-01T00:00:00Z")


def test_what_a_model_infers_waits_for_a_person(service: Any):
    with MossStore(client=service.client(), source="model_inferred", confidence=0.9) as store:
        with pytest.raises(StoreConflictError) as caught:
            store.put(ANN, "city", {"is": "Seoul"})

        assert [button["action"] for button in caught.value.actions] == ["approve", "cancel"]
        assert store.get(ANN, "city") is None


def test_contact_comes_back_masked(store: MossStore):
    store.put(ANN, "contact", {"phone": "010-0000-1234"})

    item = store.get(ANN, "contact")

    assert item is not None
    assert item.value == {"phone": "[phone#1]"}


def test_credential_is_refused(store: MossStore):
    with pytest.raises(problems.TextRefusedError) as caught:
        store.put(ANN, "key", {"token": "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"})

    assert caught.value.field == "object_value"


def test_number_that_would_be_masked_is_refused_before_it_is_sent(store: MossStore):
    with pytest.raises(ValueError, match="string"):
        store.put(ANN, "contact", {"phone": 821000001234})


def test_key_that_would_be_masked_is_refused_before_it_is_sent(store: MossStore):
    with pytest.raises(ValueError, match="key or label"):
        store.put(ANN, "010-0000-1234", {"n": 1})


def test_namespace_longer_than_any_is_empty(store: MossStore):
    assert store.search(("x" * 600,)) == []
    assert store.list_namespaces(prefix=("x" * 600,)) == []


def test_value_beyond_sixteen_kibibytes_is_refused(store: MossStore):
    with pytest.raises(problems.TextTooLongError):
        store.put(ANN, "big", {"text": "x" * 16_384})


def test_value_that_is_no_json_is_refused(store: MossStore):
    with pytest.raises(ValueError, match="JSON"):
        store.put(ANN, "nan", {"n": float("nan")})


def test_item_lives_as_long_as_it_is_told(store: MossStore):
    store.put(ANN, "code", {"n": 1}, ttl=5)
    store.put(ANN, "kept", {"n": 1})

    code, kept = store.get(ANN, "code"), store.get(ANN, "kept")

    assert code is not None
    assert kept is not None
    assert code.expires_at is not None
    assert code.expires_at - code.updated_at == pytest.approx(
        timedelta(minutes=5), abs=timedelta(seconds=30)
    )
    assert kept.expires_at is None


def test_item_whose_life_is_over_is_gone(service: Any):
    client = service.client()
    MossStore(client=client, clock=later(-10)).put(ANN, "code", {"n": 1}, ttl=5)
    store = MossStore(client=client)

    assert store.get(ANN, "code") is None
    assert store.search(ANN) == []


def test_default_life_is_that_of_every_item(service: Any):
    store = MossStore(client=service.client(), ttl={"default_ttl": 5})

    store.put(ANN, "code", {"n": 1})
    store.put(ANN, "kept", {"n": 1}, ttl=None)

    code, kept = store.get(ANN, "code"), store.get(ANN, "kept")
    assert code is not None
    assert kept is not None
    assert (code.expires_at is None, kept.expires_at is None) == (False, True)


@pytest.mark.parametrize("how", ["get", "search", "put the same"])
def test_use_renews_a_life(service: Any, how: str):
    client = service.client()
    MossStore(client=client).put(ANN, "code", {"n": 1}, ttl=60)
    store = MossStore(client=client, clock=later(30))

    if how == "get":
        store.get(ANN, "code")
    elif how == "search":
        store.search(ANN)
    else:
        store.put(ANN, "code", {"n": 1}, ttl=60)

    item = store.get(ANN, "code", refresh_ttl=False)
    assert item is not None
    assert item.expires_at is not None
    assert item.expires_at - later(60)() > timedelta(minutes=25)


def test_use_renews_no_life_where_reads_do_not_refresh(service: Any):
    client = service.client()
    MossStore(client=client).put(ANN, "code", {"n": 1}, ttl=60)
    store = MossStore(client=client, clock=later(30), ttl={"refresh_on_read": False})

    item = store.get(ANN, "code")
    assert item is not None

    assert len(store.history(ANN, "code")) == 1


def test_life_ends_where_the_next_put_names_none(store: MossStore):
    store.put(ANN, "code", {"n": 1}, ttl=60)
    store.put(ANN, "code", {"n": 1})

    item = store.get(ANN, "code")

    assert item is not None
    assert item.expires_at is None


def test_query_brings_what_is_relevant_first(store: MossStore):
    store.put(ANN, "food", {"text": "likes pizza with basil"})
    store.put(ANN, "city", {"text": "lives in Seoul"})
    store.put(ANN, "work", {"text": "works at a bank"})

    found = store.search(ANN, query="pizza basil")

    assert (found[0].key, len(found)) == ("food", 3)
    assert found[0].score is not None


def test_search_of_many_items_finds_them_all(store: MossStore):
    for number in range(30):
        store.put(ANN, f"k{number}", {"n": number})

    found = store.search(ANN, filter={"n": {"$gte": 10}}, limit=100)

    assert {item.value["n"] for item in found} == set(range(10, 30))


def test_items_of_another_principal_are_not_seen(service: Any, store: MossStore):
    store.put(ANN, "food", {"likes": "bibimbap"})

    with MossStore(client=service.client()) as other:
        assert other.get(ANN, "food") is None
        assert other.search(()) == []
        assert other.list_namespaces() == []


def test_shared_scope_is_a_store_of_its_own(service: Any):
    admin, ann, bob = service.client(), service.principal(), service.principal()
    scope = f"team-{service.principal()}"
    admin.put_scope(scope, "team")
    for member in (ann, bob):
        admin.grant(scope, member, visible=True, writable=True)
    with (
        MossStore(client=service.client(ann), scope_id=scope) as hers,
        MossStore(client=service.client(bob), scope_id=scope) as his,
        MossStore(client=service.client(bob)) as own,
    ):
        hers.put(("team",), "motto", {"is": "ship it"})

        shared = his.get(("team",), "motto")
        assert shared is not None
        assert (shared.value, own.get(("team",), "motto")) == ({"is": "ship it"}, None)
