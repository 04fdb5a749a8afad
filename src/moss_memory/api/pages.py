"""``/console``: the page's own files, open to anybody, under a policy that lets nothing else in."""

import hashlib
from dataclasses import dataclass
from http import HTTPStatus
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated, Final

from fastapi import APIRouter, Header
from starlette.responses import RedirectResponse, Response

from moss_memory.core.errors import NotFoundError

router = APIRouter(include_in_schema=False)

_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'"
    ),
    "Cache-Control": "no-cache",
}


@dataclass(frozen=True, slots=True)
class _Page:
    """A file as it is sent."""

    content: bytes
    kind: str
    etag: str


def _pages() -> dict[str, _Page]:
    """Read what may be served, once: a name that is not in it is not looked for on any disk."""
    found: dict[str, Traversable] = {}
    for entry in (files("moss_memory") / "console").iterdir():
        if entry.is_file():
            found[entry.name] = entry
        elif entry.is_dir() and not entry.name.startswith("_"):
            found |= {f"{entry.name}/{each.name}": each for each in entry.iterdir()}
    return {name: _read(each, kind) for name, each in found.items() if (kind := _kind(name))}


def _kind(name: str) -> str | None:
    return next((kind for suffix, kind in _TYPES.items() if name.endswith(suffix)), None)


def _read(entry: Traversable, kind: str) -> _Page:
    content = entry.read_bytes()
    return _Page(content, kind, f'"{hashlib.sha256(content).hexdigest()[:32]}"')


_SERVED: Final = _pages()


@router.get("/console")
def console() -> RedirectResponse:
    """Go to the page; its files are relative to the slash."""
    return RedirectResponse("/console/", HTTPStatus.TEMPORARY_REDIRECT)


@router.get("/console/{name:path}")
def page(name: str, if_none_match: Annotated[str | None, Header()] = None) -> Response:
    """Serve one of the page's files; nothing where the browser has it as it is."""
    found = _SERVED.get(name or "index.html")
    if found is None:
        raise NotFoundError
    headers = {**_HEADERS, "ETag": found.etag}
    if if_none_match is not None and found.etag in if_none_match:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(found.content, media_type=found.kind, headers=headers)
