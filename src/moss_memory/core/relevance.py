"""How much a memory bears on a question: a score with its parts, so that it can be explained.

Parts are 0..1: the time asked about, the words shared (weighted by how rare they are among the
candidates), what the question is about, how recent (of an event, how near to now), how sure and
from which source.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Final

from moss_memory.core.fact import Memory, Source
from moss_memory.core.interval import Interval

_WORDS: Final = re.compile(r"[\uac00-\ud7a3]+|[^\W\d_]+|\d+")
_HANGUL: Final = ("\uac00", "\ud7a3")
_SUFFIXES: Final = ("ings", "ing", "ies", "ed", "es", "s")
_SHORTEST_STEM: Final = 3
_UNSAID: Final = frozenset({"Calendar", "User"})  # subjects that tell nothing apart
_DAY: Final = 86400.0
_MONTH: Final = 30 * _DAY
_LEAST_SHARE: Final = 0.12  # of the question's word weight; less is chance
_NEAR_BEST: Final = 0.4  # of the best match's share
_RANK: Final[dict[Source, int]] = {
    "user_explicit": 5, "user_selection": 4, "user_feedback": 4, "vision": 3, "task_result": 3,
    "model_inferred": 1,
}  # fmt: skip
_WEIGHTS: Final = {
    "time": 0.30, "words": 0.34, "topic": 0.16, "recency": 0.08, "confidence": 0.06, "source": 0.06,
}  # fmt: skip
_TIME, _SHARED, _TOPIC, _RECENCY = (
    _WEIGHTS[part] for part in ("time", "words", "topic", "recency")
)
_DIGITS: Final = 6
_BY_SOURCE: Final = {
    source: round(_WEIGHTS["source"] * rank / 5, _DIGITS) for source, rank in _RANK.items()
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked. Empty and None narrow nothing.

    ``words`` are terms (see ``terms``), ``predicates`` what the words are about, ``window`` the
    time asked about, ``at`` the reference instant.
    """

    at: datetime
    words: frozenset[str] = frozenset()
    window: Interval | None = None
    predicates: frozenset[str] = frozenset()

    @property
    def open(self) -> bool:
        """Whether nothing is asked in particular: then everything valid bears on it."""
        return not (self.words or self.window or self.predicates)


@dataclass(frozen=True, slots=True)
class Score:
    """A memory's relevance 0..1 and the weighted ``parts`` that it is the sum of.

    ``bears`` says that the question touches it at all: by time, word or topic; ``worded`` that
    it does by its words.
    """

    relevance: float
    bears: bool
    worded: bool = False
    parts: Mapping[str, float] = field(default_factory=dict)


