"""Titles cut out of sentences."""

import pytest

from moss_memory.language.titles import english_title, korean_title


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("lunch, call [phone#1].", "lunch, call [phone#1]"),
        ("[email#1] about the budget", "[email#1] about the budget"),
        ("[phone#1]", "[phone#1]"),
        ("review of issue#12", "review of issue#12"),
        ("[phone#1] and [phone#12]", "[phone#1] and [phone#12]"),
    ],
)
def test_label_of_a_mask_keeps_its_brackets(words: str, title: str) -> None:
    assert english_title(words) == title


def test_label_of_a_mask_keeps_its_brackets_in_korean() -> None:
    assert korean_title("점심 [phone#1]") == "점심 [phone#1]"


@pytest.mark.parametrize(
    "words",
    ["잊지 마 회의", "잊지 말고 회의", "회의 잊지 마", "회의 잊지 않게 해줘", "회의 잊지 말아줘"],
)
def test_wish_not_to_be_forgotten_is_no_part_of_a_korean_title(words: str) -> None:
    assert korean_title(words) == "회의"
