"""The client against a running service: every method does what its name says."""

import asyncio
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from moss_memory.integrations.client import (
    AsyncMossClient,
    FactIn,
    MossClient,
    is_held,
    problems,
)
from moss_memory.integrations.client_problems import BY_CODE

LIKES: FactIn = {
    "domain": "Preference",
    "subject": "food",
    "predicate": "prefers",
    "object_value": "bibimbap",
}


def meeting(title: str, hour: int = 3) -> FactIn:
    start = datetime(2027, 7, 15, hour, tzinfo=UTC)
    return {
        "domain": "Schedule",
        "subject": "Calendar",
        "predicate": "meeting",
        "object_value": title,
        "when": {"start": start, "end": start + timedelta(hours=1)},
    }


VACATION: FactIn = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "vacation",
    "object_value": "Vacation",
    "when": {"date": "2027-07-14", "end_date": "2027-07-19"},
}


def kept(client: MossClient, fact: FactIn) -> Any:
    (memory,) = client.remember(fact)["facts"]
    return memory


def test_caller_is_who_the_key_says(service: Any):
    principal = service.principal()

    assert service.client(principal).me()["principal_id"] == principal


def test_profile_is_set(someone: MossClient):
    someone.update_me(timezone="Asia/Seoul", locale="ko")
    someone.update_me(timezone="Europe/Berlin")

    profile = someone.me()
    assert (profile["timezone"], profile["locale"]) == ("Europe/Berlin", "ko")


def test_words_are_remembered_and_asked_back(someone: MossClient):
    at = datetime(2027, 6, 1, tzinfo=UTC)
    written = someone.chat("I am on vacation from July 14 to July 18, 2027", reference_time=at)
    answered = someone.chat("When is my vacation?", reference_time=at)

    assert (written["intent"], written["status"]) == ("WRITE", "SUCCESS")
    assert answered["status"] == "ANSWERED"


def test_conflict_is_held_listed_and_settled(someone: MossClient):
    someone.remember(VACATION)

    held = someone.remember(meeting("Budget"))

    assert held["pending"] is not None
    pending = held["pending"]["pending_id"]
    assert [each["pending_id"] for each in someone.pendings()] == [pending]
    assert someone.pending(pending)["actions"] == held["actions"]
    assert someone.confirm(pending, "keep_both")["status"] == "SUCCESS"
    assert list(someone.pendings()) == []


def test_dry_run_and_lint_write_nothing(someone: MossClient):
    assert someone.remember(LIKES, dry_run=True)["status"] == "SUCCESS"
    assert someone.lint([LIKES])["verdicts"] == ["SUCCESS"]
    assert list(someone.memories()) == []


def test_repeated_key_gives_the_first_answer_again(someone: MossClient):
    first = someone.remember(LIKES, idempotency_key="k-1")
    again = someone.remember(LIKES, idempotency_key="k-1")

    assert again["facts"][0]["memory_id"] == first["facts"][0]["memory_id"]
    assert again["status"] == first["status"] == "SUCCESS"


def test_memories_are_listed_over_pages(someone: MossClient):
    for hour in range(5):
        someone.remember(meeting(f"M{hour}", hour * 2))

    listed = [memory["object_value"] for memory in someone.memories(limit=2)]

    assert sorted(listed) == [f"M{hour}" for hour in range(5)]


def test_memories_are_narrowed(someone: MossClient):
    someone.remember([LIKES, meeting("A", 3), meeting("B", 9)])

    start = datetime(2027, 7, 15, 8, tzinfo=UTC)
    found = someone.memories(domain="Schedule", overlaps_from=start, overlaps_to=None)

    assert [memory["object_value"] for memory in found] == ["B"]


def test_memory_is_revised_restored_and_forgotten(someone: MossClient):
    memory_id = kept(someone, meeting("A"))["memory_id"]

    second = someone.revise(memory_id, {"object_value": "B"}, expected_revision=1)
    third = someone.restore(memory_id, 1, expected_revision=2)
    fourth = someone.forget(memory_id, expected_revision=3)

    assert not is_held(second)
    assert not is_held(third)
    assert (second["object_value"], third["object_value"]) == ("B", "A")
    assert fourth["status"] == "inactive"
    told = [(each["revision"], each["object_value"]) for each in someone.revisions(memory_id)]
    assert told == [(1, "A"), (2, "B"), (3, "A"), (4, "A")]


