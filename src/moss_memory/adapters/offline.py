"""The parser that needs no model: words in, proposed facts out, the same every time."""

import asyncio
from collections.abc import Callable
from typing import ClassVar

from moss_memory.flow.ports import Utterance
from moss_memory.language.proposal import Parsed


class OfflineParser:
    """English and Korean by rule. No network, no key, no clock: it cannot be unavailable."""

    name: ClassVar[str] = "offline"
    _understand: Callable[..., Parsed] | None = None

    async def parse(self, utterance: Utterance) -> Parsed:
        """Say what the words mean, read at its reference in its zone."""
        if self._understand is None:  # in a thread: the loop has others to serve meanwhile
            self._understand = await asyncio.to_thread(_grammar)
        return self._understand(
            utterance.text,
            reference=utterance.reference,
            zone=utterance.zone,
            locale=utterance.locale,
        )


def _grammar() -> Callable[..., Parsed]:
    from moss_memory.language.understanding import (  # noqa: PLC0415 - a sixth of a start
        understand,
    )

    return understand
