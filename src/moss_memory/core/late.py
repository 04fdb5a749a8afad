"""Patterns compiled when first used: hundreds of them would be a fifth of each start."""

import re
from typing import Any, cast


class _Late:
    """A pattern, not compiled yet. Its compiled form's methods become its own."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._said = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """Compile, once: what was asked for before is found without coming here."""
        found = getattr(re.compile(*self._said), name)
        setattr(self, name, found)
        return found


def late(pattern: str, flags: int = 0) -> "re.Pattern[str]":
    """Return a pattern that ``re.compile`` would return, compiled at its first use.

    A pattern that is none is found out only then; a test uses every one.
    """
    return cast("re.Pattern[str]", _Late(pattern, flags))
