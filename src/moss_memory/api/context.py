"""What a model may be told: active, visible, unexpired facts within a token budget."""

from fastapi import APIRouter

from moss_memory.api import views
from moss_memory.api.answer import JsonAnswer
from moss_memory.api.asked import AskedDep
from moss_memory.api.circumstances import GUARDED, Route
from moss_memory.api.problems import documents
from moss_memory.api.shown import shown
from moss_memory.api.view_shapes import ContextShape
from moss_memory.api.wire import ContextBody
from moss_memory.core import errors as refusals
from moss_memory.flow import recall

router = APIRouter(tags=["context"], route_class=Route, dependencies=GUARDED)


@router.post(
    "/context",
    operation_id="context",
    responses={
        200: shown(ContextShape),
        **documents(refusals.InvalidRequestError, refusals.StorageUnavailableError),
    },
)
def context(body: ContextBody, asked: AskedDep) -> JsonAnswer:
    """Build the context of a question; no model is called, nothing is written."""
    around = asked.around(body.timezone, body.locale)
    built = recall.context(asked.house, asked.caller, body.request(), around)
    return JsonAnswer(views.context(built))
