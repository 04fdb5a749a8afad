"""The parser that needs no model: words in, proposed facts out, the same every time."""

from typing import ClassVar

from moss_memory.flow.ports import Utterance
from moss_memory.language.proposal import Parsed
from moss_memory.language.understanding import understand


class OfflineParser:
    """English and Korean by rule. No network, no key, no clock: it cannot be unavailable."""

    name: ClassVar[str] = "offline"

    async def parse(self, utterance: Utterance) -> Parsed:
        """Say what the words mean, read at its reference in its zone."""
        return understand(
            utterance.text,
            reference=utterance.reference,
            zone=utterance.zone,
            locale=utterance.locale,
        )
