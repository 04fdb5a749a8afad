"""A request's headers as they were sent: one look along the list, where a mapping is built anew."""

from starlette.types import Scope


def sent(scope: Scope, name: bytes) -> list[str]:
    """Return the values of a header, ``name`` in lower case; none where it was not sent."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]
