"""Contexts and answers: only what is active, visible, valid and worth its tokens. Writes nothing."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal

from moss_memory.core.access import Caller, access_of
from moss_memory.core.fact import Memory, Proposal, Source
from moss_memory.core.interval import Interval
from moss_memory.core.relevance import Question
from moss_memory.flow import answers
from moss_memory.flow.composing import Setting, choose, compose
from moss_memory.flow.gathering import Gathered, Then, gather
from moss_memory.flow.intake import facts_of
from moss_memory.flow.ports import House
from moss_memory.flow.reading import read_epoch
from moss_memory.flow.requests import Circumstances, ContextAnswer, ContextRequest
from moss_memory.language.proposal import Parsed
from moss_memory.language.times import resolve
from moss_memory.language.topics import topic

_MEMORY: Final = 2  # its rank between high-confidence vision and low-confidence inference
_RANKS: Final[dict[Source, int]] = {
    "user_explicit": 5, "user_selection": 4, "user_feedback": 4, "vision": 3, "task_result": 3,
    "model_inferred": 1,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Turn:
    """What this turn states, and who wins where it and a memory cannot both be true."""

    facts: tuple[Proposal, ...] = ()
    overridden: frozenset[str] = frozenset()
    outdone: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An answer to a question: its words, where they come from, and what they rest on.

    ``refused`` says that a model's words did not agree with the context and were thrown away.
    """

    text: str
    source: Literal["model", "template"]
    memories: tuple[Memory, ...]
    context: ContextAnswer
    prompt_tokens: int = 0
    completion_tokens: int = 0
    refused: bool = False


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
    standing = house.memory.standing(caller.tenant_id, caller.principal_id)
    reach = access_of(caller, standing.grants)
    tongue = answers.tongue_of(house, standing, around)
    now = house.clock()
    question = _question(house, request, now, tongue)
    then = Then(
        now=request.known_at or now,
        known_at=request.known_at,
        known_epoch=read_epoch(request.known_epoch),
    )
    found = gather(house, reach, standing, question, then, request.domains)
    setting = Setting(
        question=question,
        zone=tongue.zone,
        reader=caller.principal_id,
        now=then.now,
        budget=request.token_budget,
        strict=request.window is not None,
        sections=request.sections,
        written=_written(house, caller, request.session_id, now),
        events=_events(house, found.memories),
    )
    facts = facts_of(house.policy, caller, request.current, now=question.at)
    turn = _turn(house, reach, standing, facts, found, question.at)
    setting = replace(
        setting,
        current=tuple((each.fact, each.windows) for each in turn.facts),
        overridden=turn.overridden,
        outdone=turn.outdone,
    )
    return _composed(house, caller, found, setting)


async def answer(
    house: House,
    caller: Caller,
    question: str,
    parsed: Parsed,
    around: Circumstances,
    *,
    reference: datetime,
    session_id: str | None = None,
) -> Answered:
    """Answer a question from the context alone, worded by the Writer where one is configured.

    A model's words count only if every date, time and title in them is in the context;
    otherwise, and wherever the model fails, the template speaks. Never raises for a model.
    """
    raise NotImplementedError


def _composed(house: House, caller: Caller, found: Gathered, setting: Setting) -> ContextAnswer:
    choice = choose(found.memories, setting)
    setting = replace(setting, waived=_waived(house, caller, choice))
    built = compose(choice, setting, unread=found.unread, denied=found.denied)
    return replace(built, known_epoch=found.known_epoch)


def _question(
    house: House, request: ContextRequest, now: datetime, tongue: answers.Tongue
) -> Question:
    at = request.reference_time or now
    text = request.query or ""
    about = topic(text, frozenset(name for _, name in house.policy.ontology.predicates))
    window = request.window
    if window is None and text:
        window = window_of(text, at, tongue.zone, tongue.locale)
    return Question(at=at, words=about.words, window=window, predicates=about.predicates)


def window_of(text: str, at: datetime, zone: str, locale: str) -> Interval | None:
    """Read off a question the time it asks about: from the first to the last one that it names."""
    named = [each.window for each in resolve(text, reference=at, zone=zone, locale=locale)]
    if not named:
        return None
    return Interval(min(w.start for w in named), max(w.end for w in named))
