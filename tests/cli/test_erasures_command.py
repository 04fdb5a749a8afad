"""``moss-memory erasures``: what a restored backup brings back is erased again from the ledger."""

import json
from pathlib import Path

import pytest

from moss_memory.adapters.sql_erasure import SqlErasures
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.app import build_house
from moss_memory.cli.main import main
from moss_memory.core.access import Caller
from moss_memory.flow import record, steward
from moss_memory.flow.requests import Circumstances, FactIn, ProposeRequest
from moss_memory.settings import load_settings

ANN = Caller(tenant_id="default", principal_id="ann")
AROUND = Circumstances(request_id="r")
WORD = "Zwetschgenkuchen"


@pytest.fixture
def store(sqlite_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "moss.db"
    path.write_bytes(sqlite_template.read_bytes())
    monkeypatch.setenv("MOSS_DATABASE_URL", f"sqlite:///{path}")
    return path


@pytest.fixture
def ledger(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A copy of the ledger, while the store is a backup from before the erasure."""
    built = build_house(load_settings())
    fact = FactIn(domain="Preference", subject="food:cake", predicate="prefers", object_value=WORD)
    record.propose(built.house, ANN, ProposeRequest(facts=(fact,)), AROUND)
    for close in built.close:
        close()
    backup = store.read_bytes()
    built = build_house(load_settings())
    assert isinstance(built.house.memory, SqlMemory)
    steward.erase(built.house, SqlErasures(built.house.memory.database), ANN, "ann", AROUND)
    for close in built.close:
        close()
    assert main(["erasures", "list"]) == 0
    copy = tmp_path / "ledger.jsonl"
    copy.write_text(capsys.readouterr().out)
    store.write_bytes(backup)
    return copy


def test_restored_words_are_erased_again(store: Path, ledger: Path) -> None:
    assert WORD.encode() in store.read_bytes()

    assert main(["erasures", "apply", str(ledger)]) == 0
    assert WORD.encode() not in store.read_bytes()


def test_applying_twice_destroys_nothing_more(
    ledger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["erasures", "apply", str(ledger), "--json"])
    first = json.loads(capsys.readouterr().out)
    main(["erasures", "apply", str(ledger), "--json"])
    second = json.loads(capsys.readouterr().out)

    assert (first["applied"], first["counts"]["memories"]) == (1, 1)
    assert set(second["counts"].values()) == {0}


def test_restored_ledger_has_the_entry_again(
    ledger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["erasures", "apply", str(ledger)])
    capsys.readouterr()
    main(["erasures", "list", "--json"])

    (entry,) = json.loads(capsys.readouterr().out)
    assert (entry["principal_id"], entry["requested_by"]) == ("ann", "ann")


@pytest.mark.parametrize("line", ["{}", "words", '{"erasure_id": 1}'])
def test_file_that_is_no_ledger_is_refused_before_anything_goes(
    store: Path, ledger: Path, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger.write_text(ledger.read_text() + line)

    assert main(["erasures", "apply", str(ledger)]) == 2
    assert "Line 2 is no entry" in capsys.readouterr().err
    assert WORD.encode() in store.read_bytes()
