"""What an utterance wants kept: facts with a title in the user's words, and their times."""

import re
from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import Final

from moss_memory.core.when import Days, WallClock, When
from moss_memory.language.claims import VACATION, predicate_of, title_of, vacation_said
from moss_memory.language.proposal import Choice, Parsed, ProposedFact, Question
from moss_memory.language.questions import about_time, ask
from moss_memory.language.said import Said
from moss_memory.language.segments import segments, without_names
from moss_memory.language.sense import Sense
from moss_memory.language.times.mention import TimeMention
from moss_memory.language.times.place import DAY, local_of
from moss_memory.language.times.policy import HALF_DAYS
from moss_memory.language.titles import widened, without

_NOON: Final = time(12)


def save(said: Said, sense: Sense, mentions: list[TimeMention]) -> Parsed:
    """Read what is to be kept: one fact for every time that the words name."""
    mentions, at_odds = without_names(said.text, mentions)
    spans = [span for one in mentions for span in one.spans]
    if not mentions:
        return _timeless(said, sense)
    if not said.hangul:
        spans = widened(said.text, spans)
    stretches = segments(said.text, mentions)
    facts: list[ProposedFact] = []
    for mention, (start, end) in zip(mentions, stretches, strict=True):
        words = _own_words(without(said.text, spans, start, end))
        facts.append(_fact(said, mention, words))
    facts = _named_by_neighbours(facts, said, spans)
    question = _question(said, mentions) or _open_leave(said, facts, mentions)
    if question is None and at_odds:
        question = _how_often(said, at_odds[0])
    if question is None and any(one.object_value is None for one in facts):
        question = ask("missing", korean=said.hangul)
    notes = (sense.reason, *sorted({flag for one in mentions for flag in one.flags}))
    return Parsed(
        intent="WRITE",
        operation="create",
        facts=tuple(facts),
        question=question,
        notes=notes,
    )


_HOW_OFTEN: Final = "Those disagree about how often it is. Say it all again, or choose."


def _how_often(said: Said, name: TimeMention) -> Question:
    """Ask where a name and its times disagree; the times alone are what may be chosen."""
    rest = f"{said.text[: name.start].rstrip()} {said.text[name.end :].lstrip()}".strip()
    choices = (Choice(rest, rest),)
    return ask("missing", korean=said.hangul, choices=choices, text=_HOW_OFTEN)


_UNTIL: Final = ("Until when?", "언제까지인가요?")
_FROM: Final = re.compile(r"\b(?:from|starting|beginning)\s+(?:on\s+)?\Z", re.IGNORECASE)


def _own_words(words: str) -> str:
    """Cut a second command that names no time of its own: "... and remind me to ..."."""
    return _AND_DO.sub("", words)


_AND_DO: Final = re.compile(
    r"\s+and\s+(?:please\s+|also\s+)?(?:remind|set|add|put|book|schedule|tell|let)\b.*$",
    re.IGNORECASE,
)


def _open_leave(
    said: Said, facts: list[ProposedFact], mentions: list[TimeMention]
) -> Question | None:
    """Leave that begins and does not end is asked about."""
    for fact, mention in zip(facts, mentions, strict=False):
        begins = "after" in mention.flags or _FROM.search(said.text[: mention.start])
        whole = isinstance(mention.when, Days) and mention.when.end is None
        if fact.predicate == "vacation" and begins and whole:
            return ask("missing", korean=said.hangul, text=_UNTIL[said.hangul])
    return None


def _question(said: Said, mentions: list[TimeMention]) -> Question | None:
    for mention in mentions:
        question = about_time(said.text, mention, said.zone, korean=said.hangul)
        if question is not None:
            return question
    return None


def _timeless(said: Said, sense: Sense) -> Parsed:
    """Something to keep, without a time: ask for it, and hold what is known."""
    title = title_of(said.text, hangul=said.hangul)
    predicate = predicate_of(said.text, hangul=said.hangul, clocked=False)
    value = VACATION if predicate == "vacation" else title
    fact = ProposedFact(
        domain="Schedule",
        subject="Calendar",
        predicate=predicate,
        object_value=value,
    )
    return Parsed(
        intent="WRITE",
        operation="create",
        facts=(fact,),
        question=ask("missing", korean=said.hangul),
        notes=(sense.reason,),
    )


def _fact(said: Said, mention: TimeMention, words: str) -> ProposedFact:
    halved = mention.flags & {"half_day", "policy_half"}
    predicate = predicate_of(
        words,
        hangul=said.hangul,
        clocked=mention.has_clock,
        deadline="deadline" in mention.flags,
    )
    if halved:
        predicate = "vacation"
    if predicate == "vacation":
        value: str | None = VACATION
        when = leave_window(said, mention)
    else:
        value, when = title_of(words, hangul=said.hangul), mention.when
    return ProposedFact(
        domain="Schedule",
        subject="Calendar",
        predicate=predicate,
        object_value=value,
        time_text=mention.text,
        when=when,
    )


def leave_window(said: Said, mention: TimeMention) -> When:
    """Leave by policy: a part of the day is a half day; "until Friday" begins today."""
    when = mention.when
    if (
        mention.grain == "part"
        and isinstance(when, WallClock)
        and "policy_half" not in mention.flags
    ):
        start, end = HALF_DAYS["am" if when.start.time() < _NOON else "pm"]
        base = datetime.combine(when.start.date(), datetime.min.time())
        return replace(when, start=base + timedelta(hours=start), end=base + timedelta(hours=end))
    if "deadline" in mention.flags and isinstance(when, Days):
        today = local_of(said.reference, said.zone).date()
        if today < when.start:
            return replace(when, start=today, end=when.end or when.start + DAY)
    return when


def _named_by_neighbours(
    facts: list[ProposedFact],
    said: Said,
    spans: list[tuple[int, int]],
) -> list[ProposedFact]:
    """A title said once holds for every time in its list."""
    if all(one.object_value is not None for one in facts):
        return facts
    named = [one for one in facts if one.object_value is not None]
    if not named:
        whole = without(said.text, spans)
        if vacation_said(whole, hangul=said.hangul):
            return [replace(one, predicate="vacation", object_value=VACATION) for one in facts]
        title = title_of(whole, hangul=said.hangul)
        return [replace(one, object_value=title) for one in facts]
    return [_like_neighbour(facts, index, said, named) for index in range(len(facts))]


def _like_neighbour(
    facts: list[ProposedFact],
    index: int,
    said: Said,
    named: list[ProposedFact],
) -> ProposedFact:
    one = facts[index]
    if one.object_value is not None:
        return one
    later = next((fact for fact in facts[index:] if fact.object_value is not None), None)
    first = named[0] if index else later or named[0]
    like = later if later is not None and said.hangul else first
    return replace(one, predicate=like.predicate, object_value=like.object_value)
