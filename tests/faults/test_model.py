"""A model that is silent, slow, broken, refused, gone, or says what it may not say."""

import asyncio
import json
import tomllib
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from importlib.resources import files
from typing import Any

import pytest

from moss_memory.adapters.breaker import Breaker
from moss_memory.adapters.gemini import Gemini
from moss_memory.adapters.model_call import Model, ModelCalls
from moss_memory.adapters.model_ports import FallingBack, ModelParser
from moss_memory.adapters.offline import OfflineParser
from moss_memory.adapters.openai_compatible import OpenAICompatible
from moss_memory.core.errors import (
    ModelBadOutputError,
    ModelTimeoutError,
    ModelUnavailableError,
    MossError,
)
from moss_memory.core.ontology import Ontology
from moss_memory.core.when import WallClock
from moss_memory.flow.ports import Utterance
from moss_memory.language.proposal import Parsed

POLICY = files("moss_memory").joinpath("policy", "ontology.toml").read_text(encoding="utf-8")
ONTOLOGY = Ontology.from_data(tomllib.loads(POLICY))
KEY = "not-a-key" * 3
NOW = datetime(2026, 7, 16, 14, tzinfo=timezone(timedelta(hours=9)))
WORDS = "내일 3시 예산 회의"
SECRETIVE = "do not repeat this"
FACT: dict[str, Any] = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "meeting",
    "object_value": "예산 회의",
    "time_text": "내일 3시",
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
GOOD = {"text": json.dumps(REPLY, ensure_ascii=False)}
TWICE = {"text": json.dumps(REPLY)[:-1] + ', "facts": []}'}
EXTRA = {"text": json.dumps(REPLY | {"user_name": SECRETIVE})}
HALF = {"text": json.dumps(REPLY)[:60]}
Make = Callable[..., Model]


class Watch:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture(params=["gemini", "openai"])
def make(request: pytest.FixtureRequest, model_server: Any) -> Make:
    """Make a model of the scripted server; ``url`` names another one."""

    def made(url: str = model_server.url, **limits: Any) -> Model:
        if request.param == "gemini":
            return Gemini("scripted", api_key=KEY, base_url=url, **limits)
        return OpenAICompatible("scripted", base_url=url, **limits)

    return made


def utterance(principal: str = "mina") -> Utterance:
    return Utterance(
        text=WORDS, reference=NOW, zone="Asia/Seoul", locale="ko", principal_id=principal
    )


def parse(model: Model, calls: ModelCalls | None = None) -> Parsed:
    async def turn() -> Parsed:
        parser = ModelParser(model, ONTOLOGY, calls or ModelCalls())
        try:
            return await parser.parse(utterance())
        finally:
            await parser.aclose()

    return asyncio.run(turn())


def refusal(model: Model, calls: ModelCalls | None = None) -> MossError:
    with pytest.raises(MossError) as refused:
        parse(model, calls)
    return refused.value


def test_good_reply_is_asked_for_once(make: Make, model_server: Any) -> None:
    model_server.steps = [GOOD]

    assert parse(make()).facts[0].object_value == "예산 회의"
    assert len(model_server.requests) == 1


def test_moss_m31_words_go_apart_from_the_instruction_with_schema_and_limits(
    make: Make, model_server: Any
) -> None:
    model_server.steps = [GOOD]
    parse(make())

    body = model_server.requests[0]["body"]
    if "contents" in body:
        settings = body["generationConfig"]
        system, words = body["systemInstruction"]["parts"], body["contents"][0]["parts"]
        schema, most = settings["responseJsonSchema"], settings["maxOutputTokens"]
        temperature = settings["temperature"]
        assert words == [{"text": WORDS}]
    else:
        system, words = body["messages"][0]["content"], body["messages"][1]["content"]
        schema = body["response_format"]["json_schema"]["schema"]
        most, temperature = body["max_tokens"], body["temperature"]
        assert words == WORDS
    assert (temperature, most) == (0, 4096)
    assert schema["additionalProperties"] is False
    assert "2026-07-16T14:00:00+09:00" in str(system)
    assert WORDS not in str(system)
    assert "tools" not in body


