"""The Parser and the Writer over any model: what is asked, and how its answer is read."""

import re
from dataclasses import replace
from typing import Final

from moss_memory.adapters.model_call import Answer, Model, ModelCalls
from moss_memory.core.errors import (
    ModelBadOutputError,
    ModelTimeoutError,
    ModelUnavailableError,
    TextRefusedError,
    TextTooLongError,
)
from moss_memory.core.ontology import Ontology
from moss_memory.core.text import clean_words
from moss_memory.flow.ports import Parser, Utterance, Written
from moss_memory.language import schema
from moss_memory.language.proposal import Parsed
from moss_memory.language.reply import read_reply

MAX_ANSWER: Final = 2_000  # characters of a worded answer
WRITER_SECONDS: Final = 3.5  # a request that parsed for 8 s still ends within 12; a template waits
_VERSION: Final = re.compile(r"[A-Za-z0-9._:/@-]{1,100}", re.ASCII)
_LOCALE: Final = re.compile(r"[A-Za-z0-9-]{1,35}", re.ASCII)


class ModelParser:
    """Words -> an untrusted proposal, by a model.

    The provenance names the model's version and, after a ``#``, the hash of what it was asked.
    """

    def __init__(self, model: Model, ontology: Ontology, calls: ModelCalls) -> None:
        self._model, self._ontology, self._calls = model, ontology, calls
        self._instruction = schema.instruction(ontology)
        self._schema = schema.reply_schema(ontology)
        self._hash = schema.prompt_hash(ontology)

    @property
    def name(self) -> str:
        """The provenance word."""
        return self._model.name

    async def parse(self, utterance: Utterance) -> Parsed:
        """Say what an utterance means; errors as the port says."""
        around = schema.circumstances(utterance.reference, utterance.zone, utterance.locale)
        system = f"{self._instruction}\n\n{around}"

        async def ask(reason: str | None) -> Answer:
            told = system if reason is None else f"{system}\n{schema.complaint(reason)}"
            return await self._model.ask(told, (utterance.text,), self._schema)

        def read(answer: Answer) -> Parsed:
            parsed = read_reply(
                answer.text, self._ontology, zone=utterance.zone, locale=utterance.locale
            )
            return replace(parsed, model=_version(answer, self._model.model_id))

        spent = await self._calls.run(utterance.principal_id, ask, read)
        return replace(
            spent.value,
            parser=f"{self.name}#{self._hash}",
            prompt_tokens=spent.prompt_tokens,
            completion_tokens=spent.completion_tokens,
        )

    async def aclose(self) -> None:
        """Close the model's connections."""
        await self._model.aclose()


class ModelWriter:
    """Words an answer from a context alone, by a model; others check it against the facts."""

    def __init__(self, model: Model, calls: ModelCalls) -> None:
        self._model, self._calls = model, calls

    async def write(self, question: str, context: str, *, locale: str) -> Written | None:
        """Word an answer; errors as the port says."""
        language = locale if _LOCALE.fullmatch(locale) else "en"
        system = f"{schema.WRITER_RULES}\nAnswer in the language {language}."
        words = (f"Context:\n{context}", f"Question:\n{question}")

        async def ask(reason: str | None) -> Answer:
            told = system if reason is None else f"{system}\n{schema.complaint(reason)}"
            return await self._model.ask(told, words, None)

        spent = await self._calls.run("", ask, _worded, seconds=WRITER_SECONDS)
        return Written(
            text=spent.value,
            prompt_tokens=spent.prompt_tokens,
            completion_tokens=spent.completion_tokens,
        )

    async def aclose(self) -> None:
        """Close the model's connections."""
        await self._model.aclose()


class FallingBack:
    """A parser that another one stands in for while the first cannot answer."""

    def __init__(self, first: Parser, second: Parser) -> None:
        self._first, self._second = first, second

    @property
    def name(self) -> str:
        """The first one's provenance word; what was parsed names who parsed it."""
        return self._first.name

    async def parse(self, utterance: Utterance) -> Parsed:
        """Say what an utterance means, by the first parser that can."""
        try:
            return await self._first.parse(utterance)
        except (ModelBadOutputError, ModelUnavailableError, ModelTimeoutError):
            return await self._second.parse(utterance)


def _worded(answer: Answer) -> str:
    try:
        return clean_words(answer.text, cap=MAX_ANSWER, field="reply")
    except (TextRefusedError, TextTooLongError):
        raise ModelBadOutputError(reason="text") from None


def _version(answer: Answer, model_id: str) -> str:
    """Return the version that says it answered, where it is a name; else the one asked."""
    said = answer.model
    return said if said is not None and _VERSION.fullmatch(said) else model_id
