"""``/metrics``: what is counted, by closed words alone."""

from typing import Any, get_args

import httpx2
from prometheus_client import generate_latest

from moss_memory.api.metrics import Meter
from moss_memory.api.problems import STATUS
from moss_memory.core.linter import Status

NOTE = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "meeting",
    "object_value": "Zebrafish review",
    "when": {"start": "2026-08-01T10:00:00Z"},
}


def lines(client: httpx2.Client) -> list[str]:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    return answer.text.splitlines()


def value(client: httpx2.Client, series: str) -> float:
    found = [line for line in lines(client) if line.startswith(f"{series} ")]
    return float(found[0].rpartition(" ")[2]) if found else 0.0


def test_requests_are_counted_by_route_template(alice: Any, stranger: httpx2.Client) -> None:
    memory = alice.stored(NOTE)
    series = 'moss_requests_total{method="GET",route="/memories/{memory_id}",status="2xx"}'
    before = value(stranger, series)

    alice.http.get(f"/memories/{memory['memory_id']}")

    assert value(stranger, series) == before + 1


def test_verdicts_and_their_rules_are_counted(alice: Any, stranger: httpx2.Client) -> None:
    alice.stored(NOTE)
    before = value(stranger, 'moss_rules_total{rule="SCH-21"}')

    alice.propose(NOTE | {"object_value": "rival"})

    assert value(stranger, 'moss_rules_total{rule="SCH-21"}') == before + 1
    assert value(stranger, 'moss_verdicts_total{status="CONFIRM_REQUIRED"}') >= 1


def test_no_label_holds_an_id_or_a_word_of_a_user(alice: Any, stranger: httpx2.Client) -> None:
    memory = alice.stored(NOTE)
    alice.http.get(f"/memories/{memory['memory_id']}")
    alice.http.get("/nowhere/zebrafish")
    alice.http.request("ZEBRAFISH", "/memories")

    text = "\n".join(lines(stranger)).lower()

    for word in ("zebrafish", memory["memory_id"], alice.principal):
        assert word.lower() not in text


def test_refusals_are_counted_by_their_code(alice: Any, stranger: httpx2.Client) -> None:
    before = value(stranger, 'moss_problems_total{code="not_found"}')

    alice.http.get("/memories/never-was")

    assert value(stranger, 'moss_problems_total{code="not_found"}') == before + 1


def test_what_lies_below_the_wire_is_read_at_each_scrape(stranger: httpx2.Client) -> None:
    names = {line.partition("{")[0] for line in lines(stranger) if not line.startswith("#")}

    assert {"moss_pool_connections", "moss_breaker_open", "moss_log_lines_total"} <= names


def test_service_that_saw_everything_has_fewer_than_500_series(
    stranger: httpx2.Client,
) -> None:
    document = stranger.get("/openapi.json").json()
    rules = [f"RUL-{number:02}" for number in range(60)]  # as many as are shipped, and more
    meter = Meter()
    for status in (200, 404, 503):
        for path, operations in document["paths"].items():
            for method in operations:
                for kind in STATUS:
                    meter.answered(method.upper(), path, status, 0.1, code=kind)
        meter.answered("other", None, status, 0.1, code=None)
    for verdict in get_args(Status):
        meter.judged(verdict, rules)
    meter.spent(1, 1)
    meter.seen(dict.fromkeys(("database", "migrations", "isolation", "desk", "process"), "ok"))
    text = generate_latest(meter.registry).decode()

    series = [line for line in text.splitlines() if not line.startswith("#")]
    assert len(document["paths"]) > 20
    assert 300 < len(series) < 485  # the other 15 are read below the wire
