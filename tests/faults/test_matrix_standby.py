"""A database that only reads: a standby, its promotion, and one that lags behind its primary."""

from collections.abc import Callable
from typing import Any

import httpx2
import psycopg
import pytest


def said(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code", answer.json().get("status"))


def test_f18_standby_answers_reads_and_takes_writes_again_once_promoted(
    node: Any, fresh: str, serve: Any, sound: Any
) -> None:
    service = serve(fresh)
    written = service.freshly(1)
    node.stop()
    node.mark("standby.signal")
    node.start()
    reads = [
        service.http.get("/memories"),
        service.http.get(f"/memories/{written.json()['facts'][0]['memory_id']}/why"),
        service.http.post("/context", json={"query": "talk"}),
    ]
    refused = service.freshly(2)
    node.server.execute("SELECT pg_promote()")

    assert [each.status_code for each in reads] == [200, 200, 200]
    assert said(refused) == (503, "storage_unavailable")  # 25006
    assert int(refused.headers["Retry-After"]) >= 1
    assert said(service.freshly(2)) == (201, "SUCCESS")
    sound(fresh)


@pytest.fixture
def lagging(node: Any, fresh: str, new_node: Callable[..., Any]) -> str:
    """A URL of the same database on a standby that follows the node an hour behind."""
    standby = new_node()
    node.stop()
    standby.become_standby_of(node)
    node.start()
    standby.start()
    return str(standby.url(fresh.rpartition("/")[2]))


def heads(url: str) -> int:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        return int(connection.execute("SELECT count(*) FROM memory_head").fetchone()[0])  # type: ignore[index]


def host(url: str) -> str:
    return url.partition("@")[2].partition("/")[0]


def test_f19d_linter_reads_the_primary_though_a_lagging_standby_is_named_first(
    fresh: str, lagging: str, serve: Any, facts: Any
) -> None:
    both = f"host={host(lagging)}&host={host(fresh)}&target_session_attrs=read-write"
    service = serve(f"postgresql+psycopg://postgres@/{fresh.rpartition('/')[2]}?{both}")
    rival = {"facts": [facts["meeting"](1, object_value="rival")]}
    written = service.freshly(1)
    linted = service.http.post("/lint", json=rival)

    assert (heads(lagging), heads(fresh)) == (0, 1)
    assert said(written) == (201, "SUCCESS")
    assert said(linted) == (200, "CONFIRM_REQUIRED")
    assert said(service.http.post("/memories", json=rival)) == (202, "CONFIRM_REQUIRED")


def test_f19d_nothing_is_decided_on_a_standby_that_lags(
    fresh: str, lagging: str, serve: Any, facts: Any
) -> None:
    assert serve(fresh).freshly(1).status_code == 201
    behind = serve(lagging)
    rival = {"facts": [facts["meeting"](1, object_value="rival")]}

    assert said(behind.http.post("/memories", json=rival)) == (503, "storage_unavailable")
    assert heads(fresh) == 1
