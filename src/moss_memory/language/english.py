"""What an English utterance wants: save, move, cancel, ask, or none of these."""

import re
from typing import Final

from moss_memory.language import english_words as w
from moss_memory.language.english_rules import Clause, act_of
from moss_memory.language.sense import CHANGES, Act, Sense

_RANK: Final[dict[Act, int]] = {"none": 0, "ask": 1, "save": 2, "move": 3, "cancel": 4}


def sense_of(text: str, *, timed: bool) -> Sense:
    """Name what an utterance wants; ``timed`` says that it names a time.

    Every clause is judged by itself, and the one that would change most decides.
    """
    whole = re.sub(r"\s+", " ", text.replace("’", "'").replace("`", "'")).strip()
    body = stripped(whole)
    past = bool(w.PAST.search(whole))
    barred = _barred(whole)
    if barred is not None:
        return Sense(act="none", reason=barred, body=body, past=past)
    found = [(*act_of(Clause(stripped(one), one, timed)), one) for one in _clauses(whole)]
    none: tuple[Act, str, str] = ("none", "small_talk", whole)
    act, reason, clause = max(found, key=lambda one: _RANK[one[0]], default=none)
    others = tuple(one[2] for one in found if one[0] in CHANGES and one[0] != act)
    return Sense(
        act=act,
        reason=reason,
        body=body,
        past=past,
        why=act == "ask" and w.WHY.match(body) is not None,
        clause=clause,
        others=others if act in CHANGES else (),
    )


def _barred(whole: str) -> str | None:
    """Say why an utterance may write nothing at all."""
    if w.HOW_TO_ANSWER.search(whole):
        return "instruction"
    if w.CHAT.search(whole) and not w.MY_CALENDAR.search(whole):
        return "small_talk"
    if w.RELAYED.search(whole):
        return "relayed"
    if w.PROHIBIT.search(whole) and not w.NOT_PROHIBIT.search(whole) and "?" not in whole:
        return "prohibition"
    return None


def _clauses(whole: str) -> list[str]:
    pieces = w.CLAUSE_BREAK.split(whole)
    return [piece.strip() for piece in pieces if piece and piece.strip()]


def stripped(clause: str) -> str:
    """Cut what only addresses, asks nicely or says the time first; what remains has the verb."""
    before = None
    body = clause.strip().lstrip("<\"'“‘(- ")
    while before != body:
        before = body
        body = w.ADDRESS.sub("", body).strip()
        body = w.POLITE.sub("", body).strip()
        body = w.LEAD.sub("", body).strip()
    return body
