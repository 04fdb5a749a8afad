"""Is what a model claims really in the words? Where it is not, the person is asked.

A model's reply is an untrusted proposal. Every window is resolved again from the words, every
value needs words to stand on, and what the words forbid, deny or say of somebody else is not
written. Agreement lets the proposal through; anything else becomes a question with choices.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from moss_memory.core.interval import Interval
from moss_memory.core.when import Days, WallClock, When
from moss_memory.language.assent import only_assent
from moss_memory.language.claims import VACATION, vacation_said
from moss_memory.language.home import home_facts
from moss_memory.language.orders import (
    orders_the_assistant,
    tells_liking,
    tells_of_oneself,
    too_long_a_title,
)
from moss_memory.language.people import told_of_oneself
from moss_memory.language.preferences import NEGATIVE, preference_facts
from moss_memory.language.proposal import Parsed, ProposedFact, Question, QuestionCode
from moss_memory.language.questions import about_time, ask, choice
from moss_memory.language.said import Said, plain
from moss_memory.language.saves import leave_window
from moss_memory.language.times import TimeMention
from moss_memory.language.times.resolve import is_korean
from moss_memory.language.understanding import sense_in, understand
from moss_memory.language.windows import window_of

_PARTICLES: Final = re.compile(
    r"(?:이랑|에서|에게|한테|까지|부터|으로|이라고|라고|에|을|를|은|는|이|가|과|와|랑|"
    r"하고|의|로|도|만)$",
)
_DULL: Final = frozenset(
    {"a", "an", "the", "my", "our", "with", "for", "and", "of", "to", "at", "on", "in", "by", "i"}
    | {"me", "is"},
)
_IDENTITY: Final = frozenset({"name", "lives_in", "works_at", "speaks"})
_NOT_A_NAME: Final = re.compile(r"\d{2,}|://|@|[\\/{}<>=;]|\bport\b", re.IGNORECASE)
_SHORT: Final = 3  # "bus" keeps its s
_HALF_OF: Final = 2  # one word in two must be the user's own


def check(
    parsed: Parsed,
    text: str,
    *,
    reference: datetime,
    zone: str,
    locale: str | None,
) -> Parsed:
    """Hold a model's reply against the words it claims to have read.

    Returns the reply with times as the words say them, or with a ``question`` (then nothing is
    written and ``facts`` hold the first reading), or an UNKNOWN without facts where the words
    forbid to write. A QUERY keeps no fact; its window is the words' own.
    """
    words = plain(text)
    said = Said(words, reference, zone, locale, is_korean(words))
    own = understand(text, reference=reference, zone=zone, locale=locale)
    if parsed.intent != "WRITE":
        return replace(parsed, facts=(), operation=None, window=own.window or _hull(said))
    barred = _steering(said) or sense_in(said).reason
    if barred in _BARRED:
        notes = (*parsed.notes, barred)
        return replace(parsed, intent="UNKNOWN", operation=None, facts=(), notes=notes)
    if not parsed.facts:
        return replace(parsed, question=parsed.question or ask("missing", korean=said.hangul))
    return _written(parsed, said, own)


_BARRED: Final = frozenset({"assent", "prohibition", "relayed", "instruction", "another_person"})


def _steering(said: Said) -> str | None:
    if only_assent(said.text):
        return "assent"
    return "instruction" if orders_the_assistant(said.text, hangul=said.hangul) else None


def _hull(said: Said) -> Interval | None:
    mentions = said.times()
    return mentions[0].window if len(mentions) == 1 else None


def _written(parsed: Parsed, said: Said, own: Parsed) -> Parsed:
    """Check every fact; the first doubt becomes the question, the others keep their times."""
    mentions = said.times(past=sense_in(said).past, split=parsed.operation == "revise")
    question = parsed.question or _too_many(parsed, said, own, mentions)
    question = question or _wrong_operation(parsed, said)
    facts = []
    for claimed in parsed.facts:
        doubt = _value_doubt(claimed, parsed, said) or _polarity_doubt(claimed, said)
        if own.intent != "WRITE" and too_long_a_title(claimed.object_value or ""):
            doubt = doubt or "not_grounded"
        if doubt is not None:
            question = question or ask(doubt, korean=said.hangul)
        settled, asked = _time_checked(_closed(claimed), parsed, said, mentions)
        question = question or asked
        facts.append(settled)
    return replace(parsed, facts=tuple(facts), question=question)


def _closed(fact: ProposedFact) -> ProposedFact:
    """A vacation has one value, whatever the reply calls it."""
    if fact.predicate != "vacation" or fact.object_value is None:
        return fact
    return replace(fact, object_value=VACATION)


def _too_many(
    parsed: Parsed,
    said: Said,
    own: Parsed,
    mentions: Sequence[TimeMention],
) -> Question | None:
    """More facts than times, clauses or own readings: one of them is added."""
    named = [one for one in parsed.facts if one.domain == "Schedule"]
    most = max(1, len(own.facts) if parsed.operation == "revise" else len(mentions))
    others = len(parsed.facts) - len(named)
    clauses = max(
        1,
        len(own.facts),
        len(re.findall(r",|\band\b|[.!]\s|고\s|랑\s|와\s|과\s", said.text)) + 1,
    )
    if len(named) > most or others > clauses:
        return ask("not_grounded", korean=said.hangul)
    return None


_TOUCHING: Final = {"retire": "cancel", "revise": "move"}  # what is kept: the words have to say so


def _wrong_operation(parsed: Parsed, said: Said) -> Question | None:
    """The words plainly cancel or move, and the reply does something else (or the reverse)."""
    sense = sense_in(said).act
    if sense != _TOUCHING.get(parsed.operation or "", sense):
        return ask("target", korean=said.hangul)
    wanted = {"cancel": "retire", "move": "revise", "save": "create"}.get(sense)
    if wanted is None or parsed.operation in (None, wanted):
        return None
    if "retire" in (wanted, parsed.operation):
        return ask("target" if wanted == "retire" else "not_grounded", korean=said.hangul)
    return None


def _value_doubt(fact: ProposedFact, parsed: Parsed, said: Said) -> QuestionCode | None:
    if fact.target is not None and not all(_spoken(one, said) for one in fact.target.words):
        return "target"
    if parsed.operation == "retire" or fact.object_value is None:
        return None
    if fact.predicate == "vacation":
        return None if _leave_in(said) else "not_grounded"
    if fact.domain == "SmartHome":
        return None if _home_agrees(fact, said) else "not_grounded"
    if fact.predicate in _IDENTITY and (
        _NOT_A_NAME.search(fact.object_value)
        or not tells_of_oneself(fact.predicate, said.text)
        or not told_of_oneself(fact, said.text, hangul=said.hangul)
    ):
        return "not_grounded"
    return None if _grounded(fact.object_value, said) else "not_grounded"


def _leave_in(said: Said) -> bool:
    halved = any(one.flags & {"half_day", "policy_half"} for one in said.times())
    return halved or vacation_said(said.text, hangul=said.hangul)


def _home_agrees(fact: ProposedFact, said: Said) -> bool:
    own = home_facts(said.text, hangul=said.hangul)
    if own:
        return any(
            (o.predicate, o.object_value) == (fact.predicate, fact.object_value) for o in own
        )
    return fact.object_value is not None and _lexicon_has(fact.object_value, said)


_CHOICES: Final = {
    "on": r"\bon\b|켜|켠", "off": r"\boff\b|\bout\b|꺼|끄|끈",
    "locked": r"\block(?:ed)?\b|잠[가그궈겨]|잠근",
    "unlocked": r"\bunlock(?:ed)?\b|\bopen\b|열[어었린]|풀",
}  # fmt: skip


def _lexicon_has(value: str, said: Said) -> bool:
    pattern = _CHOICES.get(value.lower())
    if pattern is None:
        return value in re.findall(r"\d+(?:\.\d+)?", said.text) or _grounded(value, said)
    return re.search(pattern, said.text, re.IGNORECASE) is not None


def _polarity_doubt(fact: ProposedFact, said: Said) -> QuestionCode | None:
    """A like where the words deny it, or a dislike where they do not."""
    if fact.predicate not in ("prefers", "dislikes"):
        return None
    own = preference_facts(said.text, hangul=said.hangul)
    same = [
        one for one in own if one.object_value and _alike(one.object_value, fact.object_value or "")
    ]
    if same:
        return None if any(one.predicate == fact.predicate for one in same) else "not_grounded"
    if not tells_liking(said.text):
        return "not_grounded"
    negative = NEGATIVE.search(said.text) is not None
    return None if negative == (fact.predicate == "dislikes") else "not_grounded"


def _alike(a: str, b: str) -> bool:
    return bool(set(tokens(a)) & set(tokens(b)))


def tokens(text: str) -> tuple[str, ...]:
    """Cut words for comparison: NFKC, lower case, particles and plural endings gone."""
    folded = unicodedata.normalize("NFKC", text).lower()
    found = re.findall(r"[가-힣]+|[^\W_가-힣]+", folded)
    return tuple(word for word in (_cut(one) for one in found) if word and word not in _DULL)


def _cut(word: str) -> str:
    if is_korean(word):
        shorter = _PARTICLES.sub("", word)
        return shorter if len(shorter) > 1 else word
    return word.removesuffix("s") if len(word) > _SHORT else word


def _spoken(word: str, said: Said) -> bool:
    """Whether one of the words is the user's; Korean compounds are found in running text."""
    wanted = tokens(word)
    have = set(tokens(said.text))
    running = re.sub(r"\s", "", unicodedata.normalize("NFKC", said.text).lower())
    return bool(wanted) and all(
        one in have or (is_korean(one) and one in running) for one in wanted
    )


