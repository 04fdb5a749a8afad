"""What a process remembers so as not to work twice holds nobody's words after an erasure."""

import gc
import io
import sys
from collections.abc import Iterator
from functools import lru_cache
from types import BuiltinFunctionType, FunctionType, ModuleType

import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from moss_memory.app import create_app
from moss_memory.settings import Settings

WORD = "zanzi" + "barium"  # in nobody else's text
CREDENTIAL = {"Authorization": "Bearer dev:ana"}
START, END = "2027-01-05T10:00:00Z", "2027-01-05T11:00:00Z"
FACTS = [
    {
        "domain": "Schedule",
        "subject": "Calendar",
        "predicate": "meeting",
        "object_value": f"{WORD} review",
        "when": {"start": START, "end": END},
    },
    {
        "domain": "Store",
        "subject": f"{WORD}/x",
        "predicate": "item",
        "object_value": f'{{"{WORD}": 1}}',
    },
]
CACHE = type(lru_cache(str.upper))
BEYOND = (ModuleType, type, FunctionType, BuiltinFunctionType)


@pytest.fixture(params=["sqlite", "postgres"])
def client(request: pytest.FixtureRequest) -> Iterator[TestClient]:
    """Ana, at a service over each engine."""
    url = SecretStr(request.getfixturevalue(f"{request.param}_url"))
    app = create_app(Settings(database_url=url), lines=io.StringIO())
    with TestClient(app, headers=CREDENTIAL) as made:
        yield made


def remembered() -> Iterator[object]:
    """Yield what the service's caches and its modules' own tables hold."""
    for each in gc.get_objects():
        if isinstance(each, CACHE):
            made_by = getattr(each, "__module__", None) or ""
            if made_by.startswith("moss_memory"):
                yield from gc.get_referents(each)
    for name, module in list(sys.modules.items()):
        if name.startswith("moss_memory"):
            yield from vars(module).values()


def holders(word: str) -> list[str]:
    """Return the texts with ``word`` that are reached from what is remembered."""
    seen, found, left = set[int](), list[str](), list(remembered())
    while left:
        each = left.pop()
        if isinstance(each, str | bytes):
            text = each if isinstance(each, str) else each.decode("latin-1")
            found += [text] if word in text else []
        elif id(each) not in seen and not isinstance(each, BEYOND):
            seen.add(id(each))
            left += gc.get_referents(each)
    return found


def use(client: TestClient) -> None:
    """Write, revise, read and search in all the ways that remember something."""
    for fact in FACTS:
        made = client.post("/memories", json={"facts": [fact]}).json()
        where = f"/memories/{made['facts'][0]['memory_id']}"
        client.patch(where, json={"object_value": fact["object_value"] + " "})
        for path in (where, f"{where}/revisions"):
            assert client.get(path).status_code == 200
    asked = {"text": f"What about the {WORD} review?"}
    for path, body in (
        ("/chat", asked),
        ("/context", {"query": WORD}),
        ("/lint", {"facts": FACTS}),
    ):
        assert client.post(path, json=body).status_code == 200
    for query in ("", "?valid_at=2027-01-05T10:30:00Z", "?known_at=2099-01-01T00:00:00Z"):
        assert WORD in client.get(f"/memories{query}").text


def test_no_word_of_an_erased_principal_is_left_in_the_process(client: TestClient) -> None:
    use(client)
    before = holders(WORD)
    assert client.post("/erasures", json={"principal_id": "ana"}).status_code == 201

    assert before
    assert list(map(repr, holders(WORD))) == []
