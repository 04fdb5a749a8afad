"""``moss-memory doctor``: each part broken in turn is named, with what to do about it."""

import json
from typing import Any

import psycopg
import pytest

from moss_memory.cli.doctor import TO_DO
from moss_memory.cli.main import main

NOWHERE = "127.0.0.1:9"  # the port of discard, where nobody listens


@pytest.fixture
def examined(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the doctor over settings; its exit code, its status, and its findings by part."""

    def run(**settings: str) -> tuple[int, str, dict[str, Any]]:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        code = main(["doctor", "--json"])
        told = json.loads(capsys.readouterr().out)
        return code, told["status"], {each["part"]: each for each in told["checks"]}

    return run


def test_whole_service_is_ready(examined: Any, sqlite_url: str) -> None:
    code, status, found = examined(MOSS_DATABASE_URL=sqlite_url)

    assert (code, status) == (0, "ready")
    assert found["database"] == {"level": "ok", "part": "database", "state": "ok", "todo": ""}


def test_database_that_was_never_migrated_is_to_be_migrated(
    examined: Any, empty_sqlite_url: str
) -> None:
    code, _, found = examined(MOSS_DATABASE_URL=empty_sqlite_url)

    assert code == 1
    assert "moss-memory migrate" in found["migrations"]["todo"]


def test_database_that_does_not_answer_is_to_be_started(examined: Any) -> None:
    code, status, found = examined(MOSS_DATABASE_URL=f"postgresql+psycopg://moss@{NOWHERE}/moss")

    assert (code, status) == (1, "unready")
    assert "MOSS_DATABASE_URL" in found["database"]["todo"]


@pytest.mark.parametrize("url", ["mysql://db/moss", "no url", "sqlite://"])
def test_url_of_no_known_database_is_a_wrong_setting(examined: Any, url: str) -> None:
    code, _, found = examined(MOSS_DATABASE_URL=url)

    assert code == 1
    assert found["settings"]["state"].startswith("MOSS_DATABASE_URL: ")


def test_row_level_security_that_is_missing_is_named(examined: Any, postgres_url: str) -> None:
    with psycopg.connect(postgres_url.replace("+psycopg", ""), autocommit=True) as owner:
        owner.execute("ALTER TABLE decision DISABLE ROW LEVEL SECURITY")

    code, _, found = examined(MOSS_DATABASE_URL=postgres_url)

    assert code == 1
    assert found["isolation"]["state"] == "row_security_off:decision"
    assert "MOSS_MIGRATION_DATABASE_URL" in found["isolation"]["todo"]


def test_redis_that_is_away_degrades(examined: Any, sqlite_url: str) -> None:
    code, status, found = examined(
        MOSS_DATABASE_URL=sqlite_url, MOSS_REDIS_URL=f"redis://{NOWHERE}/0"
    )

    assert (code, status) == (0, "degraded")
    assert "MOSS_REDIS_URL" in found["desk"]["todo"]


def test_url_of_no_redis_is_a_wrong_setting(examined: Any, sqlite_url: str) -> None:
    code, _, found = examined(MOSS_DATABASE_URL=sqlite_url, MOSS_REDIS_URL="http://redis")

    assert code == 1
    assert found["settings"]["state"].startswith("MOSS_REDIS_URL ")


def test_model_that_is_away_degrades(examined: Any, sqlite_url: str) -> None:
    code, status, found = examined(
        MOSS_DATABASE_URL=sqlite_url,
        MOSS_MODEL=f"openai:small@http://{NOWHERE}",
        MOSS_MODEL_FALLBACK="offline",
    )

    assert (code, status) == (0, "degraded")
    assert found["model"]["state"] == "model_unavailable (unreachable)"
    assert "MOSS_MODEL" in found["model"]["todo"]


def test_model_that_keeps_to_no_schema_is_to_be_replaced(
    examined: Any, sqlite_url: str, model_server: Any
) -> None:
    model_server.steps = [{"text": "Good morning to you, too!"}]

    _, status, found = examined(
        MOSS_DATABASE_URL=sqlite_url, MOSS_MODEL=f"openai:small@{model_server.url}"
    )

    assert status == "degraded"
    assert found["model"]["state"].startswith("model_bad_output")
    assert "JSON schema" in found["model"]["todo"]


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"MOSS_AUTH": "keys"}, "MOSS_SECRET_KEY"),
        ({"MOSS_HOST": "0.0.0.0"}, "loopback"),
        ({"MOSS_CORS_ORIGINS": "*"}, "MOSS_CORS_ORIGINS"),
        ({"MOSS_MODEL": "oracle"}, "MOSS_MODEL"),
        ({"MOSS_RULES": "/nowhere/rules.toml"}, "rules.toml"),
        ({"MOSS_TIMEZONE": "Mars/Olympus"}, "MOSS_TIMEZONE"),
    ],
)
def test_wrong_setting_is_named(
    examined: Any, sqlite_url: str, settings: dict[str, str], named: str
) -> None:
    code, status, found = examined(MOSS_DATABASE_URL=sqlite_url, **settings)

    assert (code, status) == (1, "unready")
    assert named in found["settings"]["state"]


def test_every_finding_says_what_to_do() -> None:
    assert all(TO_DO.values())
