"""The same request fifty times, another body under its key, and two writers of one revision."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

EQUAL = 50
STRICT = {(201, ""), (409, "idempotency_in_progress")}
CROWDED = STRICT | {(503, "storage_unavailable")}  # F19b: no connection within a second


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(f"{request.param}_url")
    return found


@pytest.fixture
def service(url: str, serve: Any) -> Any:
    return serve(url)


def said(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code", "")


def at_once(asks: list[Callable[[], httpx2.Response]]) -> list[httpx2.Response]:
    with ThreadPoolExecutor(len(asks)) as pool:
        return [each.result() for each in [pool.submit(ask) for ask in asks]]


def stored(service: Any) -> list[dict[str, Any]]:
    query = {"status": "all", "predicate": "meeting"}
    items: list[dict[str, Any]] = service.http.get("/memories", params=query).json()["items"]
    return items


def equal_requests(service: Any, round_: int, allowed: set[tuple[int, str]]) -> str:
    """Ask the same at once; return the id of the one memory that came of it."""
    headers = {"Idempotency-Key": f"key-{round_}"}
    answers = at_once([lambda: service.freshly(round_, headers=headers)] * EQUAL)
    told = [each for each in answers if each.status_code == 201]

    assert {said(each) for each in answers} <= allowed
    assert len({each.content for each in told}) == 1
    replayed = [each for each in told if "Idempotency-Replayed" in each.headers]
    assert len(replayed) == len(told) - 1
    again = service.freshly(round_, headers=headers)
    assert (again.content, again.headers["Idempotency-Replayed"]) == (told[0].content, "true")
    memory_id: str = again.json()["facts"][0]["memory_id"]
    return memory_id


def test_f40_fifty_equal_requests_at_once_have_one_effect_and_one_answer(
    service: Any, url: str, sound: Any
) -> None:
    equal_requests(service, 1, STRICT)

    assert len(stored(service)) == 1
    sound(url)


@pytest.mark.campaign
def test_f40_fifty_equal_requests_have_one_effect_in_a_hundred_rounds(
    service: Any, url: str, sound: Any
) -> None:
    ids = {equal_requests(service, round_, CROWDED) for round_ in range(100)}

    sound(url, ids=ids, alone=True)


@pytest.mark.parametrize("path", ["/memories", "/chat"])
def test_f41_other_body_under_the_same_key_has_no_effect(
    service: Any, facts: Any, path: str
) -> None:
    headers = {"Idempotency-Key": "key"}
    bodies = {
        "/memories": [{"facts": [facts["meeting"](n)]} for n in (1, 2)],
        "/chat": [{"text": f"Budget review tomorrow at {hour}pm"} for hour in (3, 5)],
    }[path]
    first, other = (service.http.post(path, json=body, headers=headers) for body in bodies)

    assert first.is_success
    assert said(other) == (422, "idempotency_key_reused")
    assert len(stored(service)) == 1


Change = Callable[[Any, str, int], httpx2.Response]


def by_body(service: Any, path: str, n: int) -> httpx2.Response:
    body = {"object_value": f"value {n}", "expected_revision": 1}
    answer: httpx2.Response = service.http.patch(path, json=body)
    return answer


def by_header(service: Any, path: str, n: int) -> httpx2.Response:
    body = {"object_value": f"value {n}"}
    answer: httpx2.Response = service.http.patch(path, json=body, headers={"If-Match": '"1"'})
    return answer


def one_wins(service: Any, n: int, change: Change, refusal: int) -> None:
    memory_id = service.freshly(n).json()["facts"][0]["memory_id"]
    path = f"/memories/{memory_id}"
    answers = at_once([lambda n=n: change(service, path, n) for n in range(2)])  # type: ignore[misc]
    won, lost = sorted(answers, key=lambda each: each.status_code)

    assert (said(won), said(lost)) == ((200, ""), (refusal, "revision_conflict"))
    assert lost.json()["current_revision"] == 2
    kept = service.http.get(path).json()
    assert (kept["revision"], kept["object_value"]) == (2, won.json()["object_value"])


@pytest.mark.parametrize(("change", "refusal"), [(by_body, 409), (by_header, 412)])
def test_f42_one_of_two_writers_who_saw_the_same_revision_wins(
    service: Any, url: str, sound: Any, change: Change, refusal: int
) -> None:
    """Property 28."""

    for n in range(3):
        one_wins(service, n, change, refusal)
    sound(url)


@pytest.mark.campaign
@pytest.mark.parametrize(("change", "refusal"), [(by_body, 409), (by_header, 412)])
def test_f42_one_of_two_writers_wins_in_a_hundred_rounds(
    service: Any, url: str, sound: Any, change: Change, refusal: int
) -> None:
    for n in range(100):
        one_wins(service, n, change, refusal)
    sound(url)


def equal_clicks(service: Any, facts: Any, n: int) -> None:
    service.http.post("/memories", json={"facts": [facts["day_off"](n)]})
    asked = service.http.post("/memories", json={"facts": [facts["meeting"](n)]}).json()
    press = {"pending_id": asked["pending"]["pending_id"], "action": "keep_both"}
    answers = at_once([lambda: service.http.post("/confirm", json=press)] * EQUAL)

    assert {each.status_code for each in answers} == {200}
    assert len({each.content for each in answers}) == 1


def test_f43_fifty_clicks_at_once_have_one_effect_and_one_answer(
    service: Any, url: str, facts: Any, sound: Any
) -> None:
    equal_clicks(service, facts, 10)

    assert len(stored(service)) == 1
    sound(url)


@pytest.mark.campaign
def test_f43_fifty_clicks_have_one_effect_in_a_hundred_rounds(
    service: Any, url: str, facts: Any, sound: Any
) -> None:
    for n in range(100):
        equal_clicks(service, facts, 24 * n + 10)
    sound(url)
