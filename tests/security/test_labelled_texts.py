"""Screening and the text pipeline on the labelled sets beside the repository, where present."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from moss_memory.core.errors import TextRefusedError, TextTooLongError
from moss_memory.core.screening import screen
from moss_memory.core.text import clean_text, match_form, mixed_script

DATA = Path(__file__).parents[2].parent / "shared" / "data"
CALENDAR_SETS = ["intent_en", "intent_ko", "time_en", "time_ko", "nasty"]

pytestmark = pytest.mark.skipif(
    not DATA.exists(), reason="the labelled sets lie beside the repository, not in it"
)


def rows(name: str) -> Iterator[dict[str, Any]]:
    path = DATA / f"{name}.jsonl"
    lines = path.read_text("utf-8").split("\n") if path.exists() else []  # values hold U+2028
    return map(json.loads, filter(None, lines))


def action(text: str) -> str:
    try:
        return "mask" if screen(text, field="text").masks else "allow"
    except TextRefusedError:
        return "refuse"


def acted() -> list[tuple[str, str, str]]:
    return [
        (row["id"], row["action"], action(row.get("text") or "".join(row["text_parts"])))
        for row in rows("pii_credentials")
    ]


def test_every_refuse_row_is_refused() -> None:
    assert [row for row, wanted, got in acted() if wanted == "refuse" and got != "refuse"] == []


def test_no_allow_row_is_touched() -> None:
    assert [row for row, wanted, got in acted() if wanted == "allow" and got != "allow"] == []


def test_actions_are_right_in_97_of_100_rows() -> None:
    done = acted()

    assert sum(wanted == got for _, wanted, got in done) >= 0.97 * len(done)


@pytest.mark.parametrize("name", CALENDAR_SETS)
def test_ordinary_utterances_get_no_action_in_99_of_100(name: str) -> None:
    texts = [row.get("text") or row.get("utterance") or "" for row in rows(name)]

    assert sum(action(text) != "allow" for text in texts) <= 0.01 * len(texts)


def fate(text: str) -> str:
    """Say what becomes of a stored value, in the words of the poison set's labels."""
    try:
        cleaned = clean_text(text, cap=500, field="object_value")
    except TextTooLongError:
        return "too_long"
    except TextRefusedError as refused:
        return f"refused:{refused.members['kind']}"
    return "flagged" if mixed_script(cleaned) else cleaned


POISON = {
    "stored_exact_no_ranking_gain": lambda text: fate(text) == text,
    "one_line_escaped": lambda text: fate(text).startswith("refused") or "\n" not in fate(text),
    "stripped_equal_to_plain": lambda text: fate(text) == "Budget review",
    "refused": lambda text: fate(text).startswith("refused"),
    "refused_empty": lambda text: fate(text) == "refused:empty",
    "stored_NFC_matched_NFKC": lambda text: fate(text) == text and match_form(text) == "budget",
    "flag_mixed_script": lambda text: fate(text) == "flagged",
    "length_checked_after_normalising": lambda text: fate(text) == "too_long",
    "400": lambda text: fate(text) == "refused:surrogate",
    "refused_or_space": lambda text: fate(text).startswith("refused") or "\u2028" not in fate(text),
}


def test_every_poisoned_value_meets_its_label() -> None:
    stored = [row for row in rows("poison_inputs") if row["stage"] == "stored_object_value"]

    assert [row["id"] for row in stored if not POISON[row["expect"]](row["input"])] == []
