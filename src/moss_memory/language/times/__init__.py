"""When the words say: a deterministic resolver for English and Korean."""

from moss_memory.language.times.mention import TimeMention
from moss_memory.language.times.resolve import resolve

__all__ = ["TimeMention", "resolve"]
