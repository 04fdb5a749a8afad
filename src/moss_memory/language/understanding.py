"""An utterance of English or Korean into proposed facts, without a model."""

import re
from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import Final

from moss_memory.core.interval import Interval
from moss_memory.core.when import Days, WallClock, When
from moss_memory.language import english, korean
from moss_memory.language.changes import cancel, move
from moss_memory.language.claims import VACATION, predicate_of, title_of, topics, vacation_said
from moss_memory.language.home import home_facts
from moss_memory.language.preferences import preference_facts
from moss_memory.language.proposal import Choice, Parsed, ProposedFact, Question
from moss_memory.language.questions import about_time, ask
from moss_memory.language.said import Said, plain
from moss_memory.language.segments import segments
from moss_memory.language.sense import Sense
from moss_memory.language.times.mention import TimeMention
from moss_memory.language.times.place import DAY, local_of
from moss_memory.language.times.policy import HALF_DAYS
from moss_memory.language.times.resolve import is_korean
from moss_memory.language.titles import widened, without

_MOST_FACTS: Final = 10
_NOON: Final = time(12)


def understand(text: str, *, reference: datetime, zone: str, locale: str | None = None) -> Parsed:
    """Say what an utterance means: pure, the same words at the same instant give the same answer.

    ``reference`` is the aware instant of speaking, ``zone`` the owner's IANA zone, ``locale``
    decides the order of 7/8. Where words can be read in two ways ``question`` is set and
    ``facts`` hold the first reading. Never raises on any text.

    Raises:
        ValueError: ``reference`` is naive or ``zone`` is no zone.
    """
    words = plain(text)
    said = Said(words, reference, zone, locale, is_korean(words))
    mentions = said.times()
    sense = _sense(said, mentions)
    if sense.act != "cancel":
        known = _elsewhere(said, sense, mentions)
        if known is not None:
            return known
    return _acted(said, sense, mentions)


def _acted(said: Said, sense: Sense, mentions: list[TimeMention]) -> Parsed:
    if sense.others:
        return _one_at_a_time(said, sense)
    if sense.past and sense.act in ("save", "ask"):
        mentions = said.times(past=True)
    if sense.act == "move":
        return move(said, _placed(said.times(split=True)))
    if sense.act == "cancel":
        return cancel(said, _placed(mentions))
    if sense.act == "ask":
        return _asked(said, sense, mentions)
    if sense.act == "save":
        return _saved(said, sense, mentions)
    return Parsed(intent="UNKNOWN", notes=(sense.reason,))


_FIRST: Final = (
    "One change at a time, please. Which comes first?",
    "한 번에 하나씩 할게요. 어느 것부터 할까요?",
)


def _one_at_a_time(said: Said, sense: Sense) -> Parsed:
    """Two clauses want two kinds of change: the stronger is held, and the speaker asked."""
    clauses = (sense.clause, *sense.others)
    first = understand(sense.clause, reference=said.reference, zone=said.zone, locale=said.locale)
    choices = tuple(Choice(one, one) for one in clauses)
    question = ask("target", korean=said.hangul, choices=choices, text=_FIRST[said.hangul])
    return replace(first, question=question)


def _placed(mentions: list[TimeMention]) -> list[TimeMention]:
    """Leave out "now" and "just now", which point to what was said, not to when it is."""
    return [one for one in mentions if one.grain != "second"]


def sense_in(said: Said) -> Sense:
    """Name what the words want: save, move, cancel, ask, or none of these."""
    return _sense(said, said.times())


def _sense(said: Said, mentions: list[TimeMention]) -> Sense:
    timed = any(one.grain != "second" for one in mentions)  # "now" alone fills a sentence
    if said.hangul:
        clocked = any(isinstance(one.when, WallClock) and one.grain != "part" for one in mentions)
        return korean.sense_of(said.text, timed=timed, clocked=clocked)
    return english.sense_of(said.text, timed=timed)


def _elsewhere(said: Said, sense: Sense, mentions: list[TimeMention]) -> Parsed | None:
    """Facts about the home and about the person, which need no calendar."""
    if sense.reason in ("prohibition", "relayed", "instruction"):
        return None
    facts = home_facts(said.text, hangul=said.hangul) or preference_facts(
        said.text,
        hangul=said.hangul,
    )
    if not facts:
        return None
    if facts[0].domain == "SmartHome" and len(mentions) == 1:
        facts = tuple(
            replace(one, when=mentions[0].when, time_text=mentions[0].text) for one in facts
        )
    return Parsed(intent="WRITE", operation="create", facts=facts, notes=(sense.reason,))


def _asked(said: Said, sense: Sense, mentions: list[TimeMention]) -> Parsed:
    spans = [span for one in mentions for span in one.spans]
    rest = without(said.text, spans)
    leave = vacation_said(rest, hangul=said.hangul) and not sense.why
    window = mentions[0].window if len(mentions) == 1 else _hull(mentions)
    return Parsed(
        intent="QUERY",
        window=window,
        domains=("Schedule",) if sense.reason != "memory_question" else (),
        words=topics(rest, hangul=said.hangul),
        predicates=("vacation",) if leave else (),
        why=sense.why,
        notes=(sense.reason,),
    )


def _hull(mentions: list[TimeMention]) -> Interval | None:
    if not mentions:
        return None
    return Interval(min(m.window.start for m in mentions), max(m.window.end for m in mentions))


def _saved(said: Said, sense: Sense, mentions: list[TimeMention]) -> Parsed:
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
    facts = _named_by_neighbours(facts, said, spans)[:_MOST_FACTS]
    question = _question(said, mentions) or _open_leave(said, facts, mentions)
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
        half = "am" if when.start.time() < _NOON else "pm"
        start, end = HALF_DAYS[half]  # type: ignore[index]
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
