"""An utterance of English or Korean into proposed facts, without a model."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Final

from moss_memory.core.interval import Interval
from moss_memory.core.when import WallClock
from moss_memory.language import english, korean
from moss_memory.language.changes import cancel, move
from moss_memory.language.claims import topics, vacation_said
from moss_memory.language.forgetting import cancelled, forget
from moss_memory.language.home import home_facts
from moss_memory.language.orders import orders_the_assistant
from moss_memory.language.preferences import preference_facts
from moss_memory.language.proposal import Choice, Parsed
from moss_memory.language.questions import ask
from moss_memory.language.said import Said, plain
from moss_memory.language.saves import save
from moss_memory.language.sense import Sense
from moss_memory.language.times.mention import TimeMention
from moss_memory.language.times.resolve import is_korean
from moss_memory.language.titles import without


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
    parsed = _read(said)
    if parsed.intent == "WRITE" and orders_the_assistant(words, hangul=said.hangul):
        return Parsed(intent="UNKNOWN", notes=("instruction",))
    return parsed


def _read(said: Said) -> Parsed:
    forgotten = forget(said)
    if forgotten is not None:
        return forgotten
    said = replace(said, text=cancelled(said) or said.text)
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
        return save(said, sense, mentions)
    return Parsed(intent="UNKNOWN", notes=(sense.reason,))


_FIRST: Final = (
    "One change at a time, please. Which comes first?",
    "한 번에 하나씩 할게요. 어느 것부터 할까요?",
)


def _one_at_a_time(said: Said, sense: Sense) -> Parsed:
    """Two clauses want two kinds of change: the stronger is held, and the speaker asked."""
    clauses = (sense.clause, *sense.others)
    alone = replace(said, text=sense.clause)
    first = _acted(alone, replace(sense, others=()), alone.times())
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
    facts = preference_facts(said.text, hangul=said.hangul)
    if sense.act == "none":  # "remind me to turn the light off" commands no light
        facts = home_facts(said.text, hangul=said.hangul) or facts
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
    words = topics(rest, hangul=said.hangul)
    return Parsed(
        intent="QUERY",
        window=window,
        domains=("Schedule",) if sense.reason != "memory_question" else (),
        words=tuple(one for one in words if not (sense.why and _ASKING.match(one))),
        predicates=("vacation",) if leave else (),
        why=sense.why,
        gone=sense.why and _GONE.search(said.text) is not None,
        notes=(sense.reason,),
    )


_GONE: Final = re.compile(
    r"\b(?:gone|missing|disappear\w*|vanish\w*|removed?|deleted?|erased?|cancell?ed|lost|go|"
    r"happened|became|no\s+longer|not\s+there|(?:don|didn|isn|wasn|aren)'?t)\b|"
    r"없|사라|지웠|지워|취소|삭제|어디\s?(?:로\s?)?갔|어떻게\s?[됐된]",
    re.IGNORECASE,
)
# words that ask what became of something, and name nothing
_ASKING: Final = re.compile(
    r"(?:gone|missing|disappear\w*|vanish\w*|removed?|deleted?|erased?|cancell?ed|lost|go|come|"
    r"happened|became|longer|moved|changed|replaced|anymore|(?:do|did|is|was|are)n'?t)$|"
    r"없|사라|지웠|지워|취소|삭제|갔|됐|된|바꿨|바뀌|옮|누가",
    re.IGNORECASE,
)


def _hull(mentions: list[TimeMention]) -> Interval | None:
    if not mentions:
        return None
    return Interval(min(m.window.start for m in mentions), max(m.window.end for m in mentions))
