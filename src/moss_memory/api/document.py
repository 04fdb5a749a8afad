"""The OpenAPI document, completed, and ``/docs``: a page about it that loads nothing.

The usual documentation page fetches its scripts from a network of others; this one is written
from the document, works offline and runs no script.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from html import escape
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from starlette.responses import HTMLResponse

from moss_memory.api.problems import MEDIA_TYPE, STATUS
from moss_memory.api.shown import schemas

router = APIRouter(include_in_schema=False)
OPEN_PATHS: Final = frozenset({"/livez", "/readyz", "/metrics"})

_PROBLEM: Final[dict[str, Any]] = {
    "title": "Problem",
    "description": "RFC 9457. Some codes carry further members, such as `verdict`.",
    "type": "object",
    "required": ["type", "title", "status", "detail", "code", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string", "enum": sorted(STATUS)},
        "request_id": {"type": "string"},
    },
}
_REFERENCE: Final = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
_EVERYWHERE: Final[Mapping[str, str]] = {
    "400": "`malformed_body`: the body is not JSON that this service reads.",
    "401": "`unauthenticated`: no valid credential.",
    "413": "`body_too_large`: more than 64 KiB.",
    "415": "`unsupported_media_type`: not application/json in UTF-8.",
    "422": "`invalid_request`: not what the schema says.",
    "500": "`internal`: a bug.",
    "503": "`storage_unavailable`: the database cannot be reached now.",
}
_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "code,pre{font:14px/1.4 ui-monospace,monospace}pre{overflow:auto;padding:.5rem;"
    "border:1px solid #8884}summary{cursor:pointer}section{margin:1.5rem 0}"
)
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


def complete(app: FastAPI) -> dict[str, Any]:
    """Return the document with the problem schema, the bearer scheme and the shared refusals."""
    document = get_openapi(
        title=app.title, version=app.version, summary=app.summary, routes=app.routes
    )
    components = document.setdefault("components", {})
    components.setdefault("schemas", {}).update(schemas(), Problem=_PROBLEM)
    components["schemas"].pop("HTTPValidationError", None)
    components["schemas"].pop("ValidationError", None)
    components["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
    for path, operations in document["paths"].items():
        for operation in operations.values():
            _finish(operation, guarded=path not in OPEN_PATHS)
    return document


def _finish(operation: dict[str, Any], *, guarded: bool) -> None:
    responses = operation["responses"]
    if not guarded:
        responses.pop("422", None)
        return
    operation["security"] = [{"bearer": []}]
    for status, description in _EVERYWHERE.items():
        given = responses.get(status)
        if given is None or MEDIA_TYPE not in given.get("content", {}):
            responses[status] = {"description": description, "content": _REFERENCE}


@router.get("/docs")
async def docs(request: Request) -> HTMLResponse:
    """Show every route with its parameters, its body and its answers."""
    document = request.app.openapi()
    sections = "".join(
        _section(method, path, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    )
    schemas = "".join(
        f"<details id='{escape(name)}'><summary><code>{escape(name)}</code></summary>"
        f"<pre>{_pretty(schema)}</pre></details>"
        for name, schema in sorted(document["components"]["schemas"].items())
    )
    page = (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(request.app.title)}"
        f"</title><style>{_STYLE}</style><h1>{escape(request.app.title)}</h1>"
        f"<p>The same as JSON: <a href='openapi.json'>openapi.json</a></p>"
        f"{sections}<h2>Schemas</h2>{schemas}</html>"
    )
    policy = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'"
    return HTMLResponse(page, headers={"Content-Security-Policy": policy})


def _section(method: str, path: str, operation: Mapping[str, Any]) -> str:
    parts = [f"<h3><code>{method.upper()} {escape(path)}</code></h3>"]
    parts.append(f"<p>{escape(operation.get('description', ''))}</p>")
    for parameter in operation.get("parameters", ()):
        schema = json.dumps(parameter.get("schema", {}), ensure_ascii=False)
        name = f"{parameter['in']} {parameter['name']}"
        parts.append(f"<div><code>{escape(name)}</code> {escape(schema)}</div>")
    if "requestBody" in operation:
        parts.append(f"<p>Body: {_content(operation['requestBody'])}</p>")
    for status, response in sorted(operation["responses"].items()):
        described = escape(response.get("description", ""))
        parts.append(f"<div><code>{status}</code> {described} {_content(response)}</div>")
    return f"<section>{''.join(parts)}</section>"


def _content(part: Mapping[str, Any]) -> str:
    names = [
        media["schema"]["$ref"].rpartition("/")[2]
        for media in part.get("content", {}).values()
        if "$ref" in media.get("schema", {})
    ]
    return " ".join(f"<a href='#{escape(name)}'>{escape(name)}</a>" for name in names)


def _pretty(schema: Any) -> str:
    return escape(json.dumps(schema, indent=1, ensure_ascii=False))