@lru_cache(maxsize=16384)  # the same titles come back with every question
def terms(text: str) -> tuple[str, ...]:
    """Split a text into the tokens that are compared: word stems, numbers, Hangul bigrams.

    Each token once, in order of first appearance. Compatibility forms and case are folded. A run
    of Hangul gives its overlapping pairs of syllables, so that particles and compounds match by
    parts; a lone syllable is a token by itself.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    found = (token for word in _WORDS.findall(unicodedata.normalize("NFC", folded))
             for token in _tokens(word))  # fmt: skip
    return tuple(dict.fromkeys(found))


def words_of(subject: str, value: str) -> tuple[str, ...]:
    """Return the tokens that a memory is found by: those of its value, and of what it is about."""
    about = "" if subject in _UNSAID else subject
    return terms(f"{about} {value}")


def score(question: Question, memories: Sequence[Memory]) -> tuple[Score, ...]:
    """Score memories against a question, in their order.

    A memory bears on the question when it lies in the time asked about, is of the kind asked
    about, or shares a fair part of the words that the best match shares. Rare words count more:
    the weight of a term is its inverse frequency among ``memories`` (Robertson and Sparck Jones,
    "Relevance weighting of search terms", JASIS 27, 1976).
    """
    held = [_held(memory.fact.subject, memory.fact.object_value) for memory in memories]
    weights = _weights(question.words, held)
    total = sum(weights.values())
    shares = [_share(words, weights, total) for words in held]
    least = max(_LEAST_SHARE, _NEAR_BEST * max(shares, default=0.0))
    return tuple(
        _score(question, memory, share, least)
        for memory, share in zip(memories, shares, strict=True)
    )


@lru_cache(maxsize=16384)
def _held(subject: str, value: str) -> frozenset[str]:
    return frozenset(words_of(subject, value))


def forget() -> None:
    """Let go of every text: after an erasure its words are not to stay in this process."""
    terms.cache_clear()
    _held.cache_clear()


def rarity(holding: int, total: int) -> float:
    """Weigh a term that ``holding`` (at least one) of ``total`` texts have."""
    return math.log(1 + total / holding)


def closeness(memory: Memory, question: Question) -> float:
    """How near in time a memory lies: 1 where it overlaps the window asked about, then falling.

    Without a window, the reference instant stands for it. Halves with every day of distance.
    """
    asked = question.window
    start, end = (asked.start, asked.end) if asked else (question.at, question.at)
    return _near(_gap(memory, start, end))


def _near(gap: float) -> float:
    return float(0.5 ** (gap / _DAY))


def _gap(memory: Memory, start: datetime, end: datetime) -> float:
    """Return the seconds between a memory and ``[start, end)``, 0 where they meet."""
    windows = memory.windows
    if len(windows) == 1:
        return _between(windows[0].start, windows[0].end, start, end)
    if not windows:
        return _between(memory.valid_from, memory.valid_until, start, end)
    return min(_between(one.start, one.end, start, end) for one in windows)


def _between(begins: datetime, ends: datetime, start: datetime, end: datetime) -> float:
    """Return the seconds between ``[begins, ends)`` and ``[start, end)``."""
    if begins > end:
        return (begins - end).total_seconds()
    return (start - ends).total_seconds() if start > ends else 0.0


def _score(question: Question, memory: Memory, share: float, least: float) -> Score:
    """Score one memory.

    Only what has its own time can be near in time; a standing preference is always there. An
    event in the window asked about bears on any question of it: so does a day off.
    """
    fact, window, timed = memory.fact, question.window, dated(memory)
    age = _age(question, memory, timed=timed)
    near = 0.0
    if timed:  # an event's age is its distance, if no other time is asked about
        near = _near(age) if window is None else closeness(memory, question)
    about = fact.predicate in question.predicates
    parts = {
        "time": round(_TIME * near, _DIGITS) if near else 0.0,
        "words": round(_SHARED * share, _DIGITS) if share else 0.0,
        "topic": _TOPIC if about else 0.0,
        "recency": round(_RECENCY * (1.0 / (1.0 + age / _MONTH)), _DIGITS),
        "confidence": _by_confidence(fact.confidence),
        "source": _BY_SOURCE[fact.source],
    }
    worded = share >= least
    touches = worded or about or (window is not None and near >= 1.0)
    return Score(round(sum(parts.values()), _DIGITS), question.open or touches, worded, parts)


@lru_cache(maxsize=256)  # few are stated
def _by_confidence(confidence: float) -> float:
    return round(_WEIGHTS["confidence"] * confidence, _DIGITS)


def _share(words: frozenset[str], weights: Mapping[str, float], total: float) -> float:
    """Return the part of the question's weight, ``total``, that a memory's words carry."""
    if not total or words.isdisjoint(weights):
        return 0.0
    return sum([weight for word, weight in weights.items() if word in words]) / total


def _age(question: Question, memory: Memory, *, timed: bool) -> float:
    """Return how many seconds ago a memory was recorded; of an event, how far from now it is.

    So of two days in a week asked about, and of all that is to come, the nearer is told first.
    """
    if timed:
        return _gap(memory, question.at, question.at)
    return max((question.at - memory.recorded_at).total_seconds(), 0.0)


def dated(memory: Memory) -> bool:
    """Whether a memory has a time of its own, as an event has; else it holds since it began."""
    return not memory.open_ended and memory.fact.when is not None


def _weights(words: Iterable[str], tokens: Sequence[frozenset[str]]) -> dict[str, float]:
    """Weigh terms by rarity; a term that no candidate has weighs nothing: it tells none apart."""
    wanted = frozenset(words)
    seen = Counter(word for held in tokens for word in held & wanted)
    return {word: rarity(n, len(tokens)) for word, n in sorted(seen.items())}


def _tokens(word: str) -> Iterable[str]:
    if not _HANGUL[0] <= word[0] <= _HANGUL[1]:
        yield _stem(word)
    elif len(word) == 1:
        yield word
    else:
        yield from (word[i : i + 2] for i in range(len(word) - 1))


def _stem(word: str) -> str:
    """Cut a plural or a verb's ending, so that "meetings" finds "meeting"."""
    if not word.isascii() or word.isdigit():
        return word
    for suffix in _SUFFIXES:
        stem = word.removesuffix(suffix)
        if stem != word and len(stem) >= _SHORTEST_STEM and not stem.endswith("s"):
            return stem + "y" if suffix == "ies" else stem
    return word
