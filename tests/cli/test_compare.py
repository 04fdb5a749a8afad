"""The control experiment: what each payload costs, and what is contradictory in it."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from moss_memory.cli.compare_chart import Answers, Measured, svg, table
from moss_memory.cli.compare_payload import Log, contradictions, facts_of_context
from moss_memory.cli.compare_script import ZONE, Turn, conversation
from moss_memory.cli.main import main
from moss_memory.core.rules import Policy
from moss_memory.policy import load

NOW = datetime(2026, 7, 16, 5, tzinfo=UTC)
ROWS = [Measured(1, 50, 100, 0, 0), Measured(2, 90, 110, 1, 0), Measured(4, 400, 120, 3, 0)]


@pytest.fixture(scope="module")
def policy() -> Policy:
    return load()


def logged(policy: Policy, *said: str) -> Log:
    log = Log(policy, ZONE, "en")
    for number, text in enumerate(said):
        log.hear(Turn(text, NOW + timedelta(minutes=number)))
    return log


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (["I'm taking all day off tomorrow.", "Schedule a sync tomorrow at 10 AM."], 1),
        (["Schedule a sync tomorrow at 10 AM.", "I'm taking all day off tomorrow."], 1),
        (["I live in Oslo.", "I live in Rome.", "I live in Lima."], 3),
        (["I'm taking all day off tomorrow.", "Schedule a sync on Monday at 10 AM."], 0),
        (["What is on my calendar tomorrow?", "Thanks."], 0),
    ],
)
def test_contradictions_of_a_log_are_found_by_linting_what_it_says(
    policy: Policy, said: list[str], found: int
) -> None:
    assert logged(policy, *said).contradictions == found


def test_log_grows_with_every_turn(policy: Policy) -> None:
    payload = logged(policy, "Hello.", "Hello again.").payload()

    assert payload.splitlines() == [
        "[2026-07-16T14:00:00+09:00] user: Hello.",
        "assistant: OK.",
        "[2026-07-16T14:01:00+09:00] user: Hello again.",
    ]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (['- vacation: "Vacation" | 2026-07-17 Fri all day'], 0),
        (
            [
                '- vacation: "Vacation" | 2026-07-17 Fri all day',
                '- meeting: "sync" | 2026-07-17 Fri 10:00..11:00',
            ],
            1,
        ),
        (["nothing that is a fact", "- not: a fact"], 0),
    ],
)
def test_contradictions_of_a_context_are_found_by_linting_its_lines(
    policy: Policy, lines: list[str], found: int
) -> None:
    facts = facts_of_context(policy, "\n".join(lines), ZONE, NOW)

    assert contradictions(policy, facts) == found


@pytest.mark.parametrize("locale", ["en", "ko"])
def test_conversation_opens_with_the_seeds_story_and_never_stands_still(locale: str) -> None:
    turns = list(conversation(43, locale))

    assert len(turns) == 43
    assert "7/17" in turns[0].text
    assert all(a.at < b.at for a, b in pairwise(turns))


def test_table_shows_the_last_turn_and_says_that_no_model_was_asked() -> None:
    text = table(ROWS, model=False)

    assert "      4      400       120           3         0" in text
    assert text.endswith("No model is configured: payloads are measured, no answer was asked for.")


def test_chart_is_well_formed() -> None:
    root = ET.fromstring(svg(ROWS))

    assert len(root.findall("{http://www.w3.org/2000/svg}polyline")) == 2


ASKED = Answers("Am I free?", "Yes.", "You are on leave.", "template")


def test_table_shows_both_answers_to_the_last_questions() -> None:
    rows = [replace(row, answers=ASKED) for row in ROWS]
    told = replace(ROWS[-1], turn=5, answers=replace(ASKED, governed_by="model"))

    text = table([*rows, told, replace(told, turn=6, answers=None)], model=True)

    assert "turn 5: Am I free?\n    log      (model): Yes.\n    governed (model): You" in text
    assert text.endswith("4 questions; governed answers: 1 by the model, 3 by the template")


@pytest.mark.parametrize("dialect", ["gemini", "openai"])
def test_model_answers_each_question_from_both_payloads(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    model_server: Any,
    dialect: str,
) -> None:
    said = "You are on leave all day on Friday, July 17, 2026."
    model_server.steps = [{"text": said}]
    for name in ("MOSS_MODEL", "GEMINI_API_KEY", "MOSS_GEMINI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    if dialect == "gemini":
        monkeypatch.setenv("MOSS_MODEL", "gemini:scripted")
        monkeypatch.setenv("GEMINI_API_KEY", "not a key " * 3)
        monkeypatch.setenv("MOSS_GEMINI_BASE_URL", model_server.url)
    else:
        monkeypatch.setenv("MOSS_MODEL", f"openai:scripted@{model_server.url}")

    assert main(["compare", "--turns", "6", "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    answers = {row["turn"]: row["answers"] for row in told["rows"] if row["answers"]}
    assert told["model"] is True
    assert {turn: (each["log"], each["governed_by"]) for turn, each in answers.items()} == {
        3: (said, "model"),
        6: (said, "template"),  # another day is asked about
    }
    sent = [json.dumps(each["body"]) for each in model_server.requests]
    assert len(sent) == 4
    assert sum("user: I'm taking all day off tomorrow" in each for each in sent) == 2


def test_model_that_fails_does_not_end_the_experiment(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, model_server: Any
) -> None:
    model_server.steps = [{"status": 400}]
    monkeypatch.setenv("MOSS_MODEL", f"openai:scripted@{model_server.url}")

    assert main(["compare", "--turns", "3"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[-3].startswith("    log      (model): (model_")
    assert lines[-2].startswith("    governed (template): You have no scheduled meetings")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_governed_payload_is_free_of_contradictions_where_the_log_is_not(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, language: str
) -> None:
    chart = tmp_path / "chart.svg"
    words = ["compare", "--turns", "13", "--language", language, "--json", "--svg", str(chart)]

    assert main(words) == 0

    told = json.loads(capsys.readouterr().out)
    assert told["model"] is False
    assert told["rows"][-1]["log_contradictions"] >= 3
    assert {row["governed_contradictions"] for row in told["rows"]} == {0}
    assert chart.read_text(encoding="utf-8").startswith("<svg")
