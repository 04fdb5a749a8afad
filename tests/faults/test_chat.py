"""A whole service while its model lies, breaks or is gone, and while its Redis is stopped."""

import io
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from moss_memory.app import create_app
from moss_memory.cli.listening import in_background
from moss_memory.settings import Settings

SEOUL = {"timezone": "Asia/Seoul", "reference_time": "2026-07-16T14:00:00+09:00"}
WORDS = "Budget review tomorrow at 3pm"
FACT: dict[str, Any] = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "meeting",
    "object_value": "Budget review",
    "time_text": "tomorrow at 3pm",
    "window": {"start": "2026-07-17T15:00:00+09:00", "end": None, "rrule": None},
    "polarity": "positive",
    "target": None,
}
REPLY: dict[str, Any] = {
    "intent": "WRITE",
    "operation": "create",
    "facts": [FACT],
    "question": None,
    "why": False,
}
VACATION = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "vacation",
    "object_value": "Vacation",
    "when": {"date": "2026-07-17"},
}
MEETING = VACATION | {
    "predicate": "meeting",
    "object_value": "Dentist",
    "when": {"start": "2026-07-17T03:00:00Z"},
}
KEY = "not-a-key" * 3
Serve = Callable[..., httpx2.Client]


@pytest.fixture
def serve(sqlite_template: Path, tmp_path: Path) -> Iterator[Serve]:
    """Return how to start a service with settings; it answers to one person's client."""
    with ExitStack() as stack:

        def start(**chosen: Any) -> httpx2.Client:
            shutil.copy(sqlite_template, tmp_path / "moss.sqlite3")
            url = SecretStr(f"sqlite:///{tmp_path / 'moss.sqlite3'}")
            app = create_app(Settings(database_url=url, **chosen), lines=io.StringIO())
            base = stack.enter_context(in_background(app))
            headers = {"Authorization": "Bearer dev:mina"}
            client = httpx2.Client(base_url=base, headers=headers, timeout=30, verify=False)
            return stack.enter_context(client)

        yield start


@pytest.fixture(params=["gemini", "openai"])
def by_model(request: pytest.FixtureRequest, model_server: Any, serve: Serve) -> httpx2.Client:
    """A service whose words are read by a scripted model."""
    if request.param == "gemini":
        return serve(
            model="gemini:scripted",
            gemini_api_key=SecretStr(KEY),
            gemini_base_url=model_server.url,
        )
    return serve(model=f"openai:scripted@{model_server.url}")


def chat(client: httpx2.Client, text: str = WORDS) -> httpx2.Response:
    return client.post("/chat", json={"text": text, **SEOUL})


def stored(client: httpx2.Client) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.get("/memories").json()["items"]
    return items


def says(**changes: Any) -> dict[str, str]:
    return {"text": json.dumps(REPLY | changes)}


def test_words_are_stored_with_the_model_in_their_provenance(
    by_model: httpx2.Client, model_server: Any
) -> None:
    model_server.steps = [says()]

    told = chat(by_model).json()

    assert (told["status"], told["reply_source"]) == ("SUCCESS", "template")
    assert told["usage"] == {"prompt_tokens": 11, "completion_tokens": 7}
    (memory,) = stored(by_model)
    assert memory["valid_from"] == "2026-07-17T06:00:00Z"
    assert memory["provenance"]["model"] == "scripted-1"
    assert ":scripted#" in memory["provenance"]["parser"]


def test_model_that_shifts_a_date_is_overruled_by_a_question(
    by_model: httpx2.Client, model_server: Any
) -> None:
    window = {"start": "2026-07-18T15:00:00+09:00", "end": None, "rrule": None}
    model_server.steps = [says(facts=[FACT | {"window": window}])]

    told = chat(by_model).json()

    assert told["status"] == "CLARIFY"
    assert told["question"]["code"] == "date_mismatch"
    assert stored(by_model) == []


