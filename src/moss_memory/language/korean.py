"""What a Korean utterance wants: save, move, cancel, ask, or none of these."""

import re
from typing import Final

from moss_memory.language import korean_words as w
from moss_memory.language.korean_rules import Said, act_of
from moss_memory.language.sense import CHANGES, Act, Sense


def sense_of(text: str, *, timed: bool, clocked: bool) -> Sense:
    """Name what an utterance wants; ``timed`` says that it names a time, ``clocked`` an hour."""
    body = re.sub(r"\s+", " ", text).strip()
    past = bool(w.PAST.search(body))
    barred = _barred(body)
    if barred is not None:
        return Sense(act="none", reason=barred, body=body, past=past)
    act, reason = act_of(Said(body, timed, clocked))
    clause, others = _parted(body, act, timed=timed, clocked=clocked)
    why = act == "ask" and w.WHY.search(body) is not None
    return Sense(
        act=act, reason=reason, body=body, past=past, why=why, clause=clause, others=others
    )


def _parted(body: str, act: Act, *, timed: bool, clocked: bool) -> tuple[str, tuple[str, ...]]:
    """Find the clause that decided, and those that want another change."""
    pieces = [piece.strip(" ,") for piece in _PIECES.split(body) if piece.strip(" ,.!")]
    if act not in CHANGES or len(pieces) == 1:
        return body, ()
    acts = [(piece, act_of(Said(piece, timed, clocked))[0]) for piece in pieces]
    clause = next((piece for piece, one in acts if one == act), body)
    others = tuple(piece for piece, one in acts if one in CHANGES and one != act)
    return clause, tuple(
        re.sub("주고$|하고$", "해줘" if one.endswith("하고") else "줘", one) for one in others
    )


_PIECES: Final = re.compile(r"(?<=[주하]고)\s+|그리고\s|(?<=[.!])\s+|,\s+")


def _barred(body: str) -> str | None:
    """Say why an utterance may write nothing at all."""
    if w.HOW_TO_ANSWER.search(body):
        return "instruction"
    if w.RELAYED.search(body):
        return "relayed"
    if w.PROHIBIT.search(body) and not w.NOT_PROHIBIT.search(body) and not _undoes(body):
        return "prohibition"
    return None


def _undoes(body: str) -> bool:
    """A cancel is a wish, not a prohibition: "안 가니까 취소해줘"."""
    return bool(w.UNDONE.search(body)) and not w.NOT_UNDONE.search(body)
