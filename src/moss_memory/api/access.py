"""Scopes, grants, keys and erasure: who may reach what, and what must go."""

import base64
import binascii
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from moss_memory.api.asked import REPLAYED, AskedDep
from moss_memory.api.circumstances import GUARDED, CallerDep, Route
from moss_memory.api.offices import KeyringDep, OfficesDep, StewardDep
from moss_memory.api.problems import documents
from moss_memory.api.record_view import instant
from moss_memory.api.told import forget
from moss_memory.api.views import optional_instant
from moss_memory.api.wire import Id, Instant, LimitQuery
from moss_memory.core import errors as refusals
from moss_memory.core.access import (
    Action,
    Grant,
    ReadMode,
    Resource,
    Right,
    Scope,
    ScopeKind,
    WriteMode,
    decide,
    enforce,
)
from moss_memory.core.fact import Source
from moss_memory.flow import governance, keys, steward
from moss_memory.flow.ports_access import Claim, KeyRecord
from moss_memory.flow.replays import removed

router = APIRouter(tags=["access"], route_class=Route, dependencies=GUARDED)

_ADMIN = (
    refusals.RightMissingError,
    refusals.InvalidValueError,
    refusals.TextRefusedError,
    refusals.NotFoundError,
)
Cursor = Annotated[str, Query(max_length=4096)]


def _may(action: Action) -> list[Any]:
    """Ask for a right before the body is looked at, in the contract's order of checks."""

    async def asks(caller: CallerDep) -> None:
        enforce(decide(caller, action, Resource(tenant_id=caller.tenant_id), ()))

    return [Depends(asks)]


_SCOPES = _may("administer_scopes")
_KEYS = _may("administer_keys")


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ScopeBody(_Body):
    """``PUT /scopes/{scope_id}``."""

    kind: ScopeKind
    approver_must_differ: bool = False


class GrantBody(_Body):
    """``PUT /scopes/{scope_id}/grants/{principal_id}``."""

    visible: bool
    writable: bool


class KeyBody(_Body):
    """``POST /keys``."""

    principal_id: Id
    rights: Annotated[list[Right], Field(max_length=16)] = []
    source_ceiling: Source = "user_explicit"
    read_mode: ReadMode = "visible_scopes"
    write_mode: WriteMode = "writable_scopes"
    expires_at: Instant | None = None


class ErasureBody(_Body):
    """``POST /erasures``."""

    principal_id: Id


@router.put(
    "/scopes/{scope_id}",
    operation_id="put_scope",
    dependencies=_SCOPES,
    responses=documents(*_ADMIN),
)
def put_scope(scope_id: str, body: ScopeBody, asked: AskedDep, offices: OfficesDep) -> JSONResponse:
    """Make or change a scope of the caller's tenant."""
    governance.refuse_erased(asked.house, asked.caller)
    made = governance.put_scope(
        offices.scopes,
        asked.caller,
        scope_id,
        kind=body.kind,
        approver_must_differ=body.approver_must_differ,
    )
    return JSONResponse(_scope(made))


@router.get(
    "/scopes", operation_id="list_scopes", dependencies=_SCOPES, responses=documents(*_ADMIN)
)
def scopes(
    asked: AskedDep, offices: OfficesDep, limit: LimitQuery = 50, cursor: Cursor | None = None
) -> JSONResponse:
    """List the scopes of the caller's tenant by id."""
    after = None if cursor is None else _unspell(cursor)
    found = governance.scopes(offices.scopes, asked.caller, after=after, limit=limit)
    more = _spell(found[-1].scope_id) if len(found) == limit else None
    return JSONResponse({"items": [_scope(each) for each in found], "next_cursor": more})


@router.put(
    "/scopes/{scope_id}/grants/{principal_id}",
    operation_id="put_grant",
    dependencies=_SCOPES,
    responses=documents(*_ADMIN),
)
def put_grant(
    scope_id: str, principal_id: str, body: GrantBody, asked: AskedDep, offices: OfficesDep
) -> JSONResponse:
    """Say what a principal may do in a scope; neither is an explicit denial."""
    governance.refuse_erased(asked.house, asked.caller)
    given = governance.grant(
        offices.scopes,
        asked.caller,
        scope_id,
        principal_id,
        visible=body.visible,
        writable=body.writable,
    )
    return JSONResponse(_grant(given, principal_id))


@router.delete(
    "/scopes/{scope_id}/grants/{principal_id}",
    operation_id="delete_grant",
    dependencies=_SCOPES,
    status_code=HTTPStatus.NO_CONTENT,
    responses=documents(*_ADMIN),
)
def delete_grant(
    scope_id: str, principal_id: str, asked: AskedDep, offices: OfficesDep
) -> Response:
    """Take a grant back; what was cached under it is not used again."""
    governance.refuse_erased(asked.house, asked.caller)

    def revoke(claim: Claim | None) -> None:
        governance.revoke_grant(offices.scopes, asked.caller, scope_id, principal_id, claim=claim)

    return asked.gone(removed(asked.house, asked.caller, asked.around(), revoke))