def _grounded(value: str, said: Said) -> bool:
    """At least half of a free text's words must be the user's own, and one of them at least."""
    wanted = tokens(value)
    if not wanted:
        return value.strip() in said.text
    own = sum(_spoken(one, said) for one in wanted)
    return own > 0 and own * _HALF_OF >= len(wanted)


def _time_checked(
    fact: ProposedFact,
    parsed: Parsed,
    said: Said,
    mentions: Sequence[TimeMention],
) -> tuple[ProposedFact, Question | None]:
    """Compare a fact's time, and its target's, with the times that the words name."""
    if fact.target is not None and fact.target.window is not None:
        starts = {one.window.start for one in mentions} | {one.window.start for one in said.times()}
        if fact.target.window.start not in starts:
            return fact, ask("target", korean=said.hangul)
    if parsed.operation == "retire" or fact.domain != "Schedule":
        return fact, None
    if not mentions:
        return _timeless(fact, parsed, said)
    candidates = [(one, _as_said(one, fact, said)) for one in mentions]
    if fact.when is None:
        one, when = candidates[0]
        settled = replace(fact, when=when, time_text=one.text) if len(mentions) == 1 else fact
        return settled, about_time(said.text, one, said.zone, korean=said.hangul)
    claimed = window_of(fact.when, said.zone)
    for one, when in candidates:
        window = window_of(when, said.zone)
        if window.start == claimed.start and _ends_alike(fact.when, when, said):
            question = about_time(said.text, one, said.zone, korean=said.hangul)
            return replace(fact, when=when, time_text=one.text), question
    return _disputed(fact, candidates, said)


