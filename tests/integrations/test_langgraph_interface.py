"""What LangGraph's store interface promises, of its own store in memory and of ours alike."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from moss_memory.integrations.langgraph_store import MossStore

ANN = ("users", "ann")


@pytest.fixture(params=["in memory", "moss"])
def store(request: pytest.FixtureRequest) -> Iterator[BaseStore]:
    if request.param == "in memory":
        yield InMemoryStore()
        return
    service = request.getfixturevalue("service")
    with MossStore(client=service.client()) as store:
        yield store


def keys(items: list[Any]) -> set[str]:
    return {item.key for item in items}


def test_what_was_put_is_got(store: BaseStore):
    store.put(ANN, "food", {"likes": "bibimbap", "how": {"hot": True, "level": 3}})

    item = store.get(ANN, "food")

    assert item is not None
    assert (item.namespace, item.key) == (ANN, "food")
    assert item.value == {"likes": "bibimbap", "how": {"hot": True, "level": 3}}


def test_what_was_never_put_is_none(store: BaseStore):
    assert store.get(ANN, "food") is None


def test_later_value_takes_the_place_of_the_earlier(store: BaseStore):
    store.put(ANN, "food", {"likes": "bibimbap"})
    store.put(ANN, "food", {"likes": "pizza"})

    item = store.get(ANN, "food")

    assert item is not None
    assert item.value == {"likes": "pizza"}


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"text": "할 일: 장보기"},
        {"list": [1, 2.5, None, True, "x"]},
        {"deep": {"a": {"b": [{"c": ""}]}}},
        {"quote": 'say "hi" \\ / \n\t'},
    ],
)
def test_value_comes_back_as_it_went(store: BaseStore, value: dict[str, Any]):
    store.put(ANN, "k", value)

    item = store.get(ANN, "k")

    assert item is not None
    assert item.value == value


@pytest.mark.parametrize("key", ["a/b", "a.b", "a b", "%2F", "키", "", "ANN", "?&=#", "*"])
def test_any_key_names_its_own_item(store: BaseStore, key: str):
    store.put(ANN, key, {"v": 1})
    store.put(ANN, "other", {"v": 2})

    item = store.get(ANN, key)

    assert item is not None
    assert (item.key, item.value) == (key, {"v": 1})


@pytest.mark.parametrize("label", ["a/b", "a b", "%2E", "이름", "*", "~"])
def test_any_label_names_its_own_namespace(store: BaseStore, label: str):
    store.put(("users", label), "k", {"v": 1})

    assert store.get(("users", label), "k") is not None
    assert store.list_namespaces() == [("users", label)]


@pytest.mark.parametrize("namespace", [(), ("a.b",), ("",), ("langgraph", "x")])
def test_namespace_that_names_nothing_is_refused(store: BaseStore, namespace: tuple[str, ...]):
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {"v": 1})


def test_deleted_item_is_gone_everywhere(store: BaseStore):
    store.put(ANN, "food", {"v": 1})
    store.delete(ANN, "food")

    assert store.get(ANN, "food") is None
    assert store.search(ANN) == []


def test_deleting_nothing_is_no_error(store: BaseStore):
    store.delete(ANN, "food")


def test_deleted_item_can_be_put_again(store: BaseStore):
    store.put(ANN, "food", {"v": 1})
    store.delete(ANN, "food")
    store.put(ANN, "food", {"v": 1})

    assert store.get(ANN, "food") is not None


def test_search_finds_what_lies_in_and_below_a_namespace(store: BaseStore):
    store.put(("users",), "a", {"v": 1})
    store.put(ANN, "b", {"v": 1})
    store.put((*ANN, "deep"), "c", {"v": 1})
    store.put(("users", "anna"), "d", {"v": 1})
    store.put(("team",), "e", {"v": 1})

    assert keys(store.search(ANN)) == {"b", "c"}
    assert keys(store.search(())) == {"a", "b", "c", "d", "e"}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"kind": "x"}, {"one", "two"}),
        ({"kind": {"$ne": "x"}}, {"three"}),
        ({"n": {"$eq": 2}}, {"two"}),
        ({"n": {"$gt": 1}}, {"two", "three"}),
        ({"n": {"$gte": 2, "$lt": 3}}, {"two"}),
        ({"n": {"$lte": 1}}, {"one"}),
        ({"kind": "x", "n": 2}, {"two"}),
        ({"tags": ["a", "b"]}, {"three"}),
        ({"in": {"a": 1}}, {"one"}),
        ({"nothing": 1}, set()),
    ],
)
def test_filter_keeps_what_it_says(store: BaseStore, wanted: dict[str, Any], found: set[str]):
    store.put(ANN, "one", {"kind": "x", "n": 1, "in": {"a": 1, "b": 2}})
    store.put(ANN, "two", {"kind": "x", "n": 2})
    store.put(ANN, "three", {"kind": "y", "n": 3, "tags": ["a", "b"]})

    assert keys(store.search(ANN, filter=wanted)) == found


def test_unknown_operator_is_refused(store: BaseStore):
    store.put(ANN, "one", {"n": 1})

    with pytest.raises(ValueError, match=r"\$near"):
        store.search(ANN, filter={"n": {"$near": 1}})


def test_pages_of_a_search_hold_every_item_once(store: BaseStore):
    for number in range(7):
        store.put(ANN, f"k{number}", {"n": number})

    pages = [store.search(ANN, limit=3, offset=offset) for offset in (0, 3, 6)]

    assert [len(page) for page in pages] == [3, 3, 1]
    assert keys([item for page in pages for item in page]) == {f"k{n}" for n in range(7)}


def test_search_returns_ten_items_where_no_limit_is_said(store: BaseStore):
    for number in range(11):
        store.put(ANN, f"k{number}", {"n": number})

    assert len(store.search(ANN)) == 10


TREE = [
    ("a", "b", "c"),
    ("a", "b", "d", "e"),
    ("a", "b", "d", "i"),
    ("a", "b", "f"),
    ("a", "c", "f"),
]


@pytest.mark.parametrize(
    ("narrowed", "found"),
    [
        ({}, sorted(TREE)),
        ({"prefix": ("a", "b")}, TREE[:4]),
        ({"prefix": ("a", "*", "f")}, TREE[3:]),
        ({"prefix": ("*", "c")}, TREE[4:]),
        ({"suffix": ("f",)}, TREE[3:]),
        ({"suffix": ("d", "*")}, TREE[1:3]),
        ({"prefix": ("a", "b"), "suffix": ("f",)}, TREE[3:4]),
        ({"prefix": ("a", "b"), "max_depth": 3}, [TREE[0], ("a", "b", "d"), TREE[3]]),
        ({"max_depth": 1}, [("a",)]),
        ({"limit": 2, "offset": 1}, sorted(TREE)[1:3]),
        ({"prefix": ("b",)}, []),
        ({"prefix": ("a", "b", "c", "d")}, []),
    ],
)
def test_namespaces_are_listed(store: BaseStore, narrowed: dict[str, Any], found: list[Any]):
    for namespace in TREE:
        store.put(namespace, "k", {"v": 1})

    assert store.list_namespaces(**narrowed) == found


def test_batch_reads_before_it_writes(store: BaseStore):
    store.put(ANN, "k", {"v": 1})

    item, put = store.batch([GetOp(ANN, "k"), PutOp(ANN, "k", {"v": 2})])

    assert (item.value, put) == ({"v": 1}, None)


def test_last_of_several_writes_in_a_batch_counts(store: BaseStore):
    store.batch([PutOp(ANN, "k", {"v": 1}), PutOp(ANN, "k", {"v": 2}), PutOp(ANN, "l", None)])

    item = store.get(ANN, "k")

    assert item is not None
    assert item.value == {"v": 2}


def test_batch_answers_in_the_order_of_its_operations(store: BaseStore):
    store.put(ANN, "k", {"v": 1})
    ops = [
        ListNamespacesOp((MatchCondition("prefix", ("users",)),)),
        SearchOp(ANN),
        GetOp(ANN, "nothing"),
        GetOp(ANN, "k"),
    ]

    listed, searched, nothing, got = store.batch(ops)

    assert (listed, keys(searched), nothing, got.key) == ([ANN], {"k"}, None, "k")


def test_awaited_operations_do_the_same(store: BaseStore):
    async def story() -> list[Any]:
        await store.aput(ANN, "k", {"v": 1})
        got = await store.aget(ANN, "k")
        found = await store.asearch(ANN, filter={"v": 1})
        named = await store.alist_namespaces(prefix=("users",))
        await store.adelete(ANN, "k")
        return [got.value, keys(found), named, await store.aget(ANN, "k")]

    assert asyncio.run(story()) == [{"v": 1}, {"k"}, [ANN], None]


def test_awaited_batch_answers_in_order(store: BaseStore):
    store.put(ANN, "k", {"v": 1})

    results = asyncio.run(store.abatch([GetOp(ANN, "k"), PutOp(ANN, "l", {"v": 2})]))

    assert [results[0].value, results[1]] == [{"v": 1}, None]
