"""First answers given again: the same request under the same key has one effect and one answer."""

from collections.abc import Callable
from http import HTTPStatus

from moss_memory.core.access import Caller, access_of
from moss_memory.core.errors import IdempotencyKeyReusedError
from moss_memory.flow import answers
from moss_memory.flow.ports import (
    Change,
    Decision,
    Entry,
    Frame,
    House,
    IdempotencyKey,
    Loaded,
    Opened,
    Receipt,
    Replay,
    Step,
)
from moss_memory.flow.ports_access import Claim
from moss_memory.flow.requests import Answer, Circumstances


def first_answer(replay: Replay | None, key: IdempotencyKey | None) -> Receipt | None:
    """Return the answer that was given under the key, None where there was none.

    Raises:
        IdempotencyKeyReusedError: the key was used with another request.
    """
    if replay is None or key is None:
        return None
    if replay.request_hash != key.request_hash:
        raise IdempotencyKeyReusedError
    return replay.receipt


def under_key(house: House, caller: Caller, around: Circumstances) -> Receipt | None:
    """Look up the first answer under a request's key; None without a key or an answer.

    Raises:
        IdempotencyKeyReusedError: the key was used with another request.
    """
    if around.key is None:
        return None
    replay = house.memory.replay(caller.tenant_id, caller.principal_id, around.key)
    return first_answer(replay, around.key)


def answered_before(house: House, caller: Caller, around: Circumstances) -> Answer | None:
    """Give the first answer under a key again, before anything else is checked.

    Raises:
        IdempotencyKeyReusedError: the key was used with another request.
        NotFoundError: what it named is no longer visible.
    """
    receipt = under_key(house, caller, around)
    if receipt is None:
        return None
    standing = house.memory.standing(caller.tenant_id, caller.principal_id)
    access = access_of(caller, standing.grants)
    return answers.replay(house, access, receipt, answers.tongue_of(house, standing, around))


def removed(
    house: House, caller: Caller, around: Circumstances, remove: Callable[[Claim | None], None]
) -> bool:
    """Remove something under the request's key; True where the same request did it before.

    ``remove`` keeps the claim in the transaction of its effect.

    Raises:
        IdempotencyKeyReusedError: the key was used with another request.
    """
    if under_key(house, caller, around) is not None:
        return True
    claim = None
    if around.key is not None:
        receipt = Receipt(kind="removal", http_status=HTTPStatus.NO_CONTENT)
        claim = Claim(principal_id=caller.principal_id, idempotency=around.key, receipt=receipt)
    remove(claim)
    return False


def once(
    house: House, caller: Caller, around: Circumstances, effect: Callable[[], None], *, outcome: str
) -> bool:
    """Remove what no database holds, as ``removed`` does.

    The receipt is written behind the effect, in a transaction of its own: removing twice removes
    no more, so a crash between the two costs the repeat its first answer and nothing else.

    Raises:
        IdempotencyKeyReusedError: the key was used with another request.
    """
    if under_key(house, caller, around) is not None:
        return True
    effect()
    if around.key is None:
        return False
    receipt = Receipt(kind="removal", http_status=HTTPStatus.NO_CONTENT)
    entry = Entry(
        tenant_id=caller.tenant_id,
        principal_id=caller.principal_id,
        request_id=around.request_id,
        writes=frozenset(),
        idempotency=around.key,
    )

    def decide(opened: Opened, _loaded: Loaded) -> Step[bool]:
        if first_answer(opened.replay, around.key) is not None:
            return Step(True)
        decision = Decision(
            decision_id=house.ids(),
            outcome=outcome,
            actor=caller.principal_id,
            recorded_at=opened.recorded_at,
        )
        return Step(False, Change(operation="removal", decision=decision, receipt=receipt))

    return house.memory.transact(entry, lambda _opened: Frame(), decide)