def _as_said(mention: TimeMention, fact: ProposedFact, said: Said) -> When:
    return leave_window(said, mention) if fact.predicate == "vacation" else mention.when


def _ends_alike(claimed: When, own: When, said: Said) -> bool:
    """The same end, or an end that the words leave open."""
    if isinstance(own, WallClock) and own.end is None:
        return True
    if _series(claimed) != _series(own):
        return False
    if isinstance(claimed, Days) and isinstance(own, Days):
        return window_of(claimed, said.zone) == window_of(own, said.zone)
    if isinstance(own, Days):
        return window_of(claimed, said.zone).end == window_of(own, said.zone).end
    end = getattr(claimed, "end", None)
    return end is None or window_of(claimed, said.zone).end == window_of(own, said.zone).end


def _series(when: When) -> str | None:
    return when.series.rrule if when.series is not None else None


def _timeless(
    fact: ProposedFact,
    parsed: Parsed,
    said: Said,
) -> tuple[ProposedFact, Question | None]:
    """The words name no time: a time in the reply is invented, and an event needs one."""
    if parsed.operation == "revise" and (fact.when is None or fact.shift_minutes is not None):
        return fact, None
    return replace(fact, when=None, time_text=None), ask("missing", korean=said.hangul)


def _disputed(
    fact: ProposedFact,
    candidates: Sequence[tuple[TimeMention, When]],
    said: Said,
) -> tuple[ProposedFact, Question]:
    """Show both readings; the first is what the words say."""
    mention, when = min(candidates, key=lambda pair: _distance(pair[1], fact, said))
    assert fact.when is not None
    choices = tuple(
        choice(said.text, mention, one, korean=said.hangul) for one in (when, _bare(fact.when))
    )
    question = ask("date_mismatch", korean=said.hangul, choices=choices, text=_BOTH[said.hangul])
    return replace(fact, when=when, time_text=mention.text), question


_BOTH: Final = (
    "I read two different times. Which one do you mean?",
    "시간이 두 가지로 읽혀요. 어느 쪽인가요?",
)


def _distance(when: When, fact: ProposedFact, said: Said) -> float:
    assert fact.when is not None
    own, claimed = window_of(when, said.zone), window_of(fact.when, said.zone)
    return abs((own.start - claimed.start).total_seconds())


def _bare(when: When) -> When:
    """The time alone, without how it repeats: only one occurrence is in question."""
    return replace(when, series=None)
