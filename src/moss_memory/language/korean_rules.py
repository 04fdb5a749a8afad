"""Rules that name the act of a Korean utterance: the first that holds decides.

Korean says what it wants at the end, so the whole utterance is judged at once. The words
themselves are in ``korean_words``.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from moss_memory.language import korean_words as w
from moss_memory.language.sense import Act


@dataclass(frozen=True, slots=True)
class Said:
    """An utterance; ``timed`` names a time, ``clocked`` an hour."""

    body: str
    timed: bool
    clocked: bool

    def has(self, pattern: "re.Pattern[str]") -> bool:
        """Whether the words hold a pattern."""
        return pattern.search(self.body) is not None

    @property
    def about(self) -> bool:
        """Whether it names something that a calendar holds."""
        return self.has(w.STRONG) or self.has(w.EVENT_WORD) or self.has(w.LEAVE_WORD)

    @property
    def another(self) -> bool:
        """Whether it tells of somebody else."""
        told = w.OTHERS.match(self.body) is not None and not self.has(w.SELF)
        return self.has(w.HEARSAY) or told

    @property
    def saves(self) -> bool:
        """A saving verb that is not asked about ("뭐 넣었지", "언제로 잡혔니")."""
        if not self.has(w.SAVE):
            return False
        said = self.has(w.SAID)
        asked = (self.has(w.ASKED) or self.has(w.ASKS_ONLY)) and not said
        told = self.has(w.TOLD) and not self.has(w.TOLD_TO_SAVE)
        return not (asked or told)

    @property
    def leave(self) -> bool:
        """Leave that is stated, not asked about."""
        if not self.has(w.LEAVE_WORD) or self.has(w.LEAVE_ASKED):
            return False
        return self.has(w.STATED) or self.has(w.LEAVE_LAST)

    @property
    def reminds(self) -> bool:
        """Something to be told of later."""
        if self.has(w.TELL_CALENDAR) and self.has(w.QUOTING):
            return True
        return self.has(w.REMIND) and not self.has(w.REMIND_ASKED)


@dataclass(frozen=True, slots=True)
class Rule:
    """An act, the reason it gives to the trace, and when it holds."""

    act: Act
    reason: str
    holds: Callable[[Said], bool]


def act_of(said: Said) -> tuple[Act, str]:
    """Name the act of an utterance and the rule that decided."""
    found = next((one for one in _RULES if one.holds(said)), None)
    return ("none", "small_talk") if found is None else (found.act, found.reason)


def _changed(said: Said) -> bool:
    return said.about or said.timed or said.has(w.PRONOUN)


def _cancelled_already(said: Said) -> bool:
    return said.has(w.CANCELLED) and not said.has(w.AGAIN)


def _there_is(said: Said) -> bool:
    """Read "3시에 회의 있어": told, where an hour is named and nothing is asked."""
    asked = "?" in said.body or said.has(w.WH)
    return said.clocked and said.has(w.IS_THERE) and not asked


def _asked_of_calendar(said: Said) -> bool:
    own = said.timed or said.has(w.MINE) or said.has(w.CHOICE)
    return said.has(w.STRONG) or (said.has(w.PERSONAL) and own)


_RULES: Final = (
    Rule(
        "none",
        "other_domain",
        lambda s: s.has(w.OTHER) and not s.has(w.STRONG) and not s.has(w.CALENDAR_EVENT),
    ),
    Rule("ask", "was_it_cancelled", lambda s: _cancelled_already(s) and s.about),
    Rule("none", "small_talk", _cancelled_already),
    Rule(  # a detail goes, the event stays
        "move",
        "detail",
        lambda s: s.has(w.CANCEL) and s.has(w.DETAIL) and _changed(s),
    ),
    Rule("cancel", "cancel_verb", lambda s: s.has(w.CANCEL) and _changed(s)),
    Rule("cancel", "take_out", lambda s: s.has(w.TAKE_OUT) and s.about),
    Rule("none", "nothing_to_change", lambda s: s.has(w.CANCEL) or s.has(w.TAKE_OUT)),
    Rule("move", "move_verb", lambda s: s.has(w.MOVE) and _changed(s)),
    Rule("none", "nothing_to_change", lambda s: s.has(w.MOVE)),
    Rule("move", "to_time", lambda s: s.timed and s.about and s.has(w.TO_END)),
    Rule("save", "remind", lambda s: s.reminds and (s.about or s.timed)),
    Rule("none", "nothing_to_save", lambda s: s.reminds),
    Rule("save", "save_verb", lambda s: s.saves and (s.about or s.timed)),
    Rule("none", "nothing_to_save", lambda s: s.saves),
    Rule("none", "another_person", lambda s: s.leave and s.another),
    Rule("save", "leave_statement", lambda s: s.leave),
    Rule("save", "event_statement", lambda s: s.has(w.ASKING) and _there_is(s)),
    Rule("ask", "memory_question", lambda s: s.has(w.ASKING) and s.has(w.MEMORY_QUESTION)),
    Rule("ask", "calendar_question", lambda s: s.has(w.ASKING) and _asked_of_calendar(s)),
    Rule("ask", "day_question", lambda s: s.has(w.ASKING) and s.timed and s.has(w.DAY_ASKED)),
    Rule("ask", "when_question", lambda s: s.has(w.WHEN) and s.about),
    Rule("none", "other_question", lambda s: s.has(w.ASKING)),
    Rule("move", "make_it", lambda s: s.timed and s.has(w.MAKE_IT)),
    Rule("save", "obligation", lambda s: s.timed and s.has(w.OBLIGATION) and not s.another),
    Rule(
        "save",
        "event_statement",
        lambda s: (
            s.timed
            and s.about
            and not s.another
            and (s.clocked or not s.has(w.STATED) or s.has(w.PLANNED))
        ),
    ),
)
