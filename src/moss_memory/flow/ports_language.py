"""The Parser and Writer ports: words in and out, by a model or without one."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from moss_memory.language.proposal import Parsed


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What was said: ``reference`` is aware and resolves relative words, in ``zone``."""

    text: str
    reference: datetime
    zone: str
    locale: str
    principal_id: str = ""


class Parser(Protocol):
    """The Parser port: words -> an untrusted proposal.

    Raises ModelBadOutputError, ModelUnavailableError or ModelTimeoutError; nothing else.
    """

    @property
    def name(self) -> str:
        """The provenance word: offline, or gemini:<model id>."""
        ...

    async def parse(self, utterance: Utterance) -> Parsed:
        """Say what an utterance means."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A worded answer and what it cost in tokens."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Writer(Protocol):
    """The Writer port: words an answer from a context alone; errors as for the Parser."""

    async def write(self, question: str, context: str, *, locale: str) -> Written | None:
        """Word an answer; None leaves it to the template."""
        ...
