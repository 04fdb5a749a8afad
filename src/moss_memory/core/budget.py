"""What fits into a prompt: pieces in the order of their priority, whole, up to a budget.

P0 rules, P1 the task and the reference instant, P2 resources of the caller, P3 preferences,
summaries and states, P4 the conversation and events near the window, P5 raw output of tools.
The pieces taken are always the first ones of the order: a larger budget only adds at the end.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

Priority = Literal["P0", "P1", "P2", "P3", "P4", "P5"]
Count = Callable[[str], int]

_WORDS: Final = re.compile(r"[A-Za-z]+")
_HUMPS: Final = re.compile(r"[a-z](?=[A-Z])|[A-Z](?=[A-Z][a-z])")
_HANGUL: Final = re.compile(r"[\uac00-\ud7a3]+")
_CJK: Final = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]+")
_SIGNS: Final = re.compile(r"[!-/:-@\[-`{-~]")
_BLANKS: Final = re.compile(r"\s+")
_NONE: Final[list[str]] = []
_REMEMBERED: Final = 512  # characters of a text whose cost may be remembered: a line's
_LETTERS_A_TOKEN: Final = 7  # English words split at about seven letters in large vocabularies


@dataclass(frozen=True, slots=True)
class Piece:
    """A block or a line that is taken whole or not at all.

    ``frame`` names the frame that its line stands in, None for none; pieces of one frame are
    neighbours. ``text`` ends without a line break.
    """

    priority: Priority
    label: str
    text: str
    frame: str | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """The lines before the first and after the last piece of a frame."""

    opening: str
    closing: str


@dataclass(frozen=True, slots=True)
class Packed:
    """``text`` holds ``pieces``, the first ones offered, and costs ``tokens``.

    ``costs`` are per piece; a frame's own lines are charged to its first piece.
    """

    text: str
    tokens: int
    pieces: tuple[Piece, ...]
    costs: tuple[int, ...]


def estimate(text: str) -> int:
    """Estimate the tokens of a text without any vocabulary, to within a tenth for most texts.

    Words cost a token for every seven letters and most of one at each hump, digits one each,
    Hangul three for five syllables, signs most of one, blanks inside a line nothing. The weights
    follow what current sentence-piece vocabularies of 256,000 entries do. A text never costs more
    than its lines do one by one: nothing counted reaches over a line break.
    """
    return _remembered(text) if len(text) <= _REMEMBERED else _estimated(text)


def _estimated(text: str) -> int:
    words = _WORDS.findall(text)
    hangul = cjk = _NONE
    if not text.isascii():
        hangul, cjk = _HANGUL.findall(text), _CJK.findall(text)
    blanks, signs = _BLANKS.findall(text), len(_SIGNS.findall(text))
    covered = sum(map(len, (*words, *hangul, *cjk, *blanks))) + signs
    cost = (
        sum(-(-len(word) // _LETTERS_A_TOKEN) for word in words)
        + 0.8 * len(_HUMPS.findall(text))
        + sum(max(1.0, 0.6 * len(run)) for run in hangul)
        + sum(max(1.0, 0.65 * len(run)) for run in cjk)
        + 0.6 * sum(1 for blank in blanks if blank != " ")
        + 0.75 * signs
        + (len(text) - covered)  # digits, and whatever has no entry of its own
    )
    return math.ceil(cost - 1e-9)


_remembered: Final = lru_cache(maxsize=8192)(_estimated)  # a memory's line comes back as it was


def forget() -> None:
    """Let go of every text: after an erasure its words are not to stay in this process."""
    _remembered.cache_clear()


def pack(
    pieces: Iterable[Piece], frames: dict[str, Frame], budget: int, count: Count = estimate
) -> Packed:
    """Take whole pieces from the front while their cost stays within ``budget`` tokens.

    ``pieces`` come in order of priority, most wanted first, and are drawn only until one does not
    fit. Costs are counted line by line, so
    the tokens stated are never less than those of the whole text by the same ``count``; a counter
    for which parts cost less than their whole drops pieces until the whole fits.
    """
    taken: list[Piece] = []
    costs: list[int] = []
    spent = 0
    opened: set[str] = set()
    for piece in pieces:
        cost = count(piece.text + "\n") + _frame_cost(piece, frames, opened, count)
        if spent + cost > budget:
            break
        spent += cost
        costs.append(cost)
        taken.append(piece)
        if piece.frame is not None:
            opened.add(piece.frame)
    text = assemble(taken, frames)
    if count is estimate:  # by which a whole never costs more than its lines
        return Packed(text, spent, tuple(taken), tuple(costs))
    while taken and (whole := count(text)) > spent:
        if whole <= budget:
            return Packed(text, whole, tuple(taken), tuple(costs))
        spent -= costs.pop()
        taken.pop()
        text = assemble(taken, frames)
    return Packed(text, spent, tuple(taken), tuple(costs))


def assemble(pieces: Sequence[Piece], frames: dict[str, Frame]) -> str:
    """Join pieces by line breaks, the pieces of a frame between its opening and its closing."""
    lines: list[str] = []
    inside: str | None = None
    for piece in pieces:
        if piece.frame != inside:
            lines += [frames[inside].closing] if inside is not None else []
            lines += [frames[piece.frame].opening] if piece.frame is not None else []
            inside = piece.frame
        lines.append(piece.text)
    if inside is not None:
        lines.append(frames[inside].closing)
    return "\n".join(lines)


def _frame_cost(piece: Piece, frames: dict[str, Frame], opened: set[str], count: Count) -> int:
    if piece.frame is None or piece.frame in opened:
        return 0
    frame = frames[piece.frame]
    return count(frame.opening + "\n") + count(frame.closing + "\n")