def test_revision_that_conflicts_is_held(someone: MossClient):
    kept(someone, VACATION)
    memory = kept(someone, meeting("A") | {"transparency": "free"})

    answer = someone.revise(memory["memory_id"], {"transparency": "busy"}, expected_revision=1)

    assert is_held(answer)
    assert answer["status"] == "CONFIRM_REQUIRED"


def test_stale_revision_names_the_current_one(someone: MossClient):
    memory = kept(someone, meeting("A"))
    someone.revise(memory["memory_id"], {"object_value": "B"}, expected_revision=1)

    with pytest.raises(problems.RevisionConflictError) as caught:
        someone.revise(memory["memory_id"], {"object_value": "C"}, expected_revision=1)

    assert (caught.value.status, caught.value.current_revision) == (409, 2)


def test_past_is_read_as_it_was_known(someone: MossClient):
    memory = kept(someone, meeting("A"))
    someone.revise(memory["memory_id"], {"object_value": "B"}, expected_revision=1)

    then = someone.memory(memory["memory_id"], known_at=memory["recorded_at"])

    assert (then["object_value"], someone.memory(memory["memory_id"])["revision"]) == ("A", 2)


def test_memory_says_why_it_is_there(someone: MossClient):
    memory = kept(someone, LIKES)

    why = someone.why(memory["memory_id"], locale="en")
    decision = someone.decision(why["decision_ids"][0])

    assert why["sentences"]
    assert memory["memory_id"] in {each["memory_id"] for each in decision["memories"]}
    assert decision in list(someone.decisions(memory["memory_id"]))


def test_context_holds_what_is_known(someone: MossClient):
    someone.remember(LIKES)

    context = someone.context("food", token_budget=500, domains=["Preference"])

    assert "bibimbap" in context["text"]
    assert context["tokens"] <= context["token_budget"] == 500


def test_refusal_of_the_rules_carries_the_verdict(someone: MossClient):
    guess: FactIn = {**LIKES, "source": "model_inferred", "confidence": 0.2}

    with pytest.raises(problems.NotAdmittedError) as caught:
        someone.remember(guess)

    assert caught.value.verdict is not None
    assert caught.value.verdict["status"] == "BLOCKED"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"object_value": "x" * 501}, "text_too_long"),
        ({"predicate": "adores"}, "unknown_predicate"),
        ({"expires_at": "2027-01-01T00:00:00"}, "naive_timestamp"),
        ({"object_value": "my pass" + "word is sunflower77"}, "text_refused"),
        ({"domain": "Schedule", "subject": "Calendar", "predicate": "note"}, "window_required"),
    ],
)
def test_refused_fact_raises_its_code(someone: MossClient, change: Any, code: str):
    with pytest.raises(BY_CODE[code]):
        someone.remember({**LIKES, **change})


def test_eleven_facts_are_too_many(someone: MossClient):
    with pytest.raises(problems.TooManyFactsError):
        someone.remember([LIKES] * 11)


def test_memory_of_another_is_not_found(someone: MossClient, service: Any):
    memory = kept(someone, LIKES)

    with pytest.raises(problems.NotFoundError):
        service.client().memory(memory["memory_id"])


def test_session_is_shown_and_ended(someone: MossClient):
    session = someone.chat("I like tea")["session_id"]

    assert someone.session(session)["session_id"] == session
    assert someone.end_session(session) is None
    with pytest.raises(problems.NotFoundError):
        someone.session(session)


def test_subjects_of_the_store_are_listed(someone: MossClient):
    item: Any = {"domain": "Store", "predicate": "item", "object_value": "{}"}
    for subject in ("a.b/k", "a.c/k", "b/k"):
        someone.remember({**item, "subject": subject})

    assert sorted(someone.namespaces(prefix="a.", limit=1)) == ["a.b/k", "a.c/k"]


