"""Keys in dev mode: made, used, limited and revoked without a setting."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

FACT = {"domain": "Preference", "subject": "drink", "predicate": "prefers", "object_value": "tea"}


@pytest.fixture
def key(alice: Any, bob: Any) -> dict[str, Any]:
    """A key of Bob's for what a model infers."""
    body = {"principal_id": bob.principal, "source_ceiling": "model_inferred"}
    answer = alice.http.post("/keys", json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


@pytest.fixture
def agent(service: str, key: dict[str, Any]) -> Iterator[httpx2.Client]:
    credential = {"Authorization": f"Bearer {key['key']}"}
    with httpx2.Client(base_url=service, headers=credential, timeout=30, verify=False) as http:
        yield http


def test_a_key_is_shown_once_and_never_listed(alice: Any, key: dict[str, Any]) -> None:
    listed = alice.http.get("/keys")

    assert set(key) == {"key_id", "key"}
    assert key["key_id"] in [item["key_id"] for item in listed.json()["items"]]
    assert key["key"] not in listed.text


def test_a_key_speaks_for_its_principal(agent: httpx2.Client, bob: Any) -> None:
    me = agent.get("/me").json()

    assert (me["principal_id"], me["rights"]) == (bob.principal, [])


def test_a_key_keeps_to_its_ceiling_and_rights(agent: httpx2.Client) -> None:
    claimed = agent.post("/memories", json={"facts": [{**FACT, "source": "user_explicit"}]})
    reached = agent.post("/keys", json={"principal_id": "another"})

    assert (claimed.status_code, claimed.json()["code"]) == (403, "source_above_ceiling")
    assert (reached.status_code, reached.json()["code"]) == (403, "right_missing")


def test_a_revoked_key_that_was_never_used_is_nobody_s(
    alice: Any, agent: httpx2.Client, key: dict[str, Any]
) -> None:
    revoked = alice.http.delete(f"/keys/{key['key_id']}")

    assert revoked.status_code == 204
    assert agent.get("/me").status_code == 401


def test_a_trace_needs_the_right_to_it(alice: Any, agent: httpx2.Client, bob: Any) -> None:
    refused = agent.post("/chat", json={"text": "Hello there", "debug": True})
    body = {"principal_id": bob.principal, "rights": ["debug"]}
    made = alice.http.post("/keys", json=body).json()["key"]
    allowed = {"Authorization": f"Bearer {made}"}
    told = agent.post("/chat", json={"text": "Hello there", "debug": True}, headers=allowed)
    plain = agent.post("/chat", json={"text": "Hello there"}, headers=allowed)

    assert (refused.status_code, refused.json()["code"]) == (403, "right_missing")
    assert [step["step"] for step in told.json()["trace"]] == ["parse", "answer"]
    assert "trace" not in plain.json()
