"""One turn of a conversation that may write: create, revise, retire, or ask what was meant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from moss_memory.core.access import Access, Caller
from moss_memory.core.errors import NotFoundError, ScopeNotWritableError
from moss_memory.core.fact import Fact, Memory
from moss_memory.core.when import Days, Instant, WallClock, When
from moss_memory.flow import answers, asking, holding, targets
from moss_memory.flow.choosing import Choosing
from moss_memory.flow.drafting import Motion
from moss_memory.flow.intake import facts_of, restated
from moss_memory.flow.motion import Ruling, carry
from moss_memory.flow.ports import Chat, House, IdempotencyKey, Receipt, Replay, Session
from moss_memory.flow.replays import first_answer
from moss_memory.flow.requests import Answer, ChatAnswer, Circumstances, FactIn
from moss_memory.flow.retiring import retire_said
from moss_memory.language.proposal import Parsed, ProposedFact, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """An utterance with its meaning, who said it where, and how it is answered.

    ``pinned_zone`` is the zone that this request named: whole days and wall clocks said under it
    belong to it; without one they follow the owner's zone.
    """

    caller: Caller
    access: Access
    around: Circumstances
    pinned_zone: str | None
    parsed: Parsed
    tongue: answers.Tongue
    scope_id: str
    session: Session | None
    session_id: str
    said_at: datetime
    chat: Chat

    @property
    def hints(self) -> dict[str, Any]:
        """What a receipt keeps of this turn: ids and codes."""
        return {
            "chat_id": self.chat.chat_id,
            "session_id": self.session_id,
            "intent": self.parsed.intent,
            "usage": [self.parsed.prompt_tokens, self.parsed.completion_tokens],
            "timezone": self.tongue.zone,
            "locale": self.tongue.locale,
        }

    def plain(self, house: House, status: str, reply: str) -> ChatAnswer:
        """Answer without a verdict: nothing was proposed."""
        return ChatAnswer(
            chat_id=self.chat.chat_id,
            session_id=self.session_id,
            intent=self.parsed.intent,
            operation=self.parsed.operation,
            status=status,
            verdict=None,
            reply=reply,
            reply_source="template",
            rules_version=house.policy.rules_version,
            prompt_tokens=self.parsed.prompt_tokens,
            completion_tokens=self.parsed.completion_tokens,
        )

    def clarify(self, house: House, question: Question) -> ChatAnswer:
        """Ask what was meant; nothing is written."""
        return replace(self.plain(house, "CLARIFY", question.text), question=question)

    def told(self, house: House, answer: Answer) -> ChatAnswer:
        """Answer with a verdict."""
        return replace(
            self.plain(house, answer.status, answer.reply),
            verdict=answer.verdict,
            facts=answer.facts,
            superseded=answer.superseded,
            pending=answer.pending,
            actions=answer.actions,
            decision_id=answer.decision_id,
        )

    @staticmethod
    def replayed(
        house: House,
        access: Access,
        replay: Replay | None,
        key: IdempotencyKey,
        tongue: answers.Tongue,
    ) -> ChatAnswer | None:
        """Give the first answer under a key again; None where there is none.

        Raises:
            IdempotencyKeyReusedError: the key was used with another request.
        """
        receipt = first_answer(replay, key)
        if receipt is None:
            return None
        return again(receipt, answers.replay(house, access, receipt, tongue))

    def trace(self, answer: ChatAnswer, ends: Sequence[datetime]) -> tuple[Mapping[str, Any], ...]:
        """Say what each step took in and gave out, and how long it took; see ``asking.trace``."""
        return asking.trace(self.parsed, self.said_at, self.tongue, answer, ends)


def again(receipt: Receipt, answer: Answer) -> ChatAnswer:
    """Shape a replayed receipt as the chat answer that it was."""
    data = receipt.data
    tokens = data.get("usage", [0, 0])
    return ChatAnswer(
        chat_id=data["chat_id"],
        session_id=data["session_id"],
        intent=data["intent"],
        operation=data["operation"],
        status=answer.status,
        verdict=answer.verdict,
        reply=answer.reply,
        reply_source="template",
        rules_version=data["rules_version"],
        facts=answer.facts,
        superseded=answer.superseded,
        pending=answer.pending,
        actions=answer.actions,
        decision_id=answer.decision_id,
        prompt_tokens=tokens[0],
        completion_tokens=tokens[1],
        replayed=True,
    )


def write(house: House, turn: Turn) -> ChatAnswer:
    """Carry out what a WRITE proposes, all or nothing."""
    _admit_scope(turn)
    if turn.parsed.operation == "retire":
        return _retire(house, turn)
    if turn.parsed.operation == "revise":
        return _revise(house, turn)
    stated = tuple(_stated(house, turn, one) for one in turn.parsed.facts)
    facts = facts_of(house.policy, turn.caller, stated, now=turn.said_at)
    motion = _motion(turn, facts)
    return _conclude(house, turn, motion, carry(house, motion))


def _admit_scope(turn: Turn) -> None:
    if turn.scope_id in turn.access.writable:
        return
    raise ScopeNotWritableError if turn.scope_id in turn.access.visible else NotFoundError


def _motion(turn: Turn, facts: tuple[Fact, ...], target: str | None = None) -> Motion:
    return Motion(
        kind="chat",
        caller=turn.caller,
        operation="revise" if target else "create",
        facts=facts,
        request_id=turn.around.request_id,
        key=turn.around.key,
        target=target,
        chat=turn.chat,
        parser=turn.parsed.parser,
        model=turn.parsed.model,
        hints=turn.hints,
    )


def _stated(house: House, turn: Turn, proposed: ProposedFact) -> FactIn:
    """State a proposed fact as its speaker would by the structured route."""
    when = _pinned(proposed.when, turn.pinned_zone)
    predicate = house.policy.ontology.predicate(proposed.domain, proposed.predicate)
    if when is None and not predicate.is_event:
        when = Instant(turn.said_at)
    return FactIn(
        domain=proposed.domain,
        subject=proposed.subject,
        predicate=proposed.predicate,
        object_value=proposed.object_value or "",
        scope_id=turn.scope_id,
        when=when,
        confidence=proposed.confidence,
        observed_at=turn.said_at,
    )


def _pinned(when: When | None, zone: str | None) -> When | None:
    """Bind a floating time to the zone that the request named."""
    if zone is None or not isinstance(when, WallClock | Days) or when.zone is not None:
        return when
    return replace(when, zone=zone)


def _conclude(house: House, turn: Turn, motion: Motion, ruling: Ruling) -> ChatAnswer:
    if ruling.replayed:
        assert ruling.receipt is not None
        told = answers.replay(house, ruling.access, ruling.receipt, turn.tongue)
        return again(ruling.receipt, told)
    if ruling.receipt:
        told = answers.answer(ruling.receipt, ruling.memories, turn.tongue)
        return turn.told(house, told)
    assert ruling.verdict is not None
    memories = holding.visible(ruling)
    if ruling.verdict.status == "BLOCKED":
        return turn.told(house, asking.blocked(ruling.verdict, motion.facts, memories, turn.tongue))
    pending, receipt = holding.hold(house, motion, ruling, turn.tongue)
    if receipt.pending_id != pending.pending_id:
        return again(receipt, answers.replay(house, ruling.access, receipt, turn.tongue))
    return turn.told(house, answers.answer(receipt, memories, turn.tongue, pending=pending))


def _retire(house: House, turn: Turn) -> ChatAnswer:
    found = _meant(house, turn)
    if not found:
        return _nothing(house, turn)
    if len(found) > 1:
        facts = tuple(memory.fact for memory in found)
        named = tuple(answers.reference(memory) for memory in found)
        motion = replace(_motion(turn, facts), operation="retire", targets=named)
        return _conclude(house, turn, motion, asking.many(house, turn.access, found))
    ruling = retire_said(
        house,
        turn.caller,
        found,
        around=turn.around,
        chat=turn.chat,
        hints=turn.hints,
    )
    assert ruling.receipt is not None
    if ruling.replayed:
        told = answers.replay(house, ruling.access, ruling.receipt, turn.tongue)
        return again(ruling.receipt, told)
    return turn.told(house, answers.answer(ruling.receipt, ruling.memories, turn.tongue))


def _meant(house: House, turn: Turn) -> tuple[Memory, ...]:
    found: dict[str, Memory] = {}
    for proposed in turn.parsed.facts:
        for memory in targets.find(house, turn.access, turn.session, turn.scope_id, proposed):
            found[memory.memory_id] = memory
    return tuple(found.values())


def _nothing(house: House, turn: Turn) -> ChatAnswer:
    assert turn.parsed.operation is not None
    asked = _choosing(house, turn).nothing(turn.parsed.operation, turn.parsed.facts[0])
    return turn.clarify(house, asked)


def asked_back(house: House, turn: Turn) -> ChatAnswer:
    """Ask what the words alone left open; of memories that they may mean, some are offered."""
    question, parsed = turn.parsed.question, turn.parsed
    assert question is not None
    changes = parsed.operation in ("retire", "revise") and turn.scope_id in turn.access.writable
    if question.code == "target" and changes:
        proposed = parsed.facts[0] if parsed.facts else None
        question = _choosing(house, turn).unsaid(question, parsed.operation or "retire", proposed)
    return turn.clarify(house, question)


def _choosing(house: House, turn: Turn) -> Choosing:
    return Choosing(
        house=house,
        access=turn.access,
        session=turn.session,
        scope_id=turn.scope_id,
        tongue=turn.tongue,
        said_at=turn.said_at,
    )


def _revise(house: House, turn: Turn) -> ChatAnswer:
    proposed = turn.parsed.facts[0]
    found = targets.find(house, turn.access, turn.session, turn.scope_id, proposed)
    if not found:
        return _nothing(house, turn)
    if len(found) > 1:
        return turn.clarify(house, _choosing(house, turn).which("revise", proposed, found))
    current = found[0]
    given = asking.moved(current, proposed, _pinned(proposed.when, turn.pinned_zone))
    if not given:
        return _nothing(house, turn)
    stated = replace(
        restated(current.fact, given), source=None, confidence=None, observed_at=turn.said_at
    )
    (moved,) = facts_of(house.policy, turn.caller, (stated,), now=turn.said_at)
    motion = _motion(turn, (moved,), current.memory_id)
    return _conclude(house, turn, motion, carry(house, motion))
