"""The command: it lists what there is, imports what is asked for, and says what is wrong."""

from pathlib import Path

import pytest

from moss_memory.cli.demo import play
from moss_memory.cli.main import available, main
from moss_memory.cli.story import ENGLISH, KOREAN, Say


def test_overview_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])

    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert all(name in said for name in available())


@pytest.mark.parametrize("words", [[], ["explode"], ["--explode"], ["serve", "--explode"]])
def test_unknown_words_are_a_usage_error(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)

    assert ended.value.code == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.parametrize("command", list(available()))
def test_command_that_is_listed_explains_itself(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])

    assert ended.value.code == 0
    assert f"moss-memory {command}" in capsys.readouterr().out


def test_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])

    assert capsys.readouterr().out.strip()[0].isdigit()


def test_wrong_setting_ends_with_a_sentence_and_without_its_value(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOSS_TIMEZONE", "Mars/Olympus")
    code = main(["serve"])
    said = capsys.readouterr().err

    assert code == 2
    assert "MOSS_TIMEZONE" in said
    assert "Mars" not in said


def test_migration_says_what_it_did_and_then_has_nothing_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOSS_DATABASE_URL", f"sqlite:///{tmp_path / 'moss.sqlite3'}")
    codes = [main(["migrate"]) for _ in range(2)]
    first, second = capsys.readouterr().out.splitlines()

    assert codes == [0, 0]
    assert "empty -> " in first
    assert "nothing to do" in second


def test_key_in_a_database_that_was_never_migrated_sends_to_the_doctor(
    empty_sqlite_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MOSS_DATABASE_URL", empty_sqlite_url)
    monkeypatch.setenv("MOSS_SECRET_KEY", "of one test " * 3)

    assert main(["keys", "create", "alice"]) == 1
    assert "moss-memory doctor" in capsys.readouterr().err


def test_doctor_finds_a_database_that_was_not_migrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOSS_DATABASE_URL", f"sqlite:///{tmp_path / 'moss.sqlite3'}")
    monkeypatch.setenv("MOSS_DATABSE_URL", "a slip")
    before = main(["doctor"]), capsys.readouterr().out
    main(["migrate"])
    capsys.readouterr()
    after = main(["doctor"]), capsys.readouterr().out

    assert before[0] == 1
    assert "wrong" in before[1]
    assert "MOSS_DATABSE_URL" in before[1]
    assert after[0] == 0
    assert after[1].splitlines()[-1] == "ready"


def test_demo_plays_the_story_in_both_languages(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["demo"])
    said = capsys.readouterr().out

    assert code == 0
    assert said.count("As it should be.") == 2
    assert "You have no scheduled meetings at that time because you are on annual leave." in said
    assert "해당 시간은 연차 휴가 기간이므로 예정된 회의가 없습니다." in said
    assert "[휴가 중 회의 추가 등록]  [등록 취소]" in said


def test_demo_says_so_where_an_answer_is_another(capsys: pytest.CaptureFixture[str]) -> None:
    refused = {"status": "BLOCKED", "reply": "No.", "facts": [], "superseded": []}

    assert not play((Say("A wish", "words", "SUCCESS"),), lambda _path, _body: refused)
    assert "NOT as it should be." in capsys.readouterr().out


def test_stories_are_the_same_story() -> None:
    assert [(type(step), step.status) for step in ENGLISH] == [
        (type(step), step.status) for step in KOREAN
    ]
