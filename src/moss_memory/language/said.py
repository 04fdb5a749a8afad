"""The words of an utterance in their plain form, and from where they are read."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from moss_memory.language.times import TimeMention, resolve

# full-width signs and wide spaces, each to its plain form
_WIDE: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20, 0xA0: 0x20}


@dataclass(frozen=True, slots=True)
class Said:
    """The words in their plain form, and from where they are read."""

    text: str
    reference: datetime
    zone: str
    locale: str | None
    hangul: bool

    def times(self, *, past: bool = False, split: bool = False) -> list[TimeMention]:
        """Resolve the times of the words."""
        return resolve(
            self.text,
            reference=self.reference,
            zone=self.zone,
            locale=self.locale,
            past=past,
            split=split,
        )


def plain(text: str) -> str:
    """Compose Hangul, fold full-width signs and runs of space: one spelling, read in one way.

    A line break stays one: it parts what is said before it from what follows.
    """
    cleaned = unicodedata.normalize("NFC", text).translate(_WIDE)
    shown = "".join(_shown(sign) for sign in cleaned)
    return re.sub(r" ?\n[ \n]*", "\n", re.sub(r"[^\S\n]+", " ", shown))


def _shown(sign: str) -> str:
    if sign == "\n":
        return sign
    return " " if unicodedata.category(sign) in ("Cc", "Cf", "Cs") else sign
