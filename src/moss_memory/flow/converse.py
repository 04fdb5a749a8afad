"""An utterance becomes a proposal, the proposal a verdict, the verdict an answer.

The model is asked before any transaction is open, and never twice: what it proposed is judged
again where the store has moved on.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from moss_memory.core.access import Access, Caller, Resource, access_of, decide, enforce
from moss_memory.core.errors import PendingStoreUnavailableError, PrincipalErasedError
from moss_memory.core.screening import screen
from moss_memory.core.text import clean_words
from moss_memory.flow import answers, recall
from moss_memory.flow.ports import Chat, House, Session, Standing, Utterance
from moss_memory.flow.requests import ChatAnswer, ChatRequest, Circumstances
from moss_memory.flow.utterance import Turn, asked_back, write
from moss_memory.language import wording
from moss_memory.language.proposal import Parsed

MAX_WORDS: Final = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heard:
    """Everything about an utterance but its meaning."""

    words: str  # cleaned, contact data masked: what is parsed and what may be kept
    standing: Standing
    access: Access
    tongue: answers.Tongue
    session: Session | None
    said_at: datetime


async def chat(
    house: House, caller: Caller, request: ChatRequest, around: Circumstances
) -> ChatAnswer:
    """Answer one utterance.

    Raises:
        RightMissingError: ``debug`` is asked for without the right to it.
        TextRefusedError, TextTooLongError: before any model sees the words.
        ModelBadOutputError, ModelUnavailableError, ModelTimeoutError: nothing was written.
        MossError: as the structured routes.
    """
    if request.debug:
        enforce(decide(caller, "debug", Resource(tenant_id=caller.tenant_id), ()))
    cleaned = clean_words(request.text, cap=MAX_WORDS, field="text")
    words = screen(cleaned, field="text").text
    heard = await asyncio.to_thread(_listen, house, caller, request, around, words)
    first = await asyncio.to_thread(_answered_before, house, heard, around)
    if first:
        return first
    ends = [house.clock()]
    parsed = await house.parser.parse(
        Utterance(
            text=words,
            reference=heard.said_at,
            zone=heard.tongue.zone,
            locale=heard.tongue.locale,
            principal_id=caller.principal_id,
        )
    )
    if parsed.model is not None:
        parsed = await asyncio.to_thread(_grounded, parsed, heard)
    turn = _turn(house, caller, request, around, heard, parsed)
    ends.append(house.clock())
    answer = await _answer(house, turn, words)
    ends.append(house.clock())
    await asyncio.to_thread(_remember, house, turn, answer)
    if not request.debug:
        return replace(answer, trace=None)
    return replace(answer, trace=turn.trace(answer, [*ends, house.clock()]))


def _grounded(parsed: Parsed, heard: _Heard) -> Parsed:
    """Hold what a model proposed against the words."""
    from moss_memory.language import grounding  # noqa: PLC0415 - no part of a start

    return grounding.check(
        parsed,
        heard.words,
        reference=heard.said_at,
        zone=heard.tongue.zone,
        locale=heard.tongue.locale,
    )


def _listen(
    house: House, caller: Caller, request: ChatRequest, around: Circumstances, words: str
) -> _Heard:
    standing = house.memory.standing(caller.tenant_id, caller.principal_id)
    if standing.erased:
        raise PrincipalErasedError
    fallback = wording.locale_of(words, house.defaults.locale)
    return _Heard(
        words=words,
        standing=standing,
        access=access_of(caller, standing.grants),
        tongue=answers.Tongue(
            around.timezone or standing.timezone or house.defaults.timezone,
            around.locale or standing.locale or fallback,
        ),
        session=_session(house, caller, request.session_id),
        said_at=request.reference_time or house.clock(),
    )


def _session(house: House, caller: Caller, session_id: str | None) -> Session | None:
    if session_id is None:
        return None
    try:
        return house.desk.session(
            caller.tenant_id, caller.principal_id, session_id, now=house.clock()
        )
    except PendingStoreUnavailableError:
        return None  # working memory may be lost: the words are then taken by themselves


def _answered_before(house: House, heard: _Heard, around: Circumstances) -> ChatAnswer | None:
    """Return the answer already given under this Idempotency-Key, without asking a model."""
    if around.key is None:
        return None
    caller = heard.access.caller
    replay = house.memory.replay(caller.tenant_id, caller.principal_id, around.key)
    return Turn.replayed(house, heard.access, replay, around.key, heard.tongue)


def _turn(
    house: House,
    caller: Caller,
    request: ChatRequest,
    around: Circumstances,
    heard: _Heard,
    parsed: Parsed,
) -> Turn:
    chat_id = house.ids()
    return Turn(
        caller=caller,
        access=heard.access,
        around=replace(around, timezone=heard.tongue.zone, locale=heard.tongue.locale),
        pinned_zone=around.timezone,
        parsed=parsed,
        tongue=heard.tongue,
        scope_id=request.scope_id or caller.principal_id,
        session=heard.session,
        session_id=request.session_id or house.ids(),
        said_at=heard.said_at.astimezone(UTC),
        chat=Chat(
            chat_id=chat_id,
            principal_id=caller.principal_id,
            said_at=heard.said_at.astimezone(UTC),
            length=len(heard.words),
            locale=heard.tongue.locale,
            words_hash=_hash(chat_id, heard.words),
            masked=heard.words if house.defaults.chat_history == "masked" else None,
        ),
    )


def _hash(chat_id: str, words: str) -> str:
    """Hash the words under the row's own id, so that equal words do not show as equal."""
    return hashlib.blake2b(words.encode(), key=chat_id.encode()[:64], digest_size=32).hexdigest()


