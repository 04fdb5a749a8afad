"""``moss-memory rules``, ``lint`` and ``bench lint`` as a person at a terminal meets them."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from moss_memory.cli import bench_lint, lint, rules
from moss_memory.cli.bench_lint import Timing, report
from moss_memory.policy import load, shipped

Run = Callable[..., int]


@pytest.fixture
def run() -> Run:
    """Run a subcommand with its words."""

    modules = {"rules": rules, "lint": lint}

    def command(*words: str) -> int:
        parser = argparse.ArgumentParser()
        subparsers = parser.add_subparsers(required=True)
        modules[words[0]].add_parser(subparsers)
        return modules[words[0]].run(parser.parse_args(words))

    return command


@pytest.fixture
def edited(tmp_path: Path) -> Callable[[str, str], str]:
    """Write the shipped rules with one change, and return the file's path."""

    def edit(old: str, new: str) -> str:
        text = shipped("rules.toml").read_text("utf-8")
        assert old in text
        (tmp_path / "rules.toml").write_text(text.replace(old, new), "utf-8")
        return str(tmp_path / "rules.toml")

    return edit


def test_shipped_rules_are_proved(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rules", "verify") == 0
    told = capsys.readouterr().out
    assert "Schedule: 12 rules" in told
    assert "promises hold" in told
    assert "decided otherwise than as shipped: nothing" in told


MEETING_OVERWRITE = (
    ' }, relation = "supersedes", verdict = "SUPERSEDE", mode = "invalidate",'
    ' reason = "MEETING_OVERWRITE"'
)
DAY_OFF_ASKS = 'old = ["vacation"], time = {}, busy = ["BOTH"] }}, relation = "conflicts"'


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"SCH-40", prio = 50', '"SCH-40", prio = 70', "SCH-40: all of it is decided before"),
        (', hard = ["no"]' + MEETING_OVERWRITE, MEETING_OVERWRITE,
         "nothing supersedes a hard constraint"),
        (DAY_OFF_ASKS.format('"overlap"'), DAY_OFF_ASKS.format('["EQ"]'), "no rule at all"),
    ],
)  # fmt: skip
def test_broken_rules_are_refused_with_an_example(
    run: Run, edited: Any, capsys: pytest.CaptureFixture[str], old: str, new: str, told: str
) -> None:
    assert run("rules", "verify", edited(old, new)) == 1
    assert told in capsys.readouterr().err