@pytest.mark.parametrize(
    "step",
    [
        HALF,
        TWICE,
        EXTRA,
        {"text": ""},
        {"text": "<html>busy</html>"},
        {"text": json.dumps(REPLY), "finish": "length"},
        {"text": json.dumps(REPLY), "finish": "content_filter"},
        {"blocked": True},
        {"body": b"<html>busy</html>", "type": "text/html"},
        {"body": b""},
        {"body": b"[]"},
        {"body": b'{"candidates": [], "choices": []}'},
        {"body": b'{"candidates": 7, "choices": {"0": null}}'},
        {"body": b"\xff\xfe\x00"},
        {"body": b"[" * 200_000},
        {"body": b"{}", "headers": {"Content-Encoding": "gzip"}},
    ],
    ids=lambda step: str(step)[:40],
)
def test_broken_reply_is_asked_for_once_more_and_then_refused(
    make: Make, model_server: Any, step: dict[str, Any]
) -> None:
    model_server.steps = [step]

    error = refusal(make())

    assert isinstance(error, ModelBadOutputError)
    assert isinstance(error.members["reason"], str)
    assert SECRETIVE not in f"{error} {error.members}"
    assert len(model_server.requests) == 2


def test_second_reply_is_asked_for_with_the_reason_of_the_first(
    make: Make, model_server: Any
) -> None:
    model_server.steps = [EXTRA, GOOD]

    parsed = parse(make())

    assert parsed.facts[0].object_value == "예산 회의"
    assert (parsed.prompt_tokens, parsed.completion_tokens) == (22, 14)
    first, second = (str(request["body"]) for request in model_server.requests)
    assert "refused: unknown_key" in second
    assert "refused" not in first
    assert SECRETIVE not in second


@pytest.mark.parametrize("status", [429, 500, 503])
def test_refused_call_is_made_once_more(make: Make, model_server: Any, status: int) -> None:
    model_server.steps = [{"status": status}, GOOD]

    assert parse(make()).intent == "WRITE"
    assert len(model_server.requests) == 2


@pytest.mark.parametrize("status", [429, 500, 503])
def test_call_refused_twice_is_unavailable(make: Make, model_server: Any, status: int) -> None:
    model_server.steps = [{"status": status}]

    error = refusal(make())

    assert isinstance(error, ModelUnavailableError)
    assert error.members == {"reason": f"http_{status}", "retry_after": 1}
    assert len(model_server.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 502])
def test_call_is_not_repeated_when_that_cannot_help(
    make: Make, model_server: Any, status: int
) -> None:
    model_server.steps = [{"status": status}]

    error = refusal(make())

    assert isinstance(error, ModelUnavailableError)
    assert error.members["reason"] == f"http_{status}"
    assert len(model_server.requests) == 1


def test_server_is_left_alone_for_as_long_as_it_says(make: Make, model_server: Any) -> None:
    model_server.steps = [{"status": 429, "headers": {"Retry-After": "30"}}]

    error = refusal(make())

    assert error.members["retry_after"] == 30
    assert len(model_server.requests) == 1


def test_delay_of_an_error_document_is_honoured(model_server: Any) -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "41s"}]
    model_server.steps = [{"status": 429, "error": {"details": details}}]
    model = Gemini("scripted", api_key=KEY, base_url=model_server.url)

    assert refusal(model).members["retry_after"] == 41


@pytest.mark.parametrize("step", [{"silent": True}, GOOD | {"trickle": True}])
def test_moss_m38_deadline_ends_a_call_that_does_not(
    make: Make, model_server: Any, step: dict[str, Any]
) -> None:
    model_server.steps = [step]

    assert isinstance(refusal(make(), ModelCalls(deadline=1.5)), ModelTimeoutError)
    assert len(model_server.requests) == 1


def test_silence_ends_a_call_before_the_deadline(make: Make, model_server: Any) -> None:
    model_server.steps = [{"silent": True}]

    assert isinstance(refusal(make(seconds=0.2)), ModelTimeoutError)


def test_reply_is_not_read_further_than_it_may_be_long(make: Make, model_server: Any) -> None:
    model_server.steps = [{"body": b" " * 3_000_000}]

    error = refusal(make(max_reply_bytes=100_000))

    assert isinstance(error, ModelBadOutputError)
    assert error.members["reason"] == "too_large"


def test_broken_connection_is_made_once_more(make: Make, model_server: Any) -> None:
    model_server.steps = [{"reset": True}, GOOD]

    assert parse(make()).intent == "WRITE"


def test_server_that_is_not_there_is_unavailable(make: Make) -> None:
    error = refusal(make(url="http://127.0.0.1:1"))

    assert isinstance(error, ModelUnavailableError)
    assert error.members["reason"] == "unreachable"


