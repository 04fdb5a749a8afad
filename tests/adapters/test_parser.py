"""The Parser's contract, held by every parser; the models' servers are scripted."""

import asyncio
import json
import os
import tomllib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from importlib.resources import files
from typing import Any

import pytest

from moss_memory.adapters.gemini import Gemini
from moss_memory.adapters.model_call import Model, ModelCalls
from moss_memory.adapters.model_ports import ModelParser
from moss_memory.adapters.offline import OfflineParser
from moss_memory.adapters.openai_compatible import OpenAICompatible
from moss_memory.core.ontology import Ontology
from moss_memory.flow.ports import Parser, Utterance
from moss_memory.language.proposal import Parsed

POLICY = files("moss_memory").joinpath("policy", "ontology.toml").read_text(encoding="utf-8")
ONTOLOGY = Ontology.from_data(tomllib.loads(POLICY))
KEY = "not-a-key" * 3
NOW = datetime(2026, 7, 16, 14, tzinfo=timezone(timedelta(hours=9)))
MEETING: dict[str, Any] = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "meeting",
    "object_value": "Budget review",
    "time_text": "tomorrow at 3pm",
    "window": {
        "start": "2026-07-17T15:00:00+09:00",
        "end": "2026-07-17T16:00:00+09:00",
        "rrule": None,
    },
    "polarity": "positive",
    "target": None,
}
EMPTY = {"intent": "UNKNOWN", "operation": None, "facts": [], "question": None, "why": False}
ASKED = {"object_value": None, "time_text": "tomorrow"}
CONVERSATION: dict[str, dict[str, Any]] = {
    "Budget review tomorrow at 3pm": EMPTY
    | {"intent": "WRITE", "operation": "create", "facts": [MEETING]},
    "Cancel the budget review tomorrow": EMPTY
    | {"intent": "WRITE", "operation": "retire", "facts": [MEETING]},
    "What meetings do I have tomorrow?": EMPTY | {"intent": "QUERY", "facts": [MEETING | ASKED]},
    "Don't schedule any meetings tomorrow": EMPTY
    | {
        "intent": "WRITE",
        "operation": "create",
        "facts": [MEETING | {"polarity": "negative"}],
    },
    "Hello there": EMPTY,
}


def said(text: str) -> Utterance:
    return Utterance(text=text, reference=NOW, zone="Asia/Seoul", locale="en", principal_id="mina")


@dataclass(frozen=True)
class Heard:
    """One parser under test, and its server where it has one."""

    server: Any
    make: Callable[[], tuple[Parser, Callable[[], Awaitable[None]]]]
    by_model: bool

    def parse(self, text: str) -> Parsed:
        self.server.steps = [{"text": json.dumps(CONVERSATION.get(text, EMPTY))}]

        async def turn() -> Parsed:
            parser, close = self.make()
            try:
                return await parser.parse(said(text))
            finally:
                await close()

        return asyncio.run(turn())


async def nothing() -> None:
    pass


@pytest.fixture(params=["offline", "gemini", "openai"])
def heard(request: pytest.FixtureRequest, model_server: Any) -> Heard:
    """Every parser."""

    def by_model() -> tuple[Parser, Callable[[], Awaitable[None]]]:
        model: Model
        if request.param == "gemini":
            model = Gemini("scripted", api_key=KEY, base_url=model_server.url)
        else:
            model = OpenAICompatible("scripted", base_url=model_server.url)
        parser = ModelParser(model, ONTOLOGY, ModelCalls())
        return parser, parser.aclose

    if request.param == "offline":
        return Heard(model_server, lambda: (OfflineParser(), nothing), by_model=False)
    return Heard(model_server, by_model, by_model=True)


def test_statement_is_a_fact_with_the_words_of_its_time(heard: Heard) -> None:
    parsed = heard.parse("Budget review tomorrow at 3pm")

    assert (parsed.intent, parsed.operation, parsed.question) == ("WRITE", "create", None)
    (fact,) = parsed.facts
    assert (fact.domain, fact.subject, fact.predicate) == ("Schedule", "Calendar", "meeting")
    assert (fact.object_value or "").lower() == "budget review"
    assert "tomorrow" in (fact.time_text or "")
    assert fact.when is not None


def test_cancel_names_its_target(heard: Heard) -> None:
    parsed = heard.parse("Cancel the budget review tomorrow")

    assert (parsed.intent, parsed.operation) == ("WRITE", "retire")
    target = parsed.facts[0].target
    assert target is not None
    assert target.window is not None
    assert {word.lower() for word in target.words} == {"budget", "review"}


def test_question_says_what_it_asks_about(heard: Heard) -> None:
    parsed = heard.parse("What meetings do I have tomorrow?")

    assert (parsed.intent, parsed.operation) == ("QUERY", None)
    assert parsed.window is not None
    assert parsed.window.start.day in {16, 17}  # the 17th in Seoul


@pytest.mark.parametrize("text", ["Don't schedule any meetings tomorrow", "Hello there"])
def test_nothing_is_proposed_when_nothing_is_stated(heard: Heard, text: str) -> None:
    parsed = heard.parse(text)

    assert (parsed.intent, parsed.facts) == ("UNKNOWN", ())


def test_proposal_names_who_made_it(heard: Heard) -> None:
    parsed = heard.parse("Budget review tomorrow at 3pm")
    parser, _ = heard.make()

    assert parsed.parser.split("#")[0] == parser.name
    assert parsed.model == ("scripted-1" if heard.by_model else None)


def test_tokens_are_counted_where_a_model_was_asked(heard: Heard) -> None:
    parsed = heard.parse("Hello there")

    spent = (parsed.prompt_tokens, parsed.completion_tokens)
    assert spent == ((11, 7) if heard.by_model else (0, 0))


REAL = os.environ.get("TEST_OPENAI_URL")  # a llama.cpp, vLLM or Ollama that runs already


@pytest.mark.skipif(REAL is None, reason="TEST_OPENAI_URL names no server")
@pytest.mark.parametrize("text", CONVERSATION)
def test_real_server_answers_inside_the_schema(text: str) -> None:
    model = OpenAICompatible(
        os.environ.get("TEST_OPENAI_MODEL", "default"),
        base_url=REAL or "",
        api_key=os.environ.get("TEST_OPENAI_KEY"),
        seconds=110,
    )

    async def turn() -> Parsed:
        parser = ModelParser(model, ONTOLOGY, ModelCalls(deadline=120))
        try:
            return await parser.parse(said(text))
        finally:
            await parser.aclose()

    assert asyncio.run(turn()).completion_tokens > 0
