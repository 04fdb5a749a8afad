"""``moss-memory eval understanding`` on small files of own sentences."""

import json
from pathlib import Path
from typing import Any

import pytest

from moss_memory.cli.main import main
from moss_memory.cli.scoring import wilson

KEYS = {
    "rows",
    "intent_accuracy",
    "false_write_rate",
    "start_accuracy",
    "window_accuracy",
    "first_fact_accuracy",
    "median_ms",
    "p95_ms",
}
ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
INTENTS = [
    {"text": "Add a budget meeting tomorrow at 4pm", "intent": "WRITE", "groups": ["a"]},
    {"text": "What do I have tomorrow?", "intent": "QUERY", "groups": ["a"]},
    {"text": "Cancel the budget meeting", "intent": "DELETE", "groups": ["b"]},
    {"text": "Turn off the kitchen light", "intent": "UNKNOWN", "groups": ["b"]},
    {"text": "Add a budget meeting on Monday", "intent": "QUERY", "groups": ["b"]},
]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def measured(
    rows: list[dict[str, Any]], path: Path, capsys: pytest.CaptureFixture[str], *more: str
) -> dict[str, Any]:
    data = write(path / "rows.jsonl", rows)
    assert main(["eval", "understanding", "--data", str(data), "--json", *more]) == 0
    figures: dict[str, Any] = json.loads(capsys.readouterr().out)
    return figures


def test_json_is_one_object_with_the_agreed_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = measured(INTENTS, tmp_path, capsys)

    assert set(figures) == {*KEYS, "by_group"}
    assert set(figures["by_group"]) == {"a", "b"}
    assert set(figures["by_group"]["a"]) == KEYS


def test_intents_count_a_retire_as_delete_and_a_home_write_as_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = measured(INTENTS, tmp_path, capsys)

    assert figures["rows"] == 5
    assert figures["intent_accuracy"] == 0.8
    assert figures["false_write_rate"] == pytest.approx(1 / 3, abs=1e-4)
    assert figures["start_accuracy"] is None


def test_a_group_alone_is_measured_where_it_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert measured(INTENTS, tmp_path, capsys, "--group", "a")["rows"] == 2


@pytest.mark.parametrize(
    ("row", "start", "window"),
    [
        ({"expected_start": "2026-07-17T16:00:00", "match": "datetime"}, 1.0, 1.0),
        ({"expected_start": "2026-07-17T09:00:00", "match": "datetime"}, 0.0, 0.0),
        ({"expected_start": "2026-07-17T00:00:00", "match": "date"}, 1.0, 1.0),
        ({"expected_start": "2026-01-01T16:00:00", "match": "time"}, 1.0, 1.0),
        (
            {
                "expected_start": "2026-07-17T04:00:00",
                "alt_start": ["2026-07-17T16:00:00"],
                "match": "datetime",
            },
            1.0,
            1.0,
        ),
        (
            {
                "expected_start": "2026-07-17T16:00:00",
                "expected_end": "2026-07-17T18:00:00",
                "match": "datetime",
            },
            1.0,
            0.0,
        ),
    ],
)
def test_times_are_compared_as_the_row_says(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    row: dict[str, Any],
    start: float,
    window: float,
) -> None:
    said = {"text": "Add a call tomorrow at 4pm", "reference": "2026-07-16T14:00:00", **row}

    figures = measured([{"expected_end": None, **said}], tmp_path, capsys)

    assert (figures["start_accuracy"], figures["window_accuracy"]) == (start, window)


def test_holiday_rows_are_reported_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {
        "text": "Easter",
        "reference": "2026-07-16T14:00:00",
        "expected_start": "2027-03-28T00:00:00",
        "expected_end": None,
        "match": "date",
    }

    figures = measured([{**row, "holiday": True}, row], tmp_path, capsys)

    assert figures["rows"] == 1
    assert figures["by_group"]["holiday"]["start_accuracy"] == 1.0


def test_failures_go_to_a_file_with_what_was_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "failures.jsonl"

    measured(INTENTS, tmp_path, capsys, "--failures", str(target))

    (failure,) = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert (failure["text"], failure["said"]) == ("Add a budget meeting on Monday", "WRITE")


def test_people_get_intervals_and_a_confusion_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write(tmp_path / "rows.jsonl", INTENTS)

    assert main(["eval", "understanding", "--data", str(data)]) == 0

    out = capsys.readouterr().out
    assert "4 of 5" in out
    assert "label \\ said" in out


@pytest.mark.parametrize("text", [None, "not json", "[]"])
def test_a_file_that_cannot_be_measured_is_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None
) -> None:
    data = tmp_path / "rows.jsonl"
    if text is not None:
        data.write_text(text, encoding="utf-8")

    assert main(["eval", "understanding", "--data", str(data)]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("right", "asked", "low", "high"),
    [(0, 0, 0.0, 1.0), (10, 10, 0.7225, 1.0), (0, 10, 0.0, 0.2775), (50, 100, 0.4038, 0.5962)],
)
def test_wilsons_interval_matches_the_published_formula(
    right: int, asked: int, low: float, high: float
) -> None:
    assert wilson(right, asked) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(
    ("name", "group", "figure", "least"),
    [
        ("intent_en.jsonl", None, "intent_accuracy", 0.90),
        ("intent_ko.jsonl", "stylekqc", "intent_accuracy", 0.86),
        ("time_en.jsonl", "in-domain", "start_accuracy", 0.92),
        ("time_en.jsonl", "neutral", "start_accuracy", 0.88),
        ("time_ko.jsonl", "in-domain", "start_accuracy", 0.94),
        ("time_ko.jsonl", "neutral", "start_accuracy", 0.76),
        ("nasty.jsonl", None, "first_fact_accuracy", 0.90),
    ],
)
def test_the_measured_sets_stay_at_or_above_what_is_promised(
    capsys: pytest.CaptureFixture[str], name: str, group: str | None, figure: str, least: float
) -> None:
    if not (DATA / name).exists():
        pytest.skip("the labelled sets are not beside this checkout")
    words = ["eval", "understanding", "--data", str(DATA / name), "--json"]

    assert main([*words, *(["--group", group] if group else [])]) == 0

    figures = json.loads(capsys.readouterr().out)
    assert figures[figure] >= least
    assert (figures["false_write_rate"] or 0) <= 0.02
