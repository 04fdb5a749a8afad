"""Rules that name the act of one English clause: the first that holds decides.

A clause is asked, cancelled, moved, saved or told; each kind has a table of its own, read from
top to bottom. The words themselves are in ``english_words``.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from moss_memory.language import english_words as w
from moss_memory.language.sense import Act

_TERSE: Final = 4  # words of a heading


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: ``said`` as spoken, ``body`` without its politeness; ``timed`` names a time."""

    body: str
    said: str
    timed: bool

    def has(self, pattern: "re.Pattern[str]") -> bool:
        """Whether the words hold a pattern."""
        return pattern.search(self.body) is not None

    @property
    def event(self) -> bool:
        """Whether it names something that a calendar holds."""
        return self.has(w.EVENT_WORD) or self.has(w.CALENDAR_WORD) or self.has(w.LEAVE_WORD)

    @property
    def elsewhere(self) -> bool:
        """Whether it speaks of music, weather, mail, and not of the person's calendar."""
        return self.has(w.OTHER) and not self.has(w.MY_CALENDAR)

    @property
    def words(self) -> int:
        """How many words it has."""
        return len(self.body.split())


@dataclass(frozen=True, slots=True)
class Rule:
    """An act, the reason it gives to the trace, and when it holds."""

    act: Act
    reason: str
    holds: Callable[[Clause], bool]


def act_of(clause: Clause) -> tuple[Act, str]:
    """Name the act of a clause and the rule that decided."""
    for begins, table in _TABLES:
        found = _first(table, clause) if begins(clause) else None
        if found is not None:
            return found
    return "none", "small_talk"


def _first(rules: Sequence[Rule], clause: Clause) -> tuple[Act, str] | None:
    return next(((one.act, one.reason) for one in rules if one.holds(clause)), None)


def _always(_: Clause) -> bool:
    return True


def _asks(c: Clause) -> bool:
    if c.has(w.SAVES_FIRST):
        return False
    marked = c.said.rstrip().endswith("?") and not c.has(w.STARTS_SAVE)
    return c.has(w.WH) or c.has(w.STARTS_ASK) or marked


def _obliged(c: Clause) -> bool:
    said = w.OBLIGATION.match(c.said) is not None
    return said and c.timed and not c.has(w.STARTS_ASK) and not c.has(w.OTHER)