def test_scope_is_shared_and_taken_back(someone: MossClient, service: Any):
    bob, scope = service.principal(), f"team-{service.principal()}"
    client = service.client(bob)

    assert someone.put_scope(scope, "team", approver_must_differ=True)["kind"] == "team"
    assert scope in {each["scope_id"] for each in someone.scopes()}
    assert someone.grant(scope, bob, visible=True, writable=False)["visible"]
    assert scope in client.me()["visible_scope_ids"]
    assert someone.revoke_grant(scope, bob) is None
    assert scope not in client.me()["visible_scope_ids"]


def test_key_is_made_used_listed_and_revoked(keyed_service: Any):
    with MossClient(keyed_service.url, keyed_service.key) as admin:
        made = admin.create_key("bob", rights=["debug"], source_ceiling="task_result")
        assert made["key"]
        with MossClient(keyed_service.url, made["key"]) as bob:
            profile = bob.me()
            listed = list(admin.keys())
            admin.revoke_key(made["key_id"])
            refusal = until_refused(bob)

    assert (profile["principal_id"], profile["rights"]) == ("bob", ["debug"])
    assert made["key_id"] in {each["key_id"] for each in listed}
    assert refusal == "unauthenticated"


def until_refused(client: MossClient) -> str:
    """Ask until the key is refused: a worker may take five seconds to hear of it."""
    for _ in range(100):
        try:
            client.me()
        except problems.UnauthenticatedError as error:
            return error.code
        time.sleep(0.1)
    return ""


def test_principal_is_erased(service: Any):
    client = service.client()
    principal = client.me()["principal_id"]
    client.remember(LIKES)

    erased = client.erase(principal)

    assert (erased["principal_id"], erased["counts"]["memories"]) == (principal, 1)
    with pytest.raises(problems.PrincipalErasedError):
        client.remember(LIKES)


def test_chain_of_hashes_is_verified(someone: MossClient):
    someone.remember(LIKES)

    assert someone.verify_audit()["ok"]


def test_events_tell_what_happened_and_go_on_after_the_last(someone: MossClient):
    someone.remember(LIKES)
    someone.remember(VACATION)
    events = someone.events("")
    first = next(events)
    events.close()

    second = next(someone.events(first["event_id"]))

    assert (first["event"], second["event"]) == ("memory.written", "memory.written")
    assert first["event_id"] != second["event_id"]


def test_calendar_is_served(someone: MossClient):
    someone.remember(VACATION)

    assert b"DTSTART;VALUE=DATE:20270714" in someone.calendar()


def test_policy_and_health_are_told(someone: MossClient):
    assert "Schedule" in str(someone.ontology())
    assert someone.rules()["rules_version"] == someone.lint(LIKES)["rules_version"]
    assert someone.readyz()["status"] == "ready"
    assert someone.livez()


def test_awaited_client_does_the_same(service: Any):
    async def story() -> list[str]:
        async with AsyncMossClient(service.url, f"dev:{service.principal()}") as client:
            await client.remember([LIKES, meeting("A")])
            return sorted([each["object_value"] async for each in client.memories(limit=1)])

    assert asyncio.run(story()) == ["A", "bibimbap"]


BARE = """
import sys

class Gone:
    def find_spec(self, name, path=None, target=None):
        extras = {"langgraph", "langchain_core", "mcp", "mcp_types", "icalendar"}
        if name.partition(".")[0] in extras:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Gone())
import moss_memory.app
import moss_memory.integrations.client
import moss_memory.integrations.foreign
import moss_memory.integrations.jsonl_export
import moss_memory.integrations.replay
from moss_memory.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(("words", "extra"), [(["mcp"], "mcp"), (["export", "--ics"], "calendar")])
def test_missing_extra_is_named(words: list[str], extra: str):
    done = subprocess.run(
        [sys.executable, "-c", BARE, *words], capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert f"moss-memory[{extra}]" in done.stderr