def test_shifted_date_is_passed_on_as_the_model_said_it(make: Make, model_server: Any) -> None:
    window = {"start": "2026-07-18T15:00:00+09:00", "end": None, "rrule": None}
    shifted = REPLY | {"facts": [FACT | {"window": window}]}
    model_server.steps = [{"text": json.dumps(shifted)}]

    (fact,) = parse(make()).facts

    assert fact.when == WallClock(datetime(2026, 7, 18, 15))  # noqa: DTZ001 - as it was said
    assert fact.time_text == "내일 3시"


def test_model_is_left_alone_when_it_failed_five_times(make: Make, model_server: Any) -> None:
    watch = Watch()
    calls = ModelCalls(breaker=Breaker(monotonic=watch))
    model_server.steps = [{"status": 404}]
    for _ in range(5):
        refusal(make(), calls)

    error = refusal(make(), calls)
    assert (error.code, error.members["retry_after"]) == ("model_unavailable", 10)
    assert len(model_server.requests) == 5
    watch.seconds = 10.0
    model_server.steps = [GOOD]
    assert parse(make(), calls).intent == "WRITE"


def test_broken_replies_do_not_open_the_breaker(make: Make, model_server: Any) -> None:
    calls = ModelCalls()
    model_server.steps = [HALF]
    for _ in range(6):
        refusal(make(), calls)

    assert len(model_server.requests) == 12


async def outcomes(parser: ModelParser, principals: list[str]) -> list[str]:
    asked = [parser.parse(utterance(principal)) for principal in principals]
    results = await asyncio.gather(*asked, return_exceptions=True)
    await parser.aclose()
    return sorted(getattr(result, "code", "parsed") for result in results)


@pytest.mark.parametrize(
    ("principals", "asked"),
    [(["mina"] * 3, 2), (["mina", "joon", "sora", "hana"], 3)],
    ids=["of one principal", "of the process"],
)
def test_calls_beyond_the_bound_are_refused_and_the_rest_answered(
    make: Make, model_server: Any, principals: list[str], asked: int
) -> None:
    model_server.steps = [{"silent": True}]
    calls = ModelCalls(deadline=2.5, at_once=3, per_principal=2, queue=0.5)

    codes = asyncio.run(outcomes(ModelParser(make(), ONTOLOGY, calls), principals))

    assert codes == ["model_timeout"] * asked + ["model_unavailable"]
    assert len(model_server.requests) == asked


def test_places_are_given_back_after_every_kind_of_end(make: Make, model_server: Any) -> None:
    calls = ModelCalls(at_once=1, per_principal=1)
    for step in ({"status": 404}, HALF, {"reset": True}):
        model_server.steps = [step]
        refusal(make(), calls)
    model_server.steps = [GOOD]

    codes = asyncio.run(outcomes(ModelParser(make(), ONTOLOGY, calls), ["mina"]))

    assert codes == ["parsed"]


def test_place_is_given_back_when_the_caller_went_away(make: Make, model_server: Any) -> None:
    calls = ModelCalls(at_once=1)

    async def left() -> Parsed:
        parser = ModelParser(make(), ONTOLOGY, calls)
        model_server.steps = [{"silent": True}]
        task = asyncio.create_task(parser.parse(utterance()))
        await asyncio.to_thread(model_server.asked.wait, 10)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        model_server.steps = [GOOD]
        try:
            return await parser.parse(utterance())
        finally:
            await parser.aclose()

    assert asyncio.run(left()).intent == "WRITE"


def test_offline_parser_stands_in_when_the_model_cannot_answer(
    make: Make, model_server: Any
) -> None:
    model_server.steps = [{"status": 404}]

    async def turn() -> Parsed:
        model = ModelParser(make(), ONTOLOGY, ModelCalls())
        try:
            return await FallingBack(model, OfflineParser()).parse(utterance())
        finally:
            await model.aclose()

    parsed = asyncio.run(turn())

    assert (parsed.parser, parsed.model) == ("offline", None)


def test_key_is_sent_where_it_belongs_and_nowhere_else(make: Make, model_server: Any) -> None:
    model_server.steps = [GOOD]
    parse(make())
    parse(OpenAICompatible("scripted", base_url=f"{model_server.url}/v1", api_key=KEY))

    first, second = model_server.requests
    assert KEY not in first["path"] + str(first["body"])
    assert second["path"] == "/v1/chat/completions"
    assert second["headers"]["authorization"] == f"Bearer {KEY}"