@router.post(
    "/keys",
    operation_id="create_key",
    dependencies=_KEYS,
    status_code=HTTPStatus.CREATED,
    responses=documents(*_ADMIN, refusals.InvalidRequestError),
)
def create_key(body: KeyBody, asked: AskedDep, ring: KeyringDep) -> JSONResponse:
    """Make a key for a principal of the caller's tenant; it is shown this once."""
    governance.refuse_erased(asked.house, asked.caller)
    made = keys.create_key(
        ring,
        asked.caller,
        keys.NewKey(
            principal_id=body.principal_id,
            rights=frozenset(body.rights),
            source_ceiling=body.source_ceiling,
            read_mode=body.read_mode,
            write_mode=body.write_mode,
            expires_at=body.expires_at,
        ),
        now=asked.house.clock(),
        idempotency=asked.around().key,
    )
    headers = REPLAYED if made.replayed else None
    shown = {"key_id": made.key_id, "key": made.key}
    return JSONResponse(shown, HTTPStatus.CREATED, headers)


@router.get("/keys", operation_id="list_keys", dependencies=_KEYS, responses=documents(*_ADMIN))
def list_keys(
    asked: AskedDep, ring: KeyringDep, limit: LimitQuery = 50, cursor: Cursor | None = None
) -> JSONResponse:
    """List the tenant's keys, newest first, never their secrets."""
    before = None if cursor is None else _read_cursor(cursor)
    found = keys.list_keys(ring.store, asked.caller, before=before, limit=limit)
    more = _cursor(found[-1]) if len(found) == limit else None
    return JSONResponse({"items": [_key(each) for each in found], "next_cursor": more})


@router.delete(
    "/keys/{key_id}",
    operation_id="revoke_key",
    dependencies=_KEYS,
    status_code=HTTPStatus.NO_CONTENT,
    responses=documents(*_ADMIN),
)
def revoke_key(key_id: str, asked: AskedDep, ring: KeyringDep) -> Response:
    """Revoke a key; every worker refuses it within five seconds."""
    governance.refuse_erased(asked.house, asked.caller)

    def revoke(claim: Claim | None) -> None:
        now = asked.house.clock()
        keys.revoke_key(ring.store, asked.caller, key_id, now=now, claim=claim)

    return asked.gone(removed(asked.house, asked.caller, asked.around(), revoke))


@router.post(
    "/erasures",
    operation_id="erase",
    status_code=HTTPStatus.CREATED,
    responses=documents(
        refusals.RightMissingError,
        refusals.InvalidValueError,
        refusals.PendingStoreUnavailableError,
    ),
)
def erase(body: ErasureBody, asked: AskedDep, store: StewardDep) -> JSONResponse:
    """Destroy what a principal said: one's own, or with ``erasure:admin`` anybody's."""
    done = steward.erase(asked.house, store, asked.caller, body.principal_id, asked.around())
    forget()
    shown = {
        "erasure_id": done.erasure_id,
        "principal_id": done.principal_id,
        "counts": dict(done.counts),
    }
    return JSONResponse(shown, HTTPStatus.CREATED, REPLAYED if done.replayed else None)


@router.get("/audit/verify", operation_id="verify_audit", responses=documents(*_ADMIN))
def verify(asked: AskedDep) -> JSONResponse:
    """Walk the hash chain of every space of the tenant."""
    report = steward.verify(asked.house, asked.caller)
    bad = report.first_bad
    shown = None if bad is None else {"space": bad[0], "epoch": bad[1]}
    return JSONResponse({"ok": report.ok, "checked": report.checked, "first_bad": shown})


def _scope(scope: Scope) -> dict[str, Any]:
    return {
        "scope_id": scope.scope_id,
        "kind": scope.kind,
        "approver_must_differ": scope.approver_must_differ,
    }


def _grant(given: Grant, principal_id: str) -> dict[str, Any]:
    return {
        "scope_id": given.scope.scope_id,
        "principal_id": principal_id,
        "visible": given.visible,
        "writable": given.writable,
    }


def _key(record: KeyRecord) -> dict[str, Any]:
    return {
        "key_id": record.key_id,
        "principal_id": record.principal_id,
        "rights": sorted(record.rights),
        "source_ceiling": record.source_ceiling,
        "read_mode": record.read_mode,
        "write_mode": record.write_mode,
        "created_at": instant(record.created_at),
        "expires_at": optional_instant(record.expires_at),
        "revoked_at": optional_instant(record.revoked_at),
        "last_used_day": record.last_used_day.isoformat() if record.last_used_day else None,
    }


def _cursor(record: KeyRecord) -> str:
    return _spell(f"{record.created_at.isoformat()}|{record.key_id}")


def _read_cursor(word: str) -> tuple[datetime, str]:
    at, _, key_id = _unspell(word).partition("|")
    try:
        return datetime.fromisoformat(at).astimezone(UTC), key_id
    except (ValueError, OverflowError) as error:
        raise refusals.InvalidCursorError from error


def _spell(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _unspell(word: str) -> str:
    try:
        return base64.urlsafe_b64decode(word + "=" * (-len(word) % 4)).decode()
    except (binascii.Error, UnicodeError, ValueError) as error:
        raise refusals.InvalidCursorError from error
