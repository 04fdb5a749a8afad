"""What fits: whole pieces from the front, within any budget, and a larger one only adds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moss_memory.core.budget import Frame, Piece, assemble, estimate, pack

FRAMES = {"facts": Frame("<facts>", "</facts>")}
PIECES = [
    Piece("P0", "rules", "# P0 rules\nbe brief"),
    Piece("P1", "now", "# P1 now\n2026-07-16 Thu 14:00"),
    Piece("P3", "facts", '- lives_in: "Oslo"', "facts"),
    Piece("P4", "facts", '- meeting: "standup"', "facts"),
    Piece("P5", "raw", "# P5 raw\n{}"),
]
LINES = st.lists(st.text(max_size=40).map(lambda s: s.replace("\n", " ")), max_size=8)


def letters(text: str) -> int:
    return len(text)


@pytest.mark.parametrize("budget", range(120))
def test_no_budget_is_exceeded(budget: int) -> None:
    packed = pack(PIECES, FRAMES, budget)

    assert estimate(packed.text) <= packed.tokens <= budget


@pytest.mark.parametrize("budget", range(160))
def test_larger_budget_only_adds_at_the_end(budget: int) -> None:
    """Property 40."""

    less, more = pack(PIECES, FRAMES, budget, letters), pack(PIECES, FRAMES, budget + 1, letters)

    assert more.pieces[: len(less.pieces)] == less.pieces


def test_nothing_is_taken_when_the_budget_is_zero() -> None:
    assert pack(PIECES, FRAMES, 0).text == ""


def test_everything_is_taken_when_there_is_room() -> None:
    assert pack(PIECES, FRAMES, 10_000).text == assemble(PIECES, FRAMES)


def test_lower_priority_waits_when_a_higher_one_does_not_fit() -> None:
    large = Piece("P2", "doc", "word " * 100)

    assert pack([PIECES[0], large, PIECES[4]], FRAMES, 50).pieces == (PIECES[0],)


def test_frame_stands_once_around_its_pieces() -> None:
    assert assemble(PIECES, FRAMES).splitlines()[4:8] == [
        "<facts>",
        '- lives_in: "Oslo"',
        '- meeting: "standup"',
        "</facts>",
    ]


def test_frame_is_charged_to_its_first_piece() -> None:
    first, second = pack(PIECES, FRAMES, 10_000, letters).costs[2:4]

    assert first == len('- lives_in: "Oslo"\n') + len("<facts>\n") + len("</facts>\n")
    assert second == len('- meeting: "standup"\n')


def test_counter_that_charges_the_whole_more_than_its_parts_stays_within_budget() -> None:
    def pairs(text: str) -> int:
        return len(text) + text.count("\n") * 3

    for budget in range(300):
        assert pack(PIECES, FRAMES, budget, pairs).tokens <= budget


@settings(max_examples=100)
@given(lines=LINES, budget=st.integers(0, 80))
def test_any_lines_stay_within_any_budget(lines: list[str], budget: int) -> None:
    pieces = [Piece("P3", "facts", line, "facts") for line in lines]

    packed = pack(pieces, FRAMES, budget)

    assert estimate(packed.text) <= packed.tokens <= budget


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("word", 1),
        ("governance", 2),
        ("camelCase", 3),
        ("2026", 4),
        ("개발팀", 2),
        ("a b", 2),
    ],
)
def test_estimate_of_small_texts(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@settings(max_examples=100)
@given(parts=st.lists(st.text(max_size=30), max_size=6))
def test_estimate_of_joined_lines_is_no_more_than_of_each(parts: list[str]) -> None:
    assert estimate("\n".join(parts)) <= sum(estimate(part + "\n") for part in parts)


def test_estimate_of_a_joined_text_is_no_more_than_of_its_lines() -> None:
    assert estimate("one\ntwo") <= estimate("one\n") + estimate("two\n")
