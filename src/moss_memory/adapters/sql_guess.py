"""What principals were known to be when they last read, so that a read need not ask first.

What to read depends on a standing that is looked up in the same flight; it is guessed here, and
whatever was read by a guess that turns out wrong is read again.
"""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from moss_memory.flow.ports import Standing

T = TypeVar("T")

MOST: Final = 4096  # standings remembered; then it begins again
_NOTHING: Final = Standing()


class Standings:
    """The last standing of each principal; one that was never seen has none of its own."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], Standing] = {}

    def last(self, tenant_id: str, principal_id: str) -> Standing:
        """Return what a principal was the last time."""
        return self._last.get((tenant_id, principal_id), _NOTHING)

    def keep(self, tenant_id: str, principal_id: str, standing: Standing) -> None:
        """Remember what a principal is."""
        if standing == _NOTHING:
            self._last.pop((tenant_id, principal_id), None)
            return
        if len(self._last) >= MOST:
            self._last.clear()
        self._last[tenant_id, principal_id] = standing


class Asking(Generic[T]):
    """What a caller asks of a standing; asked again only where the standing is another one."""

    def __init__(self, asked: Callable[[Standing], T]) -> None:
        self._asked = asked
        self._latest: tuple[Standing, T] | None = None

    def of(self, standing: Standing) -> T:
        """Return what is asked of a standing, which is then the last that the caller was told."""
        if self._latest is None or self._latest[0] != standing:
            self._latest = standing, self._asked(standing)
        return self._latest[1]
