"""The ``keys`` command over a store in memory: what it prints, and what it never prints twice."""

import argparse
import importlib.util
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from moss_memory.cli import keys
from moss_memory.core.errors import InvalidValueError, NotFoundError
from moss_memory.flow.key_form import read_key
from moss_memory.settings import Settings, SettingsError

WITH_PEPPER = Settings(secret_key=SecretStr("a pepper of the tests"))


@pytest.fixture
def store() -> Any:
    path = Path(__file__).parents[1] / "adapters" / "access_stores.py"
    spec = importlib.util.spec_from_file_location("access_stores", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.MemoryKeys()


def asked(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    keys.add_parser(parser.add_subparsers(dest="command"))
    return parser.parse_args(["keys", *words])


def run(store: Any, *words: str, settings: Settings = WITH_PEPPER) -> int:
    return keys.run(asked(*words), lambda _: store, settings)


def test_created_key_is_alone_on_standard_output(
    store: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(store, "create", "kim", "--right", "debug") == 0

    printed = capsys.readouterr()
    key = read_key(printed.out.strip())
    assert key is not None
    assert key.secret not in printed.err
    assert store.records[key.key_id].rights == {"debug"}


def test_first_administrator_has_every_right_of_the_named_tenant(store: Any) -> None:
    run(store, "create", "root", "--all-rights", "--tenant", "acme", "--days", "30")

    (record,) = store.records.values()
    assert (record.tenant_id, len(record.rights)) == ("acme", 5)
    assert (record.expires_at - record.created_at).days == 30


def test_list_shows_the_state_and_no_secret(store: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run(store, "create", "kim")
    secret = capsys.readouterr().out.strip()
    (key_id,) = store.records
    run(store, "revoke", key_id)
    run(store, "list")

    printed = capsys.readouterr().out
    assert f"{key_id}\trevoked\tkim" in printed
    assert secret not in printed


def test_key_is_not_made_without_a_pepper(store: Any) -> None:
    with pytest.raises(SettingsError, match="MOSS_SECRET_KEY"):
        run(store, "create", "kim", settings=Settings())

    assert store.records == {}


def test_unknown_key_is_not_revoked(store: Any) -> None:
    with pytest.raises(NotFoundError):
        run(store, "revoke", "a" * 12)


@pytest.mark.parametrize("words", [("kim kim",), ("kim", "--days", "0"), ("kim", "--tenant", "")])
def test_malformed_key_is_refused(store: Any, words: tuple[str, ...]) -> None:
    with pytest.raises(InvalidValueError):
        run(store, "create", *words)
