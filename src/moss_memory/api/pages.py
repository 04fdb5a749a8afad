"""``/console``: the page's own files, open to anybody, under a policy that lets nothing else in."""

from http import HTTPStatus
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from fastapi import APIRouter
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
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-cache",
}


def _files() -> dict[str, Traversable]:
    """List what may be served, once: a name that is not in it is not looked for on any disk."""
    found: dict[str, Traversable] = {}
    for entry in (files("moss_memory") / "console").iterdir():
        if entry.is_file():
            found[entry.name] = entry
        elif entry.is_dir() and not entry.name.startswith("_"):
            found |= {f"{entry.name}/{each.name}": each for each in entry.iterdir()}
    return {name: each for name, each in found.items() if _type(name)}


def _type(name: str) -> str | None:
    return next((kind for suffix, kind in _TYPES.items() if name.endswith(suffix)), None)


_SERVED: Final = _files()


@router.get("/console")
def console() -> RedirectResponse:
    """Go to the page; its files are relative to the slash."""
    return RedirectResponse("/console/", HTTPStatus.TEMPORARY_REDIRECT)


@router.get("/console/{name:path}")
def page(name: str) -> Response:
    """Serve one of the page's files."""
    entry = _SERVED.get(name or "index.html")
    if entry is None:
        raise NotFoundError
    return Response(entry.read_bytes(), media_type=_type(name or "index.html"), headers=_HEADERS)