_CANCELS: Final = (
    Rule("none", "other_domain", lambda c: c.elsewhere and not c.has(w.PLAIN_EVENT)),
    Rule(
        "cancel",
        "cancel_verb",
        lambda c: c.event or c.timed or c.has(w.PRONOUN) or c.has(w.CANCEL_NAMED),
    ),
    Rule("none", "nothing_to_cancel", lambda _: True),
)
_EARLY: Final = (
    Rule("none", "other_domain", lambda c: c.has(w.MAIL)),
    Rule("save", "told_calendar", lambda c: c.has(w.TELL_CALENDAR)),
    Rule("move", "make_it", lambda c: c.has(w.MAKE_IT) and c.timed),
    Rule("save", "obligation", _obliged),
)
_UNDONE: Final = (
    Rule(
        "cancel",
        "not_wanted",
        lambda c: w.NOT_WANTED.search(c.said) is not None and c.event,
    ),
    Rule(
        "cancel",
        "take_off",
        lambda c: c.has(w.TAKE_OFF) and (c.has(w.MY_CALENDAR) or c.has(w.TAKE_IT_OFF)),
    ),
    Rule("cancel", "not_going", lambda c: c.has(w.NOT_GOING) and c.has(w.EVENT_WORD)),
    Rule(
        "cancel",
        "cancel_passive",
        lambda c: (
            c.has(w.PASSIVE_CANCEL)
            and w.WH.match(c.said) is None
            and (c.has(w.EVENT_WORD) or c.has(w.CALENDAR_WORD))
        ),
    ),
)
_MOVES: Final = (
    Rule("none", "other_domain", lambda c: c.has(w.OTHER) and not c.has(w.CALENDAR_WORD)),
    Rule("save", "update", lambda c: c.has(w.UPDATE) and not c.timed and c.has(w.CALENDAR_WORD)),
    Rule("none", "nothing_to_move", lambda c: c.has(w.UPDATE) and not c.timed),
    Rule(
        "move",
        "move_verb",
        lambda c: c.timed or c.has(w.EVENT_WORD) or c.has(w.CALENDAR_WORD),
    ),
    Rule("none", "nothing_to_move", lambda _: True),
)
_QUESTIONS: Final = (
    Rule(
        "none",
        "other_question",
        lambda c: (c.has(w.CLOCK_TALK) and not c.has(w.CALENDAR_WORD)) or c.has(w.OUTSIDE),
    ),
    Rule("none", "other_domain", lambda c: c.elsewhere and not c.has(w.MY_EVENT)),
    Rule("ask", "how_long_until", lambda c: c.has(w.HOW_LONG) and c.event),
    Rule(
        "none",
        "small_talk",
        lambda c: c.has(w.GET_ME) and not (c.event or c.has(w.MY_UNIT)),
    ),
    Rule(
        "ask",
        "calendar_question",
        lambda c: (
            c.event
            and (c.timed or c.has(w.ABOUT_ME) or c.has(w.CALENDAR_WORD) or c.has(w.QUESTION_WORD))
        ),
    ),
    Rule("ask", "day_question", lambda c: c.has(w.WHAT_I_HAVE)),
    Rule(
        "ask",
        "day_question",
        lambda c: c.has(w.LOOKS) and (c.timed or c.has(w.MY_UNIT)) and c.has(w.WH),
    ),
    Rule(
        "ask",
        "my_time",
        lambda c: (c.timed and c.has(w.WH) and c.has(w.MY)) or c.has(w.MY_UNIT),
    ),
    Rule("ask", "day_question", lambda c: c.timed and c.has(w.ABOUT_ME) and c.has(w.BUSY)),
    Rule("ask", "day_question", lambda c: c.timed and c.has(w.DAY_QUESTION)),
    Rule("ask", "availability", lambda c: c.has(w.ABOUT_ME) and c.has(w.AVAILABLE)),
    Rule("ask", "memory_question", lambda c: c.has(w.MEMORY_QUESTION)),
    Rule("none", "other_question", lambda _: True),
)
_SAVES: Final = (
    Rule("none", "other_domain", lambda c: c.elsewhere and not c.has(w.PLAIN_EVENT)),
    Rule("ask", "remind_what", lambda c: c.has(w.REMIND_WHAT)),
    Rule("save", "save_verb", lambda c: c.has(w.MY_CALENDAR) or c.event),
    Rule("save", "remind", lambda c: c.has(w.REMIND) and (c.timed or c.has(w.REMIND_OF))),
    Rule("save", "save_verb_timed", lambda c: c.timed and c.has(w.BOOKS)),
    Rule("none", "nothing_to_save", lambda _: True),
)
_STATEMENTS: Final = (
    Rule(
        "ask",
        "heading",
        lambda c: c.has(w.HEADING) and c.words <= _TERSE and w.MINE.match(c.said) is None,
    ),
    Rule("ask", "heading", lambda c: c.has(w.NEXT_EVENT) or c.has(w.EVENTS_HEADING)),
    Rule(
        "ask",
        "plural_heading",
        lambda c: (
            c.timed and c.has(w.PLURAL) and c.words <= 2 * _TERSE and w.MINE.match(c.said) is None
        ),
    ),
    Rule(
        "save",
        "wished",
        lambda c: (
            w.WISHED.match(c.said) is not None
            and (c.has(w.EVENT_WORD) or c.has(w.LEAVE_WORD))
            and not c.has(w.OTHER)
        ),
    ),
    Rule("save", "leave_wished", lambda c: c.has(w.LEAVE_VERB) and c.has(w.LEAVE_WORD)),
    Rule("none", "other_domain", lambda c: c.elsewhere and not c.has(w.CALENDAR_WORD)),
    Rule("ask", "plural_heading", lambda c: c.has(w.PLURAL_HEADING)),
    Rule(
        "save",
        "leave_statement",
        lambda c: (
            w.OFF.search(c.said) is not None
            and (c.timed or w.LEAVE_WORD.search(c.said) is not None)
        ),
    ),
    Rule("save", "journey", lambda c: c.timed and w.JOURNEY.match(c.said) is not None),
    Rule("save", "leave_wished", lambda c: c.timed and c.has(w.TAKES_OFF)),
    Rule("save", "repeated", lambda c: c.timed and c.has(w.REPEATED) and not c.has(w.OTHER)),
    Rule(
        "save",
        "dont_forget",
        lambda c: c.timed and w.DONT_FORGET.search(c.said) is not None,
    ),
    Rule("save", "event_statement", lambda c: c.timed and c.has(w.THERE_IS)),
    Rule("none", "another_person", lambda c: c.has(w.ANOTHER) and c.has(w.LEAVE_WORD)),
    Rule(
        "save",
        "event_statement",
        lambda c: (
            c.timed
            and w.MINE.match(c.said) is not None
            and (c.has(w.EVENT_WORD) or c.has(w.LEAVE_WORD))
        ),
    ),
    Rule(
        "save",
        "event_phrase",
        lambda c: (
            c.timed
            and (c.has(w.EVENT_WORD) or c.has(w.LEAVE_WORD))
            and not (c.has(w.VERBAL) or c.has(w.ABOUT_STATE))
        ),
    ),
    Rule(
        "save",
        "save_inside",
        lambda c: c.has(w.SAVE_INSIDE) and (c.has(w.MY_CALENDAR) or c.has(w.LEAVE_WORD)),
    ),
)
_KEPT_CLEAR: Final = (
    Rule("cancel", "keep_clear", lambda c: c.has(w.KEEP_CLEAR) and c.has(w.MY_CALENDAR)),
)
_OPENINGS: Final = (
    Rule("save", "new_event", lambda c: c.has(w.NEW_EVENT)),
    Rule("save", "told_before", lambda c: c.has(w.TOLD_BEFORE) and c.timed),
    Rule("ask", "heading", lambda c: c.has(w.PLAN_FOR)),
)
_TABLES: Final[tuple[tuple[Callable[[Clause], bool], Sequence[Rule]], ...]] = (
    (_always, _EARLY),
    (lambda c: c.has(w.STARTS_CANCEL), _CANCELS),
    (_always, _UNDONE),
    (lambda c: c.has(w.STARTS_MOVE), _MOVES),
    (_always, _KEPT_CLEAR),
    (_asks, _QUESTIONS),
    (_always, _OPENINGS),
    (lambda c: c.has(w.STARTS_SAVE), _SAVES),
    (_always, _STATEMENTS),
)