@pytest.mark.parametrize(
    ("step", "status", "code"),
    [
        (says(tenant_id="other"), 502, "model_bad_output"),
        ({"blocked": True}, 502, "model_bad_output"),
        ({"status": 429}, 503, "model_unavailable"),
        ({"status": 404}, 503, "model_unavailable"),
    ],
)
def test_nothing_is_written_when_the_model_fails(
    by_model: httpx2.Client, model_server: Any, step: dict[str, Any], status: int, code: str
) -> None:
    model_server.steps = [step]

    answer = chat(by_model)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert (status != 503) or int(answer.headers["Retry-After"]) >= 1
    assert stored(by_model) == []


def test_answer_is_a_template_when_the_model_words_it_badly(
    by_model: httpx2.Client, model_server: Any
) -> None:
    model_server.steps = [says()]
    chat(by_model)
    asked = FACT | {"object_value": None, "time_text": "tomorrow"}
    question = says(intent="QUERY", operation=None, facts=[asked])
    model_server.steps = [question, {"status": 404}]

    told = chat(by_model, "What meetings do I have tomorrow?").json()

    assert (told["status"], told["reply_source"]) == ("ANSWERED", "template")
    assert "Budget review" in told["reply"]


def test_words_are_read_without_the_model_when_that_is_allowed(
    model_server: Any, serve: Serve
) -> None:
    model_server.steps = [{"status": 404}]
    client = serve(model=f"openai:scripted@{model_server.url}", model_fallback="offline")

    assert chat(client).json()["status"] == "SUCCESS"
    assert stored(client)[0]["provenance"]["parser"] == "offline"


@pytest.fixture
def on_redis(valkey_node: Any, serve: Serve) -> httpx2.Client:
    """A service with the Desk on a Valkey that the test may stop."""
    return serve(redis_url=SecretStr(valkey_node.url))


def propose(client: httpx2.Client, fact: dict[str, Any]) -> httpx2.Response:
    return client.post("/memories", json={"facts": [fact]})


def test_only_questions_are_refused_when_redis_is_stopped(
    on_redis: httpx2.Client, valkey_node: Any
) -> None:
    """F01."""
    valkey_node.stop()

    assert propose(on_redis, VACATION).status_code == 201
    assert chat(on_redis, "Dentist on Monday at 9am").json()["status"] == "SUCCESS"
    asked = propose(on_redis, MEETING)
    assert (asked.status_code, asked.json()["code"]) == (503, "pending_store_unavailable")
    assert len(stored(on_redis)) == 2
    assert on_redis.get("/readyz").json()["status"] == "degraded"


def test_only_questions_are_refused_when_redis_is_frozen(
    on_redis: httpx2.Client, valkey_node: Any
) -> None:
    """F02."""
    with valkey_node.frozen():
        assert propose(on_redis, VACATION).status_code == 201
        assert chat(on_redis, "Dentist on Monday at 9am").json()["status"] == "SUCCESS"
        assert propose(on_redis, MEETING).status_code == 503
        assert len(stored(on_redis)) == 2


def test_question_is_asked_again_when_redis_is_back(
    on_redis: httpx2.Client, valkey_node: Any
) -> None:
    propose(on_redis, VACATION)
    valkey_node.stop()
    assert propose(on_redis, MEETING).status_code == 503
    valkey_node.start()

    asked = propose(on_redis, MEETING)

    assert asked.status_code == 202
    confirmation = {"pending_id": asked.json()["pending"]["pending_id"], "action": "keep_both"}
    assert on_redis.post("/confirm", json=confirmation).json()["status"] == "SUCCESS"


def test_question_is_gone_and_nothing_written_when_redis_was_flushed(
    on_redis: httpx2.Client, valkey_node: Any
) -> None:
    """Row 25. F04."""
    propose(on_redis, VACATION)
    pending_id = propose(on_redis, MEETING).json()["pending"]["pending_id"]
    valkey_node.ask("FLUSHALL")

    answer = on_redis.post("/confirm", json={"pending_id": pending_id, "action": "keep_both"})

    assert (answer.status_code, answer.json()["code"]) == (410, "pending_gone")
    assert len(stored(on_redis)) == 1
