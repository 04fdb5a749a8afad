"""What a context or an answer is about, and what memory holds of it."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from moss_memory.core.access import Access, Caller, access_of
from moss_memory.core.errors import PendingStoreUnavailableError
from moss_memory.core.interval import Interval
from moss_memory.core.relevance import Question
from moss_memory.core.rules import Policy
from moss_memory.flow import answers
from moss_memory.flow.gathering import Gathered, Then, gather, gathered, search_of
from moss_memory.flow.ports import House, Search, Standing
from moss_memory.flow.reading import read_epoch
from moss_memory.flow.requests import Circumstances, ContextRequest

WRITTEN: Final = "written"  # of a session's dialog_state: ids of what it wrote
_LINE: Final = 20  # tokens of a short line
_FEWEST: Final = 50  # memories looked at from each side
_MOST: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Desired:
    """Who asks what, looked up once for a request."""

    standing: Standing
    reach: Access
    tongue: answers.Tongue
    question: Question
    then: Then
    domains: tuple[str, ...] = ()
    written: frozenset[str] = frozenset()


def sought(
    house: House,
    caller: Caller,
    request: ContextRequest,
    around: Circumstances,
    *,
    words: frozenset[str] = frozenset(),
) -> tuple[Desired, Gathered]:
    """Read a question and what may bear on it, no more than a budget could hold, within reason.

    ``words`` join those of the question.

    Raises:
        InvalidValueError: ``known_epoch`` was not given here.
    """
    now = house.clock()
    then = Then(
        now=request.known_at or now,
        known_at=request.known_at,
        known_epoch=read_epoch(request.known_epoch),
    )
    written = _written(house, caller, request.session_id, now)
    limit = min(max(request.token_budget // _LINE, _FEWEST), _MOST)
    made: list[Desired] = []

    def asked(standing: Standing) -> Search | None:
        question, tongue = _question(house, standing, request, around, now)
        made.append(
            Desired(
                standing=standing,
                reach=access_of(caller, standing.grants),
                tongue=tongue,
                question=replace(question, words=question.words | words),
                then=then,
                domains=request.domains,
                written=written,
            )
        )
        one = made[-1]
        return search_of(house, one.reach, one.question, then, request.domains, limit)

    if house.finder is None or then.past:
        asked(house.memory.standing(caller.tenant_id, caller.principal_id))
        one = made[-1]
        return one, gather(house, one.reach, one.standing, then, request.domains)
    found = house.finder.sought(caller.tenant_id, caller.principal_id, asked)
    one = made[-1]
    return one, gathered(house, one.reach, one.standing, then, request.domains, found)


def _question(
    house: House,
    standing: Standing,
    request: ContextRequest,
    around: Circumstances,
    now: datetime,
) -> tuple[Question, answers.Tongue]:
    tongue = answers.tongue_of(house, standing, around)
    question = question_of(
        house.policy,
        request.query or "",
        at=(request.reference_time or now).astimezone(UTC),
        zone=tongue.zone,
        locale=tongue.locale,
        window=request.window,
    )
    return question, tongue


def question_of(
    policy: Policy, text: str, *, at: datetime, zone: str, locale: str, window: Interval | None
) -> Question:
    """Read a question: its words, the kinds it names, and the time it asks about.

    Times that the words name make the window, from the first to the last, unless one is given.
    """
    if not text:
        return Question(at=at, window=window)
    from moss_memory.language.times import resolve  # noqa: PLC0415 - no part of a start
    from moss_memory.language.topics import topic, without_times  # noqa: PLC0415

    mentions = resolve(text, reference=at, zone=zone, locale=locale)
    bare = without_times(text, [(each.start, each.end) for each in mentions])
    about = topic(bare, frozenset(name for _, name in policy.ontology.predicates))
    if window is None and mentions:
        named = [each.window for each in mentions]
        window = Interval(min(w.start for w in named), max(w.end for w in named))
    return Question(at=at, words=about.words, window=window, predicates=about.predicates)


def _written(house: House, caller: Caller, session_id: str | None, now: datetime) -> frozenset[str]:
    """Name the memories that this session wrote; without a Desk a context does without them."""
    if session_id is None:
        return frozenset()
    try:
        session = house.desk.session(caller.tenant_id, caller.principal_id, session_id, now=now)
    except PendingStoreUnavailableError:
        return frozenset()
    return frozenset(session.dialog_state.get(WRITTEN, ())) if session else frozenset()
