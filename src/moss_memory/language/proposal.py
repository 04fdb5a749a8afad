"""What a parser may return: an untrusted proposal, in a closed schema."""

from dataclasses import dataclass
from typing import Literal

from moss_memory.core.interval import Interval
from moss_memory.core.when import When

Intent = Literal["WRITE", "QUERY", "UNKNOWN"]
Operation = Literal["create", "revise", "retire"]
QuestionCode = Literal[
    "date_mismatch", "half_day", "wall_time", "past_date", "not_grounded", "target", "missing"
]


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to answer a question: ``text`` goes back to ``/chat`` as a whole utterance."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """Why nothing was written yet, in the words of ``locale``, and the readings to choose from."""

    code: QuestionCode
    text: str
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Which memory a revise or retire means: by predicate, words, window; or the last one said.

    ``anaphoric`` is "it", "that", "그거": the last fact of the session's dialog_state.
    """

    predicate: str | None = None
    words: tuple[str, ...] = ()
    window: Interval | None = None
    anaphoric: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedFact:
    """A fact that the words propose.

    ``time_text`` are the words its time came from, None where they name none. For a revise or a
    retire ``target`` says which memory, and None fields stay as they are. In a move ``keep``
    "date" says that only the hour was named (the memory's own date stays), "clock" that only the
    day was (its own hours stay); ``when`` then holds the first reading. ``shift_minutes`` moves
    the memory's window as it is ("two hours later"), negative for earlier.
    """

    domain: str
    subject: str
    predicate: str
    object_value: str | None = None
    time_text: str | None = None
    when: When | None = None
    target: Target | None = None
    confidence: float = 1.0
    keep: Literal["date", "clock"] | None = None
    shift_minutes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """What an utterance means. ``window`` is what a QUERY asks about, None for any time.

    ``domains``, ``predicates`` and ``words`` narrow a QUERY (empty: everything). ``question`` is
    set where the words are ambiguous: then nothing is written, and ``facts`` hold the first
    reading.
    ``why`` marks "why is my Friday off?", ``gone`` that it asks after what is no more. ``notes``
    explain policies that were applied.
    """

    intent: Intent
    operation: Operation | None = None
    facts: tuple[ProposedFact, ...] = ()
    question: Question | None = None
    window: Interval | None = None
    domains: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()
    why: bool = False
    gone: bool = False
    parser: str = "offline"
    model: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    notes: tuple[str, ...] = ()
