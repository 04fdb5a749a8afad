"""Stories that users of memory systems reported, of who may see, who may write, and what enters."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

MEETING = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "meeting",
    "object_value": "design review",
    "when": {"start": "2026-07-17T10:00:00+09:00", "end": "2026-07-17T11:00:00+09:00"},
}
NOTE = MEETING | {"predicate": "note"}
ITEM = {"domain": "Store", "predicate": "item"}
FRIDAY = {"start": "2026-07-17T00:00:00Z", "end": "2026-07-18T00:00:00Z"}


@pytest.fixture
def team(alice: Any) -> Callable[..., str]:
    """Makes a scope of a new name, and grants it."""

    def make(*members: Any, writable: bool = True, **fields: Any) -> str:
        scope = f"team-{alice.principal}"
        alice.told(alice.http.put(f"/scopes/{scope}", json={"kind": "team", **fields}))
        for member in members:
            grant = {"visible": True, "writable": writable}
            alice.told(alice.http.put(f"/scopes/{scope}/grants/{member.principal}", json=grant))
        return scope

    return make


def code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code", "")


def test_c41_erased_person_is_brought_back_by_nothing_and_writes_no_more(alice: Any, bob: Any):
    alice.stored(MEETING)
    alice.told(alice.http.post("/erasures", json={"principal_id": alice.principal}))

    late = [
        alice.propose(NOTE),
        alice.http.post("/chat", json={"text": "Schedule a sync tomorrow at 9 am"}),
    ]

    assert [code(answer) for answer in late] == [(410, "principal_erased")] * 2
    assert bob.memories(status="all") == []


def test_c43_what_an_erased_agent_shared_stays_for_the_others(
    alice: Any, bob: Any, team: Callable[..., str]
):
    scope = team(alice, bob)
    shared = bob.stored(MEETING | {"scope_id": scope})
    bob.told(bob.http.post("/erasures", json={"principal_id": bob.principal}))

    kept = alice.told(alice.http.get(f"/memories/{shared['memory_id']}"))

    assert (kept["status"], kept["object_value"]) == ("active", "design review")
    assert kept["namespace"]["principal_id"] == "erased"


@pytest.fixture
def named(service: str) -> Iterator[Callable[[str], httpx2.Client]]:
    """Return how to speak as a principal of a given name."""
    with ExitStack() as stack:

        def client(name: str) -> httpx2.Client:
            credential = {"Authorization": f"Bearer dev:{name}"}
            made = httpx2.Client(base_url=service, headers=credential, timeout=30, verify=False)
            return stack.enter_context(made)

        yield client


@pytest.mark.parametrize(("wild", "other"), [("c45_%", "c45xy"), ("c45%", "c45abc")])
def test_c45_sign_of_a_pattern_in_a_scope_id_is_a_sign_like_any_other(
    wild: str, other: str, named: Callable[[str], httpx2.Client]
):
    stored = named(other).post("/memories", json={"facts": [MEETING]})
    assert stored.status_code == 201, stored.text
    memory_id = stored.json()["facts"][0]["memory_id"]
    intruder = named(wild)

    assert intruder.get("/memories").json()["items"] == []
    assert intruder.get(f"/memories?scope_id={quote(other)}").json()["items"] == []
    assert intruder.get(f"/memories/{memory_id}").status_code == 404
    window = intruder.post("/context", json={"window": FRIDAY}).json()
    assert (window["included"], window["excluded"]) == ([], [])


@pytest.mark.parametrize("wild", ["a_", "a%", "%", "_"])
def test_c45_sign_of_a_pattern_in_a_prefix_finds_itself_alone(alice: Any, wild: str):
    alice.stored(ITEM | {"subject": "ab/key", "object_value": "1"})
    alice.stored(ITEM | {"subject": f"{quote(wild, safe='_')}/key", "object_value": "2"})

    told = alice.told(alice.http.get("/namespaces", params={"prefix": quote(wild, safe="_")}))

    assert told["items"] == [f"{quote(wild, safe='_')}/key"]


def test_c47_scope_that_is_only_visible_takes_no_write(
    alice: Any, bob: Any, team: Callable[..., str]
):
    scope = team(bob, writable=False)

    refused = bob.propose(MEETING | {"scope_id": scope})

    assert code(refused) == (403, "scope_not_writable")
    assert bob.memories(status="all") == []
    assert alice.told(alice.http.get("/pending"))["items"] == []


def test_c61_number_of_a_card_is_refused_and_one_that_cannot_be_is_plain_text(alice: Any):
    valid, invalid = (" ".join(["4111", *["1111"] * 2, last]) for last in ("1111", "1112"))

    refused = alice.propose(NOTE | {"object_value": f"card {valid}"})

    assert code(refused) == (422, "text_refused")
    assert valid.split()[0] not in refused.text
    assert alice.memories(status="all") == []
    assert alice.stored(NOTE | {"object_value": f"code {invalid}"})["object_value"].endswith(
        invalid
    )


ROUTES: dict[str, Callable[[Any, str], httpx2.Response]] = {
    "one": lambda who, scope: who.propose(MEETING | {"scope_id": scope}),
    "batch": lambda who, scope: who.propose(
        NOTE | {"scope_id": scope, "object_value": "agenda"}, MEETING | {"scope_id": scope}
    ),
    "chat": lambda who, scope: who.http.post(
        "/chat",
        json={
            "text": "Schedule a standup on Friday at 10 AM.",
            "scope_id": scope,
            "timezone": "Asia/Seoul",
            "reference_time": "2026-07-16T14:00:00+09:00",
        },
    ),
    "patch": lambda who, scope: who.http.patch(
        f"/memories/{aside(who, scope)}", json={"when": MEETING["when"], "expected_revision": 1}
    ),
}


def aside(who: Any, scope: str) -> str:
    later = {"start": "2026-07-20T10:00:00Z", "end": "2026-07-20T11:00:00Z"}
    memory = who.stored(MEETING | {"scope_id": scope, "object_value": "later", "when": later})
    return str(memory["memory_id"])


@pytest.mark.parametrize("route", ROUTES)
def test_c71_another_has_to_approve_on_every_route(
    route: str, alice: Any, bob: Any, team: Callable[..., str]
):
    scope = team(alice, bob, approver_must_differ=True)
    alice.stored(MEETING | {"scope_id": scope, "object_value": "rival"})
    held = ROUTES[route](bob, scope).json()
    body = {"pending_id": held["pending"]["pending_id"], "action": "keep_both"}
    before = len(bob.memories())

    assert code(bob.http.post("/confirm", json=body)) == (403, "approver_must_differ")
    assert len(bob.memories()) == before
    assert alice.http.post("/confirm", json=body).json()["status"] == "SUCCESS"


def test_c67_context_of_forty_facts_in_300_tokens_holds_whole_ones_and_names_the_rest(alice: Any):
    notes = [
        NOTE | {"object_value": f"note number {each:02d} about the garden"} for each in range(40)
    ]
    ids = {
        memory["memory_id"]
        for first in range(0, 40, 10)
        for memory in alice.propose(*notes[first : first + 10]).json()["facts"]
    }
    gone = alice.stored(NOTE | {"object_value": "note of a garden that is gone"})
    path = f"/memories/{gone['memory_id']}"
    alice.told(alice.http.delete(path, params={"expected_revision": 1}))

    body = {"query": "what about the garden?", "window": FRIDAY, "token_budget": 300}
    told = alice.told(alice.http.post("/context", json=body))

    taken = {line["memory_id"] for line in told["included"]}
    dropped = {each["memory_id"] for each in told["excluded"] if each["reason"] == "budget"}
    assert 0 < told["tokens"] <= 300
    assert taken | dropped == ids
    assert not taken & dropped
    assert told["text"].count('about the garden" |') == len(taken) == told["text"].count("\n- ")
    assert "gone" not in told["text"]


def test_c73_reason_for_an_absence_is_told_and_nothing_of_others(alice: Any, bob: Any):
    secret = bob.stored(MEETING | {"object_value": "pistachio"})
    brief = alice.stored(NOTE | {"object_value": "brief", "expires_at": "2026-08-01T00:00:00Z"})
    retired = alice.stored(NOTE | {"object_value": "retired"})
    path = f"/memories/{retired['memory_id']}"
    alice.told(alice.http.delete(path, params={"expected_revision": 1}))
    covered = alice.stored(MEETING)
    alice.stored(MEETING | {"predicate": "vacation", "object_value": "Vacation"})

    body = {"window": FRIDAY, "token_budget": 110, "reference_time": "2026-08-02T00:00:00Z"}
    answer = alice.http.post("/context", json=body)
    why = {each["memory_id"]: each["reason"] for each in alice.told(answer)["excluded"]}

    assert why[brief["memory_id"]] == "expired"
    assert why[retired["memory_id"]] == "retired"
    assert why[covered["memory_id"]] == "superseded"
    assert secret["memory_id"] not in answer.text
    assert "pistachio" not in answer.text
