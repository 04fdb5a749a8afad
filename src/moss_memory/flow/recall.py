"""Contexts and answers: what is active, visible, valid and worth its tokens. Writes nothing."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal

from moss_memory.core.access import Caller
from moss_memory.core.errors import MossError
from moss_memory.core.fact import Memory, Pair
from moss_memory.core.interval import Interval
from moss_memory.core.relevance import Question, dated, terms
from moss_memory.core.text import match_form
from moss_memory.core.zones import zone as named_zone
from moss_memory.flow import explain
from moss_memory.flow.composing import Choice, Setting, choose, compose
from moss_memory.flow.gathering import Gathered
from moss_memory.flow.ports import House, Probe, Written
from moss_memory.flow.requests import Circumstances, ContextAnswer, ContextRequest
from moss_memory.flow.seeking import Desired, sought
from moss_memory.flow.turn import settle_turn
from moss_memory.language import wording
from moss_memory.language.proposal import Parsed

_RELATED: Final = 50  # of the memories shown, those whose waivers are looked up
_PAIR: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An answer to a question: its words, who worded it, and what they rest on.

    ``failed`` says that the model gave no answer, ``refused`` that its words did not agree with
    the context and were thrown away.
    """

    text: str
    memories: tuple[Memory, ...]
    context: ContextAnswer
    asked: Desired
    source: Literal["model", "template"] = "template"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    failed: bool = False
    refused: bool = False

    def trace(self) -> Mapping[str, Any]:
        """Say as a step of a ``debug`` trace what was asked and what the answer rests on."""
        question, context = self.asked.question, self.context
        window = question.window
        return {
            "step": "recall",
            "in": {
                "words": sorted(question.words),
                "predicates": sorted(question.predicates),
                "window": None if window is None else _spelled(window),
            },
            "out": {
                "tokens": context.tokens,
                "hash": context.hash,
                "included": [
                    {
                        "memory_id": line.memory_id,
                        "revision": line.revision,
                        "priority": line.priority,
                        "relevance": line.relevance,
                        "parts": dict(line.parts),
                        "tokens": line.tokens,
                    }
                    for line in context.included
                ],
                "excluded_by_reason": dict(context.excluded_by_reason),
                "told": [each.memory_id for each in self.memories],
                "model_failed": self.failed,
                "model_refused": self.refused,
            },
        }


def context(
    house: House, caller: Caller, request: ContextRequest, around: Circumstances
) -> ContextAnswer:
    """Build the context of a question within its token budget; no model is called.

    Facts of this turn (``current``) and memory rank by the seed's order: this turn's explicit
    words, a selection, high-confidence vision, memory, low-confidence inference. The same store,
    input and reference time give the same bytes.

    Raises:
        MossError: a current fact is malformed, or ``known_epoch`` was not given here.
    """
    asked, found = sought(house, caller, request, around)
    turn = settle_turn(
        house,
        asked.reach,
        asked.standing,
        request.current,
        found.memories,
        at=asked.question.at,
        now=asked.then.now,
    )
    setting = replace(
        _setting(house, asked, found, request.token_budget),
        strict=request.window is not None,
        sections=request.sections,
        current=tuple((each.fact, each.windows) for each in turn.facts),
        overridden=turn.overridden,
        outdone=turn.outdone,
    )
    return _composed(house, found, choose(found.memories, setting), setting)


async def answer(
    house: House,
    caller: Caller,
    said: str,
    parsed: Parsed,
    around: Circumstances,
    *,
    reference: datetime,
    session_id: str | None = None,
) -> Answered:
    """Answer a question from memory, worded by the Writer where one is configured.

    A model's words count only if every date, time and title in them is in the context; otherwise,
    and wherever the model fails, the template speaks. No connection is held across the call.
    Window and domains come from ``parsed``, and what the words themselves say is added.
    """
    request = ContextRequest(
        query=said,
        window=parsed.window,
        domains=parsed.domains,
        session_id=session_id,
        reference_time=reference,
    )
    plain = await asyncio.to_thread(recollect, house, caller, parsed, request, around)
    if house.writer is None or parsed.why:
        return plain
    try:
        written = await house.writer.write(
            said, plain.context.text, locale=plain.asked.tongue.locale
        )
    except MossError:  # a model's failure never becomes the caller's: the template is an answer
        return replace(plain, failed=True)
    return plain if written is None else _checked(plain, said, written)


def recollect(
    house: House,
    caller: Caller,
    parsed: Parsed,
    request: ContextRequest,
    around: Circumstances,
) -> Answered:
    """Answer a question by the template, with the context that a model would get."""
    words = frozenset(terms(" ".join(parsed.words)))
    asked, found = sought(house, caller, request, around, words=words)
    setting = _setting(house, asked, found, request.token_budget)
    choice = choose(found.memories, setting)
    told = _meant(choice, parsed, asked.question) if parsed.why else _told(choice, asked.question)
    return Answered(
        text=_plain_words(house, caller, parsed, asked, told, others=_has_events(found, setting)),
        memories=told,
        context=_composed(house, found, choice, setting),
        asked=asked,
    )


