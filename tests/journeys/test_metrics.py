"""``/metrics``: what is counted, by closed words alone."""

from typing import Any

import httpx2

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
    series = 'moss_request_seconds_count{method="GET",route="/memories/{memory_id}",status="2xx"}'
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
    assert len(text.splitlines()) < 2000
