"""Commands at a database that is behind, none, or away say what to do, without a traceback."""

from pathlib import Path

import pytest

from moss_memory.adapters.sql_migrate import migrate
from moss_memory.cli.main import main


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_sweep_of_a_database_that_is_not_migrated_says_so(
    engine: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    url = request.getfixturevalue(f"empty_{engine}_url")
    monkeypatch.setenv("MOSS_DATABASE_URL", url)

    assert main(["sweep"]) == 1
    assert "run moss-memory migrate" in capsys.readouterr().err


def test_sweep_of_an_older_schema_says_so(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOSS_DATABASE_URL", sqlite_url)
    migrate(sqlite_url, "-1")

    assert main(["sweep"]) == 1
    assert "run moss-memory migrate" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["sweep", "migrate"])
def test_file_that_is_no_database_is_told_in_a_line(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "moss.db").write_text("no database\n" * 100)
    monkeypatch.setenv("MOSS_DATABASE_URL", f"sqlite:///{tmp_path / 'moss.db'}")

    assert main([command]) == 1
    assert capsys.readouterr().err.startswith("moss-memory: the database does not answer")


def test_sweep_of_a_database_that_is_away_is_told_in_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOSS_DATABASE_URL", "postgresql+psycopg://nobody@127.0.0.1:1/none")

    assert main(["sweep"]) == 1
    assert capsys.readouterr().err.startswith("moss-memory: the database does not answer")
