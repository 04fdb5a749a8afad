"""What the service says: labels, replies, answers and reasons, from templates. Pure.

English and Korean; any other locale reads English. Nothing here decides: verdicts, memories and
windows come in, sentences go out, the same ones for the same input.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from moss_memory.core.fact import Fact, Memory
from moss_memory.core.linter import ActionName, Status
from moss_memory.language import wording_phrases as phrases
from moss_memory.language.proposal import Operation
from moss_memory.language.wording_answer import answer
from moss_memory.language.wording_facts import inert, summary, title
from moss_memory.language.wording_language import Language, Phrase, language, locale_of, say
from moss_memory.language.wording_time import moment, span
from moss_memory.language.wording_why import Chapter, Deed, why_sentences

__all__ = [
    "Chapter",
    "Deed",
    "Language",
    "News",
    "answer",
    "ask_target",
    "inert",
    "label",
    "language",
    "locale_of",
    "moment",
    "nothing_found",
    "question_gone",
    "reply",
    "small_talk",
    "span",
    "summary",
    "title",
    "why_sentences",
]

Told = Status | Literal["CANCELLED"]


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What a reply tells: an outcome and the facts that it names.

    ``facts`` are those written, retired, held or refused, ``old`` those retired by them or in
    conflict with them: every one is named. ``reason`` is a verdict's ``conflict_type``.
    """

    status: Told
    operation: Operation | Literal["restore"] = "create"
    facts: Sequence[Memory | Fact] = ()
    old: Sequence[Memory | Fact] = ()
    reason: str = "NONE"


def label(action: ActionName, reason: str, locale: str) -> str:
    """Return what is written on the button of ``action`` where ``reason`` asks."""
    return say(phrases.LABELS.get((reason, action), phrases.ANY_LABEL[action]), locale)


def reply(news: News, zone: str, locale: str, *, today: date | None = None) -> str:
    """Say what happened, in ``zone`` and ``locale``, naming every fact concerned."""
    facts = _names(news.facts, zone, locale, today)
    old = _names(news.old, zone, locale, today)
    match news.status:
        case "CANCELLED":
            return say(phrases.CANCELLED, locale)
        case "NO_CHANGE":
            phrase = phrases.UNCHANGED if facts else phrases.UNCHANGED_BARE
            return say(phrase, locale).format(facts=facts)
        case "BLOCKED":
            return _refusing(news, old, locale)
        case "CONFIRM_REQUIRED":
            return _asking(news, facts, old, locale)
        case _:
            done = say(phrases.DONE[news.operation], locale).format(facts=facts)
            return done + _optional(phrases.OVERWROTE, locale, old=old)


def small_talk(locale: str) -> str:
    """Answer what is neither a fact nor a question about one."""
    return say(phrases.SMALL_TALK, locale)


def nothing_found(locale: str) -> str:
    """Say that no memory is the one meant by a change or a cancel."""
    return say(phrases.NOTHING_FOUND, locale)


def ask_target(
    candidates: Sequence[Memory], zone: str, locale: str, *, today: date | None = None
) -> str:
    """Ask which of several memories is meant, naming each."""
    return say(phrases.WHICH_ONE, locale).format(facts=_names(candidates, zone, locale, today))


def question_gone(locale: str) -> str:
    """Say that a question is no longer open and has to be asked again."""
    return say(phrases.QUESTION_GONE, locale)


def _refusing(news: News, old: str, locale: str) -> str:
    why = say(phrases.BLOCKED.get(news.reason, phrases.RULES_REFUSE), locale)
    refused = say(phrases.REFUSED, locale).format(why=why)
    return refused + _optional(phrases.STORED, locale, old=old)


def _asking(news: News, facts: str, old: str, locale: str) -> str:
    asked = say(phrases.ASKS.get(news.reason, phrases.CONFLICTS), locale)
    held = _optional(phrases.HELD[news.operation], locale, facts=facts)
    return asked + _optional(phrases.STORED, locale, old=old) + held + say(phrases.CHOOSE, locale)


def _names(named: Sequence[Memory | Fact], zone: str, locale: str, today: date | None) -> str:
    return "; ".join(summary(one, zone, locale, today=today) for one in named)


def _optional(phrase: Phrase, locale: str, **words: str) -> str:
    """Fill in a phrase, or say nothing where there is nothing to fill in."""
    return say(phrase, locale).format(**words) if all(words.values()) else ""
