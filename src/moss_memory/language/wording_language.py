"""Which language is spoken, and the one place where a phrase is picked by it."""

from functools import lru_cache
from typing import Final, Literal

Language = Literal["en", "ko"]
Phrase = tuple[str, str]  # English, Korean

_SYLLABLES: Final = ("\uac00", "\ud7a3")


@lru_cache(maxsize=256)  # asked for every date, hour and phrase of a sentence
def language(locale: str | None) -> Language:
    """Return the language that a BCP 47 tag reads in here: ``ko`` and ``ko-KR``, else English."""
    tag = (locale or "").replace("_", "-").split("-")[0].lower()
    return "ko" if tag == "ko" else "en"


def locale_of(text: str, default: str = "en") -> str:
    """Return ``ko`` where the words hold a Hangul syllable, else ``default``."""
    return "ko" if any(_SYLLABLES[0] <= char <= _SYLLABLES[1] for char in text) else default


def say(phrase: Phrase, locale: str | None) -> str:
    """Pick the words of a locale, English where it is neither."""
    return phrase[1 if language(locale) == "ko" else 0]
