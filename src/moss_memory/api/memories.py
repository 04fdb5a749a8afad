"""Memories by id and by list, and the rules asked without writing."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from moss_memory.api.answer import JsonAnswer
from moss_memory.api.asked import AskedDep
from moss_memory.api.circumstances import GUARDED, Route, known_id
from moss_memory.api.problems import documents
from moss_memory.api.shown import shown
from moss_memory.api.slices import PAGE, CursorQuery, sliced
from moss_memory.api.view_shapes import (
    AnswerShape,
    LintShape,
    MemoryShape,
    PageShape,
    RevisionsShape,
    WhyShape,
)
from moss_memory.api.views import lint as lint_view
from moss_memory.api.wire import (
    BEGINNING,
    ExpectedQuery,
    Instant,
    KnownEpoch,
    LimitQuery,
    LintBody,
    Locale,
    ProposeBody,
    RestoreBody,
    ReviseBody,
    window,
)
from moss_memory.core import errors as refusals
from moss_memory.core.interval import Interval
from moss_memory.flow import explain, reading, record, retiring
from moss_memory.flow.requests import ListRequest, ReviseRequest

router = APIRouter(tags=["memories"], route_class=Route, dependencies=GUARDED)

_FACTS = (
    refusals.InvalidRequestError,
    refusals.NotAdmittedError,
    refusals.ScopeNotWritableError,
    refusals.StorageUnavailableError,
)
_CHANGE = (
    *_FACTS,
    refusals.NotFoundError,
    refusals.StaleRevisionError,
    refusals.StaleMatchError,
    refusals.MemoryInactiveError,
    refusals.RevisionRequiredError,
    refusals.PreconditionMismatchError,
)


@router.post(
    "/memories",
    operation_id="propose",
    responses={
        200: shown(AnswerShape, "Nothing changed, or a dry run."),
        201: shown(AnswerShape, "Written."),
        202: shown(AnswerShape, "Held: the question is open."),
        **documents(*_FACTS, refusals.TooManyPendingsError, refusals.IdempotencyInProgressError),
    },
)
def propose(body: ProposeBody, asked: AskedDep) -> JsonAnswer:
    """Propose facts: all are written, or held, or refused together."""
    answer = record.propose(asked.house, asked.caller, body.request(), asked.around())
    return asked.answer(answer)


@router.post(
    "/lint",
    operation_id="lint",
    responses={200: shown(LintShape), **documents(refusals.InvalidRequestError)},
)
def lint(body: LintBody, asked: AskedDep) -> JsonAnswer:
    """Say what the rules would do with these facts; nothing is written."""
    verdict = record.lint_only(asked.house, asked.caller, body.stated(), asked.around())
    return JsonAnswer(lint_view(verdict))


class ListQuery(BaseModel):
    """What ``GET /memories`` may be narrowed by."""

    model_config = ConfigDict(frozen=True)

    domain: str | None = None
    predicate: str | None = None
    subject: str | None = None
    scope_id: str | None = None
    status: Literal["active", "inactive", "all"] = "active"
    start: Annotated[Instant | None, Field(alias="from")] = None
    end: Annotated[Instant | None, Field(alias="to")] = None
    valid_at: Instant | None = None
    known_at: Instant | None = None
    known_epoch: KnownEpoch | None = None
    limit: LimitQuery = 50
    cursor: Annotated[str, Field(max_length=4096)] | None = None

    def request(self) -> ListRequest:
        """Return what the flow is asked."""
        if self.known_at is not None and self.known_epoch is not None:
            raise refusals.InvalidRequestError("known_at and known_epoch exclude each other.")
        return ListRequest(
            domain=self.domain,
            predicate=self.predicate,
            subject=self.subject,
            scope_id=self.scope_id,
            status=self.status,
            overlaps=_overlaps(self.start, self.end),
            valid_at=self.valid_at,
            known_at=self.known_at,
            known_epoch=self.known_epoch,
            limit=self.limit,
            cursor=self.cursor,
        )


def _overlaps(start: datetime | None, end: datetime | None) -> Interval | None:
    if start is None and end is None:
        return None
    return window(BEGINNING if start is None else start, end)


@router.get(
    "/memories",
    operation_id="list_memories",
    responses={
        200: shown(PageShape),
        **documents(refusals.InvalidRequestError, refusals.InvalidCursorError),
    },
)
def listing(query: Annotated[ListQuery, Query()], asked: AskedDep) -> JsonAnswer:
    """List memories, newest first by recorded time, then by id."""
    page = reading.records(asked.house, asked.caller, query.request())
    view: PageShape = {"items": asked.told(page.items), "next_cursor": page.next_cursor}
    if page.known_epoch is not None:
        view["known_epoch"] = page.known_epoch
    return JsonAnswer(view)


@router.get(
    "/memories/{memory_id}",
    operation_id="get_memory",
    responses={200: shown(MemoryShape), **documents(refusals.NotFoundError)},
)
def get(
    memory_id: str,
    asked: AskedDep,
    known_at: Instant | None = None,
    known_epoch: KnownEpoch | None = None,
) -> JsonAnswer:
    """Return one memory, now or as it was known at an instant."""
    found = reading.get(
        asked.house,
        asked.caller,
        known_id(memory_id),
        known_at=known_at,
        known_epoch=known_epoch,
    )
    return asked.memory(found)


@router.patch(
    "/memories/{memory_id}",
    operation_id="revise",
    responses={200: shown(MemoryShape), 202: shown(AnswerShape), **documents(*_CHANGE)},
)
def revise(memory_id: str, body: ReviseBody, asked: AskedDep) -> JsonAnswer:
    """Change a memory: absent fields stay, null clears; 202 where it now conflicts."""
    check = asked.check(body.expected_revision)
    request = ReviseRequest(memory_id=known_id(memory_id), fields=body.fields(), check=check)
    answer = record.revise(asked.house, asked.caller, request, asked.around())
    return asked.changed(answer)


@router.delete(
    "/memories/{memory_id}",
    operation_id="retire",
    responses={200: shown(MemoryShape), **documents(*_CHANGE)},
)
def retire(memory_id: str, asked: AskedDep, expected_revision: ExpectedQuery = None) -> JsonAnswer:
    """Retire a memory; it stays readable."""
    answer = retiring.retire(
        asked.house,
        asked.caller,
        known_id(memory_id),
        asked.check(expected_revision),
        asked.around(),
    )
    return asked.changed(answer)


@router.get(
    "/memories/{memory_id}/revisions",
    operation_id="list_revisions",
    responses={200: shown(RevisionsShape), **documents(refusals.NotFoundError)},
)
def revisions(
    memory_id: str, asked: AskedDep, limit: LimitQuery = PAGE, cursor: CursorQuery | None = None
) -> JsonAnswer:
    """List the revisions of a memory, oldest first."""
    found = reading.revisions(asked.house, asked.caller, known_id(memory_id))
    items, more = sliced(found, lambda each: str(each.revision), limit=limit, cursor=cursor)
    view: RevisionsShape = {"items": asked.memories(items), "next_cursor": more}
    return JsonAnswer(view)


@router.post(
    "/memories/{memory_id}/restore",
    operation_id="restore",
    responses={
        200: shown(MemoryShape),
        202: shown(AnswerShape),
        **documents(*_CHANGE, refusals.UnknownRevisionError),
    },
)
def restore(memory_id: str, body: RestoreBody, asked: AskedDep) -> JsonAnswer:
    """Make an old revision current again, as a new one; 202 where it now conflicts."""
    answer = record.restore(
        asked.house,
        asked.caller,
        known_id(memory_id),
        body.revision,
        asked.check(body.expected_revision),
        asked.around(),
    )
    return asked.changed(answer)


@router.get(
    "/memories/{memory_id}/why",
    operation_id="why",
    responses={200: shown(WhyShape), **documents(refusals.NotFoundError)},
)
def why(memory_id: str, asked: AskedDep, locale: Locale | None = None) -> JsonAnswer:
    """Say who said what when, what it replaced, who confirmed and which rule decided."""
    told = explain.why(asked.house, asked.caller, known_id(memory_id), asked.around(locale=locale))
    view: WhyShape = {
        "sentences": list(told.sentences),
        "decision_ids": list(told.decision_ids),
    }
    return JsonAnswer(view)
