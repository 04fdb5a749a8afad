"""The environment becomes one frozen value, or the service says why it must not start."""

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from moss_memory.settings import (
    Settings,
    SettingsError,
    check,
    is_loopback,
    load,
    unknown,
    variables,
)

ROOT = Path(__file__).resolve().parents[1]
SECRET = "a-secret-of-this-test" * 2
KEYS = {"MOSS_AUTH": "keys", "MOSS_SECRET_KEY": SECRET}
REDIS = {"MOSS_REDIS_URL": "redis://127.0.0.1/0"}


def test_nothing_needs_to_be_set() -> None:
    assert load({}) == Settings()


def test_empty_variable_is_an_unset_one() -> None:
    assert load({"MOSS_PORT": "", "MOSS_REDIS_URL": "", "MOSS_SECRET_KEY_FILE": ""}) == Settings()


def test_value_comes_from_the_file_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{SECRET}\n")

    settings = load({"MOSS_SECRET_KEY_FILE": str(tmp_path / "key")})

    assert settings.secret_key is not None
    assert settings.secret_key.get_secret_value() == SECRET


@pytest.mark.parametrize("name", variables().values())
def test_every_setting_may_come_from_a_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=f"{name}_FILE"):
        load({f"{name}_FILE": str(tmp_path / "absent")})


def test_value_given_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="give one"):
        load({"MOSS_SECRET_KEY": SECRET, "MOSS_SECRET_KEY_FILE": str(tmp_path / "key")})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MOSS_AUTH", "none"),
        ("MOSS_PORT", "65536"),
        ("MOSS_PORT", "http"),
        ("MOSS_TIMEZONE", "Mars/Olympus"),
        ("MOSS_TIMEZONE", "../etc/passwd"),
        ("MOSS_PENDING_TTL", "0"),
        ("MOSS_LINT_FROM", "both"),
        ("MOSS_CHAT_HISTORY", "raw"),
        ("MOSS_RATE_CHAT_PER_MINUTE", "-1"),
    ],
)
def test_bad_value_is_refused_by_name_and_not_repeated(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name) as refused:
        load({name: value})

    assert value not in str(refused.value).replace(name, "")


def test_origins_are_listed_with_commas() -> None:
    settings = load({"MOSS_CORS_ORIGINS": "https://a.example, https://b.example"})

    assert settings.cors_origins == ("https://a.example", "https://b.example")


def test_settings_do_not_change() -> None:
    with pytest.raises(ValidationError):
        Settings().port = 1  # type: ignore[misc]


def test_values_never_show() -> None:
    settings = load({**KEYS, "MOSS_DATABASE_URL": f"postgresql+psycopg://u:{SECRET}@db/moss"})

    assert SECRET not in f"{settings} {settings!r} {settings.database_url}"


@pytest.mark.parametrize(("auth", "rate"), [("dev", 0), ("keys", 60)])
def test_chat_is_limited_by_default_in_keys_mode_only(auth: str, rate: int) -> None:
    assert load({"MOSS_AUTH": auth}).chat_rate == rate


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("localhost.example", False),
        ("", False),
    ],
)
def test_loopback_is_what_only_this_machine_reaches(host: str, *, loopback: bool) -> None:
    assert is_loopback(host) == loopback


@pytest.mark.parametrize(
    ("environ", "host", "workers", "reason"),
    [
        ({}, "0.0.0.0", 1, "loopback"),
        ({}, "::", 1, "loopback"),
        ({"MOSS_AUTH": "keys"}, "127.0.0.1", 1, "MOSS_SECRET_KEY"),
        ({"MOSS_CORS_ORIGINS": "*"}, "127.0.0.1", 1, "MOSS_CORS_ORIGINS"),
        ({"MOSS_CORS_ORIGINS": "https://a.example,*"}, "127.0.0.1", 1, "MOSS_CORS_ORIGINS"),
        (KEYS, "127.0.0.1", 2, "MOSS_REDIS_URL"),
        (REDIS, "127.0.0.1", 2, "MOSS_SECRET_KEY"),
    ],
)
def test_what_is_unsafe_is_not_started(
    environ: dict[str, str], host: str, workers: int, reason: str
) -> None:
    with pytest.raises(SettingsError, match=reason):
        check(load(environ), host=host, workers=workers)


@pytest.mark.parametrize(
    ("environ", "host", "workers"),
    [({}, "127.0.0.1", 1), (KEYS, "0.0.0.0", 1), (KEYS | REDIS, "0.0.0.0", 4)],
)
def test_what_is_safe_starts(environ: dict[str, str], host: str, workers: int) -> None:
    check(load(environ), host=host, workers=workers)


def test_slip_of_the_pen_is_noticed() -> None:
    names = ["MOSS_DATABSE_URL", "MOSS_PORT", "MOSS_PORT_FILE", "HOME"]

    assert unknown(names) == ["MOSS_DATABSE_URL"]


def test_example_documents_every_setting_with_its_default() -> None:
    example = (ROOT / ".env.example").read_text()
    documented = dict(
        re.findall(r"^#? ?((?:MOSS|GEMINI|OPENAI)_[A-Z_]+)=(.*)$", example, re.MULTILINE)
    )
    active = dict(re.findall(r"^([A-Z_]+)=(.*)$", example, re.MULTILINE))

    assert documented.keys() == set(variables().values())
    assert load(active) == Settings()
