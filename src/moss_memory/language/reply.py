"""A model's reply, believed in nothing: inside the closed schema to the byte, or refused whole.

Nothing is dropped and nothing is repaired: a reply with one wrong key is a bad reply. The reason
is a code that may be logged and shown; the model's words never are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, get_args
from zoneinfo import ZoneInfo

from moss_memory.core.errors import InvalidValueError
from moss_memory.core.interval import Interval
from moss_memory.core.ontology import Ontology, Predicate
from moss_memory.language.proposal import (
    Choice,
    Intent,
    Operation,
    Parsed,
    ProposedFact,
    Question,
    QuestionCode,
    Target,
)
from moss_memory.language.questions import ask
from moss_memory.language.reply_json import Fields, fields, refuse, strict_object
from moss_memory.language.reply_time import check_placed, read_window
from moss_memory.language.schema import (
    MAX_CHOICES,
    MAX_FACTS,
    MAX_WORDS,
    POLARITIES,
    spoken,
)

MAX_TIME_TEXT: Final = 200
MAX_WORD: Final = 100
MAX_CHOICE: Final = 300
PROHIBITED: Final = "PROHIBITED"  # the note of what the words deny or forbid, and nobody wrote


@dataclass(frozen=True, slots=True)
class _Read:
    """One fact of a reply, and what it says beside the fact."""

    fact: ProposedFact
    predicate: Predicate
    window: Interval | None  # the first span of its time
    denied: bool


@dataclass(frozen=True, slots=True)
class _Reader:
    """What a reply is read against: the predicates that may be named, the owner's zone."""

    predicates: dict[tuple[str, str], Predicate]
    zone: str

    def fact(self, said: Fields, operation: Operation | None) -> _Read:
        said.only(
            "domain", "subject", "predicate", "object_value", "time_text", "window", "polarity",
            "target",
        )  # fmt: skip
        predicate = self._predicate(said)
        value = self._value(said, predicate)
        placed = read_window(said.inner("window"), ZoneInfo(self.zone))
        when = placed[0] if placed else None
        if operation is not None:
            check_placed(when, self.zone, predicate)
        return _Read(
            ProposedFact(
                domain=predicate.domain,
                subject=self._subject(said, predicate),
                predicate=predicate.name,
                object_value=value,
                time_text=said.text("time_text", MAX_TIME_TEXT),
                when=when,
                target=self._target(said.inner("target")),
            ),
            predicate,
            placed[1] if placed else None,
            _denied(said, predicate),
        )

    def _predicate(self, said: Fields) -> Predicate:
        name = said.values.get("domain"), said.values.get("predicate")
        if not all(isinstance(part, str) for part in name):
            refuse("wrong_type")
        known = self.predicates.get(name)  # type: ignore[arg-type]  # two texts, as just seen
        return known or refuse("predicate")

    def _subject(self, said: Fields, predicate: Predicate) -> str:
        subject = said.text("subject", predicate.max_subject)
        if subject is None:
            refuse("missing_key")
        if predicate.subjects and subject not in predicate.subjects:
            refuse("subject")
        return subject

    def _value(self, said: Fields, predicate: Predicate) -> str | None:
        value = said.text("object_value", predicate.max_value)
        if value is None:
            return None
        if predicate.value.kind == "choice":
            return value if value in predicate.value.choices else refuse("value")
        try:
            predicate.value.clean(value)  # judged here, kept as said: grounding compares words
        except InvalidValueError:
            refuse("value")
        return value

    def _target(self, said: Fields | None) -> Target | None:
        if said is None:
            return None
        said.only("predicate", "words", "time_text", "window", "anaphoric")
        said.text("time_text", MAX_TIME_TEXT)
        names = {name for _, name in self.predicates}
        placed = read_window(said.inner("window"), ZoneInfo(self.zone))
        return Target(
            predicate=said.one_of("predicate", {None, *names}, "predicate"),
            words=said.words("words", MAX_WORDS, MAX_WORD),
            window=placed[1] if placed else None,
            anaphoric=said.flag("anaphoric"),
        )


