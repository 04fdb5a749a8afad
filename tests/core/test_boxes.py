"""Box algebra against sets of points, on random boxes over three small features."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from moss_memory.core.boxes import Box, meet, size, without

WIDTHS = (2, 3, 4)
BOXES = st.tuples(*(st.integers(1, 2**width - 1) for width in WIDTHS))
Points = set[tuple[int, ...]]


def points(box: Box) -> Points:
    """Spell a box as the points that it holds."""
    allowed = [[bit for bit in range(4) if mask >> bit & 1] for mask in box]
    return set(product(*allowed))


@settings(deadline=None)
@given(a=BOXES, b=BOXES)
def test_meeting_boxes_share_exactly_their_common_points(a: Box, b: Box) -> None:
    both = meet(a, b)

    assert (points(both) if both else set()) == points(a) & points(b)


@settings(deadline=None)
@given(box=BOXES, cuts=st.lists(BOXES, max_size=5))
def test_what_is_left_holds_each_uncut_point_once(box: Box, cuts: list[Box]) -> None:
    left = without(box, cuts)

    expected = points(box).difference(*(points(cut) for cut in cuts))
    assert sum(map(size, left)) == len(expected)
    assert set().union(*map(points, left)) == expected


def test_box_cut_by_itself_leaves_nothing() -> None:
    assert without((1, 2, 3), [(1, 2, 3)]) == []


def test_box_cut_at_a_corner_leaves_the_rest() -> None:
    assert without((3, 3), [(1, 1)]) == [(2, 3), (1, 2)]


def test_size_counts_points() -> None:
    assert size((0b11, 0b101, 0b1)) == 4
