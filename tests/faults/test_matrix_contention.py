"""Conflicts that PostgreSQL itself reports, and what is bounded when others hold what we need."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import httpx2
import psycopg
import pytest
from sqlalchemy import text

from broken_servers import until
from moss_memory.adapters.sql_call import Call, Statement
from moss_memory.adapters.sql_session import IDLE_MS

RAISE = """
CREATE SEQUENCE public.raised;
GRANT USAGE ON SEQUENCE public.raised TO PUBLIC;
CREATE FUNCTION public.rival() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF nextval('public.raised') <= {times} THEN
        RAISE EXCEPTION 'a rival was first' USING ERRCODE = '{state}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER rival BEFORE INSERT ON commit_log FOR EACH ROW EXECUTE FUNCTION public.rival();
"""

SLOW = """
CREATE SEQUENCE public.slept;
GRANT USAGE ON SEQUENCE public.slept TO PUBLIC;
CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF nextval('public.slept') = 1 THEN
        PERFORM pg_sleep(60);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER slow BEFORE INSERT ON commit_log FOR EACH ROW EXECUTE FUNCTION public.slow();
"""


@contextmanager
def connected(url: str) -> Iterator[Any]:
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        yield connection


@pytest.fixture
def service(serve: Any, postgres_url: str) -> Any:
    return serve(postgres_url)


def said(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code", answer.json().get("status"))


def stored(service: Any) -> int:
    return len(service.http.get("/memories").json()["items"])


@pytest.mark.parametrize("state", ["40001", "40P01"], ids=["f16", "f17"])
def test_f16_f17_write_is_tried_again_until_its_rivals_are_through(
    service: Any, postgres_url: str, sound: Any, state: str
) -> None:
    with connected(postgres_url) as database:
        database.execute(RAISE.format(times=5, state=state))

    assert said(service.freshly(1)) == (201, "SUCCESS")
    assert stored(service) == 1
    sound(postgres_url)


def test_f16_write_whose_rivals_never_end_is_refused_within_the_deadline(
    service: Any, postgres_url: str
) -> None:
    with connected(postgres_url) as database:
        database.execute(RAISE.format(times=10**9, state="40001"))
    answer = service.freshly(1)

    assert said(answer) == (503, "storage_unavailable")
    assert int(answer.headers["Retry-After"]) >= 1
    assert stored(service) == 0


def test_f16_one_of_sixteen_writers_over_http_gets_the_slot(
    service: Any, postgres_url: str, facts: Any, sound: Any
) -> None:
    def propose(writer: int) -> int:
        fact = facts["meeting"](1, object_value=f"rival {writer}")
        status: int = service.http.post("/memories", json={"facts": [fact]}).status_code
        return status

    with ThreadPoolExecutor(16) as pool:
        statuses = sorted(pool.map(propose, range(16)))

    assert statuses == [201] + [202] * 15
    assert stored(service) == 1
    sound(postgres_url)


def until_waiting(database: Any) -> None:
    """Return when one of the database's backends waits for a lock."""
    query = """SELECT count(*) FROM pg_stat_activity
               WHERE datname = current_database() AND wait_event_type = 'Lock'"""
    until(lambda: database.execute(query).fetchone()[0] > 0)


def test_f17_victim_of_a_real_deadlock_is_tried_again(
    serve: Any, postgres_url: str, sound: Any
) -> None:
    with connected(postgres_url) as database, connected(postgres_url) as rival:
        name = postgres_url.rpartition("/")[2]
        rival.execute("SET deadlock_timeout = '30s'")  # so that the service is the one to notice
        database.execute(f"ALTER DATABASE {name} SET deadlock_timeout = '20ms'")
        service = serve(postgres_url)
        service.freshly(1)
        steps: list[str] = []

        def take_the_other() -> None:
            rival.execute("UPDATE space SET epoch = epoch")
            rival.execute("ROLLBACK")

        crossing = threading.Thread(target=take_the_other)

        def cross() -> None:
            rival.execute("BEGIN")
            rival.execute("LOCK TABLE commit_log IN SHARE MODE")
            crossing.start()
            until_waiting(database)
            service.app.state.house.memory.database.passing = steps.append

        service.at("decided", cross)
        answer = service.freshly(2)
        crossing.join()

    assert said(answer) == (201, "SUCCESS")
    assert "claimed" in steps  # from the beginning
    assert stored(service) == 2
    sound(postgres_url)


def test_f19b_requests_beyond_the_pool_are_refused_in_turn_and_none_hangs(
    service: Any, postgres_url: str, sound: Any
) -> None:
    service.freshly(0)
    with connected(postgres_url) as rival:
        rival.execute("BEGIN")
        rival.execute("UPDATE space SET epoch = epoch")
        with ThreadPoolExecutor(40) as pool:
            answers = list(pool.map(service.freshly, range(1, 41)))
        rival.execute("ROLLBACK")

    assert {said(each) for each in answers} == {(503, "storage_unavailable")}
    assert said(service.freshly(61)) == (201, "SUCCESS")
    assert stored(service) == 2
    sound(postgres_url)


def crowd(stack: ExitStack, url: str) -> None:
    """Take every connection that the server has left, until it refuses one: 53300."""
    with suppress(psycopg.OperationalError):
        while True:
            stack.enter_context(connected(url))


def test_f19b_service_goes_on_when_others_give_their_connections_back(
    fresh: str, serve: Any
) -> None:
    service = serve(fresh)
    with ExitStack() as stack:
        crowd(stack, fresh)
        kept = service.freshly(1)  # over the connection that it has
        service.app.state.house.memory.database.close()
        crowd(stack, fresh)
        refused = service.freshly(2)

    assert said(kept) == (201, "SUCCESS")
    assert said(refused) == (503, "storage_unavailable")
    assert int(refused.headers["Retry-After"]) >= 1
    assert said(service.freshly(2)) == (201, "SUCCESS")


def test_f19c_lock_that_is_never_released_is_not_waited_for(
    service: Any, postgres_url: str
) -> None:
    with connected(postgres_url) as rival:
        rival.execute("BEGIN")
        rival.execute("LOCK TABLE space")
        answer = service.freshly(1)
        rival.execute("ROLLBACK")

    assert said(answer) == (503, "storage_unavailable")  # 55P03
    assert said(service.freshly(1)) == (201, "SUCCESS")


def test_f19c_statement_that_takes_too_long_is_ended(service: Any, postgres_url: str) -> None:
    with connected(postgres_url) as database:
        database.execute(SLOW)
    answer = service.freshly(1)

    assert said(answer) == (503, "storage_unavailable")  # 57014
    assert said(service.freshly(1)) == (201, "SUCCESS")
    assert stored(service) == 1


def test_f19c_transaction_that_idles_is_ended_by_the_server_and_nothing_is_written(
    service: Any, postgres_url: str, sound: Any
) -> None:
    service.at("claimed", lambda: time.sleep(IDLE_MS / 1000 + 0.2))
    answer = service.freshly(1)

    assert said(answer) == (503, "storage_unavailable")  # 25P03
    assert stored(service) == 0
    assert said(service.freshly(1)) == (201, "SUCCESS")
    sound(postgres_url)


def test_f19c_audit_may_take_longer_than_a_request(service: Any) -> None:
    slow = Call(Statement(text("SELECT pg_sleep(2.7)")))  # longer than a flight may take, too
    with service.app.state.house.memory.database.session("default") as session:
        session.take_time(60)
        assert len(session.run(slow)[0].rows) == 1