def test_changed_rules_say_which_situations_they_touch(
    run: Run, edited: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("rules", "verify", edited("VACATION_OVERLAP", "DAY_OFF")) == 0
    assert "as shipped: Schedule meeting/vacation\n" in capsys.readouterr().out


@pytest.mark.parametrize("content", ["schema = 'x'", "= broken"])
def test_file_that_is_no_rule_table_is_refused(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    (tmp_path / "rules.toml").write_text(content)

    assert run("rules", "verify", str(tmp_path / "rules.toml")) == 1
    assert "not a policy" in capsys.readouterr().err


def test_lock_is_spelled_as_it_is_shipped(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rules", "lock") == 0
    assert capsys.readouterr().out == shipped("rules.lock").read_text("utf-8")


MEETING = {"domain": "Schedule", "subject": "Calendar", "predicate": "meeting",
           "object_value": "Review", "when": {"local_start": "2026-07-17T10:00"}}  # fmt: skip
DAY_OFF = MEETING | {"predicate": "vacation", "object_value": "Vacation",
                     "when": {"date": "2026-07-17"}}  # fmt: skip


def judged(run: Run, tmp_path: Path, case: Any, *words: str) -> int:
    (tmp_path / "case.json").write_text(json.dumps(case))
    return run("lint", str(tmp_path / "case.json"), *words)


def test_case_is_judged_offline(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = {
        "timezone": "Asia/Seoul",
        "existing": [DAY_OFF | {"memory_id": "v"}],
        "facts": [MEETING],
    }

    assert judged(run, tmp_path, case) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["status"], verdict["actions"]) == ("CONFIRM_REQUIRED", ["keep_both", "cancel"])
    assert verdict["findings"][0]["memory_id"] == "v"
    assert verdict["findings"][0]["occurrence"] == "2026-07-17T01:00:00+00:00"


def test_changed_rule_changes_the_verdict(
    run: Run, tmp_path: Path, edited: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    case = {"existing": [DAY_OFF], "facts": [MEETING]}
    file = edited("VACATION_OVERLAP", "DAY_OFF_AHEAD")

    assert judged(run, tmp_path, case, "--rules", file) == 0
    assert json.loads(capsys.readouterr().out)["conflict_type"] == "DAY_OFF_AHEAD"


def test_existing_memory_may_be_hidden_or_read_only(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = {"existing": [DAY_OFF | {"visible": False}], "facts": [MEETING]}
    retro = MEETING | {"object_value": "Retro", "writable": False}
    locked = {"existing": [retro], "facts": [MEETING]}

    judged(run, tmp_path, hidden)
    assert json.loads(capsys.readouterr().out)["conflict_type"] == "HIDDEN_CONFLICT"
    judged(run, tmp_path, locked)
    assert json.loads(capsys.readouterr().out)["actions"] == ["keep_both", "cancel"]


@pytest.mark.parametrize(
    ("fact", "code"),
    [
        (MEETING | {"predicate": "party"}, "unknown_predicate"),
        (MEETING | {"subject": "Diary"}, "unknown_predicate"),
        (MEETING | {"when": None}, "window_required"),
        (MEETING | {"when": {"start": "2026-07-17T10:00"}}, "naive_timestamp"),
        (DAY_OFF | {"object_value": "Sabbatical"}, "invalid_value"),
        (MEETING | {"colour": "red"}, "invalid_request"),
        ({"domain": "Schedule"}, "invalid_request"),
        ("meeting", "invalid_request"),
    ],
)  # fmt: skip
def test_malformed_fact_is_refused_by_its_code(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], fact: Any, code: str
) -> None:
    assert judged(run, tmp_path, {"facts": [fact]}) == 1
    assert json.loads(capsys.readouterr().err)["code"] == code


@pytest.mark.parametrize("case", [[], {}, {"facts": {}}, {"facts": [], "existing": [1]}])
def test_case_that_is_none_is_refused(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], case: Any
) -> None:
    assert judged(run, tmp_path, case) == 1
    assert json.loads(capsys.readouterr().err)["code"] == "invalid_request"


def test_file_that_is_not_there_is_said(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("lint", str(tmp_path / "none.json")) == 1
    assert "cannot be read" in capsys.readouterr().err


def test_bench_measures_each_part_beside_its_target() -> None:
    timings = bench_lint.measure(load(), rounds=3, stored=50)
    shown, figures = report(timings), json.loads(bench_lint.told(timings))["figures"]

    assert shown.count("target") == len(figures) == 5
    assert all(each["name"] in shown for each in figures)
    assert "lint, 100 memories over six weeks" in shown
    assert "lint, 50 memories in SQLite" in shown


@pytest.mark.parametrize(("seconds", "word"), [(0.5, "holds"), (2.0, "MISSED")])
def test_missed_target_is_said(seconds: float, word: str) -> None:
    assert word in report([Timing("a part", seconds, seconds, 1.0)])


def exported(tmp_path: Path, *memories: dict[str, Any]) -> str:
    """Write an export as the service does, one JSON object a line."""
    lines = [{"format": "moss-memory.export/1"}, *({"memory": memory} for memory in memories)]
    file = tmp_path / "export.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return str(file)


def kept(name: str, start: str, until: str | None, **fields: Any) -> dict[str, Any]:
    return {
        "memory_id": name, "domain": "SmartHome", "subject": "lamp", "predicate": "light_status",
        "object_value": "on", "scope_id": "ada", "status": "active", "event_status": "confirmed",
        "source": "user_explicit", "confidence": 1.0, "when": {"start": start},
        "observed_at": start, "valid_from": start, "valid_until": until, "recorded_at": start,
    } | fields  # fmt: skip


HOURLY = [kept("a", "2026-07-01T00:00:00Z", None), kept("b", "2026-07-02T00:00:00Z", None)]
SAID_AGAIN = ('value = ["SAME"] }, relation = "coexists", verdict = "ALLOW" },\n'
              '  { id = "HOM-20"')  # fmt: skip


def test_new_rules_are_tried_on_an_export(
    run: Run, tmp_path: Path, edited: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    asks = SAID_AGAIN.replace(
        'relation = "coexists", verdict = "ALLOW"',
        'relation = "conflicts", verdict = "CONFIRM", reason = "X", options = ["cancel"]',
    )
    later = kept("b", "2026-07-02T00:00:00Z", None, observed_at="2026-07-03T00:00:00Z")
    gone = kept("c", "2026-07-03T00:00:00Z", None, status="inactive")
    export = exported(tmp_path, HOURLY[0], later, gone)

    assert run("rules", "relint", export, edited(SAID_AGAIN, asks)) == 1
    told = capsys.readouterr().out
    assert "b over a: SUCCESS becomes BLOCKED by HOM-11" in told
    assert "2 active memories, 1 pairs" in told


def test_rules_in_force_have_no_news(
    run: Run, tmp_path: Path, edited: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = kept("z", "2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z", object_value="off")
    series = kept("s", "2026-07-05T00:00:00Z", None,
                  when={"local_start": "2026-07-05T18:00", "rrule": "FREQ=DAILY"})  # fmt: skip
    export = exported(tmp_path, cut, HOURLY[0], series)

    assert run("rules", "relint", export, edited("MEETING_OVERLAP", "MEETING_OVERLAP")) == 0
    assert "3 active memories, 0 pairs" in capsys.readouterr().out


def test_export_that_cannot_be_read_is_said(
    run: Run, tmp_path: Path, edited: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "export.jsonl").write_text("{", "utf-8")
    rules_file = edited("MEETING_OVERLAP", "MEETING_OVERLAP")

    assert run("rules", "relint", str(tmp_path / "export.jsonl"), rules_file) == 1
    assert run("rules", "relint", str(tmp_path / "none.jsonl"), rules_file) == 1
    assert capsys.readouterr().err.count("cannot be read") == 2