async def _answer(house: House, turn: Turn, words: str) -> ChatAnswer:
    parsed = turn.parsed
    if parsed.question is not None:
        return await asyncio.to_thread(asked_back, house, turn)
    if parsed.intent == "WRITE":
        return await asyncio.to_thread(write, house, turn)
    if parsed.intent == "QUERY":
        told = await recall.answer(
            house,
            turn.caller,
            words,
            parsed,
            turn.around,
            reference=turn.said_at,
            session_id=turn.session_id,
        )
        return replace(
            turn.plain(house, "ANSWERED", told.text),
            reply_source=told.source,
            prompt_tokens=parsed.prompt_tokens + told.prompt_tokens,
            completion_tokens=parsed.completion_tokens + told.completion_tokens,
            refused=told.refused,
            trace=(told.trace(),),
        )
    return turn.plain(house, "ANSWERED", wording.small_talk(turn.tongue.locale))


def _remember(house: House, turn: Turn, answer: ChatAnswer) -> None:
    """Keep the dialog state: ids and codes of the last turn. Losing it loses no fact."""
    before: Mapping[str, Any] = turn.session.dialog_state if turn.session else {}
    last = [memory.memory_id for memory in answer.facts if memory.active]
    state = {
        **before,
        "turns": int(before.get("turns", 0)) + 1,
        "intent": answer.intent,
        "status": answer.status,
        **({"last": last} if last else {}),
        "written": [*before.get("written", ()), *last][-50:],
    }
    pendings = turn.session.pending_ids if turn.session else ()
    if answer.pending:
        pendings = (*pendings, answer.pending.pending_id)
    now = house.clock()
    session = Session(
        session_id=turn.session_id,
        tenant_id=turn.caller.tenant_id,
        principal_id=turn.caller.principal_id,
        dialog_state=state,
        pending_ids=pendings[-house.defaults.pending_cap :],
        expires_at=now + timedelta(seconds=house.defaults.session_seconds),
    )
    try:
        house.desk.keep_session(session, now=now)
    except PendingStoreUnavailableError:
        return  # the answer stands; the next turn is taken by itself
