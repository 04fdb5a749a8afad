"""Who the caller is, what it may do, and why something was decided."""

from collections.abc import Sequence

from fastapi import APIRouter

from moss_memory.api import views
from moss_memory.api.answer import JsonAnswer
from moss_memory.api.asked import REPLAYED, AskedDep
from moss_memory.api.circumstances import GUARDED, Route, known_id
from moss_memory.api.problems import documents
from moss_memory.api.shown import shown
from moss_memory.api.slices import PAGE, CursorQuery, sliced
from moss_memory.api.view_shapes import DecisionShape, DecisionsShape, ProfileShape
from moss_memory.api.wire import LimitQuery, ProfileBody
from moss_memory.core import errors as refusals
from moss_memory.flow import profile, reading
from moss_memory.flow.ports import Decision
from moss_memory.flow.profile import Profile

router = APIRouter(tags=["governance"], route_class=Route, dependencies=GUARDED)


@router.get("/me", operation_id="get_me", responses={200: shown(ProfileShape)})
def me(asked: AskedDep) -> JsonAnswer:
    """Say who the credential is, in which zone and language, and what it may reach."""
    return _profile(profile.me(asked.house, asked.caller))


@router.patch(
    "/me",
    operation_id="settle_in",
    responses={
        200: shown(ProfileShape),
        **documents(
            refusals.UnknownZoneError, refusals.VerdictChangedError, refusals.PrincipalErasedError
        ),
    },
)
def settle_in(body: ProfileBody, asked: AskedDep) -> JsonAnswer:
    """Set zone or language; times that float with the zone are placed and linted anew."""
    known = profile.settle_in(
        asked.house,
        asked.caller,
        given={name: getattr(body, name) for name in body.model_fields_set},
        around=asked.around(),
    )
    return _profile(known)


@router.get(
    "/decisions/{decision_id}",
    operation_id="get_decision",
    responses={200: shown(DecisionShape), **documents(refusals.NotFoundError)},
)
def decision(decision_id: str, asked: AskedDep) -> JsonAnswer:
    """Return why something was written, held, refused or dropped: ids and rules, no words."""
    found = reading.decision(asked.house, asked.caller, known_id(decision_id))
    return JsonAnswer(views.decision(found))


@router.get(
    "/decisions",
    operation_id="list_decisions",
    responses={200: shown(DecisionsShape), **documents(refusals.NotFoundError)},
)
def decisions(
    memory_id: str, asked: AskedDep, limit: LimitQuery = PAGE, cursor: CursorQuery | None = None
) -> JsonAnswer:
    """List the decisions that name a memory, oldest first."""
    found: Sequence[Decision] = reading.decisions(asked.house, asked.caller, known_id(memory_id))
    items, more = sliced(found, lambda each: each.decision_id, limit=limit, cursor=cursor)
    view: DecisionsShape = {"items": [views.decision(each) for each in items], "next_cursor": more}
    return JsonAnswer(view)


def _profile(known: Profile) -> JsonAnswer:
    caller = known.access.caller
    view: ProfileShape = {
        "tenant_id": caller.tenant_id,
        "principal_id": caller.principal_id,
        "timezone": known.timezone,
        "locale": known.locale,
        "visible_scope_ids": list(known.access.visible),
        "writable_scope_ids": list(known.access.writable),
        "read_mode": caller.read_mode,
        "write_mode": caller.write_mode,
        "rights": sorted(caller.rights),
    }
    return JsonAnswer(view, headers=REPLAYED if known.replayed else None)
