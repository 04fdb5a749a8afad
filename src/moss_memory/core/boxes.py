"""Exact algebra of boxes over finite features: the proof engine behind the rule table.

A box is a tuple of bit masks, one a feature, each bit a value of it: the set of all points
whose every coordinate is allowed. An empty mask is an empty box, which none of these return.
"""

from collections.abc import Iterable, Iterator

Box = tuple[int, ...]


def meet(a: Box, b: Box) -> Box | None:
    """Return the points of both, None where there are none."""
    both = tuple(x & y for x, y in zip(a, b, strict=True))
    return both if all(both) else None


def without(box: Box, cuts: Iterable[Box]) -> list[Box]:
    """Return the points of ``box`` that are in none of ``cuts``, as disjoint boxes."""
    left = [box]
    for cut in cuts:
        left = [piece for part in left for piece in _minus(part, cut)]
    return left


def _minus(box: Box, cut: Box) -> Iterator[Box]:
    if meet(box, cut) is None:
        yield box
        return
    inside = list(box)
    for feature, mask in enumerate(cut):
        outside = inside[feature] & ~mask
        if outside:
            yield (*inside[:feature], outside, *inside[feature + 1 :])
        inside[feature] &= mask


def size(box: Box) -> int:
    """Count the points."""
    count = 1
    for mask in box:
        count *= mask.bit_count()
    return count
