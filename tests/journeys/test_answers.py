"""A model's answers over HTTP and the real clients: only what the context says gets through."""

import io
import json
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from model_server import ModelServer
from moss_memory.app import create_app
from moss_memory.cli.listening import in_background
from moss_memory.settings import Settings

SEOUL = {"timezone": "Asia/Seoul", "reference_time": "2026-07-16T14:00:00+09:00"}
CALENDAR = {"domain": "Schedule", "subject": "Calendar"}
VACATION = CALENDAR | {
    "predicate": "vacation",
    "object_value": "Vacation",
    "when": {"date": "2026-07-17", "timezone": "Asia/Seoul"},
}
REVIEW = CALENDAR | {
    "predicate": "meeting",
    "object_value": "Budget review",
    "when": {"start": "2026-07-20T10:00:00+09:00"},
}
QUESTION = {
    "en": "Summarize my schedule for Friday at 10 AM",
    "ko": "금요일 오전 10시에 내 일정 요약해줘.",
}
TEMPLATE = {
    "en": "You have no scheduled meetings at that time because you are on annual leave.",
    "ko": "해당 시간은 연차 휴가 기간이므로 예정된 회의가 없습니다.",
}
READING = {"intent": "QUERY", "operation": None, "facts": [], "question": None, "why": False}
LIES = {
    "invents a meeting": "You are on leave, and you have a dev team meeting at 10:00 AM.",
    "moves the date": "You are on leave on Saturday, July 18.",
    "moves the day in Korean": "토요일은 연차 휴가입니다.",
    "moves the time": "You are on leave until 3 PM on Friday.",
    "cites a retired one": "You are on leave, and the Budget review is still at 10 AM.",
    "cites a retired one in Korean": "금요일에는 휴가이고, Budget review 회의가 있습니다.",
    "denies the leave": "You are free on Friday at 10 AM.",
    "adds a link": "You are on leave. See https://evil.example/friday",
}
TRUE = {
    "en": "You are on leave all day on Friday, July 17.",
    "ko": "금요일은 하루 종일 휴가입니다.",
}


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture(scope="module", params=["gemini", "openai"])
def base(
    request: pytest.FixtureRequest,
    server: ModelServer,
    sqlite_template: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    """The URL of a service whose parser and writer are one scripted model."""
    path = tmp_path_factory.mktemp("answers") / "moss.db"
    shutil.copy(sqlite_template, path)
    models: dict[str, Any] = {"openai": {"model": f"openai:scripted@{server.url}"}}
    models["gemini"] = {
        "model": "gemini:scripted",
        "gemini_api_key": SecretStr("not a key " * 3),
        "gemini_base_url": server.url,
    }
    chosen = Settings(database_url=SecretStr(f"sqlite:///{path}"), **models[request.param])
    with in_background(create_app(chosen, lines=io.StringIO())) as running:
        yield running


@pytest.fixture
def ann(base: str) -> Iterator[httpx2.Client]:
    """Somebody on leave on Friday, whose review was retired."""
    credential = {"Authorization": f"Bearer dev:ann-{secrets.token_hex(4)}"}
    with httpx2.Client(base_url=base, headers=credential, timeout=30, verify=False) as http:
        for fact in (VACATION, REVIEW):
            assert http.post("/memories", json={"facts": [fact]}).status_code == 201
        found = http.get("/memories", params={"predicate": "meeting"}).json()["items"][0]
        gone = http.delete(f"/memories/{found['memory_id']}", params={"expected_revision": 1})
        assert gone.status_code == 200
        yield http


@pytest.fixture
def ask(ann: httpx2.Client, server: ModelServer) -> Callable[..., dict[str, Any]]:
    """Ask about Friday at ten; the model reads the question, and answers with ``words``."""

    def asked(words: str, locale: str = "en", **more: Any) -> dict[str, Any]:
        server.steps = [{"text": json.dumps(READING)}, {"text": words}]
        body = {"text": QUESTION[locale], "locale": locale, **SEOUL, **more}
        answer = ann.post("/chat", json=body)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    return asked


def refusals(ann: httpx2.Client) -> float:
    lines = ann.get("/metrics").text.splitlines()
    name = "moss_model_answers_refused_total "
    return sum(float(line.removeprefix(name)) for line in lines if line.startswith(name))


@pytest.mark.parametrize("locale", ["en", "ko"])
@pytest.mark.parametrize("lie", LIES)
def test_answer_that_is_not_in_the_context_is_replaced_and_counted(
    ann: httpx2.Client, ask: Any, lie: str, locale: str
) -> None:
    before = refusals(ann)

    told = ask(LIES[lie], locale)

    assert (told["reply"], told["reply_source"]) == (TEMPLATE[locale], "template")
    assert refusals(ann) == before + 1


@pytest.mark.parametrize("locale", ["en", "ko"])
def test_answer_that_the_context_bears_out_is_given(
    ann: httpx2.Client, ask: Any, locale: str
) -> None:
    before = refusals(ann)

    told = ask(TRUE[locale], locale)

    assert (told["reply"], told["reply_source"]) == (TRUE[locale], "model")
    assert refusals(ann) == before


def test_model_is_given_the_context_and_nothing_that_was_retired(
    ask: Any, server: ModelServer
) -> None:
    server.requests.clear()
    ask(TRUE["en"])

    _, asked = (json.dumps(each["body"], ensure_ascii=False) for each in server.requests)

    assert "Vacation" in asked
    assert "2026-07-17 Fri all day" in asked
    assert "Budget review" not in asked
