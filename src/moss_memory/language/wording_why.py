"""Why a memory is as it is: who said what when, what it replaced, who confirmed, which rule."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal

from moss_memory.core.fact import Memory
from moss_memory.language.wording_facts import inert, summary
from moss_memory.language.wording_language import Phrase, language, say
from moss_memory.language.wording_time import moment

Deed = Literal["registered", "changed", "retired", "superseded", "restored"]

_VERBS: Final[dict[Deed, Phrase]] = {
    "registered": ("Registered", "등록되었습니다"),
    "changed": ("Changed", "변경되었습니다"),
    "retired": ("Removed", "취소되었습니다"),
    "superseded": ("No longer active", "더 이상 유효하지 않게 되었습니다"),
    "restored": ("Restored", "복원되었습니다"),
}
_YOU_SAID: Final[Phrase] = (
    '{deed} because you said "{words}" on {at}.',
    '{at}에 "{words}"라고 말씀하셔서 {deed}.',
)
_YOU_SPOKE: Final[Phrase] = (
    "{deed} because of what you said on {at}.",
    "{at}에 말씀하신 내용에 따라 {deed}.",
)
_THEY_SAID: Final[Phrase] = (
    '{deed} because {who} said "{words}" on {at}.',
    '{at}에 {who} 님이 "{words}"라고 말하여 {deed}.',
)
_THEY_SPOKE: Final[Phrase] = (
    "{deed} because of what {who} said on {at}.",
    "{at}에 {who} 님이 말한 내용에 따라 {deed}.",
)
_YOU_SENT: Final[Phrase] = (
    "{deed} by your request on {at} ({source}).",
    "{at} 요청에 따라 {deed} ({source}).",
)
_THEY_SENT: Final[Phrase] = (
    "{deed} by a request of {who} on {at} ({source}).",
    "{at} {who} 님의 요청에 따라 {deed} ({source}).",
)
_FACT: Final[Phrase] = ("It says: {fact}.", "내용: {fact}.")
_REPLACED: Final[Phrase] = ("It replaced: {old}.", "대체한 항목: {old}.")
_REPLACED_BY: Final[Phrase] = ("It was replaced by: {new}.", "대체한 새 항목: {new}.")
_YOU_CONFIRMED: Final[Phrase] = (
    'You confirmed it with "{label}".',
    '"{label}"(으)로 직접 확인하셨습니다.',
)
_THEY_CONFIRMED: Final[Phrase] = (
    '{who} confirmed it with "{label}".',
    '{who} 님이 "{label}"(으)로 확인했습니다.',
)
_RULES: Final[Phrase] = ("Deciding rules: {rules}.", "적용된 규칙: {rules}.")
_EXPIRED: Final[Phrase] = ("It expired on {at}.", "{at}에 만료되었습니다.")
_SOURCES: Final[dict[str, Phrase]] = {
    "user_explicit": ("explicit words", "직접 말한 내용"),
    "user_selection": ("a selection", "선택"),
    "user_feedback": ("feedback", "피드백"),
    "task_result": ("the result of a task", "작업 결과"),
    "vision": ("vision", "이미지 인식"),
    "model_inferred": ("inferred by a model", "모델 추론"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """One revision of a memory and how it came about; None and empty are unknown or not so.

    ``memory`` is that revision. ``actor`` is who caused it, ``said_at`` and ``words`` (masked)
    what was said then. ``confirmed_label`` is the button that ``confirmed_by`` pressed.
    ``replaced`` are memories that this revision retired, ``replaced_by`` what retired it.
    """

    memory: Memory
    deed: Deed
    actor: str
    at: datetime
    said_at: datetime | None = None
    words: str | None = None
    confirmed_by: str | None = None
    confirmed_label: str | None = None
    replaced: tuple[Memory, ...] = ()
    replaced_by: tuple[Memory, ...] = ()
    rules: tuple[str, ...] = ()


def why_sentences(
    chapters: Sequence[Chapter],
    reader: str,
    zone: str,
    locale: str,
    *,
    today: date | None = None,
    expired_at: datetime | None = None,
) -> tuple[str, ...]:
    """Tell the story of a memory, oldest chapter first, to the principal ``reader``.

    Instants are said on the wall clock of ``zone``. Words that are no longer kept are left out.
    ``expired_at`` adds that the memory expired.
    """
    spoken = language(locale)
    told = [line for chapter in chapters for line in _chapter(chapter, reader, zone, spoken, today)]
    if expired_at is not None:
        told.append(say(_EXPIRED, spoken).format(at=moment(expired_at, zone, spoken, today)))
    return tuple(told)


def _chapter(
    chapter: Chapter, reader: str, zone: str, spoken: str, today: date | None
) -> Iterator[str]:
    yield _cause(chapter, reader, zone, spoken, today)
    if chapter.deed in {"registered", "changed", "restored"}:
        yield say(_FACT, spoken).format(fact=summary(chapter.memory, zone, spoken, today=today))
    if chapter.replaced:
        old = _names(chapter.replaced, zone, spoken, today)
        yield say(_REPLACED, spoken).format(old=old)
    if chapter.replaced_by:
        new = _names(chapter.replaced_by, zone, spoken, today)
        yield say(_REPLACED_BY, spoken).format(new=new)
    if chapter.confirmed_by is not None:
        phrase = _YOU_CONFIRMED if chapter.confirmed_by == reader else _THEY_CONFIRMED
        yield say(phrase, spoken).format(
            who=chapter.confirmed_by, label=chapter.confirmed_label or ""
        )
    if chapter.rules:
        yield say(_RULES, spoken).format(rules=", ".join(chapter.rules))


def _cause(chapter: Chapter, reader: str, zone: str, spoken: str, today: date | None) -> str:
    mine = chapter.actor == reader
    if chapter.said_at is None:
        phrase = _YOU_SENT if mine else _THEY_SENT
    elif chapter.words is None:
        phrase = _YOU_SPOKE if mine else _THEY_SPOKE
    else:
        phrase = _YOU_SAID if mine else _THEY_SAID
    source = _SOURCES.get(chapter.memory.fact.source, (chapter.memory.fact.source,) * 2)
    return say(phrase, spoken).format(
        deed=say(_VERBS[chapter.deed], spoken),
        who=chapter.actor,
        words=inert(chapter.words or ""),
        at=moment(chapter.said_at or chapter.at, zone, spoken, today),
        source=say(source, spoken),
    )


def _names(named: Sequence[Memory], zone: str, spoken: str, today: date | None) -> str:
    return "; ".join(summary(one, zone, spoken, today=today) for one in named)
