"""The control experiment: what each payload costs, and what is contradictory in it."""

import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from moss_memory.cli.compare_chart import Measured, svg, table
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
