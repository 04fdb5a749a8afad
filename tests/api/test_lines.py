"""The log: whole lines of JSON, and a sink that may fail."""

import io
import json
import threading
from datetime import UTC, datetime

from moss_memory.api.lines import JsonLines


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
