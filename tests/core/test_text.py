"""The text pipeline: what is refused, what is dropped, and that a second pass changes nothing."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moss_memory.core.errors import TextRefusedError, TextTooLongError
from moss_memory.core.text import (
    check_opaque,
    clean_key,
    clean_text,
    clean_words,
    fold,
    match_form,
    mixed_script,
)

AWKWARD = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("\u200b\u3164\ufdfa\u0301\u1112\u1161\u11ab \u3000\uff21\u00c5ß\u0345İ"),
    ),
    max_size=40,
)


def clean(text: str, cap: int = 500) -> str:
    return clean_text(text, cap=cap, field="object_value")


def refusal(text: str) -> dict[str, object]:
    with pytest.raises(TextRefusedError) as caught:
        clean(text)
    return dict(caught.value.members)


@pytest.mark.parametrize(
    ("char", "kind"),
    [
        ("\ud800", "surrogate"),
        ("\x00", "control"),
        ("\n", "control"),
        ("\t", "control"),
        ("\x1b", "control"),
        ("\x7f", "control"),
        ("\x85", "control"),
        ("\u2028", "line_separator"),
        ("\u2029", "line_separator"),
        ("\u202e", "bidi"),
        ("\u2066", "bidi"),
        ("\u061c", "bidi"),
        ("\u200e", "bidi"),
        ("\u200f", "bidi"),
        ("\U000e0041", "tag"),
        ("\U000e0100", "variation_selector"),
        ("\U000e01ef", "variation_selector"),
        ("\ue000", "private_use"),
        ("\U00100000", "private_use"),
        ("\ufffe", "unassigned"),
        ("\u0378", "unassigned"),
        ("\u206a", "format"),
    ],
)
def test_text_is_refused_when_it_holds_a_listed_character(char: str, kind: str) -> None:
    assert refusal(f"Budget{char}") == {"kind": kind, "field": "object_value", "length": 1}


@pytest.mark.parametrize(
    "char", list("\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u180b\u180e\u180f\ufe00\ufe0f")
)
def test_invisible_character_is_dropped(char: str) -> None:
    assert clean(f"Bud{char}get") == "Budget"


@pytest.mark.parametrize("filler", list("\u115f\u1160\u3164\uffa0\u2800"))
def test_title_is_refused_as_empty_when_it_holds_fillers_only(filler: str) -> None:
    assert refusal(filler * 2)["kind"] == "empty"


@pytest.mark.parametrize("blank", ["", " ", "\u3000\u00a0", "\u200b"])
def test_blank_text_is_refused(blank: str) -> None:
    assert refusal(blank) == {"kind": "empty", "field": "object_value", "length": 0}


def test_refusal_never_repeats_the_words() -> None:
    with pytest.raises(TextRefusedError) as caught:
        clean("ocelot\x00")

    assert "ocelot" not in f"{caught.value}{caught.value.members}{caught.value.args}"


def test_decomposed_hangul_is_stored_composed() -> None:
    assert clean(unicodedata.normalize("NFD", "한글")) == "한글"


def test_full_width_letters_are_stored_as_written_and_matched_as_plain() -> None:
    assert clean("Ｂｕｄｇｅｔ") == "Ｂｕｄｇｅｔ"
    assert match_form("Ｂｕｄｇｅｔ") == match_form("budget")


def test_spaces_of_every_kind_become_one() -> None:
    assert clean("  Budget\u00a0\u3000 review ") == "Budget review"


def test_text_at_the_cap_is_kept_and_one_more_is_too_long() -> None:
    assert clean("가" * 10, cap=10) == "가" * 10
    with pytest.raises(TextTooLongError) as caught:
        clean("가" * 11, cap=10)

    assert caught.value.members == {"field": "object_value", "cap": 10, "length": 11}


def test_length_is_checked_again_when_normalising_makes_the_text_grow() -> None:
    with pytest.raises(TextTooLongError):
        clean("\ufdfa" * 300)


def test_two_combining_marks_are_kept_and_three_refused() -> None:
    assert clean("x\u0323\u0302") == "x\u0323\u0302"
    assert refusal("x\u0323\u0302\u0303")["kind"] == "combining_marks"


@pytest.mark.parametrize("word", ["Вudget", "reviеw", "pαssword"])
def test_word_of_look_alike_scripts_is_flagged(word: str) -> None:
    assert mixed_script(f"a {word} b")


@pytest.mark.parametrize(
    "text", ["Budget review", "Q3예산 UX팀", "бюджет budget", "10 µm", "東京tour"]
)
def test_ordinary_words_are_not_flagged(text: str) -> None:
    assert not mixed_script(text)


def test_line_breaks_are_spaces_in_what_a_person_typed() -> None:
    assert clean_words("dentist\r\nFriday\t10", cap=99, field="text") == "dentist Friday 10"


def test_subject_is_the_same_key_in_full_width_and_keeps_its_case() -> None:
    assert clean_key("Ｆｏｏｄ", cap=128, field="subject") == "Food"


def test_opaque_value_comes_back_exactly_unless_it_is_unsafe() -> None:
    value = '{"a":  "b"}'

    assert check_opaque(value, byte_cap=99, field="object_value") == value
    with pytest.raises(TextRefusedError):
        check_opaque("{\u202e}", byte_cap=99, field="object_value")
    with pytest.raises(TextTooLongError):
        check_opaque("가나다", byte_cap=8, field="object_value")


def cleaned_or_none(text: str) -> str | None:
    try:
        return clean(text)
    except (TextRefusedError, TextTooLongError):
        return None


@settings(max_examples=200)
@given(AWKWARD)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = cleaned_or_none(text)

    assert once is None or clean(once) == once


@settings(max_examples=200)
@given(AWKWARD)
def test_key_is_its_own_key(text: str) -> None:
    try:
        key = clean_key(text, cap=500, field="subject")
    except (TextRefusedError, TextTooLongError):
        return

    assert clean_key(key, cap=500, field="subject") == key


@settings(max_examples=200)
@given(AWKWARD)
def test_match_form_is_its_own_match_form(text: str) -> None:
    assert match_form(match_form(text)) == match_form(text)


@settings(max_examples=200)
@given(AWKWARD)
def test_folding_maps_every_character_back_inside_the_original(text: str) -> None:
    folded = fold(text)
    spans = [folded.span(i, i + 1) for i in range(len(folded.text))]

    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert spans == sorted(spans)


@settings(max_examples=200)
@given(AWKWARD)
def test_folding_by_pieces_is_folding_the_whole(text: str) -> None:
    assert match_form(fold(text).text) == match_form(text)


def test_folded_digits_point_at_the_characters_they_stand_for() -> None:
    folded = fold("a\u200b\uff11\u3164\uff12b")

    assert folded.text == "a12b"
    assert folded.span(1, 3) == (2, 5)
