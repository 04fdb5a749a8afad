"""The log: whole lines of JSON, and a sink that may fail."""

import io
import json
import logging
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from moss_memory.api.lines import JsonLines, clean_field

TOKEN = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"


def noon() -> datetime:
    return datetime(2026, 7, 16, 12, tzinfo=UTC)


def test_line_is_one_json_object_whatever_its_values_hold() -> None:
    stream = io.StringIO()
    log = JsonLines(stream, noon)
    log.info("request", route='\n{"level":"error"}\r', status=200)
    log.close()

    assert [json.loads(line) for line in stream.getvalue().splitlines()] == [
        {
            "at": "2026-07-16T12:00:00.000+00:00",
            "level": "info",
            "event": "request",
            "route": '\n{"level":"error"}\r',
            "status": 200,
        }
    ]


class Full(io.StringIO):
    """A pipe that takes nothing more until its reader reads again."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = threading.Event()

    def write(self, text: str) -> int:
        self.reads.wait()
        return super().write(text)


def test_blocked_sink_loses_lines_and_holds_nobody_up() -> None:
    sink = Full()
    log = JsonLines(sink, noon, waiting=5)
    while not log.dropped:  # the writer may take a few lines away with it before it is stuck
        log.info("request")
    lost = log.dropped
    sink.reads.set()
    log.close()

    assert lost == 1
    assert log.dropped == 1
    assert len(sink.getvalue().splitlines()) >= 5


def test_closed_sink_is_no_error() -> None:
    stream = io.StringIO()
    stream.close()
    log = JsonLines(stream, noon)
    log.error("bug")
    log.close()

    assert log.dropped == 1


class Written:
    """A log and what came of it."""

    def __init__(self) -> None:
        self.stream = io.StringIO()
        self.log = JsonLines(self.stream, noon)

    def lines(self) -> list[dict[str, Any]]:
        self.log.close()
        return [json.loads(line) for line in self.stream.getvalue().split("\n") if line]


@pytest.fixture
def written() -> Iterator[Written]:
    log = Written()
    yield log
    log.log.close()


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (f"failed on {TOKEN}", "failed on [github_pat]"),
        ("ask lee@example.org or 010-0000-1234", "ask [email] or [phone]"),
        ("주민" + "번호 010203-1000" + "114", "주민번호 [kr_rrn]"),
        ([TOKEN, {"deep": (TOKEN,)}], ["[github_pat]", {"deep": ["[github_pat]"]}]),
        ({TOKEN: 1}, {"[github_pat]": 1}),
        ("/memories/{memory_id}", "/memories/{memory_id}"),
        (12.5, 12.5),
        (None, None),
    ],
)
def test_secret_in_any_field_is_taken_out_of_the_line(
    written: Written, value: object, kept: object
) -> None:
    written.log.info("request", field=value)

    (line,) = written.lines()
    assert line["field"] == kept


def test_secret_as_the_event_is_taken_out(written: Written) -> None:
    written.log.error(TOKEN)

    assert TOKEN not in json.dumps(written.lines())


@pytest.mark.parametrize(
    "value", [object(), b"bytes", "\ud800 lone", {1: {2: {3}}}, {"a": object()}, float("inf")]
)
def test_value_that_is_no_json_keeps_its_line_and_those_around_it(
    written: Written, value: object
) -> None:
    written.log.info("first")
    written.log.info("second", odd=value)
    written.log.info("third")

    assert [line["event"] for line in written.lines()] == ["first", "second", "third"]


@pytest.mark.parametrize("char", ["\n", "\r", "\x85", "\u2028", "\x00", "\x1b[2K"])
def test_no_character_breaks_a_line(char: str) -> None:
    stream = io.StringIO()
    log = JsonLines(stream, noon)
    log.info("request", title=f'a{char}{{"level":"info"}}')
    log.close()

    assert len(stream.getvalue().splitlines()) == 1


def test_error_of_a_library_is_told_by_kind_and_place_alone(written: Written) -> None:
    try:
        int(f"ocelot {TOKEN}")
    except ValueError:
        logging.getLogger("some.driver").exception("bad row: ocelot")

    (line,) = written.lines()
    assert (line["event"], line["logger"]) == ("library", "some.driver")
    assert (line["kind"], line["message"]) == ("builtins.ValueError", None)
    assert "ocelot" not in json.dumps(line)


def test_own_warning_keeps_its_words_and_loses_a_secret(written: Written) -> None:
    logging.getLogger("moss_memory.adapters.model_call").warning("model failed: %s", TOKEN)

    (line,) = written.lines()
    assert line["message"] == "model failed: [github_pat]"


def test_closed_log_hears_libraries_no_more() -> None:
    stream = io.StringIO()
    log = JsonLines(stream, noon)
    log.close()
    before = list(logging.getLogger().handlers)
    JsonLines(stream, noon).close()

    assert logging.getLogger().handlers == before


def test_field_is_cleaned_whatever_its_length() -> None:
    assert TOKEN not in str(clean_field("x " * 5000 + TOKEN))
