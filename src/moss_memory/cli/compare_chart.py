"""The figures of the control experiment as a table, as bars in a terminal, and as SVG."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_MARKS: Final = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_BAR: Final = 40  # characters of the longest bar
_WIDTH: Final = 720
_HEIGHT: Final = 360
_EDGE: Final = 60
_RED: Final = "#c0392b"
_BLUE: Final = "#2471a3"
_ASKED: Final = 5  # the last questions whose answers are shown
_OFFLINE: Final = "No model is configured: payloads are measured, no answer was asked for."


@dataclass(frozen=True, slots=True)
class Answers:
    """A question, what a model said to it from the log, and what the governed side answered.

    ``governed_by`` is ``model``, or ``template`` where the model's words did not agree with the
    context or never came.
    """

    question: str
    log: str
    governed: str
    governed_by: str


@dataclass(frozen=True, slots=True)
class Measured:
    """One turn: tokens of both payloads, and the pairs of facts in each that cannot both be true.

    ``answers`` is None where nothing was asked, or no model is there to answer.
    """

    turn: int
    log_tokens: int
    governed_tokens: int
    log_contradictions: int
    governed_contradictions: int
    answers: Answers | None = None


def table(rows: Sequence[Measured], *, model: bool) -> str:
    """Lay chosen turns out as a table with bars of prompt tokens; the last turn is always shown."""
    shown = [row for row in rows if row.turn in _MARKS or row is rows[-1]]
    most = max(max(row.log_tokens, row.governed_tokens) for row in shown)
    lines = [
        "                 prompt tokens        contradictions",
        "   turn      log  governed         log  governed",
    ]
    for row in shown:
        lines.append(
            f"{row.turn:>7}  {row.log_tokens:>7}  {row.governed_tokens:>8}"
            f"  {row.log_contradictions:>10}  {row.governed_contradictions:>8}"
        )
        lines.append(f"         log      {_bar(row.log_tokens, most)}")
        lines.append(f"         governed {_bar(row.governed_tokens, most)}")
    last = rows[-1]
    ratio = last.governed_tokens / last.log_tokens
    lines.append(f"governed : log after {last.turn} turns = {ratio:.3f} of the prompt tokens")
    lines += _answers(rows) if model else [_OFFLINE]
    return "\n".join(lines)


def svg(rows: Sequence[Measured]) -> str:
    """Draw prompt tokens by turn: the log and the governed context, on one linear scale."""
    most = max(max(row.log_tokens, row.governed_tokens) for row in rows)
    log = _points([row.log_tokens for row in rows], most)
    governed = _points([row.governed_tokens for row in rows], most)
    bottom, right, last = _HEIGHT - _EDGE, _WIDTH - _EDGE, rows[-1]
    box = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="13"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box}>',
        "<title>Prompt tokens by turn</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        f'<path d="M{_EDGE} {_EDGE}V{bottom}H{right}" fill="none" stroke="#555"/>',
        f'<polyline points="{log}" fill="none" stroke="{_RED}" stroke-width="2"/>',
        f'<polyline points="{governed}" fill="none" stroke="{_BLUE}" stroke-width="2"/>',
        f'<text x="{_EDGE}" y="{_EDGE - 12}">{most} tokens</text>',
        f'<text x="{right}" y="{bottom + 20}" text-anchor="end">turn {last.turn}</text>',
        _legend(16, _RED, "growing chat log", last.log_contradictions),
        _legend(34, _BLUE, "governed", last.governed_contradictions),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _legend(down: int, colour: str, name: str, contradictions: int) -> str:
    at = f'x="{_EDGE + 16}" y="{_EDGE + down}" fill="{colour}"'
    return f"<text {at}>{name}: {contradictions} contradictions</text>"


def _points(values: Sequence[int], most: int) -> str:
    wide, high = _WIDTH - 2 * _EDGE, _HEIGHT - 2 * _EDGE
    steps = max(len(values) - 1, 1)
    return " ".join(
        f"{_EDGE + wide * index / steps:.1f},{_HEIGHT - _EDGE - high * value / most:.1f}"
        for index, value in enumerate(values)
    )


def _bar(value: int, most: int) -> str:
    return "#" * max(round(_BAR * value / most), 1)


def _answers(rows: Sequence[Measured]) -> Iterator[str]:
    """Lay out the last questions with both answers, and count who worded the governed ones."""
    asked = [(row.turn, row.answers) for row in rows if row.answers is not None]
    for turn, each in asked[-_ASKED:]:
        yield f"turn {turn}: {each.question}"
        yield f"    log      (model): {each.log}"
        yield f"    governed ({each.governed_by}): {each.governed}"
    worded = sum(each.governed_by == "model" for _, each in asked)
    rest = len(asked) - worded
    yield f"{len(asked)} questions; governed answers: {worded} by the model, {rest} by the template"