def read_reply(text: str, ontology: Ontology, *, zone: str, locale: str) -> Parsed:
    """Read a model's reply as an untrusted proposal.

    ``zone`` is the owner's IANA zone: its whole days and wall clocks float with the owner.
    ``locale`` chooses the words of a question. What is denied or forbidden is never a fact of the
    result. A WRITE without a fact, or without a value or a time that it needs, is a question.

    Raises:
        ModelBadOutputError: outside the schema; the member ``reason`` is a code.
    """
    said = strict_object(text).only("intent", "operation", "facts", "question", "why")
    intent: Intent = said.one_of("intent", get_args(Intent), "intent")
    operation = _operation(said, intent)
    reader = _Reader({(each.domain, each.name): each for each in spoken(ontology)}, zone)
    items = said.items("facts", MAX_FACTS, "too_many_facts")
    read = [reader.fact(fields(item), operation) for item in items]
    question = _question(said.inner("question"), korean=locale.startswith("ko"))
    why = said.flag("why")
    if intent == "WRITE":
        assert operation is not None
        return _write(operation, read, question, korean=locale.startswith("ko"))
    if intent == "QUERY":
        return _query(read, question, why=why)
    if read:
        refuse("facts")
    return Parsed(intent=intent, question=question)


def _operation(said: Fields, intent: Intent) -> Operation | None:
    operation: Operation | None = said.one_of(
        "operation", {None, *get_args(Operation)}, "operation"
    )
    if intent == "WRITE":
        return operation or "create"
    return None if operation is None else refuse("operation")


def _denied(said: Fields, predicate: Predicate) -> bool:
    """Say whether a fact is negated; of two opposites one is negative by itself."""
    polarity = said.one_of("polarity", {None, *POLARITIES}, "polarity")
    dislike = predicate.memory_type == "negative_preference"
    if polarity == "positive" if dislike else polarity == "negative" and predicate.opposite:
        refuse("polarity")  # the other predicate says it
    return not dislike and polarity == "negative"


def _write(
    operation: Operation, read: Sequence[_Read], question: Question | None, *, korean: bool
) -> Parsed:
    kept = [each for each in read if not each.denied]
    notes = (PROHIBITED,) if len(kept) < len(read) else ()
    if read and not kept:
        return Parsed(intent="UNKNOWN", notes=notes)
    if operation == "create":
        facts = tuple(_whole(each) for each in kept)
    else:
        facts = tuple(_targeted(each, operation) for each in kept)
    lacks = not facts or (operation == "create" and any(map(_lacks, kept, facts)))
    return Parsed(
        intent="WRITE",
        operation=operation,
        facts=facts,
        question=question or (ask("missing", korean=korean) if lacks else None),
        notes=notes,
    )


def _whole(read: _Read) -> ProposedFact:
    """Fill in the value of a predicate that has only one."""
    choices = read.predicate.value.choices
    if read.fact.target is not None:
        refuse("target")
    if read.fact.object_value is None and len(choices) == 1:
        return replace(read.fact, object_value=choices[0])
    return read.fact


def _targeted(read: _Read, operation: Operation) -> ProposedFact:
    """Let a fact without a target describe itself; the time of a revise is the new one."""
    fact = read.fact
    if fact.target is not None:
        return fact
    value = fact.object_value if read.predicate.value.kind == "text" else None
    words = () if value is None or operation == "revise" else tuple(value.split()[:MAX_WORDS])
    window = None if operation == "revise" else read.window
    return replace(fact, target=Target(predicate=fact.predicate, words=words, window=window))


def _lacks(read: _Read, fact: ProposedFact) -> bool:
    timeless = fact.when is None and fact.time_text is None
    return fact.object_value is None or (read.predicate.is_event and timeless)


def _query(read: Sequence[_Read], question: Question | None, *, why: bool) -> Parsed:
    """Take what a question names as a narrowing, never as a permission."""
    words = [word for each in read for word in _asked(each)]
    windows = [each.window for each in read if each.window is not None]
    return Parsed(
        intent="QUERY",
        question=question,
        window=windows[0] if windows else None,
        domains=tuple(dict.fromkeys(each.fact.domain for each in read)),
        words=tuple(dict.fromkeys(words)),
        why=why,
    )


def _asked(read: _Read) -> list[str]:
    free = [read.fact.object_value] if read.predicate.value.kind == "text" else []
    free += [] if read.predicate.subjects else [read.fact.subject]
    return [word for text in free if text is not None for word in text.split()]


def _question(said: Fields | None, *, korean: bool) -> Question | None:
    """Word a question ourselves: of a model's only the code, and choices shown as they are sent."""
    if said is None:
        return None
    said.only("code", "choices")
    code: QuestionCode = said.one_of("code", get_args(QuestionCode), "question")
    texts = said.words("choices", MAX_CHOICES, MAX_CHOICE)
    return ask(code, korean=korean, choices=tuple(Choice(text, text) for text in texts))
