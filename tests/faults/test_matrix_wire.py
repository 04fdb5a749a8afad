"""The wire to PostgreSQL ended, cut at COMMIT and deaf, under a create and under a confirm."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx2
import psycopg
import pytest

N = 10
SLOW = """
CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_sleep(1);
    RETURN NEW;
END $$;
CREATE TRIGGER slow BEFORE INSERT ON commit_log FOR EACH ROW EXECUTE FUNCTION public.slow();
"""
KEY = {"Idempotency-Key": "once"}


@dataclass
class Write:
    """One request under a key, and how its effect is counted."""

    service: Any
    path: str
    body: dict[str, Any]

    def ask(self) -> httpx2.Response:
        answer: httpx2.Response = self.service.http.post(self.path, json=self.body, headers=KEY)
        return answer

    def effects(self) -> int:
        query = {"predicate": "meeting", "status": "all"}
        return len(self.service.http.get("/memories", params=query).json()["items"])


@pytest.fixture
def line(wire: Any, postgres_url: str) -> tuple[Any, str]:
    made: tuple[Any, str] = wire(postgres_url)
    return made


@pytest.fixture
def service(serve: Any, line: tuple[Any, str]) -> Any:
    return serve(line[1])


@pytest.fixture(params=["create", "confirm"])
def write(request: pytest.FixtureRequest, service: Any, facts: Any) -> Write:
    """A create, or the yes to a question that is open; either writes one meeting."""
    body = {"facts": [facts["meeting"](N)]}
    if request.param == "create":
        return Write(service, "/memories", body)
    service.http.post("/memories", json={"facts": [facts["day_off"](N)]})
    asked = service.http.post("/memories", json=body).json()["pending"]
    return Write(service, "/confirm", {"pending_id": asked["pending_id"], "action": "keep_both"})


@pytest.fixture
def end_backends(postgres: Any, postgres_url: str) -> Callable[[], None]:
    """Return how to end every backend of the test's database."""
    name = postgres_url.rpartition("/")[2]
    ending = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname"
    return lambda: postgres.execute(f"{ending} = '{name}'")


@pytest.mark.parametrize("step", ["begin", "claimed", "decided"])
def test_f12_write_is_done_once_though_its_backend_is_terminated(
    write: Write, end_backends: Callable[[], None], sound: Any, postgres_url: str, step: str
) -> None:
    write.service.at(step, end_backends)
    answer = write.ask()

    assert answer.is_success, answer.text
    assert write.effects() == 1
    assert write.ask().content == answer.content
    sound(postgres_url)


def test_f13_truth_is_told_when_the_reply_to_commit_is_lost(
    write: Write, line: tuple[Any, str], sound: Any, postgres_url: str
) -> None:
    write.service.at("decided", line[0].cut_answer)
    answer = write.ask()
    again = write.ask()

    assert answer.is_success, answer.text
    assert (again.content, again.headers["Idempotency-Replayed"]) == (answer.content, "true")
    assert write.effects() == 1
    sound(postgres_url)


def test_f13_outcome_is_unknown_until_the_same_key_asks_again(
    write: Write, line: tuple[Any, str], sound: Any, postgres_url: str
) -> None:
    def lose() -> None:
        line[0].cut_answer()
        line[0].down = True

    write.service.at("decided", lose)
    answer = write.ask()
    line[0].down = False
    again = write.ask()

    assert (answer.status_code, answer.json()["code"]) == (503, "outcome_unknown")
    assert int(answer.headers["Retry-After"]) >= 1
    assert (again.is_success, again.headers["Idempotency-Replayed"]) == (True, "true")
    assert write.effects() == 1
    sound(postgres_url)


def test_f13_truth_is_told_of_a_slow_commit_that_outlives_its_wire(
    service: Any, line: tuple[Any, str], facts: Any, postgres_url: str, sound: Any
) -> None:
    with psycopg.connect(postgres_url.replace("+psycopg", ""), autocommit=True) as database:
        database.execute(SLOW)
    service.at("decided", threading.Timer(0.3, line[0].cut_all).start)
    answer = service.freshly(N)  # under no key, and tried again while its first try holds the lock

    assert (answer.status_code, answer.json()["status"]) == (201, "SUCCESS")
    assert Write(service, "", {}).effects() == 1
    sound(postgres_url)


@pytest.mark.campaign
def test_f13_truth_is_told_in_five_hundred_cuts(
    service: Any, line: tuple[Any, str], facts: Any, sound: Any, postgres_url: str
) -> None:
    for n in range(500):
        write = Write(service, "/memories", {"facts": [facts["meeting"](n)]})
        service.at("decided", line[0].cut_answer)
        headers = {"Idempotency-Key": f"k{n}"}
        answers = [
            service.http.post(write.path, json=write.body, headers=headers) for _ in range(2)
        ]
        assert [each.status_code for each in answers] == [201, 201]
        assert answers[1].content == answers[0].content
    sound(postgres_url)


@pytest.mark.parametrize(
    ("write", "step"),
    [
        ("create", "begin"),
        ("confirm", "decided"),
        pytest.param("create", "decided", marks=pytest.mark.campaign),
        pytest.param("confirm", "begin", marks=pytest.mark.campaign),
    ],
    indirect=["write"],
)
def test_f14_black_hole_is_given_up_within_the_deadline_and_the_same_key_goes_on(
    write: Write, line: tuple[Any, str], sound: Any, postgres_url: str, step: str
) -> None:
    def deafen() -> None:
        line[0].deaf = True

    write.service.at(step, deafen)
    answer = write.ask()
    line[0].deaf = False
    line[0].cut_all()
    again = write.ask()

    expected = {"begin": "storage_unavailable", "decided": "outcome_unknown"}[step]
    assert (answer.status_code, answer.json()["code"]) == (503, expected)
    assert again.is_success, again.text
    assert write.effects() == 1
    sound(postgres_url)
