"""Why a memory is as it is: told from revisions, decisions and kept words, without a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from moss_memory.core.access import Caller
from moss_memory.core.fact import Memory
from moss_memory.core.linter import ActionName
from moss_memory.core.when import Days, WallClock
from moss_memory.core.zones import zone
from moss_memory.flow import answers, reading
from moss_memory.flow.ports import Chat, Decision, House
from moss_memory.flow.requests import Circumstances
from moss_memory.language import wording
from moss_memory.language.wording import Chapter, Deed

STORIES: Final = 3  # memories that one question is answered with
_WRITTEN: Final[frozenset[Deed]] = frozenset({"registered", "changed", "restored"})
_ACTIONS: Final[Mapping[str, ActionName]] = {
    "approve": "approve",
    "replace_old": "replace_old",
    "keep_both": "keep_both",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The story of a memory, oldest first, and the decisions that it is told from."""

    sentences: tuple[str, ...]
    decision_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """All that is on record of one memory; ``others`` are visible memories decided with it."""

    revisions: tuple[Memory, ...]
    decisions: Mapping[str, Decision]
    chats: Mapping[str, Chat]
    others: Mapping[str, tuple[Memory, ...]]  # by decision_id


def why(house: House, caller: Caller, memory_id: str, around: Circumstances) -> Why:
    """Tell who said what when, what it replaced, who confirmed, and which rule decided.

    Words are quoted to the one who said them only, as far as they are kept. Times are on the
    wall clock of the caller's zone; who has set none reads them as they were said.

    Raises:
        NotFoundError: no such memory, or not visible to the caller.
    """
    memory = reading.get(house, caller, memory_id)
    standing = house.memory.standing(caller.tenant_id, caller.principal_id)
    tongue = answers.tongue_of(house, standing, around)
    if not (around.timezone or standing.timezone):
        tongue = replace(tongue, zone=_said_in(memory) or tongue.zone)
    today = house.clock().astimezone(zone(tongue.zone)).date()
    return _told(house, caller, memory_id, tongue, today)


def _said_in(memory: Memory) -> str | None:
    """Return the zone that a memory's time was said in, None where it names none."""
    match memory.fact.when:
        case WallClock(zone=named) | Days(zone=named):
            return named
        case _:
            return None


def story(
    house: House,
    caller: Caller,
    memories: Sequence[Memory],
    tongue: answers.Tongue,
    *,
    today: date,
) -> str:
    """Answer "why" about memories that the caller sees, one paragraph each, at most three."""
    told = [_told(house, caller, each.memory_id, tongue, today) for each in memories[:STORIES]]
    return "\n".join(" ".join(each.sentences) for each in told)


def _told(house: House, caller: Caller, memory_id: str, tongue: answers.Tongue, today: date) -> Why:
    file = _file(house, caller, memory_id)
    chapters = tuple(
        _chapter(file, index, caller, tongue.locale)
        for index in range(len(file.revisions))
        if not _only_goes_on(file, index)
    )
    newest = file.revisions[-1]
    expires = newest.fact.expires_at
    gone = newest.active and expires is not None and expires <= house.clock()
    sentences = wording.why_sentences(
        chapters,
        caller.principal_id,
        tongue.zone,
        tongue.locale,
        today=today,
        expired_at=expires if gone else None,
    )
    ids = [*file.decisions, *(each.provenance.decision_id for each in file.revisions)]
    return Why(sentences=sentences, decision_ids=tuple(dict.fromkeys(ids)))


def _file(house: House, caller: Caller, memory_id: str) -> _File:
    tenant = caller.tenant_id
    revisions = house.memory.revisions(tenant, memory_id)
    found = house.memory.decisions(tenant, memory_id=memory_id)
    chat_ids = {each.chat_id for each in found} | {
        each.provenance.created_by_chat_id for each in revisions
    }
    named = {ref for each in found for ref in each.memories if ref[0] != memory_id}
    visible = set(reading.access(house, caller).visible)
    exact = house.memory.exact(tenant, sorted(named))
    return _File(
        revisions=revisions,
        decisions={each.decision_id: each for each in found},
        chats=house.memory.chats(tenant, sorted(each for each in chat_ids if each)),
        others={
            each.decision_id: tuple(
                exact[ref] for ref in each.memories if ref in exact and exact[ref].owner in visible
            )
            for each in found
        },
    )


def _chapter(file: _File, index: int, caller: Caller, locale: str) -> Chapter:
    """Tell one revision: what was done, through which words, by whom, under which rule."""
    memory = file.revisions[index]
    decision = file.decisions.get(memory.provenance.decision_id)
    others = file.others.get(memory.provenance.decision_id, ())
    deed = _deed(file.revisions, index)
    cut = deed == "changed" and any(_is_new(other, memory) for other in others)
    chat = file.chats.get((decision.chat_id if decision else None) or "")
    actor = memory.principal_id if deed in _WRITTEN or decision is None else decision.actor
    action = _action(decision)
    return Chapter(
        memory=memory,
        deed=deed,
        actor=chat.principal_id if chat else actor,
        at=memory.recorded_at,
        said_at=chat.said_at if chat else None,
        words=chat.masked if chat and chat.principal_id == caller.principal_id else None,
        confirmed_by=decision.actor if decision and action else None,
        confirmed_label=wording.label(action, _reason(decision), locale) if action else None,
        replaced=_replaced(others) if deed in _WRITTEN and not cut else (),
        replaced_by=_replacing(others, memory) if deed == "superseded" or cut else (),
        rules=decision.rule_ids if decision else (),
    )


def _deed(revisions: Sequence[Memory], index: int) -> Deed:
    memory = revisions[index]
    if not memory.active:
        return "superseded" if memory.inactive_reason == "superseded" else "retired"
    if index == 0:
        return "registered"
    before = revisions[index - 1]
    again = _said(memory) != _said(before) and any(
        _said(memory) == _said(each) for each in revisions[: index - 1]
    )
    return "restored" if not before.active or again else "changed"


def _only_goes_on(file: _File, index: int) -> bool:
    """Tell whether a revision is a series placed further ahead: nobody said or did anything."""
    memory, before = file.revisions[index], file.revisions[max(index - 1, 0)]
    decision = file.decisions.get(memory.provenance.decision_id)
    same = memory.active and before.active and _said(memory) == _said(before)
    return index > 0 and same and memory.windows != before.windows and _action(decision) is None


def _said(memory: Memory) -> tuple[object, ...]:
    return memory.fact, memory.valid_from, memory.valid_until


def _replaced(others: Sequence[Memory]) -> tuple[Memory, ...]:
    """Pick the memories that a decision retired, or cut."""
    return tuple(each for each in others if not each.active or each.revision > 1)


def _replacing(others: Sequence[Memory], memory: Memory) -> tuple[Memory, ...]:
    """Pick the memories that came instead; the second piece of a split one did not."""
    return tuple(each for each in others if each.active and each.derived_from != memory.memory_id)


def _is_new(other: Memory, memory: Memory) -> bool:
    return other.active and other.revision == 1 and other.derived_from != memory.memory_id


def _action(decision: Decision | None) -> ActionName | None:
    """Read what a person answered, None where nobody was asked."""
    if decision is None or decision.pending_id is None:
        return None
    return _ACTIONS.get(decision.outcome.partition(":")[2])


def _reason(decision: Decision | None) -> str:
    found = decision.findings if decision else ()
    asking = [each.get("reason") for each in found if each.get("verdict") == "CONFIRM_REQUIRED"]
    return str(asking[0]) if asking and asking[0] else "NONE"
