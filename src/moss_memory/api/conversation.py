"""Words in, governed memory out; and the questions that this raises."""

from http import HTTPStatus

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from moss_memory.api import views
from moss_memory.api.answer import JsonAnswer
from moss_memory.api.asked import REPLAYED, AskedDep
from moss_memory.api.circumstances import GUARDED, Route, chat_rate
from moss_memory.api.problems import documents
from moss_memory.api.shown import shown
from moss_memory.api.slices import PAGE, CursorQuery, sliced
from moss_memory.api.view_shapes import (
    ChatShape,
    OpenQuestionShape,
    QuestionsShape,
    SessionShape,
    SettledShape,
)
from moss_memory.api.wire import ChatBody, ConfirmBody, LimitQuery
from moss_memory.core import errors as refusals
from moss_memory.flow import converse, sessions, settle

router = APIRouter(tags=["conversation"], route_class=Route, dependencies=GUARDED)

_WRITES = (
    refusals.InvalidRequestError,
    refusals.ScopeNotWritableError,
    refusals.StorageUnavailableError,
    refusals.IdempotencyInProgressError,
)


@router.post(
    "/chat",
    operation_id="chat",
    dependencies=[chat_rate],
    responses={
        200: shown(ChatShape),
        **documents(
            *_WRITES,
            refusals.RateLimitedError,
            refusals.ModelBadOutputError,
            refusals.ModelUnavailableError,
            refusals.ModelTimeoutError,
        ),
    },
)
async def chat(body: ChatBody, asked: AskedDep) -> JsonAnswer:
    """Understand an utterance, judge what it proposes, write or ask, and answer."""
    around = asked.around(body.timezone, body.locale)
    said = await converse.chat(asked.house, asked.caller, body.request(), around)
    asked.judged(said.status, said.verdict)
    asked.request.app.state.meter.spent(said.prompt_tokens, said.completion_tokens)
    if said.refused:
        asked.request.app.state.meter.refused()
    shown, gone = await run_in_threadpool(
        lambda: (asked.memories(said.facts), asked.memories(said.superseded))
    )
    return JsonAnswer(views.chat(said, shown, gone), headers=REPLAYED if said.replayed else None)


@router.post(
    "/confirm",
    operation_id="confirm",
    responses={
        200: shown(SettledShape),
        **documents(
            *_WRITES,
            refusals.NotFoundError,
            refusals.PendingGoneError,
            refusals.AlreadySettledError,
            refusals.VerdictChangedError,
            refusals.ActionNotOfferedError,
            refusals.ApproverMustDifferError,
            refusals.NotAdmittedError,
        ),
    },
)
def confirm(body: ConfirmBody, asked: AskedDep) -> JsonAnswer:
    """Answer a question with one of its buttons; what is written is what the server kept."""
    answer = settle.confirm(asked.house, asked.caller, body.pending_id, body.action, asked.around())
    return asked.settled(answer)


@router.get("/pending", operation_id="list_pending", responses={200: shown(QuestionsShape)})
def open_questions(
    asked: AskedDep, limit: LimitQuery = PAGE, cursor: CursorQuery | None = None
) -> JsonAnswer:
    """List the questions that wait for this caller, oldest first."""
    found = settle.open_questions(asked.house, asked.caller, asked.around())
    items, more = sliced(found, lambda each: each.pending_id, limit=limit, cursor=cursor)
    view: QuestionsShape = {
        "items": [views.open_question(question) for question in items],
        "next_cursor": more,
    }
    return JsonAnswer(view)


@router.get(
    "/pending/{pending_id}",
    operation_id="get_pending",
    responses={
        200: shown(OpenQuestionShape),
        **documents(refusals.NotFoundError, refusals.PendingGoneError),
    },
)
def question(pending_id: str, asked: AskedDep) -> JsonAnswer:
    """Return one open question."""
    found = settle.question(asked.house, asked.caller, pending_id, asked.around())
    return JsonAnswer(views.open_question(found))


@router.get(
    "/sessions/{session_id}",
    operation_id="get_session",
    responses={
        200: shown(SessionShape),
        **documents(refusals.NotFoundError, refusals.PendingStoreUnavailableError),
    },
)
def session(session_id: str, asked: AskedDep) -> JsonAnswer:
    """Return the working memory of a conversation; while a question is open, block free text."""
    found = sessions.look(asked.house, asked.caller, session_id, asked.around())
    return JsonAnswer(views.session(found))


@router.delete(
    "/sessions/{session_id}",
    operation_id="end_session",
    status_code=HTTPStatus.NO_CONTENT,
    responses=documents(refusals.PendingStoreUnavailableError),
)
def end_session(session_id: str, asked: AskedDep) -> Response:
    """Forget a conversation's working memory."""
    again = sessions.end(asked.house, asked.caller, session_id, asked.around())
    return asked.gone(again)
