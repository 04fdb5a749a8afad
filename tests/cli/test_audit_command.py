"""``moss-memory audit verify``: a sound store passes, an edited one is named."""

import json
import sqlite3
from pathlib import Path

import pytest

from moss_memory.cli.main import main


@pytest.fixture
def store(sqlite_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "moss.db"
    path.write_bytes(sqlite_template.read_bytes())
    monkeypatch.setenv("MOSS_DATABASE_URL", f"sqlite:///{path}")
    return path


def test_sound_store_passes(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "verify", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "ok": True,
        "checked": 0,
        "first_bad": None,
        "broken_invariants": {},
    }


def test_row_without_its_commit_fails_and_is_named(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect(store) as database:
        database.execute(
            "INSERT INTO space (tenant_id, space_id, owner, domain, epoch, recorded_at)"
            " VALUES ('default', 's', 'ann', 'Schedule', 3, 1)"
        )

    assert main(["audit", "verify"]) == 1
    assert "BROKEN" in capsys.readouterr().out
