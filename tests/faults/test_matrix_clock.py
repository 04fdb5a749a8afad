"""The clock steps back and forward under a running service, and the two clocks disagree.

The service's clock is injected, as everywhere; the database's own stamps what is recorded.
"""

import sqlite3
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import psycopg
import pytest
from pydantic import SecretStr

DAY, HOUR, FIVE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=5)


@dataclass
class SteppedClock:
    """The true clock, set wrong by ``by``."""

    true: Any
    by: timedelta = timedelta(0)

    def __call__(self) -> datetime:
        now: datetime = self.true()
        return now + self.by


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(f"{request.param}_url")
    return found


@pytest.fixture
def service(url: str, serve: Any, redis_url: str) -> Any:
    shared = {"redis_url": SecretStr(redis_url)} if "postgresql" in url else {}
    return serve(url, **shared)


@pytest.fixture
def clock(service: Any) -> SteppedClock:
    """The clock of the service, which the test may set."""
    house = service.app.state.house
    stepped = SteppedClock(house.clock)
    service.app.state.house = replace(house, clock=stepped)
    return stepped


def database_now(url: str) -> datetime:
    if url.startswith("sqlite"):
        with sqlite3.connect(url.removeprefix("sqlite:///")) as database:
            said = database.execute("SELECT strftime('%Y-%m-%dT%H:%M:%f', 'now')").fetchone()[0]
        return datetime.fromisoformat(said).replace(tzinfo=UTC)
    with psycopg.connect(url.replace("+psycopg", "")) as database:
        found: datetime = database.execute("SELECT clock_timestamp()").fetchone()[0]  # type: ignore[index]
        return found


def told(answer: httpx2.Response) -> dict[str, Any]:
    assert answer.is_success, answer.text
    body: dict[str, Any] = answer.json()
    return body


def revise(service: Any, memory: dict[str, Any], value: str) -> dict[str, Any]:
    change = {"object_value": value, "expected_revision": memory["revision"]}
    return told(service.http.patch(f"/memories/{memory['memory_id']}", json=change))


@pytest.mark.parametrize("steps", [(-DAY, HOUR), (HOUR, -DAY)], ids=["back first", "forward first"])
def test_f33_order_is_by_revision_however_the_clock_steps(
    service: Any, clock: SteppedClock, url: str, sound: Any, steps: tuple[timedelta, ...]
) -> None:
    memory = told(service.freshly(1))["facts"][0]
    for n, step in enumerate((*steps, timedelta(0))):
        clock.by = step
        memory = revise(service, memory, f"value {n}")
        told(service.freshly(10 + n))
    revisions = told(service.http.get(f"/memories/{memory['memory_id']}/revisions"))["items"]
    listed = [each["recorded_at"] for each in told(service.http.get("/memories"))["items"]]
    stamps = [each["recorded_at"] for each in revisions]

    assert [each["revision"] for each in revisions] == [1, 2, 3, 4]
    assert stamps == sorted(set(stamps))
    assert listed == sorted(listed, reverse=True)
    sound(url)


@pytest.mark.parametrize("step", [-DAY, HOUR], ids=["a day back", "an hour forward"])
def test_f33_nothing_has_a_negative_age_and_talk_goes_on(
    service: Any, clock: SteppedClock, step: timedelta
) -> None:
    words = {"text": "Budget review on Monday at 3pm", "session_id": "talk"}
    told(service.http.post("/chat", json=words))
    clock.by = step
    later = {"text": "Dentist on Tuesday at 9am", "session_id": "talk"}
    assert told(service.http.post("/chat", json=later))["status"] == "SUCCESS"
    session = told(service.http.get("/sessions/talk"))
    context = told(service.http.post("/context", json={"query": "review", "session_id": "talk"}))

    assert session["ttl_seconds"] >= 0
    assert (session["reference_facts"]["age_seconds"] or 0) >= 0
    assert context["counts"]["included"] >= 0


@pytest.mark.parametrize(
    ("step", "expected"),
    [(-DAY, (200, "SUCCESS")), (HOUR, (410, "pending_gone"))],
    ids=["a day back", "an hour forward"],
)
def test_f33_question_is_settled_or_gone_and_asked_afresh(
    service: Any, clock: SteppedClock, facts: Any, step: timedelta, expected: tuple[int, str]
) -> None:
    told(service.http.post("/memories", json={"facts": [facts["day_off"](10)]}))
    rival = {"facts": [facts["meeting"](10)]}
    held = told(service.http.post("/memories", json=rival))["pending"]["pending_id"]
    clock.by = step
    answer = service.http.post("/confirm", json={"pending_id": held, "action": "keep_both"})
    body = answer.json()

    assert (answer.status_code, body.get("code", body.get("status"))) == expected
    if answer.status_code == 410:
        held = told(service.http.post("/memories", json=rival))["pending"]["pending_id"]
        body = told(service.http.post("/confirm", json={"pending_id": held, "action": "keep_both"}))
    assert body["status"] == "SUCCESS"


def test_f33_key_and_its_answer_outlive_a_step(service: Any, clock: SteppedClock) -> None:
    headers = {"Idempotency-Key": "key"}
    first = service.freshly(1, headers=headers)
    answers = []
    for clock.by in (-DAY, HOUR):
        answers.append(service.freshly(1, headers=headers))

    assert {each.content for each in answers} == {first.content}


@pytest.mark.parametrize("apart", [-FIVE, FIVE], ids=["behind", "ahead"])
def test_f35_recorded_time_is_the_databases_when_the_clocks_differ(
    service: Any, clock: SteppedClock, url: str, apart: timedelta
) -> None:
    clock.by = apart
    before = database_now(url)
    memory = told(service.freshly(1))["facts"][0]
    changed = revise(service, memory, "other")
    after = database_now(url)
    tick = timedelta(milliseconds=2)  # SQLite's clock has no finer hand

    for each in (memory, changed):
        assert before - tick <= datetime.fromisoformat(each["recorded_at"]) <= after + tick


# "tomorrow at 9am" in New York: over both changes of the clock, February's end, the year's end
MORNINGS = {
    "2026-03-07T12:00:00-05:00": "2026-03-08T13:00:00Z",
    "2026-10-31T12:00:00-04:00": "2026-11-01T14:00:00Z",
    "2028-02-28T12:00:00-05:00": "2028-02-29T14:00:00Z",
    "2028-02-29T12:00:00-05:00": "2028-03-01T14:00:00Z",
    "2027-02-28T12:00:00-05:00": "2027-03-01T14:00:00Z",
    "2026-12-31T23:30:00-05:00": "2027-01-01T14:00:00Z",
}


def test_f34_morning_after_a_change_of_clock_month_or_year_is_named_right(
    sqlite_url: str, serve: Any
) -> None:
    service = serve(sqlite_url)
    said = {
        reference: told(
            service.http.post(
                "/chat",
                json={
                    "text": "Budget review tomorrow at 9am",
                    "timezone": "America/New_York",
                    "reference_time": reference,
                },
            )
        )
        for reference in MORNINGS
    }

    assert {each["status"] for each in said.values()} == {"SUCCESS"}
    assert {when: each["facts"][0]["valid_from"] for when, each in said.items()} == MORNINGS