def _has_events(found: Gathered, setting: Setting) -> bool:
    """Whether anything is in the calendar, asked for or not."""
    return found.unread > 0 or any(
        memory.active and memory.memory_id in setting.events for memory in found.memories
    )


def _plain_words(
    house: House,
    caller: Caller,
    parsed: Parsed,
    asked: Desired,
    told: tuple[Memory, ...],
    *,
    others: bool,
) -> str:
    tongue = asked.tongue
    today = asked.question.at.astimezone(named_zone(tongue.zone)).date()
    if parsed.why and told:
        return explain.story(house, caller, told, tongue, today=today)
    return wording.answer(
        told,
        asked.question.window,
        tongue.zone,
        tongue.locale,
        today=today,
        domains=_domains(house, asked),
        others=others,
    )


def _checked(plain: Answered, said: str, written: Written) -> Answered:
    """Take a model's words if they agree with the context, else leave the template's."""
    spent = replace(
        plain,
        prompt_tokens=written.prompt_tokens,
        completion_tokens=written.completion_tokens,
    )
    if not _agrees(written.text, said, plain):
        return replace(spent, refused=True)
    return replace(spent, text=written.text, source="model")


def _spelled(window: Interval) -> list[str]:
    return [window.start.isoformat(), window.end.isoformat()]


def _setting(house: House, asked: Desired, found: Gathered, budget: int) -> Setting:
    ontology = house.policy.ontology
    events = frozenset(m.memory_id for m in found.memories if ontology.of(m.fact).is_event)
    return Setting(
        question=asked.question,
        zone=asked.tongue.zone,
        reader=asked.reach.caller.principal_id,
        now=asked.then.now,
        budget=budget,
        written=asked.written,
        events=events,
    )


def _composed(house: House, found: Gathered, choice: Choice, setting: Setting) -> ContextAnswer:
    pairs = _waived(house, choice) if found.waived is None else found.waived
    setting = replace(setting, waived=frozenset(frozenset({a, b}) for a, _, b, _ in pairs))
    built = compose(choice, setting, unread=found.unread, denied=found.denied)
    return replace(built, known_epoch=found.known_epoch)


def _waived(house: House, choice: Choice) -> frozenset[Pair]:
    """Look up which of the events shown a person allowed to overlap."""
    shown = [memory for memory, _, _ in choice.ranked[:_RELATED] if dated(memory)]
    if len(shown) < _PAIR:
        return frozenset()
    probes = [
        Probe(
            space=(memory.owner, memory.fact.domain),
            slot=house.policy.ontology.slot(memory.fact, memory.owner),
            windows=memory.windows,
        )
        for memory in shown
    ]
    return house.memory.candidates(shown[0].tenant_id, probes)[1]


def _told(choice: Choice, question: Question) -> tuple[Memory, ...]:
    """Pick what a question is answered with: what its words name, if they name anything."""
    if question.window is not None:
        return tuple(memory for memory, _, _ in choice.ranked)
    worded = tuple(memory for memory, found, _ in choice.ranked if found.worded)
    return worded or tuple(memory for memory, _, _ in choice.ranked)


def _meant(choice: Choice, parsed: Parsed, question: Question) -> tuple[Memory, ...]:
    """Pick what a "why" is about: what its own words name, else the kinds, else what is no more.

    Where it asks after something that is gone, what is no more comes first; of words that name
    nothing, nothing is told.
    """
    told = _told(choice, question)
    kinds = tuple(each for each in told if each.fact.predicate in question.predicates)
    ended = tuple(each for each, _ in choice.left if not each.active)
    gone = tuple(m for m in ended if choice.scores[m.memory_id].bears and question.predicates)
    named = _named((*ended, *told) if parsed.gone else (*told, *gone), parsed.words)
    lost = tuple(each for each in named if not each.active)
    if parsed.gone and parsed.words:
        return lost or named
    return (gone if parsed.gone else named) or kinds or gone or told


def _named(memories: Sequence[Memory], words: Sequence[str]) -> tuple[Memory, ...]:
    """Keep the memories whose value holds the most of the words; none where none holds any."""
    said = [match_form(word) for word in words]
    hits = [(sum(w in match_form(each.fact.object_value) for w in said), each) for each in memories]
    most = max((count for count, _ in hits), default=0)
    return tuple(each for count, each in hits if most and count == most)


def _domains(house: House, asked: Desired) -> tuple[str, ...]:
    """Name the domains asked about, to word an empty answer."""
    kinds = asked.question.predicates
    named = (domain for domain, name in house.policy.ontology.predicates if name in kinds)
    return asked.domains or tuple(dict.fromkeys(named))


def _agrees(text: str, said: str, plain: Answered) -> bool:
    from moss_memory.language.answer_check import agrees  # noqa: PLC0415 - no part of a start

    asked = plain.asked
    ids = {line.memory_id for line in plain.context.included}
    return agrees(
        text,
        said,
        [memory for memory in plain.memories if memory.memory_id in ids],
        window=asked.question.window,
        at=asked.question.at,
        zone=asked.tongue.zone,
        locale=asked.tongue.locale,
    )
